"""The base class of methods: parameters, cost on a graph, and a program that scores the units of a game."""

from __future__ import annotations

import operator
from abc import ABC
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from ..errors import GameError, MethodError, PlanTooLargeError
from .blas_threads import one_blas_thread
from .default_limits import MAX_CALLS
from .explanation import Explanation
from .game import AbstractGame
from .graphs import Graph
from .plan import Plan, PlanCache, check_calls, describe_calls
from .programs import Program, batch_evaluator, run_programs
from .run_plan import explain_values

PLAN_CACHE = PlanCache(max_bytes=256_000_000)
_LIMIT_ADVICE = {
    "calls": "A larger max_calls, or max_calls=None, builds it all the same.",
    "memory": "max_calls=None builds it all the same, if there is the memory.",
    "time": "",  # the refusal itself says that only max_calls=None allows it
}
_LARGER_UNITS_ADVICE = (
    "Choose larger units (superpixels, patches, sentences), or SampleShapley, which makes 2 calls a unit or more. "
)
_MAX_ADVICE_CALLS = 100_000  # of methods that an error recommends: counting more calls would delay the error


@dataclass(frozen=True)
class Cost:
    """What a method takes on a graph, before anything is evaluated. ``print(cost)`` is the preview.

    Attributes
    ----------
    calls : how many distinct coalitions; the largest possible number where `exact` is False.
    exact : whether `calls` is the exact number.
    gradients : how many gradients of the model.
    text : the cost in words.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.LShapley(1).cost(lc.Graph.chain(10)).calls
    37
    """

    calls: int
    exact: bool
    gradients: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Stop:
    """When an estimate is good enough to stop before the budget is used.

    Attributes
    ----------
    tolerance : stop when the confidence interval of every score reaches no further than this on either side.
    top : stop when the first so many units of the ranking, and their order, are sure.
    confidence : of the intervals, and of the ranking as a whole (Bonferroni over its comparisons). Looking again and
        again makes errors a little more frequent than one look would.
    deadline : stop at this time, as `time.monotonic` counts.

    Examples
    --------
    >>> Stop(tolerance=0.01).confidence
    0.95
    """

    tolerance: float | None = None
    top: int | None = None
    confidence: float = 0.95
    deadline: float | None = None

    def __post_init__(self) -> None:
        if self.tolerance is not None and not self.tolerance > 0:
            raise MethodError(f"Expected a positive tolerance, got {self.tolerance!r}.")
        if self.top is not None:
            check_integer("top", self.top, minimum=1)
        if not 0 < self.confidence < 1:
            raise MethodError(f"Expected a confidence between 0 and 1, got {self.confidence!r}.")

    @property
    def early(self) -> bool:
        """Whether it is about the quality of the scores."""
        return self.tolerance is not None or self.top is not None


@dataclass(frozen=True)
class Method(ABC):
    """A way of scoring units. Subclasses are frozen dataclasses: their fields are the parameters.

    Most methods implement only `_plan`. A method that chooses coalitions by earlier values implements `program` and
    `cost`. Everything that runs a method (`explain`, `Explainer`, `compare`, the command) goes through `explain_many`.

    Examples
    --------
    >>> import lcshap as lc
    >>> method = lc.LShapley(order=1)
    >>> method.name, method.plan(lc.Graph.chain(5)).calls
    ('l-shapley', 17)
    """

    name: ClassVar[str]
    summary: ClassVar[str]  # One sentence: what the method computes.
    choose: ClassVar[str]  # When to choose the method.
    caution: ClassVar[str] = ""  # what its ranking is known to be poor at, in a sentence; `choose` holds it too
    cost_in_words: ClassVar[str]  # The number of calls for d units.
    has_plan: ClassVar[bool] = True
    algorithm: ClassVar[int] = 1  # a higher number for each change of the algorithm that changes scores

    def for_graph(self, graph: Graph) -> Method:
        """The same method with all parameters that depend on the graph filled in; the provenance records this one."""
        return self

    # -- what it costs ------------------------------------------------------------------------------------------------

    def plan(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Plan:
        """Choose the coalitions and the weights for a graph, without evaluating anything. ``print(plan)`` is the cost.

        A plan above `max_calls` raises `PlanTooLargeError` before it is enumerated, with the count (or a lower bound)
        and what would fit instead; None lifts the limit.
        """
        with self._advice_if_too_large(graph, max_calls):
            plan = PLAN_CACHE.get(self, graph, lambda: self._plan_on_one_thread(graph, max_calls))
            check_calls(plan.calls, max_calls, exact=True)
        return plan

    def cost(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Cost:
        """What the method takes on this `graph`, at most `max_calls`. Nothing is evaluated.

        No coalitions are chosen if their number is known without them. Where counting them would take long, the
        largest possible number is given, and `Cost.exact` is False.

        >>> import lcshap as lc
        >>> lc.DeletionPath(budget=40).cost(lc.Graph.chain(10)).calls, lc.Saliency().cost(lc.Graph.chain(10)).gradients
        (40, 1)
        """
        with self._advice_if_too_large(graph, max_calls):
            calls = self._count_calls(graph, max_calls)
            bound = self._bound_calls(graph, max_calls) if calls is None else None
        if bound is not None:
            return describe_bound(self, graph, bound, max_calls)
        if calls is None:
            plan = self.plan(graph, max_calls)
            return Cost(plan.calls, True, 0, str(plan))
        return Cost(calls, True, 0, "\n".join(describe_calls(self, graph, calls)))

    def own_seconds(self, graph: Graph) -> float:
        """About how long the method itself takes on this `graph` for one output, on a processor of today.

        This is a formula, not a measurement, so that it is the same every time and takes no time itself. It is 0 for
        methods whose own time is short.

        >>> import lcshap as lc
        >>> lc.FeatureAblation().own_seconds(lc.Graph.chain(100))
        0.0
        """
        return 0.0

    def calls_within(self, graph: Graph, limit: int) -> int | None:
        """How many calls the plan for `graph` takes, or None where that is more than `limit`.

        >>> import lcshap as lc
        >>> lc.LShapley(1).calls_within(lc.Graph.chain(10), 50), lc.Shapley().calls_within(lc.Graph.chain(10), 50)
        (37, None)
        """
        try:
            calls = self._count_calls(graph, limit)
            calls = self._plan_on_one_thread(graph, limit).calls if calls is None else calls
        except PlanTooLargeError:
            return None
        return calls if calls <= limit else None

    # -- running it ---------------------------------------------------------------------------------------------------

    def explain_many(
        self,
        games: Sequence[AbstractGame],
        graphs: Sequence[Graph],
        max_calls: int | None = MAX_CALLS,
        *,
        stop: Stop | None = None,
        outcomes: list[Explanation | Exception | None] | None = None,
    ) -> list[Explanation]:
        """Score the units of several games, in the same rounds and in shared batches; each as `explain` does.

        Parameters
        ----------
        games, graphs : one of each for every input.
        max_calls : refuse what takes more calls an input.
        stop : when to stop before the budget is used; only for methods that estimate.
        outcomes : a list to which each explanation is written as soon as it is finished, at the position of its game,
            so that nothing is lost when a game fails; or the error, if only one game failed. Entries that are not None
            are not computed again.
        """
        return run_methods([self] * len(games), games, graphs, max_calls, stop=stop, outcomes=outcomes)

    def explain(
        self,
        game: AbstractGame,
        graph: Graph,
        max_calls: int | None = MAX_CALLS,
        *,
        tolerance: float | None = None,
        top: int | None = None,
        confidence: float = 0.95,
    ) -> Explanation:
        """Score the units of a game.

        Parameters
        ----------
        game : the value of each coalition.
        graph : which units are neighbours.
        max_calls : raise `PlanTooLargeError` where more calls are needed; None: no limit.
        tolerance, top, confidence : for methods that estimate: when to stop before the budget is used, see `Stop`.
            ``provenance["stopped"]`` says why it stopped.

        Returns
        -------
        Explanation : the scores.
        """
        return self.explain_many([game], [graph], max_calls, stop=_make_stop(tolerance, top, confidence))[0]

    def program(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, stop: Stop | None = None
    ) -> Program[Explanation]:
        """What to do for one `game` on its `graph`: yields the coalitions to evaluate, is sent their values, returns
        the explanation. `max_calls` and `stop`: as in `explain_many`.

        By default it asks for the coalitions of the plan, once.
        """
        self.check_stop(stop)
        plan = self.plan(graph, max_calls)
        values = yield plan.coalitions
        return explain_values(plan, values, game)

    def stream(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, every: float = 0.0
    ) -> Iterator[Explanation]:
        """Yield explanations of `game` on `graph` that get better as calls are made, `every` so many seconds at most;
        `max_calls`: as in `explain`.

        A method that estimates nothing yields one.

        >>> import lcshap as lc
        >>> v = lc.Game(lambda kept: kept.sum(axis=1) * 1.0, 3)
        >>> [e.calls for e in lc.Shapley().stream(v, lc.Graph.chain(3))]
        [8]
        """
        yield self.explain(game, graph, max_calls)

    def check_stop(self, stop: Stop | None) -> None:
        """Raise `MethodError` for a stopping rule if the method cannot stop early."""
        if stop is not None and stop.early:
            raise MethodError(
                f"Expected a method that samples, to stop on a tolerance or a ranking, got {self}, which "
                "makes a fixed number of calls. Choose GraphKernelSHAP or SampleShapley."
            )

    @contextmanager
    def _advice_if_too_large(self, graph: Graph, max_calls: int | None) -> Iterator[None]:
        """Add to a `PlanTooLargeError` what would fit instead."""
        try:
            yield
        except PlanTooLargeError as error:
            message = f"{self} on {graph} needs {error}. {self._advice(graph, max_calls, error.exceeded_limit)}"
            raise PlanTooLargeError(message, error.calls, error.exact, error.exceeded_limit) from None

    def _plan_on_one_thread(self, graph: Graph, limit: int | None) -> Plan:
        with one_blas_thread():
            return self._plan(graph, limit)

    # -- for subclasses -----------------------------------------------------------------------------------------------

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        """Build the plan. Call `check_calls` as soon as a lower bound of the calls is known."""
        raise MethodError(
            f"Expected a method that chooses its coalitions in advance, got {type(self).__name__}, which has "
            "no plan. Call cost to see how many calls it takes, and explain to run it."
        )

    def _count_calls(self, graph: Graph, limit: int | None) -> int | None:
        """The number of calls of the plan, if it is known before the plan is made. Raises what `_plan` would raise."""
        return None

    def _bound_calls(self, graph: Graph, limit: int | None) -> int | None:
        """The largest possible number of calls of the plan if counting them would take long, otherwise None.

        Raises `PlanTooLargeError` if a lower bound is above `limit`.
        """
        return None

    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        """Methods to recommend if this one costs too much, in groups: of each group, the first one that fits."""
        return ()

    @property
    def parameters(self) -> dict[str, Any]:
        """The fields and their values."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def _advice(self, graph: Graph, max_calls: int | None, exceeded_limit: str) -> str:
        limit = _MAX_ADVICE_CALLS if max_calls is None else min(max_calls, _MAX_ADVICE_CALLS)
        suggestions = []
        for group in self._cheaper(graph):
            for method in group:
                try:
                    calls = method.calls_within(graph, limit)
                except MethodError:  # the method does not exist for so many units
                    continue
                if calls is not None:
                    suggestions.append(f"{method} takes {calls:,}")
                    break
        fits = f"Cheaper: {'; '.join(suggestions)}. " if suggestions else ""
        if not suggestions and exceeded_limit == "calls":
            fits = "Choose a smaller budget. " if "budget" in self.parameters else _LARGER_UNITS_ADVICE
        return f"{fits}{'' if max_calls is None else _LIMIT_ADVICE[exceeded_limit]}".rstrip()


def run_methods(
    methods: Sequence[Method],
    games: Sequence[AbstractGame],
    graphs: Sequence[Graph],
    max_calls: int | None = MAX_CALLS,
    *,
    stop: Stop | None = None,
    outcomes: list[Explanation | Exception | None] | None = None,
) -> list[Explanation]:
    """`Method.explain_many` with a method of its own for each input."""
    outcomes = [None] * len(games) if outcomes is None else outcomes
    programs = []
    for method, game, graph in zip(methods, games, graphs, strict=True):
        if game.d != graph.d:
            raise GameError(f"Expected a game of {graph.d} units, as the graph has, got {game.d} units.")
        programs.append(_count_rows(method.program(game, graph, max_calls, stop), game))
    run_programs(programs, batch_evaluator(games), outcomes)
    return outcomes  # type: ignore[return-value]  # errors are there only if the games return them


def _count_rows(program: Program[Explanation], game: AbstractGame) -> Program[Explanation]:
    """Run a program, and set the number of rows that were sent for its explanation."""
    e = yield from program
    return replace(e, rows=game.row_counter.read_and_reset())


def _make_stop(tolerance: float | None, top: int | None, confidence: float) -> Stop | None:
    stop = Stop(tolerance, top, confidence)
    return stop if stop.early else None


def describe_bound(method: Method, graph: Graph, bound: int, max_calls: int | None) -> Cost:
    """The cost of a method that takes at most so many calls on a `graph`, and is refused above `max_calls`."""
    calls = bound if max_calls is None else min(bound, max_calls)
    words = f"up to {calls:,} ({calls / graph.d:.1f} per unit), each a distinct coalition, ∅ and V included"
    if calls < bound:
        words += "; if there are more, it is refused"
    return Cost(calls, False, 0, f"{method}\n  on      {graph}\n  calls   {words}")


def check_integer(name: str, value: Any, minimum: int = 0) -> int:
    """Return an integer parameter of at least `minimum`, or raise."""
    try:
        count = operator.index(value)
    except TypeError:
        count = minimum - 1
    if count < minimum or isinstance(value, bool):
        raise MethodError(f"Expected {name} as an integer of at least {minimum}, got {value!r}.")
    return count


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise unless the value is one of the choices."""
    if value not in choices:
        raise MethodError(f"Expected one of {', '.join(map(repr, choices))} as {name}, got {value!r}.")
