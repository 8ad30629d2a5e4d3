"""Read explanations that share all but numbers from Parquet columns, see `shared_layout`; everything is checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...extras import import_optional
from ..json_reader import MAX_NUMBER, JsonNode
from ..read_graph import read_edges, read_graph
from .json_column import JsonColumn
from .object_columns import CodedColumn, TableRows
from .pair_columns import PairArrays, PairNumbers, PairPattern
from .ragged import Ragged, freeze
from .row_columns import ExplanationColumns
from .shared_layout import distinct_keys, entry_column
from .stored_errors import restore_error

_NOT_READ = ("id", "names", "prediction", "probability", "label", "record")  # of the columns of a part
_VALUE_TYPES = ("float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")


class _Columns:
    """The columns of a table, by name; one that is missing or of another type is an error."""

    def __init__(self, table: Any, place: JsonNode) -> None:
        self.place = place
        self.count = len(table)
        self.arrays = {name: table.column(name).combine_chunks() for name in table.column_names}

    def get(self, name: str, *types: str) -> Any:
        """The array of a column, whose type starts with one of `types`."""
        array = self.arrays.get(name)
        if array is None or not str(array.type).startswith(types):
            self.place.fail(f"a column {name} of type {types[0]}", "none" if array is None else str(array.type))
        return array

    def fail(self, name: str, expected: str) -> None:
        """Refuse the content of a column."""
        self.place.fail(f"{expected} in the column {name}", "others")

    def rows(self, name: str, length: int, failed: NDArray[np.bool_] | None) -> Ragged:
        """Rows of `length` numbers, and none for inputs that failed; if `failed` is None, all rows may be missing."""
        numbers, lengths = _flatten(self.get(name, "list"))
        present = lengths > 0 if failed is None else ~failed
        if (lengths[present] != length).any() or (lengths[~present] != 0).any():
            self.fail(name, f"{length} numbers in each row")
        return Ragged(freeze(numbers), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))

    def values(self, name: str, length: int, failed: NDArray[np.bool_]) -> Ragged:
        """A number for each input, or one for each output."""
        array = self.get(name, "double", "list")
        if str(array.type).startswith("list"):
            return self.rows(name, length, failed)
        if length != 1 or (array.is_null().to_numpy(zero_copy_only=False) != failed).any():
            self.fail(name, "a number in each row")
        numbers = array.drop_null().to_numpy(zero_copy_only=False)
        return Ragged(freeze(numbers), np.concatenate([[0], np.cumsum(~failed)]).astype(np.int64))

    def finite(self, name: str, rows: Ragged) -> Ragged:
        """The rows if all their numbers are finite."""
        if not (np.abs(rows.values) <= MAX_NUMBER).all():
            self.fail(name, "finite numbers")
        return rows

    def counts(self, name: str) -> NDArray[np.int64]:
        """Whole numbers, -1 for null."""
        counts = self.get(name, "int64").fill_null(-1).to_numpy(zero_copy_only=False)
        if (counts < -1).any():
            self.fail(name, "whole numbers of at least 0")
        return freeze(counts)

    def texts(self, name: str) -> list[str | None]:
        """Texts, None for null."""
        array = self.get(name, "string")
        return [None] * len(array) if array.null_count == len(array) else list(array.to_pylist())


def columns_to_read(names: Sequence[str]) -> list[str]:
    """The columns of a file that `decode_shared` needs.

    >>> columns_to_read(["row", "names", "scores", "record"])
    ['row', 'scores']
    """
    return [name for name in names if name not in _NOT_READ]


def decode_shared(table: Any, place: JsonNode) -> ExplanationColumns:
    """The explanations in a table of pyarrow, from a Parquet file whose metadata is `place`."""
    columns = _Columns(table, place)
    graph = None if place["graph"].missing else read_graph(place["graph"])
    outputs = place["outputs"].integer(0, 2**31 - 1)
    d, width = 0 if graph is None else graph.d, max(outputs, 1)
    kinds = columns.texts("error_type")
    errors = {
        row: restore_error(kinds[row], text) for row, text in enumerate(columns.texts("error")) if text is not None
    }
    failed = np.zeros(columns.count, bool)
    failed[list(errors)] = True
    stderr, calls = columns.rows("stderr", d * width, None), columns.counts("calls")
    if not (stderr.values >= 0).all():
        columns.fail("stderr", "standard errors, from 0 to infinity,")
    if ((calls < 0) != failed).any() or (graph is None and not failed.all()):
        columns.fail("calls", "a number for each explanation")
    provenance, table = place["provenance"], place.get("table")
    return ExplanationColumns(
        scores=columns.finite("scores", columns.rows("scores", d * width, failed)),
        outputs=np.where(failed, 0, outputs).astype(np.int32),
        base_values=columns.finite("base_value", columns.values("base_value", width, failed)),
        full_values=columns.finite("full_value", columns.values("full_value", width, failed)),
        stderr=stderr,
        dof=columns.counts("dof"),
        calls=calls,
        rows=columns.counts("rows"),
        graphs=CodedColumn(() if graph is None else (graph,), np.where(failed, -1, 0).astype(np.int32)).simplified(),
        provenance={key: _read_entry(columns, provenance[key], key) for key in provenance.mapping()},
        views=None if table.missing else _read_table_rows(columns, table, d),
        interactions=_read_pairs(columns, "interactions", d, outputs, failed),
        interaction_stderr=_read_pairs(columns, "interaction_stderr", d, outputs, failed),
        errors=errors,
    )


def _flatten(array: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The numbers of lists, or of lists of lists, and how many each has."""
    lengths = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    inner = array.flatten()
    if not str(inner.type).startswith("list"):
        return inner.to_numpy(zero_copy_only=False).astype(np.float64, copy=False), lengths
    numbers, inner_lengths = _flatten(inner)
    ends = np.concatenate([[0], np.cumsum(inner_lengths)])
    return numbers, np.diff(ends[np.concatenate([[0], np.cumsum(lengths)])])


def _read_entry(columns: _Columns, place: JsonNode, key: str) -> CodedColumn | JsonColumn:
    """An entry of the provenance: objects and their numbers, or JSON."""
    objects, name = place.get("objects"), entry_column(key)
    if objects.missing:
        return JsonColumn(np.array(columns.texts(name), object), f"{place.source}, {name}")
    entries = tuple(entry.plain() for entry in objects.items())
    if name not in columns.arrays:
        if not entries and columns.count:
            place.fail("an object", "none")
        return CodedColumn(entries, None if entries else np.empty(0, np.int32))
    codes = columns.get(name, "int32").to_numpy(zero_copy_only=False)
    if codes.dtype != np.int32 or (codes < -1).any() or (codes >= len(entries)).any():
        columns.fail(name, f"numbers of {len(entries)} objects")
    return CodedColumn(entries, codes)


def _read_table_rows(columns: _Columns, place: JsonNode, d: int) -> TableRows:
    names = place["columns"].strings()
    labels = place["labels"].integer_array(-1, d - 1, len(names)).astype(np.intp)
    dtype = np.dtype(place["type"].choice(_VALUE_TYPES))
    keys = distinct_keys(names)
    arrow_type = str(import_optional("pyarrow", "bulk").from_numpy_dtype(dtype))
    values = np.empty((columns.count, len(names)), dtype)
    for k, key in enumerate(keys):
        cells = columns.get(f"value:{key}", arrow_type)
        if cells.null_count:
            columns.fail(f"value:{key}", "a value in each row")
        values[:, k] = cells.to_numpy(zero_copy_only=False)
    if dtype.kind == "f" and np.isinf(values).any():
        place.fail("finite feature values", "others")
    texts = np.full(values.shape, "", object) if place["texts"].boolean() else None
    if texts is not None:
        shared: dict[str, str] = {}
        for k, key in enumerate(keys):
            texts[:, k] = [shared.setdefault(text or "", text or "") for text in columns.texts(f"text:{key}")]
    return TableRows(
        names, labels, freeze(values), None if texts is None else freeze(texts), place["name_missing"].boolean()
    )


def _read_pairs(
    columns: _Columns, name: str, d: int, outputs: int, failed: NDArray[np.bool_]
) -> PairArrays | PairNumbers | None:
    """Interactions, or their standard errors: an array, or the numbers of the pairs in the metadata."""
    if name not in columns.arrays:
        return None
    place = columns.place.get("pairs")
    if place.missing:
        shape = (d, d, outputs) if outputs else (d, d)
        rows = columns.rows(name, int(np.prod(shape)), np.zeros(columns.count, bool))
        return PairArrays(freeze(columns.finite(name, rows).values.reshape(-1, *shape)))
    pattern = PairPattern(d, read_edges(place, d).astype(np.intp))
    missing = columns.get(name, "list").is_null().to_numpy(zero_copy_only=False)
    if (failed & ~missing).any():
        columns.fail(name, "no numbers for inputs that failed")
    rows = columns.rows(name, len(pattern.pairs) * max(outputs, 1), missing)
    if name == "interactions":
        columns.finite(name, rows)
    elif not (rows.values >= 0).all():
        columns.fail(name, "standard errors, from 0 to infinity,")
    codes = np.where(missing, -1, 0).astype(np.int32)
    return PairNumbers(
        CodedColumn((pattern,), codes).simplified(), rows, np.where(missing, 0, outputs).astype(np.int32)
    )
