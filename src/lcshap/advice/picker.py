"""From what a user says (a method or its name, a goal, a budget, a seed) to a method for a graph."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields, replace
from typing import Any

from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.limits import MAX_CALLS
from ..core.method import Method, check_count
from ..errors import BudgetError, OptionError
from ..estimators.registry import get_method
from .budget import Budget, fitted, in_seconds, seconds_per_call
from .chooser import GOALS, Pairs, check_pairs, choose, fair_estimator, may_be_exact, tree_estimator, trees_pay

_SMALL = 3  # calls a unit of the plan by which a method's own time is measured


@dataclass(frozen=True)
class Picked:
    """A method for one input, what to record of how it was chosen, and seconds to reserve for its work at the end."""

    method: Method
    record: dict[str, Any]
    reserve: float = 0.0


@dataclass(frozen=True)
class Picker:
    """What a user has said about the method. Options that contradict each other are refused when it is made.

    Parameters
    ----------
    method : a method, the name of one, or "auto".
    goal : for "auto" alone.
    budget : for "auto" and names. Of a method that always takes the same calls it is the largest number allowed. By
        default all coalitions where there are at most 1,024, else eight calls a unit.
    seed : for "auto", and names of methods that sample.
    early : whether "auto" must be able to stop before the budget is used.
    interactions : whether pair interactions are wanted, of the graph's edges (True) or "all": for "auto", and names of
        methods that have them.
    timed : whether the model may be timed to find out if all coalitions are cheap. Without it the same input always
        gets the same method, however busy the machine is.
    """

    method: Method | str = "auto"
    goal: str | None = None
    budget: int | str | None = None
    seed: int | None = None
    max_calls: int | None = MAX_CALLS
    early: bool = False
    timed: bool = True
    interactions: Pairs = False

    def __post_init__(self) -> None:
        if self.budget is not None:
            Budget.read(self.budget)
        if self.seed is not None:
            check_count("seed", self.seed)
        if self.goal is not None and self.goal not in GOALS:
            raise OptionError(f"Expected one of {', '.join(map(repr, GOALS))} as goal, got {self.goal!r}.")
        check_pairs(self.interactions, self.goal if self.method == "auto" else None)
        if self.method == "auto":
            return
        if not isinstance(self.method, Method | str):
            raise OptionError(f"Expected a method, its name or 'auto', got {self.method!r}.")
        if isinstance(self.method, str):
            get_method(self.method)  # refuses what it does not know
        if self.goal is not None:
            raise OptionError(
                f"Expected method='auto' with goal={self.goal!r}, got {self._said}, which answers a question "
                "of its own. Leave one of them out."
            )
        if self.seed is not None and "seed" not in self._parameters:
            raise OptionError(
                f"Expected a method that samples with a seed, got {self._said}, which is deterministic. Leave "
                "the seed out."
            )
        if self.interactions and "interactions" not in self._parameters:
            raise OptionError(
                f"Expected a method that has pair interactions, got {self._said}. Leave out "
                f"interactions={self.interactions!r}, or choose 'auto' or 'graph-kernel-shap'."
            )
        if isinstance(self.method, Method):
            for name in ("budget", "seed", "interactions"):
                if getattr(self, name) not in (None, False) and name in self._parameters:
                    raise OptionError(
                        f"Expected {name} once, got {self._said}, which has its own, and "
                        f"{name}={getattr(self, name)!r}. Leave the option out, or set it in the method."
                    )

    @property
    def seconds(self) -> float | None:
        """The budget in seconds, if it is one: then a model is needed to pick."""
        return None if self.budget is None else Budget.read(self.budget).seconds

    def pick(self, graph: Graph) -> Picked:
        """The method for a graph, by a budget in calls."""
        return self._made(graph, Budget.read(self.budget).calls(graph.d))

    @property
    def _free(self) -> bool:
        """Whether any method will do that answers what is fair."""
        return self.method == "auto" and self.goal in (None, "fair") and not self.early

    def may_be_exact(self, graph: Graph, picked: Picked) -> bool:
        """Whether all coalitions may be evaluated instead, if that is cheap: nobody has set a budget."""
        return self.timed and self._free and self.budget is None and may_be_exact(graph, picked.method, self.max_calls)

    def may_read_trees(self, graph: Graph, picked: Picked) -> bool:
        """Whether `TreeSHAP` is better than what was picked, if the game is one of trees."""
        return self._free and not self.interactions and trees_pay(graph, picked.method, self.max_calls)

    def pick_trees(self, game: AbstractGame, graph: Graph, picked: Picked) -> Picked:
        """`TreeSHAP` instead of what was picked, where the game is one of trees."""
        if not self.may_read_trees(graph, picked):
            return picked
        found = tree_estimator(game, graph)
        if found is None:
            return picked
        return Picked(found[0], {key: {**part, "reason": found[1]} for key, part in picked.record.items()})

    def pick_trees_timed(self, game: AbstractGame, graph: Graph, deadline: float) -> Picked | None:
        """`TreeSHAP`, where the game is one of trees and there is time for it."""
        free = self._free and not self.interactions
        found = tree_estimator(game, graph, seconds=deadline - time.monotonic()) if free else None
        if found is None:
            return None
        calls = found[0].cost(graph).calls
        chosen = {"goal": "fair", "budget": calls, "reason": found[1], "seconds": self.seconds}
        return Picked(found[0], {"chosen": chosen})

    def pick_exact(self, graph: Graph) -> Picked:
        """The method that evaluates all coalitions of a graph."""
        return self._made(graph, 2**graph.d)

    def pick_timed(self, graph: Graph, pace: float, deadline: float) -> Picked:
        """The method for a graph, by a budget in seconds: `pace` are the seconds a call takes."""
        seconds = self.seconds
        assert seconds is not None
        if self.method != "auto" and "budget" not in self._parameters:
            calls = int((deadline - time.monotonic()) / pace)
            return Picked(in_seconds(lambda n: self._made(graph, n).method, calls, seconds, pace), {})
        found = fitted(lambda n: self._made(graph, n).method, graph, seconds, deadline, pace, _SMALL * graph.d)
        made = self._made(graph, found.calls)
        record = {key: {**part, "seconds": seconds} for key, part in made.record.items()}
        return Picked(found.method, record, found.reserve)

    def pace(self, game: AbstractGame) -> float:
        """Seconds a call."""
        assert self.seconds is not None
        return seconds_per_call(game, self.seconds)

    @property
    def _said(self) -> str:
        return str(self.method)

    @property
    def _parameters(self) -> set[str]:
        kind = get_method(self.method) if isinstance(self.method, str) else type(self.method)
        return {f.name for f in fields(kind)}

    def _made(self, graph: Graph, calls: int) -> Picked:
        if self.method == "auto":
            choice = choose(graph, self.goal or "fair", calls, seed=self.seed or 0, interactions=self.interactions)
            if self.early and choice.goal == "fair":
                method, reason = fair_estimator(graph, calls, self.seed or 0, True, self.interactions)
                choice = replace(choice, method=method, reason=reason)
            chosen = {"goal": choice.goal, "budget": choice.budget, "reason": choice.reason}
            return Picked(choice.method, {"chosen": chosen})
        if isinstance(self.method, Method):
            return Picked(self._within(self.method, graph, calls), {})
        given = {"budget": calls, "seed": self.seed or 0, "interactions": self.interactions}
        kind = get_method(self.method)
        method = kind(**{name: given[name] for name in given if name in self._parameters})
        return Picked(self._within(method, graph, calls), {})

    def _within(self, method: Method, graph: Graph, calls: int) -> Method:
        """The method, unless it always takes more calls than the budget that was given."""
        if self.budget is not None and "budget" not in self._parameters:
            takes = method.cost(graph, self.max_calls).calls
            if takes > calls:
                raise BudgetError(
                    f"Expected a budget of at least {takes:,} calls for {method} on {graph.d} units, got "
                    f"{calls:,}. Give a larger budget, or a method that has one, such as 'graph-kernel-shap'.",
                    takes,
                )
        return method


def with_seed(method: Method | str, seed: int) -> dict[str, Any]:
    """The options of an explainer with this method and another seed, wherever that stands."""
    if isinstance(method, Method):
        if "seed" not in method.parameters:
            raise OptionError(
                f"Expected a method that samples, to vary its seed, got {method}, which is deterministic."
            )
        return {"method": replace(method, seed=seed)}  # type: ignore[call-arg]
    return {"seed": seed}
