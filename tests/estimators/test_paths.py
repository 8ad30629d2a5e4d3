"""Deletion and insertion paths: greedy where greedy is right, joint effects, budgets, flips, interruptions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
from lcshap.estimators.paths import DeletionPath, InsertionPath
from support import NAMED_GRAPHS, graphs, table_game

BOTH = pytest.mark.parametrize("cls", [DeletionPath, InsertionPath])
WORTH = np.array([0.5, -1.0, 3.0, 2.0, -0.25, 0.0, 1.0])


class Counting:
    """A game that keeps every coalition it is asked for, and can be interrupted in a round."""

    def __init__(self, fn, d, fail_at=None, error=KeyboardInterrupt):
        self.seen, self.rounds, self.fail_at, self.error, self.inner = [], 0, fail_at, error, fn
        self.game = lc.Game(self.fn, d)

    def fn(self, kept):
        if self.rounds == self.fail_at:
            raise self.error
        self.rounds += 1
        self.seen += [bytes(k) for k in kept]
        return self.inner(kept)


def kept_after(e, method, n):
    kept = np.full(e.graph.d, method.from_full)
    kept[e.path[:n]] = not method.from_full
    return kept


def check(e, method, game):
    """What must hold for every path on every game."""
    d, n = e.graph.d, len(e.path)
    assert sorted(e.order.tolist()) == list(range(d))
    assert e.order[:n].tolist() == e.path.tolist()
    assert e.calls <= method.budget
    along = game.fn(np.array([kept_after(e, method, m) for m in range(n + 1)]))
    np.testing.assert_allclose(e.path_values, along, rtol=0, atol=1e-12)
    change = along[0] - along[-1] if method.from_full else along[-1] - along[0]
    np.testing.assert_allclose(e.scores[e.path].sum(axis=0), change, rtol=0, atol=1e-12)
    ends = game.fn(np.array([[False] * d, [True] * d]))
    np.testing.assert_array_equal([e.base_value, e.full_value], ends)


# -- where the answer is known ----------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("window", [1, 2, 3])
def test_greedy_is_right_on_additive_games(cls, window):
    game = lc.Game(lambda kept: kept @ WORTH, 7)
    method = cls(budget=200, window=window)
    e = method.explain(game, lc.Graph.chain(7))
    check(e, method, game)
    np.testing.assert_allclose(e.scores, WORTH, rtol=0, atol=1e-12)
    assert e.ranking.tolist() == [2, 3, 6, 0, 5, 4, 1]
    assert e.residual == pytest.approx(0, abs=1e-12)


@BOTH
def test_the_smallest_budget_ranks_by_single_units(cls):
    game = lc.Game(lambda kept: kept @ WORTH, 7)
    e = cls(budget=9).explain(game, lc.Graph.chain(7))
    assert e.calls == 9
    assert e.path.tolist() == [2]
    assert e.ranking.tolist() == [2, 3, 6, 0, 5, 4, 1]


def test_a_unit_that_comes_up_when_another_goes():
    """Max-pooling: the second best shows only when the best is gone."""
    worth = np.array([0.0, 1.0, 5.0, 4.0, 0.5, 3.0])
    game = lc.Game(lambda kept: (kept * worth).max(axis=1), 6)
    e = DeletionPath(budget=40).explain(game, lc.Graph.from_edges(6, []))
    assert e.path[:3].tolist() == [2, 3, 5]
    assert e.path_values[:4].tolist() == [5, 4, 3, 1]


def very_very_bad(kept):
    """Units 10 and 11 say the same: only without both the value drops. Others have little to say."""
    return 5.0 * (kept[:, 10] | kept[:, 11]) + kept @ np.linspace(0.1, 0.3, 20)


def test_redundant_neighbours_are_found_with_windows_and_missed_without():
    graph, budget = lc.Graph.chain(20), 80
    game = lc.Game(very_very_bad, 20)
    with_windows = DeletionPath(budget).explain(game, graph)
    without = DeletionPath(budget, window=1).explain(game, graph)
    assert set(with_windows.path[:2].tolist()) == {10, 11}
    assert with_windows.path_values[2] < with_windows.full_value - 5
    assert without.path_values[4] > without.full_value - 1.3
    first, second = with_windows.path[:2]
    assert with_windows.scores[first] < 1 < 5 < with_windows.scores[second]  # marginals along the path, not halves


@pytest.mark.parametrize("window", [2, 3, 4])
def test_redundant_neighbours_go_without_their_neighbours_wherever_they_are(window):
    for a in range(14):
        game = lc.Game(lambda kept, a=a: 5.0 * (kept[:, a] | kept[:, a + 1]) + 0.01 * kept.sum(axis=1), 15)
        e = DeletionPath(budget=75, window=window).explain(game, lc.Graph.chain(15))
        pair = e.path.tolist().index(a), e.path.tolist().index(a + 1)
        assert abs(pair[0] - pair[1]) == 1
        assert max(pair) <= 2


def test_insertion_of_neighbours_that_only_work_together():
    pair = lambda kept: 4.0 * (kept[:, 7] & kept[:, 8]) + kept @ np.linspace(0.1, 0.3, 16)  # noqa: E731
    game = lc.Game(pair, 16)
    e = InsertionPath(budget=64).explain(game, lc.Graph.chain(16))
    assert set(e.path[:2].tolist()) == {7, 8}
    alone = InsertionPath(budget=64, window=1).explain(game, lc.Graph.chain(16))
    assert set(alone.path[:2].tolist()) != {7, 8}


def test_marginals_that_grow_along_the_path_are_put_on_one_scale():
    """Log-probabilities near 1 flatten all first marginals. Stale ones must not look small beside fresh ones."""
    worth = np.random.default_rng(0).exponential(size=60)
    game = lc.Game(lambda kept: -np.logaddexp(0, 20 - kept @ worth * 25 / worth.sum()), 60)
    e = DeletionPath(budget=240, window=1).explain(game, lc.Graph.chain(60))
    assert e.path.tolist() == np.argsort(-worth)[: len(e.path)].tolist()
    assert len(e.path) == 12


# -- on any game ------------------------------------------------------------------------------------------------------


@BOTH
@settings(max_examples=60, deadline=None)
@given(graph=graphs(max_d=7), extra=st.integers(0, 60), window=st.integers(1, 4), seed=st.integers(0, 5))
def test_budget_and_sums_on_random_games(cls, graph, extra, window, seed):
    fn = table_game(graph.d, seed)[0].fn
    counting = Counting(fn, graph.d)
    method = cls(budget=graph.d + 2 + extra, window=window, share=0.4)
    e = method.explain(counting.game, graph)
    assert len(counting.seen) == len(set(counting.seen)) == e.calls
    assert counting.rounds == e.rounds
    check(e, method, table_game(graph.d, seed)[0])


@BOTH
@pytest.mark.parametrize("name", NAMED_GRAPHS)
def test_every_graph_down_to_one_unit(cls, name):
    graph = NAMED_GRAPHS[name]
    game, _ = table_game(graph.d, seed=3)
    method = cls(budget=2**graph.d + 2)
    e = method.explain(game, graph)
    check(e, method, game)
    assert len(e.path) == graph.d  # such a budget is enough for all


@BOTH
def test_full_greedy_where_the_budget_allows_it(cls):
    game, values = table_game(6, seed=1)
    e = cls(budget=64, window=1).explain(game, lc.Graph.chain(6))
    whole = frozenset(range(6)) if cls is DeletionPath else frozenset()
    for unit in e.path:
        options = {i: values[whole ^ {i}][0] for i in range(6) if (i in whole) == (cls is DeletionPath)}
        best = (min if cls is DeletionPath else max)(options, key=options.get)
        assert unit == best
        whole ^= {unit}


@BOTH
def test_several_outputs_steered_by_one(cls):
    values = np.random.default_rng(2).normal(size=(2**6, 3))
    index = 2 ** np.arange(6)
    game = lc.Game(lambda kept: values[kept @ index], 6)
    for output in range(3):
        method = cls(budget=30, output=output)
        e = method.explain(game, lc.Graph.chain(6))
        alone = cls(budget=30).explain(lc.Game(lambda kept, o=output: values[kept @ index][:, o], 6), lc.Graph.chain(6))
        check(e, method, game)
        assert e.scores.shape == e.ranking.shape == (6, 3)
        assert e.order.tolist() == alone.order.tolist()
        assert e.scores[:, output].tobytes() == alone.scores.tobytes()
        assert (e.ranking == e.order[:, None]).all()
    with pytest.raises(lc.MethodError, match="output 3 of a game that has 3"):
        cls(budget=30, output=3).explain(game, lc.Graph.chain(6))


@BOTH
def test_ties_go_to_the_lower_index(cls):
    e = cls(budget=30).explain(lc.Game(lambda kept: kept.sum(axis=1), 6), lc.Graph.ring(6))
    assert e.ranking.tolist() == [0, 1, 2, 3, 4, 5]
    assert not np.signbit(cls(budget=30).explain(lc.Game(lambda k: 0.0 * k[:, 0], 6), lc.Graph.ring(6)).scores).any()


# -- flips ------------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("seed", range(8))
def test_the_flip_set_flips_and_needs_every_member(cls, seed):
    rng = np.random.default_rng(seed)
    worth, pairs = rng.normal(1, 1, 24), rng.normal(0, 1, 23)
    fn = lambda kept: kept @ worth + (kept[:, 1:] & kept[:, :-1]) @ pairs  # noqa: E731
    empty, full = fn(np.array([[False] * 24, [True] * 24]))
    level = 0.3 * empty + 0.7 * full if cls is DeletionPath else 0.7 * empty + 0.3 * full
    sign, field = (-1, "flip_below") if cls is DeletionPath else (1, "flip_above")
    method = cls(2000, **{field: float(level)})
    e = method.explain(lc.Game(fn, 24), lc.Graph.chain(24))
    assert e.flipped
    assert len(e.flip_set) <= len(e.path)
    assert e.calls < 2000

    def value(members):
        kept = np.full((1, 24), cls is DeletionPath)
        kept[0, list(members)] = cls is InsertionPath
        return fn(kept)[0]

    assert sign * (value(e.flip_set) - level) > 0
    for i in e.flip_set:
        assert sign * (value(set(e.flip_set) - {i}) - level) <= 0
    assert not any(sign * (v - level) > 0 for v in e.path_values[:-1])  # it stops at once


def test_the_set_shrinks_to_what_is_needed():
    """The greedy path takes unit 0 first; units 1 and 2 make it unnecessary."""
    game = lc.Game(lambda kept: 1.2 * kept[:, 0] + 2.0 * (kept[:, 1] | kept[:, 2]), 5)
    e = DeletionPath(budget=60, flip_below=1.5, window=1).explain(game, lc.Graph.chain(5))
    assert e.path.tolist() == [0, 1, 2]
    assert e.flip_set == (1, 2)


@BOTH
def test_no_flip_and_flipped_from_the_start(cls):
    game = lc.Game(lambda kept: kept @ WORTH, 7)
    field = "flip_below" if cls is DeletionPath else "flip_above"
    never = cls(100, **{field: -100.0 if cls is DeletionPath else 100.0}).explain(game, lc.Graph.chain(7))
    assert never.flipped is False
    assert never.flip_set is None
    at_once = cls(100, **{field: 100.0 if cls is DeletionPath else -100.0}).explain(game, lc.Graph.chain(7))
    assert at_once.flipped
    assert at_once.flip_set == ()
    assert at_once.ranking.tolist() == [2, 3, 6, 0, 5, 4, 1]
    assert cls(100).explain(game, lc.Graph.chain(7)).flipped is None


# -- several inputs, interruptions, refusals --------------------------------------------------------------------------


@BOTH
def test_many_inputs_in_the_rounds_of_the_longest_with_the_same_bits(cls):
    from lcshap.core.adaptive import drive, evaluate_games

    inputs = [(table_game(d, seed=d)[0], lc.Graph.chain(d)) for d in (3, 9, 6)]
    method = cls(budget=40, share=0.5)
    games, chains = zip(*inputs, strict=True)
    together = method.explain_many(games, chains)
    alone = [method.explain(game, graph) for game, graph in inputs]
    for one, other in zip(together, alone, strict=True):
        assert one.scores.tobytes() == other.scores.tobytes()
        assert one.order.tolist() == other.order.tolist()
        assert (one.calls, one.rounds) == (other.calls, other.rounds)
    searches = [method._search(game, graph) for game, graph in inputs]
    driven = drive([s.program() for s in searches], evaluate_games(games), [s.memo for s in searches])
    assert driven.rounds == max(e.rounds for e in alone)


@BOTH
def test_ctrl_c_gives_what_is_known(cls):
    fn = table_game(8, seed=4)[0].fn
    whole = cls(budget=100).explain(lc.Game(fn, 8), lc.Graph.chain(8))
    for fail_at in range(1, whole.rounds):
        method = cls(budget=100)
        e = method.explain(Counting(fn, 8, fail_at).game, lc.Graph.chain(8))
        check(e, method, lc.Game(fn, 8))
        assert e.provenance["interrupted"]
        assert e.path.tolist() == whole.path[: len(e.path)].tolist()
    assert not whole.provenance["interrupted"]
    with pytest.raises(KeyboardInterrupt):
        cls(budget=100).explain(Counting(fn, 8, 0).game, lc.Graph.chain(8))


def test_an_error_of_the_model_carries_what_is_known():
    fn = table_game(8, seed=4)[0].fn
    games = [lc.Game(fn, 8), Counting(fn, 8, 3, MemoryError("too long")).game]
    with pytest.raises(MemoryError, match="too long") as caught:
        DeletionPath(budget=100).explain_many(games, [lc.Graph.chain(8)] * 2)
    for e in caught.value.explanations:
        check(e, DeletionPath(budget=100), lc.Game(fn, 8))
        assert len(e.path) >= 1


@BOTH
def test_refusals(cls):
    game, graph = table_game(8)[0], lc.Graph.chain(8)
    with pytest.raises(lc.MethodError, match="needs 10 calls at least"):
        cls(budget=9).explain(game, graph)
    with pytest.raises(lc.MethodError, match="no plan in advance; use explain"):
        cls(budget=40).plan(graph)
    with pytest.raises(lc.PlanTooLargeError):
        cls(budget=40).explain(game, graph, max_calls=30)
    with pytest.raises(lc.GameError, match="8 units, the graph 9"):
        cls(budget=40).explain(game, lc.Graph.chain(9))
    for bad in ({"budget": 0}, {"budget": 2.5}, {"budget": 9, "share": 0}, {"budget": 9, "window": 0}):
        with pytest.raises(lc.MethodError):
            cls(**bad)
    with pytest.raises(lc.MethodError, match="finite"):
        cls(9, **{"flip_below" if cls is DeletionPath else "flip_above": np.nan})


@BOTH
def test_provenance_and_repr(cls):
    e = cls(budget=9).explain(table_game(4)[0], lc.Graph.chain(4, names=["a", "b", "c", "d"]))
    assert cls(**e.provenance["parameters"]) == cls(budget=9)
    assert e.provenance["name"] == cls.name
    assert f"{e.calls} calls" in repr(e)
