"""Regressions on hundreds or thousands of units, without the inverses of matrices of their size.

Equations are solved by conjugate gradients, which need products with the matrix alone. The diagonal of an inverse,
which the variances of effects need, is that of its deterministic equivalent: signs of random coalitions are so nearly
independent of each other that each effect sees the others only as a common amount of noise.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .fixed_kernel import Array, Kept
from .product_kernel import signs_of

Single = NDArray[np.float32]
_GRAM_ROWS = 2048  # rows that are added at a time
_FIXED_POINT_STEPS, _FIXED_POINT_TOLERANCE = 200, 1e-6
_MEMBER_ROWS = 512  # rows that are converted to numbers at a time, so that they fit into the processor's cache
_SINGLE_BITS = 24  # the bits of a number in single precision


def sums_of_members(kept: Kept, worth: Array) -> Array:
    """The sum over the units of each coalition, without a copy of the coalitions as numbers."""
    return np.asarray(np.einsum("nd,d->n", kept, worth))


def sums_by_unit(kept: Kept, values: Array) -> Array:
    """The sum over the coalitions that have each unit."""
    return np.asarray(np.einsum("nd,n->d", kept, values))


def matrix_sums_of_members(kept: Kept, worth: Array) -> Array:
    """The sums over the units of each coalition, of several columns `(d, k)`."""
    sums = np.empty((len(kept), worth.shape[1]))
    for start in range(0, len(kept), _MEMBER_ROWS):
        rows = slice(start, start + _MEMBER_ROWS)
        np.matmul(kept[rows].astype(float), worth, out=sums[rows])
    return sums


def matrix_sums_by_unit(kept: Kept, values: Array) -> Array:
    """The sums over the coalitions that have each unit, of several columns `(n, k)`."""
    sums = np.zeros((kept.shape[1], values.shape[1]))
    for start in range(0, len(kept), _MEMBER_ROWS):
        rows = slice(start, start + _MEMBER_ROWS)
        sums += kept[rows].astype(float).T @ values[rows]
    return sums


def round_to_single_precision(scales: Array) -> Array:
    """Round positive numbers so that sums of them, with any signs and in any order, are exact in single precision.

    They become multiples of a power of two, a part in about 2 to the power of 23 of their sum, and at least one of it.
    Products of matrices take half the time in single precision, and exact sums are the same on every processor.

    >>> round_to_single_precision(np.array([1.0, 1e-12])).tolist()
    [1.0, 2.384185791015625e-07]
    """
    step = _power_of_two_above(scales) / 2 ** (_SINGLE_BITS - 1)
    return np.asarray(np.maximum(np.rint(scales / step), 1) * step)


def fits_single_precision(scales: Array) -> bool:
    """Whether sums of these numbers, with any signs and in any order, are exact in single precision."""
    steps = scales / (_power_of_two_above(scales) / 2**_SINGLE_BITS)
    return bool((steps == np.rint(steps)).all())


def _power_of_two_above(scales: Array) -> float:
    """The smallest power of two that is not smaller than the sum of these numbers."""
    return float(2.0 ** np.ceil(np.log2(scales.sum())))


def gram_of_signs(kept: Kept) -> Single:
    """The sum over coalitions of the products of the signs of two units, `(d, d)`: exact in single precision."""
    d = kept.shape[1]
    gram = np.zeros((d, d), np.float32, order="F")
    for start in range(0, len(kept), _GRAM_ROWS):
        signs = signs_of(kept[start : start + _GRAM_ROWS], np.float32)
        gram = linalg.blas.ssyrk(1.0, signs.T, beta=1.0, c=gram, overwrite_c=1)
    below = np.tril_indices(d, -1)
    gram[below] = gram.T[below]
    return gram


def conjugate_gradients(
    multiply: Callable[[Array], Array], right: Array, diagonal: Array, tolerance: float, steps: int
) -> Array:
    """The solution x of A x = b for a positive definite A.

    Parameters
    ----------
    multiply : returns A times a vector.
    right : b.
    diagonal : the diagonal of A, by which equations are scaled.
    tolerance : the size of the residual at which to stop, relative to that of b.
    steps : the largest number of steps.
    """
    solution, residual = np.zeros_like(right), right.copy()
    scaled = residual / diagonal
    direction, norm = scaled.copy(), float(residual @ scaled)
    target = norm * tolerance**2
    for _ in range(steps):
        if norm <= target:
            break
        product = multiply(direction)
        length = norm / float(direction @ product)
        solution += length * direction
        residual -= length * product
        scaled = residual / diagonal
        previous, norm = norm, float(residual @ scaled)
        direction *= norm / previous
        direction += scaled
    return solution


def effect_variances(precision: Array, row_precisions: Array) -> Array:
    r"""The posterior variance of each effect of a regression on random signs.

    The deterministic equivalent of the diagonal of :math:`(D + \sum_i q_i c_i c_i^\top)^{-1}` for random signs
    :math:`c_i` is :math:`1 / (D_j + \kappa)` with :math:`\kappa = \sum_i q_i / (1 + q_i \tau)`, in which :math:`\tau`
    is the sum of this diagonal.

    Parameters
    ----------
    precision : D, the inverse of the prior variance of each effect.
    row_precisions : :math:`q_i`, the inverse of the noise of each coalition. To be multiplied by the variance of a sign
        in coalitions of this size.

    >>> effect_variances(np.ones(1000), np.ones(4000))[0].round(6)  # the mean over many random matrices is 0.000333
    np.float64(0.000333)
    """
    distinct, counts = np.unique(row_precisions, return_counts=True)
    total = float(np.sum(1 / precision))
    for _ in range(_FIXED_POINT_STEPS):
        information = float(np.sum(counts * distinct / (1 + distinct * total)))
        variances = 1 / (precision + information)
        previous, total = total, float(variances.sum())
        if abs(total - previous) <= _FIXED_POINT_TOLERANCE * previous:
            break
    return np.asarray(variances)


def sign_variances(kept: Kept) -> Array:
    """The variance of the sign of a random unit in each coalition."""
    share = kept.mean(axis=1)
    return np.asarray(4 * share * (1 - share))
