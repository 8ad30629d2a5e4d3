"""Labels and names of inputs, for web pages: from text files with a line for each input, or from columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import TypedDict

from .declare import UsageError
from .files import named, read_text
from .methods import guess
from .options import Input, Marks, Output
from .tables import read_lines

_Texts = list[str | None]
_Reader = Callable[[str, str], _Texts]  # of the name of an option and its value


class Marked(TypedDict, total=False):
    """What `lcshap.report` is told about its inputs: only what was given."""

    labels: _Texts
    names: _Texts


def read_marks(marks: Marks) -> Marked:
    """All lines of the files, None where a line is blank."""
    return _each(marks, lambda _, path: _lines(Path(path)))


def pick_marks(marks: Marks, places: Sequence[int], total: int, inputs: str) -> Marked:
    """The lines of the inputs at these places, from 0, of files with a line for each of `total` inputs.

    Parameters
    ----------
    inputs : what the lines stand for, as the error says it where their number is wrong: "line of reviews.txt".
    """

    def picked(option: str, path: str) -> _Texts:
        lines = _lines(Path(path))
        while len(lines) > total and lines[-1] is None:
            lines.pop()
        if len(lines) != total:
            raise UsageError(
                f"Expected {total:,} lines in {named(Path(path))} for --{option}, one for each {inputs}, got "
                f"{len(lines):,}. Leave a line blank where nothing is known."
            )
        return [lines[place] for place in places]

    return _each(marks, picked)


def keep_marks(marked: Marked, kept: Sequence[bool]) -> Marked:
    """Those of the inputs that are kept."""
    found: Marked = {}
    if "labels" in marked:
        found["labels"] = list(compress(marked["labels"], kept))
    if "names" in marked:
        found["names"] = list(compress(marked["names"], kept))
    return found


def take_columns(source: Input, marks: Marks) -> tuple[Input, Marked]:
    """The cells of the row of --csv that is explained, and the input without their columns."""
    assert source.csv is not None
    if str(source.csv) == "-" and _given(marks):
        raise UsageError("Expected a file for --csv with --labels or --names, got standard input. Save it first.")
    columns, rows = read_lines(source.csv) if _given(marks) else ([], [])

    def cell(option: str, column: str) -> _Texts:
        if column not in columns:
            raise UsageError(
                f"Expected a column of {named(source.csv or Path())} in --{option}, got {column!r}"
                f"{guess(column, columns)}. It has {', '.join(columns)}."
            )
        return [row[columns.index(column)].strip() or None for row in rows[source.row : source.row + 1]]

    found = _each(marks, cell)
    return replace(source, drop=list(dict.fromkeys([*(source.drop or []), *_given(marks).values()]))), found


def check_marks(marks: Marks, output: Output) -> None:
    """Labels and names are of no use without a page."""
    for option in _given(marks):
        if output.html is None:
            raise UsageError(f"Expected --html with --{option}, got none. Only web pages show labels and names.")


def _given(marks: Marks) -> dict[str, str]:
    return {option: value for option, value in vars(marks).items() if value is not None}


def _each(marks: Marks, read: _Reader) -> Marked:
    found: Marked = {}
    if marks.labels is not None:
        found["labels"] = read("labels", marks.labels)
    if marks.names is not None:
        found["names"] = read("names", marks.names)
    return found


def _lines(path: Path) -> _Texts:
    lines = read_text(path).removesuffix("\n").split("\n")
    return [line.strip() or None for line in lines]
