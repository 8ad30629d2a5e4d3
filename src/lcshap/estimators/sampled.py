"""What sampled methods share: a budget that is kept, and estimates while the samples come in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation, half_width
from ..core.game import Game
from ..core.graphs import Graph
from ..core.method import Method, check_count
from ..core.plan import MAX_CALLS, SampledMap
from ..core.run import explain_values, run
from ..errors import MethodError

_FIRST, _GROWTH = 8, 1.25  # how many samples before the first estimate, and how much more before the next


class SampledMethod(Method):
    """A method that draws its coalitions at random, from its `seed`, within its `budget` of calls."""

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
            raise MethodError(
                f"{type(self).__name__} needs a budget of at least {least} calls for {graph.d} units, not {self.budget}"
            )

    def stream(self, game: Game, graph: Graph, max_calls: int | None = MAX_CALLS) -> Iterator[Explanation]:
        """Yield an explanation, with its standard error, again and again as calls are made, until the budget is used.

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
        plan = self.plan(graph, max_calls)
        if not isinstance(plan.operator, SampledMap):  # the budget covered everything: nothing was sampled
            yield run(plan, game)
            return
        values: NDArray[np.float64] | None = None
        done = np.zeros(plan.calls, bool)
        for samples in _schedule(plan.operator.samples):
            head = plan.operator.head(samples)
            wanted = np.zeros(plan.calls, bool)
            wanted[head.columns] = wanted[[0, -1]] = True
            fresh = np.flatnonzero(wanted & ~done)
            answer = game.evaluate(plan.coalitions.take(fresh))
            if values is None:
                values = np.zeros((plan.calls, *answer.shape[1:]))
            values[fresh] = answer
            done |= wanted
            yield replace(explain_values(replace(plan, operator=head), values, game), calls=int(done.sum()))

    def explain(
        self,
        game: Game,
        graph: Graph,
        max_calls: int | None = MAX_CALLS,
        *,
        tolerance: float | None = None,
        top: int | None = None,
        confidence: float = 0.95,
    ) -> Explanation:
        """Score the units of a game, and stop before the budget is used where that is asked for.

        Parameters
        ----------
        tolerance : stop when the confidence interval of every score reaches no further than this on either side.
        top : stop when the first so many units of the ranking, and their order, are sure.
        confidence : of the intervals, and of the ranking as a whole (Bonferroni over its comparisons). Looking again
            and again makes errors a little more frequent than one look would.

        With either, Ctrl-C returns what is known so far. ``provenance["stopped"]`` says why it stopped.
        """
        if tolerance is None and top is None:
            return run(self.plan(graph, max_calls), game)
        _check_stopping(tolerance, top, confidence, graph)
        found: Explanation | None = None
        try:
            for found in self.stream(game, graph, max_calls):
                if found.stderr is None:
                    return _stopped(found, "exact")
                if tolerance is not None and found.freedom is not None:
                    width = half_width(found.stderr, found.freedom, confidence)
                    if width.max() <= tolerance:
                        return _stopped(found, "tolerance")
                if top is not None and top_is_sure(found, top, confidence):
                    return _stopped(found, "top")
        except KeyboardInterrupt:
            if found is None:
                raise
            return _stopped(found, "interrupted")
        assert found is not None
        return _stopped(found, "budget")


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


def _stopped(e: Explanation, why: str) -> Explanation:
    provenance: dict[str, Any] = {**e.provenance, "stopped": why}
    return replace(e, provenance=provenance)


def _schedule(samples: int) -> Iterator[int]:
    at: float = _FIRST
    while at < samples:
        yield int(at)
        at = max(at + 1, at * _GROWTH)
    yield samples


def _check_stopping(tolerance: float | None, top: int | None, confidence: float, graph: Graph) -> None:
    if tolerance is not None and not tolerance > 0:
        raise MethodError(f"tolerance must be positive, not {tolerance!r}")
    if top is not None and not (isinstance(top, int) and 1 <= top <= graph.d):
        raise MethodError(f"top must be an integer from 1 to {graph.d}, not {top!r}")
    if not 0 < confidence < 1:
        raise MethodError(f"confidence must be between 0 and 1, not {confidence!r}")
