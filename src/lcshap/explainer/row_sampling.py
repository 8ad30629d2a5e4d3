"""Estimates from samples of data rows: which rows a coalition gets, means of losses, and what rows add to errors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
_RIDGE = 1e-3  # of the variance of each control variable: a few rows may hardly differ in it


@dataclass
class RowBlocks:
    """Which data rows each coalition is evaluated on: a coalition and its complement get the same ones.

    If there are more rows than a coalition may take, pairs take turns: each gets the next rows of a random order, which
    starts again at its end, so that all rows are used equally often.

    Attributes
    ----------
    order : the data rows in random order.
    size : how many of them a coalition gets.

    Examples
    --------
    >>> blocks = RowBlocks(np.arange(5), 2)
    >>> blocks.rows(np.array([[True, False, False], [False, True, True], [True, True, False]])).tolist()
    [[0, 1], [0, 1], [2, 3]]
    """

    order: Numbers
    size: int
    starts: dict[bytes, int] = field(default_factory=dict)

    def rows(self, kept: NDArray[np.bool_]) -> Numbers:
        """The rows of each coalition, `(n, size)`."""
        if self.size >= len(self.order):
            return np.tile(np.sort(self.order), (len(kept), 1))
        starts = np.array([self._start(coalition) for coalition in kept], np.intp)
        return np.asarray(self.order[(starts[:, None] + np.arange(self.size)) % len(self.order)])

    def _start(self, coalition: NDArray[np.bool_]) -> int:
        pair = min(np.packbits(coalition).tobytes(), np.packbits(~coalition).tobytes())
        return self.starts.setdefault(pair, len(self.starts) * self.size % len(self.order))


@dataclass(frozen=True, eq=False)
class AdjustedMean:
    """The mean of a number over all rows, estimated from some of them by regression on numbers that all rows have.

    Attributes
    ----------
    mean : the estimate.
    slopes : the slope of each of these numbers.
    residuals : what is left of the number in each row.

    Examples
    --------
    >>> controls = np.arange(6.0)[:, None]
    >>> round(AdjustedMean.of(2 * controls[:3, 0], controls[:3], controls.mean(axis=0)).mean, 1)
    5.0
    """

    mean: float
    slopes: Floats
    residuals: Floats

    @classmethod
    def of(cls, numbers: Floats, controls: Floats, control_means: Floats) -> AdjustedMean:
        """The estimate from `numbers` `(n,)` with `controls` `(n, k)`, whose means over all rows are known."""
        centred, means = numbers - numbers.mean(), controls.mean(axis=0)
        deviations = controls - means
        gram = deviations.T @ deviations
        ridge = _RIDGE * np.diag(gram) + np.finfo(float).tiny
        slopes = np.linalg.solve(gram + np.diag(ridge), deviations.T @ centred)
        if np.array_equal(means, control_means):  # all rows: nothing is estimated
            slopes = np.zeros_like(slopes)
        mean = float(numbers.mean() + (control_means - means) @ slopes)
        return cls(mean, slopes, centred - deviations @ slopes)


def sort_predictions(predictions: Floats) -> Numbers:
    """The order of predictions `(n, k)` along the direction in which they differ most.

    >>> sort_predictions(np.array([[0.1, 0.9], [0.8, 0.2], [0.5, 0.5]])).tolist() in ([0, 2, 1], [1, 2, 0])
    True
    """
    centred = predictions - predictions.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    return np.argsort(centred @ directions[:, -1], kind="stable")


def regression_operator(kept: NDArray[np.bool_]) -> Floats:
    r"""The matrix `(d, n)` from gains of coalitions, v(S) - v(∅), to Shapley values by least squares.

    As in KernelSHAP, coalitions of a size have the weight :math:`1 / (s (d - s))` together, and the scores sum to
    the gain of V. With all coalitions they are exact.

    Parameters
    ----------
    kept : the coalitions, of which one is V; the gain of ∅ is zero.

    Examples
    --------
    >>> regression_operator(np.array([[False, False], [True, False], [False, True], [True, True]])).tolist()
    [[0.0, 0.5, -0.5, 0.5], [0.0, -0.5, 0.5, 0.5]]
    """
    n, d = kept.shape
    sizes = kept.sum(axis=1)
    inner = (sizes > 0) & (sizes < d)
    counts = np.bincount(sizes, minlength=d + 1)
    weights = np.zeros(n)
    weights[inner] = 1 / (sizes * (d - sizes) * counts[sizes])[inner]
    weighted = kept * weights[:, None]
    gram = kept.T.astype(float) @ weighted
    inverse = np.linalg.pinv(gram, hermitian=True) if inner.any() else np.eye(d)
    share = inverse.sum(axis=1) / inverse.sum()
    free = inverse @ weighted.T
    operator = free - np.outer(share, free.sum(axis=0))
    operator[:, np.flatnonzero(sizes == d)[:1]] = share[:, None]
    return np.asarray(operator)
