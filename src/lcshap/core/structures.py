"""What can be read from a model, such as trees or weights, and games whose values are weighted sums of its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .coalitions import Coalitions
from .row_encoding import PINNED, RowEncoder

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class Structure(Protocol):
    """The content of a model from which scores can be computed: trees, weights, or the tables of its terms."""

    @property
    def encoder(self) -> RowEncoder | None:
        """How rows of a table become numbers; None if its columns are the numbers."""

    @property
    def rounding(self) -> float:
        """The relative error of the outputs in the library that made the model, if it is larger than usual."""

    @property
    def outputs(self) -> int:
        """The number of outputs."""

    def predict(self, rows: Floats) -> Floats:
        """The outputs for rows of numbers except for a constant, `(n, outputs)`."""


@dataclass(frozen=True, eq=False)
class StructureGame:
    """Games, one for each row: v(S) = weights · the mean output for the row in S and background rows else.

    Attributes
    ----------
    structure : what was read from the model.
    rows : `(n, numbers)`, the rows that are explained.
    background : `(m, numbers)`, the values of absent units. Without any rows only methods that need none can be used.
    units : `(numbers,)`, the unit of each number; `PINNED` for numbers that always have the value of the row, `DROPPED`
        for numbers that always have that of the background.
    d : the number of units.
    weights : `(values, outputs)`.
    multi_output : whether v is `(values,)`, and not a number.
    """

    structure: Any
    rows: Floats
    background: Floats
    units: Places
    d: int
    weights: Floats
    multi_output: bool = False

    @property
    def has_background(self) -> bool:
        """Whether there are background rows. Without them only the full coalition has a value."""
        return bool(self.background.shape[0])

    def values(self, coalitions: Coalitions, row: int = 0) -> Floats:
        """v of each coalition for one of the rows, but for a constant, `(n,)` or `(n, values)`."""
        outputs = []
        background = self.background if self.has_background else self.rows[row : row + 1]
        for mask in coalitions.dense():
            present = np.where(self.units >= 0, mask[self.units], self.units == PINNED)
            outputs.append(self.structure.predict(np.where(present, self.rows[row], background)).mean(axis=0))
        return self.read(np.array(outputs) @ self.weights.T)

    def read(self, values: Floats) -> Floats:
        """Numbers `(..., values)`, without the last axis if v is a number."""
        return values if self.multi_output else np.asarray(values[..., 0])
