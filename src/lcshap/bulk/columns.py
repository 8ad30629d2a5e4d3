"""The roles of the columns of a table: the input that is explained, the id of a row, and its true class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..core.printable import escape_surrogates
from ..errors import OptionError
from .readers import Record


class InputRow(NamedTuple):
    """One input.

    Attributes
    ----------
    id : the name of the row in its source; None if it has none.
    x : the input that is explained.
    error : the reason why `x` cannot be read; None if it can.
    label : the true class; None if the source has none.
    """

    id: str | None
    x: Any
    error: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class Columns:
    """The roles of the columns of a table.

    Parameters
    ----------
    explained : the column that is explained. With several columns, each input is a dict. The default is all columns
        except `id` and `label`; if this is a single column, its cells are the inputs.
    id : the column that names the rows; a row may have no name. By default, rows are numbered from 0.
    label : the column with the true classes.
    label_names : the class that each value of that column stands for, such as ``{"0": "negative"}``. A value that is
        not among them is the name of a class itself.
    texts : whether all cells are texts that may stand for numbers, as in CSV files.

    Examples
    --------
    >>> columns = Columns("text", "key", "stars", {"5": "good"}).for_table(["key", "text", "stars"], "the table")
    >>> columns.row({"key": "r1", "text": "A fine film.", "stars": 5}, 0)
    InputRow(id='r1', x='A fine film.', error=None, label='good')
    """

    explained: str | Sequence[str] | None = None
    id: str | None = None
    label: str | None = None
    label_names: Mapping[str, str] | None = None
    texts: bool = False

    def __post_init__(self) -> None:
        if self.label_names is not None and self.label is None:
            raise OptionError("Expected the column of the true classes as label= beside label_names=, got none.")

    def for_table(self, columns: list[str], table: str, texts: bool = False) -> Columns:
        """These roles for a table that has `columns`, with the defaults filled in.

        Raises
        ------
        OptionError : for a column that the table does not have.
        """
        explained = [self.explained] if isinstance(self.explained, str) else list(self.explained or [])
        others = [name for name in (self.id, self.label) if name is not None]
        for name in [*explained, *others]:
            if name not in columns:
                raise OptionError(
                    f"Expected a column of {table}, got {name!r}. It has {', '.join(columns) or 'no columns'}."
                )
        if self.explained is None:
            explained = [name for name in columns if name not in others]
        if duplicates := [name for name in [*explained, *others] if columns.count(name) > 1]:
            raise OptionError(
                f"Expected columns with different names in {table}, got {duplicates[0]!r} more than once."
            )
        single = isinstance(self.explained, str) or (self.explained is None and len(explained) == 1)
        return replace(self, explained=explained[0] if single else explained, texts=texts)

    @property
    def table_options(self) -> str:
        """The names of the options that need a table, for error messages; empty if none is set."""
        options = {"column=": self.explained, "id=": self.id, "label=": self.label}
        return " and ".join(name for name, option in options.items() if option is not None)

    @property
    def inputs(self) -> list[str]:
        """The columns that are explained."""
        return [self.explained] if isinstance(self.explained, str) else list(self.explained or [])

    @property
    def names(self) -> list[str]:
        """All columns that are read."""
        return list(dict.fromkeys([*self.inputs, *(name for name in (self.id, self.label) if name is not None)]))

    @property
    def description(self) -> dict[str, Any]:
        """What a manifest records about the columns."""
        labels = None if self.label is None else [self.label, dict(self.label_names or {})]
        return {"columns": self.explained, "id": self.id, "labels": labels}

    def row(self, record: Record, number: int) -> InputRow:
        """The input in a record, which is row `number` of the data set."""
        if isinstance(record, str):
            return InputRow(str(number) if self.id is None else None, None, record)
        cell = number if self.id is None else record.get(self.id)
        name = None if cell is None else escape_surrogates(str(cell))
        label = self._read_label(record)
        for column in self.inputs:
            if column not in record or (isinstance(self.explained, str) and record[column] is None):
                return InputRow(name, None, f"Expected a value in the column {column!r}, got none.", label)
            if isinstance(cell := record[column], str) and not _is_unicode(cell):
                return InputRow(
                    name, None, f"Expected a text in UTF-8 in the column {column!r}, got other bytes.", label
                )
        if isinstance(self.explained, str):
            return InputRow(name, record[self.explained], None, label)
        cells = {key: _parse_number(record[key]) if self.texts else record[key] for key in self.inputs}
        return InputRow(name, cells, None, label)

    def _read_label(self, record: dict[str, Any]) -> str | None:
        """The true class; None if the cell is empty. Whole numbers have no decimal point, as in names of classes."""
        cell = None if self.label is None else record.get(self.label)
        if cell is None or cell == "" or cell != cell:  # NaN is what pandas writes for a missing number.
            return None
        text = escape_surrogates(str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell))
        return (self.label_names or {}).get(text, text)


ALL_COLUMNS = Columns()  # every column is explained


def _parse_number(cell: Any) -> Any:
    """The number that a text stands for, None for an empty text, and otherwise the text itself."""
    try:
        return float(cell) if cell != "" else None
    except ValueError:
        return cell


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
