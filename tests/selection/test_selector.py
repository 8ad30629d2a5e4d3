"""The method for the options of a user (see tests/explainer/test_entry_points.py for contradictory options)."""

import time
from dataclasses import replace

import numpy as np
import pytest

import lcshap as lc
from lcshap.selection.selector import MethodSelector, with_seed
from support import as_trees

CHAIN = lc.Graph.chain(20)


def test_auto():
    selection = MethodSelector(budget="6d", seed=3).select(CHAIN)
    assert selection.method == lc.GraphKernelSHAP(120, seed=3)
    assert selection.record["chosen"]["goal"] == "fair"
    assert MethodSelector(goal="necessary").select(CHAIN).method == lc.DeletionPath(160)


def test_what_is_exact_without_a_budget():
    """At most 1,024 coalitions, and at most 131,072 model rows."""
    exact = [(d, rows) for d in range(1, 14) for rows in (1, 100, 128, 129, 1024, 1025, 10**6)]
    for d, rows in exact:
        selection = MethodSelector().select(lc.Graph.chain(d), rows)
        if (2**d <= 1024 and 2**d * rows <= 131_072) or 2**d <= 8 * d:
            assert (selection.method, selection.budget) == (lc.Shapley(), max(2**d, 8 * d))
            assert "exact" in selection.reason
        else:
            assert (selection.method, selection.budget) == (lc.GraphKernelSHAP(8 * d), 8 * d)
            assert "without a budget" in selection.reason
        assert MethodSelector().select(lc.Graph.chain(d), rows) == selection
    chain = lc.Graph.chain(12)
    assert MethodSelector().select(chain).method == lc.GraphKernelSHAP(96)
    assert MethodSelector().select(chain).record["chosen"]["budget"] == 96
    assert MethodSelector(budget=4096).select(chain, 10**6).method == lc.Shapley()
    assert MethodSelector(budget=4096).select(chain).record["chosen"]["budget"] == 4096
    assert MethodSelector(budget=4095).select(chain).method == lc.GraphKernelSHAP(4095)


def test_names_take_the_default_budget_too():
    ten = lc.Graph.chain(10)
    assert MethodSelector("kernel-shap").select(ten, 128).method == lc.KernelSHAP(1024)
    assert MethodSelector("kernel-shap").select(ten, 129).method == lc.KernelSHAP(80)
    assert MethodSelector("kernel-shap").has_default_budget
    assert MethodSelector().has_default_budget
    for selector in (MethodSelector(budget=90), MethodSelector("shapley"), MethodSelector(lc.KernelSHAP(90))):
        assert not selector.has_default_budget


def test_what_is_to_stop_early_can():
    for d in (1, 2, 8):
        e = (
            MethodSelector(early=True)
            .select(lc.Graph.chain(d))
            .method.explain(lc.Game(lambda kept: kept.sum(axis=1) * 1.0, d), lc.Graph.chain(d), tolerance=0.1)
        )
        assert e.scores.tolist() == pytest.approx([1.0] * d)


def test_names_take_budget_and_seed():
    assert MethodSelector("kernel-shap", budget=90, seed=2).select(CHAIN).method == lc.KernelSHAP(90, seed=2)
    assert MethodSelector("kernel-shap").select(CHAIN).method == lc.KernelSHAP(160)
    assert MethodSelector("l-shapley", budget=90).select(CHAIN).method == lc.LShapley()


def test_objects_are_taken_as_they_are():
    method = lc.LShapley(2)
    assert MethodSelector(method).select(CHAIN).method is method
    assert MethodSelector(method).select(CHAIN).record == {}


def test_a_budget_is_a_limit_for_what_has_none():
    with pytest.raises(
        lc.errors.BudgetError,
        match=r"Expected a budget of at least 77 calls for LShapley.* on 20 units, got 50",
    ):
        MethodSelector("l-shapley", budget=50).select(CHAIN)
    with pytest.raises(
        lc.errors.BudgetError, match=r"Expected a budget of at least 77 calls for LShapley.* on 20 units, got 50"
    ):
        MethodSelector(lc.LShapley(), budget=50).select(CHAIN)


def test_seconds(monkeypatch):
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)  # no time passes while the method is selected
    game = lc.Game(lambda kept: kept.sum(axis=1), 20)
    selection = MethodSelector(budget="2s").select_for(game, CHAIN, 100.0, lambda: 0.01)
    assert 100 <= selection.method.budget <= 194
    assert selection.record["chosen"]["seconds"] == 2.0
    fixed = MethodSelector("l-shapley", budget="2s").select_for(game, CHAIN, 100.0, lambda: 0.01)
    assert fixed.method == lc.LShapley()
    assert fixed.record == {}
    with pytest.raises(lc.errors.BudgetError, match=r"Expected a budget for at least 77 calls, about 7.7 s, got 2 s"):
        MethodSelector("l-shapley", budget="2s").select_for(game, CHAIN, 100.0, lambda: 0.1)
    with pytest.raises(lc.errors.BudgetError, match="no model or game to time"):
        MethodSelector(budget="2s").select(CHAIN)


def test_another_seed():
    assert with_seed(lc.KernelSHAP(90), 4) == {"method": lc.KernelSHAP(90, seed=4)}
    assert with_seed("auto", 4) == {"seed": 4}
    with pytest.raises(
        lc.errors.OptionError,
        match=r"Expected a method that samples, to vary its seed, got Shapley\(\), which is deterministic",
    ):
        with_seed(lc.Shapley(), 4)


def test_trees_come_first():
    values = np.random.default_rng(0).normal(size=256)
    game = lc.Game(
        lambda kept: values[kept @ (2 ** np.arange(8))], 8, structures={"trees": lambda: as_trees(values, 8)}
    )
    graph = lc.Graph.complete(8)
    for selector in (MethodSelector(), MethodSelector(budget="4d"), MethodSelector(budget=17)):
        selection = selector.select_for(game, graph, time.monotonic())
        assert selection.method == lc.TreeSHAP()
        assert "sum of trees" in selection.record["chosen"]["reason"]
        assert selector.select(graph, 1, lambda method: method.reads == "trees") == selection
        assert selector.select(graph, 1, lambda method: False) == selector.select(graph)
    for selector in (MethodSelector(goal="necessary"), MethodSelector("shapley"), MethodSelector(early=True)):
        assert selector.select_for(game, graph, time.monotonic()) == selector.select(graph)
    start = time.monotonic()
    timed = MethodSelector(budget="9s").select_for(game, graph, start)
    assert timed.method == lc.TreeSHAP()
    assert timed.record["chosen"]["seconds"] == 9
    with pytest.raises(
        lc.errors.BudgetError, match="Give more seconds"
    ):  # there is no time left, not even for the trees
        MethodSelector(budget="9s").select_for(game, graph, start - 10, lambda: 0.01)
    assert MethodSelector("shapley", budget="9s").select_for(game, graph, start).method == lc.Shapley()


def test_interactions_reach_the_method():
    assert MethodSelector(budget="6d", interactions=True).select(CHAIN).method == lc.GraphKernelSHAP(
        120, interactions=True
    )
    assert MethodSelector(early=True, interactions="all").select(CHAIN).method == lc.GraphKernelSHAP(
        160, interactions="all"
    )
    assert MethodSelector("l-shapley", interactions=True).select(CHAIN).method == lc.LShapley(interactions=True)
    short, pairs = lc.Graph.chain(8), MethodSelector(interactions=True)
    assert pairs.select(short, 1, lambda method: method.reads == "trees").method == lc.TreeSHAP(interactions=True)
    exact = pairs.select(short)
    assert exact.method == lc.GraphKernelSHAP(256, interactions=True)
    assert "pair interactions are exact" in exact.reason
    twelve = lc.Graph.chain(12)
    assert pairs.select(twelve).method == lc.GraphKernelSHAP(96, interactions=True)
    assert "pair interactions come from the same calls" in pairs.select(twelve).reason
    assert replace(pairs, budget=4096).select(twelve).method == lc.GraphKernelSHAP(4096, interactions=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "lime"}, "Expected a method that has pair interactions, got lime"),
        ({"method": lc.Shapley()}, r"Expected a method that has pair interactions, got Shapley\(\)"),
        (
            {"method": lc.LShapley()},
            "Expected interactions once, got LShapley.*, which has its own, and interactions=True",
        ),
        ({"goal": "necessary"}, "a path of units has no pair interactions"),
    ],
)
def test_interactions_where_there_are_none_are_refused(options, message):
    with pytest.raises(lc.errors.OptionError, match=message):
        MethodSelector(**options, interactions=True)


def test_a_method_whose_upper_bound_is_above_the_budget_is_counted(monkeypatch):
    method, grid = lc.ReceptiveShapley(1), lc.Graph.grid((5, 5))
    calls = method.cost(grid).calls
    monkeypatch.setattr("lcshap.estimators.receptive_shapley._MAX_SECONDS", 0)
    assert method.cost(grid).calls > calls
    assert MethodSelector(method, budget=calls).select(grid).method == method
    with pytest.raises(lc.errors.BudgetError):
        MethodSelector(method, budget=calls - 1).select(grid)
