"""What stands in brackets after a set of explanations: a number, a slice, a mask or numbers of inputs."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError


def resolve_index(index: Any, count: int) -> int | slice | NDArray[np.intp]:
    """The position of one of `count` inputs, from 0 up; or a slice, or the positions of several inputs.

    Raises
    ------
    IndexError : if an input does not exist, as lists do.
    OptionError : if `index` is something else, or a mask of another length.

    Examples
    --------
    >>> resolve_index(-1, 3), resolve_index([True, False, True], 3), resolve_index([2, -3], 3)
    (2, array([0, 2]), array([2, 0]))
    """
    if isinstance(index, slice):
        return index
    try:
        number = operator.index(index)
    except TypeError:
        return _resolve_positions(index, count)
    if not -count <= number < count:
        raise IndexError(f"Expected the number of an input, {_range_text(count)}, got {number}.")
    return number % count


def resolve_mask(mask: Any, count: int) -> NDArray[np.intp]:
    """The positions of the inputs that a mask keeps.

    >>> resolve_mask([False, True], 2)
    array([1])
    """
    entries = _as_array(mask)
    if not count and not entries.size:
        return np.empty(0, np.intp)
    if entries.dtype != bool or entries.shape != (count,):
        raise OptionError(
            f"Expected a mask of {count:,} booleans, one for each input, got "
            f"{_describe(entries) if entries.dtype == bool else type(mask).__name__ + ' of ' + str(entries.dtype)}."
        )
    return np.flatnonzero(entries)


def _resolve_positions(index: Any, count: int) -> NDArray[np.intp]:
    if isinstance(index, tuple | str | bytes | float) or index is None:
        raise OptionError(
            "Expected the number of an input, a slice, a mask or a list of numbers, got "
            f"{index!r:.60}. Scores of single units are in scores: xs.scores[:, 2]."
        )
    entries = _as_array(index)
    if entries.dtype == bool:
        return resolve_mask(entries, count)
    if entries.ndim != 1 or (entries.dtype.kind not in "iu" and entries.size):
        raise OptionError(
            f"Expected a mask of {count:,} booleans or a list of numbers of inputs, got {_describe(entries)}."
        )
    numbers = entries.astype(np.intp)
    if numbers.size and not (-count <= numbers.min() and numbers.max() < count):
        raise IndexError(f"Expected numbers of inputs, {_range_text(count)}, got {numbers.min()} to {numbers.max()}.")
    return np.where(numbers < 0, numbers + count, numbers)


def _as_array(index: Any) -> NDArray[Any]:
    """An array; objects that are all booleans, as pandas returns them from columns that may have gaps, as booleans."""
    try:
        entries = np.asarray(index)
    except ValueError:
        raise OptionError(f"Expected a mask or a list of numbers of inputs, got {type(index).__name__}.") from None
    if entries.dtype == object and all(isinstance(entry, bool | np.bool_) for entry in entries.ravel()):
        return entries.astype(bool)
    return entries


def _describe(entries: NDArray[Any]) -> str:
    return f"an array of shape {entries.shape} and type {entries.dtype}"


def _range_text(count: int) -> str:
    return f"from {-count} to {count - 1}" if count else "which do not exist in an empty set"
