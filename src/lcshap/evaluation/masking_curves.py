"""The outputs of a model while the units that an explanation ranks first are masked, or are the only ones kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.explanation import Explanation
from ..errors import MetricError
from ..values import Value
from ..values.probabilities import KINDS_WITHOUT_PROBABILITIES
from .model_game import ModelGame, evaluate_model_games

PERCENTS = (0, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
_LOG_ODDS_OFFSET = 1e-6  # this keeps the log-odds finite, as in the paper's code
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MaskingCurve:
    """The outputs of the model while units are masked in the order of their rank.

    Attributes
    ----------
    percents : how many percent of the units are masked (kept, if `keep`).
    counts : the corresponding numbers of units.
    values : the log-odds of the class, or the output of a model without classes, at each percentage.
    quantity : a description of `values`.
    keep : whether the top units are the only ones kept; otherwise they are masked.

    Examples
    --------
    >>> curve = MaskingCurve(np.array([0.0, 20.0]), np.array([0, 1]), np.array([3.0, 1.0]), "log-odds of positive")
    >>> curve.drop.tolist(), curve.area()
    ([0.0, -2.0], -1.0)
    """

    percents: NDArray[np.float64]
    counts: Counts
    values: NDArray[np.float64]
    quantity: str
    keep: bool = False

    @property
    def drop(self) -> NDArray[np.float64]:
        """The values less the one at 0 %."""
        return np.asarray(self.values - self.values[0])

    def area(self, upto: float = 20) -> float:
        """The mean of `drop` from 0 to `upto` percent, by trapezoids between the percents that were measured."""
        inside = self.percents <= upto
        if self.percents[inside][-1] != upto or self.percents[0] != 0:
            raise MetricError(
                f"Expected values at 0 % and {upto} % for an area up to {upto} %, got values at "
                f"{self.percents.tolist()}."
            )
        return float(np.trapezoid(self.drop[inside], self.percents[inside]) / upto)


def masking_curves(
    games: Sequence[ModelGame],
    explanations: Sequence[Explanation],
    percents: Sequence[float] | NDArray[np.float64] = PERCENTS,
    keep: bool = False,
) -> list[MaskingCurve]:
    """The curves of several inputs, in shared batches; see `lcshap.metrics.masking_curve`."""
    percentages = check_percents(percents)
    counts = [masked_counts(percentages, game.d) for game in games]
    curves = []
    for game, count, values in zip(games, counts, ranked_probabilities(games, explanations, counts, keep), strict=True):
        kind, names = game.engine.model.kind, " ".join(game.value.names)
        output = kind in KINDS_WITHOUT_PROBABILITIES
        description = f"log-odds of {names or 'the class'}"
        if output:
            description = f"margin of {names}" if kind == "margin" and names else "output"
        curves.append(
            MaskingCurve(percentages, count, values if output else smoothed_log_odds(values), description, keep)
        )
    return curves


def ranked_probabilities(
    games: Sequence[ModelGame], explanations: Sequence[Explanation], counts: Sequence[Counts], keep: bool
) -> list[NDArray[np.float64]]:
    """The probability of the class that is explained (or the output) without the top units, or with them alone.

    Parameters
    ----------
    counts : for each input how many of its top units are masked, step by step.
    keep : whether the top units are the only ones kept; otherwise they are masked.
    """
    requests: list[tuple[ModelGame, Coalitions]] = []
    for game, e, count in zip(games, explanations, counts, strict=True):
        if e.scores.ndim == 2:
            raise MetricError(
                "Expected an explanation of one output for a masking curve, got several. Explain one target, or "
                "use e.output(k)."
            )
        if e.graph.d != game.d:
            raise MetricError(f"Expected an explanation of {game.d} units, as the input has, got {e.graph.d}.")
        requests.append((probability_game(game), top_coalitions(e, count, keep)))
    return evaluate_model_games(requests)


def probability_game(game: ModelGame) -> ModelGame:
    """The same game, valued by the probability of the class that is explained, or by the output."""
    kind, target = game.value.kind, game.value.value.target
    name = "output" if kind in KINDS_WITHOUT_PROBABILITIES else "prob"
    if name == "prob" and game.value.class_pairs != game.value.pairs:  # the value is the raw output of class 1
        target = [pair if pair[1] is not None else pair[0] for pair in game.value.class_pairs]
        target = target if game.value.multi_output else target[0]
    if callable(game.value.value.name) or game.value.value.name == "expected_log_prob":
        target = None  # the value has no single class, so the most probable one is used
    fixed = Value(name, target).resolve(game.value.full, kind, game.value.classes)
    return replace(game, value=fixed)


def top_coalitions(e: Explanation, counts: Counts, keep: bool) -> Coalitions:
    """The input without the top units of a ranking, or with them alone."""
    sets = Coalitions.from_sets(e.graph.d, [np.sort(e.ranking[:c]) for c in counts.tolist()])
    return sets if keep else Coalitions(e.graph.d, sets.indices, sets.offsets, ~sets.removed)


def masked_counts(percents: NDArray[np.float64], d: int) -> Counts:
    """The number of units for each percentage of d units.

    >>> masked_counts(np.array([0.0, 1.0, 50.0, 100.0]), 9).tolist()
    [0, 1, 4, 9]
    """
    counts = np.array([round(p * d / 100) for p in percents.tolist()], np.int64)
    return np.where(percents > 0, np.maximum(counts, 1), 0)


def count_curve_calls(d: int) -> int:
    """The number of calls of a masking curve of d units, without those of the full and the empty coalition.

    >>> count_curve_calls(3), count_curve_calls(784)
    (2, 12)
    """
    return len(np.unique(masked_counts(np.array(PERCENTS, np.float64), d))) - 2


def check_percents(percents: Sequence[float] | NDArray[np.float64], min_percent: float = 0) -> NDArray[np.float64]:
    """Percentages as an array; raises unless they rise from at least `min_percent` to at most 100."""
    percentages = np.asarray(percents, np.float64)
    if (
        percentages.ndim != 1
        or not len(percentages)
        or (np.diff(percentages) <= 0).any()
        or percentages[0] < min_percent
        or percentages[-1] > 100
    ):
        raise MetricError(f"Expected percents that rise from {min_percent:g} to at most 100, got {percents!r}.")
    return percentages


def smoothed_log_odds(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log(q + 1e-6) - log(1 - q + 1e-6)``, as in the paper's code."""
    return np.asarray(np.log(q + _LOG_ODDS_OFFSET) - np.log(1 - q + _LOG_ODDS_OFFSET))
