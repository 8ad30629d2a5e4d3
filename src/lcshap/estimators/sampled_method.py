"""The base class of sampled methods: a budget that is never exceeded, and estimates while samples are evaluated."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..core.default_limits import MAX_CALLS
from ..core.estimate import Estimator, SampledEstimator
from ..core.explanation import Explanation, half_width
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.method import Method, Stop, check_integer
from ..core.programs import Program
from ..core.run_plan import estimate_values, explain_estimate, explain_values
from ..errors import BudgetError, MethodError

EstimateCallback = Callable[[Callable[[], Explanation]], "str | None"]
Pace = Literal["growing", "even", "once"]
FIRST_SAMPLES, _GROWTH = 8, 1.25  # the number of samples before the first estimate, and its growth until the next
_EVEN_CHECKS = 64  # how often the deadline is checked
_MODEL_TIME_RATIO = 3  # the model runs at least so many times as long as the last estimate took


class SampledMethod(Method):
    """A method that draws its coalitions at random, from its `seed`, within its `budget` of calls.

    Examples
    --------
    >>> import lcshap as lc
    >>> isinstance(lc.SampleShapley(100), lc.SampledMethod)
    True
    """

    budget: int
    seed: int

    def __post_init__(self) -> None:
        check_integer("budget", self.budget, minimum=2)
        check_integer("seed", self.seed)

    def minimum(self, graph: Graph) -> int:
        """The smallest budget that gives scores on this graph: a pair of opposite orders, or as many pairs as units."""
        return 2 * graph.d

    def _check_budget(self, graph: Graph) -> None:
        min_budget = self.minimum(graph)
        if self.budget < min_budget:
            raise BudgetError(
                f"Expected a budget of at least {min_budget} calls of {type(self).__name__} for {graph.d} units, "
                f"got {self.budget}.",
                min_budget,
            )

    def stream(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, every: float = 0.0
    ) -> Iterator[Explanation]:
        """Yield an explanation, with its standard error, again and again as calls are made, until the budget is used.

        Parameters
        ----------
        every : the least number of seconds between two explanations. Computing an explanation takes time, too. With a
            positive number, model calls also get at least three times as long as the last explanation took.

        Stop whenever an explanation is good enough: the remaining coalitions are then not evaluated. The last
        explanation is equal to that of ``explain`` to the last bit (for games whose values do not depend on the batch).

        Examples
        --------
        >>> import lcshap as lc
        >>> v = lc.Game(lambda kept: kept[:, 0] * kept[:, 1:4].sum(axis=1) ** 2.0, 12)
        >>> for e in lc.SampleShapley(budget=1000).stream(v, lc.Graph.chain(12)):
        ...     if e.stderr.max() < 0.25:
        ...         break
        >>> e.calls < 1000
        True
        """
        estimates: list[Explanation] = []
        due = 0.0

        def callback(estimate: Callable[[], Explanation]) -> None:
            nonlocal due
            begin = time.monotonic()
            if begin < due:
                return
            estimates.append(estimate())
            end = time.monotonic()
            due = max(begin + every, end + _MODEL_TIME_RATIO * (end - begin)) if every else 0.0

        program = self._estimates(game, graph, max_calls, callback)
        try:
            request = next(program)
            while True:
                request = program.send(game.evaluate(request))
                if estimates:
                    yield replace(estimates.pop(), rows=game.row_counter.read_and_reset())
        except StopIteration as end:
            yield replace(end.value[0], rows=game.row_counter.read_and_reset())

    def program(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, stop: Stop | None = None
    ) -> Program[Explanation]:
        """Evaluate the whole plan at once, or step by step if it may stop early."""
        self.check_stop(stop)
        if stop is None:
            return (yield from self._estimates(game, graph, max_calls, lambda estimate: None, "once"))[0]
        if stop.top is not None and stop.top > graph.d:
            raise MethodError(f"Expected top as an integer from 1 to {graph.d}, got {stop.top!r}.")
        pace: Pace = "growing" if stop.early else "even"
        e, reason = yield from self._estimates(game, graph, max_calls, partial(_reason_to_stop, stop), pace)
        return replace(e, provenance={**e.provenance, "stopped": reason})

    def check_stop(self, stop: Stop | None) -> None:
        """Every sampled method can stop early."""

    def _estimates(
        self,
        game: AbstractGame,
        graph: Graph,
        max_calls: int | None,
        callback: EstimateCallback,
        pace: Pace = "growing",
    ) -> Program[tuple[Explanation, str]]:
        """Call `callback` with each estimate, until it returns a reason to stop or the budget is used."""
        plan = self.plan(graph, max_calls)
        # The estimator is another one if the budget covers all coalitions.
        if pace == "once" or not isinstance(plan.estimator, SampledEstimator):
            return explain_values(plan, (yield plan.coalitions), game), "exact"
        values: NDArray[np.float64] | None = None
        evaluated = np.zeros(plan.calls, bool)
        for samples in schedule(plan.estimator.samples, pace):
            head = plan.estimator.head(samples)
            needed = np.zeros(plan.calls, bool)
            needed[head.columns] = needed[[0, -1]] = True
            missing = np.flatnonzero(needed & ~evaluated)
            answer = yield plan.coalitions.take(missing)
            if values is None:
                values = np.zeros((plan.calls, *answer.shape[1:]))
            values[missing] = answer
            evaluated |= needed
            estimate = partial(self._explain, graph, game, head, values, int(evaluated.sum()))
            reason = callback(estimate)
            if reason is not None and (reason != "deadline" or evaluated.sum() >= self.minimum(graph)):
                break
        return estimate(), reason or "budget"

    def _explain(
        self, graph: Graph, game: AbstractGame, estimator: Estimator, values: NDArray[np.float64], calls: int
    ) -> Explanation:
        """The explanation from the samples evaluated so far, which took so many calls."""
        estimate = estimate_values(estimator, values)
        return explain_estimate(self, graph, game, estimate, values[0], values[-1], calls)


def top_is_sure(e: Explanation, top: int, confidence: float) -> bool:
    """Whether the first `top` units and their order are significant, with this confidence over all comparisons."""
    if e.stderr is None:
        return True
    if not e.dof or e.dof < 1:
        return False
    scores, errors = e.scores.reshape(len(e.scores), -1), e.stderr.reshape(len(e.scores), -1)
    for score, error in zip(scores.T, errors.T, strict=True):
        order = np.argsort(-score, kind="stable")
        s, v = score[order], error[order] ** 2
        leads = np.arange(min(top, len(s) - 1))
        if not len(leads):
            continue  # a single unit needs no comparison
        # Each of the top units is compared with the next one, and the last of them with all that follow.
        last = len(leads) - 1
        gaps = np.concatenate([s[leads] - s[leads + 1], s[last] - s[last + 2 :]])
        noise = np.concatenate([v[leads] + v[leads + 1], v[last] + v[last + 2 :]])
        level = 1 - (1 - confidence) / max(len(gaps), 1)
        if (gaps <= half_width(np.sqrt(noise), e.dof, level)).any():
            return False
    return True


def _reason_to_stop(stop: Stop, estimate: Callable[[], Explanation]) -> str | None:
    """The reason to stop, or None. The estimate is computed only if its quality matters."""
    if stop.early:
        e = estimate()
        if e.stderr is None:
            return "exact"
        if stop.tolerance is not None and half_width(e.stderr, e.dof or 0, stop.confidence).max() <= stop.tolerance:
            return "tolerance"
        if stop.top is not None and top_is_sure(e, stop.top, stop.confidence):
            return "top"
    return "deadline" if stop.deadline is not None and time.monotonic() >= stop.deadline else None


def schedule(samples: int, pace: Pace, first: int = FIRST_SAMPLES) -> Iterator[int]:
    """The numbers of samples after which to estimate: growing steps, since estimates take time, or even ones."""
    count: float = samples if pace == "once" else first
    while count < samples:
        yield int(count)
        count = count + max(first, samples // _EVEN_CHECKS) if pace == "even" else max(count + 1, count * _GROWTH)
    yield samples
