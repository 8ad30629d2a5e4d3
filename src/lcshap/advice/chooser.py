"""The budget planner: which method answers a question within a number of calls, and why."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from ..core.explanation import Explanation
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.limits import MAX_CALLS
from ..core.method import Method
from ..errors import BudgetError, MethodError, MissingExtraError, ModelError, OptionError
from ..estimators.c_shapley import CShapley
from ..estimators.dividend_c_shapley import DividendCShapley
from ..estimators.feature_ablation import FeatureAblation
from ..estimators.graph_kernel_shap import GraphKernelSHAP, most_calls
from ..estimators.l_shapley import LShapley
from ..estimators.myerson import Myerson
from ..estimators.paths import DeletionPath, InsertionPath
from ..estimators.regression_c_shapley import RegressionCShapley
from ..estimators.sample_shapley import SampleShapley
from ..estimators.shapley import Shapley
from ..estimators.tree_shap import TreeSHAP, reads, shapley
from .budget import fits, is_cheap, parse_budget

GOALS = {
    "fair": "how much does each unit contribute, all combinations considered? (Shapley)",
    "necessary": "what must go for the decision to change? (deletion path)",
    "sufficient": "what alone makes the decision? (insertion path)",
}
Pairs = bool | Literal["all"]  # whose interactions are wanted: none, the graph's edges, all pairs
_COUNTED = 200_000  # deterministic methods above so many calls are not listed: counting them would take too long


@dataclass(frozen=True)
class Choice:
    """The answer of `choose`: a method, the reason for it, and the other methods that fit the budget.

    Attributes
    ----------
    method : the method that was chosen, ready to run.
    reason : why it was chosen, in words.
    fits : the methods that fit the budget.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.choose(lc.Graph.chain(4)).method
    Shapley()
    """

    method: Method
    graph: Graph
    goal: str
    budget: int
    reason: str

    @cached_property
    def fits(self) -> tuple[tuple[Method, int], ...]:
        """Deterministic methods within the budget and their calls, dearest first. Counting them takes a moment."""
        return tuple(_fitting(self.graph, self.budget))

    def explain(self, game: AbstractGame) -> Explanation:
        """Run the chosen method on `game`; the explanation's provenance says what was chosen and why."""
        e = self.method.explain(game, self.graph)
        chosen = {"goal": self.goal, "budget": self.budget, "reason": self.reason}
        return replace(e, provenance={**e.provenance, "chosen": chosen})

    def __str__(self) -> str:
        lines = [
            f"goal {self.goal!r}: {GOALS[self.goal]}",
            f"budget {self.budget:,} calls",
            f"chosen: {self.method}",
            f"because {self.reason}",
            "also within the budget:",
            *(f"  {calls:>9,} calls  {method}" for method, calls in self.fits),
        ]
        return "\n".join(lines)


def choose(
    graph: Graph,
    goal: str = "fair",
    budget: int | str | None = None,
    *,
    game: AbstractGame | None = None,
    seed: int = 0,
    interactions: Pairs = False,
) -> Choice:
    """Choose a method for a question and a budget.

    Parameters
    ----------
    goal : "fair" (Shapley values and their estimates), "necessary" (deletion path), or "sufficient" (insertion path).
    budget : calls; or a text such as "8d" (calls per unit) or "30s" (seconds: needs `game`, of which a few rows are
        timed). By default all coalitions where there are at most 1,024 of them (or, for a `game` of which some rows are
        timed, where all take less than a second), else eight calls a unit.
    seed : for methods that sample.
    interactions : True for pair interactions of the graph's edges, "all" for those of all pairs, from the same calls
        as the scores. Then the method is `GraphKernelSHAP`, and exact where all coalitions fit. For goal "fair" alone.

    Returns
    -------
    Choice : the method, the reason for it, and what else would have fitted.

    Rules
    -----
    fair: `TreeSHAP` where the `game` is one of trees, that takes fewer calls and no interactions are wanted; all
    coalitions where they fit; else `GraphKernelSHAP`, which has the least error over most kinds of models that we
    measured; where that would take too much memory (above 4,096 units), `SampleShapley`. necessary and sufficient: the
    paths. A budget that no method for the goal can keep raises, with the smallest that would do.

    Raises
    ------
    OptionError : for a goal that there is not, and for interactions where the method has none.
    BudgetError : for a budget that is too small.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.choose(lc.Graph.chain(10)).method, lc.choose(lc.Graph.chain(11)).method
    (Shapley(), GraphKernelSHAP(budget=88, reach=2, seed=0, interactions=False))
    >>> lc.choose(lc.Graph.chain(10), interactions="all").method
    GraphKernelSHAP(budget=1024, reach=2, seed=0, interactions='all')
    >>> print(lc.choose(lc.Graph.chain(50), goal="necessary", budget="4d").reason)  # doctest: +NORMALIZE_WHITESPACE
    taking units away, step by step, answers this question directly, and every call makes it better. The order of a
    deletion path is meant for removing units. When only the first units are kept, it is among the worst of the
    methods compared in docs/benchmarks.md.
    """
    if goal not in GOALS:
        raise OptionError(f"Expected one of {', '.join(map(repr, GOALS))} as goal, got {goal!r}.")
    check_pairs(interactions, goal)
    calls = parse_budget(budget, graph.d, game)
    method: Method
    if goal == "fair":
        method, reason = fair_estimator(graph, calls, seed, interactions=interactions)
        read = game is not None and not interactions and trees_pay(graph, method)
        by_trees = tree_estimator(game, graph) if game is not None and read else None
        if by_trees is not None:
            return Choice(by_trees[0], graph, goal, calls, by_trees[1])
        timed = game if budget is None and may_be_exact(graph, method) else None
        if timed is not None and is_cheap(timed, method.plan(graph).coalitions, 2**graph.d):
            calls = 2**graph.d
            method, reason = fair_estimator(graph, calls, seed, interactions=interactions)
    else:
        path = DeletionPath if goal == "necessary" else InsertionPath
        least = graph.d + 2
        if calls < least:
            raise BudgetError(
                f"Expected a budget of at least {least} calls for goal={goal!r} and {graph.d} units, got {calls}.",
                least,
            )
        method = path(calls)
        way = "taking units away" if goal == "necessary" else "building up from nothing"
        reason = f"{way}, step by step, answers this question directly, and every call makes it better. {path.caution}"
    return Choice(method, graph, goal, calls, reason)


def check_pairs(interactions: Any, goal: str | None) -> None:
    """Raise unless pair interactions are asked for in a way that there is, and of the goal that has them."""
    if interactions not in (True, False, "all") or not isinstance(interactions, bool | str):
        raise OptionError(f"Expected interactions=True (the graph's edges), False or 'all', got {interactions!r}.")
    if interactions and goal not in (None, "fair"):
        raise OptionError(
            f"Expected goal='fair' with interactions={interactions!r}, got {goal!r}: a path of units has no pair "
            "interactions. Leave one of them out."
        )


def fair_estimator(
    graph: Graph, calls: int, seed: int = 0, early: bool = False, interactions: Pairs = False
) -> tuple[Method, str]:
    """The estimate of the Shapley value with the least measured error for so many units and calls, and the reason.

    With `early` it is one that can stop before its budget is used; with `interactions` it is one that has these.
    """
    d = graph.d
    if fits(d, min(calls, MAX_CALLS)) and not early:
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
    if calls <= most_calls(d):
        return (
            GraphKernelSHAP(calls, seed=seed, interactions=interactions),
            "of the estimates that we measured it has the least error over most kinds of models (docs/benchmarks.md)"
            + (", and pair interactions come from the same calls" if interactions else ""),
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


def trees_pay(graph: Graph, instead_of: Method, max_calls: int | None = MAX_CALLS) -> bool:
    """Whether `TreeSHAP` takes no more calls than an estimate, or fewer than all coalitions.

    >>> import lcshap as lc
    >>> trees_pay(lc.Graph.complete(4), lc.Shapley()), trees_pay(lc.Graph.complete(5), lc.Shapley())
    (False, True)
    """
    takes, other = TreeSHAP().cost(graph).calls, instead_of.cost(graph, max_calls).calls
    return takes < other or (takes == other and instead_of != Shapley())


def tree_estimator(game: AbstractGame, graph: Graph, seconds: float | None = None) -> tuple[Method, str] | None:
    """`TreeSHAP` and the reason, where the game is one of trees; None where it is not.

    Parameters
    ----------
    seconds : how long the walk through the trees may take, by the time that it takes for one background row.
    """
    if game.trees is None:
        return None
    try:
        trees = reads(game)
    except (MethodError, MissingExtraError, ModelError):
        return None
    if seconds is not None:
        begin = time.monotonic()
        shapley(replace(trees, x=trees.x[:1], background=trees.background[:1]))
        if (time.monotonic() - begin) * len(trees.background) > seconds:
            return None
    return TreeSHAP(), "the model is a sum of trees, from which its Shapley value can be read off: the result is exact"


def may_be_exact(graph: Graph, method: Method, max_calls: int | None = MAX_CALLS) -> bool:
    """Whether this estimate could be exact, if a call took a microsecond."""
    exact = method == Shapley() or (isinstance(method, GraphKernelSHAP) and method.budget >= 2**graph.d)
    return method.has_plan and not exact and fits(graph.d, min(max_calls or MAX_CALLS, MAX_CALLS))


def _fitting(graph: Graph, calls: int) -> list[tuple[Method, int]]:
    """Deterministic methods within the budget, of each kind the largest order."""
    families: list[Iterable[Method]] = [
        (LShapley(k) for k in (4, 3, 2, 1)),
        (LShapley(k, "present") for k in (4, 3, 2, 1)),
        (CShapley(k, weights="myerson") for k in (6, 4, 3, 2, 1)),
        (Myerson() for _ in range(1)),
        (RegressionCShapley(m) for m in (4, 3, 2)),
        (DividendCShapley(m) for m in (4, 3, 2)),
        (FeatureAblation() for _ in range(1)),
    ]
    found = []
    for family in families:
        for method in family:
            takes = method.calls_within(graph, min(calls, _COUNTED))
            if takes is not None:
                found.append((method, takes))
                break
    return sorted(found, key=lambda pair: -pair[1])
