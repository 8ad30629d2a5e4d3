"""Scores as the coefficients of a weighted ridge regression on sampled coalitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ..core.estimate import Estimate, SampledEstimator

_DRIFT_TOLERANCE = 1e-10  # relative to the largest score; sums that are further from zero are corrected
_MAX_KEPT_NUMBERS = 1 << 24  # up to this size the solution is kept for further runs of the same plan


@dataclass(frozen=True, eq=False)
class WeightedLeastSquares(SampledEstimator):
    r"""Weighted least squares of differences of values on a design with one row per sample.

    .. math:: \min_\phi \sum_r w_r \bigl[v(A_r) - v(B_r) - x_r \cdot \phi\bigr]^2 + \lambda \|\phi\|^2
              \quad\text{subject to}\quad \textstyle\sum_i \phi_i = v(V) - v(\emptyset) \text{ where `efficient`}

    The constraint is met by starting from equal shares and solving in the directions that sum to zero. A direction that
    the rows do not determine keeps its equal share (the solution of least norm).

    `exact` marks rows of strata that were enumerated completely. They add no sampling error.
    """

    plus: NDArray[np.int32]
    minus: NDArray[np.int32]
    design: NDArray[np.float64]
    weight: NDArray[np.float64]
    calls: int
    ridge: float = 0.0
    efficient: bool = True
    exact: NDArray[np.bool_] | None = None

    @property
    def samples(self) -> int:
        """The number of rows."""
        return len(self.plus)

    @property
    def d(self) -> int:
        """The number of units."""
        return int(self.design.shape[1])

    @property
    def nbytes(self) -> int:
        """The memory in use."""
        kept_numbers = self.design.size if self.design.size <= _MAX_KEPT_NUMBERS else 0
        return self.design.nbytes + 8 * kept_numbers + 8 * self.d**2

    @property
    def dof(self) -> int:
        """Rows minus free coefficients: the constraint removes one, and an intercept adds one."""
        return self.samples - self.d + (1 if self.efficient else -1)

    @property
    def columns(self) -> NDArray[np.int32]:
        """The coalitions whose values it uses."""
        return np.unique(np.concatenate([self.plus, self.minus]))

    @cached_property
    def _normal(self) -> NDArray[np.float64]:
        matrix = self.design.T @ (self.weight[:, None] * self.design)
        matrix[np.diag_indices_from(matrix)] += self.ridge
        return np.asarray(matrix)

    @cached_property
    def _inverse(self) -> NDArray[np.float64]:
        """The (pseudo-)inverse of the normal matrix, on the directions that sum to zero where `efficient`."""
        matrix, d = self._normal, self.d
        if self.efficient:
            matrix = matrix - matrix.mean(axis=0)
            matrix = matrix - matrix.mean(axis=1)[:, None]
        scale = np.trace(matrix) / d or 1.0
        # This makes the direction (1, ..., 1) invertible. It is subtracted again below.
        fill = scale / d if self.efficient else 0.0
        if self.samples >= d or self.ridge:
            try:
                factor = linalg.cho_factor(matrix + fill)
                if np.abs(np.diag(factor[0])).min() ** 2 > 1e-10 * scale:
                    inverse = linalg.cho_solve(factor, np.eye(d))
                    return np.asarray(inverse - (1 / (scale * d) if self.efficient else 0))
            except linalg.LinAlgError:
                pass
        return np.asarray(linalg.pinvh(matrix, rtol=1e-10))

    @cached_property
    def _kept_influence(self) -> NDArray[np.float64]:
        return self._block(slice(None))

    def _block(self, rows: slice) -> NDArray[np.float64]:
        return np.asarray(self._inverse @ (self.weight[rows, None] * self.design[rows]).T)

    def _influence(self) -> list[tuple[slice, NDArray[np.float64]]]:
        """The derivative of each score by the response of each row, in blocks `(d, rows)`."""
        if self.design.size <= _MAX_KEPT_NUMBERS:
            return [(slice(0, self.samples), self._kept_influence)]
        step = max(1, _MAX_KEPT_NUMBERS // self.d)
        return [(rows := slice(start, start + step), self._block(rows)) for start in range(0, self.samples, step)]

    def _response(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The response of each row minus that of equal shares, and the equal shares."""
        response = values[self.plus] - values[self.minus]
        share = values[-1] / self.d if self.efficient else 0 * values[-1]
        return response - np.multiply.outer(self.design.sum(axis=1), share), share

    def estimate(self, values: NDArray[np.float64]) -> Estimate:
        """The coefficients; their standard errors come from the residuals of the rows (the sandwich estimator)."""
        response, share = self._response(values)
        scores = self._solve(response, share)
        return Estimate(scores, self._stderr(response, scores - share), self.dof)

    def scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The coefficients alone."""
        return self._solve(*self._response(values))

    def _solve(self, response: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
        weighted = (response.T * self.weight).T
        deviations = np.asarray(self._inverse @ (self.design.T @ weighted))
        if self.efficient:  # the sum is zero up to rounding errors, which are large if there are hardly enough rows
            drift = deviations.mean(axis=0)
            deviations = deviations - np.where(
                np.abs(drift) > _DRIFT_TOLERANCE * np.abs(deviations).max(axis=0, initial=0), drift, 0
            )
        return np.asarray(deviations + share)

    def _stderr(self, response: NDArray[np.float64], coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """The root of the sandwich variance, corrected for the number of coefficients that were fitted."""
        if self.exact is not None and self.exact.all():
            return np.zeros_like(coefficients)
        if self.dof < 1:
            return np.full_like(coefficients, np.inf)
        residual = response - self.design @ coefficients
        if self.exact is not None:
            residual[self.exact] = 0
        variance = sum(block**2 @ residual[rows] ** 2 for rows, block in self._influence())
        return np.asarray(np.sqrt(variance * self.samples / self.dof))

    def head(self, samples: int) -> WeightedLeastSquares:
        """The first rows. None of them is exact, because their strata may be incomplete."""
        if samples == self.samples:
            return self
        rows = slice(0, samples)
        return replace(
            self,
            plus=self.plus[rows],
            minus=self.minus[rows],
            design=self.design[rows],
            weight=self.weight[rows],
            exact=None,
        )
