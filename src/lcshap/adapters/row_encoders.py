"""How the rows of a table become the numbers that a model compares or weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.row_encoding import RowEncoder
from ..maskers.input_lists import is_frame, is_pandas


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

    def encode(self, rows: Any) -> NDArray[np.float64]:
        """The numbers of rows."""
        if not is_pandas(rows):
            return np.asarray(rows.to_numpy() if is_frame(rows) else rows, np.float64)
        category_lists, columns = iter(self.categories), []
        for _, column in rows.items():
            if hasattr(column.dtype, "categories"):
                codes = {category: float(code) for code, category in enumerate(next(category_lists, ()))}
                column = [codes.get(cell, np.nan) for cell in column.tolist()]
            columns.append(np.asarray(column, np.float64))
        return np.stack(columns, axis=1)
