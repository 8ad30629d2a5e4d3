"""Read y: the true class of an input, by name or number, or its true number or numbers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.printable import printable
from ..errors import TargetError
from .probabilities import Floats

_MAX_LISTED_CLASSES = 10  # in an error


def read_true_class(y: Any, names: Sequence[str] | None, count: int) -> int:
    """The number of the class that `y` is.

    Parameters
    ----------
    y : the name of a class, such as an entry of ``classes_`` of a scikit-learn model; or its number, where the classes
        have no names, or names that are not numbers.
    names : the names of the classes; None if they have none.
    count : how many classes there are.

    Raises
    ------
    TargetError : for anything else, and for a class that the model does not have.

    Examples
    --------
    >>> read_true_class("yes", ["no", "yes"], 2), read_true_class(2.0, ["1", "2"], 2)
    (1, 1)
    """
    number = _to_integer(y)
    name = str(y) if number is None or isinstance(y, bool | np.bool_) else str(number)
    if names is not None and len(names) == count:
        if name in names:
            return list(names).index(name)
        if any(entry.lstrip("-").isdigit() for entry in names):  # a number would be mistaken for a name
            number = None
    elif isinstance(y, str) and name.isdigit():  # as it stands in a file
        number = int(name)
    if number is None or not 0 <= number < count:
        listed = list(names or map(str, range(count)))
        more = ", ..." if len(listed) > _MAX_LISTED_CLASSES else ""
        classes = ", ".join(printable(entry, max_length=60) for entry in listed[:_MAX_LISTED_CLASSES])
        raise TargetError(f"Expected y to be a class of the model ({classes}{more}), got {y!r:.60}.")
    return number


def read_true_numbers(y: Any, count: int) -> Floats:
    """`y` as numbers, `(count,)`: one for each output of the model.

    Raises
    ------
    TargetError : if it is not as many finite numbers.

    Examples
    --------
    >>> read_true_numbers("2.5", 1), read_true_numbers([1, 2], 2)
    (array([2.5]), array([1., 2.]))
    """
    try:
        numbers = np.asarray(y, np.float64).ravel()
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.shape != (count,) or not np.isfinite(numbers).all():
        shape = "a finite number" if count == 1 else f"{count} finite numbers"
        raise TargetError(f"Expected y to be {shape}, as many as the model returns for a row, got {y!r:.60}.")
    return numbers


def _to_integer(y: Any) -> int | None:
    """The whole number that y is; None if it is none."""
    if isinstance(y, bool | np.bool_):
        return int(y)
    if isinstance(y, float | np.floating) and float(y).is_integer():
        return int(y)
    try:
        return operator.index(y)
    except TypeError:
        return None
