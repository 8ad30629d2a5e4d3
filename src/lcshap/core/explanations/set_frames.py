"""Many explanations as tables: a row for each unit of each input, or a row for each input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...extras import import_optional
from ..rounding import RELATIVE_NOISE
from ..views import values_per_unit
from . import dense
from .object_columns import TableRows
from .row_columns import ExplanationColumns


def tidy_columns(columns: ExplanationColumns) -> dict[str, NDArray[Any]]:
    """A table with a row for each unit of each input that was explained and, if there are several, for each output.

    Returns
    -------
    The columns by name: `input` and `unit`, their numbers; `name` and `value` of the unit, with NaN if its value is not
    kept; if inputs have several outputs, `output`, its number, and `target`, its name; `score`; `stderr`, NaN if there
    is none; and `rank` by |score| among the units of the input, from 0.
    """
    inputs, units, output = _score_places(columns)
    names = _unit_names(columns, inputs, units)
    table: dict[str, NDArray[Any]] = {"input": inputs, "unit": units, "name": names}
    table["value"] = _unit_values(columns, inputs, units)
    if columns.outputs.any():
        table["output"], table["target"] = output, _targets(columns, inputs, output)
    table["score"], table["stderr"] = columns.scores.values, _stderr(columns, inputs)
    table["rank"] = unit_ranks(columns)
    return table


def _score_places(columns: ExplanationColumns) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """The input, the unit and the output of each score."""
    inputs = np.repeat(np.arange(len(columns)), columns.scores.lengths)
    places = np.arange(len(inputs)) - columns.scores.offsets[:-1][inputs]  # within the scores of an input
    units, output = np.divmod(places, np.maximum(columns.outputs, 1)[inputs])
    return inputs, units, output


def _unit_names(columns: ExplanationColumns, inputs: NDArray[np.intp], units: NDArray[np.intp]) -> NDArray[np.object_]:
    graphs = columns.different_graphs
    if len(graphs) == 1:
        return np.array(graphs[0].names, object)[units]
    names = np.array([name for graph in graphs for name in graph.names], object)
    starts = np.cumsum([0, *(graph.d for graph in graphs)])
    codes = columns.graphs.codes_of(len(columns))
    return names[starts[codes[inputs]] + units] if len(names) else np.empty(0, object)


def _unit_values(columns: ExplanationColumns, inputs: NDArray[np.intp], units: NDArray[np.intp]) -> NDArray[Any]:
    if columns.views is None:
        return np.full(len(inputs), np.nan)
    if isinstance(columns.views, TableRows) and len({graph.names for graph in columns.different_graphs}) == 1:
        return np.asarray(dense.unit_data(columns)[inputs, units])
    values = [np.empty(0)]
    for row in np.flatnonzero(columns.succeeded).tolist():
        start, stop = columns.scores.offsets[row], columns.scores.offsets[row + 1]
        entries = values_per_unit(columns.views.get(row), columns.graphs.get(row).d)
        values.append(entries[units[start:stop]])
    return np.concatenate(values)


def _targets(columns: ExplanationColumns, inputs: NDArray[np.intp], output: NDArray[np.intp]) -> NDArray[np.object_]:
    targets = dense.target_array(columns)
    if targets.ndim == 2:
        return np.asarray(targets[inputs, output])
    names = [
        targets[i][k] if isinstance(targets[i], tuple) else targets[i] for i, k in zip(inputs, output, strict=True)
    ]
    return np.array(names, object)


def _stderr(columns: ExplanationColumns, inputs: NDArray[np.intp]) -> NDArray[np.float64]:
    if len(columns.stderr.values) == len(inputs):
        return columns.stderr.values
    stderr = np.full(len(inputs), np.nan)
    stderr[np.isin(inputs, np.flatnonzero(columns.stderr.lengths))] = columns.stderr.values
    return stderr


def unit_ranks(columns: ExplanationColumns) -> NDArray[np.intp]:
    """The rank of the unit of each score by |score|, from 0, ties by number; rounding errors count as zero."""
    inputs, units, output = _score_places(columns)
    if not len(inputs):
        return np.empty(0, np.intp)
    lengths, outputs = columns.scores.lengths, np.maximum(columns.outputs, 1)
    if not columns.errors and (lengths == lengths[0]).all() and (outputs == outputs[0]).all():
        return _path_ranks(columns, _dense_ranks(columns, int(outputs[0])))
    sizes = np.abs(columns.scores.values)
    group = np.cumsum(np.maximum(columns.outputs, 1))[inputs] - np.maximum(columns.outputs, 1)[inputs] + output
    scale = np.zeros(int(group.max()) + 1)
    for magnitudes, places in ((sizes, group), *((np.abs(v), p) for v, p in _totals(columns))):
        finite = np.isfinite(magnitudes)
        np.maximum.at(scale, places[finite], magnitudes[finite])
    scale[scale == 0] = 1.0
    sizes = np.where(sizes <= RELATIVE_NOISE * scale[group], 0.0, sizes)
    order = np.lexsort((units, -sizes, group))
    firsts = np.searchsorted(group[order], group[order])
    ranks = np.empty(len(order), np.intp)
    ranks[order] = np.arange(len(order)) - firsts
    return _path_ranks(columns, ranks)


def _dense_ranks(columns: ExplanationColumns, outputs: int) -> NDArray[np.intp]:
    """The ranks if all inputs have the same number of units and outputs: the same, but faster."""
    sizes = np.abs(columns.scores.values).reshape(len(columns), -1, outputs)
    totals = [np.abs(rows.values).reshape(-1, 1, outputs) for rows in (columns.base_values, columns.full_values)]
    scale = np.maximum(sizes.max(axis=1, keepdims=True), np.maximum(*totals))
    if not np.isfinite(scale).all():
        finite = [np.where(np.isfinite(numbers), numbers, 0.0) for numbers in (sizes, *totals)]
        scale = np.maximum(finite[0].max(axis=1, keepdims=True), np.maximum(*finite[1:]))
    scale[scale == 0] = 1.0
    sizes = np.where(sizes <= RELATIVE_NOISE * scale, 0.0, sizes)
    order = np.argsort(-sizes, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(order.shape[1])[None, :, None], axis=1)
    return ranks.reshape(-1)


def _totals(columns: ExplanationColumns) -> list[tuple[NDArray[np.float64], NDArray[np.intp]]]:
    """The base values and full values, with the number of the output that each belongs to."""
    counts = np.maximum(columns.outputs, 1)
    places = np.arange(counts.sum())[np.repeat(columns.succeeded, counts)]
    return [(columns.base_values.values, places), (columns.full_values.values, places)]


def _path_ranks(columns: ExplanationColumns, ranks: NDArray[np.intp]) -> NDArray[np.intp]:
    """Replace the ranks of paths, whose units have an order of their own."""
    for row in range(len(columns)) if columns.changes is not None else ():
        change = columns.changes.get(row) if columns.changes is not None else None
        if change is not None and "order" in change[1]:
            start, stop = columns.scores.offsets[row], columns.scores.offsets[row + 1]
            place = np.argsort(change[1]["order"], kind="stable")
            ranks[start:stop] = np.repeat(place, max(int(columns.outputs[row]), 1))
    return ranks


def to_pandas(columns: ExplanationColumns, wide: bool) -> Any:
    """A pandas DataFrame; see `Explanations.to_dataframe`."""
    pandas = import_optional("pandas", "pandas")
    if not wide:
        return pandas.DataFrame(tidy_columns(columns))
    scores = dense.dense_scores(columns)
    index: Any = pandas.RangeIndex(len(columns), name="input")
    if scores.ndim == 3:
        index = pandas.MultiIndex.from_product([index, range(scores.shape[2])], names=["input", "output"])
        scores = np.swapaxes(scores, 1, 2).reshape(-1, scores.shape[1])
    return pandas.DataFrame(scores, index=index, columns=list(dense.shared_names(columns)))


def to_polars(columns: ExplanationColumns) -> Any:
    """A polars DataFrame with a row for each unit of each input; see `Explanations.to_polars`."""
    polars = import_optional("polars", "polars")
    table = tidy_columns(columns)
    if table["value"].dtype == object:  # a column of polars has one type
        table["value"] = np.array([_to_text(value) for value in table["value"]], object)
    texts = [name for name in ("name", "value", "target") if name in table and table[name].dtype == object]
    return polars.DataFrame(table, schema_overrides=dict.fromkeys(texts, polars.String))


def _to_text(value: Any) -> str | None:
    """A value as a text; None for a missing one.

    >>> _to_text(2.0), _to_text("Oslo"), _to_text(np.nan)
    ('2', 'Oslo', None)
    """
    if isinstance(value, str):
        return value
    return None if value is None or value != value else f"{value:.15g}"
