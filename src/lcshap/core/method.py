"""What every method is: parameters, and a pure function from a graph to a plan."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ..errors import MethodError, PlanTooLargeError
from .explanation import Explanation
from .game import Game
from .graphs import Graph
from .plan import MAX_CALLS, Plan, PlanCache, check_calls
from .run import run

plans = PlanCache(max_bytes=256_000_000)
_ADVICE_CALLS = 100_000  # recommend nothing dearer than this: finding out would keep the user waiting for an error


@dataclass(frozen=True)
class Method(ABC):
    """A way of scoring units. Subclasses are frozen dataclasses: their fields are the parameters."""

    name: ClassVar[str]
    has_plan: ClassVar[bool] = True  # adaptive and gradient methods have none in advance

    def plan(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Plan:
        """Choose the coalitions and the weights for a graph, without evaluating anything. ``print(plan)`` is the cost.

        A plan above `max_calls` raises `PlanTooLargeError` before it is enumerated, with the count (or a lower bound)
        and what would fit instead; None lifts the limit.
        """
        try:
            plan = plans.get(self, graph, lambda: self._plan(graph, max_calls))
            check_calls(plan.calls, max_calls, exact=True)
        except PlanTooLargeError as error:
            message = f"{self} on {graph} needs {error}. {self._advice(graph, max_calls)}"
            raise PlanTooLargeError(message, error.calls, error.exact) from None
        return plan

    def explain(self, game: Game, graph: Graph, max_calls: int | None = MAX_CALLS) -> Explanation:
        """Score the units of a game: ``run(self.plan(graph), game)``."""
        return run(self.plan(graph, max_calls), game)

    @abstractmethod
    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        """Build the plan. Call `check_calls` as soon as it is sure that there will be more than `limit` calls."""

    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        """Other methods to recommend where this one costs too much: of each group the first that fits."""
        return ()

    @property
    def parameters(self) -> dict[str, Any]:
        """The fields and their values."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def _advice(self, graph: Graph, max_calls: int | None) -> str:
        limit = _ADVICE_CALLS if max_calls is None else min(max_calls, _ADVICE_CALLS)
        found = []
        for group in self._cheaper(graph):
            for method in group:
                try:
                    calls = method._plan(graph, limit).calls
                    check_calls(calls, limit)
                except PlanTooLargeError:
                    continue
                found.append(f"{method} takes {calls:,}")
                break
        fits = f"Cheaper: {'; '.join(found)}. " if found else ""
        return f"{fits}A larger max_calls, or max_calls=None, builds it all the same."


def check_count(name: str, value: Any, least: int = 0) -> int:
    """Return an integer parameter of at least `least`, or raise."""
    try:
        count = operator.index(value)
    except TypeError:
        count = least - 1
    if count < least or isinstance(value, bool):
        raise MethodError(f"{name} must be an integer of at least {least}, not {value!r}")
    return count


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise unless the value is one of the choices."""
    if value not in choices:
        raise MethodError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")
