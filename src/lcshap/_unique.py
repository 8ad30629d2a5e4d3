"""Find equal sets fast and exactly: group by a 64-bit hash, then check every group member against its first.

Sorting one integer per set is many times faster than sorting the sets themselves. A collision of hashes would merge two
different sets and give wrong scores without a sound, so it is never left to chance: every grouping is verified against
the sets, and done again with other hash keys in the (never yet seen) case that it fails.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Hash = Callable[[int], NDArray[np.uint64]]
Same = Callable[[NDArray[np.intp], NDArray[np.intp]], bool]


def mix(numbers: NDArray[np.integer] | int, salt: int = 0) -> NDArray[np.uint64]:
    """Scramble integers into 64 random-looking bits (the finaliser of SplitMix64, Steele et al. 2014)."""
    x = np.atleast_1d(np.asarray(numbers)).astype(np.uint64)
    x = (x + np.uint64(salt + 1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def group(hashed: Hash, same: Same) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group equal items.

    Parameters
    ----------
    hashed : salt -> one hash per item; equal items must have equal hashes.
    same : (items, others) -> whether each item equals the other at the same place.

    Returns
    -------
    first : for each group, in the order of first appearance, the index of its first item.
    inverse : for each item, its group: ``item == items[first[inverse]]``.
    """
    for salt in range(16):
        h = hashed(salt)
        if not len(h):
            return np.empty(0, np.intp), np.empty(0, np.intp)
        order = np.argsort(h)
        ordered = h[order]
        new = np.empty(len(h), bool)
        new[0] = True
        np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
        first = np.minimum.reduceat(order, np.flatnonzero(new))
        rank = np.argsort(first)
        place = np.empty(len(first), np.intp)
        place[rank] = np.arange(len(first))
        inverse = np.empty(len(h), np.intp)
        inverse[order] = place[np.cumsum(new) - 1]
        first = first[rank]
        repeated = np.flatnonzero(first[inverse] != np.arange(len(h)))
        if same(repeated, first[inverse[repeated]]):
            return first, inverse
    raise AssertionError("sixteen hash functions collided in a row: the hash is broken")


def ranges(starts: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Concatenate ``arange(start, start + length)`` over all pairs.

    >>> ranges(np.array([5, 0, 9]), np.array([2, 3, 0])).tolist()
    [5, 6, 0, 1, 2]
    """
    lengths = np.asarray(lengths, np.int64)
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(np.asarray(starts, np.int64) - (ends - lengths), lengths) + np.arange(total)
