"""Inputs and explanations as the metrics take them: one of each, or a list of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..asking.masking import Counts, chance_game, ranked_chances
from ..asking.model_game import ModelGame
from ..core.coalitions import Coalitions
from ..core.explanation import Explanation
from ..errors import MetricError
from ..explainer import Explainer


@dataclass(frozen=True, eq=False)
class Ranked:
    """The answers for one input.

    Attributes
    ----------
    counts : how many of the top units are masked (kept, if only they are kept).
    values : the probability of the class there, or the output of a model without classes.
    full : the same of the full input.
    """

    counts: Counts
    values: NDArray[np.float64]
    full: float


def ranked_answers(
    explainer: Explainer, x: Any, explanation: Any, count: Callable[[int], Counts], keep: bool
) -> list[Ranked]:
    """Ask the model about one input, or a list of them, in shared batches.

    Parameters
    ----------
    x, explanation : an input and its explanation, or a list of inputs and the list of theirs.
    count : from the number of units to how many of them are masked, step by step.
    keep : whether the top units are the only ones kept; else they are the ones that go.
    """
    games, explanations = paired(explainer, x, explanation)
    counts = [count(game.d) for game in games]
    chances = ranked_chances(games, explanations, counts, keep)
    return [Ranked(c, values, _full(game)) for game, c, values in zip(games, counts, chances, strict=True)]


def paired(explainer: Explainer, x: Any, explanation: Any) -> tuple[list[ModelGame], list[Explanation]]:
    """The games of one input or of many, and their explanations."""
    many = explainer.masker.is_many(x)
    inputs = explainer.masker.inputs(x) if many else [x]
    explanations = list(explanation) if many else [explanation]
    if len(inputs) != len(explanations):
        raise MetricError(f"Expected an explanation for each of {len(inputs)} inputs, got {len(explanations)}.")
    return explainer.games(inputs), explanations


def one_or_all(explainer: Explainer, x: Any, numbers: list[float]) -> Any:
    """The number of one input, or the array of those of many."""
    return np.array(numbers) if explainer.masker.is_many(x) else numbers[0]


def _full(game: ModelGame) -> float:
    everything = Coalitions.from_sets(game.d, [range(game.d)])  # known: the target was fixed there
    return float(chance_game(game).evaluate(everything)[0])
