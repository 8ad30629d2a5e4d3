"""What the columns of a table are for: what is explained, what names a row, and what its true class is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..errors import OptionError
from .readers import Record


class Row(NamedTuple):
    """One input.

    Attributes
    ----------
    id : what the source calls it; None if it has no name for this one.
    x : what is explained.
    error : why `x` cannot be read, if it cannot.
    label : its true class, if the source has one.
    """

    id: str | None
    x: Any
    error: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are for.

    Parameters
    ----------
    explained : the column that is explained. Several columns make each input a dict. By default these are all columns
        but the others that are named here; a column that is alone is the input itself.
    id : the column that names the rows; a row may have no name. By default rows are counted from 0.
    label : the column with the true classes.
    label_names : the class that each value of that column stands for, such as ``{"0": "negative"}``. A value that is
        not there is the name of a class already.
    texts : whether all cells are texts, as those of CSV files are, and may stand for numbers.

    Examples
    --------
    >>> columns = Columns("text", "key", "stars", {"5": "good"}).among(["key", "text", "stars"], "the table")
    >>> columns.row({"key": "r1", "text": "A fine film.", "stars": 5}, 0)
    Row(id='r1', x='A fine film.', error=None, label='good')
    """

    explained: str | Sequence[str] | None = None
    id: str | None = None
    label: str | None = None
    label_names: Mapping[str, str] | None = None
    texts: bool = False

    def __post_init__(self) -> None:
        if self.label_names is not None and self.label is None:
            raise OptionError("Expected the column of the true classes as label= beside label_names=, got none.")

    def among(self, known: list[str], table: str, texts: bool = False) -> Columns:
        """The same for a table with the columns `known`, with nothing left open.

        Raises
        ------
        OptionError : for a column that the table does not have.
        """
        given = [self.explained] if isinstance(self.explained, str) else list(self.explained or [])
        others = [name for name in (self.id, self.label) if name is not None]
        for name in [*given, *others]:
            if name not in known:
                raise OptionError(
                    f"Expected a column of {table}, got {name!r}. It has {', '.join(known) or 'no columns'}."
                )
        if self.explained is None:
            given = [name for name in known if name not in others]
        if twice := [name for name in [*given, *others] if known.count(name) > 1]:
            raise OptionError(f"Expected columns with different names in {table}, got {twice[0]!r} more than once.")
        alone = isinstance(self.explained, str) or (self.explained is None and len(given) == 1)
        return replace(self, explained=given[0] if alone else given, texts=texts)

    @property
    def given(self) -> str:
        """The options that are about a table, as an error names them; empty if there are none."""
        found = {"column=": self.explained, "id=": self.id, "label=": self.label}
        return " and ".join(name for name, option in found.items() if option is not None)

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
        """What a manifest says of them."""
        labels = None if self.label is None else [self.label, dict(self.label_names or {})]
        return {"columns": self.explained, "id": self.id, "labels": labels}

    def row(self, record: Record, number: int) -> Row:
        """The input in a record, which is row `number` of the data set."""
        if isinstance(record, str):
            return Row(str(number) if self.id is None else None, None, record)
        cell = number if self.id is None else record.get(self.id)
        name = None if cell is None else shown(str(cell))
        label = self._label(record)
        for column in self.inputs:
            if column not in record or (isinstance(self.explained, str) and record[column] is None):
                return Row(name, None, f"Expected a value in the column {column!r}, got none.", label)
            if isinstance(cell := record[column], str) and not _is_unicode(cell):
                return Row(name, None, f"Expected a text in UTF-8 in the column {column!r}, got other bytes.", label)
        if isinstance(self.explained, str):
            return Row(name, record[self.explained], None, label)
        cells = {key: _number(record[key]) if self.texts else record[key] for key in self.inputs}
        return Row(name, cells, None, label)

    def _label(self, record: dict[str, Any]) -> str | None:
        """The true class; None where the cell is empty. Whole numbers are written without a point, as classes are."""
        cell = None if self.label is None else record.get(self.label)
        if cell is None or cell == "" or cell != cell:  # NaN: what pandas writes for no number
            return None
        text = shown(str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell))
        return (self.label_names or {}).get(text, text)


ALL = Columns()  # every column is explained


def _number(cell: Any) -> Any:
    """A number where a text is one; a cell that is empty is missing."""
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


def shown(text: str) -> str:
    """A text that can be written in UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
