r"""The product kernel :math:`\exp(-\sum_j \theta_j [c_j \ne c'_j])` over coalitions, and its odd and even part.

Functions of the number of units alone are here too: both halves of a game have them as terms of their kernels.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .fixed_kernel import Array, Kept

_UNDERFLOW = 600.0  # exponentials of a larger total inverse length scale are zero or infinite in double precision
_UNDERFLOW_SINGLE = 80.0  # the same in single precision
_NODES = 24  # nodes of the integral over the diagonal; the integrand is smooth, and the error is that of rounding


class Half(IntEnum):
    """Which half of a game: the part that changes its sign with the complement, or the one that does not."""

    ODD = 1
    EVEN = -1


def signs_of(kept: Kept, dtype: type[np.floating] = np.float64) -> NDArray[Any]:
    """1 for units that are kept, -1 for those that are absent."""
    signs = kept.astype(dtype)
    signs *= 2
    signs -= 1
    return signs


def product_kernel(agreement: Array, total: float, half: Half) -> tuple[Array, Array]:
    """One part of the product kernel, scaled to 1 at equality; and the other part, divided by the same number.

    Parameters
    ----------
    agreement : half the inverse length scales of units on which coalitions agree, minus half of those on which they do
        not.
    total : the sum of all inverse length scales.
    half : which part.
    """
    near, far = near_and_far(agreement, total)
    scale = at_equality(total, half)
    near /= scale
    far /= scale
    difference, total_of_both = near - far, near + far
    return (difference, total_of_both) if half == Half.ODD else (total_of_both, difference)


def at_equality(total: float, half: Half) -> float:
    """The value of a part of the product kernel at equal coalitions, times 2."""
    return float(-np.expm1(-total) if half == Half.ODD else 1 + np.exp(-total))


def near_and_far(agreement: Array, total: float) -> tuple[Array, Array]:
    """The product kernel between S and T, and between S and the complement of T: :math:`e^{\\pm a - t/2}`."""
    near = agreement - total / 2
    np.exp(near, out=near)
    underflow = _UNDERFLOW_SINGLE if near.dtype == np.float32 else _UNDERFLOW
    far = float(np.exp(-total)) / near if total < underflow else np.exp(-agreement - total / 2)
    return near, far


@cache
def quadrature() -> tuple[Array, Array]:
    """Nodes and weights of the Gauss-Legendre integral over the diagonal."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    return node, weight


@lru_cache(maxsize=64)
def size_log_odds(d: int) -> Array:
    """The absolute log-odds of the share of units that are kept, by their number, `(d + 1,)`."""
    size = np.arange(d + 1)
    return np.asarray(np.abs(np.log((size + 0.5) / (d - size + 0.5))))


@lru_cache(maxsize=64)
def size_kernel(d: int) -> Array:
    """The covariance of a function of the number of units, by the two numbers."""
    distance = size_log_odds(d)
    return np.asarray(np.exp(-np.abs(distance[:, None] - distance)))


@lru_cache(maxsize=64)
def odd_size_kernel(d: int) -> Array:
    """The same for a function that changes its sign with the complement."""
    sign = np.sign(2 * np.arange(d + 1) - d)
    return np.asarray(sign[:, None] * sign * size_kernel(d))
