"""Evaluation of the model while top units are masked or kept, for one input and explanation or a list of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.explanation import Explanation
from ..errors import MetricError
from ..evaluation.masking_curves import Counts, probability_game, ranked_probabilities
from ..evaluation.model_game import ModelGame
from ..explainer import Explainer


@dataclass(frozen=True, eq=False)
class RankedAnswers:
    """The answers of the model for one input.

    Attributes
    ----------
    counts : the numbers of top units that are masked (or the only ones kept).
    values : the probability of the class for each number, or the output of a model without classes.
    full : the same for the full input.
    """

    counts: Counts
    values: NDArray[np.float64]
    full: float


def ranked_answers(
    explainer: Explainer, x: Any, explanation: Any, count: Callable[[int], Counts], keep: bool
) -> list[RankedAnswers]:
    """Evaluate the model for one input, or for a list of them in shared batches.

    Parameters
    ----------
    x, explanation : an input and its explanation, or a list of inputs and the list of theirs.
    count : returns the numbers of top units to mask for a number of units.
    keep : whether the top units are the only ones kept; otherwise they are masked.
    """
    games, explanations = pair_with_games(explainer, x, explanation)
    counts = [count(game.d) for game in games]
    probabilities = ranked_probabilities(games, explanations, counts, keep)
    return [RankedAnswers(c, values, _full(game)) for game, c, values in zip(games, counts, probabilities, strict=True)]


def pair_with_games(explainer: Explainer, x: Any, explanation: Any) -> tuple[list[ModelGame], list[Explanation]]:
    """The games of one input or of a list of inputs, and their explanations."""
    is_many = explainer.masker.is_many(x)
    inputs = explainer.masker.inputs(x) if is_many else [x]
    explanations = list(explanation) if is_many else [explanation]
    if len(inputs) != len(explanations):
        raise MetricError(f"Expected an explanation for each of {len(inputs)} inputs, got {len(explanations)}.")
    return explainer.games(inputs), explanations


def one_or_all(explainer: Explainer, x: Any, numbers: list[float]) -> Any:
    """The number of one input, or an array for a list of inputs."""
    return np.array(numbers) if explainer.masker.is_many(x) else numbers[0]


def _full(game: ModelGame) -> float:
    # This needs no further call, because the target was determined from it.
    everything = Coalitions.from_sets(game.d, [range(game.d)])
    return float(probability_game(game).evaluate(everything)[0])
