"""Where the parts of a text or of a file start and end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..json_reader import JsonNode

_MAX_OVERLAP = 8  # a character of a text is in at most so many spans on average: a token may be part of a character


def as_spans(spans: Any) -> NDArray[np.int64]:
    """Starts and ends as an array of shape `(n, 2)`.

    >>> as_spans(()).shape
    (0, 2)
    """
    return np.asarray(spans, np.int64).reshape(-1, 2)


def owners_of(spans: NDArray[np.int64], labels: NDArray[np.intp], length: int) -> NDArray[np.intp]:
    """The unit of each character or byte, -1 for none.

    >>> owners_of(as_spans([[0, 2], [3, 5]]), np.array([0, 1]), 6).tolist()
    [0, 0, -1, 1, 1, -1]
    """
    owners = np.full(length, -1, np.intp)
    for (start, end), unit in zip(spans.tolist(), labels.tolist(), strict=True):
        owners[start:end] = unit
    return owners


def read_spans(place: JsonNode, length: int) -> NDArray[np.int64]:
    """Where parts start and end, within a text or a file of a length."""
    numbers = place.array("iu")
    if not numbers.size:
        return np.empty((0, 2), np.int64)
    spans = place.integer_array(0, length, len(numbers), 2)
    lengths = spans[:, 1] - spans[:, 0]
    if (lengths < 0).any():
        place.fail("spans that end after they start", "others")
    if lengths.sum() > _MAX_OVERLAP * length:
        place.fail("spans that hardly overlap", f"{int(lengths.sum()):,} characters of {length:,}")
    return spans
