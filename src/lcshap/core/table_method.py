"""Methods that read a model of tables themselves, and explain all rows of a call at once."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .method import Method

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowEstimates:
    """The exact results for the rows of a table.

    Attributes
    ----------
    scores : `(n, d, values)`.
    base_values : `(n, values)`, v(∅) of each row without the constant that the model adds to all outputs.
    interactions : `(n, d, d, values)`, symmetric; None if they were not requested.
    """

    scores: Floats
    base_values: Floats
    interactions: Floats | None = None


@dataclass(frozen=True)
class TableMethod(Method):
    """A method whose scores come from the structure of the model.

    Attributes
    ----------
    reads : the method of `lcshap.adapters.Model` that returns the structure: an object with `predict`, which returns
        the outputs for rows of numbers except for a constant, with `rounding`, the relative error of the library that
        made the model, and with `encoder`, a `RowEncoder` or None, which says how rows become numbers.
    """

    reads: ClassVar[str]

    @abstractmethod
    def estimate_rows(
        self,
        structure: Any,
        rows: Floats,
        background: Floats,
        units: NDArray[np.intp],
        d: int,
        weights: Floats,
    ) -> RowEstimates:
        """The scores of all rows.

        Parameters
        ----------
        structure : what the model returned.
        rows, background : `(n, numbers)` and `(m, numbers)`.
        units : `(numbers,)`, the unit of each number, or `PINNED` or `DROPPED`.
        weights : `(values, outputs)`, with which a value is a sum of outputs.
        """
