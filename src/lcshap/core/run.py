"""Run a plan on a game. The only place where values become scores."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import GameError
from .explanation import Explanation, edge_matrix, versions
from .game import AbstractGame
from .graphs import Graph
from .plan import Described, EstimatedMap, Plan, PlanSum, SampledMap


@overload
def run(plan: Plan, game: AbstractGame) -> Explanation: ...
@overload
def run(plan: PlanSum, game: AbstractGame) -> tuple[Explanation, ...]: ...
def run(plan: Plan | PlanSum, game: AbstractGame) -> Explanation | tuple[Explanation, ...]:
    """Evaluate the coalitions of a plan, each once, and apply its operator.

    A sum of plans gives one explanation for each of them, in order.

    Parameters
    ----------
    plan : from `Method.plan`, or a sum of several plans over the same units.
    game : the game to evaluate.

    Returns
    -------
    Explanation or tuple of Explanation : the scores; a tuple for a sum of plans.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(4)
    >>> v = lc.Game(lambda kept: kept.sum(axis=1) ** 2.0, 4)
    >>> both = lc.Shapley().plan(g) + lc.Myerson().plan(g)
    >>> shapley, myerson = lc.run(both, v)
    >>> shapley.scores, myerson.scores.round(3)
    (array([4., 4., 4., 4.]), array([3.167, 4.833, 4.833, 3.167]))
    """
    values = game.evaluate(plan.coalitions)
    if isinstance(plan, Plan):
        return explain_values(plan, values, game)
    return tuple(explain_values(part, values[c], game) for part, c in zip(plan.parts, plan.columns, strict=True))


def explain_values(plan: Plan, values: NDArray[np.float64], game: AbstractGame) -> Explanation:
    """Turn the values of a plan's coalitions into scores."""
    base, full = values[0], values[-1]
    # Operators ignore constants, so taking v(∅) off first changes nothing but the rounding, which it makes smaller.
    with np.errstate(over="ignore", invalid="ignore"):
        gains = values - base
        scores = np.asarray(plan.operator @ gains)
    check_scores(scores if np.isfinite(gains).all() else gains, values)
    interactions = errors = None
    if plan.edge_operator is not None:
        sure = plan.edge_operator if isinstance(plan.edge_operator, EstimatedMap) else None
        pairs = None if sure is None else sure.pairs
        interactions = edge_matrix(plan.graph, plan.edge_operator @ gains, pairs)
        errors = None if sure is None else edge_matrix(plan.graph, sure.stderr(gains), pairs)
    sampled = plan.operator if isinstance(plan.operator, SampledMap) else None
    return Explanation(
        scores=scores,
        stderr=None if sampled is None else sampled.stderr(gains),
        freedom=None if sampled is None else sampled.freedom,
        base_value=_number(base),
        full_value=_number(full),
        graph=plan.graph,
        calls=plan.calls,
        interactions=interactions,
        interaction_stderr=errors,
        provenance=provenance(plan.method, plan.graph, game),
    )


def check_scores(scores: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    """Raise where values are finite, as all are, but so large that differences or sums of them are not."""
    if not np.isfinite(scores).all():
        raise GameError(
            f"Expected values whose differences are finite numbers, got values from {values.min():.3g} to "
            f"{values.max():.3g}: they are too large to subtract. Divide the values by a constant."
        )


def provenance(method: Described, graph: Graph, game: AbstractGame) -> dict[str, Any]:
    """What is needed to make the same scores again."""
    return {
        "method": str(method),
        "name": method.name,
        "class": type(method).__name__,
        "parameters": method.parameters,
        "graph": repr(graph),
        "graph_key": graph.key,
        "batch_size": game.rows,
        "versions": versions(),
    }


def _number(value: NDArray[np.float64]) -> float | NDArray[np.float64]:
    return float(value) if np.ndim(value) == 0 else value.copy()
