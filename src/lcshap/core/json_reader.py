"""Read JSON from untrusted files: strict parsing, and checked access that names the place of a wrong value."""

from __future__ import annotations

import json
import math
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import FileFormatError
from .printable import printable

_MAX_DIGITS = 20  # The maximum number of digits of an integer; 64 bits need fewer.
_MAX_DEPTH = 32  # The maximum depth of nested lists and objects.
MAX_NUMBER = 1e300  # Sums of numbers below this limit are finite.
_ARRAY_KEYS = {"array", "shape", "type"}  # the keys of an array
_NON_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_DTYPES = {"bool", "float16", "float32", "float64", *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64))}


def parse_json(encoded: bytes, source: str) -> Any:
    r"""Parse JSON in UTF-8 and refuse what only Python's reader accepts: NaN, repeated keys, huge numbers.

    >>> parse_json(b'{"a": [1, 2.5, "x"]}', "x.json")
    {'a': [1, 2.5, 'x']}
    >>> parse_json(b'{"a": 1, "a": 2}', "x.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lcshap.errors.FileFormatError: Expected an explanation saved by lcshap, got x.json, ...: the key 'a' appears twice.
    """
    try:
        return json.loads(
            encoded.decode("utf-8"),
            object_pairs_hook=_reject_duplicate_keys,
            parse_constant=_reject_constant,
            parse_int=_parse_int,
            parse_float=_parse_float,
        )
    except (ValueError, RecursionError) as error:  # Decoding errors are ValueErrors too.
        nested = isinstance(error, RecursionError)
        reason = "it is nested too deeply" if nested else printable(str(error), max_length=200)
        raise FileFormatError(
            f"Expected an explanation saved by lcshap, got {printable(source)}, which cannot be read: {reason}."
        ) from None


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        earlier_keys = set[str]()
        duplicate = next(key for key, _ in pairs if key in earlier_keys or earlier_keys.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {duplicate[:60]!r} appears twice")
    return mapping


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")


def _parse_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"an integer has {len(digits)} digits")
    return int(digits)


def _parse_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:60]} is not finite")
    return number


@dataclass(frozen=True)
class JsonNode:
    """A value of a file and its place. Methods return it if its type is right, and raise `FileFormatError` if not.

    >>> graph = JsonNode({"d": 3, "names": ["a", "b", 5]}, "x.json")
    >>> graph["d"].integer(1, 9)
    3
    >>> graph["names"].strings(3)
    Traceback (most recent call last):
        ...
    lcshap.errors.FileFormatError: x.json is damaged at names[2]: expected a text, got 5.
    """

    value: Any
    source: str
    name: str = ""

    def fail(self, expected: str, actual: str | None = None) -> NoReturn:
        """Raise `FileFormatError` with the place, the expected value and the actual one."""
        location = f" at {printable(self.name, max_length=200)}" if self.name else ""
        actual_text = _summarize(self.value) if actual is None else actual
        raise FileFormatError(f"{printable(self.source)} is damaged{location}: expected {expected}, got {actual_text}.")

    def __getitem__(self, key: str) -> JsonNode:
        """The value of a key, which must exist."""
        self.mapping()
        if key not in self.value:
            JsonNode(None, self.source, self._key_path(key)).fail("a value", "nothing")
        return self.get(key)

    def get(self, key: str) -> JsonNode:
        """The value of a key; None if it does not exist."""
        return JsonNode(self.value.get(key), self.source, self._key_path(key))

    def _key_path(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    @property
    def missing(self) -> bool:
        """Whether there is no value."""
        return self.value is None

    # -- plain values -----------------------------------------------------------------------------------------------

    def mapping(self) -> Mapping[str, Any]:
        """An object of JSON."""
        if type(self.value) is not dict:
            self.fail("an object")
        return dict(self.value)

    def items(self, count: int | None = None) -> Iterator[JsonNode]:
        """The values of a list, of `count` values if it is set."""
        if type(self.value) is not list:
            self.fail("a list")
        if count is not None and len(self.value) != count:
            self.fail(f"a list of {count:,}", f"one of {len(self.value):,}")
        return (JsonNode(value, self.source, f"{self.name}[{i}]") for i, value in enumerate(self.value))

    def string(self) -> str:
        """A string."""
        if type(self.value) is not str:
            self.fail("a text")
        return str(self.value)

    def strings(self, count: int | None = None) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(place.string() for place in self.items(count))

    def choice(self, choices: Any) -> str:
        """One of some strings."""
        if type(self.value) is not str or self.value not in choices:
            self.fail(f"one of {', '.join(choices)}")
        return str(self.value)

    def boolean(self) -> bool:
        """True or false."""
        if type(self.value) is not bool:
            self.fail("true or false")
        return bool(self.value)

    def integer(self, low: int = 0, high: int = 2**63 - 1) -> int:
        """An integer within bounds."""
        if type(self.value) is not int or not low <= self.value <= high:
            bounds = f"from {low:,} to {high:,}" if high < 2**63 - 1 else f"of at least {low:,}"
            self.fail(f"an integer {bounds}")
        return int(self.value)

    def number(self) -> float:
        """A finite number."""
        if type(self.value) not in (int, float) or abs(self.value) > MAX_NUMBER:
            self.fail("a number")
        return float(self.value)

    def plain(self, depth: int = _MAX_DEPTH) -> Any:
        """Any plain data that is not nested too deeply, arrays included."""
        if type(self.value) is dict:
            if set(self.value) == _ARRAY_KEYS:
                return self.array()
            self._check_depth(depth)
            return {key: self.get(key).plain(depth - 1) for key in self.value}
        if type(self.value) is list:
            self._check_depth(depth)
            return [place.plain(depth - 1) for place in self.items()]
        if self.value is None or type(self.value) in (str, bool, int):
            return self.value
        return self.number()

    def _check_depth(self, depth: int) -> None:
        if depth <= 0:
            self.fail(f"data nested at most {_MAX_DEPTH} deep", "more")

    # -- arrays -----------------------------------------------------------------------------------------------------

    def array(self, kinds: str = "biuf", finite: bool = False) -> NDArray[Any]:
        """An array of a known type with as many numbers as its shape says.

        Parameters
        ----------
        kinds : the kinds of numbers that are expected, as NumPy writes them: b, i, u, f.
        finite : whether all numbers must be.
        """
        if type(self.value) is not dict or set(self.value) != _ARRAY_KEYS:
            self.fail("an array")
        dtype = np.dtype(self["type"].choice(sorted(_DTYPES)))
        if dtype.kind not in kinds:
            self["type"].fail(f"a type of {_kind_names(kinds)}")
        shape = tuple(side.integer(0, 2**31 - 1) for side in self["shape"].items())
        if len(shape) > 8 or math.prod(side or 1 for side in shape) > 2**40:
            self["shape"].fail("a shape that NumPy has")
        content = self["array"]
        if type(content.value) is str:
            numbers = _decode_numbers(content, dtype, math.prod(shape)).reshape(shape)
        else:
            content.items(math.prod(shape))
            numbers = _convert_numbers(content, dtype).reshape(shape)
        if finite and not np.isfinite(numbers).all():
            content.fail("finite numbers", "others")
        if finite and dtype == np.float64 and (np.abs(numbers) > MAX_NUMBER).any():
            content.fail(f"numbers up to {MAX_NUMBER}", "others")
        return numbers

    def float_array(self, *shape: int | None, finite: bool = True) -> NDArray[np.float64]:
        """An array of floats of a shape; None stands for any length of at least 1."""
        return self._check_shape(self.array("f", finite), shape).astype(np.float64, copy=False)

    def integer_array(self, low: int, high: int, *shape: int | None) -> NDArray[np.int64]:
        """An array of integers of a shape, all of them within bounds."""
        integers = self._check_shape(self.array("iu"), shape)
        if integers.size and (integers.min() < low or integers.max() > high):
            self.fail(f"integers from {low:,} to {high:,}", f"{integers.min()} to {integers.max()}")
        return integers.astype(np.int64, copy=False)

    def _check_shape(self, numbers: NDArray[Any], shape: tuple[int | None, ...]) -> NDArray[Any]:
        fits = numbers.ndim == len(shape) and all(
            n >= 1 if length is None else n == length for n, length in zip(numbers.shape, shape, strict=True)
        )
        if not fits:
            self.fail(
                f"an array of shape ({', '.join('n' if n is None else str(n) for n in shape)})", str(numbers.shape)
            )
        return numbers


def _convert_numbers(items: JsonNode, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of an array, each of a kind that its type has."""
    kinds: dict[str, set[type]] = {"b": {bool}, "i": {int}, "u": {int}, "f": {int, float, str}}
    allowed = kinds[dtype.kind]
    values = items.value
    if not set(map(type, values)) <= allowed:
        bad = next(place for place in items.items() if type(place.value) not in allowed)
        bad.fail(f"a number of type {dtype}")
    if str in set(map(type, values)):
        odd = next((p for p in items.items() if type(p.value) is str and p.value not in _NON_FINITE), None)
        if odd is not None:
            odd.fail("a number")
        values = [_NON_FINITE[value] if type(value) is str else value for value in values]
    try:
        with np.errstate(over="raise"):
            return np.array(values, dtype)
    except (OverflowError, FloatingPointError):
        items.fail(f"numbers that fit the type {dtype}", "larger ones")


def _decode_numbers(text: JsonNode, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
    """The numbers whose bytes, the lowest first, are in base64. Their number must match the length of the text."""
    expected = count * dtype.itemsize
    if len(text.value) != -(-expected // 3) * 4:
        text.fail(f"base64 of {expected:,} bytes", f"{len(text.value):,} characters")
    try:
        decoded = b64decode(text.value, validate=True)
    except ValueError:  # This error is also raised for characters that are not ASCII.
        text.fail("base64", "something else")
    if len(decoded) != expected or (dtype.kind == "b" and not set(decoded) <= {0, 1}):
        text.fail(f"base64 of {expected:,} bytes of type {dtype}", "others")
    return np.frombuffer(decoded, dtype.newbyteorder("<")).astype(dtype)


def _kind_names(kinds: str) -> str:
    names = {"b": "truth values", "i": "integers", "f": "floats"}
    return " or ".join(name for kind, name in names.items() if kind in kinds)


def _summarize(value: Any) -> str:
    """A value in words; of long values only the type and the length."""
    if type(value) in (dict, list):
        return "an object" if type(value) is dict else f"a list of {len(value):,}"
    if type(value) is str:
        return repr(value) if len(value) <= 60 else f"a text of {len(value):,} characters"
    return "nothing" if value is None else str(value)
