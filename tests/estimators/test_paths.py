"""Deletion and insertion paths: greedy where greedy is right, joint effects, scores, budgets, thresholds, resuming."""

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
from lcshap.core.method import Stop
from lcshap.core.programs import batch_evaluator, run_programs
from lcshap.core.store import MemoryStore
from lcshap.errors import BudgetError
from lcshap.estimators.paths import DeletionPath, InsertionPath
from support import NAMED_GRAPHS, graphs, table_game

BOTH = pytest.mark.parametrize("cls", [DeletionPath, InsertionPath])
WORTH = np.array([0.5, -1.0, 3.0, 2.0, -0.25, 0.0, 1.0])


class Counting:
    """A game that keeps every coalition it is asked for, and can be interrupted in a round."""

    def __init__(self, fn, d, fail_at=None, error=KeyboardInterrupt, store=None):
        self.seen, self.rounds, self.fail_at, self.error, self.inner = [], 0, fail_at, error, fn
        self.game = lc.Game(self.fn, d, store=store)

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
    steering = e.scores if e.scores.ndim == 1 else e.scores[:, method.output]
    assert np.argsort(-steering, kind="stable").tolist() == e.order.tolist()
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
    joint = with_windows.full_value - with_windows.path_values[2]
    np.testing.assert_allclose(with_windows.scores[[10, 11]], joint / 2, rtol=1e-6)  # neither does anything alone


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


@pytest.mark.parametrize("seed", range(5))
def test_few_calls_suffice_where_marginals_drift_together(seed):
    """At 2 calls a unit, most marginals are as old as the path. Unscaled, the path takes what it asked last instead."""
    worth = np.random.default_rng(seed).exponential(size=60)
    worth *= 12 / worth.sum()
    game = lc.Game(lambda kept: 1 / (1 + np.exp(8 - kept @ worth)), 60)
    e = DeletionPath(budget=120, window=1).explain(game, lc.Graph.chain(60))
    assert e.path.tolist() == np.argsort(-worth)[: len(e.path)].tolist()
    assert len(e.path) == 12


# -- on any game ------------------------------------------------------------------------------------------------------


@BOTH
@settings(max_examples=60, deadline=None)
@given(graph=graphs(max_d=7), extra=st.integers(0, 60), window=st.integers(1, 4), seed=st.integers(0, 5))
def test_budget_and_sums_on_random_games(cls, graph, extra, window, seed):
    fn = table_game(graph.d, seed)[0].fn
    counting = Counting(fn, graph.d)
    method = cls(budget=graph.d + 2 + extra, window=window, path_share=0.4)
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
    coalition = frozenset(range(6)) if cls is DeletionPath else frozenset()
    for unit in e.path:
        options = {i: values[coalition ^ {i}][0] for i in range(6) if (i in coalition) == (cls is DeletionPath)}
        best = (min if cls is DeletionPath else max)(options, key=options.get)
        assert unit == best
        coalition ^= {unit}


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
    with pytest.raises(lc.errors.MethodError, match="Expected an output from 0 to 2 of the game, got 3"):
        cls(budget=30, output=3).explain(game, lc.Graph.chain(6))


@BOTH
def test_ties_go_to_the_lower_index(cls):
    e = cls(budget=30).explain(lc.Game(lambda kept: kept.sum(axis=1), 6), lc.Graph.ring(6))
    assert e.ranking.tolist() == [0, 1, 2, 3, 4, 5]
    assert not np.signbit(cls(budget=30).explain(lc.Game(lambda k: 0.0 * k[:, 0], 6), lc.Graph.ring(6)).scores).any()


def test_sorted_scores_mask_as_fast_as_the_path_on_a_network_for_digits():
    """Sorted by their raw marginals, the pixels of a path go in a worse order than leave-one-out puts them in."""
    pytest.importorskip("onnxruntime")
    from lcshap.paper.datasets import load
    from lcshap.paper.networks.demo import demo_digits

    model, grid, areas = demo_digits()[0], lc.Graph.grid((28, 28)), []
    for image in load("mnist", split="test", classes=(3, 8)).shuffled().take(range(4)).inputs:
        x = np.asarray(image, float).ravel()

        def odds(kept, x=x):
            logits = model.predict(np.where(kept, x, x.mean()).reshape(-1, 28, 28)).astype(float)
            return logits[:, 0] - logits[:, 1]

        sign = np.sign(odds(np.ones((1, 784), bool)))[0]
        game = lc.Game(lambda kept, odds=odds, sign=sign: -np.logaddexp(0, -sign * odds(kept)), 784)
        e = DeletionPath(budget=4 * 784).explain(game, grid)
        raw = e.scores.copy()
        raw[e.path] = -np.diff(e.path_values)
        rankings = [np.argsort(-s, kind="stable") for s in (e.scores, e.scores.astype(np.float32), raw)]
        rankings += [e.ranking, lc.FeatureAblation().explain(game, grid).ranking]
        areas.append([masking_area(lambda kept: sign * odds(kept), order) for order in rankings])  # noqa: B023
    by_scores, by_single, by_raw, by_path, by_ablation = np.mean(areas, axis=0)
    assert by_scores == by_single == by_path
    assert by_path < by_ablation - 1
    assert by_raw > by_ablation + 1  # why the marginals are pooled


def masking_area(odds, order):
    """The area of the paper's masking curve from 0 to 20 %, relative to the full input."""
    percents = np.array([0, 1, 2, 5, 10, 20])
    kept = np.ones((len(percents), len(order)), bool)
    for row, p in zip(kept, percents, strict=True):
        row[order[: round(p * len(order) / 100)]] = False
    values = odds(kept)
    return np.trapezoid(values - values[0], percents) / 20


# -- thresholds -------------------------------------------------------------------------------------------------------


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
def test_a_threshold_that_is_reached_is_not_crossed(cls):
    """Values 3, 2, 1, 0: a threshold of 1 is crossed by the third removal only, and one of 3 not from the start."""
    game, chain = lc.Game(lambda kept: 1.0 * kept.sum(axis=1), 3), lc.Graph.chain(3)
    for reached, moves in ((0, 1), (1, 2), (2, 3), (3, None)):
        level = {"flip_below": 3.0 - reached} if cls is DeletionPath else {"flip_above": 0.0 + reached}
        e = cls(8, **level).explain(game, chain)
        assert e.flipped is (moves is not None)
        assert len(e.path) == (moves or 3)
        assert e.flip_set == (None if moves is None else tuple(range(moves)))


@BOTH
def test_the_smaller_set_has_to_cross_the_threshold_too(cls):
    """Either of units 0 and 1 can be spared only up to the threshold, not beyond it."""
    worth = np.array([2.0, 1.0, 0.0])
    game = lc.Game(lambda kept: kept @ worth - 3 * (cls is DeletionPath), 3)
    level = {"flip_below": -2.0} if cls is DeletionPath else {"flip_above": 2.0}
    e = cls(8, **level).explain(game, lc.Graph.chain(3))
    assert e.flip_set == (0, 1)


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
    inputs = [(table_game(d, seed=d)[0], lc.Graph.chain(d)) for d in (3, 9, 6)]
    method = cls(budget=40, path_share=0.5)
    games, chains = zip(*inputs, strict=True)
    together = method.explain_many(games, chains)
    alone = [method.explain(game, graph) for game, graph in inputs]
    for explanation, expected in zip(together, alone, strict=True):
        assert explanation.scores.tobytes() == expected.scores.tobytes()
        assert explanation.order.tolist() == expected.order.tolist()
        assert (explanation.calls, explanation.rounds) == (expected.calls, expected.rounds)
    rounds = 0

    def evaluate(requests):
        nonlocal rounds
        rounds += 1
        return batch_evaluator(games)(requests)

    run_programs([method.program(game, graph) for game, graph in inputs], evaluate)
    assert rounds == max(e.rounds for e in alone)


@BOTH
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_path_that_was_stopped_goes_on_with_its_store(cls, error):
    fn, graph, method = table_game(8, seed=4)[0].fn, lc.Graph.chain(8), cls(budget=100)
    uninterrupted = method.explain(lc.Game(fn, 8), graph)
    for fail_at in range(uninterrupted.rounds):
        store = MemoryStore()
        first = Counting(fn, 8, fail_at, error, store)
        with pytest.raises(error):
            method.explain(first.game, graph)
        second = Counting(fn, 8, store=store)
        e = method.explain(second.game, graph)
        assert replace(e, rows=uninterrupted.rows) == uninterrupted
        assert len(first.seen) + len(second.seen) == len({*first.seen, *second.seen}) == uninterrupted.calls


def test_a_path_out_of_time_ends_with_its_evaluated_coalitions():
    game, graph, method = table_game(8, seed=4)[0], lc.Graph.chain(8), DeletionPath(budget=100)
    (e,) = method.explain_many([game], [graph], stop=Stop(deadline=time.monotonic() - 1))
    assert e.calls == 10
    assert len(e.path) == 1
    check(e, method, game)


@BOTH
def test_refusals(cls):
    game, graph = table_game(8)[0], lc.Graph.chain(8)
    with pytest.raises(BudgetError, match=r"Expected a budget of at least 10 calls for .* on 8 units"):
        cls(budget=9).explain(game, graph)
    with pytest.raises(lc.errors.MethodError, match="which has no plan"):
        cls(budget=40).plan(graph)
    with pytest.raises(lc.errors.PlanTooLargeError):
        cls(budget=40).explain(game, graph, max_calls=30)
    with pytest.raises(lc.errors.GameError, match="Expected a game of 9 units, as the graph has, got 8 units"):
        cls(budget=40).explain(game, lc.Graph.chain(9))
    for bad in ({"budget": 0}, {"budget": 2.5}, {"budget": 9, "path_share": 0}, {"budget": 9, "window": 0}):
        with pytest.raises(lc.errors.MethodError):
            cls(**bad)
    with pytest.raises(lc.errors.MethodError, match="finite"):
        cls(9, **{"flip_below" if cls is DeletionPath else "flip_above": np.nan})


@BOTH
def test_provenance_and_repr(cls):
    e = cls(budget=9).explain(table_game(4)[0], lc.Graph.chain(4, names=["a", "b", "c", "d"]))
    assert cls(**e.provenance["parameters"]) == cls(budget=9)
    assert e.provenance["name"] == cls.name
    assert f"{e.calls} calls" in repr(e)
