"""Tables of mixed columns as arrays: each column as floats, or as the numbers of its categories."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MaskerError
from .cell_values import Names, equality_key, is_missing, is_series
from .dataframes import Frame
from .input_lists import is_frame, is_pandas_series

Column = NDArray[np.float64] | NDArray[np.intp]  # numbers with NaN for missing ones, or categories with -1


def read_table(data: Any, subject: str) -> NDArray[np.floating] | Frame:
    """A new array of floats, or the table of a pandas or polars DataFrame. A named Series is a table of one row."""
    if data is None:
        raise MaskerError(f"Expected rows or one row as {subject}, got None.")
    check_package(data, subject)
    if is_pandas_series(data) and len(data) and all(isinstance(label, str) for label in data.index):
        data = data.to_frame().T.infer_objects()
    return Frame.from_dataframe(data, subject) if is_frame(data) else read_array(data, subject)[0]


def check_package(data: Any, subject: str) -> None:
    """Raise for tables of other packages than pandas and polars, with advice on how to convert them."""
    package, name = type(data).__module__.partition(".")[0], type(data).__name__
    advice = {("polars", "LazyFrame"): "collect()", ("pyarrow", "Table"): "to_pandas()"}.get((package, name))
    if advice is not None:
        raise MaskerError(
            f"Expected {subject} to be a DataFrame of pandas or polars, got a {name} of {package}. Call its {advice}."
        )


def read_array(data: Any, subject: str) -> tuple[NDArray[np.floating], Names | None]:
    """A new array of floats, and the names of its columns: strings in `columns` (DataFrame) or in `index` (Series)."""
    framed = hasattr(data, "to_numpy")
    labels = list(getattr(data, "columns", data.index if is_series(data) else ())) if framed else []
    names = tuple(labels) if labels and all(isinstance(label, str) for label in labels) else None
    array = np.array(data.to_numpy() if framed else np.asarray(data))
    if array.dtype.kind == "f":
        array[np.isnan(array)] = np.nan  # so that all missing values have the same bits
        return array, names
    try:
        if array.dtype.kind in "biuO":
            return array.astype(np.float64), names
        reason = str(array.dtype)
    except (TypeError, ValueError) as error:
        reason = str(error)
    raise MaskerError(
        f"Expected numbers in {subject}, got other values ({reason}). Give a pandas or polars DataFrame as "
        "background, or encode them as numbers first."
    )


def encode_columns(table: NDArray[np.floating] | Frame) -> list[Column]:
    """Each column as floats if it contains numbers or dates, otherwise as the number of each row's category.

    >>> import pandas as pd
    >>> frame = Frame.from_dataframe(pd.DataFrame({"age": [30.0, None], "city": ["Rome", "Oslo"]}), "the data")
    >>> [column.tolist() for column in encode_columns(frame)]
    [[30.0, nan], [0, 1]]
    """
    if not isinstance(table, Frame):
        return list(table.astype(np.float64).T)
    return [_read_column(table, c) for c in range(table.shape[1])]


def _read_column(table: Frame, c: int) -> Column:
    numbers = table.numbers(c)
    if numbers is not None:
        return numbers
    codebook: dict[Any, int] = {}
    values = table.values(c)
    codes = [-1 if is_missing(v) else codebook.setdefault(equality_key(v), len(codebook)) for v in values]
    return np.array(codes, np.intp)
