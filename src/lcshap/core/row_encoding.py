"""How rows of a table become the numbers that a structure, such as trees or weights, is read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray


class RowEncoder(ABC):
    """Turns rows of a table into numbers, each of which depends on one column.

    Examples are the codes of categories, and the steps of a pipeline that treat every column by itself. Since a number
    depends on one column, the numbers of a masked row are, each by itself, those of the row or those of the background.

    Attributes
    ----------
    sources : `(numbers,)`, the column of the table that each number is computed from.
    """

    sources: NDArray[np.intp]

    @abstractmethod
    def encode(self, rows: Any) -> NDArray[np.float64]:
        """The numbers of rows, `(n, numbers)`.

        Parameters
        ----------
        rows : an array `(n, columns)` or a DataFrame, as the model gets it.

        Raises
        ------
        TypeError, ValueError : for rows that cannot be encoded; the message says why.
        """

    def number_units(self, column_units: NDArray[np.intp]) -> NDArray[np.intp]:
        """The unit of each number, from that of each column."""
        return column_units[self.sources]
