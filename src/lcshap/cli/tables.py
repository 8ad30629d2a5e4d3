"""Tables in files with commas: a row to explain, or a series."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MaskerError
from ..extras import need
from ..maskers import Masker, Tabular
from .declare import UsageError
from .files import named, read
from .methods import guess
from .options import Input


def read_row(source: Input) -> tuple[Masker, Any]:
    """The row of --csv that is explained, and the other rows as the background."""
    assert source.csv is not None
    names, lines = read_lines(source.csv)
    for column in source.drop or []:
        if column not in names:
            raise UsageError(
                f"Expected a column of {named(source.csv)} in --drop, got {column!r}{guess(column, names)}. It has "
                f"{', '.join(names)}."
            )
        lines = [line[: names.index(column)] + line[names.index(column) + 1 :] for line in lines]
        names.remove(column)
    if not 0 <= source.row < len(lines):
        raise UsageError(f"Expected a --row from 0 to {len(lines) - 1} of {named(source.csv)}, got {source.row}.")
    if len(lines) < 2:
        raise MaskerError(
            f"Expected several rows in {named(source.csv)}, got one. The other rows replace absent columns."
        )
    if source.background < 0:
        raise UsageError(f"Expected a --background of at least 0 rows, got {source.background}.")
    others = np.delete(np.arange(len(lines)), source.row)
    count = min(source.background, len(others)) or None
    if any(isinstance(as_number(cell), str) for line in lines for cell in line):
        return _mixed(names, lines, source.row, others, count)
    table = np.array([[float(cell) for cell in line] for line in lines])
    rows = table[others] if count else table[others].mean(axis=0)
    return Tabular(rows, names=names, summary=count), table[source.row]


def _mixed(
    names: list[str], lines: list[list[str]], row: int, others: NDArray[np.intp], count: int | None
) -> tuple[Masker, Any]:
    """A table with texts or gaps, read as pandas reads it: the model gets DataFrames."""
    pandas = need("pandas", "pandas")
    text = io.StringIO(newline="")
    csv.writer(text).writerows([names, *lines])
    text.seek(0)
    frame = pandas.read_csv(text)
    if list(frame.columns) != names:
        raise MaskerError(f"Expected a table with one column of each name, got {', '.join(names)}.")
    rest = frame.iloc[others]
    if count is not None:
        return Tabular(rest, summary=count), frame.iloc[[row]]
    usual = {
        name: [column.mean() if column.dtype.kind in "iuf" else column.mode().get(0)] for name, column in rest.items()
    }
    kinds = {name: dtype for name, dtype in rest.dtypes.items() if dtype.kind not in "iu"}
    return Tabular(pandas.DataFrame(usual).astype(kinds)), frame.iloc[[row]]


def read_numbers(path: Path) -> tuple[NDArray[np.float64], list[str]]:
    """The numbers of a file with commas, and the names of its columns."""
    names, rows = read_lines(path)
    for number, line in enumerate(rows):
        for name, cell in zip(names, line, strict=True):
            if isinstance(as_number(cell), str):
                raise MaskerError(
                    f"Expected only numbers in {named(path)}, got {cell!r} in row {number}, column {name!r}."
                )
    return np.array([[float(cell) for cell in line] for line in rows]).reshape(len(rows), len(names)), names


def read_lines(path: Path) -> tuple[list[str], list[list[str]]]:
    """The names of the columns of a file with commas, and its rows: the first line has names, unless it is numbers."""
    try:
        lines = [line for line in csv.reader(read(path).decode("utf-8-sig").splitlines()) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        raise MaskerError(f"Expected a table in UTF-8, got {named(path)}: {error}.") from None
    if not lines:
        raise MaskerError(f"Expected a table, got {named(path)}, which is empty.")
    titled = any(isinstance(as_number(cell), str) for cell in lines[0])
    names = [cell.strip() for cell in lines[0]] if titled else [str(i) for i in range(len(lines[0]))]
    rows = lines[1:] if titled else lines
    for number, line in enumerate(rows):
        if len(line) != len(names):
            raise MaskerError(f"Expected {len(names)} columns in {named(path)}, got {len(line)} in row {number}.")
    return names, rows


def as_number(text: str) -> Any:
    """A number where the text is one, else the text."""
    try:
        return float(text)
    except ValueError:
        return text
