"""Shapley values without a Gaussian process: all pairs were evaluated, or the odd half is a sum over units."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

from .fixed_kernel import Array, Kept, fixed_kernel
from .many_units import Single, conjugate_gradients, gram_of_signs, sums_by_unit, sums_of_members
from .tuning import SIZES

# A game with a worse fit than this, computed with this ridge or after the first refinement, is not tested further.
_RIDGE, _RIDGE_TOLERANCE = 1e-10, 1e-3
# With many units: the largest number of refinements, the relative residual of each, its largest number of steps, and
# the residual, relative to the largest value, after which none is needed.
_REFINEMENTS, _REFINEMENT_GAIN, _SOLUTION_STEPS, _REFINED = 6, 1e-5, 150, 1e-13
_ADDITIVE_TOLERANCE = 1e-10  # the largest residual of an additive odd half, relative to its largest value


def scores_from_all_pairs(kept: Kept, odd: Array) -> Array:
    """The Shapley values from all pairs. The covariances with white noise are the Shapley weights."""
    return np.asarray(fixed_kernel(kept.shape[1], 0.0, 0.0, 0.0, float(kept.shape[1])).score_covariances(kept) @ odd)


def additive_scores(kept: Kept, odd: Array, gram: Callable[[], Single] | None = None) -> Array | None:
    """The Shapley values of a game whose odd half is a sum over units, such as one in which only pairs interact.

    None for any other game.

    Parameters
    ----------
    kept, odd : coalitions `(n, d)`, and f there.
    gram : returns the sum over these coalitions of the products of two signs, if it is known.
    """
    n, d = kept.shape
    largest = np.abs(odd).max(initial=0)
    if largest == 0:
        return np.zeros(d)
    if d > SIZES.inverted_units:
        if 4 * n < 5 * d:  # equations with hardly more pairs than units take many steps
            return None
        scores = _additive_scores_many(kept, odd, gram_of_signs(kept) if gram is None else gram(), largest)
    else:
        tested_pairs = min(n, d + 1 + d // 4)  # enough to recognize most games that are not additive
        if n <= d or not _may_be_additive(kept[:tested_pairs], odd[:tested_pairs], largest):
            return None
        scores = linalg.lstsq(np.where(kept, 0.5, -0.5), odd, lapack_driver="gelsy", check_finite=False)[0]
    if scores is None or np.abs(_residuals(kept, odd, scores)).max() > _ADDITIVE_TOLERANCE * largest:
        return None
    return np.asarray(scores)


def _additive_scores_many(kept: Kept, odd: Array, gram: Single, largest: float) -> Array | None:
    """The scores of the additive game that fits best; None as soon as it is clear that none fits.

    The matrix of the normal equations has single precision. Steps of iterative refinement make the scores exact.
    """
    n, d = kept.shape
    scores, residuals, diagonal = np.zeros(d), odd, np.full(d, n / 4)

    def multiply(vector: Array) -> Array:
        return np.asarray(gram @ vector.astype(np.float32) / 4)

    for _ in range(_REFINEMENTS):
        pull = sums_by_unit(kept, residuals) - residuals.sum() / 2
        scores += conjugate_gradients(multiply, pull, diagonal, _REFINEMENT_GAIN, _SOLUTION_STEPS)
        residuals = _residuals(kept, odd, scores)
        size = np.abs(residuals).max()
        if size > _RIDGE_TOLERANCE * largest:
            return None
        if size <= _REFINED * largest:
            break
    return scores


def _residuals(kept: Kept, odd: Array, scores: Array) -> Array:
    return np.asarray(odd - sums_of_members(kept, scores) + scores.sum() / 2)


def _may_be_additive(kept: Kept, odd: Array, largest: float) -> bool:
    """Whether a sum over units may fit, by normal equations, which are faster and less exact than least squares."""
    half = np.where(kept, 0.5, -0.5)
    single = half.astype(np.float32)
    gram = (single.T @ single).astype(float)  # exact, as all entries are small multiples of 1/4
    gram[np.diag_indices(len(gram))] += _RIDGE * len(kept)
    scores = linalg.solve(gram, half.T @ odd, assume_a="pos", overwrite_a=True, check_finite=False)
    return bool(np.abs(odd - half @ scores).max() <= _RIDGE_TOLERANCE * largest)
