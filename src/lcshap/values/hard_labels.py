"""Detect probabilities whose logarithms are not informative: labels, 0 or 1, and those below the lower bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MIN_ROWS = 4  # fewer rows may all have probabilities of 0 and 1 by chance


@dataclass
class HardLabels:
    """Observes outputs, and detects that all of them are exactly 0 or 1, or that some are below the lower bound.

    >>> labels = HardLabels()
    >>> labels.observe(np.array([[0.0, 1.0]] * 5))
    >>> labels.detected
    True
    """

    rows: int = 0
    has_probabilities: bool = False
    values: int = 0
    values_at_floor: int = 0

    def observe(self, outputs: NDArray[np.float64]) -> None:
        """Observe further outputs."""
        if not self.has_probabilities:
            self.rows += len(outputs)
            self.has_probabilities = bool(((outputs != 0) & (outputs != 1)).any())

    def observe_log_odds(self, values: NDArray[np.float64], floor: float) -> None:
        """Observe log-odds that were computed from probabilities with this lower bound."""
        self.values += values.size
        self.values_at_floor += int((np.abs(values) >= -np.log(floor) - 2 * floor).sum())

    @property
    def detected(self) -> bool:
        """Whether there were enough outputs, and none between 0 and 1."""
        return self.rows >= _MIN_ROWS and not self.has_probabilities

    def floor_warning(self, floor: float) -> str | None:
        """The warning for the user if log-odds were computed from probabilities at their lower bound, else None.

        >>> labels = HardLabels(has_probabilities=True)
        >>> labels.observe_log_odds(np.array([1.0, -9.25]), 1e-4)
        >>> labels.floor_warning(1e-4)[:58]
        '1 of 2 log-odds were computed from a probability below 0.0'
        """
        if not (self.values_at_floor and self.has_probabilities):
            return None
        return (
            f"{self.values_at_floor:,} of {self.values:,} log-odds were computed from a probability below {floor:g} or "
            f"above 1 - {floor:g}, in whose place these bounds are taken, so that the scores depend on the bounds. "
            f'Explain value="prob", or set another bound with value=lcshap.values.Value("log_odds", floor=...).'
        )

    def warning(self, floor: float) -> str:
        """The warning for the user."""
        return (
            f"The outputs are declared as probabilities, but are all 0 or 1 ({self.rows} rows), like labels. "
            f"Their log is cut off at {np.log(floor):.1f}, so that scores mean little. Give a model that returns "
            f'probabilities (predict_proba, not predict), or say value="prob" to explain the label itself.'
        )
