r"""The tables of leaves: what a leaf adds to scores, for each pattern of the conditions that a row satisfies.

The game of a leaf of value 1 with D units has the multilinear extension

.. math:: F(p) = \frac1M \sum_m \prod_{j \in D} f_j(p_j),

where f_j is 1 if both the row and background row m satisfy the conditions of unit j, p_j if only the row does,
1 - p_j if only the background row does, and 0 otherwise. Without background rows, f_j is p_j + (1 - p_j) r_j or
(1 - p_j) r_j, and r_j is the share of training rows that satisfy the conditions. All indices are means of partial
derivatives of F at p = (t, ..., t): Shapley values and interactions for t uniform on [0, 1] (the derivatives are
polynomials, for which Gauss-Legendre quadrature is exact), Banzhaf values and interactions at t = 1/2.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Sets = tuple[tuple[int, ...], ...]
_NUMBERS_PER_STEP = 1 << 15  # numbers of the extensions that are computed at once, which stay in the cache


@cache
def quadrature(index: str, degree: int) -> tuple[tuple[float, float], ...]:
    """Points and weights for the mean of polynomials of this degree.

    >>> quadrature("banzhaf", 3)
    ((0.5, 1.0),)
    """
    if index == "banzhaf":
        return ((0.5, 1.0),)
    points, weights = np.polynomial.legendre.leggauss(max(degree, 0) // 2 + 1)
    return tuple(zip(((points + 1) / 2).tolist(), (weights / 2).tolist(), strict=True))


def position_sets(units: int, order: int) -> Sets:
    """The positions of single units (order 1), of pairs (order 2), or of the empty set (order 0)."""
    return tuple(combinations(range(units), order))


def background_tables(shares: Floats, index: str, order: int) -> Floats:
    """The tables of leaves, for the shares of background rows that have each pattern.

    Parameters
    ----------
    shares : `(leaves, 2**D)`.
    index : "shapley" or "banzhaf".
    order : 1 for single units, 2 for pairs, 0 for v(∅) of leaves without units.

    Returns
    -------
    array `(leaves, sets, 2**D)`, with a row for each of the `position_sets`.
    """
    leaves, width = shares.shape
    units = width.bit_length() - 1
    tables = np.zeros((leaves, len(position_sets(units, order)), width))
    for part in _parts(leaves, width):
        failing = shares[part, ::-1]  # by the conditions that a background row does not satisfy
        for t, weight in quadrature(index, units - order):
            extension = _background_extension(failing, units, t)
            extension *= weight
            _add_background_derivatives(tables[part], extension, units, order, t)
    return tables


def _parts(leaves: int, width: int) -> Iterator[slice]:
    step = max(1, _NUMBERS_PER_STEP // width)
    for begin in range(0, leaves, step):
        yield slice(begin, begin + step)


def _axis(array: Floats, units: int, position: int) -> tuple[Floats, Floats]:
    """Views of the entries in which a condition is not satisfied, and in which it is."""
    split = array.reshape(*array.shape[:-1], 1 << position, 2, 1 << (units - 1 - position))
    return split[..., 0, :], split[..., 1, :]


def _background_extension(failing: Floats, units: int, t: float) -> Floats:
    """F(t, ..., t) for each pattern of a row."""
    extension = failing.copy()
    for position in range(units):
        absent, present = _axis(extension, units, position)
        present *= t
        present += absent
        absent *= 1 - t
    return extension


def _add_background_derivatives(tables: Floats, extension: Floats, units: int, order: int, t: float) -> None:
    if order == 0:
        tables[:, 0] += extension
        return
    if order == 2:
        pairs = {pair: number for number, pair in enumerate(position_sets(units, 2))}
        for first in range(units - 1):
            derivative = _background_derivative(extension, units, first, t)
            for second in range(first + 1, units):
                tables[:, pairs[first, second]] += _background_derivative(derivative, units, second, t)
        return
    by_absent, by_present = extension / (1 - t), extension / t
    loss = by_absent + by_present
    for position in range(units):
        not_satisfied, satisfied = _axis(tables[:, position], units, position)
        not_satisfied -= _axis(by_absent, units, position)[0]
        satisfied += _axis(by_present, units, position)[1]
        satisfied -= _axis(loss, units, position)[0]


def _background_derivative(extension: Floats, units: int, position: int, t: float) -> Floats:
    """The partial derivative by the unit of this position."""
    derivative = np.empty_like(extension)
    absent, present = _axis(extension, units, position)
    not_satisfied, satisfied = _axis(derivative, units, position)
    np.divide(absent, t - 1, out=not_satisfied)
    np.add(present, not_satisfied, out=satisfied)
    satisfied /= t
    return derivative


def cover_tables(ratios: Floats, index: str, order: int) -> Floats:
    """The tables of leaves, for the shares of training rows that satisfy the conditions of each unit.

    Parameters
    ----------
    ratios : `(leaves, D)`.
    index, order : as in `background_tables`.

    Returns
    -------
    array `(leaves, sets, 2**D)`.
    """
    leaves, units = ratios.shape
    sets = position_sets(units, order)
    tables = np.zeros((leaves, len(sets), 1 << units))
    for part in _parts(leaves, 1 << units):
        ratio, table = ratios[part], tables[part]
        mean = np.zeros((len(ratio), 1 << units))
        for t, weight in quadrature(index, units - order):
            mean += _cover_extension(ratio, t) * (weight / t**order)
        for number, positions in enumerate(sets):
            table[:, number] = _cover_derivative(mean, ratio, units, positions)
    return tables


def _cover_extension(ratios: Floats, t: float) -> Floats:
    extension = np.ones((len(ratios), 1))
    for ratio in ratios.T:
        absent = (1 - t) * ratio[:, None]
        extension = np.stack([extension * absent, extension * (t + absent)], axis=2).reshape(len(ratios), -1)
    return extension


def _cover_derivative(mean: Floats, ratios: Floats, units: int, positions: tuple[int, ...]) -> Floats:
    """The derivative by some units: a difference, which is the product over the other units, times a_j - r_j."""
    derivative = mean
    for position in positions:
        absent, present = _axis(derivative, units, position)
        slope = present - absent
        derivative = np.empty_like(mean)
        not_satisfied, satisfied = _axis(derivative, units, position)
        ratio = ratios[:, position, None, None]
        np.multiply(slope, -ratio, out=not_satisfied)
        np.multiply(slope, 1 - ratio, out=satisfied)
    return derivative
