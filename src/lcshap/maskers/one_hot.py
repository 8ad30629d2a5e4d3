"""Blocks of columns that are one category, written as a 1 among 0s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.views import one_hot_feature
from ..errors import MaskerError
from .dataframes import Frame
from .mixed import read_array, read_table


def one_hot_groups(data: Any, names: Sequence[str] | None = None) -> dict[str, list[str]]:
    """The blocks of columns that are one feature each, encoded as a 1 among 0s: groups for `Tabular`.

    A block consists of neighbouring columns of zeros and ones (or booleans) whose names are equal up to a separator, as
    in ``city_Oslo`` and ``city_Rome``, and in which no row has two ones. Columns without names are a block if every row
    has exactly one 1.

    Parameters
    ----------
    data : rows `(n, columns)`, an array or a DataFrame; at least two rows.
    names : the names of the columns, if the data has none.

    Returns
    -------
    The names of the columns of each block, by the name of the block.

    Raises
    ------
    MaskerError : if the data is not a table.

    Examples
    --------
    >>> data = [[3.0, 1, 0, 0], [5.0, 0, 1, 0], [4.0, 0, 0, 1]]
    >>> one_hot_groups(data, ["age", "city_Oslo", "city_Paris", "city_Rome"])
    {'city': ['city_Oslo', 'city_Paris', 'city_Rome']}
    """
    table = read_table(data, "the data")
    if isinstance(table, Frame):
        column_names: Sequence[str] | None = table.names if names is None else names
    else:
        column_names = read_array(data, "the data")[1] if names is None else names
    if len(table.shape) != 2:
        raise MaskerError(f"Expected rows and columns to find one-hot blocks in, got a shape of {table.shape}.")
    numbers = [str(i) for i in range(table.shape[1])]
    labels = numbers if column_names is None else [str(name) for name in column_names]
    return {
        name: [labels[c] for c in block]
        for name, block in find_blocks(table, None if column_names is None else labels).items()
    }


def find_blocks(table: NDArray[np.floating] | Frame, names: Sequence[str] | None) -> dict[str, list[int]]:
    """The columns of each block, by its name; see `one_hot_groups`."""
    if table.shape[0] < 2:
        return {}
    is_one, blocks, start = _find_ones(table), dict[str, list[int]](), 0
    while start < len(is_one):
        end = _find_block_end(is_one, names, start)
        if end - start > 1:
            name = f"{start}-{end - 1}" if names is None else one_hot_feature(names[start:end])
            blocks.setdefault(name, list(range(start, end)))
        start = max(end, start + 1)
    return blocks


def _find_block_end(is_one: list[NDArray[np.bool_] | None], names: Sequence[str] | None, start: int) -> int:
    """Where the block that starts at a column ends: before the column that no longer belongs to it."""
    total, end = np.zeros(1, int), start
    for c in range(start, len(is_one)):
        column = is_one[c]
        if column is None or (total + column).max() > 1:
            break
        stem = "" if names is None else one_hot_feature(names[start : c + 1])
        before = "" if names is None or c < start + 2 else one_hot_feature(names[start:c])
        if c > start and names is not None and (not stem or (total.min() == 1 and stem != before)):
            break
        total, end = total + column, c + 1
        if names is None and total.min() == 1:
            return end
    return end if names is not None else start


def _find_ones(table: NDArray[np.floating] | Frame) -> list[NDArray[np.bool_] | None]:
    """Where each column of zeros and ones has a one; None for other columns."""
    if isinstance(table, Frame):
        columns = [table.values(c) for c in range(table.shape[1])]
        return [np.array(values, bool) if all(map(_is_bit, values)) else None for values in columns]
    is_one = table == 1
    binary = (is_one | (table == 0)).all(axis=0)
    return [is_one[:, c] if binary[c] else None for c in range(table.shape[1])]


def _is_bit(value: Any) -> bool:
    return type(value) in (int, float, bool) and value in (0, 1)
