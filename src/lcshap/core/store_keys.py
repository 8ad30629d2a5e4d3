"""Keys: 16 bytes for each coalition or row, equal for equal ones and different for all others."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .coalitions import Coalitions

KEY_BYTES = 16  # bytes of a key: among 10**15 different rows two collide with a probability of about 10**-9
_CELLS_PER_STEP = 1 << 22  # how many dense cells are packed at once: bounds the memory
_BLOCK_BITS = (
    1016  # bits that fit into one block of BLAKE2, apart from the byte in front: fewer bits take the same time
)
_INDEX_BITS = 32  # bits of a stored index: a set with more stored indices than d / 32 is shorter as d bits


def set_keys(coalitions: Coalitions, idle: NDArray[np.bool_] | None = None) -> list[bytes]:
    """A key for each coalition, equal for equal sets of units; whether idle units are kept does not count.

    >>> sets = Coalitions.from_sets(3, [[0], [0, 2], [1, 2]])
    >>> keys = set_keys(sets, idle=np.array([False, False, True]))
    >>> keys[0] == keys[1], keys[1] == keys[2]
    (True, False)
    """
    if coalitions.d <= _BLOCK_BITS:
        return _keys_from_bits(coalitions, idle)
    if idle is not None:
        coalitions = _drop_idle(coalitions, idle)
    index_counts = np.diff(coalitions.offsets)
    is_short = _INDEX_BITS * np.minimum(index_counts, coalitions.d - index_counts) <= coalitions.d
    keys = np.empty(len(coalitions), object)
    keys[is_short] = _keys_from_indices(coalitions.take(np.flatnonzero(is_short)))
    keys[~is_short] = _keys_from_bits(coalitions.take(np.flatnonzero(~is_short)))
    key_list: list[bytes] = keys.tolist()
    return key_list


def row_keys(rows: Iterable[bytes]) -> list[bytes]:
    """A key for each row, equal for equal ones.

    >>> [key.hex()[:4] for key in row_keys([b"bad", b"very bad", b"bad"])]
    ['5a71', 'f1c6', '5a71']
    """
    return [blake2b(row, digest_size=KEY_BYTES).digest() for row in rows]


def _drop_idle(coalitions: Coalitions, idle: NDArray[np.bool_]) -> Coalitions:
    """The coalitions among the units that are not idle, numbered anew."""
    is_active = ~idle[coalitions.indices]
    numbers = (np.cumsum(~idle) - 1).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(is_active)])[coalitions.offsets]
    return Coalitions(int((~idle).sum()), numbers[coalitions.indices[is_active]], offsets, coalitions.removed)


def _keys_from_indices(coalitions: Coalitions) -> list[bytes]:
    """Keys of small or large sets: from the numbers of the units that are present, or of those that are absent."""
    c = coalitions.canonical()
    bounds, flat = (c.indices.itemsize * c.offsets).tolist(), np.ascontiguousarray(c.indices).tobytes()
    signs = [b"\1" if removed else b"\0" for removed in c.removed.tolist()]
    return row_keys(sign + flat[a:b] for sign, (a, b) in zip(signs, pairwise(bounds), strict=True))


def _keys_from_bits(coalitions: Coalitions, idle: NDArray[np.bool_] | None = None) -> list[bytes]:
    """Keys of all other sets: from one bit for each unit, which is 0 for idle units."""
    keys: list[bytes] = []
    step, width = max(1, _CELLS_PER_STEP // max(1, coalitions.d)), -(-coalitions.d // 8)
    for start in range(0, len(coalitions), step):
        mask = coalitions.dense(start, start + step)
        if idle is not None:
            mask &= ~idle
        flat = np.packbits(mask, axis=1).tobytes()
        keys += row_keys(b"\2" + flat[row * width : (row + 1) * width] for row in range(len(mask)))
    return keys
