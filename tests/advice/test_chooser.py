"""The budget planner: what it chooses, that it fits, and what it says."""

import time
from itertools import combinations

import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.advice.chooser import parse_budget, tree_estimator
from support import as_trees, table_game

CHAIN = lc.Graph.chain(30)


def test_the_goals():
    assert lc.choose(lc.Graph.chain(10), "fair", 1024).method == lc.Shapley()
    assert lc.choose(lc.Graph.chain(10), "fair", 1023).method == lc.GraphKernelSHAP(1023)
    assert lc.choose(CHAIN, "fair", "8d", seed=7).method == lc.GraphKernelSHAP(240, seed=7)
    assert lc.choose(CHAIN, "fair", 50_000, seed=7).method == lc.GraphKernelSHAP(50_000, seed=7)
    assert lc.choose(lc.Graph.chain(5000), "fair", 50_000, seed=7).method == lc.SampleShapley(50_000, seed=7)
    assert lc.choose(CHAIN, "necessary", "4d").method == lc.DeletionPath(120)
    assert lc.choose(CHAIN, "sufficient").method == lc.InsertionPath(240)


def test_without_a_budget_it_is_exact_where_that_is_cheap():
    assert lc.choose(lc.Graph.chain(10)).method == lc.Shapley()
    assert lc.choose(lc.Graph.chain(11)).method == lc.GraphKernelSHAP(88)
    fast = lc.Game(lambda kept: kept.sum(axis=1), 11)
    choice = lc.choose(lc.Graph.chain(11), game=fast)
    assert (choice.method, choice.budget) == (lc.Shapley(), 2048)
    assert lc.choose(lc.Graph.chain(11), "necessary", game=fast).method == lc.DeletionPath(88)
    slow = lc.Game(lambda kept: time.sleep(0.002 * len(kept)) or kept.sum(axis=1), 11)
    assert lc.choose(lc.Graph.chain(11), game=slow).method == lc.GraphKernelSHAP(88)


@pytest.mark.parametrize("goal", ["fair", "necessary", "sufficient"])
@pytest.mark.parametrize("graph", [lc.Graph.chain(1), lc.Graph.chain(9), CHAIN, lc.Graph.grid((5, 5))])
def test_the_choice_keeps_the_budget_and_says_why(goal, graph):
    w = np.random.default_rng(0).normal(size=graph.d)
    rows = []
    game = lc.Game(lambda kept: rows.append(len(kept)) or np.tanh(kept @ w), graph.d)
    choice = lc.choose(graph, goal, "6d")
    e = choice.explain(game)
    assert sum(rows) == e.calls <= choice.budget == 6 * graph.d
    assert e.provenance["chosen"] == {"goal": goal, "budget": 6 * graph.d, "reason": choice.reason}
    assert choice.reason in str(choice)
    assert str(choice.method) in str(choice)
    for method, calls in choice.fits:
        assert method.plan(graph).calls == calls <= choice.budget
        assert f"{calls:,} calls  {method}" in str(choice)


def test_of_each_kind_the_largest_order_that_fits():
    fits = dict(lc.choose(lc.Graph.chain(100), "fair", 2000).fits)
    assert lc.LShapley(2) in fits
    assert lc.LShapley(1) not in fits
    assert lc.CShapley(3, weights="myerson") in fits
    assert list(fits.values()) == sorted(fits.values(), reverse=True)


def test_budgets():
    assert parse_budget("4d", 50) == 200
    assert parse_budget(" 2.5 d ", 10) == 25
    assert parse_budget(np.int64(77), 10) == 77

    def slow(kept):
        time.sleep(0.002 * len(kept))
        return kept.sum(axis=1)

    calls = parse_budget("2s", 10, lc.Game(slow, 10))
    assert 500 < calls <= 1000
    choice = lc.choose(lc.Graph.chain(10), "fair", "0.5s", game=lc.Game(slow, 10))
    assert 100 < choice.budget <= 250


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"goal": "nice"}, "Expected one of 'fair', 'necessary', 'sufficient' as goal, got 'nice'"),
        ({"budget": "4x"}, "'4d' .calls per unit. or '30s' .seconds., got '4x'"),
        ({"budget": "0d"}, "Expected a budget such as 300"),
        ({"budget": 0}, "Expected a budget such as 300"),
        ({"budget": True}, "Expected a budget such as 300"),
        ({"budget": 2.5}, "Expected a budget such as 300"),
        ({"budget": "3s"}, "no model or game to time, got 3 s"),
        (
            {"budget": 59},
            "Expected a budget of at least 60 calls for goal='fair' and 30 units, got 59.*FeatureAblation.*takes",
        ),
        ({"budget": 20}, "Expected a budget of at least 60 calls for goal='fair' and 30 units, got 20"),
        (
            {"goal": "necessary", "budget": 31},
            "Expected a budget of at least 32 calls for goal='necessary' and 30 units, got 31",
        ),
    ],
)
def test_bad_input(options, says):
    with pytest.raises(lc.OptionError, match=says):
        lc.choose(CHAIN, **options)


def test_the_exact_choice_is_exact():
    game, _ = table_game(6, seed=1)
    e = lc.choose(lc.Graph.ring(6), budget=64).explain(game)
    np.testing.assert_allclose(e.scores, lc.Shapley().explain(game, lc.Graph.ring(6)).scores)


class TestTrees:
    """Where a game is one of trees, its Shapley value is read off."""

    def game(self, d, off=0.0):
        values = np.random.default_rng(0).normal(size=2**d)
        trees = as_trees(values, d)
        fn = lambda kept: values[kept @ (2 ** np.arange(d))] + off * kept[:, 0] * kept[:, -1]  # noqa: E731
        return lc.Game(fn, d, trees=lambda: trees)

    def test_it_is_chosen(self):
        graph = lc.Graph.complete(8)
        for budget in (None, 20, 1000, "10s"):
            choice = lc.choose(graph, budget=budget, game=self.game(8))
            assert choice.method == lc.TreeSHAP()
            assert "exact" in choice.reason
        e = choice.explain(self.game(8))
        np.testing.assert_allclose(e.scores, lc.Shapley().explain(self.game(8), graph).scores, rtol=0, atol=1e-12)
        assert e.provenance["chosen"]["reason"] == choice.reason

    def test_it_is_not_chosen_where_something_else_takes_fewer_calls(self):
        assert lc.choose(lc.Graph.complete(4), game=self.game(4)).method == lc.Shapley()
        assert lc.choose(lc.Graph.complete(5), game=self.game(5), budget=12).method.name == "graph-kernel-shap"

    def test_it_is_not_chosen_for_another_goal_or_without_a_game(self):
        assert lc.choose(lc.Graph.complete(8), "necessary", game=self.game(8)).method.name == "deletion-path"
        assert lc.choose(lc.Graph.complete(8)).method == lc.Shapley()

    def test_trees_that_do_not_agree_are_left_alone(self):
        assert lc.choose(lc.Graph.complete(8), game=self.game(8, off=0.01)).method == lc.Shapley()

    def test_it_must_fit_the_seconds(self):
        graph = lc.Graph.complete(8)
        assert tree_estimator(self.game(8), graph, seconds=60.0)[0] == lc.TreeSHAP()
        assert tree_estimator(self.game(8), graph, seconds=0.0) is None


def pairs_by_oracle(table, d):
    """All interaction indices, by brute force."""
    near = {u: set(range(d)) - {u} for u in range(d)}
    found = np.zeros((d, d))
    for i, j in combinations(range(d), 2):
        found[i, j] = found[j, i] = oracles.interaction(d, near, table, 1, "absent", i, j)[0]
    return found


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_where_all_coalitions_fit_interactions_are_exact(d):
    game, table = table_game(d, seed=d)
    choice = lc.choose(lc.Graph.chain(d), interactions="all")
    e = choice.explain(game)
    assert e.calls == 2**d
    assert "pair interactions are exact" in choice.reason
    np.testing.assert_allclose(e.interactions.toarray(), pairs_by_oracle(table, d), atol=1e-10)
    assert not e.interaction_stderr.toarray().any()
    np.testing.assert_allclose(e.scores, lc.Shapley().explain(game, lc.Graph.chain(d)).scores, atol=1e-10)


def test_interactions_of_edges_alone():
    game, table = table_game(6, seed=1)
    e = lc.choose(lc.Graph.chain(6), interactions=True).explain(game)
    near = np.abs(np.subtract.outer(range(6), range(6))) == 1
    np.testing.assert_allclose(e.interactions.toarray(), pairs_by_oracle(table, 6) * near, atol=1e-10)


def test_interactions_come_with_the_calls_of_the_scores():
    game = lc.Game(lambda kept: 1.0 * kept[:, 2:4].all(axis=1) + kept.sum(axis=1), 12)
    plain, choice = (lc.choose(lc.Graph.chain(12), budget="16d", interactions=pairs) for pairs in (False, "all"))
    assert choice.method == lc.GraphKernelSHAP(192, interactions="all")
    assert "pair interactions come from the same calls" in choice.reason
    assert "interactions" not in plain.reason
    e, without = choice.explain(game), plain.explain(game)
    assert e.scores.tolist() == without.scores.tolist()
    assert e.calls == without.calls
    assert e.interactions[2, 3] == pytest.approx(1, abs=0.01)
    assert e.interactions[0, 11] == pytest.approx(0, abs=0.01)


def test_trees_are_not_read_where_interactions_are_wanted():
    values = np.random.default_rng(0).normal(size=2**6)
    game = lc.Game(lambda kept: values[kept @ (2 ** np.arange(6))], 6, trees=lambda: as_trees(values, 6))
    assert lc.choose(lc.Graph.complete(6), game=game).method == lc.TreeSHAP()
    assert lc.choose(lc.Graph.complete(6), game=game, interactions=True).method == lc.GraphKernelSHAP(
        64, interactions=True
    )


def test_a_fast_game_gets_exact_interactions():
    fast = lc.Game(lambda kept: kept.sum(axis=1), 11)
    assert lc.choose(lc.Graph.chain(11), game=fast, interactions=True).method == lc.GraphKernelSHAP(
        2048, interactions=True
    )


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        (CHAIN, {"goal": "necessary", "interactions": True}, "Expected goal='fair' with interactions=True"),
        (CHAIN, {"goal": "sufficient", "interactions": "all"}, "a path of units has no pair interactions"),
        (CHAIN, {"interactions": "edges"}, "or 'all', got 'edges'"),
        (CHAIN, {"interactions": 1.0}, "or 'all', got 1.0"),
        (lc.Graph.chain(5000), {"interactions": True}, "which alone estimates pair interactions, got 5,000 units"),
    ],
)
def test_interactions_that_cannot_be_had(graph, options, message):
    with pytest.raises(lc.OptionError, match=message):
        lc.choose(graph, **options)
