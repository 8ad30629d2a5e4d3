"""Whether two sets are equal, column by column where that is possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .object_columns import CodedColumn, EntryColumn, TableRows
from .pair_columns import PairArrays, PairNumbers
from .row_columns import ExplanationColumns, Outcome

_RAGGED = ("scores", "stderr", "base_values", "full_values")
_COUNTS = ("outputs", "dof", "calls")  # the number of rows that were sent does not matter
_ABSENT = object()


def equal_outcomes(outcome: Outcome, other: Any) -> bool:
    """Whether two explanations, or two errors, are equal; errors are equal by their class and their arguments."""
    if isinstance(outcome, Exception):
        return outcome is other or (type(outcome) is type(other) and outcome.args == other.args)
    return bool(outcome == other)


def surely_equal(columns: ExplanationColumns, other: ExplanationColumns) -> bool:
    """Whether columns show that all explanations are equal. False if that takes a look at each of them."""
    plain = all(piece.changes is piece.curves is None for piece in (columns, other)) and len(columns) == len(other)
    return (
        plain
        and all(np.array_equal(getattr(columns, name), getattr(other, name)) for name in _COUNTS)
        and all(_equal_rows(getattr(columns, name), getattr(other, name)) for name in _RAGGED)
        and columns.errors.keys() == other.errors.keys()
        and all(equal_outcomes(error, other.errors[row]) for row, error in columns.errors.items())
        and _equal_entries(columns.graphs, other.graphs, len(columns))
        and columns.provenance.keys() == other.provenance.keys()
        and all(_equal_entries(e, other.provenance[key], len(columns)) for key, e in columns.provenance.items())
        and _equal_views(columns.views, other.views)
        and _equal_pairs(columns.interactions, other.interactions)
        and _equal_pairs(columns.interaction_stderr, other.interaction_stderr)
    )


def _equal_rows(rows: Any, other: Any) -> bool:
    return np.array_equal(rows.offsets, other.offsets) and np.array_equal(rows.values, other.values, equal_nan=True)


def _equal_entries(column: EntryColumn, other: EntryColumn, count: int) -> bool:
    """Whether all inputs have equal objects; only the different objects are compared."""
    numbered = CodedColumn.of([*column.objects, *other.objects], _ABSENT)
    numbers = numbered.codes_of(len(column.objects) + len(other.objects))
    first, second = numbers[: len(column.objects)], numbers[len(column.objects) :]
    return np.array_equal(_translate(column, first, count), _translate(other, second, count))


def _translate(column: EntryColumn, numbers: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """The numbers of objects in place of the codes of a column; -1 stays -1."""
    return np.append(numbers, np.int32(-1))[column.codes_of(count)]


def _equal_views(views: Any, other: Any) -> bool:
    if views is None or other is None:
        return views is other
    if not isinstance(views, TableRows) or not isinstance(other, TableRows):
        return False
    same_texts = views.texts is other.texts is None or (
        views.texts is not None and other.texts is not None and np.array_equal(views.texts, other.texts)
    )
    return (
        same_texts
        and views.columns == other.columns
        and views.name_missing == other.name_missing
        and np.array_equal(views.labels, other.labels)
        and views.values.dtype == other.values.dtype
        and views.values.tobytes() == other.values.tobytes()
    )


def _equal_pairs(pairs: Any, other: Any) -> bool:
    if pairs is None or other is None:
        return pairs is other
    if isinstance(pairs, PairNumbers) and isinstance(other, PairNumbers):
        return (
            np.array_equal(pairs.outputs, other.outputs)
            and _equal_rows(pairs.numbers, other.numbers)
            and _equal_entries(pairs.patterns, other.patterns, len(pairs.outputs))
        )
    return isinstance(pairs, PairArrays) and isinstance(other, PairArrays) and np.array_equal(pairs.array, other.array)
