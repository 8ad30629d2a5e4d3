"""Columns from arrays that hold the explanations of many inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from ..explanation import package_versions
from ..graphs import Graph
from ..views.table_view import MISSING
from .object_columns import CodedColumn, TableRows
from .pair_columns import PairArrays
from .ragged import Ragged, freeze
from .row_columns import ExplanationColumns


def columns_from_arrays(
    scores: ArrayLike,
    base_values: ArrayLike,
    predictions: ArrayLike,
    *,
    names: Sequence[str] | None,
    data: Any,
    graph: Graph | None,
    stderr: ArrayLike | None,
    dof: ArrayLike | None,
    interactions: ArrayLike | None,
    targets: Any,
    method: str | None,
    calls: ArrayLike,
    rows: ArrayLike | None,
    provenance: Mapping[str, Any] | None,
    copy: bool,
) -> ExplanationColumns:
    """The columns of explanations whose numbers are in arrays; see `Explanations.from_arrays`."""
    table = _numbers("scores", scores, copy)
    if table.ndim not in (2, 3) or 0 in table.shape[1:]:
        raise OptionError(
            f"Expected scores of shape (inputs, units) or (inputs, units, outputs), got shape {table.shape}."
        )
    count, d = table.shape[:2]
    outputs = table.shape[2:]
    graph = _find_graph(graph, names, data, d)
    errors = None if stderr is None else _numbers("stderr", stderr, copy, table.shape)
    if errors is not None and (errors < 0).any():
        raise OptionError("Expected standard errors of at least 0 as stderr, got negative numbers.")
    record = {
        **({} if method is None else {"method": method, "name": method}),
        "versions": package_versions(),
        **(provenance or {}),
    }
    return ExplanationColumns(
        scores=Ragged.of_matrix(table),
        outputs=np.full(count, outputs[0] if outputs else 0, np.int32),
        base_values=_value_rows("base_values", base_values, (count, *outputs), copy),
        full_values=_value_rows("predictions", predictions, (count, *outputs), copy),
        stderr=Ragged.empty_rows(count) if errors is None else Ragged.of_matrix(errors),
        dof=_counts("dof", dof, count),
        calls=_counts("calls", calls, count),
        rows=_counts("rows", rows, count),
        graphs=CodedColumn((graph,), None),
        provenance={**_constant_columns(record), **_target_column(targets, count, outputs)},
        views=None if data is None else _table_rows(data, graph.names, count, copy),
        interactions=None if interactions is None else _pair_arrays(interactions, (count, d, d, *outputs), copy),
        errors={},
    )


def _constant_columns(record: Mapping[str, Any]) -> dict[str, CodedColumn]:
    return {key: CodedColumn((entry,), None) for key, entry in record.items()}


def _numbers(name: str, array: ArrayLike, copy: bool, shape: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    try:
        numbers = np.array(array, np.float64, order="C", copy=copy or None)
    except (TypeError, ValueError):
        raise OptionError(f"Expected numbers as {name}, got {type(array).__name__} of something else.") from None
    if shape is not None and numbers.shape != shape:
        raise OptionError(f"Expected {name} of shape {shape}, as the scores have, got shape {numbers.shape}.")
    if np.isnan(numbers).any() or (name != "stderr" and np.isinf(numbers).any()):
        raise OptionError(f"Expected finite numbers as {name}, got NaN or infinity.")
    return numbers


def _value_rows(name: str, numbers: ArrayLike, shape: tuple[int, ...], copy: bool) -> Ragged:
    """Base values or predictions: one for each input and output, or one for all inputs."""
    array = _numbers(name, numbers, copy)
    if array.shape != shape and array.shape in ((), (1,), shape[1:]):
        array = np.array(np.broadcast_to(array, shape))
    if array.shape != shape:
        raise OptionError(f"Expected {name} of shape {shape}, a number for each input, got shape {array.shape}.")
    return Ragged.of_matrix(array)


def _counts(name: str, counts: ArrayLike | None, n: int) -> NDArray[np.int64]:
    if counts is None:
        return np.broadcast_to(np.int64(-1), n)
    array = np.asarray(counts)
    if array.shape not in ((), (n,)) or array.dtype.kind not in "iu" or (array < 0).any():
        raise OptionError(f"Expected {name} as a whole number of at least 0, or {n} of them, got {counts!r:.60}.")
    return np.broadcast_to(array.astype(np.int64), n)


def _find_graph(graph: Graph | None, names: Sequence[str] | None, data: Any, d: int) -> Graph:
    """The graph over the units; by default one without edges that are worth anything: all units are neighbours."""
    columns = getattr(data, "columns", None)
    if names is None and graph is None and columns is not None:
        names = [str(column) for column in columns]
    if names is not None and (isinstance(names, str) or len(names) != d):
        raise OptionError(f"Expected {d} names, one for each unit, got {names!r:.60}.")
    if graph is None:
        return Graph.complete(d, None if names is None else [str(name) for name in names])
    if graph.d != d:
        raise OptionError(f"Expected a graph of {d} units, as the scores have, got {graph}.")
    return graph if names is None else replace(graph, names=tuple(map(str, names)))


def _target_column(targets: Any, count: int, outputs: tuple[int, ...]) -> dict[str, CodedColumn]:
    """The targets of all inputs: one name, a name for each output, or one or several names for each input."""
    if targets is None:
        return {}
    if isinstance(targets, str):
        targets = [targets]
    array = np.asarray(targets, object)
    if array.shape == (outputs or (1,)):
        return {"targets": CodedColumn(([str(name) for name in array],), None)}
    if array.shape not in ((count,), (count, *outputs)) or (outputs and array.ndim == 1):
        raise OptionError(
            f"Expected targets as {outputs[0] if outputs else 1} names for all inputs, or as names for each of "
            f"{count:,} inputs, got shape {array.shape}."
        )
    return {"targets": CodedColumn.of([[str(name) for name in np.atleast_1d(row)] for row in array])}


def _pair_arrays(interactions: ArrayLike, shape: tuple[int, ...], copy: bool) -> PairArrays:
    array = _numbers("interactions", interactions, copy)
    if array.shape != shape:
        raise OptionError(f"Expected interactions of shape {shape}, got shape {array.shape}.")
    if not np.array_equal(array, np.swapaxes(array, 1, 2)):
        raise OptionError("Expected interactions that are symmetric in both units, got others.")
    return PairArrays(freeze(array))


# -- feature values -------------------------------------------------------------------------------------------------


def _table_rows(data: Any, names: tuple[str, ...], count: int, copy: bool) -> TableRows:
    shape = np.shape(data)
    if shape != (count, len(names)):
        raise OptionError(
            f"Expected data of shape {(count, len(names))}, a value for each input and unit, got shape {shape}."
        )
    labels = np.arange(len(names), dtype=np.intp)
    array = np.asarray(data)
    if array.dtype.kind in "biuf":
        values = np.array(array, copy=copy or None) if array.dtype.kind == "f" else array.astype(np.float64)
        values = freeze(np.ascontiguousarray(values))
        return TableRows(names, labels, values, name_missing=bool(np.isnan(values).any()))
    cells = array.astype(object)
    columns = [_split_texts(cells[:, column]) for column in range(len(names))]
    values = np.stack([numbers for numbers, _ in columns], axis=1)
    texts = np.stack([column_texts for _, column_texts in columns], axis=1)
    return TableRows(names, labels, freeze(values), freeze(texts) if (texts != "").any() else None)


def _split_texts(cells: NDArray[np.object_]) -> tuple[NDArray[np.float64], NDArray[np.object_]]:
    """The numbers of a column, NaN where there is none, and the texts of its other values."""
    numbers, texts = np.full(len(cells), np.nan), np.full(len(cells), "", object)
    for row, cell in enumerate(cells):
        numbers[row], texts[row] = _split_cell(cell)
    return numbers, texts


def _split_cell(cell: Any) -> tuple[float, str]:
    if isinstance(cell, int | float | np.number | np.bool_):
        return float(cell), MISSING if cell != cell else ""
    missing = cell is None or type(cell).__name__ in ("NAType", "NaTType")  # of pandas
    return np.nan, MISSING if missing else str(cell)
