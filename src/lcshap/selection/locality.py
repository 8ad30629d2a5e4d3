"""The locality check: the distance of L- and C-Shapley from the Shapley value on one input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ..core.coalitions import Coalitions
from ..core.default_limits import MAX_CALLS
from ..core.explanation import Explanation
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.method import Method
from ..core.plan import Plan, PlanSum
from ..core.presenter import get_presenter
from ..core.printable import printable
from ..core.run_plan import estimate_values, explain_values
from ..errors import BudgetError, OptionError
from ..estimators.c_shapley import CShapley
from ..estimators.l_shapley import LShapley
from ..estimators.marginal_means import MarginalMeans
from ..estimators.sample_shapley import SampleShapley
from ..estimators.sampled_c_shapley import sampler_for

_MIN_PAIRS = 4  # pairs of permutations; an interval from fewer is not meaningful


@dataclass(frozen=True)
class Distance:
    """The distance of one method from the Shapley value: the root mean square over units.

    `low` and `high` are the ends of its confidence interval. `relative` is the distance divided by the root mean square
    of the Shapley values, so that scores that are all zero have 1. `controlled` is whether the samples of the method
    were used as a control variate.
    """

    method: Method
    calls: int
    distance: float
    low: float
    high: float
    relative: float
    controlled: bool


@dataclass(frozen=True)
class Locality:
    """The result of `locality`, which can be printed. `smallest` returns the first method within a tolerance.

    Attributes
    ----------
    distances : the distance of each method from the Shapley value, with a confidence interval.
    shapley : the estimate of the Shapley value that they were compared with.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * kept.sum(axis=1), 6)
    >>> round(lc.locality(v, lc.Graph.chain(6), [lc.LShapley(1)]).distances[0].relative, 6)
    0.0
    """

    distances: tuple[Distance, ...]
    shapley: Explanation
    calls: int
    confidence: float

    def smallest(self, tolerance: float, relative: bool = False) -> Method | None:
        """The first method, in the order of `methods`, whose interval is within the tolerance; None if there is none.

        With `relative`, the tolerance is a share of the root mean square of the Shapley values.
        """
        for d in self.distances:
            size = d.distance / d.relative if d.relative else 1.0
            if d.high <= (tolerance * size if relative else tolerance):
                return d.method
        return None

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows: a row for each method."""
        header = ("method", "distance", f"{self.confidence:.0%} interval", "of the Shapley values' size", "calls")
        rows = [
            (str(d.method), f"{d.distance:.4g}", f"{d.low:.4g} to {d.high:.4g}", f"{d.relative:.0%}", f"{d.calls:,}")
            for d in self.distances
        ]
        title = "Distance to the Shapley value (root mean square over units)"
        return get_presenter().table_html(title, header, rows, [str(self).splitlines()[-1]])

    def __str__(self) -> str:
        lines = [f"distance to the Shapley value (root mean square over units), {self.confidence:.0%} interval"]
        for d in self.distances:
            lines.append(
                f"  {d.distance:.4g} in [{d.low:.4g}, {d.high:.4g}], {d.relative:.0%} of the Shapley values' size: "
                f"{printable(str(d.method))}, {d.calls:,} calls"
            )
        dof = self.shapley.dof or 0
        lines.append(f"from {dof + 1} pairs of permutations; {self.calls:,} distinct calls in all")
        return "\n".join(lines)


def locality(
    game: AbstractGame,
    graph: Graph,
    methods: Sequence[Method] | None = None,
    budget: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    max_calls: int | None = MAX_CALLS,
) -> Locality:
    r"""Estimate the distance of local scores from the Shapley value of a game, without knowing the Shapley value.

    Antithetic permutations give unbiased estimates of the Shapley value and of their own variance, so that

    .. math:: \widehat{D^2} = \frac1d \sum_i \Bigl[(\hat\phi_i - L_i)^2 - \widehat{\mathrm{var}}(\hat\phi_i)\Bigr]

    estimates the mean squared distance without bias. Its interval is computed by leaving out one pair at a time. In a
    random order, the marginal contribution of i to its predecessors *within its neighbourhood* has L-Shapley as its
    mean (within its connected part: C-Shapley), and only needs coalitions that L-Shapley evaluates anyway. If
    subtracting it lowers the variance, the difference is estimated directly.

    Parameters
    ----------
    methods : the methods to measure, by default L-Shapley of order 1 and 2 (absent), order 1 with both contexts, and
        C-Shapley of order 2 with Myerson weights. The check is meant for L- and C-Shapley, but any method with a plan
        can be measured.
    budget : calls for the permutations, by default 16d. The calls of the methods are made in addition, except for
        coalitions that were evaluated before.
    confidence : the confidence level of the intervals.

    Returns
    -------
    Locality : the estimated distance of each method from the Shapley value, with confidence intervals.

    Raises
    ------
    OptionError : if the first two arguments are not a game with one output and a graph.
    BudgetError : if the budget is too small for an interval.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(12)
    >>> near = lc.Game(lambda kept: (kept[:, 1:] & kept[:, :-1]).sum(axis=1) * 1.0, 12)
    >>> far = lc.Game(lambda kept: kept[:, ::3].all(axis=1) * 1.0, 12)
    >>> [round(lc.locality(v, g, [lc.LShapley(1)]).distances[0].relative, 2) for v in (near, far)]
    [0.0, 1.0]
    >>> lc.locality(near, g).smallest(0.01)
    LShapley(order=1, context='absent', interactions=False)
    """
    if not isinstance(game, AbstractGame) or not isinstance(graph, Graph):
        raise OptionError(
            f"Expected a game and a graph, got {type(game).__name__} and {type(graph).__name__}. For a model and an "
            "input call explainer.locality(x)."
        )
    if not 0 < confidence < 1:
        raise OptionError(f"Expected a confidence between 0 and 1, got {confidence!r}.")
    budget = 16 * graph.d if budget is None else budget
    methods = tuple(method.for_graph(graph) for method in (_default_methods() if methods is None else methods))
    sampler = SampleShapley(budget, seed)
    sampled = sampler.plan(graph, max_calls)
    plans = [method.plan(graph, max_calls) for method in methods]
    if isinstance(sampled.estimator, MarginalMeans) and sampled.estimator.samples < _MIN_PAIRS:
        min_budget = 2 + 2 * (graph.d - 1) * _MIN_PAIRS
        raise BudgetError(
            f"Expected a budget of at least {min_budget} calls, which {_MIN_PAIRS} pairs of permutations for an "
            f"interval take, got {budget}.",
            min_budget,
        )
    controls = [_plan_control_variate(method, graph, sampler, sampled) for method in methods]
    merged = PlanSum((sampled, *plans, *(c for c in controls if c is not None)))
    values = game.evaluate(merged.coalitions)
    if values.ndim != 1:
        raise OptionError(
            "Expected a game with one output for the locality check, got several. Check one output at a time."
        )
    columns = iter(merged.columns)
    shapley_values = values[next(columns)]
    shapley = explain_values(sampled, shapley_values, game)
    explanations = [explain_values(plan, values[next(columns)], game) for plan in plans]
    distances: list[Distance] = []
    for method, e, control in zip(methods, explanations, controls, strict=True):
        control_pairs = None if control is None else _pair_estimates(control, values[next(columns)])
        pairs = _pair_estimates(sampled, shapley_values)
        distances.append(_distance(method, e.calls, e.scores, pairs, control_pairs, confidence))
    return Locality(tuple(distances), shapley, merged.calls, confidence)


def _default_methods() -> tuple[Method, ...]:
    return (LShapley(1), LShapley(1, "both"), LShapley(2), CShapley(2, weights="myerson"))


def _plan_control_variate(method: Method, graph: Graph, sampler: SampleShapley, sampled: Plan) -> Plan | None:
    """The samples of a local method along the same permutations, as a plan; None if it has no sampler."""
    local = sampler_for(method)
    if local is None or not isinstance(sampled.estimator, MarginalMeans):
        return None
    drawn = list(islice(sampler.draw(graph.d), sampled.estimator.samples))
    places = np.stack([np.argsort(order[0]) for order, _ in drawn])
    samples = list(islice(local.samples_along(graph, places), len(places)))
    ends = Coalitions.from_sets(graph.d, [[], range(graph.d)])
    coalitions, columns = Coalitions.concat([ends, *(sets for _, sets in samples)]).unique()
    halves = columns[2:].reshape(len(samples), -1, 2, graph.d)
    weights = np.stack([weight for weight, _ in samples])
    return Plan(method, graph, coalitions, MarginalMeans(halves[:, :, 0], halves[:, :, 1], len(coalitions), weights))


def _pair_estimates(plan: Plan, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """One estimate per row; a single row for an exact plan."""
    if isinstance(plan.estimator, MarginalMeans):
        return plan.estimator.pairs(values - values[0])
    return estimate_values(plan.estimator, values).scores[None]


def _distance(
    method: Method,
    calls: int,
    scores: NDArray[np.float64],
    pairs: NDArray[np.float64],
    control: NDArray[np.float64] | None,
    confidence: float,
) -> Distance:
    gaps, controlled = pairs - scores, False
    if control is not None and len(pairs) > 1:
        paired = pairs - control
        if paired.var(axis=0).sum() < gaps.var(axis=0).sum():
            gaps, controlled = paired, True
    square, error = _mean_square(gaps)
    size, _ = _mean_square(pairs)
    margin = error * float(special.stdtrit(max(len(gaps) - 1, 1), (1 + confidence) / 2)) if len(gaps) > 1 else 0.0
    low, middle, high = (float(np.sqrt(max(x, 0.0))) for x in (square - margin, square, square + margin))
    relative = middle / float(np.sqrt(size)) if size > 0 else float(middle > 0)
    return Distance(method, calls, middle, low, high, relative, controlled)


def _mean_square(gaps: NDArray[np.float64]) -> tuple[float, float]:
    """The mean over units of the squared mean of the rows, without the bias due to noise, and its jackknife error."""
    n = len(gaps)
    if n == 1:
        return float((gaps**2).mean()), 0.0
    total, squares = gaps.sum(axis=0), (gaps**2).sum(axis=0)

    def estimate(total: NDArray[np.float64], squares: NDArray[np.float64], n: int) -> NDArray[np.float64]:
        # The mean of the product of two different rows is unbiased, like the product of two independent halves.
        return np.asarray(((total**2 - squares) / (n * (n - 1))).mean(axis=-1))

    full_estimate = float(estimate(total, squares, n))
    if n == 2:
        return full_estimate, np.inf
    jackknife = estimate(total - gaps, squares - gaps**2, n - 1)
    return full_estimate, float(np.sqrt((n - 1) / n * ((jackknife - jackknife.mean()) ** 2).sum()))
