"""SampleShapley: exact where the budget covers all, unbiased below."""

import numpy as np
import pytest
from fuzz.plans import Case, measure

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
    small_rows, large_rows = ({bytes(row) for row in plan.coalitions.dense()} for plan in (small, large))
    assert small_rows < large_rows


@pytest.mark.parametrize("budget", [24, 100, 321, 1000])
def test_block_by_block_is_the_plan_to_the_last_bit(monkeypatch, budget):
    graph, weights = lc.Graph.chain(12), np.random.default_rng(0).normal(size=(12, 2))
    game = lc.Game(lambda kept: np.tanh((kept[:, :, None] * weights).sum(axis=1)) ** 3, 12)
    method = lc.SampleShapley(budget, seed=1)
    planned, early = lc.run(method.plan(graph), game), method.explain(game, graph, tolerance=0.05)
    monkeypatch.setattr("lcshap.estimators.sample_shapley._MAX_LISTED_INDICES", 0)
    monkeypatch.setattr("lcshap.estimators.permutations._BLOCK_CELLS", 60)
    monkeypatch.setattr("lcshap.estimators.permutations._MIN_BLOCK_ROWS", 5)
    for e in (method.explain(game, graph), list(method.stream(game, graph))[-1]):
        np.testing.assert_array_equal(e.scores, planned.scores)
        np.testing.assert_array_equal(e.stderr, planned.stderr)
        assert e.calls == planned.calls == method.cost(graph).calls
    blocks = method.explain(game, graph, tolerance=0.05)
    np.testing.assert_array_equal(blocks.scores, early.scores)
    assert (blocks.calls, blocks.provenance["stopped"]) == (early.calls, early.provenance["stopped"])


def test_many_units_fit_the_memory():
    graph = lc.Graph.grid((128, 128))
    method = lc.choose(graph, budget="2d").method
    assert isinstance(method, lc.SampleShapley)
    measured = measure(Case(graph, method, 1_000_000))
    assert measured["outcome"] == "plan"
    assert measured["calls"] == 2 * graph.d
    assert measured["bytes"] < 5e8


def test_a_plan_that_does_not_fit_is_refused_at_once():
    with pytest.raises(
        lc.errors.PlanTooLargeError,
        match=r"9.6 GB of memory, above the limit of 2 GB. Call explain or cost, which need no plan",
    ):
        lc.SampleShapley(80_000).plan(lc.Graph.chain(20_000))
    with pytest.raises(lc.errors.PlanTooLargeError, match="above max_calls"):
        lc.SampleShapley(80_000).explain(lc.Game(np.any, 20_000), lc.Graph.chain(20_000), max_calls=10_000)
