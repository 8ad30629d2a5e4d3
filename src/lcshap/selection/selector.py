"""Selection of a method from the options of the user, the units of an input and the kind of model.

`MethodSelector` holds the options of the user, which are the same for all inputs. It returns a `Selection` for each of
them, and all callers (`Explainer`, its preview, `compare`, `stream`, the command, the playground) use that. The rule
for method="auto" and goal="fair" is, in this order:

1. a method that reads the model, such as `TreeSHAP`, if there is one for it and this takes no more calls;
2. all coalitions, if they fit into the budget (without a budget: if `budget.exact_by_default` is true);
3. `GraphKernelSHAP` with as many calls as the budget has, or `SampleShapley` if that would take too much memory.

The selection depends on the number of units, the rows per call and the budget. Only a budget in seconds depends on the
clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal

from ..core.default_limits import MAX_CALLS
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.method import Method, check_integer
from ..core.table_method import TableMethod
from ..errors import BudgetError, MethodError, MissingExtraError, ModelError, OptionError
from ..estimators.additive_shap import AdditiveSHAP
from ..estimators.graph_kernel_shap import GraphKernelSHAP, largest_budget
from ..estimators.linear_shap import LinearSHAP
from ..estimators.paths import DeletionPath, InsertionPath
from ..estimators.registry import get_method
from ..estimators.sample_shapley import SampleShapley
from ..estimators.shapley import Shapley
from ..estimators.tree_shap import TreeSHAP
from .budget import (
    EXACT_COALITIONS,
    EXACT_ROWS,
    Budget,
    all_coalitions_fit,
    fit_to_deadline,
    make_method,
    seconds_per_call,
)
from .selection import GOALS, Selection
from .used_units import leave_out_units

InteractionsOption = (
    bool | Literal["all"]
)  # the interactions to estimate: none, those of the graph's edges, those of all pairs
_FIRST_PLAN = 3  # calls per unit of the plan that measures the time of a method itself, for a budget in seconds
_TABLE_METHODS: tuple[type[TableMethod], ...] = (LinearSHAP, AdditiveSHAP, TreeSHAP)  # in this order


@dataclass(frozen=True)
class MethodSelector:
    """The options of a user about the method. Options that contradict each other raise an error on construction.

    Parameters
    ----------
    method : a method, the name of one, or "auto".
    goal : see `choose`; only for "auto".
    budget : for "auto" and names. For a method with a fixed number of calls, it is the largest number allowed. By
        default all coalitions are evaluated if there are at most 1,024 of them and they take at most 131,072 model
        rows; otherwise the budget is eight calls per unit.
    seed : for "auto", and names of methods that sample.
    early : whether "auto" must be able to stop before the budget is used.
    interactions : whether pair interactions are estimated too, of the graph's edges (True) or "all": for "auto", and
        names of methods that have them.

    Examples
    --------
    >>> import lcshap as lc
    >>> MethodSelector(budget="4d").select(lc.Graph.chain(50)).method
    GraphKernelSHAP(budget=200, order=2, seed=0, interactions=False)
    """

    method: Method | str = "auto"
    goal: str | None = None
    budget: int | str | None = None
    seed: int | None = None
    max_calls: int | None = MAX_CALLS
    early: bool = False
    interactions: InteractionsOption = False

    def __post_init__(self) -> None:
        if self.budget is not None:
            Budget.parse(self.budget)
        if self.seed is not None:
            check_integer("seed", self.seed)
        if self.goal is not None and self.goal not in GOALS:
            raise OptionError(f"Expected one of {', '.join(map(repr, GOALS))} as goal, got {self.goal!r}.")
        _check_interactions(self.interactions, self.goal if self.method == "auto" else None)
        if self.method == "auto":
            return
        if not isinstance(self.method, Method | str):
            raise OptionError(f"Expected a method, its name or 'auto', got {self.method!r}.")
        if isinstance(self.method, str):
            get_method(self.method)  # raises if there is no such method
        if self.goal is not None:
            raise OptionError(
                f"Expected method='auto' with goal={self.goal!r}, got {self.method}, which answers a question "
                "of its own. Leave one of them out."
            )
        if self.seed is not None and "seed" not in self._parameters:
            raise OptionError(
                f"Expected a method that samples with a seed, got {self.method}, which is deterministic. Leave "
                "the seed out."
            )
        if self.interactions and "interactions" not in self._parameters:
            raise OptionError(
                f"Expected a method that has pair interactions, got {self.method}. Leave out "
                f"interactions={self.interactions!r}, or choose 'auto' or 'graph-kernel-shap'."
            )
        if isinstance(self.method, Method):
            for name in ("budget", "seed", "interactions"):
                if getattr(self, name) not in (None, False) and name in self._parameters:
                    raise OptionError(
                        f"Expected {name} once, got {self.method}, which has its own, and "
                        f"{name}={getattr(self, name)!r}. Leave the option out, or set it in the method."
                    )

    @property
    def seconds(self) -> float | None:
        """The budget in seconds, if it is one. Then a model is needed to select a method."""
        return Budget.parse(self.budget).seconds

    @property
    def has_default_budget(self) -> bool:
        """Whether no budget is set, so that the default applies."""
        return self.budget is None and (self.method == "auto" or self._takes_budget)

    # -- selecting ----------------------------------------------------------------------------------------------------

    def select(
        self,
        graph: Graph,
        rows_per_call: int = 1,
        can_read: Callable[[TableMethod], bool] | None = None,
        used_units: Callable[[], list[int] | None] | None = None,
        depends_only_on: Callable[[list[int]], bool] | None = None,
    ) -> Selection:
        """The method for a graph, by a budget in calls. The model is not called and nothing is timed.

        Parameters
        ----------
        rows_per_call : the number of model rows per coalition, which is that of the background rows.
        can_read : returns whether the model has the structure that a method reads; called only if this makes a
            difference. None if it has none.
        used_units : returns the units that v depends on, or None if they are not known; called only if not all
            coalitions fit.
        depends_only_on : returns whether this is true; called only if all coalitions of these units fit.
        """
        calls = Budget.parse(self.budget).calls(graph.d, rows_per_call)
        selection = self._select(graph, calls, rows_per_call)
        if can_read is not None:
            for method in self._table_methods:
                if _is_cheaper(method, graph, selection.method, self.max_calls) and can_read(method):
                    return replace(selection, method=method, reason=method.reason)
        if used_units is not None and self._may_leave_out_units and selection.method != Shapley():
            units = used_units()
            smaller = leave_out_units(selection, units, calls, rows_per_call, self.budget is None)
            if smaller.method == selection.method or depends_only_on is None or depends_only_on(units or []):
                return smaller
        return selection

    def table_selections(self, graph: Graph) -> Iterator[Selection]:
        """The methods that the options allow and that explain all rows of a table at once, if they can read the model.

        At most one of them can read a given model.
        """
        if self.method == "auto":
            if self.seconds is None:
                for table_method in self._table_methods:
                    yield Selection(table_method, graph, 1, table_method.reason, "fair")
            return
        method = self.method
        if isinstance(method, str) and issubclass(get_method(method), TableMethod):
            method = self._select(graph, MAX_CALLS).method
        if isinstance(method, TableMethod):
            yield Selection(method, graph, 1)

    def select_for(
        self, game: AbstractGame, graph: Graph, start: float, measure_call: Callable[[], float] | None = None
    ) -> Selection:
        """The method for a game, by any budget.

        Parameters
        ----------
        start : the time at which a budget in seconds begins, by `time.monotonic`.
        measure_call : returns the seconds of a call; called only for a budget in seconds. By default a few calls are
            timed.
        """
        seconds = self.seconds
        if seconds is None:
            return self.select(
                graph, game.rows_per_call, partial(can_estimate, game), game.used_units, game.depends_only_on
            )
        deadline = start + seconds
        for method in self._table_methods:
            if can_estimate(game, method, seconds=deadline - time.monotonic()):
                return Selection(method, graph, method.cost(graph).calls, method.reason, "fair", seconds)
        return self._select_in_seconds(
            graph, deadline, seconds_per_call(game, seconds) if measure_call is None else measure_call(), seconds
        )

    def _select_in_seconds(self, graph: Graph, deadline: float, seconds_per_call: float, seconds: float) -> Selection:
        """The method with as many calls as there is time for."""

        def make(calls: int) -> Method:
            return self._select(graph, calls).method

        if self.method != "auto" and not self._takes_budget:
            calls = int((deadline - time.monotonic()) / seconds_per_call)
            return Selection(make_method(make, calls, seconds, seconds_per_call), graph, calls, seconds=seconds)
        plan = fit_to_deadline(make, graph, seconds, deadline, seconds_per_call, _FIRST_PLAN * graph.d)
        return replace(self._select(graph, plan.calls), seconds=seconds, reserve=plan.reserve)

    def _select(self, graph: Graph, calls: int, rows_per_call: int = 1) -> Selection:
        """The method with so many calls, regardless of the model."""
        if self.method == "auto":
            goal = self.goal or "fair"
            method, reason = (
                self._select_fair(graph, calls, rows_per_call) if goal == "fair" else _select_path(graph, calls, goal)
            )
            return Selection(method, graph, calls, reason, goal)
        if isinstance(self.method, Method):
            return Selection(self._check_method_calls(self.method, graph, calls), graph, calls)
        options = {"budget": calls, "seed": self.seed or 0, "interactions": self.interactions}
        method = get_method(self.method)(**{name: options[name] for name in options if name in self._parameters})
        return Selection(self._check_method_calls(method, graph, calls), graph, calls)

    def _select_fair(self, graph: Graph, calls: int, rows_per_call: int) -> tuple[Method, str]:
        """The estimate of the Shapley value with the smallest measured error for this problem size, and the reason."""
        d, seed, interactions = graph.d, self.seed or 0, self.interactions
        if all_coalitions_fit(d, min(calls, MAX_CALLS)) and not self.early:
            if interactions:
                return GraphKernelSHAP(2**d, seed=seed, interactions=interactions), (
                    f"all 2^{d} = {2**d:,} coalitions fit, and with them its scores and pair interactions are exact"
                )
            return Shapley(), f"all 2^{d} = {2**d:,} coalitions fit: the result is exact"
        if calls < 2 * d:
            raise BudgetError(
                f"Expected a budget of at least {2 * d} calls for goal='fair' and {d} units, got {calls}."
                + (f" FeatureAblation takes {d + 2}, and answers another question." if calls >= d + 2 else ""),
                2 * d,
            )
        if calls <= largest_budget(d):
            why_not_exact = _why_not_exact(d, rows_per_call) if self.budget is None and not self.early else ""
            return (
                GraphKernelSHAP(calls, seed=seed, interactions=interactions),
                f"{why_not_exact}of the estimates that we measured it has the least error over most kinds of models "
                "(docs/benchmarks.md)" + (", and pair interactions come from the same calls" if interactions else ""),
            )
        if interactions:
            raise OptionError(
                f"Expected units and calls that GraphKernelSHAP can take, which alone estimates pair interactions, got "
                f"{d:,} units and {calls:,} calls. Leave out interactions={interactions!r}, give a smaller budget, or "
                "choose larger units."
            )
        return (
            SampleShapley(calls, seed=seed),
            f"GraphKernelSHAP gets too large for {d:,} units and {calls:,} calls, and permutations come next",
        )

    # -- the options of the user --------------------------------------------------------------------------------------

    @property
    def _table_methods(self) -> Iterator[TableMethod]:
        """The methods that read the model, if any method that computes the Shapley value may be selected."""
        if self.method != "auto" or self.goal not in (None, "fair") or self.early:
            return
        for method in _TABLE_METHODS:
            if "interactions" in {f.name for f in fields(method)}:
                yield method(**{"interactions": self.interactions})
            elif not self.interactions:
                yield method()

    @property
    def _may_leave_out_units(self) -> bool:
        """Whether the exact Shapley value of the units that v depends on answers the question."""
        return self.method == "auto" and self.goal in (None, "fair") and not (self.early or self.interactions)

    @property
    def _parameters(self) -> set[str]:
        kind = get_method(self.method) if isinstance(self.method, str) else type(self.method)
        return {f.name for f in fields(kind)}

    @property
    def _takes_budget(self) -> bool:
        """Whether the method is a name of a method with a parameter `budget`."""
        return isinstance(self.method, str) and "budget" in self._parameters

    def _check_method_calls(self, method: Method, graph: Graph, calls: int) -> Method:
        """The method; raises if it takes more calls than the budget of the user."""
        if self.budget is not None and "budget" not in self._parameters:
            cost = method.cost(graph, self.max_calls)
            method_calls = cost.calls
            if method_calls > calls and (cost.exact or method.calls_within(graph, calls) is None):
                raise BudgetError(
                    f"Expected a budget of at least {method_calls:,} calls for {method} on {graph.d} units, got "
                    f"{calls:,}. Give a larger budget, or a method that has one, such as 'graph-kernel-shap'.",
                    method_calls,
                )
        return method


def choose(
    graph: Graph,
    goal: str = "fair",
    budget: int | str | None = None,
    *,
    game: AbstractGame | None = None,
    seed: int = 0,
    interactions: InteractionsOption = False,
) -> Selection:
    """Choose a method for a question and a budget.

    Parameters
    ----------
    goal : "fair" (Shapley values and their estimates), "necessary" (deletion path), or "sufficient" (insertion path).
    budget : calls; or a text such as "8d" (calls per unit) or "30s" (seconds: needs `game`, of which a few rows are
        timed). By default all coalitions are evaluated if there are at most 1,024 of them (up to ten units) and they
        take at most 131,072 model rows (coalitions times background rows); otherwise the budget is eight calls per
        unit.
    game : determines the number of model rows per coalition (without it: one), and whether the model can be read.
    seed : the seed of methods that sample.
    interactions : True for pair interactions of the graph's edges, "all" for those of all pairs, from the same calls as
        the scores. Then the method is `GraphKernelSHAP`, which is exact if all coalitions fit. Only for the goal
        "fair".

    Returns
    -------
    Selection : the method, the reason for it, and the other methods that fit.

    Rules
    -----
    fair: a method that reads the model, such as `TreeSHAP`, if the `game` has what it reads and this takes fewer calls;
    all coalitions if they fit; otherwise `GraphKernelSHAP`, which has the smallest error for most kinds of models that
    we measured, or `SampleShapley` if that would take too much memory (above 4,096 units). necessary and sufficient:
    the paths. If no method for the goal fits the budget, an error with the smallest possible budget is raised. The same
    arguments always give the same method, unless the budget is in seconds.

    Raises
    ------
    OptionError : for an unknown goal, and for interactions if the goal has none.
    BudgetError : for a budget that is too small.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.choose(lc.Graph.chain(10)).method, lc.choose(lc.Graph.chain(11)).method
    (Shapley(), GraphKernelSHAP(budget=88, order=2, seed=0, interactions=False))
    >>> lc.choose(lc.Graph.chain(10), interactions="all").method
    GraphKernelSHAP(budget=1024, order=2, seed=0, interactions='all')
    >>> print(lc.choose(lc.Graph.chain(50), goal="necessary", budget="4d").reason)  # doctest: +NORMALIZE_WHITESPACE
    taking units away, step by step, answers this question directly, and every call makes it better. The order of a
    deletion path is meant for removing units. When only the first units are kept, it is among the worst of the
    methods compared in docs/benchmarks.md.
    """
    selector = MethodSelector("auto", goal, budget, seed, interactions=interactions)
    return selector.select(graph) if game is None else selector.select_for(game, graph, time.monotonic())


def can_estimate(game: AbstractGame, method: TableMethod, seconds: float | None = None) -> bool:
    """Whether a method can compute the scores of a game from the structure of its model. A few rows are evaluated.

    Parameters
    ----------
    seconds : the largest time for computing them, estimated from the time for one background row.
    """
    try:
        structure_game = method.checked_game(game)
    except (MethodError, MissingExtraError, ModelError):
        return False
    if seconds is None:
        return True
    begin = time.monotonic()
    method.estimate_rows(replace(structure_game, background=structure_game.background[:1]))
    return (time.monotonic() - begin) * len(structure_game.background) <= seconds


def with_seed(method: Method | str, seed: int) -> dict[str, Any]:
    """The options of an explainer with this method and another seed, as a parameter of the method or as an option."""
    if isinstance(method, Method):
        if "seed" not in method.parameters:
            raise OptionError(
                f"Expected a method that samples, to vary its seed, got {method}, which is deterministic."
            )
        return {"method": replace(method, seed=seed)}  # type: ignore[call-arg]
    return {"seed": seed}


def _check_interactions(interactions: Any, goal: str | None) -> None:
    """Raise if the option is not valid, or if the goal has no pair interactions."""
    if interactions not in (True, False, "all") or not isinstance(interactions, bool | str):
        raise OptionError(f"Expected interactions=True (the graph's edges), False or 'all', got {interactions!r}.")
    if interactions and goal not in (None, "fair"):
        raise OptionError(
            f"Expected goal='fair' with interactions={interactions!r}, got {goal!r}: a path of units has no pair "
            "interactions. Leave one of them out."
        )


def _select_path(graph: Graph, calls: int, goal: str) -> tuple[Method, str]:
    """The path method for the goal "necessary" or "sufficient", and the reason."""
    path = DeletionPath if goal == "necessary" else InsertionPath
    min_calls = graph.d + 2
    if calls < min_calls:
        raise BudgetError(
            f"Expected a budget of at least {min_calls} calls for goal={goal!r} and {graph.d} units, got {calls}.",
            min_calls,
        )
    action = "taking units away" if goal == "necessary" else "building up from nothing"
    reason = f"{action}, step by step, answers this question directly, and every call makes it better. {path.caution}"
    return path(calls), reason


def _is_cheaper(table_method: TableMethod, graph: Graph, instead_of: Method, max_calls: int | None = MAX_CALLS) -> bool:
    """Whether a method that reads the model takes no more calls than an estimate, or fewer than all coalitions.

    >>> import lcshap as lc
    >>> [_is_cheaper(lc.TreeSHAP(), lc.Graph.complete(d), lc.Shapley()) for d in (4, 5)]
    [False, True]
    """
    table_calls, other_calls = table_method.cost(graph).calls, instead_of.cost(graph, max_calls).calls
    return table_calls < other_calls or (table_calls == other_calls and instead_of != Shapley())


def _why_not_exact(d: int, rows_per_call: int) -> str:
    """The reason why not all coalitions are evaluated if no budget is set, as the beginning of a longer reason.

    >>> _why_not_exact(13, 100)
    'there are 2^13 coalitions, and without a budget all are evaluated only up to 1,024; '
    """
    if not all_coalitions_fit(d, EXACT_COALITIONS):
        return f"there are 2^{d} coalitions, and without a budget all are evaluated only up to {EXACT_COALITIONS:,}; "
    return (
        f"all 2^{d} coalitions would take up to {2**d * rows_per_call:,} model rows, and without a budget all are "
        f"evaluated only up to {EXACT_ROWS:,}; "
    )
