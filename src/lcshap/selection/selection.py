"""The result of a selection: a method, the reason for it, and the record for the provenance of explanations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..core.explanation import Explanation
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.method import Method
from ..core.presenter import get_presenter
from ..estimators.c_shapley import CShapley
from ..estimators.dividend_c_shapley import DividendCShapley
from ..estimators.feature_ablation import FeatureAblation
from ..estimators.l_shapley import LShapley
from ..estimators.myerson import Myerson
from ..estimators.regression_c_shapley import RegressionCShapley

GOALS = {
    "fair": "how much does each unit contribute, all combinations considered? (Shapley)",
    "necessary": "what must go for the decision to change? (deletion path)",
    "sufficient": "what alone makes the decision? (insertion path)",
}
_MAX_COUNTED = 200_000  # calls; deterministic methods with more are not listed, because counting takes too long


@dataclass(frozen=True)
class Selection:
    """The result of `choose`: a method, the reason for it, and the other methods that fit the budget.

    Attributes
    ----------
    method : the method that was selected, ready to run.
    graph : the units that it was selected for.
    budget : calls that the method may make.
    reason : why it was selected, in words; empty if the user named the method.
    goal : the question that it answers; None if the user named the method.
    seconds : the budget in seconds, if it is one.
    reserve : the part of these seconds that the method needs after the last call, for its own work.
    fits : the methods that fit the budget.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.choose(lc.Graph.chain(4)).method
    Shapley()
    """

    method: Method
    graph: Graph
    budget: int
    reason: str = ""
    goal: str | None = None
    seconds: float | None = None
    reserve: float = 0.0

    @cached_property
    def fits(self) -> tuple[tuple[Method, int], ...]:
        """Deterministic methods within the budget and their calls, most calls first. Counting takes a moment."""
        return tuple(_methods_within_budget(self.graph, self.budget))

    @property
    def record(self) -> dict[str, Any]:
        """The entry in the provenance of an explanation; empty if the user named the method."""
        if self.goal is None:
            return {}
        chosen: dict[str, Any] = {"goal": self.goal, "budget": self.budget, "reason": self.reason}
        return {"chosen": chosen if self.seconds is None else {**chosen, "seconds": self.seconds}}

    def explain(self, game: AbstractGame) -> Explanation:
        """Run the method on `game`; the provenance of the explanation has the selection and its reason."""
        e = self.method.explain(game, self.graph)
        return replace(e, provenance={**e.provenance, **self.record})

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows: the method, the reason, and the methods that fit the budget."""
        rows = [(str(method), f"{calls:,}") for method, calls in self.fits]
        goal = "" if self.goal is None else f"Goal {self.goal!r}: {GOALS[self.goal]}"
        notes = [f"Selected because {self.reason}." if self.reason else "", goal, f"Budget: {self.budget:,} calls."]
        return get_presenter().table_html(str(self.method), ("method that fits the budget", "calls"), rows, notes)

    def __str__(self) -> str:
        lines = [
            "" if self.goal is None else f"goal {self.goal!r}: {GOALS[self.goal]}",
            f"budget {self.budget:,} calls",
            f"chosen: {self.method}",
            f"because {self.reason}" if self.reason else "",
            "also within the budget:",
            *(f"  {calls:>9,} calls  {method}" for method, calls in self.fits),
        ]
        return "\n".join(line for line in lines if line)


def _methods_within_budget(graph: Graph, calls: int) -> list[tuple[Method, int]]:
    """Deterministic methods within the budget, each with the largest order that fits."""
    families: list[Iterable[Method]] = [
        (LShapley(k) for k in (4, 3, 2, 1)),
        (LShapley(k, "present") for k in (4, 3, 2, 1)),
        (CShapley(k, weights="myerson") for k in (6, 4, 3, 2, 1)),
        (Myerson() for _ in range(1)),
        (RegressionCShapley(m) for m in (4, 3, 2)),
        (DividendCShapley(m) for m in (4, 3, 2)),
        (FeatureAblation() for _ in range(1)),
    ]
    fitting = []
    for family in families:
        for method in family:
            method_calls = method.calls_within(graph, min(calls, _MAX_COUNTED))
            if method_calls is not None:
                fitting.append((method, method_calls))
                break
    return sorted(fitting, key=lambda pair: -pair[1])
