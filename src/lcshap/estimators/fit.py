"""Scores as the coefficients of a weighted ridge regression on sampled coalitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ..core.plan import SampledMap

_DRIFT = 1e-10  # of the largest score: sums further from zero than that are put right
_KEEP = 1 << 24  # numbers kept so that a plan that runs again need not solve again


@dataclass(frozen=True, eq=False)
class FitMap(SampledMap):
    r"""Weighted least squares of differences of values on a design, one row a sample.

    .. math:: \min_\phi \sum_r w_r \bigl[v(A_r) - v(B_r) - x_r \cdot \phi\bigr]^2 + \lambda \|\phi\|^2
              \quad\text{subject to}\quad \textstyle\sum_i \phi_i = v(V) - v(\emptyset) \text{ where `efficient`}

    The constraint is kept by solving in the directions that sum to zero, from the start of equal shares. Where the rows
    are too few to determine a direction, it keeps its equal share (the solution of least norm).

    `exact` marks rows that stand for nothing but themselves (whole strata that were enumerated): they add no sampling
    error.
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
    def samples(self) -> int:  # type: ignore[override]
        """How many rows."""
        return len(self.plus)

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Units and coalitions."""
        return self.design.shape[1], self.calls

    @property
    def nbytes(self) -> int:  # type: ignore[override]
        """Memory held."""
        kept = self.design.size if self.design.size <= _KEEP else 0
        return self.design.nbytes + 8 * kept + 8 * self.shape[0] ** 2

    @property
    def freedom(self) -> int:
        """Rows less free coefficients: the constraint takes one away, an intercept adds one."""
        return self.samples - self.shape[0] + (1 if self.efficient else -1)

    @property
    def columns(self) -> NDArray[np.int32]:
        """The coalitions looked at."""
        return np.unique(np.concatenate([self.plus, self.minus]))

    @cached_property
    def _normal(self) -> NDArray[np.float64]:
        matrix = self.design.T @ (self.weight[:, None] * self.design)
        matrix[np.diag_indices_from(matrix)] += self.ridge
        return np.asarray(matrix)

    @cached_property
    def _inverse(self) -> NDArray[np.float64]:
        """The (pseudo-)inverse of the normal matrix, on the directions that sum to zero where `efficient`."""
        matrix, d = self._normal, self.shape[0]
        if self.efficient:
            matrix = matrix - matrix.mean(axis=0)
            matrix = matrix - matrix.mean(axis=1)[:, None]
        scale = np.trace(matrix) / d or 1.0
        fill = (
            scale / d if self.efficient else 0.0
        )  # makes the direction (1, ..., 1) invertible, and is taken off again
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
        """What a unit of response in each row adds to each score, in blocks `(d, rows)`."""
        if self.design.size <= _KEEP:
            return [(slice(0, self.samples), self._kept_influence)]
        step = max(1, _KEEP // self.shape[0])
        return [(part := slice(s, s + step), self._block(part)) for s in range(0, self.samples, step)]

    def _response(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What is to be fitted, and the equal shares that the fit starts from."""
        response = values[self.plus] - values[self.minus]
        share = values[-1] / self.shape[0] if self.efficient else 0 * values[-1]
        return response - np.multiply.outer(self.design.sum(axis=1), share), share

    def __matmul__(self, values: NDArray[np.float64], /) -> NDArray[np.float64]:
        response, share = self._response(values)
        weighted = (response.T * self.weight).T
        beyond = np.asarray(self._inverse @ (self.design.T @ weighted))
        if self.efficient:  # it sums to zero, but for rounding; where rows are hardly enough, rounding is not small
            drift = beyond.mean(axis=0)
            beyond = beyond - np.where(np.abs(drift) > _DRIFT * np.abs(beyond).max(axis=0, initial=0), drift, 0)
        return np.asarray(beyond + share)

    def stderr(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """From the residuals of the rows (the sandwich, corrected for the coefficients that were fitted)."""
        response, share = self._response(values)
        if self.exact is not None and self.exact.all():
            return np.zeros((self.shape[0], *values.shape[1:]))
        if self.freedom < 1:
            return np.full((self.shape[0], *values.shape[1:]), np.inf)
        residual = response - self.design @ (self @ values - share)
        if self.exact is not None:
            residual[self.exact] = 0
        variance = sum(block**2 @ residual[rows] ** 2 for rows, block in self._influence())
        return np.asarray(np.sqrt(variance * self.samples / self.freedom))

    def head(self, samples: int) -> FitMap:
        """The first rows; those of strata that are not complete any more are samples like all others."""
        if samples == self.samples:
            return self
        first = slice(0, samples)
        return replace(
            self,
            plus=self.plus[first],
            minus=self.minus[first],
            design=self.design[first],
            weight=self.weight[first],
            exact=None,
        )
