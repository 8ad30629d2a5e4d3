"""The evidence (log marginal likelihood) of hyperparameters, and its maximum by Gauss-Newton steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from .fixed_kernel import Array
from .tuning import FIT, ODD_PRIORS

_SPREAD = ODD_PRIORS.unit_spread
_SPREAD_BOUNDS = (0.1, 3.0)


@dataclass(frozen=True, eq=False)
class EvidencePoint:
    """Hyperparameters and their objective: the negative log evidence plus the negative log density of their prior.

    Attributes
    ----------
    theta : the logarithms of the hyperparameters.
    spread : the standard deviation of the units' logarithms in their prior.
    objective : the value of the objective.
    derivatives : computes the gradient and the curvature when one of them is first used, because a step that is refused
        does not need them.
    """

    theta: Array
    spread: float
    objective: float
    derivatives: Callable[[], tuple[Array, Array]]

    @property
    def gradient(self) -> Array:
        """The derivative of the objective by each logarithm."""
        return self._derivatives[0]

    @property
    def curvature(self) -> Array:
        """The average of the observed and the expected second derivatives."""
        return self._derivatives[1]

    @cached_property
    def _derivatives(self) -> tuple[Array, Array]:
        return self.derivatives()


Evidence = Callable[[Array, float], EvidencePoint | None]


def maximize_evidence(
    evidence: Evidence,
    start: Array,
    first_unit: int,
    min_gain: float = FIT.min_gain,
    start_point: EvidencePoint | None = None,
    steps: int = FIT.steps,
    spread_updates: int = 0,
) -> Array:
    """The logarithms of the hyperparameters at a local maximum of the evidence.

    It is found by Gauss-Newton steps with the average of observed and expected information, as for variance components.
    Each logarithm has a normal prior. The spread of the units' logarithms is estimated together with them.

    Parameters
    ----------
    evidence : returns the point at some logarithms with this spread of the units; None if K cannot be factored.
    start : the logarithms at the start.
    first_unit : the index of the first logarithm of a unit; there may be none.
    min_gain : the search stops after a step that gains less.
    start_point : the point at the start, if it is known.
    steps : the largest number of steps.
    spread_updates : how often the spread of the units is updated before the first step.
    """
    point, damping, refused = start_point or evidence(start, _SPREAD), 0.0, False
    if point is None:  # the evidence has no finite value at the start
        return start
    for _ in range(spread_updates):
        point = update_spread(point, first_unit)
    for remaining in reversed(range(steps)):
        matrix = point.curvature + damping * np.diag(np.diag(point.curvature))
        _, solution, failed = linalg.lapack.dposv(matrix, point.gradient)
        if failed:  # because of rounding, no direction of descent can be computed
            return point.theta
        move = np.clip(-solution, -FIT.max_step, FIT.max_step)
        if refused and -float(move @ (point.gradient + point.curvature @ move / 2)) < min_gain:
            return point.theta  # a shorter step is not expected to gain enough either
        candidate = evidence(point.theta + move, point.spread)
        if candidate is None or candidate.objective > point.objective:
            damping, refused = max(4 * damping, 0.5), True
            continue
        if point.objective - candidate.objective < min_gain or not remaining:
            return candidate.theta
        point, damping, refused = update_spread(candidate, first_unit), damping / 3, False
    return point.theta


def update_spread(point: EvidencePoint, first_unit: int) -> EvidencePoint:
    """Update the spread of the units: the expected mean square of their logarithms, as in the EM algorithm."""
    units = np.arange(first_unit, len(point.theta))
    inverse = invert(point.curvature.copy()) if len(units) else None
    if inverse is None:
        return point
    posterior_variances = np.diag(inverse)[units]
    squares = float(np.sum(point.theta[units] ** 2))
    weight = ODD_PRIORS.unit_spread_weight
    variance = (squares + float(posterior_variances.sum()) + weight * _SPREAD**2) / (len(units) + weight)
    variance = min(max(variance, _SPREAD_BOUNDS[0] ** 2), _SPREAD_BOUNDS[1] ** 2)
    change = 1 / variance - 1 / point.spread**2
    gradient, curvature = point.gradient.copy(), point.curvature.copy()
    gradient[units] += change * point.theta[units]
    curvature[units, units] += change
    objective = point.objective + change * squares / 2
    return EvidencePoint(point.theta, float(np.sqrt(variance)), objective, lambda: (gradient, curvature))


def expected_gain(point: EvidencePoint, first_unit: int) -> float:
    """The expected gain of log evidence by fitting units separately, from its slope and curvature at equal units.

    With independent normal deviations of the units' logarithms this is a quadratic form less half the logarithm of a
    determinant, here for the best of a few spreads.
    """
    units = slice(first_unit, None)
    curvature = point.curvature[units, units] - np.eye(len(point.theta) - first_unit) / point.spread**2
    eigenvalues, basis = linalg.eigh(curvature, check_finite=False)
    eigenvalues, slopes = np.maximum(eigenvalues, 0), (basis.T @ point.gradient[units]) ** 2
    gains = (np.sum(slopes / (eigenvalues + s**-2) - np.log1p(s**2 * eigenvalues)) for s in FIT.unit_spreads)
    return max(float(gain) / 2 for gain in gains)


def cholesky(K: Array) -> tuple[Array | None, float]:
    """The Cholesky factor of K (None if there is none) and half the logarithm of the determinant. Overwrites K."""
    # K is symmetric, and its transpose needs no copy.
    factor, failed = linalg.lapack.dpotrf(K.T, lower=1, overwrite_a=1)
    return (None, 0.0) if failed else (factor, float(np.log(np.diag(factor)).sum()))


def invert_factored(factor: Array) -> Array:
    """The inverse of the matrix that has this Cholesky factor, which is overwritten."""
    triangle, _ = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)  # the numbers above the diagonal are zero
    inverse = triangle + triangle.T
    inverse[np.diag_indices(len(inverse))] /= 2
    return np.asarray(inverse)


def invert(K: Array) -> Array | None:
    """The inverse of a positive definite matrix; None if it is not positive definite. K is overwritten."""
    factor, _ = cholesky(K)
    return None if factor is None else invert_factored(factor)
