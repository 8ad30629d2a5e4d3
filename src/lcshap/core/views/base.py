"""The base class of views."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from ..json_reader import JsonNode


@dataclass(frozen=True, eq=False, kw_only=True)
class View:
    """An input, and the unit of each of its parts.

    Views are equal if all their fields are, arrays to the last bit.

    Attributes
    ----------
    labels : the unit of each part, -1 for none. Each kind of view defines its parts.
    kind : the name of the kind in files.

    Examples
    --------
    >>> view = View(labels=[0, 1, -1])
    >>> view.grouped([0, 0]).labels
    array([ 0,  0, -1])
    >>> view == View(labels=[0, 1, -1])
    True
    """

    kind: ClassVar[str] = ""
    has_unit_values: ClassVar[bool] = False  # whether `unit_data` has an entry for each unit

    labels: NDArray[np.intp]

    def __post_init__(self) -> None:
        labels = np.asarray(self.labels)
        if labels.dtype.kind not in "iu" and labels.size:
            raise OptionError(f"Expected integers as labels of a view, got {labels.dtype}.")
        object.__setattr__(self, "labels", labels.astype(np.intp, copy=False))

    def grouped(self, groups: ArrayLike) -> Self:
        """The view of an explanation by groups of units; ``groups[i]`` is the group of unit i."""
        return replace(self, labels=np.where(self.labels < 0, -1, np.asarray(groups)[self.labels]))

    def of_output(self, output: int) -> Self:
        """The view of an explanation of one output of several."""
        return self

    def unit_data(self, d: int) -> Any:
        """What the `d` units hold: the value, the text or the word of each; or the whole input if it has no such."""
        return None

    @classmethod
    def read(cls, place: JsonNode, last: int) -> Self:
        """Read a view from a file, with all checks before it is built; `last` is the number of the last unit."""
        return cls(**cls.read_fields(place, last))

    @classmethod
    def read_fields(cls, place: JsonNode, last: int) -> dict[str, Any]:
        """Read the fields from a file, with checks of everything that drawing relies on."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(_equal_bits(content, other_content) for content, other_content in pairs)

    __hash__ = None  # type: ignore[assignment]

    def _check_labels_shape(self, shape: tuple[int, ...], part_name: str) -> None:
        if self.labels.shape != shape:
            raise OptionError(f"Expected a label for each {part_name}, shape {shape}, got {self.labels.shape}.")

    def _set_fields(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


def values_per_unit(view: View | None, d: int) -> NDArray[Any]:
    """The value or the text of each of `d` units; NaN for all of them if the view has no value for each unit.

    >>> values_per_unit(None, 2)
    array([nan, nan])
    """
    data = None if view is None or not view.has_unit_values else view.unit_data(d)
    if data is None:
        return np.full(d, np.nan)
    return np.array(data, object) if isinstance(data, tuple) else np.asarray(data)


def _equal_bits(content: Any, other_content: Any) -> bool:
    if isinstance(content, np.ndarray):
        if content.dtype != other_content.dtype or content.shape != other_content.shape:
            return False
        return np.ascontiguousarray(content).tobytes() == np.ascontiguousarray(other_content).tobytes()
    return bool(content == other_content)
