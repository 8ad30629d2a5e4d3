"""Read a row to explain, or a series, from CSV files."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MaskerError
from ..extras import import_optional
from ..maskers import Masker, Tabular
from .input_files import display_name, read_input_file
from .named_methods import suggest_names
from .option_groups import UsageError
from .options_shared import Input


def read_row(source: Input) -> tuple[Masker, Any]:
    """The row of --csv that is explained, and the other rows as the background."""
    assert source.csv is not None
    names, lines = read_lines(source.csv)
    for column in source.drop or []:
        if column not in names:
            raise UsageError(
                f"Expected a column of {display_name(source.csv)} in --drop, got "
                f"{column!r}{suggest_names(column, names)}. It has {', '.join(names)}."
            )
        lines = [line[: names.index(column)] + line[names.index(column) + 1 :] for line in lines]
        names.remove(column)
    if not 0 <= source.row < len(lines):
        raise UsageError(
            f"Expected a --row from 0 to {len(lines) - 1} of {display_name(source.csv)}, got {source.row}."
        )
    if len(lines) < 2:
        raise MaskerError(
            f"Expected several rows in {display_name(source.csv)}, got one. The other rows replace absent columns."
        )
    if source.background < 0:
        raise UsageError(f"Expected a --background of at least 0 rows, got {source.background}.")
    others = np.delete(np.arange(len(lines)), source.row)
    count = min(source.background, len(others)) or None
    if any(isinstance(as_number(cell), str) for line in lines for cell in line):
        return _read_mixed_row(names, lines, source.row, others, count)
    table = np.array([[float(cell) for cell in line] for line in lines])
    rows = table[others] if count else table[others].mean(axis=0)
    return Tabular(rows, names=names, summary=count), table[source.row]


def _read_mixed_row(
    names: list[str], lines: list[list[str]], row: int, others: NDArray[np.intp], count: int | None
) -> tuple[Masker, Any]:
    """A table with texts or gaps, read as pandas reads it: the model gets DataFrames."""
    pandas = import_optional("pandas", "pandas")
    text = io.StringIO(newline="")
    csv.writer(text).writerows([names, *lines])
    text.seek(0)
    frame = pandas.read_csv(text)
    if list(frame.columns) != names:
        raise MaskerError(f"Expected a table with one column of each name, got {', '.join(names)}.")
    background = frame.iloc[others]
    if count is not None:
        return Tabular(background, summary=count), frame.iloc[[row]]
    typical_row = {
        name: [column.mean() if column.dtype.kind in "iuf" else column.mode().get(0)]
        for name, column in background.items()
    }
    dtypes = {name: dtype for name, dtype in background.dtypes.items() if dtype.kind not in "iu"}
    return Tabular(pandas.DataFrame(typical_row).astype(dtypes)), frame.iloc[[row]]


def read_numbers(path: Path) -> tuple[NDArray[np.float64], list[str]]:
    """The numbers of a CSV file, and the names of its columns."""
    names, rows = read_lines(path)
    for number, line in enumerate(rows):
        for name, cell in zip(names, line, strict=True):
            if isinstance(as_number(cell), str):
                raise MaskerError(
                    f"Expected only numbers in {display_name(path)}, got {cell!r} in row {number}, column {name!r}."
                )
    return np.array([[float(cell) for cell in line] for line in rows]).reshape(len(rows), len(names)), names


def read_lines(path: Path) -> tuple[list[str], list[list[str]]]:
    """The names of the columns of a CSV file, and its rows. The first line has the names unless it is all numbers."""
    try:
        lines = [line for line in csv.reader(read_input_file(path).decode("utf-8-sig").splitlines()) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        raise MaskerError(f"Expected a table in UTF-8, got {display_name(path)}: {error}.") from None
    if not lines:
        raise MaskerError(f"Expected a table, got {display_name(path)}, which is empty.")
    has_header = any(isinstance(as_number(cell), str) for cell in lines[0])
    names = [cell.strip() for cell in lines[0]] if has_header else [str(i) for i in range(len(lines[0]))]
    rows = lines[1:] if has_header else lines
    for number, line in enumerate(rows):
        if len(line) != len(names):
            raise MaskerError(
                f"Expected {len(names)} columns in {display_name(path)}, got {len(line)} in row {number}."
            )
    return names, rows


def as_number(text: str) -> Any:
    """The number that a text stands for, or else the text."""
    try:
        return float(text)
    except ValueError:
        return text
