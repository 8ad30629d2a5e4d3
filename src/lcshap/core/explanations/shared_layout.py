"""Explanations that share all but numbers as a table of Parquet columns.

Besides the columns of a part there are:

==========================  =======================================================================================
``rows``, ``dof``           whole numbers, null for None
``error_type``              the class of the error of an input that failed
``value:<name>``            the feature values, a column for each column of the table; ``text:<name>`` their texts
``provenance:<key>``        for an entry of the provenance that differs: the number of its object in the metadata, or
                            the object as JSON if there are many
``interactions``            the matrix of interactions of an input, row by row; or the numbers of the pairs that the
                            metadata lists, null for an input without. ``interaction_stderr`` their standard errors
==========================  =======================================================================================
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ...extras import import_optional
from ..printable import escape_surrogates
from ..serialize import graph_to_dict, to_plain
from .object_columns import TableRows
from .pair_columns import PairArrays, PairNumbers
from .part_rows import part_schema
from .ragged import Ragged
from .row_columns import ExplanationColumns
from .stored_errors import describe_class, stored_message

_MAX_LISTED_OBJECTS = 256  # of an entry of the provenance that are in the metadata


def is_shared(columns: ExplanationColumns) -> bool:
    """Whether explanations differ only in what this layout has columns for."""
    counts = np.unique(columns.outputs[columns.succeeded])
    return (
        len(columns.different_graphs) <= 1
        and len(counts) <= 1
        and columns.changes is columns.curves is None
        and (columns.views is None or isinstance(columns.views, TableRows))
        and _has_shared_pairs(columns)
    )


def _has_shared_pairs(columns: ExplanationColumns) -> bool:
    """Whether there are no interactions, one array of them, or numbers of the same pairs in all inputs."""
    interactions, stderr = columns.interactions, columns.interaction_stderr
    if isinstance(interactions, PairNumbers):
        patterns = [
            *interactions.patterns.objects,
            *(stderr.patterns.objects if isinstance(stderr, PairNumbers) else ()),
        ]
        same = all(np.array_equal(pattern.pairs, patterns[0].pairs) for pattern in patterns)
        return same and (stderr is None or isinstance(stderr, PairNumbers))
    return stderr is None and (interactions is None or isinstance(interactions, PairArrays))


def encode_shared(columns: ExplanationColumns) -> tuple[Any, dict[str, Any]]:
    """A table of pyarrow, and what the metadata of the file says."""
    pa = import_optional("pyarrow", "bulk")
    outputs = int(columns.outputs.max(initial=0))
    failed = ~columns.succeeded
    graph = columns.different_graphs[0] if columns.different_graphs else None
    arrays = {
        "row": pa.array(np.arange(len(columns))),
        "id": pa.array(list(map(str, range(len(columns))))),
        "names": _repeat_names(columns, failed),
        "scores": _list_array(columns.scores, outputs, failed),
        "stderr": _list_array(columns.stderr, outputs, columns.stderr.lengths == 0),
        "base_value": _value_array(columns.base_values, outputs, failed),
        "full_value": _value_array(columns.full_values, outputs, failed),
        "calls": _count_array(columns.calls),
        "error": _text_array({row: stored_message(error) for row, error in columns.errors.items()}, len(columns)),
        "rows": _count_array(columns.rows),
        "dof": _count_array(columns.dof),
        "error_type": _text_array({row: describe_class(error) for row, error in columns.errors.items()}, len(columns)),
    }
    notes: dict[str, Any] = {"graph": None if graph is None else graph_to_dict(graph), "outputs": outputs}
    if isinstance(columns.views, TableRows):
        notes["table"], cells = _encode_table_rows(columns.views)
        arrays |= cells
    if isinstance(columns.interactions, PairArrays):
        arrays["interactions"] = _list_array(Ragged.of_matrix(columns.interactions.array), 0, failed)
    elif isinstance(columns.interactions, PairNumbers):
        notes["pairs"] = columns.interactions.patterns.objects[0].pairs.tolist()
        for name in ("interactions", "interaction_stderr"):
            if isinstance(column := getattr(columns, name), PairNumbers):
                arrays[name] = _list_array(column.numbers, 0, column.patterns.codes_of(len(columns)) < 0)
    notes["provenance"], entries = _encode_provenance(columns)
    arrays |= entries
    schema = part_schema(bool(outputs))
    empty = {field.name: pa.nulls(len(columns), field.type) for field in schema}
    return pa.table({**empty, **arrays}), notes


def _list_array(rows: Ragged, outputs: int, missing: NDArray[np.bool_]) -> Any:
    """Lists of numbers, or of lists with a number for each output; null where `missing`."""
    pa = import_optional("pyarrow", "bulk")
    values, offsets = pa.array(rows.values), rows.offsets
    if offsets[-1] >= 2**31:
        raise OptionError(
            f"Expected at most {2**31 - 1:,} numbers in one file, got {offsets[-1]:,}. Save the set in several files, "
            "such as xs[:100_000]."
        )
    if outputs:
        values = pa.ListArray.from_arrays(pa.array(np.arange(0, len(rows.values) + 1, outputs, dtype=np.int32)), values)
        offsets = offsets // outputs
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values, mask=pa.array(missing))


def _value_array(rows: Ragged, outputs: int, missing: NDArray[np.bool_]) -> Any:
    pa = import_optional("pyarrow", "bulk")
    if outputs:
        return _list_array(rows, 0, missing)
    numbers = np.zeros(len(missing))
    numbers[~missing] = rows.values
    return pa.array(numbers, mask=missing)


def _text_array(texts: dict[int, str], count: int) -> Any:
    """Texts of some of `count` rows, null for the others."""
    return import_optional("pyarrow", "bulk").array(map(texts.get, range(count)), "string")


def _count_array(counts: NDArray[np.int64]) -> Any:
    return import_optional("pyarrow", "bulk").array(counts, mask=counts < 0)


def _repeat_names(columns: ExplanationColumns, failed: NDArray[np.bool_]) -> Any:
    pa = import_optional("pyarrow", "bulk")
    names = pa.array(
        [escape_surrogates(name) for graph in columns.different_graphs for name in graph.names], pa.string()
    )
    lengths = np.where(failed, 0, len(names))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    repeated = names.take(pa.array(np.tile(np.arange(len(names)), int((~failed).sum()))))
    return pa.ListArray.from_arrays(pa.array(offsets), repeated, mask=pa.array(failed))


def _encode_table_rows(table: TableRows) -> tuple[dict[str, Any], dict[str, Any]]:
    pa = import_optional("pyarrow", "bulk")
    keys = distinct_keys(table.columns)
    cells = {f"value:{key}": pa.array(np.ascontiguousarray(table.values[:, k])) for k, key in enumerate(keys)}
    if table.texts is not None:
        texts = [map(escape_surrogates, table.texts[:, k]) for k in range(len(keys))]
        cells |= {f"text:{key}": pa.array(column, pa.string()) for key, column in zip(keys, texts, strict=True)}
    record = {
        "columns": list(table.columns),
        "labels": to_plain(table.labels),
        "type": table.values.dtype.name,
        "texts": table.texts is not None,
        "name_missing": table.name_missing,
    }
    return record, cells


def distinct_keys(names: tuple[str, ...]) -> list[str]:
    """A different key for each name, which is the name if it occurs once.

    >>> distinct_keys(("age", "x", "x"))
    ['age', 'x', 'x#2']
    """
    keys: dict[str, None] = {}
    for name in map(escape_surrogates, names):
        key, number = name, 1
        while key in keys:
            number += 1
            key = f"{name}#{number}"
        keys[key] = None
    return list(keys)


def _encode_provenance(columns: ExplanationColumns) -> tuple[dict[str, Any], dict[str, Any]]:
    pa = import_optional("pyarrow", "bulk")
    record: dict[str, Any] = {}
    cells = {}
    for key, column in columns.provenance.items():
        codes = column.codes_of(len(columns))
        if len(column.objects) <= _MAX_LISTED_OBJECTS:
            record[key] = {"objects": [_plain(entry) for entry in column.objects]}
            if column.codes is not None:
                cells[entry_column(key)] = pa.array(codes)
        else:
            record[key] = {"objects": None}
            texts = np.array([*(json.dumps(_plain(entry), allow_nan=False) for entry in column.objects), None], object)
            cells[entry_column(key)] = pa.array(texts[codes], pa.string())
    return record, cells


def entry_column(key: str) -> str:
    """The name of the column of an entry of the provenance."""
    return f"provenance:{escape_surrogates(key)}"


def _plain(entry: Any) -> Any:
    """Plain data that JSON can hold."""
    plain = to_plain(entry)
    try:
        json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(
            f"Expected a provenance of plain data with finite numbers, got one that JSON cannot hold: {error}."
        ) from error
    return plain
