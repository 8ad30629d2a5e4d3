"""Several sets of explanations one after the other, without a loop over inputs where their columns allow it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .object_columns import CodedColumn, EntryColumn, ObjectColumn, TableRows
from .pair_columns import PairArrays, PairNumbers, join_pairs
from .ragged import Ragged, freeze
from .row_columns import ExplanationColumns

_ABSENT = object()
_RAGGED = ("scores", "base_values", "full_values", "stderr")
_NUMBERS = ("outputs", "dof", "calls", "rows")
_OBJECTS = ("views", "interactions", "interaction_stderr", "curves", "changes")


def concatenate(pieces: Sequence[ExplanationColumns]) -> ExplanationColumns:
    """The explanations of all pieces."""
    lengths = [len(piece) for piece in pieces]
    starts = np.cumsum([0, *lengths]).tolist()
    content: dict[str, Any] = {}
    for name in _RAGGED:
        content[name] = Ragged.concatenate([getattr(piece, name) for piece in pieces])
    for name in _NUMBERS:
        content[name] = np.concatenate([getattr(piece, name) for piece in pieces])
    for name in _OBJECTS:
        content[name] = _join_objects([getattr(piece, name) for piece in pieces], lengths)
    keys = dict.fromkeys(key for piece in pieces for key in piece.provenance)
    return ExplanationColumns(
        **content,
        graphs=_join_entries([piece.graphs for piece in pieces], lengths),
        provenance={key: _join_entries([piece.provenance.get(key) for piece in pieces], lengths) for key in keys},
        errors={
            start + row: error
            for start, piece in zip(starts, pieces, strict=False)
            for row, error in piece.errors.items()
        },
    )


def _join_entries(columns: Sequence[EntryColumn | None], lengths: Sequence[int]) -> CodedColumn:
    """Columns whose equal objects are stored once: only the different objects are compared."""
    objects = [entry for column in columns if column is not None for entry in column.objects]
    numbered = CodedColumn.of(objects, _ABSENT)
    numbers = numbered.codes_of(len(objects))
    codes, start = [], 0
    for column, length in zip(columns, lengths, strict=True):
        if column is None:
            codes.append(np.full(length, -1, np.int32))
            continue
        piece = column.codes_of(length)
        own_numbers = np.append(numbers[start : start + len(column.objects)], np.int32(-1))
        codes.append(own_numbers[piece])  # the code -1 takes the last number, which is -1
        start += len(column.objects)
    return CodedColumn(numbered.objects, np.concatenate(codes).astype(np.int32)).simplified()


def _join_objects(columns: Sequence[ObjectColumn | None], lengths: Sequence[int]) -> ObjectColumn | None:
    """Columns of objects that are not compared; rows of one table and numbers of pairs stay what they are."""
    used = [(column, length) for column, length in zip(columns, lengths, strict=True) if length]
    present = [column for column, _ in used]
    if all(column is None for column in present):
        return None
    if any(isinstance(column, PairArrays | PairNumbers) for column in present):
        pairs = join_pairs(present, [length for _, length in used])
        return pairs or PairNumbers.of(_listed(used))
    tables = [column for column in present if isinstance(column, TableRows)]
    if len(tables) == len(present) and all(_same_columns(table, tables[0]) for table in tables):
        return _join_tables(tables)
    return CodedColumn.listed(_listed(used))


def _listed(columns: Sequence[tuple[ObjectColumn | None, int]]) -> list[Any]:
    return [None if column is None else column.get(row) for column, length in columns for row in range(length)]


def _same_columns(table: TableRows, first: TableRows) -> bool:
    return (
        table.columns == first.columns
        and table.values.dtype == first.values.dtype
        and table.name_missing == first.name_missing
        and np.array_equal(table.labels, first.labels)
    )


def _join_tables(tables: Sequence[TableRows]) -> TableRows:
    texts = None
    if any(table.texts is not None for table in tables):
        empty = [np.full(table.values.shape, "", object) if table.texts is None else table.texts for table in tables]
        texts = freeze(np.concatenate(empty))
    values = freeze(np.concatenate([table.values for table in tables]))
    return TableRows(tables[0].columns, tables[0].labels, values, texts, tables[0].name_missing)
