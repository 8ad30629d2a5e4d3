r"""Path-dependent values by one pass down and one pass up the trees, for paths with any number of units.

The game of a leaf of value c whose path has conditions on the units j has the multilinear extension

.. math:: F(p) = c \prod_j f_j, \quad f_j = a_j p_j + (1 - p_j) r_j,

where a_j is 1 if the row satisfies the conditions of unit j, and r_j is the share of training rows that do. The values
are means of the partial derivatives at p = (t, ..., t), see `tables`. On the way down, the products are computed at the
points t of the quadrature. On the way up, they are summed over the leaves below each node: all leaves below a node have
the same factor for the condition above it, until there is another condition on the same unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ...core.row_encoding import DROPPED, PINNED
from .codes import Literals
from .paths import TreePaths
from .tables import quadrature

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_NUMBERS_PER_BLOCK = 1 << 20  # products that are kept at once, for some rows, all places and all points
_SMALLEST_RATIO = 1e-200  # takes the place of 0, by which products cannot be divided
_KEPT, _LEFT, _FAILED = range(
    3
)  # the row satisfies the conditions of the unit, all but the last one, or not those above
NANOSECONDS_PER_POINT = 6.0  # for a place, a row and a point, measured


@dataclass(frozen=True, eq=False)
class CoverPass:
    """The factors of an ensemble at the points of a quadrature.

    Attributes
    ----------
    paths : the places of the ensemble.
    literals : the outcomes of the splits.
    literal, unit : `(places,)`, of the condition above each place. Roots have the literal that is always 1.
    previous : `(places,)`, the nearest place above whose condition is on the same unit, -1 if there is none.
    factors : `(places, 3, points)`, f_j divided by what it is at the previous place, in the three states of a row.
    slopes : `(places, 3, points)`, what the condition adds to the derivative of f_j divided by f_j, with the weights
        of the points.
    """

    paths: TreePaths
    literals: Literals
    literal: Places
    unit: Places
    previous: Places
    factors: Floats
    slopes: Floats

    @classmethod
    def of(cls, paths: TreePaths, index: str) -> CoverPass:
        """The factors of the places of an ensemble whose nodes know their cover."""
        below, above = slice(paths.levels[1], None), paths.parent[paths.levels[1] :]
        own_literal = 2 * paths.split[above] + paths.goes_right[below]
        literals, own_literal = Literals.of(paths.trees, paths.split_node, own_literal)
        literal, unit = np.full(len(paths.node), literals.zero + 1), np.full(len(paths.node), DROPPED)
        literal[below], unit[below] = own_literal, paths.unit[above]
        previous = _previous(paths, unit)
        step, ratio = np.ones(len(unit)), np.ones(len(unit))
        cover, cover_above = paths.trees.cover[paths.node[below]], paths.trees.cover[paths.node[above]]
        step[below] = np.divide(cover, cover_above, out=np.full(len(above), 0.5), where=cover_above > 0)
        step = np.maximum(step, _SMALLEST_RATIO)
        for begin, end in paths.lower_levels:
            ratio_above = np.where(previous[begin:end] < 0, 1.0, ratio[previous[begin:end]])
            ratio[begin:end] = np.maximum(step[begin:end] * ratio_above, _SMALLEST_RATIO)
        points, weights = np.array(quadrature(index, _largest_count(paths, previous, unit) - 1)).T
        factors, slopes = _tables(step, ratio, previous, unit, points, weights)
        return cls(paths, literals, literal, unit, previous, factors, slopes)

    def add(self, sums: Floats, rows: Floats, values: Floats, d: int) -> None:
        """Add the scores of rows.

        Parameters
        ----------
        sums : `(units * values, rows)`.
        rows : `(features, rows)`, in the precision of the trees.
        values : `(places, values)`, what each leaf adds.
        """
        step = max(1, _NUMBERS_PER_BLOCK // (len(self.paths.node) * self.factors.shape[2]))
        for begin in range(0, rows.shape[1], step):
            block = slice(begin, begin + step)
            sums[:, block] += self._block(rows[:, block], values, d)

    def _block(self, rows: Floats, values: Floats, d: int) -> Floats:
        paths, count, points = self.paths, rows.shape[1], self.factors.shape[2]
        state = self._states(rows)
        state += 3 * np.arange(len(state), dtype=state.dtype)[:, None]
        product = np.empty((len(paths.node), count, points))
        product[: paths.levels[1]] = 1.0
        factors, slopes = self.factors.reshape(-1, points), self.slopes.reshape(-1, points)
        for begin, end in paths.lower_levels:
            level = product[begin:end]
            np.take(factors, state[begin:end], axis=0, out=level, mode="clip")
            level *= product[paths.parent[begin:end]]
        used = np.flatnonzero(self.unit >= 0)
        by_unit = scipy.sparse.csr_array((np.ones(len(used)), (self.unit[used], used)), shape=(d, len(paths.node)))
        scores = np.empty((d, values.shape[1], count))
        for number in range(values.shape[1]):
            total = product * np.where(paths.is_leaf, values[:, number], 0.0)[:, None, None]
            for begin, end in reversed(paths.lower_levels):
                total[paths.parent[begin:end:2]] = total[begin:end:2] + total[begin + 1 : end : 2]
            shares = np.zeros((len(total), count))
            for begin, end in paths.lower_levels:
                np.einsum("pnt,pnt->pn", total[begin:end], slopes[state[begin:end]], out=shares[begin:end])
            scores[:, number] = by_unit @ shares
        return scores.reshape(-1, count)

    def _states(self, rows: Floats) -> NDArray[np.int32]:
        """The state of each row at each place, `(places, rows)`."""
        outcomes = self.literals.outcomes(rows, 1).astype(bool)
        is_kept = outcomes[self.literal]
        state = np.zeros(is_kept.shape, np.int32)
        for begin, end in self.paths.lower_levels:
            previous = self.previous[begin:end]
            has_previous = np.flatnonzero(previous >= 0)
            was_kept = np.ones((end - begin, rows.shape[1]), bool)
            was_kept[has_previous] = is_kept[previous[has_previous]]
            is_kept[begin:end] &= was_kept
            state[begin:end] = np.where(was_kept, np.where(is_kept[begin:end], _KEPT, _LEFT), _FAILED)
        return state


def _previous(paths: TreePaths, unit: Places) -> Places:
    """The nearest place above each place whose condition is on the same unit, -1 if there is none."""
    previous, current = np.full(len(unit), -1), paths.parent.copy()
    moving = np.flatnonzero((current >= 0) & (unit >= 0))
    while len(moving):
        above = current[moving]
        is_same = unit[above] == unit[moving]
        previous[moving[is_same]] = above[is_same]
        current[moving] = paths.parent[above]
        moving = moving[~is_same & (current[moving] >= 0)]
    return previous


def _largest_count(paths: TreePaths, previous: Places, unit: Places) -> int:
    """The largest number of units on a path."""
    count = np.zeros(len(unit), np.intp)
    for begin, end in paths.lower_levels:
        is_new = (previous[begin:end] < 0) & (unit[begin:end] >= 0)
        count[begin:end] = count[paths.parent[begin:end]] + is_new
    return int(count.max(initial=0))


def _tables(
    step: Floats, ratio: Floats, previous: Places, unit: Places, points: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """The factors and the slopes of `CoverPass`."""
    kept = points + (1 - points) * ratio[:, None]  # f_j of rows that satisfy all conditions
    failed = (1 - points) * ratio[:, None]
    slope = (1 - ratio[:, None]) / kept
    has_previous = (previous >= 0)[:, None]
    kept_above, slope_above = np.where(has_previous, kept[previous], 1.0), np.where(has_previous, slope[previous], 0.0)
    by_state = [kept / kept_above, failed / kept_above, np.broadcast_to(step[:, None], kept.shape)]
    factors = np.stack(by_state, axis=1)
    factors[unit == PINNED] = np.array([1.0, 0.0, 0.0])[:, None]
    factors[unit == DROPPED] = step[unit == DROPPED][:, None, None]
    slopes = np.stack([slope - slope_above, -1 / (1 - points) - slope_above, np.zeros_like(slope)], axis=1)
    slopes[unit < 0] = 0.0
    slopes *= weights
    return factors, slopes
