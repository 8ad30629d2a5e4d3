"""What sampled methods share: budgets, seeds, estimates on the way, and stopping."""

import collections
import time
from dataclasses import replace

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.method import Stop
from lcshap.estimators.sampled_method import top_is_sure
from support import (
    smooth_game,
)

BUDGETED = [lc.SampleShapley, lc.KernelSHAP, lc.LIME, lc.SampledLShapley, lc.SampledCShapley]


class TestBudget:
    @pytest.mark.parametrize("method", BUDGETED)
    @pytest.mark.parametrize("d", [1, 2, 3, 6, 11, 40])
    def test_is_kept_or_refused(self, method, d):
        graph = lc.Graph.chain(d)
        rows = []
        game = lc.Game(lambda kept: rows.append(len(kept)) or kept.sum(axis=1) ** 2.0, d)
        min_budget = method(budget=2).minimum(graph)
        for budget in sorted({min_budget, min_budget + 1, 4 * d + 3, 16 * d}):
            if budget < min_budget:
                continue
            rows.clear()
            e = method(budget=budget, seed=3).explain(game, graph)
            assert sum(rows) == e.calls <= budget
            assert np.isfinite(e.scores).all()

    @pytest.mark.parametrize("method", BUDGETED)
    def test_a_budget_below_the_minimum_names_the_minimum(self, method):
        graph = lc.Graph.grid((5, 5))
        options = {"order": 4} if method in (lc.SampledLShapley, lc.SampledCShapley) else {}
        min_budget = method(budget=2, **options).minimum(graph)
        with pytest.raises(
            lc.errors.BudgetError, match=rf"at least {min_budget} calls of .* for 25 units, got {min_budget - 1}"
        ):
            method(budget=min_budget - 1, **options).plan(graph)

    @pytest.mark.parametrize("method", BUDGETED)
    def test_bad_parameters(self, method):
        for options, says in (
            ({"budget": 1}, "Expected budget as an integer of at least 2"),
            ({"budget": 3.5}, r"Expected budget as an integer of at least 2, got 3\.5"),
            ({"budget": 100, "seed": -1}, "Expected seed as an integer of at least 0, got -1"),
        ):
            with pytest.raises(lc.errors.MethodError, match=says):
                method(**options)

    def test_max_calls_holds_for_budgets_too(self):
        with pytest.raises(lc.errors.PlanTooLargeError, match="above max_calls=100"):
            lc.KernelSHAP(budget=500).plan(lc.Graph.chain(30), max_calls=100)


@pytest.mark.parametrize("method", BUDGETED)
def test_seeds(method):
    graph, game = lc.Graph.chain(40), smooth_game(40)
    first, repeated, reseeded = (method(400, seed=s).explain(game, graph) for s in (5, 5, 6))
    assert first.scores.tobytes() == repeated.scores.tobytes()
    assert first.scores.tobytes() != reseeded.scores.tobytes()


class TestAnytime:
    graph = lc.Graph.chain(12)
    METHODS = (lc.SampleShapley(900), lc.KernelSHAP(900), lc.LIME(900), lc.SampledLShapley(900, order=5))

    @pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
    def test_stream_ends_with_the_result_of_explain_without_repeated_calls(self, method):
        evaluated = []
        game = smooth_game(12, seed=10, outputs=2)
        counted = lc.Game(lambda kept: evaluated.extend(map(bytes, kept)) or game.fn(kept), 12)
        streamed = list(method.stream(counted, self.graph))
        assert len(streamed) > 3
        assert len(evaluated) == len(set(evaluated)) == streamed[-1].calls
        calls = [e.calls for e in streamed]
        assert calls == sorted(calls)
        explained = method.explain(game, self.graph)
        assert streamed[-1].scores.tobytes() == explained.scores.tobytes()
        assert streamed[-1].stderr.tobytes() == explained.stderr.tobytes()
        assert streamed[-1].calls == explained.calls
        np.testing.assert_allclose(
            streamed[2].full_value - streamed[2].base_value, explained.full_value - explained.base_value
        )

    def test_a_stream_by_the_clock(self):
        """The first estimate is there at once, the last is that of `explain`, and few lie between."""
        game, method = smooth_game(12, seed=10), lc.SampleShapley(900)
        every = list(method.stream(game, self.graph))
        streamed = list(method.stream(game, self.graph, every=60.0))
        assert [e.calls for e in streamed] == [every[0].calls, every[-1].calls]
        assert streamed[0].scores.tobytes() == every[0].scores.tobytes()
        assert streamed[1].scores.tobytes() == every[-1].scores.tobytes()

    def test_the_first_estimates_are_those_of_a_smaller_budget(self):
        game = smooth_game(12, seed=10)
        first = next(iter(lc.SampleShapley(900, seed=3).stream(game, self.graph)))
        small = lc.SampleShapley(first.calls, seed=3).explain(game, self.graph)
        assert small.scores.tobytes() == first.scores.tobytes()

    def test_stops_on_a_tolerance(self):
        game = smooth_game(12, seed=11)
        e = lc.SampleShapley(4000).explain(game, self.graph, tolerance=0.02)
        assert e.provenance["stopped"] == "tolerance"
        assert e.calls < 2500
        low, high = e.interval()
        assert (high - low).max() <= 0.04 + 1e-12
        strict = lc.SampleShapley(500).explain(game, self.graph, tolerance=1e-9)
        assert strict.provenance["stopped"] == "budget"
        assert strict.scores.tobytes() == lc.SampleShapley(500).explain(game, self.graph).scores.tobytes()
        assert lc.SampleShapley(2**12).explain(game, self.graph, tolerance=1e-9).provenance["stopped"] == "exact"

    def test_stops_when_the_top_is_sure(self):
        worth = np.array([9.0, 7, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1])
        game = lc.Game(lambda kept: kept @ worth + 0.3 * np.sin(7.0 * (kept @ np.arange(12.0))), 12)
        e = lc.SampleShapley(4000).explain(game, self.graph, top=3)
        assert e.provenance["stopped"] == "top"
        assert e.ranking[:3].tolist() == [0, 1, 2]
        assert e.calls < 1000
        ties = lc.SampleShapley(1500).explain(game, self.graph, top=6)
        assert ties.provenance["stopped"] == "budget"  # the fourth to the last are all alike
        assert lc.SampleShapley(500).explain(lc.Game(lambda k: k[:, 0] * 1.0, 12), self.graph, top=1).ranking[0] == 0

    @pytest.mark.parametrize("top", [1, 3])
    def test_the_top_has_to_be_sure_of_all_its_comparisons_together(self, top):
        """Each lead is 2.5 standard errors: 98.7 % sure if it were the only one, but there are 19 of them."""
        d, error = 20, np.sqrt(0.5)  # of a difference: 1
        scores = 2.5 * np.maximum(top - np.arange(d), 0.0)
        e = lc.Explanation(scores, 0.0, 1.0, lc.Graph.chain(d), 100, stderr=np.full(d, error), dof=10**6)
        assert not top_is_sure(e, top, 0.95)
        assert top_is_sure(e, top, 0.75)  # a twentieth of what is allowed to go wrong, for each
        assert top_is_sure(replace(e, scores=1.3 * scores), top, 0.95)
        alone = lc.Explanation(scores[[top - 1, top]], 0.0, 1.0, lc.Graph.chain(2), 4, stderr=e.stderr[:2], dof=10**6)
        assert top_is_sure(alone, 1, 0.95)

    @pytest.mark.parametrize("method", [lc.SampleShapley, lc.KernelSHAP, lc.LIME, lc.SampledLShapley])
    def test_a_deadline_waits_for_as_many_calls_as_scores_need(self, method):
        """The time is over before the first call: the method still takes its minimum, and not much more."""
        d = 40
        graph, sampled = lc.Graph.chain(d), method(1000)
        (e,) = sampled.explain_many([smooth_game(d, seed=13)], [graph], stop=Stop(deadline=time.monotonic() - 1))
        min_budget = sampled.minimum(graph)
        assert e.provenance["stopped"] == "deadline"
        assert min_budget <= e.calls < 1000
        assert np.isfinite(e.scores).all()

    def test_ctrl_c_ends_it_and_a_stream_has_given_what_was_known(self):
        game, rows, streamed = smooth_game(12, seed=12), [], []

        def interrupted(kept):
            rows.append(len(kept))
            if sum(rows) > 600:
                raise KeyboardInterrupt
            return game.fn(kept)

        with pytest.raises(KeyboardInterrupt):
            lc.SampleShapley(3000).explain(lc.Game(interrupted, 12), self.graph, tolerance=1e-9)
        rows.clear()
        with pytest.raises(KeyboardInterrupt):
            collections.deque(map(streamed.append, lc.SampleShapley(3000).stream(lc.Game(interrupted, 12), self.graph)))
        e = streamed[-1]
        assert 0 < e.calls <= 600
        small = lc.SampleShapley(e.calls).explain(game, self.graph)
        assert small.scores.tobytes() == e.scores.tobytes()

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"tolerance": 0}, "Expected a positive tolerance"),
            ({"top": 0}, "Expected top as an integer of at least 1"),
            ({"top": 13}, "Expected top as an integer from 1 to 12, got 13"),
            ({"tolerance": 1, "confidence": 1.0}, "Expected a confidence between 0 and 1"),
        ],
    )
    def test_bad_stopping(self, options, says):
        with pytest.raises(lc.errors.MethodError, match=says):
            lc.SampleShapley(900).explain(smooth_game(12), self.graph, **options)

    def test_intervals(self):
        e = lc.SampleShapley(24).explain(smooth_game(12), self.graph)
        assert np.isinf(e.stderr).all()  # one pair cannot tell
        assert np.isinf(e.interval()[1]).all()
        exact = lc.Shapley().explain(smooth_game(12), self.graph)
        assert exact.interval()[0] is exact.scores
        with pytest.raises(lc.errors.OptionError, match="confidence"):
            exact.interval(95)
