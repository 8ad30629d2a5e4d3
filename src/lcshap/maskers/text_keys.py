"""Keys of rows, which are equal for equal rows, so that these are evaluated once; and units that change no row."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..core.store_keys import row_keys


def text_keys(texts: Iterable[str]) -> list[bytes]:
    """A key for each text, equal for equal ones."""
    return row_keys(text.encode("utf-8", "surrogatepass") for text in texts)


def pair_keys(pairs: Iterable[tuple[str, str]]) -> list[bytes]:
    """A key for each pair of texts, equal for equal ones."""
    encoded = ([text.encode("utf-8", "surrogatepass") for text in pair] for pair in pairs)
    return row_keys(len(first).to_bytes(8, "little") + first + second for first, second in encoded)


def find_idle(
    x: NDArray[np.generic], reference: NDArray[np.generic], owners: NDArray[np.intp], d: int
) -> NDArray[np.bool_]:
    """Which units are exactly equal to the reference in all background rows, so that their presence changes nothing.

    Parameters
    ----------
    x, owners : `(*shape)`, the numbers of a row and the unit of each, -1 for none.
    reference : `(*shape)`, or `(M, *shape)` for M background rows.

    >>> find_idle(np.array([0.0, 1.0, -0.0]), np.zeros(3), np.arange(3), 3)
    array([ True, False, False])
    """
    size = x.dtype.itemsize
    if x.dtype != reference.dtype:
        return np.zeros(d, bool)
    row_bits, reference_bits = (
        np.ascontiguousarray(a).view(np.uint8).reshape(-1, x.size, size) for a in (x, reference)
    )
    differ = (row_bits != reference_bits).any(axis=(0, 2)) & (owners.ravel() >= 0)
    return np.asarray(np.bincount(owners.ravel()[differ], minlength=d) == 0)
