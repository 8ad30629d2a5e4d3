"""SampleShapley: exact where the budget covers all, unbiased below."""

import numpy as np
import pytest

import lcshap as lc
import oracles
from support import (
    check_unbiased,
    table_game,
)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8])
def test_exact_with_all_coalitions(d):
    game, table = table_game(d, seed=d, outputs=2)
    for budget in (2**d, 2**d + 1, 10**6):
        e = lc.SampleShapley(budget=budget).explain(game, lc.Graph.chain(d))
        np.testing.assert_allclose(e.scores, oracles.shapley(d, table), atol=1e-8)
        assert e.calls == 2**d
        assert e.stderr is None or not e.stderr.any()


def test_unbiased_and_its_intervals_cover():
    oracle = lambda d, near, table: oracles.shapley(d, table)  # noqa: E731
    check_unbiased(lc.SampleShapley, {"budget": 130}, lc.Graph.chain(8), oracle)


def test_exact_where_only_pairs_interact():
    """Of a pair of opposite orders, or of complements, each unit gets half of what its pairs add."""
    d = 30
    rng = np.random.default_rng(2)
    unary, pairs = rng.normal(size=d), np.triu(rng.normal(size=(d, d)), 1)
    v = lc.Game(lambda kept: kept @ unary + np.einsum("ni,nj,ij->n", kept, kept, pairs), d)
    shapley = unary + (pairs + pairs.T).sum(axis=1) / 2
    for method in (lc.SampleShapley(2 * d), lc.SampleShapley(10 * d)):
        np.testing.assert_allclose(method.explain(v, lc.Graph.chain(d)).scores, shapley, atol=1e-9)


def test_a_larger_budget_begins_with_the_same_orders():
    small, large = (lc.SampleShapley(b, seed=4).plan(lc.Graph.chain(12)) for b in (100, 400))
    few, many = ({bytes(row) for row in plan.coalitions.dense()} for plan in (small, large))
    assert few < many
