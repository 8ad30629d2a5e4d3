"""Shapley values without a Gaussian process: all pairs were evaluated, or the odd half is a sum over units."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from .fixed_kernel import Array, Kept, fixed_kernel

_RIDGE, _RIDGE_TOLERANCE = (
    1e-10,
    1e-3,
)  # a game with a worse fit than this, computed with this ridge, is not tested further
_ADDITIVE_TOLERANCE = 1e-10  # the largest residual of an additive odd half, relative to its largest value


def scores_from_all_pairs(kept: Kept, odd: Array) -> Array:
    """The Shapley values from all pairs. The covariances with white noise are the Shapley weights."""
    return np.asarray(fixed_kernel(kept.shape[1], 0.0, 0.0, 0.0, float(kept.shape[1])).score_covariances(kept) @ odd)


def additive_scores(kept: Kept, odd: Array) -> Array | None:
    """The Shapley values of a game whose odd half is a sum over units, such as one in which only pairs interact.

    None for any other game.
    """
    n, d = kept.shape
    largest = np.abs(odd).max(initial=0)
    if largest == 0:
        return np.zeros(d)
    tested_pairs = min(n, d + 1 + d // 4)  # enough to recognize most games that are not additive
    if n <= d or not _may_be_additive(kept[:tested_pairs], odd[:tested_pairs], largest):
        return None
    half = np.where(kept, 0.5, -0.5)
    scores = linalg.lstsq(half, odd, lapack_driver="gelsy", check_finite=False)[0]
    return np.asarray(scores) if np.abs(odd - half @ scores).max() <= _ADDITIVE_TOLERANCE * largest else None


def _may_be_additive(kept: Kept, odd: Array, largest: float) -> bool:
    """Whether a sum over units may fit, by normal equations, which are faster and less exact than least squares."""
    half = np.where(kept, 0.5, -0.5)
    single = half.astype(np.float32)
    gram = (single.T @ single).astype(float)  # exact, as all entries are small multiples of 1/4
    gram[np.diag_indices(len(gram))] += _RIDGE * len(kept)
    scores = linalg.solve(gram, half.T @ odd, assume_a="pos", overwrite_a=True, check_finite=False)
    return bool(np.abs(odd - half @ scores).max() <= _RIDGE_TOLERANCE * largest)
