"""The budget planner: what it chooses, that it fits, and what it says."""

import time
import types
from itertools import combinations

import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.selection import budget as budget_module
from lcshap.selection import selector
from lcshap.selection.selector import can_estimate
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


def test_without_a_budget_it_is_exact_for_up_to_ten_units():
    exact = lc.choose(lc.Graph.chain(10))
    assert (exact.method, exact.budget) == (lc.Shapley(), 1024)
    assert exact.reason == "all 2^10 = 1,024 coalitions fit: the result is exact"
    estimated = lc.choose(lc.Graph.chain(11))
    assert (estimated.method, estimated.budget) == (lc.GraphKernelSHAP(88), 88)
    assert estimated.reason.startswith("there are 2^11 coalitions, and without a budget all are evaluated only up to")
    assert "least error" in estimated.reason
    assert lc.choose(lc.Graph.chain(11), budget=2048).method == lc.Shapley()
    assert "without a budget" not in lc.choose(lc.Graph.chain(11), budget=88).reason


@pytest.mark.parametrize("pause", [0, 0.002])
def test_how_fast_a_game_is_changes_nothing(pause):
    batch_sizes = []
    game = lc.Game(lambda kept: batch_sizes.append(len(kept)) or time.sleep(pause * len(kept)) or kept.sum(axis=1), 11)
    chosen = [lc.choose(lc.Graph.chain(11), game=game) for _ in range(3)]
    assert {(choice.method, choice.budget) for choice in chosen} == {(lc.GraphKernelSHAP(88), 88)}
    assert lc.choose(lc.Graph.chain(11), "necessary", game=game).method == lc.DeletionPath(88)
    assert lc.choose(lc.Graph.chain(11), game=game, interactions=True).method == lc.GraphKernelSHAP(
        88, interactions=True
    )
    assert lc.choose(lc.Graph.chain(10), game=lc.Game(game.fn, 10)).method == lc.Shapley()
    assert not batch_sizes  # nothing is timed


def test_the_rows_of_a_game_count():
    """Ten units with 100 background rows are 102,400 model rows, with 129 they are more than 131,072."""

    def game(d, rows):
        kind = type("Wide", (lc.Game,), {"rows_per_call": rows})
        return kind(lambda kept: kept.sum(axis=1), d)

    graph = lc.Graph.chain(10)
    assert lc.choose(graph, game=game(10, 100)).method == lc.Shapley()
    choice = lc.choose(graph, game=game(10, 129))
    assert choice.method == lc.GraphKernelSHAP(80)
    assert choice.reason.startswith(
        "all 2^10 coalitions would take up to 132,096 model rows, and without a budget all are evaluated only up to"
        " 131,072; "
    )
    assert lc.choose(graph, game=game(10, 129), budget=1024).method == lc.Shapley()
    assert lc.choose(lc.Graph.chain(9), game=game(9, 129)).method == lc.Shapley()


def test_a_selection_has_the_record():
    choice = lc.choose(CHAIN, budget="4d")
    assert isinstance(choice, lc.Selection)
    assert choice.record == {"chosen": {"goal": "fair", "budget": 120, "reason": choice.reason}}
    named = lc.Selection(lc.LShapley(1), CHAIN, 200)
    assert named.record == {}
    assert str(named).splitlines()[:3] == ["budget 200 calls", f"chosen: {lc.LShapley(1)}", "also within the budget:"]
    with pytest.raises(AttributeError):
        choice.method = lc.Shapley()


@pytest.mark.parametrize("goal", ["fair", "necessary", "sufficient"])
@pytest.mark.parametrize("graph", [lc.Graph.chain(1), lc.Graph.chain(9), CHAIN, lc.Graph.grid((5, 5))])
def test_the_choice_keeps_the_budget_and_has_a_reason(goal, graph):
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


def test_seconds(monkeypatch):
    seconds = 0.0

    def now():
        return seconds

    def slow(kept):
        nonlocal seconds
        seconds += 0.002 * len(kept)
        return kept.sum(axis=1)

    for module in (budget_module, selector):  # a clock of the test, which a busy machine does not slow down
        monkeypatch.setattr(module, "time", types.SimpleNamespace(monotonic=now, perf_counter=now))

    choice = lc.choose(lc.Graph.chain(10), "fair", "2s", game=lc.Game(slow, 10))
    assert 500 < choice.budget <= 1000
    assert choice.method == lc.GraphKernelSHAP(choice.budget)
    choice = lc.choose(lc.Graph.chain(10), "fair", "0.5s", game=lc.Game(slow, 10))
    assert 100 < choice.budget <= 250
    assert choice.record["chosen"]["seconds"] == 0.5
    assert "without a budget" not in choice.reason


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
    with pytest.raises(lc.errors.OptionError, match=says):
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
        return lc.Game(fn, d, structures={"trees": lambda: trees})

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
        assert can_estimate(self.game(8), lc.TreeSHAP(), seconds=60.0)
        assert not can_estimate(self.game(8), lc.TreeSHAP(), seconds=0.0)
        assert not can_estimate(lc.Game(lambda kept: kept.sum(axis=1), 8), lc.TreeSHAP())


def pairs_by_oracle(table, d):
    """All interaction indices, by brute force."""
    near = {u: set(range(d)) - {u} for u in range(d)}
    interactions = np.zeros((d, d))
    for i, j in combinations(range(d), 2):
        interactions[i, j] = interactions[j, i] = oracles.interaction(d, near, table, 1, "absent", i, j)[0]
    return interactions


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


def test_trees_are_read_for_interactions_too():
    values = np.random.default_rng(0).normal(size=2**6)
    game = lc.Game(
        lambda kept: values[kept @ (2 ** np.arange(6))], 6, structures={"trees": lambda: as_trees(values, 6)}
    )
    assert lc.choose(lc.Graph.complete(6), game=game).method == lc.TreeSHAP()
    assert lc.choose(lc.Graph.complete(6), game=game, interactions=True).method == lc.TreeSHAP(interactions=True)


def test_a_budget_for_all_coalitions_gets_exact_interactions():
    assert lc.choose(lc.Graph.chain(11), budget=2048, interactions=True).method == lc.GraphKernelSHAP(
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
    with pytest.raises(lc.errors.OptionError, match=message):
        lc.choose(graph, **options)


def test_a_notebook_shows_the_method_the_reason_and_what_else_fits():
    selection = lc.choose(lc.Graph.chain(12))
    page = selection._repr_html_()
    assert page.startswith('<div class="lcshap">')
    assert str(selection.method).split("(")[0] in page
    assert "Budget: 96 calls." in page
    for method, calls in selection.fits:
        assert f"<td>{calls}</td>" in page
        assert type(method).__name__ in page
