"""Sampled C-Shapley: C-Shapley where the budget covers it, unbiased below."""

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
    for weights in ("myerson", "paper"):
        e = lc.SampledCShapley(10**6, 2, context, weights).explain(game, graph)
        expected = oracles.c_shapley(graph.d, near, table, 2, context, weights, "direct", None)
        np.testing.assert_allclose(e.scores, np.ravel(expected), atol=1e-10)


@pytest.mark.parametrize(("context", "weights"), [("absent", "myerson"), ("present", "myerson"), ("absent", "paper")])
def test_unbiased_and_its_intervals_cover(context, weights):
    options = {"budget": 350, "order": 3, "context": context, "weights": weights}
    oracle = lambda d, near, table: oracles.c_shapley(d, near, table, 3, context, weights, "direct", None)  # noqa: E731
    check_unbiased(lc.SampledCShapley, options, lc.Graph.grid((3, 4)), oracle)


def test_bad_parameters():
    with pytest.raises(lc.errors.MethodError, match="Expected one of 'myerson', 'paper' as weights, got 'x'"):
        lc.SampledCShapley(9, weights="x")
