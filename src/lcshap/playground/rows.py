"""The cells of a row of a table, as the page shows them and sends them back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal

import numpy as np

from ..errors import MaskerError
from ..maskers.cell_values import is_missing
from ..maskers.masked_table import MaskedFrame, MaskedTabular

CellKind = Literal["number", "truth", "day", "moment", "text"]
_MAX_INSPECTED_ROWS = 1000  # This many background rows determine the type of a column.
_TRUTH_VALUES = {"true": True, "false": False}
_EMPTY_TEXT = "''"  # This is how an empty text is written; an empty field is a missing value.


def cell_kinds(masked: MaskedTabular) -> list[CellKind]:
    """What each column holds: numbers, true and false, days, days with a time, or anything else, edited as a text.

    >>> import lcshap as lc
    >>> cell_kinds(lc.maskers.Tabular([[0.0, 1.0]]).mask([2.0, 3.0]))
    ['number', 'number']
    """
    if not isinstance(masked, MaskedFrame):
        return ["number"] * len(masked.columns)
    return [_infer_kind(column_cells(masked, c)) for c in range(len(masked.columns))]


def _infer_kind(cells: list[Any]) -> CellKind:
    present = [cell for cell in cells if not is_missing(cell)]
    if not present:
        return "number"
    kinds: dict[CellKind, Any] = {
        "truth": bool | np.bool_,  # Booleans are tested first, because Python treats them as numbers.
        "number": int | float | np.integer | np.floating,
        "moment": datetime,  # Timestamps are tested first, because they are dates too.
        "day": date,
    }
    return next((kind for kind, types in kinds.items() if all(isinstance(c, types) for c in present)), "text")


def column_cells(masked: MaskedFrame, column: int) -> list[Any]:
    """The cells of a column: of the row, and of the first background rows."""
    return [masked.row.values(column)[0], *list(masked.table.values(column))[:_MAX_INSPECTED_ROWS]]


def row_cells(masked: MaskedTabular) -> list[Any]:
    """The values of the row; NaN or None where they are missing."""
    if isinstance(masked, MaskedFrame):
        return [masked.row.values(c)[0] for c in range(len(masked.columns))]
    return list(masked.x.tolist())


def make_row(cells: Sequence[Any], masked: MaskedTabular) -> list[Any]:
    """Cells as a row like another one: in arrays a missing number is NaN."""
    return list(cells) if isinstance(masked, MaskedFrame) else [math.nan if c is None else c for c in cells]


def write_cell(cell: Any, kind: CellKind) -> float | str | None:
    """A cell as the page shows it: a number, a text, or None where it is missing.

    >>> [write_cell(cell, "text") for cell in ("Oslo", "", None, np.datetime64("2020-01-02"))]
    ['Oslo', "''", None, '2020-01-02']
    """
    if is_missing(cell):
        return None
    if kind == "number":
        return float(cell)
    return str(cell).removesuffix(" 00:00:00") or _EMPTY_TEXT


def read_cell(value: Any, kind: CellKind, column: str) -> Any:
    """A cell as the masker takes it, from what the page sends; None where it is missing. Raises `MaskerError`.

    >>> read_cell("2", "number", "age"), read_cell("", "number", "age"), read_cell("Oslo", "text", "city")
    (2, None, 'Oslo')
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if kind in ("day", "moment"):
        try:
            return (date if kind == "day" else datetime).fromisoformat(str(value).strip())
        except ValueError:
            raise MaskerError(
                f"Expected a date such as 2020-01-31 for the column {column!r}, got {value!r:.40}."
            ) from None
    if kind == "text":
        if not isinstance(value, str):
            raise MaskerError(f"Expected a text for the column {column!r}, got {type(value).__name__}.")
        return "" if value == _EMPTY_TEXT else value
    if kind == "truth":
        if str(value).strip().lower() not in _TRUTH_VALUES:
            raise MaskerError(f"Expected True or False for the column {column!r}, got {value!r:.40}.")
        return _TRUTH_VALUES[str(value).strip().lower()]
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise MaskerError(f"Expected a number for the column {column!r}, got {value!r:.40}.") from None
    return int(number) if number.is_integer() else number
