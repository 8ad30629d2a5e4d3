"""Sampled L-Shapley: L-Shapley where the budget covers it, unbiased below."""

import numpy as np
import pytest

import lcshap as lc
import oracles
from support import (
    NAMED_GRAPHS,
    check_unbiased,
    edges_of,
    table_game,
)


@pytest.mark.parametrize("name", NAMED_GRAPHS)
@pytest.mark.parametrize("context", ["absent", "present", "both"])
def test_exact_with_all_coalitions(name, context):
    graph = NAMED_GRAPHS[name]
    game, table = table_game(graph.d, seed=9)
    near = oracles.neighbours(graph.d, edges_of(graph))
    e = lc.SampledLShapley(10**6, 2, context).explain(game, graph)
    np.testing.assert_allclose(e.scores, np.ravel(oracles.l_shapley(graph.d, near, table, 2, context)), atol=1e-10)


@pytest.mark.parametrize("context", ["absent", "present", "both"])
def test_unbiased_and_its_intervals_cover(context):
    options = {"budget": 800 if context == "both" else 400, "order": 2, "context": context}
    oracle = lambda d, near, table: oracles.l_shapley(d, near, table, 2, context)  # noqa: E731
    check_unbiased(lc.SampledLShapley, options, lc.Graph.grid((3, 4)), oracle)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"order": -1}, "Expected order as an integer of at least 0, got -1"),
        ({"context": "x"}, "Expected one of 'absent', 'present', 'both' as context, got 'x'"),
    ],
)
def test_bad_parameters(options, says):
    with pytest.raises(lc.errors.MethodError, match=says):
        lc.SampledLShapley(9, **options)


def test_the_limit_counts_before_everything_is_enumerated():
    for budget in (10**6, 10**400):
        with pytest.raises(lc.errors.PlanTooLargeError, match="above max_calls=5,000"):
            lc.SampledLShapley(budget, order=3).plan(lc.Graph.grid((20, 20)), max_calls=5000)
