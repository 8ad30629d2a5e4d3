"""Single values of tables: when two of them are equal, which are missing, and the errors for wrong ones."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from ..core.digest import digest, identity_token
from ..core.printable import printable
from ..errors import MaskerError

Names = tuple[str, ...]
_MAX_LISTED = 8  # categories or columns that an error lists
_USER_STACK_LEVEL = 6  # frames between the call of a user and a warning about columns


def equality_key(value: Any) -> Any:
    """A key that is equal for equal values and different for all others. NaN equals NaN, and 1 is not True.

    >>> equality_key(float("nan")) == equality_key(float("nan"))
    True
    >>> equality_key(1) == equality_key(True), equality_key(0.0) == equality_key(-0.0)
    (False, False)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return "array", digest(value)
    kind = type(value)
    if kind is str or value is None:
        return value
    if kind is list or kind is tuple:
        return (kind.__name__, *map(equality_key, value))
    package = kind.__module__.partition(".")[0]
    if kind in (int, bool, float, bytes, Decimal) or package in ("datetime", "pandas"):
        return kind.__name__, repr(value)
    return identity_token(value)


def is_missing(value: Any) -> bool:
    """Whether this is a missing value: None, NaN, or one of those of pandas.

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


def to_number(value: Any, name: str, subject: str) -> float:
    """A value of a column of numbers; raises for anything else, including texts of digits."""
    if isinstance(value, int | float | np.number | np.bool_ | Decimal) and math.isfinite(value):
        return float(value)
    raise wrong_value_error(value, "a finite number", name, subject)


def is_hashable(value: Any) -> bool:
    """Whether this can be the key of a dictionary."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


# -- columns ---------------------------------------------------------------------------------------------------


def align_columns(
    expected: Sequence[str], columns: Sequence[str], subject: str, source: str = "the background"
) -> list[int] | None:
    """The position of each expected column among those of some data; None if they are the same in the same order.

    Columns that are not expected are left out with a warning. `MaskerError` if one is missing.

    >>> align_columns(["age", "dose"], ["dose", "age"], "x")
    [1, 0]
    """
    expected, columns = list(expected), list(columns)
    if columns == expected:
        return None
    positions = {name: position for position, name in enumerate(columns)}
    if len(positions) < len(columns):
        repeated = next(name for name in columns if columns.count(name) > 1)
        raise MaskerError(f"Expected {subject} to have one column of each name, got several named {repeated!r}.")
    if not positions.keys() >= set(expected):
        raise missing_columns_error(expected, columns, subject, source)
    if extra := [name for name in columns if name not in expected]:
        listed = ", ".join(printable(repr(name), max_length=60) for name in extra[:_MAX_LISTED])
        listed += ", ..." if len(extra) > _MAX_LISTED else ""
        message = f"Columns of {subject} that {source} does not have are left out: {listed}."
        warnings.warn(message, stacklevel=_USER_STACK_LEVEL)
    return [positions[name] for name in expected]


# -- errors ----------------------------------------------------------------------------------------------------


def missing_columns_error(expected: Sequence[str], columns: Sequence[str], subject: str, source: str) -> MaskerError:
    """The error for data that lack some of the expected columns; `source` says which columns are expected."""
    lacking = [name for name in expected if name not in columns]
    extra = [name for name in columns if name not in expected]
    differences = [f"{preposition} {', '.join(map(repr, names[:_MAX_LISTED]))}" for preposition, names in
             (("without", lacking), ("with", extra)) if names]  # fmt: skip
    return MaskerError(f"Expected {subject} to have the columns of {source}, got one {' and '.join(differences)}.")


def wrong_value_error(value: Any, expected: str, name: str, subject: str, advice: str = "") -> MaskerError:
    """The error for a value that a column cannot contain, with advice."""
    value_text = printable(repr(value), max_length=60)
    message = f"Expected {expected} in column {name!r} of {subject}, as in the background, got {value_text}."
    return MaskerError(f"{message} {advice}" if advice else message)


def unseen_category_error(value: Any, categories: list[Any], name: str, subject: str) -> MaskerError:
    """The error for a category that the background's type does not have."""
    listed = ", ".join(printable(repr(c), max_length=60) for c in categories[:_MAX_LISTED]) + (
        ", ..." if len(categories) > _MAX_LISTED else ""
    )
    value_text = printable(repr(value), max_length=60)
    return MaskerError(
        f"Expected one of the categories {listed} in column {name!r} of {subject}, got {value_text}, which is unseen."
    )
