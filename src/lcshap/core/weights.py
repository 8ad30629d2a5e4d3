"""The weights of a linear model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .row_encoding import RowEncoder

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weights:
    """A linear model: each output is a weighted sum of numbers, and a constant, which is left out.

    Attributes
    ----------
    coefficients : `(outputs, numbers)`.
    encoder : how rows of a table become the numbers; None if its columns are the numbers.
    rounding : the relative error of the library that made the model, if it computes in single precision.

    Examples
    --------
    >>> Weights(np.array([[1.0, 2.0]])).predict(np.array([[3.0, 4.0]]))
    array([[11.]])
    """

    coefficients: Floats
    encoder: RowEncoder | None = None
    rounding: float = 0.0

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return len(self.coefficients)

    def predict(self, rows: Any) -> Floats:
        """The outputs for rows of numbers, `(n, outputs)`. The rows may be a sparse matrix."""
        return np.asarray(rows @ self.coefficients.T)
