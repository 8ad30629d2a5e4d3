"""Find equal sets fast and exactly: group by a 64-bit hash, then check every group member against its first.

Sorting one integer per set is many times faster than sorting the sets themselves. A collision of hashes would merge two
different sets and give wrong scores without an error. Therefore every grouping is verified against the sets, and
repeated with other hash keys if it is wrong, which has not been observed yet.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Hash = Callable[[int], NDArray[np.uint64]]
Same = Callable[[NDArray[np.intp], NDArray[np.intp]], bool]
_PIECE_ITEMS = 1 << 16


def hash_integers(numbers: NDArray[np.integer] | int, salt: int = 0) -> NDArray[np.uint64]:
    """Scramble integers into 64 random-looking bits (the finaliser of SplitMix64, Steele et al. 2014)."""
    x = np.atleast_1d(np.asarray(numbers)).astype(np.uint64)
    x = (x + np.uint64(salt + 1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def group_equal(
    hashed: Hash, same: Same, near: NDArray[np.integer] | None = None
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Group equal items.

    Parameters
    ----------
    hashed : salt -> one hash per item; equal items must have equal hashes.
    same : (items, others) -> whether each item equals the other at the same place.
    near : a number from 0 up for each item, the same for equal items. Items are sorted in pieces of like numbers, which
        keeps the time per item the same from thousands to millions of items. It changes no result.

    Returns
    -------
    first : for each group, in the order of first appearance, the index of its first item.
    inverse : for each item, its group: ``item == items[first[inverse]]``.
    """
    for salt in range(16):
        h = hashed(salt)
        if not len(h):
            return np.empty(0, np.intp), np.empty(0, np.int32)
        order = _sort_by_hash(h, near)
        ordered = h[order]
        starts_group = np.empty(len(h), bool)
        starts_group[0] = True
        np.not_equal(ordered[1:], ordered[:-1], out=starts_group[1:])
        earliest = np.minimum.reduceat(order, np.flatnonzero(starts_group))
        is_first = np.zeros(len(h), bool)
        is_first[earliest] = True
        group_number = (np.cumsum(is_first, dtype=np.int32) - 1)[earliest]
        inverse = np.empty(len(h), np.int32)
        inverse[order] = group_number[np.cumsum(starts_group, dtype=np.int32) - 1]
        first = np.flatnonzero(is_first)
        repeated = np.flatnonzero(~is_first)
        if same(repeated, first[inverse[repeated]]):
            return first, inverse
    raise AssertionError("sixteen hash functions collided in a row: the hash is broken")


def _sort_by_hash(h: NDArray[np.uint64], near: NDArray[np.integer] | None) -> NDArray[np.intp]:
    """An order in which equal hashes of items with equal `near` stand together."""
    if near is None or len(h) <= _PIECE_ITEMS:
        return np.argsort(h)
    order, box = sort_small(near * np.int64(65_535) // max(int(near.max()), 1))
    edges = np.append(np.flatnonzero(np.diff(box)) + 1, len(h))
    cuts = np.unique(edges[np.searchsorted(edges, np.arange(_PIECE_ITEMS, len(h), _PIECE_ITEMS))])
    for piece in np.split(order, cuts):
        piece[:] = piece[np.argsort(h[piece])]
    return order


def sort_small(numbers: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.integer]]:
    """Order items by numbers from 0 up, ties by place: in linear time (by radix) while the numbers fit 16 bits."""
    if len(numbers) and numbers.max() < 2**16:
        numbers = numbers.astype(np.uint16)
    order = np.argsort(numbers, kind="stable")
    return order, numbers[order]


def concatenate_ranges(starts: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Concatenate ``arange(start, start + length)`` over all pairs.

    >>> concatenate_ranges(np.array([5, 0, 9]), np.array([2, 3, 0])).tolist()
    [5, 6, 0, 1, 2]
    """
    lengths = np.asarray(lengths, np.int64)
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.repeat(np.asarray(starts, np.int64) - (ends - lengths), lengths) + np.arange(total))
