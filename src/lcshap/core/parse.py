"""JSON of strangers: parsed without surprises, and each value known by the place where it stands."""

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

_DIGITS = 20  # of an integer: as many as 64 bits need
_DEPTH = 32  # of what is nested
LARGEST = 1e300  # sums of numbers up to this are numbers
_ARRAYS = {"array", "shape", "type"}  # the keys of an array
_ODD = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_TYPES = {"bool", "float16", "float32", "float64", *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64))}


def parse(data: bytes, source: str) -> Any:
    r"""The content of JSON in UTF-8, without what Python's reader takes beyond it: NaN, repeated keys, huge numbers.

    >>> parse(b'{"a": [1, 2.5, "x"]}', "x.json")
    {'a': [1, 2.5, 'x']}
    >>> parse(b'{"a": 1, "a": 2}', "x.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lcshap.errors.FileFormatError: Expected an explanation saved by lcshap, got x.json, ...: the key 'a' appears twice.
    """
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_once,
            parse_constant=_no_constant,
            parse_int=_whole,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as error:  # also of decoding
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else printable(str(error), most=200)
        raise FileFormatError(
            f"Expected an explanation saved by lcshap, got {printable(source)}, which cannot be read: {reason}."
        ) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice[:60]!r} appears twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"an integer has {len(digits)} digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:60]} is not finite")
    return number


@dataclass(frozen=True)
class Place:
    """A value of a file and where it stands: every question about it has an answer, or a `FileFormatError`.

    >>> graph = Place({"d": 3, "names": ["a", "b", 5]}, "x.json")
    >>> graph["d"].whole(1, 9)
    3
    >>> graph["names"].texts(3)
    Traceback (most recent call last):
        ...
    lcshap.errors.FileFormatError: x.json is damaged at names[2]: expected a text, got 5.
    """

    value: Any
    source: str
    name: str = ""

    def fail(self, expected: str, got: str | None = None) -> NoReturn:
        """Say what was expected here."""
        where = f" at {printable(self.name, most=200)}" if self.name else ""
        found = _short(self.value) if got is None else got
        raise FileFormatError(f"{printable(self.source)} is damaged{where}: expected {expected}, got {found}.")

    def __getitem__(self, key: str) -> Place:
        """What stands under a key."""
        self.mapping()
        if key not in self.value:
            Place(None, self.source, self._under(key)).fail("a value", "nothing")
        return self.get(key)

    def get(self, key: str) -> Place:
        """What stands under a key; None where there is none."""
        return Place(self.value.get(key), self.source, self._under(key))

    def _under(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    @property
    def missing(self) -> bool:
        """Whether nothing stands here."""
        return self.value is None

    # -- plain values -----------------------------------------------------------------------------------------------

    def mapping(self) -> Mapping[str, Any]:
        """An object of JSON."""
        if type(self.value) is not dict:
            self.fail("an object")
        return dict(self.value)

    def items(self, count: int | None = None) -> Iterator[Place]:
        """A list, of so many values."""
        if type(self.value) is not list:
            self.fail("a list")
        if count is not None and len(self.value) != count:
            self.fail(f"a list of {count:,}", f"one of {len(self.value):,}")
        return (Place(value, self.source, f"{self.name}[{i}]") for i, value in enumerate(self.value))

    def text(self) -> str:
        """A string."""
        if type(self.value) is not str:
            self.fail("a text")
        return str(self.value)

    def texts(self, count: int | None = None) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(place.text() for place in self.items(count))

    def choice(self, known: Any) -> str:
        """One of some strings."""
        if type(self.value) is not str or self.value not in known:
            self.fail(f"one of {', '.join(known)}")
        return str(self.value)

    def truth(self) -> bool:
        """True or false."""
        if type(self.value) is not bool:
            self.fail("true or false")
        return bool(self.value)

    def whole(self, low: int = 0, high: int = 2**63 - 1) -> int:
        """An integer within bounds."""
        if type(self.value) is not int or not low <= self.value <= high:
            bounds = f"from {low:,} to {high:,}" if high < 2**63 - 1 else f"of at least {low:,}"
            self.fail(f"an integer {bounds}")
        return int(self.value)

    def number(self) -> float:
        """A finite number."""
        if type(self.value) not in (int, float) or abs(self.value) > LARGEST:
            self.fail("a number")
        return float(self.value)

    def plain(self, depth: int = _DEPTH) -> Any:
        """Any plain data that is not nested too deeply, arrays included."""
        if type(self.value) is dict:
            if set(self.value) == _ARRAYS:
                return self.array()
            self._shallow(depth)
            return {key: self.get(key).plain(depth - 1) for key in self.value}
        if type(self.value) is list:
            self._shallow(depth)
            return [place.plain(depth - 1) for place in self.items()]
        if self.value is None or type(self.value) in (str, bool, int):
            return self.value
        return self.number()

    def _shallow(self, depth: int) -> None:
        if depth <= 0:
            self.fail(f"data nested at most {_DEPTH} deep", "more")

    # -- arrays -----------------------------------------------------------------------------------------------------

    def array(self, kinds: str = "biuf", finite: bool = False) -> NDArray[Any]:
        """An array of a known type with as many numbers as its shape says.

        Parameters
        ----------
        kinds : the kinds of numbers that are expected, as NumPy writes them: b, i, u, f.
        finite : whether all numbers must be.
        """
        if type(self.value) is not dict or set(self.value) != _ARRAYS:
            self.fail("an array")
        dtype = np.dtype(self["type"].choice(sorted(_TYPES)))
        if dtype.kind not in kinds:
            self["type"].fail(f"a type of {_named(kinds)}")
        shape = tuple(side.whole(0, 2**31 - 1) for side in self["shape"].items())
        if len(shape) > 8 or math.prod(side or 1 for side in shape) > 2**40:
            self["shape"].fail("a shape that NumPy has")
        items = self["array"]
        if type(items.value) is str:
            found = _decoded(items, dtype, math.prod(shape)).reshape(shape)
        else:
            items.items(math.prod(shape))
            found = _numbers(items, dtype).reshape(shape)
        if finite and not np.isfinite(found).all():
            items.fail("finite numbers", "others")
        if finite and dtype == np.float64 and (np.abs(found) > LARGEST).any():
            items.fail(f"numbers up to {LARGEST}", "others")
        return found

    def floats(self, *shape: int | None, finite: bool = True) -> NDArray[np.float64]:
        """An array of floats of a shape; None stands for any length of at least 1."""
        return self._shaped(self.array("f", finite), shape).astype(np.float64, copy=False)

    def units(self, low: int, high: int, *shape: int | None) -> NDArray[np.int64]:
        """An array of integers of a shape, all of them within bounds."""
        found = self._shaped(self.array("iu"), shape)
        if found.size and (found.min() < low or found.max() > high):
            self.fail(f"integers from {low:,} to {high:,}", f"{found.min()} to {found.max()}")
        return found.astype(np.int64, copy=False)

    def _shaped(self, found: NDArray[Any], shape: tuple[int | None, ...]) -> NDArray[Any]:
        fits = found.ndim == len(shape) and all(
            n >= 1 if wanted is None else n == wanted for n, wanted in zip(found.shape, shape, strict=True)
        )
        if not fits:
            self.fail(f"an array of shape ({', '.join('n' if n is None else str(n) for n in shape)})", str(found.shape))
        return found


def _numbers(items: Place, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of an array, each of a kind that its type has."""
    kinds: dict[str, set[type]] = {"b": {bool}, "i": {int}, "u": {int}, "f": {int, float, str}}
    allowed = kinds[dtype.kind]
    values = items.value
    if not set(map(type, values)) <= allowed:
        bad = next(place for place in items.items() if type(place.value) not in allowed)
        bad.fail(f"a number of type {dtype}")
    if str in set(map(type, values)):
        odd = next((p for p in items.items() if type(p.value) is str and p.value not in _ODD), None)
        if odd is not None:
            odd.fail("a number")
        values = [_ODD[value] if type(value) is str else value for value in values]
    try:
        with np.errstate(over="raise"):
            return np.array(values, dtype)
    except (OverflowError, FloatingPointError):
        items.fail(f"numbers that fit the type {dtype}", "larger ones")


def _decoded(text: Place, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
    """The numbers whose bytes, the lowest first, are in base64: as many as the text has room for, and no more."""
    expected = count * dtype.itemsize
    if len(text.value) != -(-expected // 3) * 4:
        text.fail(f"base64 of {expected:,} bytes", f"{len(text.value):,} characters")
    try:
        data = b64decode(text.value, validate=True)
    except ValueError:  # also of characters that are not ASCII
        text.fail("base64", "something else")
    if len(data) != expected or (dtype.kind == "b" and not set(data) <= {0, 1}):
        text.fail(f"base64 of {expected:,} bytes of type {dtype}", "others")
    return np.frombuffer(data, dtype.newbyteorder("<")).astype(dtype)


def _named(kinds: str) -> str:
    names = {"b": "truth values", "i": "integers", "f": "floats"}
    return " or ".join(name for kind, name in names.items() if kind in kinds)


def _short(value: Any) -> str:
    """A value, or of long ones what it is."""
    if type(value) in (dict, list):
        return "an object" if type(value) is dict else f"a list of {len(value):,}"
    if type(value) is str:
        return repr(value) if len(value) <= 60 else f"a text of {len(value):,} characters"
    return "nothing" if value is None else str(value)
