"""Paths where the model decides: flips by its decision, smaller sets, and a path that goes on."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
from lcshap.estimators.path_search import PathSearch
from lcshap.estimators.paths import DeletionPath, InsertionPath
from support import graphs, table_game

BOTH = pytest.mark.parametrize("cls", [DeletionPath, InsertionPath])


@dataclass(frozen=True)
class Deciding(lc.Game):
    """A game whose model decides by the sign of another function, and knows only what it was asked."""

    rule: object = None
    asked: set = field(default_factory=set)

    def evaluate(self, coalitions):
        self.asked.update(map(bytes, coalitions.dense()))
        return super().evaluate(coalitions)

    def decision_unchanged(self, coalitions):
        kept = coalitions.dense()
        assert len(kept)
        assert self.asked.issuperset(map(bytes, kept))
        return (self.rule(kept) > 0) == (self.rule(np.ones((1, self.d), bool)) > 0)


def moved(cls, d, units):
    kept = np.full((1, d), cls is DeletionPath)
    kept[0, list(units)] = cls is InsertionPath
    return kept


def flips(game, cls, units):
    """Whether moving these units alone changes the decision (deletion), or brings it about (insertion)."""
    is_unchanged = (game.rule(moved(cls, game.d, units)) > 0) == (game.rule(np.ones((1, game.d), bool)) > 0)
    return bool(is_unchanged[0]) != (cls is DeletionPath)


def test_three_words_carry_the_decision():
    """The decision hangs on three words of twelve; the path goes on after the third."""
    worth = np.where(np.isin(np.arange(12), (2, 5, 9)), 3.0, 0.5)
    game = Deciding(lambda kept: kept @ worth, 12, rule=lambda kept: kept @ worth - 5)
    e = DeletionPath(budget=48, path_share=0.5).explain(game, lc.Graph.chain(12))
    assert e.flipped is True
    assert e.flip_set == (2, 5, 9)
    assert len(e.path) >= 6
    e = InsertionPath(budget=48, path_share=0.5).explain(game, lc.Graph.chain(12))
    assert e.flip_set == (2, 5)
    assert len(e.path) >= 6


def test_the_decision_is_not_the_value():
    """The value falls with unit 0, the decision (which other class leads, say) with units 1 and 2 alone."""
    game = Deciding(
        lambda kept: kept @ np.array([4.0, 1.0, 1.0, 0.0]), 4, rule=lambda kept: 0.5 - ~kept[:, 1] * ~kept[:, 2]
    )
    e = DeletionPath(budget=16, window=1).explain(game, lc.Graph.chain(4))
    assert e.path[:3].tolist() == [0, 1, 2]
    assert e.flip_set == (1, 2)


@BOTH
@settings(max_examples=60)
@given(graph=graphs(max_d=7), extra=st.integers(0, 60), seed=st.integers(0, 5), level=st.floats(-1.5, 1.5))
def test_the_reported_decision_is_correct(cls, graph, extra, seed, level):
    fn, d = table_game(graph.d, seed)[0].fn, graph.d
    noise = table_game(d, seed + 100)[0].fn
    game = Deciding(fn, d, rule=lambda kept: 0.5 * fn(kept) + noise(kept) - level)
    method = cls(budget=d + 2 + extra, path_share=0.5)
    e = method.explain(game, graph)
    assert len(game.asked) == e.calls <= method.budget
    prefixes = [e.path[:n].tolist() for n in range(len(e.path) + 1)]
    first = next((p for p in prefixes if flips(game, cls, p)), None)
    assert e.flipped is (first is not None)
    if first is None:
        assert e.flip_set is None
    else:
        assert flips(game, cls, e.flip_set)
        assert set(e.flip_set) <= set(first)


@BOTH
@pytest.mark.parametrize("seed", range(4))
def test_the_path_is_that_of_the_plain_game_where_calls_abound(cls, seed):
    fn = table_game(6, seed)[0].fn
    plain = cls(budget=64, window=1).explain(lc.Game(fn, 6), lc.Graph.chain(6))
    game = Deciding(fn, 6, rule=fn)
    e = cls(budget=64, window=1).explain(game, lc.Graph.chain(6))
    assert e.order.tolist() == plain.order.tolist()
    assert e.scores.tobytes() == plain.scores.tobytes()
    assert plain.flipped is None
    assert plain.flip_set is None
    if e.flip_set is not None:  # and no unit of the set can be spared
        assert not any(flips(game, cls, set(e.flip_set) - {i}) for i in e.flip_set)


def test_a_quarter_of_the_calls_left_goes_into_a_smaller_set():
    """The decision falls with the 16th of 40 equal units, and not without any of them: trying costs 16 calls."""
    game = Deciding(lambda kept: 1.0 * kept.sum(axis=1), 40, rule=lambda kept: kept.sum(axis=1) - 24.5)
    spent = []
    for budget in (90, 100, 120, 400):
        search = PathSearch(DeletionPath(budget, window=1, path_share=1.0), lc.Graph.chain(40), game.decision_unchanged)
        program, request, trying = search.program(), None, 0
        try:
            request = next(program)
            while True:
                sizes = 40 - request.dense().sum(axis=1)
                flipped = len(search.path) >= 16 and len(search.path) < 40
                trying += int((flipped & (sizes == 15)).sum())
                if flipped and (sizes == 15).any():
                    assert (sizes == 15).sum() <= search.remaining_calls // 4
                request = program.send(game.evaluate(request))
        except StopIteration:
            spent.append(trying)
        assert len(search.flip_set) == 16
        assert len(search.answers) <= budget
    assert 0 < spent[0] < spent[-1] <= 16


@BOTH
def test_a_decision_that_is_there_from_the_start(cls):
    """Insertion: the model decides so on nothing at all. Deletion: what stands at the full input stands there."""
    game = Deciding(lambda kept: 1.0 * kept.sum(axis=1), 5, rule=lambda kept: np.ones(len(kept)))
    e = cls(budget=20).explain(game, lc.Graph.chain(5))
    assert e.flipped is (cls is InsertionPath)
    assert e.flip_set == (() if cls is InsertionPath else None)


@BOTH
def test_a_threshold_goes_before_the_decision(cls):
    game = Deciding(lambda kept: 1.0 * kept.sum(axis=1), 5, rule=lambda kept: kept.sum(axis=1) - 3.5)
    level = {"flip_below": 2.5} if cls is DeletionPath else {"flip_above": 2.5}
    e = cls(budget=32, **level).explain(game, lc.Graph.chain(5))
    assert e.flip_set == (0, 1, 2)
    assert len(e.path) == 3


def test_several_outputs_and_a_decision():
    worth = np.random.default_rng(0).normal(1, 1, (10, 3))
    game = Deciding(lambda kept: kept @ worth, 10, rule=lambda kept: kept @ worth[:, 1] - 0.5 * worth[:, 1].sum())
    for budget in range(12, 40):
        e = DeletionPath(budget, output=1).explain(game, lc.Graph.chain(10))
        assert e.calls <= budget
        assert e.flipped == any(flips(game, DeletionPath, e.path[:n].tolist()) for n in range(len(e.path) + 1))
