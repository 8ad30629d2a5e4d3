"""Models that promise probabilities and answer 0 or 1: labels, whose logs say little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_FEW = 4  # rows that may all be sure by chance


@dataclass
class HardLabels:
    """Takes note of answers, and tells whether all of them were exactly 0 or 1.

    >>> seen = HardLabels()
    >>> seen.note(np.array([[0.0, 1.0]] * 5))
    >>> seen.found
    True
    """

    rows: int = 0
    soft: bool = False

    def note(self, outputs: NDArray[np.float64]) -> None:
        """Look at some more answers."""
        if not self.soft:
            self.rows += len(outputs)
            self.soft = bool(((outputs != 0) & (outputs != 1)).any())

    @property
    def found(self) -> bool:
        """Whether there were enough answers, and none between 0 and 1."""
        return self.rows >= _FEW and not self.soft

    def warning(self, floor: float) -> str:
        """What to tell the user."""
        return (
            f"The model promised probabilities and answered only 0 and 1, to {self.rows} rows: these look like labels. "
            f"Their log is cut off at {np.log(floor):.1f}, so that scores mean little. Give a model that returns "
            f'probabilities (predict_proba, not predict), or say value="prob" to explain the label itself.'
        )
