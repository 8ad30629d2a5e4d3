"""Few sets of units that show every subset of every neighbourhood: one set shows a subset of each of them at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.plan import check_calls

Kept = NDArray[np.bool_]
Places = NDArray[np.intp]


def covering(balls: sparse.csr_array, limit: int | None = None) -> Kept:
    """Sets of units such that every subset of every ball is what one of them has of that ball.

    No fewer than :math:`2^n` sets do for a largest ball of n units. On chains and trees about as many are enough,
    however many units there are, because a set of units has a part in every ball.

    The balls are taken one after the other. The sets so far are sorted by what they have of the units that were dealt
    with before, and within each such group the units that are new take all their patterns in turn. Where a group has
    too few sets for that, new ones are added. Which ones these are is random, with a fixed seed.

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
    rng, done, sets = np.random.default_rng(0), np.zeros(d, bool), np.zeros((0, d), bool)
    for ball in _in_turn(balls):
        old, new = ball[done[ball]], ball[~done[ball]]
        units = np.concatenate([old, new])
        order = rng.permutation(len(sets))
        groups = codes(sets[order], old)
        order, groups = order[np.argsort(groups, kind="stable")], np.sort(groups)
        have = np.bincount(groups, minlength=2 ** len(old))
        turn = np.arange(len(sets)) - (np.cumsum(have) - have)[groups]  # the place of each set within its group
        sets[np.ix_(order, new)] = _bits(turn % 2 ** len(new), len(new))
        lacking = np.flatnonzero(np.arange(2 ** len(new))[:, None] >= have)  # (pattern of new, pattern of old)
        if len(lacking):
            check_calls(len(sets) + len(lacking), limit)
            more = rng.random((len(lacking), d)) < 0.5
            more[:, units] = _bits(lacking, len(units))
            sets = np.concatenate([sets, more])
        done[ball] = True
    return sets


def codes(kept: Kept, units: Places) -> NDArray[np.int64]:
    """What each set has of some units, as a number whose bit p stands for the unit at place p.

    >>> codes(np.array([[True, False, True]]), np.array([2, 1])).tolist()
    [1]
    """
    found = np.zeros(len(kept), np.int64)
    for place, unit in enumerate(units.tolist()):
        found |= kept[:, unit].astype(np.int64) << place
    return found


def _in_turn(balls: sparse.csr_array) -> Iterator[Places]:
    """The units of each ball: the largest ball first, then always the one of which most units have come up before."""
    sizes = np.diff(balls.indptr).astype(np.int64)
    holders = sparse.csc_array(balls)
    seen, done = np.zeros(len(sizes), np.int64), np.zeros(balls.shape[1], bool)
    for _ in range(len(sizes)):
        row = int(np.argmax(seen * (sizes.max() + 1) + sizes))
        ball = balls.indices[balls.indptr[row] : balls.indptr[row + 1]].astype(np.intp)
        for unit in ball[~done[ball]].tolist():
            seen[holders.indices[holders.indptr[unit] : holders.indptr[unit + 1]]] += 1
        done[ball] = True
        seen[row] = -len(done) - sizes.max()  # never again
        sizes[row] = 0
        yield ball


def _bits(numbers: NDArray[np.integer], count: int) -> Kept:
    return np.asarray(numbers[:, None] >> np.arange(count) & 1 == 1)
