"""A column of objects that are stored as JSON, each of which is decoded when it is needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..json_reader import JsonNode, parse_json
from .object_columns import CodedColumn
from .ragged import Rows, freeze


@dataclass(frozen=True, eq=False)
class JsonColumn:
    """Objects as JSON.

    Attributes
    ----------
    texts : the JSON of the object of each input; None for no object.
    source : where it was read, for errors.

    Examples
    --------
    >>> column = JsonColumn(np.array(['["good", 0.75]', None], object), "a file")
    >>> column.get(0), column.has(1), column.objects
    (['good', 0.75], False, (['good', 0.75],))
    """

    texts: NDArray[np.object_]
    source: str

    def get(self, row: int) -> Any:
        """The object of an input; None if it has none."""
        text = self.texts[row]
        if text is None:
            return None
        return JsonNode(parse_json(text.encode("utf-8", "surrogatepass"), self.source), self.source).plain()

    def has(self, row: int) -> bool:
        """Whether an input has an object, which may be None."""
        return self.texts[row] is not None

    def take(self, rows: Rows) -> JsonColumn:
        """The column for some of the inputs."""
        return replace(self, texts=freeze(self.texts[rows]))

    @property
    def objects(self) -> tuple[Any, ...]:
        """The different objects, all of them decoded."""
        return self.decoded.objects

    @property
    def codes(self) -> NDArray[np.int32] | None:
        """The number of the object of each input."""
        return self.decoded.codes

    def codes_of(self, count: int) -> NDArray[np.int32]:
        """The number of the object of each of `count` inputs."""
        return self.decoded.codes_of(count)

    @property
    def decoded(self) -> CodedColumn:
        """The same column with all objects decoded."""
        absent = object()
        return CodedColumn.of([self.get(row) if self.has(row) else absent for row in range(len(self.texts))], absent)
