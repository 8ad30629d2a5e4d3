"""The predicted classes of many inputs, as an entry of their provenance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ragged import Rows


@dataclass(frozen=True, eq=False)
class PredictedClasses:
    """For each input its most probable classes with their probabilities. A list is made on demand.

    Attributes
    ----------
    names : the names of all classes.
    strengths : `(n, classes)`, the probabilities; or margins, which have no scale.
    are_probabilities : whether `strengths` are probabilities. Otherwise only the first class is listed, with None.
    max_classes : the largest number of classes in a list.

    Examples
    --------
    >>> column = PredictedClasses(("no", "yes"), np.array([[0.25, 0.75]]), True, 20)
    >>> column.get(0)
    [['yes', 0.75], ['no', 0.25]]
    """

    names: tuple[str, ...]
    strengths: NDArray[np.float64]
    are_probabilities: bool
    max_classes: int

    def get(self, row: int) -> list[list[Any]]:
        """The classes of an input, the most probable first."""
        strengths = self.strengths[row]
        order = np.argsort(-strengths, kind="stable")[: self.max_classes if self.are_probabilities else 1]
        return [[self.names[k], float(strengths[k]) if self.are_probabilities else None] for k in order.tolist()]

    def has(self, row: int) -> bool:
        """Whether an input has an entry: all have one."""
        return True

    @property
    def objects(self) -> tuple[Any, ...]:
        """The entries of all inputs."""
        return tuple(map(self.get, range(len(self.strengths))))

    @property
    def codes(self) -> NDArray[np.int32]:
        """The number of the entry of each input."""
        return np.arange(len(self.strengths), dtype=np.int32)

    def codes_of(self, count: int) -> NDArray[np.int32]:
        """The number of the entry of each of `count` inputs."""
        return self.codes

    def take(self, rows: Rows) -> PredictedClasses:
        """The entries of some of the inputs."""
        return replace(self, strengths=self.strengths[rows])
