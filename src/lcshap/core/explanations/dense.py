"""The numbers of many explanations as arrays with one row for each input."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ..printable import printable
from ..views import TextView
from ..views.table_view import unit_matrix
from .object_columns import TableRows
from .pair_columns import PairArrays, PairNumbers
from .ragged import Ragged, freeze
from .row_columns import ExplanationColumns

_MAX_INTERACTION_BYTES = 4_000_000_000  # of the array of all interactions


def shared_names(columns: ExplanationColumns) -> tuple[str, ...]:
    """The names of the units, which must be the same for all inputs.

    Raises
    ------
    OptionError : if inputs have different units.
    """
    names = [graph.names for graph in columns.different_graphs]
    for other in names[1:]:
        if other != names[0]:
            _refuse_units(names[0], other)
    return names[0] if names else ()


def _refuse_units(first: tuple[str, ...], other: tuple[str, ...]) -> NoReturn:
    if len(first) != len(other):
        reason = f"inputs of {len(first)} and of {len(other)} units"
    else:
        pair = next((a, b) for a, b in zip(first, other, strict=True) if a != b)
        reason = (
            f"units named {printable(pair[0], max_length=40)!r} and {printable(pair[1], max_length=40)!r} in one place"
        )
    raise OptionError(
        f"Expected the same units in all inputs for one array, got {reason}. Use scores_of(i) for one input, or "
        "to_dataframe() for a table of all units."
    )


def output_count(columns: ExplanationColumns) -> int:
    """The number of outputs, which must be the same for all inputs; 0 if scores have no axis for outputs."""
    counts = np.unique(columns.outputs[columns.succeeded])
    if len(counts) > 1:
        listed = ", ".join("one number" if count == 0 else f"{count} outputs" for count in counts.tolist())
        raise OptionError(
            f"Expected the same number of outputs in all inputs for one array, got {listed}. Use xs[i] for one input, "
            "or to_dataframe() for a table of all units."
        )
    return int(counts[0]) if len(counts) else 0


def dense_scores(columns: ExplanationColumns) -> NDArray[np.float64]:
    """The scores, `(n, d)` or `(n, d, outputs)`; NaN for inputs that failed."""
    d, outputs = len(shared_names(columns)), output_count(columns)
    return _dense(columns, columns.scores, (d, outputs) if outputs else (d,))


def dense_stderr(columns: ExplanationColumns) -> NDArray[np.float64] | None:
    """The standard errors; NaN for inputs without. None if no input has any."""
    if not columns.stderr.values.size:
        return None
    if len(columns.stderr.values) == len(columns.scores.values):
        return _dense(columns, columns.stderr, dense_scores(columns).shape[1:])
    dense = np.full(dense_scores(columns).shape, np.nan)
    dense[columns.stderr.lengths > 0] = columns.stderr.values.reshape(-1, *dense.shape[1:])
    return freeze(dense)


def dense_values(columns: ExplanationColumns, name: str) -> NDArray[np.float64]:
    """The base values or the full values, `(n,)` or `(n, outputs)`; NaN for inputs that failed."""
    outputs = output_count(columns)
    return _dense(columns, getattr(columns, name), (outputs,) if outputs else ())


def _dense(columns: ExplanationColumns, rows: Ragged, shape: tuple[int, ...]) -> NDArray[np.float64]:
    if not columns.errors:
        return freeze(rows.values.reshape(len(columns), *shape))
    dense = np.full((len(columns), *shape), np.nan)
    dense[columns.succeeded] = rows.values.reshape(int(columns.succeeded.sum()), *shape)
    return freeze(dense)


def dense_counts(columns: ExplanationColumns, name: str) -> NDArray[Any] | None:
    """The calls or rows of each input: integers, or numbers with NaN for those without. None if none has any."""
    counts: NDArray[np.int64] = getattr(columns, name)
    if len(counts) and (counts < 0).all():
        return None
    return freeze(np.where(counts < 0, np.nan, counts) if (counts < 0).any() else counts)


def dense_interactions(columns: ExplanationColumns) -> NDArray[np.float64] | None:
    """The interactions, `(n, d, d)` or `(n, d, d, outputs)`; NaN for inputs without. None if no input has any."""
    column = columns.interactions
    if column is None:
        return None
    d, outputs = len(shared_names(columns)), output_count(columns)
    shape = (len(columns), d, d, outputs) if outputs else (len(columns), d, d)
    if isinstance(column, PairArrays) and column.array.shape == shape:
        return freeze(column.array)
    if 8 * np.prod(shape, dtype=np.float64) > _MAX_INTERACTION_BYTES:
        raise OptionError(
            f"Expected interactions that fit an array of {_MAX_INTERACTION_BYTES:,} bytes, got shape {shape}. Use "
            "xs[i].interactions, a sparse matrix, for one input."
        )
    dense = np.full(shape, np.nan)
    if isinstance(column, PairNumbers):
        column.fill(dense)
        return freeze(dense)
    for row in range(len(columns)):
        if (matrix := column.get(row)) is not None:
            dense[row] = _dense_matrix(matrix)
    return freeze(dense)


def _dense_matrix(matrix: Any) -> NDArray[np.float64]:
    if isinstance(matrix, tuple):
        return np.stack([output_matrix.toarray() for output_matrix in matrix], axis=2)
    return np.asarray(matrix.toarray())


def unit_data(columns: ExplanationColumns) -> Any:
    """The feature values `(n, d)` of tables; the words of each text; the inputs of other kinds. None if not kept."""
    if columns.views is None:
        return None
    if isinstance(columns.views, TableRows):
        return _table_data(columns, columns.views)
    data = []
    for row in range(len(columns)):
        view = None if row in columns.errors else columns.views.get(row)
        data.append(None if view is None else view.unit_data(columns.graphs.get(row).d))
    return data


def _table_data(columns: ExplanationColumns, table: TableRows) -> NDArray[Any]:
    matrix = unit_matrix(table.columns, table.labels, table.values, table.texts, len(shared_names(columns)))
    if not columns.errors:
        return freeze(matrix)
    matrix = matrix.astype(object if matrix.dtype == object else np.float64)
    matrix[~columns.succeeded] = np.nan
    return freeze(matrix)


def target_array(columns: ExplanationColumns) -> NDArray[np.object_]:
    """What each input is explained for, `(n,)` or `(n, outputs)`; None where it is not recorded.

    If inputs have different numbers of outputs: `(n,)`, with a tuple for each input.
    """
    targets, places = columns.provenance.get("targets"), columns.provenance.get("output")
    counts = np.unique(columns.outputs[columns.succeeded])
    outputs = int(counts[0]) if len(counts) == 1 else 0
    array = np.full((len(columns), outputs) if outputs else len(columns), None, object)
    if targets is None:
        return freeze(array)
    for row in range(len(columns)):
        place = places.get(row) if places is not None else 0
        names = _target_names(targets.get(row), int(columns.outputs[row]), place)
        if outputs and len(names) == outputs:
            array[row] = names
        elif not outputs and len(names) == max(columns.outputs[row], 1):
            array[row] = names[0] if columns.outputs[row] == 0 else names
    return freeze(array)


def _target_names(items: Any, outputs: int, place: Any) -> tuple[str, ...]:
    if not isinstance(items, list | tuple):
        return () if items is None else (target_text(items),)
    if not outputs:
        first = place if isinstance(place, int) and place >= 0 else 0
        items = items[first : first + 1]
    return tuple(map(target_text, items))


def target_text(item: Any) -> str:
    """A class by its name; a pair of classes, for a contrast.

    >>> target_text("sci - fi"), target_text(["sci", "fi"])
    ('sci - fi', 'sci rather than fi')
    """
    return f"{item[0]} rather than {item[1]}" if isinstance(item, list | tuple) and len(item) == 2 else str(item)


def has_texts(columns: ExplanationColumns) -> bool:
    """Whether all inputs are texts, whose units are words."""
    if columns.views is None or isinstance(columns.views, TableRows):
        return False
    return all(isinstance(columns.views.get(row), TextView) for row in np.flatnonzero(columns.succeeded).tolist())
