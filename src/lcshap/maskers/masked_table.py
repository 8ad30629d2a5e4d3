"""A row of a table cut into its columns: as an array, or as a DataFrame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, time
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.printable import printable
from ..core.views import TableView
from ..errors import MaskerError
from .base import Blend, Masked, Rows, check_units
from .cell_values import Names, is_missing
from .dataframes import Frame
from .distinct import DistinctRows
from .row_agreement import RowAgreement, number_columns


@dataclass(frozen=True, eq=False)
class MaskedTabular(Masked):
    """A row cut into its columns.

    Attributes
    ----------
    x : the row; of a `MaskedFrame` a DataFrame of one row.
    background : `(M, columns)`, the values of absent units.
    columns : the names of all columns, including pinned and dropped ones.
    units : which columns belong to units, in their order.
    labels : the unit of each of these; several columns have the same unit only in groups.
    pinned : which columns are always present. Columns that are neither pinned nor in a unit are always absent.
    blocks : one-hot blocks that were found and are not groups.
    has_background : whether `background` may be used; otherwise it is `x`, and no unit can be absent.
    """

    x: Any
    background: Any
    columns: Names
    units: NDArray[np.intp]
    labels: NDArray[np.intp]
    pinned: NDArray[np.intp]
    blocks: Names = ()
    has_background: bool = True

    @property
    def content(self) -> tuple[Any, ...]:
        """The row, the background and which columns are units, without graph and names."""
        return self.x, self.background, self.units, self.labels, self.pinned

    @property
    def advice(self) -> str:
        """The advice that columns may be grouped."""
        if not self.blocks:
            return ""
        return f'one-hot blocks: {", ".join(self.blocks)}; Tabular(..., groups="one-hot") makes each of them one unit'

    @property
    def hint(self) -> str:
        """The rows that the model got, if they may be the reason for its failure."""
        has_missing = np.isnan(self.x).any() or np.isnan(self.background).any()
        return "(It was given missing values: fill them in before, if it takes none.)" if has_missing else ""

    @property
    def rows_per_call(self) -> int:
        """M, the number of background rows."""
        return len(self.background)

    @property
    def owners(self) -> NDArray[np.intp] | None:
        """The unit of each column."""
        return self.column_units

    @property
    def column_units(self) -> NDArray[np.intp]:
        """The unit of each column of any type; -1 for none."""
        unit_of_column = np.full(len(self.columns), -1, np.intp)
        unit_of_column[self.units] = self.labels
        return unit_of_column

    @property
    def view(self) -> TableView:
        """The columns with their values."""
        missing = np.isnan(self.x)
        texts = tuple("missing" if gap else "" for gap in missing) if missing.any() else ()
        return TableView(columns=tuple(self.columns), values=self.x, labels=self.column_units, texts=texts)

    def rows(self, coalitions: Coalitions) -> Rows:
        """An array `(n * M, columns)`: for each coalition, all background rows in their order."""
        mix = self.blend(coalitions)
        assert mix is not None
        return mix.rows

    def blend(self, coalitions: Coalitions) -> Blend | None:
        """Which columns are those of the row, and which those of the background."""
        return Blend(self._kept(coalitions)[:, None], self.x, self.background)

    def distinct(self, coalitions: Coalitions) -> DistinctRows:
        """Compared row by row if background rows agree with x or each other in enough columns, else by coalition."""
        self._check_coalitions(coalitions)
        if self._agreement.worthwhile:
            return self._distinct_by_row(coalitions)
        distinct = super().distinct(coalitions)
        if len(distinct) != 1 or not self._is_one_row(distinct.coalitions):
            return distinct
        first_background = np.zeros(
            1, np.intp
        )  # all background rows give the same row, so that the first one is enough
        make = lambda _: self.single_rows(distinct.coalitions, first_background)  # noqa: E731
        return replace(distinct, rows_per_key=1, copies=self.rows_per_call, make=make)

    def _distinct_by_row(self, coalitions: Coalitions) -> DistinctRows:
        keys, index, row_numbers = self._agreement.keys(coalitions)
        coalition_numbers, background = np.divmod(row_numbers, self.rows_per_call)
        row_coalitions = coalitions.take(coalition_numbers)
        return DistinctRows(
            keys,
            row_coalitions,
            index,
            make=lambda places: self.single_rows(row_coalitions.take(places), background[places]),
        )

    def _is_one_row(self, coalition: Coalitions) -> bool:
        """Whether this is the full input with several background rows, none of whose values is used."""
        all_present = len(self.background) > 1 and len(self.units) + len(self.pinned) == len(self.columns)
        return all_present and bool(coalition.sizes[0] == coalition.d)

    def single_rows(self, coalitions: Coalitions, background: NDArray[np.intp]) -> Rows:
        """One row for each coalition: the one with the background row of this number."""
        return Blend(self._kept(coalitions), self.x, self.background[background]).rows

    def row_codes(self, coalitions: Coalitions, background: NDArray[np.intp], rows: Rows) -> NDArray[Any]:
        """Numbers that are equal where `rows`, which are those of `single_rows`, are equal: the rows themselves."""
        return np.asarray(rows)

    @cached_property
    def _agreement(self) -> RowAgreement:
        absent = np.setdiff1d(np.arange(len(self.columns)), np.concatenate([self.units, self.pinned]))
        return RowAgreement.from_values(self._value_numbers, self.units, self.labels, absent, self.graph.d)

    @property
    def _value_numbers(self) -> NDArray[np.intp]:
        """Numbers that are equal if values are equal, `(1 + M, columns)`, x first."""
        return number_columns(np.concatenate([self.x[None], self.background]))

    def _check_coalitions(self, coalitions: Coalitions) -> None:
        """Raise for coalitions of other units, and for absent units without a background."""
        check_units(coalitions, self.graph)
        if not self.has_background and (coalitions.sizes < coalitions.d).any():
            raise MaskerError(
                "Expected background rows for absent columns, got Tabular() without any. Give it some, as "
                "Tabular(rows); only TreeSHAP(background=None) needs none."
            )

    def _kept(self, coalitions: Coalitions) -> NDArray[np.bool_]:
        """Which columns are those of the row, `(n, columns)`."""
        self._check_coalitions(coalitions)
        kept = np.zeros((len(coalitions), len(self.columns)), bool)
        kept[:, self.pinned] = True
        dense = coalitions.dense()
        kept[:, self.units] = dense if len(self.units) == self.graph.d else dense[:, self.labels]
        return kept


@dataclass(frozen=True, eq=False)
class MaskedFrame(MaskedTabular):
    """A row of a DataFrame cut into its columns. Rows for the model are DataFrames with the same columns and types.

    Attributes
    ----------
    table, row : the background and the row, as frames, which have their types.
    """

    table: Frame = field(kw_only=True)
    row: Frame = field(kw_only=True)

    @property
    def content(self) -> tuple[Any, ...]:
        """The values and types of the row and of the background, and which columns are units."""
        return self.table.key, self.row.identities, self.row.types, self.units, self.labels, self.pinned

    @property
    def owners(self) -> NDArray[np.intp] | None:
        """The unit of each column, if all of them contain numbers."""
        return self.column_units if self.row.numeric and self.table.numeric else None

    @property
    def hint(self) -> str:
        """The rows that the model got, if they may be the reason for its failure."""
        return (
            f"(It was given {type(self.x).__module__.partition('.')[0]} DataFrames with the columns and types of the "
            "background. If it expects arrays, give Tabular(background.to_numpy(), names=[...]).)"
        )

    @property
    def view(self) -> TableView:
        """The columns with their values as text."""
        cells = [self.row.values(c)[0] for c in range(len(self.columns))]
        values = [cell_number(cell) for cell in cells]
        texts = tuple(map(cell_text, cells))
        return TableView(columns=tuple(self.columns), values=np.array(values), labels=self.column_units, texts=texts)

    def rows(self, coalitions: Coalitions) -> Rows:
        """A DataFrame of `n * M` rows: for each coalition, all background rows in their order."""
        return self._build_frame(self._kept(coalitions)[:, None], np.arange(self.rows_per_call))

    def single_rows(self, coalitions: Coalitions, background: NDArray[np.intp]) -> Rows:
        """One row for each coalition: the one with the background row of this number."""
        return self._build_frame(self._kept(coalitions), background)

    def row_codes(self, coalitions: Coalitions, background: NDArray[np.intp], rows: Rows) -> NDArray[Any]:
        """Numbers that are equal where `rows`, which are those of `single_rows`, are equal."""
        numbers = self._value_numbers
        return np.where(self._kept(coalitions), numbers[0], numbers[1 + background])

    def _build_frame(self, kept: NDArray[np.bool_], background: NDArray[np.intp]) -> Any:
        """A DataFrame with the values of the row for kept columns, and of a background row for the others."""
        columns = []
        for c, column in enumerate(self._pool):
            places = np.where(kept[..., c], 0, background + 1)
            columns.append(self.table.take(column, places.ravel()))
        return self.table.build(columns)

    @property
    def _value_numbers(self) -> NDArray[np.intp]:
        return self.table.value_codes(self.row)

    def blend(self, coalitions: Coalitions) -> Blend | None:
        """None, because values of mixed columns cannot be blended like numbers."""
        return None

    @cached_property
    def _pool(self) -> list[Any]:
        """Each column of the row, followed by that of the background."""
        return self.table.pool(self.row)

    @cached_property
    def _idle_units(self) -> NDArray[np.bool_] | None:
        """Which units have the values of the row in all background rows, so that their presence changes nothing."""
        values = self._value_numbers[:, self.units]
        differ = np.any(values[1:] != values[0], axis=0)
        return np.asarray(np.bincount(self.labels[differ], minlength=self.graph.d) == 0)


def cell_number(cell: Any) -> float:
    """A number or a truth value as a float, anything else as NaN."""
    return float(cell) if isinstance(cell, int | float | np.number | np.bool_) and not is_missing(cell) else np.nan


def cell_text(cell: Any) -> str:
    """A value as text; empty if it is a number.

    >>> [cell_text(cell) for cell in ("Paris", 3.5, True, None, "")]
    ['Paris', '', 'True', 'missing', "''"]
    >>> cell_text(datetime(2021, 5, 6)), cell_text(datetime(2021, 5, 6, 7, 8))
    ('2021-05-06', '2021-05-06 07:08:00')
    """
    if is_missing(cell):
        return "missing"
    if isinstance(cell, int | float | np.number) and not isinstance(cell, bool):
        return ""
    if isinstance(cell, datetime) and cell.time() == time():
        cell = cell.date()
    return printable(str(cell)) or repr(str(cell))
