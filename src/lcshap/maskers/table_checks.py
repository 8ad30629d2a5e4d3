"""Rows of tables as numbers, and checks of their values and of the names of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.graphs import Graph
from ..errors import MaskerError
from .cell_values import Names, align_columns
from .dataframes import Frame
from .input_lists import is_frame
from .mixed import encode_columns, read_array


def read_row(x: Any, names: Names | None) -> tuple[NDArray[np.floating], Names | None]:
    """A row as numbers, and the names that come with it."""
    if isinstance(x, Mapping):
        if names is None:
            raise MaskerError("Expected x to be a list or an array, got a mapping, and the background has no names.")
        positions, cells = align_columns(names, list(map(str, x)), "x"), list(x.values())
        x = cells if positions is None else [cells[position] for position in positions]
    if x is None:
        raise MaskerError("Expected a row of numbers as x, got None.")
    row, row_names = read_array(x, "x")
    return (row[0] if is_frame(x) and len(row) == 1 else row), row_names


def check_needs_no_background(graph: Any, groups: Any, summary: int | None) -> None:
    """Raise for options of `Tabular` that are found in background rows, if there are none."""
    needing = {
        "graph": isinstance(graph, str) and graph not in ("complete", "chain"),
        "groups": isinstance(groups, str),
    }
    name = next((name for name, needs in needing.items() if needs), None if summary is None else "summary")
    if name is not None:
        value = {"graph": graph, "groups": groups, "summary": summary}[name]
        raise MaskerError(f"Expected a background, in which {name}={value!r} looks, got none. Give Tabular(rows, ...).")


def format_column(column: int, names: Names | None) -> str:
    """A column for errors: its name, or its number if it has none."""
    return repr(names[column]) if names else str(column)


def check_values(rows: NDArray[np.floating] | Frame, names: Names | None, subject: str) -> None:
    """Raise for infinite values. Missing values are allowed."""
    if isinstance(rows, Frame):
        numbers = [rows.numbers(c) for c in range(rows.shape[1])]
        has_infinite = np.array([column is not None and bool(np.isinf(column).any()) for column in numbers])
    else:
        has_infinite = np.isinf(rows).any(axis=0)
    if has_infinite.any():
        raise MaskerError(
            f"Expected finite numbers in {subject}, got an infinite one in column "
            f"{format_column(int(has_infinite.argmax()), names)}. Replace it."
        )


def check_missing(rows: NDArray[np.floating] | Frame, names: Names | None, columns: NDArray[np.intp]) -> None:
    """Raise for columns in which all background rows have missing values."""
    if isinstance(rows, Frame):
        empty = np.array([(c < 0 if c.dtype.kind == "i" else np.isnan(c)).all() for c in encode_columns(rows)])
    else:
        empty = np.isnan(rows).all(axis=0)
    if empty[columns].any():
        name = format_column(int(columns[empty[columns].argmax()]), names)
        raise MaskerError(
            "Expected a value in at least one row of every column of the background, got none in column "
            f"{name}. Drop or pin the column, or give one reference row if an absent column is to be a "
            "missing value."
        )


def graph_names(graph: Graph) -> Names | None:
    """The names of a graph, unless they are its default numbers."""
    return None if graph.names == tuple(map(str, range(graph.d))) else graph.names


def check_same_names(names: Names | None, other_names: Names | None, source: str, other_source: str) -> None:
    """Raise if the names or the order of columns differ between two places."""
    for i, (a, b) in enumerate(zip(names or (), other_names or (), strict=False)):
        if a != b:
            raise MaskerError(
                f"Expected the same columns in the same order, got {a!r} in {source} and {b!r} in "
                f"{other_source} as column {i}."
            )
