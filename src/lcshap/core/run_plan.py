"""Run a plan on a game: evaluate its coalitions, estimate, and put the estimate into an explanation."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import GameError
from .blas_threads import one_blas_thread
from .estimate import Estimate, Estimator
from .explanation import Explanation, package_versions
from .game import AbstractGame
from .graphs import Graph
from .json_reader import MAX_NUMBER
from .pair_matrices import pair_matrix
from .plan import MethodInfo, Plan, PlanSum

MAX_VALUE = MAX_NUMBER / 1e10  # of a game; scores and interactions are sums and differences of such values
_MAX_SQUARED = 1e100  # Estimates contain squares and products of values up to this.


@overload
def run(plan: Plan, game: AbstractGame) -> Explanation: ...
@overload
def run(plan: PlanSum, game: AbstractGame) -> tuple[Explanation, ...]: ...
def run(plan: Plan | PlanSum, game: AbstractGame) -> Explanation | tuple[Explanation, ...]:
    """Evaluate the coalitions of a plan, each once, and estimate scores from their values.

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
    return tuple(
        explain_values(member, values[columns], game) for member, columns in zip(plan.parts, plan.columns, strict=True)
    )


def explain_values(plan: Plan, values: NDArray[np.float64], game: AbstractGame) -> Explanation:
    """The explanation that the values of a plan's coalitions give."""
    estimate = estimate_values(plan.estimator, values)
    return explain_estimate(plan.method, plan.graph, game, estimate, values[0], values[-1], plan.calls)


def estimate_values(estimator: Estimator, values: NDArray[np.float64]) -> Estimate:
    """The estimate for the values of coalitions, of which the first is ∅; raise where they are too large to subtract.

    An estimate does not change when a constant is added to all values, so the base value is subtracted first: this only
    makes rounding errors smaller. Values so large that their squares are no finite numbers are divided by a power of
    two, which is exact, and the estimate is multiplied by it.
    """
    with np.errstate(over="ignore", invalid="ignore"), one_blas_thread():
        gains = values - values[0]
        check_scores(gains, values)
        magnitude = np.abs(gains).max(initial=0.0)
        if magnitude <= _MAX_SQUARED:
            estimate = estimator.estimate(gains)
        else:
            factor = float(np.exp2(np.floor(np.log2(magnitude))))
            estimate = estimator.estimate(gains / factor).scaled(factor)
    check_scores(estimate.scores, values)
    return estimate


def explain_estimate(
    method: MethodInfo,
    graph: Graph,
    game: AbstractGame,
    estimate: Estimate,
    base: NDArray[np.float64],
    full: NDArray[np.float64],
    calls: int,
) -> Explanation:
    """An estimate as an explanation. Every method without a path ends here, with or without a plan.

    Parameters
    ----------
    base, full : the base value and the full value, a number or one for each output.
    calls : the number of distinct coalitions that were evaluated.
    """

    def matrix(numbers: NDArray[np.float64] | None) -> Any:
        return None if numbers is None else pair_matrix(graph, numbers, estimate.pairs)

    return Explanation(
        scores=estimate.scores,
        stderr=estimate.stderr,
        dof=estimate.dof,
        base_value=_as_number(base),
        full_value=_as_number(full),
        graph=graph,
        calls=calls,
        interactions=matrix(estimate.interactions),
        interaction_stderr=matrix(estimate.interaction_stderr),
        provenance=provenance(method, graph, game) | ({"doubt": estimate.doubt} if estimate.doubt else {}),
    )


def check_scores(scores: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    """Raise where values are finite, as all are, but so large that differences or sums of them are not.

    The limit is below that of saved files, so that every explanation can be saved and loaded.
    """
    if not np.isfinite(scores).all() or np.abs(values).max(initial=0.0) > MAX_VALUE:
        raise GameError(
            f"Expected values whose differences are finite numbers, got values from {values.min():.3g} to "
            f"{values.max():.3g}: they are too large to subtract. Divide the values by a constant."
        )


def provenance(method: MethodInfo, graph: Graph, game: AbstractGame) -> dict[str, Any]:
    """What is needed to make the same scores again."""
    return method_record(method, graph, game.rows)


def method_record(method: MethodInfo, graph: Graph, batch_size: int | None) -> dict[str, Any]:
    """The method, its parameters, the graph, the batch size and the versions, for the provenance."""
    return {
        "method": str(method),
        "name": method.name,
        "class": type(method).__name__,
        "parameters": method.parameters,
        "graph": repr(graph),
        "graph_key": graph.key,
        "batch_size": batch_size,
        "versions": package_versions(),
    }


def _as_number(value: NDArray[np.float64]) -> float | NDArray[np.float64]:
    return float(value) if np.ndim(value) == 0 else value.copy()
