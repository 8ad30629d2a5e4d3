"""What the model says while units are masked, or kept alone, in the order in which an explanation ranks them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..asking.model_game import ModelGame
from ..asking.values import Value
from ..core.coalitions import Coalitions
from ..core.explanation import Explanation
from ..errors import MethodError

if TYPE_CHECKING:
    from ..explainer import Explainer

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ranked:
    """The answers for one input.

    Attributes
    ----------
    counts : how many of the top units are masked (kept, if only they are kept).
    values : the probability of the class there, or the output of a model without classes.
    full : the same of the full input.
    names : the class.
    """

    counts: Counts
    values: NDArray[np.float64]
    full: float
    names: tuple[str, ...]


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
    one = not explainer.masker.is_many(x)
    inputs, explanations = ([x], [explanation]) if one else (list(x), list(explanation))
    if len(inputs) != len(explanations):
        raise MethodError(f"{len(explanations)} explanations for {len(inputs)} inputs: give one for each")
    if any(e.scores.ndim == 2 for e in explanations):
        raise MethodError("a masking curve is about one output: explain one target, or take e.output(k)")
    masked = [explainer.masker.mask(x) for x in inputs]
    value = Value("output" if explainer.model.kind == "output" else "prob", explainer.value.target)
    games = ModelGame.make(explainer.engine, masked, value, explainer.classes or explainer.model.classes)
    requests = []
    for game, e in zip(games, explanations, strict=True):
        if e.graph.d != game.d:
            raise MethodError(f"an explanation of {e.graph.d} units for an input of {game.d}")
        requests.append((game, top_coalitions(e, count(game.d), keep)))
    answers = ModelGame.evaluate_all(requests) if requests else []
    return [
        Ranked(count(game.d), values, float(game.full[0]), game.value.names)
        for (game, _), values in zip(requests, answers, strict=True)
    ]


def top_coalitions(e: Explanation, counts: Counts, keep: bool) -> Coalitions:
    """The input without the top units of a ranking, or with them alone."""
    sets = Coalitions.from_sets(e.graph.d, [np.sort(e.ranking[:c]) for c in counts.tolist()])
    return sets if keep else Coalitions(e.graph.d, sets.indices, sets.offsets, ~sets.removed)


def one_or_all(explainer: Explainer, x: Any, numbers: list[float]) -> Any:
    """The number of one input, or the array of those of many."""
    return np.array(numbers) if explainer.masker.is_many(x) else numbers[0]
