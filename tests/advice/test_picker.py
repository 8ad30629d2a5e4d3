"""From what a user says to a method; contradictions are refused (see tests/explainer/test_doors.py for all of them)."""

import time

import numpy as np
import pytest

import lcshap as lc
from lcshap.advice.picker import Picker, with_seed
from support import as_trees

CHAIN = lc.Graph.chain(20)


def test_auto():
    picked = Picker(budget="6d", seed=3).pick(CHAIN)
    assert picked.method == lc.GraphKernelSHAP(120, seed=3)
    assert picked.record["chosen"]["goal"] == "fair"
    assert Picker(goal="necessary").pick(CHAIN).method == lc.DeletionPath(160)


def test_what_may_be_exact():
    chain = lc.Graph.chain(12)
    usual = Picker()
    assert usual.pick(chain).method == lc.GraphKernelSHAP(96)
    assert usual.may_be_exact(chain, usual.pick(chain))
    assert usual.pick_exact(chain).method == lc.Shapley()
    assert usual.pick_exact(chain).record["chosen"]["budget"] == 4096
    for other in (Picker(budget="8d"), Picker("lime"), Picker(goal="necessary"), Picker(max_calls=4000)):
        assert not other.may_be_exact(chain, other.pick(chain))
    assert not usual.may_be_exact(CHAIN, usual.pick(CHAIN))  # 2^20 calls take longer for sure
    short = lc.Graph.chain(8)
    assert usual.pick(short).method == lc.Shapley()
    assert not usual.may_be_exact(short, usual.pick(short))  # it is


def test_what_is_to_stop_early_can():
    for d in (1, 2, 8):
        e = (
            Picker(early=True)
            .pick(lc.Graph.chain(d))
            .method.explain(lc.Game(lambda kept: kept.sum(axis=1) * 1.0, d), lc.Graph.chain(d), tolerance=0.1)
        )
        assert e.scores.tolist() == pytest.approx([1.0] * d)


def test_names_take_budget_and_seed():
    assert Picker("kernel-shap", budget=90, seed=2).pick(CHAIN).method == lc.KernelSHAP(90, seed=2)
    assert Picker("kernel-shap").pick(CHAIN).method == lc.KernelSHAP(160)
    assert Picker("l-shapley", budget=90).pick(CHAIN).method == lc.LShapley()


def test_objects_are_taken_as_they_are():
    method = lc.LShapley(2)
    assert Picker(method).pick(CHAIN).method is method
    assert Picker(method).pick(CHAIN).record == {}


def test_a_budget_is_a_limit_for_what_has_none():
    with pytest.raises(
        lc.BudgetError,
        match=r"Expected a budget of at least 77 calls for LShapley.* on 20 units, got 50",
    ):
        Picker("l-shapley", budget=50).pick(CHAIN)
    with pytest.raises(
        lc.BudgetError, match=r"Expected a budget of at least 77 calls for LShapley.* on 20 units, got 50"
    ):
        Picker(lc.LShapley(), budget=50).pick(CHAIN)


def test_seconds(monkeypatch):
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)  # no time passes while the method is picked
    picked = Picker(budget="2s").pick_timed(CHAIN, 0.01, 102.0)
    assert 100 <= picked.method.budget <= 194
    assert picked.record["chosen"]["seconds"] == 2.0
    fixed = Picker("l-shapley", budget="2s").pick_timed(CHAIN, 0.01, 102.0)
    assert fixed.method == lc.LShapley()
    with pytest.raises(lc.BudgetError, match=r"Expected a budget for at least 77 calls, about 7.7 s, got 2 s"):
        Picker("l-shapley", budget="2s").pick_timed(CHAIN, 0.1, 102.0)


def test_another_seed():
    assert with_seed(lc.KernelSHAP(90), 4) == {"method": lc.KernelSHAP(90, seed=4)}
    assert with_seed("auto", 4) == {"seed": 4}
    with pytest.raises(
        lc.OptionError,
        match=r"Expected a method that samples, to vary its seed, got Shapley\(\), which is deterministic",
    ):
        with_seed(lc.Shapley(), 4)


def test_trees_come_first():
    values = np.random.default_rng(0).normal(size=256)
    game = lc.Game(lambda kept: values[kept @ (2 ** np.arange(8))], 8, trees=lambda: as_trees(values, 8))
    graph = lc.Graph.complete(8)
    for picker in (Picker(), Picker(budget="4d"), Picker(budget=17)):
        picked = picker.pick_trees(game, graph, picker.pick(graph))
        assert picked.method == lc.TreeSHAP()
        assert "sum of trees" in picked.record["chosen"]["reason"]
    for picker in (Picker(goal="necessary"), Picker("shapley"), Picker(early=True)):
        picked = picker.pick(graph)
        assert picker.pick_trees(game, graph, picked) is picked
    timed = Picker(budget="9s").pick_trees_timed(game, graph, time.monotonic() + 9)
    assert timed.method == lc.TreeSHAP()
    assert timed.record["chosen"]["seconds"] == 9
    assert Picker(budget="9s").pick_trees_timed(game, graph, time.monotonic() - 1) is None
    assert Picker("shapley", budget="9s").pick_trees_timed(game, graph, time.monotonic() + 9) is None


def test_interactions_reach_the_method():
    assert Picker(budget="6d", interactions=True).pick(CHAIN).method == lc.GraphKernelSHAP(120, interactions=True)
    assert Picker(early=True, interactions="all").pick(CHAIN).method == lc.GraphKernelSHAP(160, interactions="all")
    assert Picker("l-shapley", interactions=True).pick(CHAIN).method == lc.LShapley(interactions=True)
    short, wanted = lc.Graph.chain(8), Picker(interactions=True)
    assert wanted.pick(short).method == lc.GraphKernelSHAP(256, interactions=True)
    assert not wanted.may_be_exact(short, wanted.pick(short))  # it is
    assert not wanted.may_read_trees(short, wanted.pick(short))
    twelve = lc.Graph.chain(12)
    assert wanted.may_be_exact(twelve, wanted.pick(twelve))
    assert wanted.pick_exact(twelve).method == lc.GraphKernelSHAP(4096, interactions=True)


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
    with pytest.raises(lc.OptionError, match=message):
        Picker(**options, interactions=True)
