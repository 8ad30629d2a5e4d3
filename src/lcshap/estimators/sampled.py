"""What sampled methods share: a budget that is kept, and estimates while the samples come in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..core.adaptive import Program
from ..core.explanation import Explanation, half_width
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.limits import MAX_CALLS
from ..core.method import Method, Stop, check_count
from ..core.plan import Plan, SampledMap
from ..core.run import explain_values
from ..errors import BudgetError, MethodError
from .pair_interactions import EvenProcess

Look = Callable[[Callable[[], Explanation]], "str | None"]
Pace = Literal["growing", "even", "once"]
FIRST, _GROWTH = 8, 1.25  # how many samples before the first estimate, and how much more before the next
_EVEN = 64  # how often to look at the clock
_SHARE = 3  # times as long as an estimate took, the model is asked before the next


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
        check_count("budget", self.budget, least=2)
        check_count("seed", self.seed)

    def minimum(self, graph: Graph) -> int:
        """The smallest budget that gives scores on this graph: a pair of opposite orders, or as many pairs as units."""
        return 2 * graph.d

    def _check_budget(self, graph: Graph) -> None:
        least = self.minimum(graph)
        if self.budget < least:
            raise BudgetError(
                f"Expected a budget of at least {least} calls of {type(self).__name__} for {graph.d} units, "
                f"got {self.budget}.",
                least,
            )

    def stream(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, every: float = 0.0
    ) -> Iterator[Explanation]:
        """Yield an explanation, with its standard error, again and again as calls are made, until the budget is used.

        Parameters
        ----------
        every : seconds between two explanations, at least. Making one takes time itself: with a positive number, model
            calls also get three times as long as the explanation before took.

        Stop whenever it is good enough: what was not asked for is not evaluated. The last one yielded is the same, to
        the last bit, as ``explain`` (for games whose values do not depend on the batch they are asked for in).

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

        def look(estimate: Callable[[], Explanation]) -> None:
            nonlocal due
            begin = time.monotonic()
            if begin < due:
                return
            estimates.append(estimate())
            end = time.monotonic()
            due = max(begin + every, end + _SHARE * (end - begin)) if every else 0.0

        program = self._estimates(game, graph, max_calls, look)
        try:
            request = next(program)
            while True:
                request = program.send(game.evaluate(request))
                if estimates:
                    yield replace(estimates.pop(), rows=game.tally.take())
        except StopIteration as end:
            yield replace(end.value[0], rows=game.tally.take())

    def program(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, stop: Stop | None = None
    ) -> Program[Explanation]:
        """Ask for the whole plan at once; or, where it may stop early, for more and more of it."""
        self.check_stop(stop)
        if stop is None:
            return (yield from self._estimates(game, graph, max_calls, lambda estimate: None, "once"))[0]
        if stop.top is not None and stop.top > graph.d:
            raise MethodError(f"Expected top as an integer from 1 to {graph.d}, got {stop.top!r}.")
        pace: Pace = "growing" if stop.early else "even"
        e, why = yield from self._estimates(game, graph, max_calls, partial(_reason, stop), pace)
        return replace(e, provenance={**e.provenance, "stopped": why})

    def check_stop(self, stop: Stop | None) -> None:
        """Every sampled method can stop early."""

    def _estimates(
        self,
        game: AbstractGame,
        graph: Graph,
        max_calls: int | None,
        look: Look,
        pace: Pace = "growing",
    ) -> Program[tuple[Explanation, str]]:
        """Offer `look` one estimate after the other, until it gives a reason to stop or the budget is used."""
        plan = self.plan(graph, max_calls)
        if pace == "once" or not isinstance(plan.operator, SampledMap):  # or the budget covered everything
            return explain_values(plan, (yield plan.coalitions), game), "exact"
        values: NDArray[np.float64] | None = None
        done = np.zeros(plan.calls, bool)
        for samples in schedule(plan.operator.samples, pace):
            head = plan.operator.head(samples)
            wanted = np.zeros(plan.calls, bool)
            wanted[head.columns] = wanted[[0, -1]] = True
            fresh = np.flatnonzero(wanted & ~done)
            answer = yield plan.coalitions.take(fresh)
            if values is None:
                values = np.zeros((plan.calls, *answer.shape[1:]))
            values[fresh] = answer
            done |= wanted
            edges = plan.edge_operator.head(samples) if isinstance(plan.edge_operator, EvenProcess) else None
            known = replace(plan, operator=head, edge_operator=edges)
            estimate = partial(estimate_by, known, values, game, int(done.sum()))
            why = look(estimate)
            if why is not None and (why != "deadline" or done.sum() >= self.minimum(graph)):
                break
        return estimate(), why or "budget"


def top_is_sure(e: Explanation, top: int, confidence: float) -> bool:
    """Whether the first `top` units and their order are sure, with this confidence over all comparisons."""
    if e.stderr is None:
        return True
    if not e.freedom or e.freedom < 1:
        return False
    scores, errors = e.scores.reshape(len(e.scores), -1), e.stderr.reshape(len(e.scores), -1)
    for score, error in zip(scores.T, errors.T, strict=True):
        order = np.argsort(-score, kind="stable")
        s, v = score[order], error[order] ** 2
        leads = np.arange(min(top, len(s) - 1))
        if not len(leads):
            continue  # a single unit is always first
        # Each unit of the top against the next one, and the last of them against all that follow.
        last = len(leads) - 1
        gaps = np.concatenate([s[leads] - s[leads + 1], s[last] - s[last + 2 :]])
        noise = np.concatenate([v[leads] + v[leads + 1], v[last] + v[last + 2 :]])
        level = 1 - (1 - confidence) / max(len(gaps), 1)
        if (gaps <= half_width(np.sqrt(noise), e.freedom, level)).any():
            return False
    return True


def estimate_by(plan: Plan, values: NDArray[np.float64], game: AbstractGame, calls: int) -> Explanation:
    """What is known by so many calls."""
    return replace(explain_values(plan, values, game), calls=calls)


def _reason(stop: Stop, estimate: Callable[[], Explanation]) -> str | None:
    """Why an estimate is good enough, if it is. It is made only if its quality matters."""
    if stop.early:
        e = estimate()
        if e.stderr is None:
            return "exact"
        if stop.tolerance is not None and half_width(e.stderr, e.freedom or 0, stop.confidence).max() <= stop.tolerance:
            return "tolerance"
        if stop.top is not None and top_is_sure(e, stop.top, stop.confidence):
            return "top"
    return "deadline" if stop.deadline is not None and time.monotonic() >= stop.deadline else None


def schedule(samples: int, pace: Pace, first: int = FIRST) -> Iterator[int]:
    """After how many samples to look: more and more between two looks, since a look costs; or evenly, for a clock."""
    at: float = samples if pace == "once" else first
    while at < samples:
        yield int(at)
        at = at + max(first, samples // _EVEN) if pace == "even" else max(at + 1, at * _GROWTH)
    yield samples
