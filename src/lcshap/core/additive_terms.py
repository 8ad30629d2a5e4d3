"""Generalized additive models as tables of their terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .row_encoding import RowEncoder

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class AdditiveTerms:
    """A model whose outputs are sums of terms, each of which depends on one column or on a few, and a constant.

    The value of a term is an entry of its table. Rows contain the positions in these tables, which a column has several
    of if it is divided into bins in several ways.

    Attributes
    ----------
    tables : for each term its values, `(positions, ..., outputs)`, with an axis for each of its numbers.
    numbers : for each term, which numbers of a row are its positions.
    encoder : how rows of a table become positions; None if its columns are positions. -1 is the last position.
    rounding : the relative error of the library that made the model, if it computes in single precision.

    Examples
    --------
    >>> terms = AdditiveTerms((np.array([[0.0], [5.0]]), np.array([[[1.0], [2.0]], [[3.0], [4.0]]])), ((0,), (0, 1)))
    >>> terms.predict(np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([[2.],
           [8.]])
    """

    tables: tuple[Floats, ...]
    numbers: tuple[tuple[int, ...], ...]
    encoder: RowEncoder | None = None
    rounding: float = 0.0

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return int(self.tables[0].shape[-1])

    def positions(self, rows: Any, term: int) -> tuple[Places, ...]:
        """The positions of rows on each axis of the table of a term."""
        sizes = self.tables[term].shape
        columns = (np.asarray(rows[:, number], np.intp) for number in self.numbers[term])
        return tuple(np.where(column < 0, size - 1, column) for column, size in zip(columns, sizes, strict=False))

    def predict(self, rows: Any) -> Floats:
        """The outputs for rows of positions, `(n, outputs)`."""
        outputs = np.zeros((len(rows), self.outputs))
        for term, table in enumerate(self.tables):
            outputs += table[self.positions(rows, term)]
        return outputs
