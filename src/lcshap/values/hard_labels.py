"""Detect models that should return probabilities but return labels, 0 or 1, whose logarithms are not informative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MIN_ROWS = 4  # fewer rows may all have probabilities of 0 and 1 by chance


@dataclass
class HardLabels:
    """Observes outputs, and detects that all of them are exactly 0 or 1.

    >>> labels = HardLabels()
    >>> labels.observe(np.array([[0.0, 1.0]] * 5))
    >>> labels.detected
    True
    """

    rows: int = 0
    has_probabilities: bool = False

    def observe(self, outputs: NDArray[np.float64]) -> None:
        """Observe further outputs."""
        if not self.has_probabilities:
            self.rows += len(outputs)
            self.has_probabilities = bool(((outputs != 0) & (outputs != 1)).any())

    @property
    def detected(self) -> bool:
        """Whether there were enough outputs, and none between 0 and 1."""
        return self.rows >= _MIN_ROWS and not self.has_probabilities

    def warning(self, floor: float) -> str:
        """The warning for the user."""
        return (
            f"The outputs are declared as probabilities, but are all 0 or 1 ({self.rows} rows), like labels. "
            f"Their log is cut off at {np.log(floor):.1f}, so that scores mean little. Give a model that returns "
            f'probabilities (predict_proba, not predict), or say value="prob" to explain the label itself.'
        )
