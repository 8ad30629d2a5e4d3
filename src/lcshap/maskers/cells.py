"""Single values of tables: what makes two of them equal, which stand for none, and what is said of wrong ones."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from ..core.digest import digest, token
from ..core.printable import printable
from ..errors import MaskerError

Names = tuple[str, ...]
_SHOWN = 8  # categories or columns that an error lists


def identity(value: Any) -> Any:
    """Something that is equal for equal values and different for all others: NaN equals NaN, and 1 is not True.

    >>> identity(float("nan")) == identity(float("nan")), identity(1) == identity(True), identity(0.0) == identity(-0.0)
    (True, False, False)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return "array", digest(value)
    kind = type(value)
    if kind is str or value is None:
        return value
    if kind is list or kind is tuple:
        return (kind.__name__, *map(identity, value))
    home = kind.__module__.partition(".")[0]
    if kind in (int, bool, float, bytes, Decimal) or home in ("datetime", "pandas"):
        return kind.__name__, repr(value)
    return token(value)


def is_missing(value: Any) -> bool:
    """Whether this stands for no value: None, NaN, and what pandas has for it.

    >>> [is_missing(v) for v in (None, float("nan"), np.float32("nan"), np.datetime64("NaT"), 0, "", "nan")]
    [True, True, True, True, False, False, False]
    """
    if value is None:
        return True
    if isinstance(value, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(value != value)
    return type(value).__name__ in ("NAType", "NaTType")


def is_series(x: Any) -> bool:
    """Whether this has values and, in `index`, labels of them."""
    return hasattr(x, "to_numpy") and hasattr(x, "index") and not callable(x.index)


def to_number(value: Any, name: str, who: str) -> float:
    """A value of a column of numbers; anything that is none is refused, texts of digits too."""
    if isinstance(value, int | float | np.number | np.bool_ | Decimal) and math.isfinite(value):
        return float(value)
    raise wrong(value, "a finite number", name, who)


def is_hashable(value: Any) -> bool:
    """Whether a dict takes this as a key."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


# -- errors ----------------------------------------------------------------------------------------------------


def same_columns(mine: Names, given: Names, who: str, everything: Names | None = None) -> None:
    """Refuse columns that are not those of the background in the same order."""
    everything = given if everything is None else everything
    lacking = [name for name in mine if name not in everything]
    extra = [name for name in everything if name not in mine]
    if lacking or extra:
        parts = [f"{what} {', '.join(map(repr, names[:_SHOWN]))}" for what, names in
                 (("without", lacking), ("with", extra)) if names]  # fmt: skip
        raise MaskerError(f"Expected {who} to have the columns of the background, got one {' and '.join(parts)}.")
    for i, (a, b) in enumerate(zip(mine, given, strict=False)):
        if a != b:
            raise MaskerError(
                f"Expected the columns of the masker in the same order in {who}, got {b!r} instead of {a!r} "
                f"as column {i}."
            )
    if len(given) != len(mine):
        raise MaskerError(f"Expected {len(mine)} columns in {who}, as in the background, got {len(given)}.")


def wrong(value: Any, expected: str, name: str, who: str, do: str = "") -> MaskerError:
    """The error for a value that a column cannot hold, and what to do about it."""
    said = printable(repr(value), most=60)
    found = f"Expected {expected} in column {name!r} of {who}, as in the background, got {said}."
    return MaskerError(f"{found} {do}" if do else found)


def unseen(value: Any, known: list[Any], name: str, who: str) -> MaskerError:
    """The error for a category that the background's type does not have."""
    listed = ", ".join(printable(repr(c), most=60) for c in known[:_SHOWN]) + (", ..." if len(known) > _SHOWN else "")
    said = printable(repr(value), most=60)
    return MaskerError(
        f"Expected one of the categories {listed} in column {name!r} of {who}, got {said}, which is unseen."
    )
