"""Labels and names of inputs, for web pages: from text files with a line for each input, or from columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import TypedDict

from .input_files import display_name, read_input_text
from .named_methods import suggest_names
from .option_groups import UsageError
from .options_shared import Input, LabelOptions, Output
from .tables import read_lines

_Texts = list[str | None]
_Reader = Callable[[str, str], _Texts]  # takes the name of an option and its argument


class InputLabels(TypedDict, total=False):
    """The options of `lcshap.report` about its inputs; only those that the user sets."""

    labels: _Texts
    names: _Texts


def read_labels(marks: LabelOptions) -> InputLabels:
    """All lines of the files; None for a blank line."""
    return _read_options(marks, lambda _, path: _read_text_lines(Path(path)))


def select_labels(marks: LabelOptions, places: Sequence[int], total: int, inputs: str) -> InputLabels:
    """The lines at `places`, from 0, of files with a line for each of `total` inputs.

    Parameters
    ----------
    inputs : the name of the inputs for the error about a wrong number of lines, such as "line of reviews.txt".
    """

    def pick_lines(option: str, path: str) -> _Texts:
        lines = _read_text_lines(Path(path))
        while len(lines) > total and lines[-1] is None:
            lines.pop()
        if len(lines) != total:
            raise UsageError(
                f"Expected {total:,} lines in {display_name(Path(path))} for --{option}, one for each {inputs}, got "
                f"{len(lines):,}. Leave a line blank where nothing is known."
            )
        return [lines[place] for place in places]

    return _read_options(marks, pick_lines)


def filter_labels(marked: InputLabels, is_kept: Sequence[bool]) -> InputLabels:
    """The labels and names of the inputs that are kept."""
    kept_marks: InputLabels = {}
    if "labels" in marked:
        kept_marks["labels"] = list(compress(marked["labels"], is_kept))
    if "names" in marked:
        kept_marks["names"] = list(compress(marked["names"], is_kept))
    return kept_marks


def take_columns(source: Input, marks: LabelOptions) -> tuple[Input, InputLabels]:
    """The labels and names in the explained row of --csv, and the input without their columns."""
    assert source.csv is not None
    if str(source.csv) == "-" and _set_options(marks):
        raise UsageError("Expected a file for --csv with --labels or --names, got standard input. Save it first.")
    columns, rows = read_lines(source.csv) if _set_options(marks) else ([], [])

    def read_cell(option: str, column: str) -> _Texts:
        if column not in columns:
            raise UsageError(
                f"Expected a column of {display_name(source.csv or Path())} in --{option}, got {column!r}"
                f"{suggest_names(column, columns)}. It has {', '.join(columns)}."
            )
        return [row[columns.index(column)].strip() or None for row in rows[source.row : source.row + 1]]

    marked = _read_options(marks, read_cell)
    return replace(source, drop=list(dict.fromkeys([*(source.drop or []), *_set_options(marks).values()]))), marked


def check_label_options(marks: LabelOptions, output: Output) -> None:
    """Raise if labels or names are given without a web page, which alone shows them."""
    for option in _set_options(marks):
        if output.html is None:
            raise UsageError(f"Expected --html with --{option}, got none. Only web pages show labels and names.")


def _set_options(marks: LabelOptions) -> dict[str, str]:
    return {option: text for option, text in vars(marks).items() if text is not None}


def _read_options(marks: LabelOptions, read: _Reader) -> InputLabels:
    marked: InputLabels = {}
    if marks.labels is not None:
        marked["labels"] = read("labels", marks.labels)
    if marks.names is not None:
        marked["names"] = read("names", marks.names)
    return marked


def _read_text_lines(path: Path) -> _Texts:
    lines = read_input_text(path).removesuffix("\n").split("\n")
    return [line.strip() or None for line in lines]
