"""Rows of numbers of different lengths, in one flat array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows = slice | NDArray[np.intp]  # some rows of a set, by a slice or by their numbers


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, as a view that cannot be written to.

    >>> freeze(np.ones(2)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of numbers.

    Attributes
    ----------
    values : the numbers of all rows, one after the other.
    offsets : where each row starts in `values`, and where the last one ends: one number more than there are rows.

    Examples
    --------
    >>> rows = Ragged.join([[1.0, 2.0], [], [3.0]])
    >>> len(rows), rows[0], rows.take(np.array([2, 0])).values
    (3, array([1., 2.]), array([3., 1., 2.]))
    """

    values: NDArray[np.float64]
    offsets: NDArray[np.int64]

    @classmethod
    def join(cls, rows: Sequence[ArrayLike]) -> Ragged:
        """Put rows one after the other."""
        arrays = [np.asarray(row, np.float64).ravel() for row in rows]
        values = np.concatenate(arrays) if arrays else np.empty(0)
        return cls(freeze(values), _offsets([len(row) for row in arrays]))

    @classmethod
    def of_matrix(cls, matrix: NDArray[np.float64]) -> Ragged:
        """The rows of an array, all of which have the same length. Nothing is copied if the array is contiguous."""
        count, length = len(matrix), int(np.prod(matrix.shape[1:], dtype=np.int64))
        return cls(freeze(matrix.reshape(-1)), np.arange(count + 1, dtype=np.int64) * length)

    @classmethod
    def empty_rows(cls, count: int) -> Ragged:
        """So many rows without numbers."""
        return cls(np.empty(0), np.zeros(count + 1, np.int64))

    @classmethod
    def concatenate(cls, pieces: Sequence[Ragged]) -> Ragged:
        """The rows of all pieces."""
        lengths = np.concatenate([piece.lengths for piece in pieces])
        return cls(freeze(np.concatenate([piece.values for piece in pieces])), _offsets(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.float64]:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each row."""
        return np.diff(self.offsets)

    def take(self, rows: Rows) -> Ragged:
        """Some of the rows. A slice with the step 1 copies no numbers."""
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            if step == 1:
                offsets = self.offsets[start : max(start, stop) + 1]
                return Ragged(self.values[offsets[0] : offsets[-1]], offsets - offsets[0])
            rows = np.arange(len(self))[rows]
        lengths = self.lengths
        if len(lengths) and (lengths == lengths[0]).all():
            return Ragged.of_matrix(self.values.reshape(len(self), lengths[0])[rows])
        offsets = _offsets(lengths[rows])
        shifts = np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths[rows])
        return Ragged(freeze(self.values[np.arange(offsets[-1]) + shifts]), offsets)


def _offsets(lengths: Iterable[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)
