"""The explanations of a run as a storage of `Explanations`: parts are read when they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation
from ..core.explanations.pack_columns import pack
from ..core.explanations.ragged import Rows
from ..core.explanations.row_columns import ExplanationColumns
from ..core.explanations.stored_rows import decode_stored_row
from ..errors import BulkError
from .folder import RunFolder


@dataclass(frozen=True, eq=False)
class LazyParts:
    """The inputs of a run that were explained. Only the rows of one part are in memory at a time.

    Attributes
    ----------
    folder, shards : the folder of the run, and the numbers of its finished shards.
    stop_at_errors : whether an input that failed raises `BulkError` when its part is read.
    positions : the chosen inputs, counted among those that were explained; None for all of them.
    cache : the number and the rows of the part that was read last, and all columns once they were needed.
    """

    folder: RunFolder
    shards: tuple[int, ...]
    stop_at_errors: bool
    positions: NDArray[np.intp] | None = None
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """For each part, how many inputs were explained in it and in the parts before it."""
        counts = [notes.rows - notes.failed for notes in map(self.folder.part_notes, self.shards)]
        return np.cumsum(counts, dtype=np.intp)

    @property
    def explained(self) -> int:
        """How many inputs of the run were explained."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def __len__(self) -> int:
        return self.explained if self.positions is None else len(self.positions)

    def __iter__(self) -> Iterator[Explanation]:
        if self.positions is None:
            return self._stream(None)
        if (np.diff(self.positions) > 0).all():
            return self._stream(set(self.positions.tolist()))
        return map(self.explanation, range(len(self)))

    def _stream(self, positions: set[int] | None) -> Iterator[Explanation]:
        """The explanations at some positions, one after the other, a few rows in memory at a time."""
        position = -1
        for number in self.shards:
            for row in self.folder.rows(number):
                if self._explained(row):
                    position += 1
                    if positions is None or position in positions:
                        yield self._decode(row, number)

    def explanation(self, row: int) -> Explanation:
        """The explanation of an input."""
        position = row if self.positions is None else int(self.positions[row])
        place = int(np.searchsorted(self.ends, position, side="right"))
        number, first = self.shards[place], int(self.ends[place - 1]) if place else 0
        if self.cache.get("number") != number:
            rows = [row for row in self.folder.rows(number) if self._explained(row)]
            self.cache.update(number=number, rows=rows)
        return self._decode(self.cache["rows"][position - first], number)

    def take(self, rows: Rows) -> LazyParts:
        """Some of the inputs, which are not read yet."""
        positions = np.arange(len(self)) if self.positions is None else self.positions
        return replace(self, positions=positions[rows], cache={})

    def columns(self) -> ExplanationColumns:
        """All inputs in memory, as arrays."""
        if "columns" not in self.cache:
            self.cache["columns"] = pack(list(self))
        columns: ExplanationColumns = self.cache["columns"]
        return columns

    @property
    def errors(self) -> Mapping[int, Exception]:
        """No errors: inputs that failed are left out."""
        return {}

    @property
    def loaded(self) -> ExplanationColumns | None:
        """The columns if they were needed before."""
        return self.cache.get("columns")

    def _explained(self, row: dict[str, Any]) -> bool:
        if row["error"] is not None and self.stop_at_errors:
            raise BulkError(f"Row {row['row']} ({row['id']}) has no explanation: {row['error']}")
        return row["error"] is None

    def _decode(self, row: dict[str, Any], number: int) -> Explanation:
        return decode_stored_row(row, f"row {row['row']} of {self.folder.part_path(number).name}")
