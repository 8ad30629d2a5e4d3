"""Numbers and texts as JSON that is small and safe inside a web page."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pack(array: ArrayLike) -> str:
    """An array as its type and the base64 of its bytes: float32, or the smallest integers that hold it.

    >>> pack([1, 2, 255]), pack([0.5])
    ('u1AQL/', 'f4AAAAPw==')
    """
    numbers = np.asarray(array)
    kind = _smallest(numbers) if numbers.dtype.kind in "iub" else "f4"
    numbers = to_float32(numbers) if kind == "f4" else numbers
    data = np.ascontiguousarray(numbers, np.dtype(kind).newbyteorder("<"))
    return kind + base64.b64encode(data.tobytes()).decode("ascii")


def to_float32(numbers: ArrayLike) -> NDArray[np.float32]:
    """Numbers as the page has them; what is finite stays so."""
    most = np.finfo(np.float32).max
    return np.where(np.isfinite(numbers), np.clip(numbers, -most, most), numbers).astype(np.float32)


def number(value: Any) -> float | str:
    """A number to six significant digits; what JSON does not have as the text that JavaScript reads.

    >>> number(1 / 3), number(-np.inf)
    (0.333333, '-Infinity')
    """
    x = float(value)
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    return float(f"{x:.6g}")


def embed(content: Any) -> str:
    r"""JSON in ASCII without any character that means something in HTML.

    >>> embed(["</script>", "\u2028"])
    '["\\u003c/script\\u003e","\\u2028"]'
    """
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


class Pool:
    """What many samples share, such as the names of pixels: stored once, referred to by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def add(self, content: Any) -> int:
        """The number of some content."""
        return self._numbers.setdefault(embed(content), len(self._numbers))

    @property
    def blocks(self) -> list[str]:
        """All contents as JSON, in the order of their numbers."""
        return list(self._numbers)


def _smallest(numbers: np.ndarray[Any, Any]) -> str:
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    for kind in ("u1", "u2", "i2", "u4"):
        bounds = np.iinfo(kind)
        if bounds.min <= low and high <= bounds.max:
            return kind
    return "i4"
