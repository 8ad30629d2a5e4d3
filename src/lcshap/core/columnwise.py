"""Preprocessing of tables in which each derived column is computed from one of the original columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tree_ensembles import PINNED

Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ColumnwisePreprocessing:
    """Steps that turn the columns of a table into derived columns of numbers, each from one original column.

    A derived row of a coalition is therefore a mixture of the derived rows of the input and of the background: a
    model of the derived columns is explained on the original ones if each derived column belongs to the unit of its
    source.

    Attributes
    ----------
    steps : returns the derived columns of rows, as an array or as a sparse matrix.
    source : `(derived,)`, the original column that each derived column is computed from; -1 for constants.

    Examples
    --------
    >>> squares = ColumnwisePreprocessing(lambda rows: np.hstack([rows, rows**2]), source=np.array([0, 1, 0, 1]))
    >>> squares.transform(np.array([[2.0, 3.0]])), squares.units(np.array([0, PINNED]))
    (array([[2., 3., 4., 9.]]), array([ 0, -1,  0, -1]))
    """

    steps: Callable[[Any], Any]
    source: Places

    def transform(self, rows: Any) -> NDArray[np.float64]:
        """The derived columns of rows, `(n, derived)`."""
        derived = self.steps(rows)
        return np.asarray(derived.toarray() if hasattr(derived, "toarray") else derived, np.float64)

    def units(self, column_units: Places) -> Places:
        """The unit of each derived column, from that of each original column. Constants are pinned."""
        return np.where(self.source < 0, PINNED, column_units[self.source])
