"""How the rows of a table become the numbers that a model compares or weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.row_encoding import RowEncoder
from ..maskers.input_lists import is_frame, is_pandas

Floats = NDArray[np.float64]


class CategoryCodes(RowEncoder):
    """Categorical columns of a pandas DataFrame as the position of each value in the categories of the training data.

    Parameters
    ----------
    columns : the number of columns.
    categories : the categories of each categorical column, in the order of these columns. A category that is not
        listed becomes NaN.

    Examples
    --------
    >>> import pandas as pd
    >>> encoder = CategoryCodes(2, [("a", "b")])
    >>> encoder.encode(pd.DataFrame({"x": [0.5, 1.5], "kind": pd.Categorical(["b", "c"])})).tolist()
    [[0.5, 1.0], [1.5, nan]]
    """

    def __init__(self, columns: int, categories: Sequence[Sequence[Any]]) -> None:
        self.sources = np.arange(columns)
        self.categories = tuple(map(tuple, categories))

    def encode(self, rows: Any) -> Floats:
        """The numbers of rows."""
        if not is_pandas(rows):
            return to_numbers(rows)
        category_lists = iter(self.categories)
        return np.stack(
            [
                category_codes(column, next(category_lists, ()))
                if hasattr(column.dtype, "categories")
                else np.asarray(column, np.float64)
                for _, column in rows.items()
            ],
            axis=1,
        )


class ZerosAsMissing(RowEncoder):
    """All columns, followed by some of them once more, in which zeros are NaN.

    Parameters
    ----------
    columns : the number of columns.
    zero_columns : the columns that come up a second time.
    tolerance : numbers up to this size are zeros.

    Examples
    --------
    >>> ZerosAsMissing(2, [1]).encode(np.array([[0.0, 0.0], [3.0, 4.0]]))
    array([[ 0.,  0., nan],
           [ 3.,  4.,  4.]])
    """

    def __init__(self, columns: int, zero_columns: Any, tolerance: float = 0.0) -> None:
        self.zero_columns, self.tolerance = np.asarray(zero_columns, np.intp), tolerance
        self.sources = np.concatenate([np.arange(columns), self.zero_columns])

    def encode(self, rows: Any) -> Floats:
        """The numbers of rows."""
        numbers = to_numbers(rows)
        marked = numbers[:, self.zero_columns]
        return np.hstack([numbers, np.where(np.abs(marked) <= self.tolerance, np.nan, marked)])


class XGBoostRows(RowEncoder):
    """Rows as XGBoost takes them: categories as codes, the marker of missing values as NaN.

    Parameters
    ----------
    columns : the number of columns.
    missing : the marker. The entries that a sparse matrix leaves out are missing too, and are no zeros.
    categories : by the number of a column, its categories in the training data, texts as bytes. The DataFrame's own
        codes are taken for other columns.
    codes : the columns that hold codes of categories.

    Examples
    --------
    >>> XGBoostRows(2, missing=0).encode(np.array([[0.0, 3.0]]))
    array([[nan,  3.]])
    """

    def __init__(
        self,
        columns: int,
        missing: float = np.nan,
        categories: Mapping[int, Sequence[Any]] | None = None,
        codes: Sequence[int] = (),
    ) -> None:
        self.sources = np.arange(columns)
        self.missing, self.categories, self.codes = np.float32(missing), dict(categories or {}), list(codes)

    def encode(self, rows: Any) -> Floats:
        """The numbers of rows."""
        numbers = _stored_entries(rows) if hasattr(rows, "toarray") else self._dense(rows)
        is_marker = numbers.astype(np.float32) == self.missing
        numbers = np.where(is_marker, np.nan, numbers) if is_marker.any() else numbers
        if self.codes:  # XGBoost takes negative numbers for unknown categories, and cuts off decimals of others
            numbers = numbers.copy()
            numbers[:, self.codes] = np.floor(numbers[:, self.codes].astype(np.float32))
        return numbers

    def _dense(self, rows: Any) -> Floats:
        if not is_pandas(rows):
            return to_numbers(rows)
        columns = []
        for number, (name, column) in enumerate(rows.items()):
            if not hasattr(column.dtype, "categories"):
                columns.append(np.asarray(column, np.float64))
                continue
            known = self.categories.get(number)
            codes = category_codes(column, column.dtype.categories if known is None else _matched(column, known))
            unknown = np.isnan(codes) & column.notna().to_numpy()
            if unknown.any():
                raise ValueError(f"column {name!r} has a category that is not in the training data")
            columns.append(codes)
        return np.stack(columns, axis=1)


def to_numbers(rows: Any) -> Floats:
    """Rows as a dense array of numbers, without a copy if they are one."""
    if hasattr(rows, "toarray"):
        rows = rows.toarray()
    return np.asarray(rows.to_numpy() if is_frame(rows) else rows, np.float64)


def _matched(column: Any, stored: Sequence[Any]) -> list[Any]:
    """The categories that XGBoost has stored, in its order, as those of a column of pandas; None for all others.

    XGBoost up to 3.2 counts letters in place of bytes where it divides texts, in the same way for all DataFrames.
    """
    own = list(column.dtype.categories)
    names = own
    if own and isinstance(own[0], str):
        names = [text.encode() for text in own]
        if not set(names) <= set(stored):
            text, ends = "".join(own).encode(), np.cumsum([0, *map(len, own)])
            names = [text[start:end] for start, end in pairwise(ends.tolist())]
    own_of_name = dict(zip(names, own, strict=True))
    return [own_of_name.get(name) for name in stored]


def category_codes(column: Any, categories: Sequence[Any]) -> Floats:
    """The position of each cell of a categorical column of pandas in a list of categories; NaN if it is not listed."""
    positions = {category: float(code) for code, category in enumerate(categories)}
    table = np.array([positions.get(category, np.nan) for category in column.dtype.categories] + [np.nan])
    return np.asarray(table[column.cat.codes.to_numpy()], np.float64)  # the code -1 is a missing cell


def _stored_entries(matrix: Any) -> Floats:
    """A sparse matrix as an array, with NaN in place of the entries that it does not store."""
    entries = matrix.tocoo()
    numbers = np.full(matrix.shape, np.nan)
    numbers[entries.row, entries.col] = entries.data
    return numbers
