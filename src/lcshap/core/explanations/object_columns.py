"""Columns of objects, one for each input: graphs, settings, views. Equal objects are stored once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..digest import digest
from ..graphs import Graph
from ..views import TableView
from ..views.table_view import MISSING
from .ragged import Rows, freeze


class ObjectColumn(Protocol):
    """One object for each input, or None."""

    def get(self, row: int) -> Any:
        """The object of an input; None if it has none."""

    def take(self, rows: Rows) -> ObjectColumn:
        """The column for some of the inputs."""


class EntryColumn(Protocol):
    """An entry of the provenance of each input."""

    @property
    def objects(self) -> tuple[Any, ...]:
        """The different objects."""

    @property
    def codes(self) -> NDArray[np.int32] | None:
        """The number of the object of each input, -1 for none; None if all inputs have the first object."""

    def get(self, row: int) -> Any:
        """The object of an input; None if it has none."""

    def has(self, row: int) -> bool:
        """Whether an input has an object, which may be None."""

    def take(self, rows: Rows) -> EntryColumn:
        """The column for some of the inputs."""

    def codes_of(self, count: int) -> NDArray[np.int32]:
        """The number of the object of each of `count` inputs."""


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """Objects, and for each input the number of its object.

    Attributes
    ----------
    objects : the different objects.
    codes : the number of the object of each input, -1 for none. A column whose inputs all have the first object has
        None instead.

    Examples
    --------
    >>> column = CodedColumn.of([["good"], ["bad"], ["good"]])
    >>> column.objects, column.codes.tolist(), column.get(2)
    ((['good'], ['bad']), [0, 1, 0], ['good'])
    >>> CodedColumn.of(["good", "good"]).codes is None
    True
    """

    objects: tuple[Any, ...]
    codes: NDArray[np.int32] | None

    @classmethod
    def of(cls, objects: Iterable[Any], absent: Any = None) -> CodedColumn:
        """A column of objects; equal ones are stored once. `absent` stands for no object."""
        numbers: dict[Any, int] = {}
        by_identity: dict[int, int] = {id(absent): -1}
        different: list[Any] = []
        codes = []
        kept_alive = []  # so that no identity is used twice
        for entry in objects:
            code = by_identity.get(id(entry))
            if code is None:
                key = entry if isinstance(entry, Graph) else digest(entry)
                code = by_identity[id(entry)] = numbers.setdefault(key, len(different))
                kept_alive.append(entry)
                if code == len(different):
                    different.append(entry)
            codes.append(code)
        return cls(tuple(different), np.array(codes, np.int32)).simplified()

    @classmethod
    def listed(cls, objects: Sequence[Any]) -> CodedColumn | None:
        """A column of objects that are not compared with each other; None if all of them are None."""
        present = [entry is not None for entry in objects]
        if not any(present):
            return None
        codes = np.where(present, np.cumsum(present) - 1, -1).astype(np.int32)
        return cls(tuple(entry for entry in objects if entry is not None), codes)

    def simplified(self) -> CodedColumn:
        """The same column, without codes if they are all 0."""
        return replace(self, codes=None) if self.codes is not None and not self.codes.any() and self.objects else self

    def get(self, row: int) -> Any:
        """The object of an input; None if it has none."""
        code = 0 if self.codes is None else self.codes[row]
        return None if code < 0 else self.objects[code]

    def has(self, row: int) -> bool:
        """Whether an input has an object, which may be None."""
        return self.codes is None or bool(self.codes[row] >= 0)

    def take(self, rows: Rows) -> CodedColumn:
        """The column for some of the inputs, with the objects that they use."""
        if self.codes is None:
            return self
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        objects = tuple(self.objects[code] for code in used.tolist() if code >= 0)
        shift = int(len(used) > len(objects))  # the code -1 comes first
        return CodedColumn(objects, (codes - shift).astype(np.int32)).simplified()

    def codes_of(self, count: int) -> NDArray[np.int32]:
        """The number of the object of each of `count` inputs."""
        return np.zeros(count, np.int32) if self.codes is None else self.codes


@dataclass(frozen=True, eq=False)
class TableRows:
    """The views of rows of one table: a matrix in place of a `TableView` for each row.

    Attributes
    ----------
    columns, labels : as in `TableView`, the same for all rows.
    values : `(n, columns)`.
    texts : `(n, columns)`, texts of values that are no numbers; None if there are none.
    name_missing : whether views have the text "missing" for values that are NaN, without an array of texts.
    """

    columns: tuple[str, ...]
    labels: NDArray[np.intp]
    values: NDArray[Any]
    texts: NDArray[np.object_] | None = None
    name_missing: bool = False

    @classmethod
    def of(cls, views: Sequence[Any], failed: Collection[int] = ()) -> TableRows | None:
        """The rows of some views; None if these are not rows of one table.

        Inputs that `failed` have no view. If others have none, the views are not rows of one table.
        """
        first = next((view for view in views if view is not None), None)
        if type(first) is not TableView:
            return None
        if not all(row in failed if view is None else _same_table(view, first) for row, view in enumerate(views)):
            return None
        gap = np.full(len(first.columns), np.nan if first.values.dtype.kind == "f" else 0, first.values.dtype)
        values = np.stack([gap if view is None else view.values for view in views])
        if not any(view is not None and view.texts for view in views):
            return cls(first.columns, first.labels, freeze(values))
        texts = np.full(values.shape, "", object)
        shared: dict[str, str] = {}
        for row, view in enumerate(views):
            if view is not None and view.texts:
                texts[row] = [shared.setdefault(text, text) for text in view.texts]
        return cls(first.columns, first.labels, freeze(values), freeze(texts))

    def get(self, row: int) -> TableView:
        """The view of a row."""
        texts: tuple[str, ...] = () if self.texts is None else tuple(self.texts[row])
        if self.name_missing:
            texts = tuple(MISSING if missing else "" for missing in np.isnan(self.values[row]).tolist())
        return TableView(columns=self.columns, values=self.values[row], labels=self.labels, texts=texts)

    def take(self, rows: Rows) -> TableRows:
        """Some of the rows."""
        texts = None if self.texts is None else freeze(self.texts[rows])
        return replace(self, values=freeze(self.values[rows]), texts=texts)


def _same_table(view: Any, first: TableView) -> bool:
    return (
        type(view) is TableView
        and view.columns == first.columns
        and view.values.dtype == first.values.dtype
        and np.array_equal(view.labels, first.labels)
    )
