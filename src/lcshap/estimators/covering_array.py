"""Covering arrays: few sets of units whose intersections with every neighbourhood are all of its subsets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.plan import check_calls

Kept = NDArray[np.bool_]
Places = NDArray[np.intp]


def covering(balls: sparse.csr_array, limit: int | None = None) -> Kept:
    """Sets of units such that every subset of every ball is the intersection of the ball with one of them.

    A largest ball of n units needs at least :math:`2^n` sets. On chains and trees about as many are enough for any
    number of units, because each set intersects all balls at once.

    The balls are covered one after the other. The sets so far are grouped by their intersection with the units of the
    ball that were covered before, and within each group the new units take all their patterns in turn. If a group has
    too few sets for this, sets are added whose other units are random with a fixed seed.

    Parameters
    ----------
    balls : a boolean matrix `(balls, d)`.
    limit : raise `PlanTooLargeError` above so many sets.

    Examples
    --------
    >>> import lcshap as lc
    >>> covering(lc.Graph.chain(1000).balls(1)).shape  # subsets of balls of three units
    (8, 1000)
    """
    d = balls.shape[1]
    rng, covered, sets = np.random.default_rng(0), np.zeros(d, bool), np.zeros((0, d), bool)
    for ball in _order_balls(balls):
        covered_units, new_units = ball[covered[ball]], ball[~covered[ball]]
        units = np.concatenate([covered_units, new_units])
        order = rng.permutation(len(sets))
        groups = subset_codes(sets[order], covered_units)
        order, groups = order[np.argsort(groups, kind="stable")], np.sort(groups)
        set_counts = np.bincount(groups, minlength=2 ** len(covered_units))
        first_places = np.cumsum(set_counts) - set_counts
        places = np.arange(len(sets)) - first_places[groups]  # the position of each set within its group
        sets[np.ix_(order, new_units)] = _unpack_bits(places % 2 ** len(new_units), len(new_units))
        # Codes of a pattern of the new units (high bits) and one of the covered units (low bits).
        missing_patterns = np.flatnonzero(np.arange(2 ** len(new_units))[:, None] >= set_counts)
        if len(missing_patterns):
            check_calls(len(sets) + len(missing_patterns), limit)
            added_sets = rng.random((len(missing_patterns), d)) < 0.5
            added_sets[:, units] = _unpack_bits(missing_patterns, len(units))
            sets = np.concatenate([sets, added_sets])
        covered[ball] = True
    return sets


def subset_codes(kept: Kept, units: Places) -> NDArray[np.int64]:
    """The intersection of each set with some units, as a number whose bit p is that of the unit at position p.

    >>> subset_codes(np.array([[True, False, True]]), np.array([2, 1])).tolist()
    [1]
    """
    numbers = np.zeros(len(kept), np.int64)
    for place, unit in enumerate(units.tolist()):
        numbers |= kept[:, unit].astype(np.int64) << place
    return numbers


def _order_balls(balls: sparse.csr_array) -> Iterator[Places]:
    """The units of each ball: the largest ball first, then always the one with the most covered units."""
    sizes = np.diff(balls.indptr).astype(np.int64)
    balls_by_unit = sparse.csc_array(balls)
    covered_counts, covered = np.zeros(len(sizes), np.int64), np.zeros(balls.shape[1], bool)
    for _ in range(len(sizes)):
        row = int(np.argmax(covered_counts * (sizes.max() + 1) + sizes))
        ball = balls.indices[balls.indptr[row] : balls.indptr[row + 1]].astype(np.intp)
        for unit in ball[~covered[ball]].tolist():
            covered_counts[balls_by_unit.indices[balls_by_unit.indptr[unit] : balls_by_unit.indptr[unit + 1]]] += 1
        covered[ball] = True
        covered_counts[row] = -len(covered) - sizes.max()  # so that this row is not chosen again
        sizes[row] = 0
        yield ball


def _unpack_bits(numbers: NDArray[np.integer], count: int) -> Kept:
    return np.asarray(numbers[:, None] >> np.arange(count) & 1 == 1)
