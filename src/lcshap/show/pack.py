"""Numbers and texts as JSON that is small and safe inside a web page."""

from __future__ import annotations

import base64
import json
import math
import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.views import View

_MAX_BFLOAT16 = 3.38e38  # finite, also after rounding to eight binary digits
_UNSAFE_CHARACTERS = re.compile("[<>&\u2028\u2029\ud800-\udfff]")  # the last range is surrogates, which UTF-8 lacks


def pack_array(array: ArrayLike) -> str:
    """An array as its type and the base64 of its bytes: float32, or the smallest integers that hold it.

    >>> pack_array([1, 2, 255]), pack_array([0.5])
    ('u1AQL/', 'f4AAAAPw==')
    """
    numbers = np.asarray(array)
    kind = _smallest_integer_type(numbers) if numbers.dtype.kind in "iub" else "f4"
    return kind + _encode_base64(to_float32(numbers) if kind == "f4" else numbers, kind)


def pack_bfloat16(array: ArrayLike) -> str:
    """Numbers of which two digits are shown, such as standard errors, as the first 16 of the 32 bits of a float.

    That keeps eight binary digits: numbers are rounded by at most one part in 256.

    >>> pack_bfloat16([0.5, 1 / 3])
    'b2AD+rPg=='
    """
    floats = to_float32(array, _MAX_BFLOAT16)
    bits = np.ascontiguousarray(floats).view(np.uint32)
    return "b2" + _encode_base64(np.where(np.isfinite(floats), bits + np.uint32(0x8000), bits) >> np.uint32(16), "u2")


def _encode_base64(numbers: NDArray[Any], kind: str) -> str:
    data = np.ascontiguousarray(numbers, np.dtype(kind).newbyteorder("<"))
    return base64.b64encode(data.tobytes()).decode("ascii")


def pack_spans(spans: NDArray[Any]) -> str | list[int | str]:
    """Starts and ends of parts: one small number a part where they follow each other closely.

    The number of a part is ``length * width + gap - low``, where its gap from the part before is between ``low`` and
    ``low + width - 1``. Where that takes more than 16 bits, starts and ends are stored as they are.

    >>> pack_spans(np.array([[0, 4], [5, 7]])), pack_spans(np.array([[0, 90_000]]))
    ([0, 2, 'u1CAU='], 'u4AAAAAJBfAQA=')
    """
    flat = np.asarray(spans, np.int64).reshape(-1, 2)
    if not len(flat):
        return pack_array(flat.ravel())
    gaps, lengths = flat[:, 0] - np.concatenate([[0], flat[:-1, 1]]), flat[:, 1] - flat[:, 0]
    low, width = int(gaps.min()), int(np.ptp(gaps)) + 1
    if lengths.min() < 0 or (int(lengths.max()) + 1) * width > 2**16:
        return pack_array(flat.ravel())
    return [low, width, pack_array(lengths * width + gaps - low)]


def pack_order(order: ArrayLike, expected: ArrayLike) -> str | list[str] | None:
    """An order of units that the page expects to be another: where they differ and how; nothing where they do not.

    >>> pack_order([0, 1, 2], [0, 1, 2]), pack_order([3, 0, 2, 1, 4], [3, 0, 1, 2, 4])
    (None, ['u1AgM=', 'u1AgE='])
    """
    order = np.asarray(order)
    where = np.flatnonzero(order != np.asarray(expected))
    if not len(where):
        return None
    return pack_array(order) if 2 * len(where) >= len(order) else [pack_array(where), pack_array(order[where])]


def to_float32(numbers: ArrayLike, max_abs: float = float(np.finfo(np.float32).max)) -> NDArray[np.float32]:
    """Numbers as the page has them; what is finite stays so, and its absolute value is at most `max_abs`."""
    return np.where(np.isfinite(numbers), np.clip(numbers, -max_abs, max_abs), numbers).astype(np.float32)


def json_number(value: Any) -> float | str:
    """A number to six significant digits; what JSON does not have as the text that JavaScript reads.

    >>> json_number(1 / 3), json_number(-np.inf)
    (0.333333, '-Infinity')
    """
    x = float(value)
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    return float(f"{x:.6g}")


def to_safe_json(content: Any) -> str:
    r"""JSON without any character that means something in HTML or ends a line of a script, or that UTF-8 does not have.

    >>> to_safe_json(["</script>", "\u2028"])
    '["\\u003c/script\\u003e","\\u2028"]'
    """
    text = json.dumps(content, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return _UNSAFE_CHARACTERS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class ContentPool:
    """What many samples share, such as the names of pixels: stored once, referred to by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def add(self, content: Any) -> int:
        """The number of some content."""
        return self._numbers.setdefault(to_safe_json(content), len(self._numbers))

    @property
    def blocks(self) -> list[str]:
        """All contents as JSON, in the order of their numbers."""
        return list(self._numbers)


def utf16_offsets(text: str) -> NDArray[np.int64]:
    """Where each character of a text starts, and where the text ends, as JavaScript counts.

    >>> utf16_offsets("a😀b").tolist()
    [0, 1, 3, 4]
    """
    wide = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") > 0xFFFF
    return np.asarray(np.arange(len(text) + 1) + np.concatenate([[0], np.cumsum(wide)]), np.int64)


def pack_labels(view: View, pool: ContentPool) -> dict[str, int]:
    """The unit of each part; nothing where part i is unit i."""
    labels = view.labels.ravel()
    return {} if np.array_equal(labels, np.arange(len(labels))) else {"labels": pool.add(pack_array(labels))}


def _smallest_integer_type(numbers: np.ndarray[Any, Any]) -> str:
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    for kind in ("u1", "u2", "i2", "u4"):
        bounds = np.iinfo(kind)
        if bounds.min <= low and high <= bounds.max:
            return kind
    return "i4"
