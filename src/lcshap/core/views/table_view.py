"""Rows of tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ..json_reader import MAX_NUMBER, JsonNode
from .base import View

MISSING = "missing"  # the text of a missing value
SEPARATORS = "_=.:-/ []"  # between the name of a feature and that of its category, in the names of one-hot columns


@dataclass(frozen=True, eq=False, kw_only=True)
class TableView(View):
    """A row of a table. Its parts are columns.

    Attributes
    ----------
    columns : their names.
    values : the number in each; NaN where there is none.
    texts : how each value reads where it is no number, such as "Paris" or "missing"; an empty text where it is one.
        A truth value has both: the number 1 or 0, and "True" or "False". Empty for a table of numbers.
    """

    kind: ClassVar[str] = "table"
    has_unit_values: ClassVar[bool] = True

    columns: tuple[str, ...]
    values: NDArray[Any]
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        columns, texts = tuple(map(str, self.columns)), tuple(map(str, self.texts))
        self._set_fields(columns=columns, values=np.asarray(self.values), texts=texts if any(texts) else ())
        if texts and len(texts) != len(columns):
            raise OptionError(f"Expected {len(columns)} texts, one a column, got {len(texts)}.")
        if self.values.shape != (len(self.columns),):
            raise OptionError(f"Expected {len(self.columns)} values, one a column, got shape {self.values.shape}.")
        self._check_labels_shape(self.values.shape, "column")

    @property
    def unit_values(self) -> dict[int, float]:
        """The number of each unit that is one column; NaN where it is none.

        >>> TableView(columns=["age", "x", "y"], values=[70.0, 1.0, 2.0], labels=[0, 1, 1]).unit_values
        {0: 70.0}
        """
        return {
            unit: float(self.values[columns[0]]) for unit, columns in self._columns_by_unit.items() if len(columns) == 1
        }

    @property
    def unit_texts(self) -> dict[int, str]:
        """The text of each unit whose value is no number: the text of a column, or the category of a one-hot block.

        >>> view = TableView(columns=["sex", "city_Oslo", "city_Rome"], values=[np.nan, 0, 1], labels=[0, 1, 1],
        ...                  texts=["female", "", ""])
        >>> view.unit_texts
        {0: 'female', 1: 'Rome'}
        """
        texts = {}
        for unit, columns in self._columns_by_unit.items():
            text = self.texts[columns[0]] if len(columns) == 1 and self.texts else ""
            if len(columns) > 1:
                text = one_hot_category([self.columns[c] for c in columns], self.values[columns])
            if text:
                texts[unit] = text
        return texts

    def unit_data(self, d: int) -> NDArray[Any]:
        """The value of each unit, see `unit_matrix`."""
        texts = np.array([self.texts], object) if self.texts else None
        return np.asarray(unit_matrix(self.columns, self.labels, self.values[None], texts, d)[0])

    @property
    def _columns_by_unit(self) -> dict[int, NDArray[np.intp]]:
        """The columns of each unit."""
        return columns_by_unit(self.labels)

    @classmethod
    def read_fields(cls, place: JsonNode, last: int) -> dict[str, Any]:
        """The columns and their values, and texts where values are no numbers."""
        columns = place["columns"].strings()
        values = place["values"].array()
        if values.shape != (len(columns),):
            place["values"].fail(f"an array of shape ({len(columns)},), a value for each column", str(values.shape))
        if np.isinf(values).any() or (np.abs(values.astype(np.float64)) > MAX_NUMBER).any():
            place["values"].fail("finite numbers", "others")
        content = {
            "columns": columns,
            "values": values,
            "labels": place["labels"].integer_array(-1, last, len(columns)),
        }
        texts = place.get("texts")
        return content if texts.missing or not texts.value else content | {"texts": texts.strings(len(columns))}


def columns_by_unit(labels: NDArray[np.intp]) -> dict[int, NDArray[np.intp]]:
    """The columns of each unit, from the unit of each column.

    >>> columns_by_unit(np.array([1, 0, 1, -1]))
    {0: array([1]), 1: array([0, 2])}
    """
    order = np.argsort(labels, kind="stable")
    units, starts = np.unique(labels[order], return_index=True)
    column_groups = np.split(order, starts[1:])
    return {int(unit): columns for unit, columns in zip(units, column_groups, strict=True) if unit >= 0}


def unit_matrix(
    columns: Sequence[str],
    labels: NDArray[np.intp],
    values: NDArray[Any],
    texts: NDArray[np.object_] | None,
    d: int,
) -> NDArray[Any]:
    """The value of each of `d` units in some rows of a table.

    Parameters
    ----------
    columns, labels : as in `TableView`.
    values, texts : `(n, columns)`; `texts` is None if all values are numbers.

    Returns
    -------
    An array `(n, d)` of numbers, with NaN for missing values; of objects if some values are texts, such as categories.
    Truth values are 1 and 0.
    The value of a one-hot block is its category. Other units of several columns have no value: NaN.

    Examples
    --------
    >>> values, texts = np.array([[70.0, np.nan, 0.0, 1.0]]), np.array([["", "female", "", ""]], object)
    >>> unit_matrix(["age", "sex", "city_Oslo", "city_Rome"], np.array([0, 1, 2, 2]), values, texts, 3)
    array([[70.0, 'female', 'Rome']], dtype=object)
    >>> unit_matrix(["age"], np.array([0]), np.array([[70.0]]), None, 1)
    array([[70.]])
    """
    if texts is None and np.array_equal(labels, np.arange(d)):
        return values
    blocks: dict[int, NDArray[Any]] = {}
    for unit, members in columns_by_unit(labels).items():
        block_texts = None if texts is None else texts[:, members]
        blocks[unit] = _unit_column([columns[c] for c in members], values[:, members], block_texts)
    has_texts = any(block.dtype == object for block in blocks.values())
    matrix = np.full((len(values), d), np.nan, object if has_texts else np.float64)
    for unit, block in blocks.items():
        if unit < d:
            matrix[:, unit] = block
    return matrix


def _unit_column(names: Sequence[str], values: NDArray[Any], texts: NDArray[np.object_] | None) -> NDArray[Any]:
    """The value of a unit in each row."""
    if len(names) > 1:
        categories = [one_hot_category(names, row) for row in values]
        return np.array([category or np.nan for category in categories], object if any(categories) else np.float64)
    numbers = values[:, 0]
    if texts is None:
        return numbers
    is_text = (texts[:, 0] != "") & (texts[:, 0] != MISSING) & np.isnan(numbers)  # truth values are numbers with texts
    return np.where(is_text, texts[:, 0], numbers.astype(object)) if is_text.any() else numbers


def one_hot_category(names: Sequence[str], values: NDArray[Any]) -> str:
    """The category of a one-hot block: the name of the column that is 1, without the part that all names share.

    >>> one_hot_category(["city_Oslo", "city_Rome"], np.array([0.0, 1.0]))
    'Rome'
    >>> one_hot_category(["age", "dose"], np.array([70.0, 2.0]))
    ''
    """
    if not set(values.tolist()) <= {0, 1} or values.sum() != 1:
        return ""
    stem = one_hot_feature(names)
    return names[int(values.argmax())][len(stem) :].lstrip(SEPARATORS) if stem else ""


def one_hot_feature(names: Sequence[str]) -> str:
    """What the names of the columns of a one-hot block have in common, up to a separator; empty if nothing.

    >>> blocks = ["city_New_York", "city_Oslo"], ["x0", "x1"], ["city=Oslo", "city=Ostia"]
    >>> [one_hot_feature(names) for names in blocks]
    ['city', '', 'city']
    """
    first, last = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[: max(first.rfind(mark, 0, same) for mark in SEPARATORS) + 1].rstrip(SEPARATORS)
