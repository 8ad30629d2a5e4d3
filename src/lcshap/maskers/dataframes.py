"""DataFrames of pandas and polars as tables, with the types of their columns and the equality of values."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.digest import digest
from ..errors import MaskerError
from ..extras import import_optional
from .cell_values import (
    Names,
    align_columns,
    equality_key,
    is_hashable,
    is_missing,
    is_series,
    to_number,
    unseen_category_error,
    wrong_value_error,
)
from .input_lists import count_axes, is_frame, is_pandas


@dataclass(frozen=True, eq=False)
class Frame(ABC):
    """A DataFrame as a table of background rows: it puts rows together and never changes the type of a column.

    Attributes
    ----------
    data : the pandas or polars DataFrame.
    """

    data: Any

    @staticmethod
    def from_dataframe(data: Any, subject: str) -> Frame:
        """A copy of a DataFrame as a table; `subject` names it in errors."""
        kind: type[Frame] = PandasFrame if is_pandas(data) else PolarsFrame
        frame = kind(data.copy() if is_pandas(data) else data.clone())
        repeated = sorted({name for name in frame.names if frame.names.count(name) > 1})
        if repeated:
            raise MaskerError(f"Expected {subject} to have one column of each name, got several named {repeated[0]!r}.")
        return frame

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return tuple(self.data.shape)

    @cached_property
    def names(self) -> Names:
        """The names of the columns."""
        return tuple(map(str, self.data.columns))

    @cached_property
    def _codebooks_and_codes(self) -> tuple[list[dict[Any, int]], NDArray[np.intp]]:
        """For each column a number for each value in it, and these numbers `(rows, columns)`."""
        codebooks: list[dict[Any, int]] = []
        codes = np.empty(self.shape, np.intp)
        for c in range(self.shape[1]):
            codebook: dict[Any, int] = {}
            codes[:, c] = [codebook.setdefault(equality_key(value), len(codebook)) for value in self.values(c)]
            codebooks.append(codebook)
        return codebooks, codes

    @cached_property
    def key(self) -> bytes:
        """A digest of the names, the types and all values."""
        codebooks, codes = self._codebooks_and_codes
        return digest(type(self).__name__, self.names, self.types, [list(codebook) for codebook in codebooks], codes)

    def value_codes(self, row: Frame) -> NDArray[np.intp]:
        """Numbers that are equal where values of a column are, `(1 + rows, columns)`, a row of another table first.

        Missing equals missing.
        """
        codebooks, codes = self._codebooks_and_codes
        row_codes = [codebook.get(key, -1) for codebook, key in zip(codebooks, row.identities, strict=True)]
        return np.concatenate([np.array([row_codes], np.intp), codes])

    @cached_property
    def identities(self) -> list[Any]:
        """The key of each value of the first row, which is equal for equal values."""
        return [equality_key(self.values(c)[0]) for c in range(self.shape[1])]

    def row(self, x: Any, subject: str = "x") -> Frame:
        """One row as a frame with the columns and types of this one.

        Parameters
        ----------
        x : a frame of one row or a Series with the names of the columns; a mapping from names to values in any order;
            or values in the order of the columns.
        """
        if is_frame(x):
            return self._align_frame(x, subject)
        values = self._read_values(x, subject)
        columns = [self.fit(c, value, subject) for c, value in enumerate(values)]
        return type(self)(self.build(columns))

    def _align_frame(self, x: Any, subject: str) -> Frame:
        if len(x) != 1:
            raise MaskerError(f"Expected {subject} to be one row, got a DataFrame of {len(x)} rows.")
        x = select_columns(x, self.names, subject)
        if is_pandas(x) == is_pandas(self.data):
            frame = type(self)(x)
            if frame.types == self.types:
                return frame
            values = [frame.values(c)[0] for c in range(len(self.names))]
        else:
            values = x.iloc[0].tolist() if is_pandas(x) else list(x.row(0))
        return self.row(values, subject)

    def _read_values(self, x: Any, subject: str) -> list[Any]:
        if isinstance(x, Mapping):
            positions, cells = align_columns(self.names, list(map(str, x)), subject), list(x.values())
            return cells if positions is None else [cells[position] for position in positions]
        if isinstance(x, str | bytes) or x is None or not hasattr(x, "__len__"):
            raise MaskerError(
                f"Expected {subject} to be a row of {len(self.names)} columns, got {type(x).__name__}. Give a Series, "
                "a DataFrame of one row, a dict or a list of values."
            )
        labels = list(x.index) if is_series(x) else []
        if labels and all(isinstance(label, str) for label in labels):
            positions = align_columns(self.names, labels, subject)
            x = x if positions is None else x.iloc[positions]
        axes = count_axes(x)
        if axes is not None and axes != 1:
            raise MaskerError(f"Expected x as one row of {len(self.names)} values, got shape {tuple(x.shape)}.")
        values = list(x)
        if len(values) != len(self.names):
            raise MaskerError(
                f"Expected {len(self.names)} columns in {subject}, as in the background, got {len(values)}."
            )
        return values

    # -- differences between pandas and polars ------------------------------------------------------------------------

    @property
    @abstractmethod
    def types(self) -> tuple[Any, ...]:
        """The type of each column in words, including categories."""

    @property
    @abstractmethod
    def numeric(self) -> bool:
        """Whether all columns contain numbers or truth values, so that rows can be arrays of numbers."""

    @abstractmethod
    def values(self, column: int) -> list[Any]:
        """The values of a column as Python objects."""

    @abstractmethod
    def numbers(self, column: int) -> NDArray[np.float64] | None:
        """A column of numbers or dates as floats, with NaN for missing ones; None for all other columns."""

    @abstractmethod
    def fit(self, column: int, value: Any, subject: str) -> Any:
        """A value as a column of one row, in the type of this column."""

    @abstractmethod
    def build(self, columns: Sequence[Any]) -> Any:
        """A DataFrame of columns."""

    @abstractmethod
    def pool(self, row: Frame) -> list[Any]:
        """Each column of a row, followed by that of all rows here."""

    @abstractmethod
    def take(self, column: Any, places: NDArray[np.intp]) -> Any:
        """Some entries of a column of the pool."""

    @abstractmethod
    def pick(self, rows: NDArray[np.intp]) -> Frame:
        """Some rows of this table."""


class PandasFrame(Frame):
    """A pandas DataFrame."""

    @cached_property
    def types(self) -> tuple[Any, ...]:
        """The type of each column in words, including categories."""
        return tuple(map(_pandas_type, self._dtypes))

    @property
    def numeric(self) -> bool:
        """Whether all columns contain numbers or truth values, so that rows can be arrays of numbers."""
        return all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in self._dtypes)

    @cached_property
    def _columns(self) -> list[Any]:
        """The columns, as Series."""
        return [column for _, column in self.data.items()]

    @cached_property
    def _dtypes(self) -> list[Any]:
        return [column.dtype for column in self._columns]

    def values(self, column: int) -> list[Any]:
        """The values of a column as Python objects."""
        values: list[Any] = self._columns[column].tolist()
        return values

    def numbers(self, column: int) -> NDArray[np.float64] | None:
        """A column of numbers or dates as floats, with NaN for missing ones; None for all other columns."""
        series = self._columns[column]
        if series.dtype == np.float64:
            return np.asarray(series.to_numpy())
        if series.dtype.kind in "Mm":
            return np.where(series.isna(), np.nan, series.astype("int64").to_numpy(np.float64))
        return np.asarray(series.to_numpy(np.float64, na_value=np.nan)) if series.dtype.kind in "iuf" else None

    def fit(self, column: int, value: Any, subject: str) -> Any:
        """A value as a column of one row, in the type of this column."""
        pandas = import_optional("pandas", "pandas")
        dtype, name = self._dtypes[column], self.names[column]
        kind = "C" if isinstance(dtype, pandas.CategoricalDtype) else dtype.kind
        if is_missing(value):
            return _pandas_missing(pandas, value, dtype, kind)
        if kind == "C" and not (is_hashable(value) and value in dtype.categories):
            raise unseen_category_error(value, dtype.categories.tolist(), name, subject)
        if kind in "iuf":
            number = to_number(value, name, subject)
            value, dtype = (value, dtype) if kind == "f" or number == int(number) else (number, "float64")
        if kind == "b" and (isinstance(value, str) or value not in (0, 1)):
            raise wrong_value_error(value, "True or False", name, subject)
        if isinstance(dtype, pandas.StringDtype) and not isinstance(value, str):
            raise wrong_value_error(value, "a text", name, subject)
        if kind in "Mm" and isinstance(value, str | int | float):
            constructor = "Timestamp" if kind == "M" else "Timedelta"
            raise wrong_value_error(value, str(dtype), name, subject, f"Give a pandas.{constructor}(...).")
        if kind == "O" and dtype == np.dtype(object):
            return _object_array(pandas, value)
        try:
            return pandas.array([value], dtype=dtype)
        except (TypeError, ValueError, OverflowError):
            raise wrong_value_error(value, str(dtype), name, subject) from None

    def build(self, columns: Sequence[Any]) -> Any:
        """A DataFrame of columns."""
        pandas = import_optional("pandas", "pandas")
        frame = pandas.DataFrame(dict(enumerate(columns)), copy=False)
        frame.columns = self.data.columns
        return frame

    def pool(self, row: Frame) -> list[Any]:
        """Each column of a row, followed by that of all rows here."""
        assert isinstance(row, PandasFrame)
        pairs = zip(row._columns, self._columns, row._dtypes, self._dtypes, strict=True)
        return [
            _stack_columns(x, rows if row_dtype == dtype else rows.astype(row_dtype))
            for x, rows, row_dtype, dtype in pairs
        ]

    def take(self, column: Any, places: NDArray[np.intp]) -> Any:
        """Some entries of a column of the pool."""
        return column.take(places)

    def pick(self, rows: NDArray[np.intp]) -> Frame:
        """Some rows of this table."""
        return PandasFrame(self.data.iloc[rows])


class PolarsFrame(Frame):
    """A polars DataFrame."""

    @cached_property
    def types(self) -> tuple[Any, ...]:
        """The type of each column in words, including categories."""
        return tuple(map(repr, self.data.dtypes))

    @property
    def numeric(self) -> bool:
        """Whether all columns contain numbers or truth values, so that rows can be arrays of numbers."""
        return all(dtype.is_numeric() or dtype.base_type().__name__ == "Boolean" for dtype in self.data.dtypes)

    def values(self, column: int) -> list[Any]:
        """The values of a column as Python objects."""
        values: list[Any] = self.data[:, column].to_list()
        return values

    def numbers(self, column: int) -> NDArray[np.float64] | None:
        """A column of numbers or dates as floats, with NaN for missing ones; None for all other columns."""
        polars = import_optional("polars", "polars")
        series = self.data[:, column]
        if not (series.dtype.is_numeric() or series.dtype.is_temporal()):
            return None
        return np.asarray(series.to_physical().cast(polars.Float64).fill_null(math.nan).to_numpy())

    def fit(self, column: int, value: Any, subject: str) -> Any:
        """A value as a column of one row, in the type of this column."""
        polars = import_optional("polars", "polars")
        dtype, name = self.data.dtypes[column], self.names[column]
        value = value.item() if isinstance(value, np.generic) else value
        if is_missing(value):
            missing = [value if dtype.is_float() and isinstance(value, float) else None]
            return polars.Series(name, missing, dtype=dtype)
        if isinstance(dtype, polars.Enum) and value not in dtype.categories.to_list():
            raise unseen_category_error(value, dtype.categories.to_list(), name, subject)
        if dtype.is_numeric():
            number = to_number(value, name, subject)
            is_whole = dtype.is_integer() and number == int(number)
            value, dtype = (
                (int(value), dtype) if is_whole else (number, dtype if dtype.is_float() else polars.Float64())
            )
        if dtype == polars.Boolean and value in (0, 1):
            value = bool(value)
        if dtype.is_temporal() and isinstance(value, str | int | float):
            raise wrong_value_error(
                value, str(dtype), name, subject, "Give a date, time or duration of Python's datetime."
            )
        try:
            return polars.Series(name, [value], dtype=dtype)
        except (TypeError, ValueError, OverflowError, polars.exceptions.PolarsError):
            raise wrong_value_error(value, str(dtype), name, subject) from None

    def build(self, columns: Sequence[Any]) -> Any:
        """A DataFrame of columns."""
        polars = import_optional("polars", "polars")
        return polars.DataFrame(list(columns))

    def pool(self, row: Frame) -> list[Any]:
        """Each column of a row, followed by that of all rows here."""
        polars = import_optional("polars", "polars")
        stacked = polars.concat([row.data, self.data], how="vertical_relaxed")
        return list(stacked.get_columns())

    def take(self, column: Any, places: NDArray[np.intp]) -> Any:
        """Some entries of a column of the pool."""
        return column.gather(places)

    def pick(self, rows: NDArray[np.intp]) -> Frame:
        """Some rows of this table."""
        return PolarsFrame(self.data[rows])


def first_row(rows: Any) -> Any:
    """The first of some rows, to show it; of a DataFrame as a dict.

    >>> import polars
    >>> first_row(polars.DataFrame({"a": [1, 2]})), first_row(["one", "two"])
    ({'a': 1}, 'one')
    """
    if not is_frame(rows):
        return rows[0]
    return rows[:1].to_dict("records")[0] if is_pandas(rows) else rows.row(0, named=True)


def select_columns(data: Any, names: Sequence[str], subject: str, source: str = "the background") -> Any:
    """A DataFrame with the columns of these names, in this order.

    Other columns are left out with a warning. `MaskerError` if a column is missing.

    >>> import pandas as pd
    >>> select_columns(pd.DataFrame({"dose": [1.0], "age": [70.0]}), ["age", "dose"], "x").columns.tolist()
    ['age', 'dose']
    """
    positions = align_columns(names, [str(name) for name in data.columns], subject, source)
    if positions is None:
        return data
    return data.iloc[:, positions] if is_pandas(data) else data[:, positions]


def join_frames(frames: Sequence[Any]) -> list[Any]:
    """DataFrames one below the other as one, where their columns and types are the same."""
    if not is_pandas(frames[0]):
        compatible = all(frame.schema == frames[0].schema for frame in frames)
        return [import_optional("polars", "polars").concat(frames)] if compatible else list(frames)
    first = frames[0]
    compatible = all(frame.columns.equals(first.columns) and (frame.dtypes == first.dtypes).all() for frame in frames)
    return [import_optional("pandas", "pandas").concat(frames, ignore_index=True)] if compatible else list(frames)


def _pandas_missing(pandas: Any, value: Any, dtype: Any, kind: str) -> Any:
    """The missing value of a column, or the one that pandas would use in a column of integers."""
    if kind == "O" and dtype == np.dtype(object):
        return _object_array(pandas, value)
    if isinstance(dtype, np.dtype) and kind in "iub":
        return pandas.array([np.nan], dtype="float64" if kind != "b" else object)
    return pandas.array([None], dtype=dtype)


def _stack_columns(x: Any, rows: Any) -> Any:
    """A column of one row above a column of the same type."""
    if isinstance(rows.dtype, np.dtype) and rows.dtype.kind in "biufO":
        return np.concatenate([x.to_numpy(), rows.to_numpy()])
    return import_optional("pandas", "pandas").concat([x, rows], ignore_index=True).array


def _object_array(pandas: Any, value: Any) -> Any:
    cell = np.empty(1, object)
    cell[0] = value
    return pandas.Series(cell, dtype=object).array


def _pandas_type(dtype: Any) -> Any:
    categories = getattr(dtype, "categories", None)
    if categories is None:
        return str(dtype), type(dtype).__name__
    return "category", bool(dtype.ordered), tuple(equality_key(c) for c in categories.tolist())
