"""Explanations in a table of Parquet rows, each of which is decoded when it is needed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...errors import OptionError
from ...extras import import_optional
from ..explanation import Explanation
from ..json_reader import parse_json
from ..printable import escape_surrogates
from ..read_explanation import from_dict
from ..serialize import to_dict
from .pack_columns import pack
from .part_rows import decode_row, explanation_cells, part_schema
from .ragged import Rows
from .row_columns import ExplanationColumns, Outcome
from .stored_errors import describe_class, restore_error, stored_message

_BATCH_ROWS = 64


@dataclass(frozen=True, eq=False)
class StoredRows:
    """The rows of a file, as a storage of `Explanations`.

    Attributes
    ----------
    table : the rows, a table of pyarrow.
    source : the name of the file, for errors.
    cache : the columns, once they have been made.
    """

    table: Any
    source: str
    cache: list[ExplanationColumns] = field(default_factory=list)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[Outcome]:
        for batch in self.table.to_batches(_BATCH_ROWS):
            for row in batch.to_pylist():
                yield self._decode(row)

    def explanation(self, row: int) -> Outcome:
        """The explanation of an input, or its error."""
        return self._decode(self.table.slice(row, 1).to_pylist()[0])

    def take(self, rows: Rows) -> StoredRows:
        """Some of the rows, which are not decoded yet."""
        return replace(self, table=self.table.take(np.arange(len(self))[rows]), cache=[])

    def columns(self) -> ExplanationColumns:
        """All rows, decoded."""
        if not self.cache:
            self.cache.append(pack(list(self)))
        return self.cache[0]

    @property
    def errors(self) -> Mapping[int, Exception]:
        """The errors of inputs that failed, by the number of the input."""
        failed = [row for row, error in enumerate(self.table.column("error").to_pylist()) if error is not None]
        return {row: error for row in failed if isinstance(error := self.explanation(row), Exception)}

    @property
    def loaded(self) -> ExplanationColumns | None:
        """The columns if all rows have been decoded."""
        return self.cache[0] if self.cache else None

    def _decode(self, row: dict[str, Any]) -> Outcome:
        if row["error"] is not None:
            return restore_error(row.get("error_type"), row["error"])
        return decode_stored_row(row, f"row {row['row']} of {self.source}")


def decode_stored_row(row: dict[str, Any], source: str) -> Explanation:
    """The explanation in a row. What a bulk run knows about the row is put into the provenance."""
    if row["scores"] is None:  # all of it is in the record
        return from_dict(parse_json(str(row["record"]).encode("utf-8", "surrogatepass"), source), source)
    e = decode_row(row, source)
    if "rows" not in row:  # a part of a bulk run
        place = {name: row.get(name) for name in ("row", "id", "label")}
        e.provenance.update({name: cell for name, cell in place.items() if cell is not None})
    return e


def encode_rows(outcomes: Iterator[Outcome], several: bool) -> Any:
    """A table of pyarrow with a row for each input: the columns of a part, `rows` and `error_type`."""
    pa = import_optional("pyarrow", "bulk")
    schema = part_schema(several).append(pa.field("rows", pa.int64())).append(pa.field("error_type", pa.string()))
    cells = [{"row": number, "id": str(number), **_cells(outcome, several)} for number, outcome in enumerate(outcomes)]
    return pa.Table.from_pylist(cells, schema=schema)


def _cells(outcome: Outcome, several: bool) -> dict[str, Any]:
    if isinstance(outcome, Exception):
        return {"error": stored_message(outcome), "error_type": describe_class(outcome)}
    try:
        if (outcome.scores.ndim == 2) == several:
            return {**explanation_cells(outcome), "rows": outcome.rows}
        names = [escape_surrogates(name) for name in outcome.names]
        return {"names": names, "record": json.dumps(to_dict(outcome), allow_nan=False)}
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(
            "Expected explanations with finite numbers and records of plain data, got one that JSON cannot hold: "
            f"{error}. Change its provenance."
        ) from error
