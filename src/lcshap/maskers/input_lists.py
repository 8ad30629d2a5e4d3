"""Which objects contain many inputs: lists, iterators, arrays with one axis more than an input, pandas objects."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..errors import MaskerError


def is_list(x: Any) -> bool:
    """Whether this is a sequence other than a string or bytes, or an iterator other than an open file.

    >>> [is_list(x) for x in ([], ("a", "b"), iter("ab"), "ab", b"ab", {"a"})]
    [True, True, True, False, False, False]
    """
    if isinstance(x, Iterator):
        return not isinstance(x, io.IOBase)
    return isinstance(x, Sequence) and not isinstance(x, str | bytes | bytearray | memoryview)


def count_axes(x: Any) -> int | None:
    """The number of axes of an array, a tensor or a pandas object; None for anything else."""
    axes = getattr(x, "ndim", None)
    return axes if isinstance(axes, int) and hasattr(x, "__getitem__") and not isinstance(x, memoryview) else None


def is_pandas(x: Any) -> bool:
    """Whether this is a pandas DataFrame. pandas is not imported for that."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, pandas.DataFrame)


def is_pandas_series(x: Any) -> bool:
    """Whether this is a pandas Series. pandas is not imported for that."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, pandas.Series)


def is_frame(x: Any) -> bool:
    """Whether this is a DataFrame of pandas or polars."""
    polars = sys.modules.get("polars")
    return is_pandas(x) or (polars is not None and isinstance(x, polars.DataFrame))


def holds_inputs(x: Any, noun: str) -> bool:
    """Whether this contains many inputs that are not arrays, such as texts or molecules."""
    axes = 2 if is_frame(x) else count_axes(x)
    if axes is not None and axes > 1:
        description = "a DataFrame" if is_frame(x) else f"an array of {axes} axes"
        advice = "Give one of its columns" if is_frame(x) else "Give a list or an array of one axis"
        raise MaskerError(f"Expected {noun}, got {description}. {advice}.")
    return is_list(x) or axes == 1


def holds_rows(x: Any, axes: int = 1) -> bool:
    """Whether this contains many inputs, each of which is an array of so many axes or a list of numbers.

    >>> [holds_rows(x) for x in ([], [1, 2], [[1, 2], [3]], np.zeros(3), np.zeros((1, 3)))]
    [True, False, True, False, True]
    """
    ndim = 2 if is_frame(x) else count_axes(x)
    if ndim is None:
        return is_list(x) and (isinstance(x, Iterator) or not len(x) or _is_nested(x[0]))
    return ndim == axes + 1 or (ndim == 1 and _holds_objects(x) and any(_is_nested(entry) for entry in islice(x, 1)))


def list_inputs(x: Any) -> list[Any]:
    """The inputs in an object that contains many; those of a DataFrame are its rows.

    >>> list_inputs(np.array(["a", "b"])), list_inputs(c for c in "ab")
    (['a', 'b'], ['a', 'b'])
    """
    if is_frame(x):
        return [x.iloc[row] if is_pandas(x) else x[row].row(0) for row in range(len(x))]
    if count_axes(x) == 1 and hasattr(x, "tolist"):
        inputs: list[Any] = x.tolist()
        return inputs
    return list(x)


def list_rows(x: Any) -> list[Any]:
    """The same for inputs of numbers. An iterator over numbers does not contain such inputs."""
    rows = list_inputs(x)
    if isinstance(x, Iterator) and rows and not _is_nested(rows[0]):
        raise MaskerError(
            f"Expected one input or many, got an iterator over single items such as {rows[0]!r:.40}. "
            "Give a list or an array of them to explain one input."
        )
    return rows


def shape_of(reference: Any) -> tuple[int, ...]:
    """The shape of an array or of nested lists; `()` for other objects."""
    try:
        return np.shape(reference)
    except ValueError:  # a ragged list is reported when it is used
        return ()


def _is_nested(entry: Any) -> bool:
    axes = count_axes(entry)
    return is_list(entry) or isinstance(entry, Mapping) or is_frame(entry) if axes is None else axes > 0


def _holds_objects(x: Any) -> bool:
    return getattr(x, "dtype", None) == np.dtype(object)
