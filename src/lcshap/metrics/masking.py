"""The masking measure of the paper: the model's log-odds while the top units are masked, first to last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MethodError
from .ranked import ranked_answers

if TYPE_CHECKING:
    from ..explainer import Explainer

PERCENTS = (0, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
_ROOM = 1e-6  # keeps the log-odds finite, as in the paper's code


@dataclass(frozen=True, eq=False)
class MaskingCurve:
    """What the model says while units are masked by their rank.

    Attributes
    ----------
    percents : how many percent of the units are masked (kept, if `keep`).
    counts : how many units that is.
    values : what the model says there: the log-odds of the class, or the output of a model without classes.
    what : in words, what `values` are.
    keep : whether the top units are the only ones kept; else they are the ones that go.
    """

    percents: NDArray[np.float64]
    counts: NDArray[np.int64]
    values: NDArray[np.float64]
    what: str
    keep: bool = False

    @property
    def drop(self) -> NDArray[np.float64]:
        """The values less the one at 0 %."""
        return np.asarray(self.values - self.values[0])

    def area(self, upto: float = 20) -> float:
        """The mean of `drop` from 0 to `upto` percent, by trapezoids between the percents that were measured."""
        inside = self.percents <= upto
        if self.percents[inside][-1] != upto or self.percents[0] != 0:
            raise MethodError(f"an area up to {upto} % needs values at 0 % and {upto} %: {self.percents.tolist()}")
        return float(np.trapezoid(self.drop[inside], self.percents[inside]) / upto)


def masking_curve(
    explainer: Explainer, x: Any, explanation: Any, percents: Sequence[float] = PERCENTS, keep: bool = False
) -> Any:
    """Mask the units that an explanation ranks first, and ask the model.

    At p percent, ``round(p * d / 100)`` units are masked, at least one for p above 0. The value is the log-odds
    ``log(q + 1e-6) - log(1 - q + 1e-6)`` of the class that is explained, or the output of a model without classes.

    Parameters
    ----------
    explainer : what made the explanation: its model, masker and target are used.
    x, explanation : the input and its explanation, or a list of inputs and the list of theirs: they share batches.
    keep : the mirror: keep only the top units.

    Returns
    -------
    A `MaskingCurve`, or a list of them.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.metrics import masking_curve
    >>> length = lambda texts: [float(len(t.split())) for t in texts]
    >>> explainer = lc.Explainer(length, lc.maskers.Text(), lc.Shapley(), kind="output")
    >>> curve = masking_curve(explainer, "one two three four", explainer("one two three four"), (0, 50, 100))
    >>> curve.values, curve.area(100)
    (array([4., 2., 0.]), -2.0)
    """
    share = check_percents(percents)
    output = explainer.model.kind == "output"
    curves = []
    for r in ranked_answers(explainer, x, explanation, lambda d: masked_counts(share, d), keep):
        what = "output" if output else f"log-odds of {' '.join(r.names) or 'the class'}"
        curves.append(MaskingCurve(share, r.counts, r.values if output else log_odds(r.values), what, keep))
    return curves if explainer.masker.is_many(x) else curves[0]


def masked_counts(percents: NDArray[np.float64], d: int) -> NDArray[np.int64]:
    """How many of d units each percentage is.

    >>> masked_counts(np.array([0.0, 1.0, 50.0, 100.0]), 9).tolist()
    [0, 1, 4, 9]
    """
    counts = np.array([round(p * d / 100) for p in percents.tolist()], np.int64)
    return np.where(percents > 0, np.maximum(counts, 1), 0)


def check_percents(percents: Sequence[float], least: float = 0) -> NDArray[np.float64]:
    """Percentages as an array, if they rise from at least `least` to at most 100."""
    share = np.asarray(percents, np.float64)
    if share.ndim != 1 or not len(share) or (np.diff(share) <= 0).any() or share[0] < least or share[-1] > 100:
        raise MethodError(f"percents must rise from {least:g} to at most 100, not {percents!r}")
    return share


def log_odds(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log(q + 1e-6) - log(1 - q + 1e-6)``, as in the paper's code."""
    return np.asarray(np.log(q + _ROOM) - np.log(1 - q + _ROOM))
