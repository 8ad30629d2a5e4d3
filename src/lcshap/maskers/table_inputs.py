"""Many rows of a table that are cut into the same units, as one object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.explanations.object_columns import TableRows
from ..core.graphs import Graph
from ..core.row_encoding import DROPPED, PINNED
from .cell_values import Names
from .dataframes import Frame
from .masked_table import MaskedFrame, MaskedTabular, cell_number, cell_text

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, eq=False)
class TableInputs:
    """Rows of a table. Methods that read the model itself explain all of them at once.

    Attributes
    ----------
    graph : the units of every row.
    rows, background : the rows and the background rows, as the model gets them: arrays of numbers, or DataFrames.
        Without a background they are the same, since other rows are needed to compare a model with what was read.
    columns : the names of all columns.
    column_units : `(columns,)`, the unit of each column, or `PINNED` or `DROPPED`.
    mask : cuts the row of this number into its units, as `Tabular.mask` does, with this background.
    has_background : whether there is a background.
    """

    graph: Graph
    rows: Any
    background: Any
    columns: Names
    column_units: NDArray[np.intp]
    mask: Callable[[int], MaskedTabular]
    has_background: bool = True

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def views(self) -> TableRows:
        """What pictures of the rows need: the values of all columns."""
        labels = np.where(self.column_units < 0, -1, self.column_units)
        if isinstance(self.rows, np.ndarray):
            has_gaps = bool(np.isnan(self.rows).any())
            return TableRows(self.columns, labels, self.rows, name_missing=has_gaps)
        frame = Frame.from_dataframe(self.rows, "x")
        if all(map(_is_number_type, frame.types)):
            numbers = [frame.numbers(column) for column in range(len(self.columns))]
            values = np.stack([column for column in numbers if column is not None], axis=1)
            return TableRows(self.columns, labels, values, name_missing=bool(np.isnan(values).any()))
        columns = [_number_and_text(frame, column) for column in range(len(self.columns))]
        texts = np.stack([column_texts for _, column_texts in columns], axis=1)
        values = np.stack([numbers for numbers, _ in columns], axis=1)
        return TableRows(self.columns, labels, values, texts if (texts != "").any() else None)


def table_of_masked(masked: MaskedTabular) -> TableInputs:
    """One row of a table as a table of one row."""
    rows = masked.row.data if isinstance(masked, MaskedFrame) else masked.x[None]
    background = masked.table.data if isinstance(masked, MaskedFrame) else masked.background
    units = unit_of_columns(masked.units, masked.labels, masked.pinned, len(masked.columns))
    around = replace(masked, has_background=True)
    return TableInputs(masked.graph, rows, background, masked.columns, units, lambda _: around, masked.has_background)


def unit_of_columns(
    columns: NDArray[np.intp], labels: NDArray[np.intp], pinned: NDArray[np.intp], count: int
) -> NDArray[np.intp]:
    """The unit of each of `count` columns, or `PINNED` or `DROPPED`.

    >>> unit_of_columns(np.array([0, 3]), np.array([0, 1]), np.array([1]), 4)
    array([ 0, -1, -2,  1])
    """
    units = np.full(count, DROPPED, np.intp)
    units[pinned] = PINNED
    units[columns] = labels
    return units


def _is_number_type(kind: Any) -> bool:
    """Whether a type of `Frame.types` is one of numbers, and not of truth values, dates or categories."""
    return str(kind[0] if isinstance(kind, tuple) else kind).lower().startswith(("float", "int", "uint"))


def _number_and_text(frame: Frame, column: int) -> tuple[NDArray[np.float64], NDArray[np.object_]]:
    """The numbers of a column, NaN where there are none, and texts of values that are no numbers."""
    cells: Sequence[Any] = frame.values(column)
    numbers = np.array([cell_number(cell) for cell in cells], np.float64)
    texts = np.empty(len(cells), object)
    texts[:] = [cell_text(cell) for cell in cells]
    return numbers, texts
