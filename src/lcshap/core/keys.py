"""Keys: 16 bytes for each coalition or row, equal for equal ones and different for all others."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .coalitions import Coalitions

SIZE = 16  # bytes of a key: among 10**15 different things two collide with a probability of about 10**-9
_CELLS = 1 << 22  # how many dense cells are packed at once: bounds the memory
_BLOCK = 1016  # bits that are hashed as fast as few: one block of BLAKE2, but for the byte that says what follows
_WORD = 32  # bits of a stored index: a set with more stored indices than d / 32 is shorter as d bits


def set_keys(coalitions: Coalitions, idle: NDArray[np.bool_] | None = None) -> list[bytes]:
    """A key for each coalition, equal for equal sets of units; whether idle units are kept does not count.

    >>> sets = Coalitions.from_sets(3, [[0], [0, 2], [1, 2]])
    >>> keys = set_keys(sets, idle=np.array([False, False, True]))
    >>> keys[0] == keys[1], keys[1] == keys[2]
    (True, False)
    """
    if coalitions.d <= _BLOCK:
        return _by_bits(coalitions, idle)
    if idle is not None:
        coalitions = _drop(coalitions, idle)
    stored = np.diff(coalitions.offsets)
    short = _WORD * np.minimum(stored, coalitions.d - stored) <= coalitions.d
    keys = np.empty(len(coalitions), object)
    keys[short] = _by_indices(coalitions.take(np.flatnonzero(short)))
    keys[~short] = _by_bits(coalitions.take(np.flatnonzero(~short)))
    found: list[bytes] = keys.tolist()
    return found


def row_keys(rows: Iterable[bytes]) -> list[bytes]:
    """A key for each row, equal for equal ones.

    >>> [key.hex()[:4] for key in row_keys([b"bad", b"very bad", b"bad"])]
    ['5a71', 'f1c6', '5a71']
    """
    return [blake2b(row, digest_size=SIZE).digest() for row in rows]


def _drop(coalitions: Coalitions, idle: NDArray[np.bool_]) -> Coalitions:
    """The coalitions among the units that are not idle, numbered anew."""
    stays = ~idle[coalitions.indices]
    numbers = (np.cumsum(~idle) - 1).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(stays)])[coalitions.offsets]
    return Coalitions(int((~idle).sum()), numbers[coalitions.indices[stays]], offsets, coalitions.removed)


def _by_indices(coalitions: Coalitions) -> list[bytes]:
    """Of small sets, or of what is missing where little is: the numbers of these units."""
    c = coalitions.canonical()
    bounds, flat = (c.indices.itemsize * c.offsets).tolist(), np.ascontiguousarray(c.indices).tobytes()
    signs = [b"\1" if removed else b"\0" for removed in c.removed.tolist()]
    return row_keys(sign + flat[a:b] for sign, (a, b) in zip(signs, pairwise(bounds), strict=True))


def _by_bits(coalitions: Coalitions, idle: NDArray[np.bool_] | None = None) -> list[bytes]:
    """Of few units or large sets: a bit for each unit, 0 for idle ones."""
    keys: list[bytes] = []
    step, width = max(1, _CELLS // max(1, coalitions.d)), -(-coalitions.d // 8)
    for start in range(0, len(coalitions), step):
        kept = coalitions.dense(start, start + step)
        if idle is not None:
            kept &= ~idle
        flat = np.packbits(kept, axis=1).tobytes()
        keys += row_keys(b"\2" + flat[row * width : (row + 1) * width] for row in range(len(kept)))
    return keys
