"""How rows of a table become the numbers that a structure, such as trees or weights, is read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]
PINNED, DROPPED = -1, -2  # the units of columns that always have the value of the row, or that of the background


class RowEncoder(ABC):
    """Turns rows of a table into numbers, each of which depends on at most one column.

    Examples are the codes of categories, and the steps of a pipeline that treat every column by itself. Since a number
    depends on one column, the numbers of a masked row are, each by itself, those of the row or those of the background:
    a structure that uses the numbers is explained on the columns if each number belongs to the unit of its column.

    Attributes
    ----------
    sources : `(numbers,)`, the column of the table that each number is computed from; -1 for constants.
    """

    sources: Places

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

    def transform(self, rows: Any) -> Any:
        """The same, as the steps return it: an array, a sparse matrix, or a DataFrame that may have other types."""
        return self.encode(rows)

    def number_units(self, column_units: Places) -> Places:
        """The unit of each number, from that of each column. Constants are pinned."""
        return np.where(self.sources < 0, PINNED, column_units[self.sources])


class ChainedEncoders(RowEncoder):
    """Two encoders, one after the other, such as the steps of a pipeline and the categories of the model behind them.

    Parameters
    ----------
    first, second : the columns of the second are what the first one returns.
    """

    def __init__(self, first: RowEncoder, second: RowEncoder) -> None:
        self.first, self.second = first, second
        self.sources = compose_sources(second.sources, first.sources)

    def encode(self, rows: Any) -> NDArray[np.float64]:
        """The numbers of rows."""
        return self.second.encode(self.first.transform(rows))

    def transform(self, rows: Any) -> Any:
        """The same, as the second encoder returns it."""
        return self.second.transform(self.first.transform(rows))


def chain_encoders(first: RowEncoder | None, second: RowEncoder | None) -> RowEncoder | None:
    """The encoder that applies both; None stands for one that changes nothing.

    >>> chain_encoders(None, None) is None
    True
    """
    if first is None or second is None:
        return second if first is None else first
    return ChainedEncoders(first, second)


def compose_sources(origins: Places, sources: Places) -> Places:
    """The source of each derived column, from the column that it is computed from and from the sources of these.

    >>> compose_sources(np.array([1, 0, -1]), np.array([5, 7]))
    array([ 7,  5, -1])
    """
    return np.where(origins < 0, -1, sources[origins]) if len(sources) else origins
