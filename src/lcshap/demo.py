"""What `lcshap demo` shows: the paper's sentence under every method, on a small built-in model of sentiment."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .estimators import CShapley, LShapley, Method, Myerson, Shapley
from .explanation import Explanation
from .game import Game
from .graphs import Graph
from .plan import PlanSum
from .run import run

WORDS = ["It", "is", "not", "heartwarming", "or", "entertaining.", "It", "just", "sucks."]
_MOOD = {"heartwarming": -1.5, "entertaining.": -1.2, "sucks.": 2.0}  # how negative a word is by itself

METHODS: dict[str, Method] = {
    "Shapley": Shapley(),
    "Myerson": Myerson(),
    "L k=1": LShapley(order=1),
    "L k=2 both": LShapley(order=2, context="both"),
    "C k=2": CShapley(order=2),
    "C k=2 myerson": CShapley(order=2, weights="myerson"),
}


def sentence_game() -> Game:
    """The log-probability that a toy model calls the sentence negative when only some of its words are there.

    Good words speak against it and "sucks" for it, "just" makes "sucks" worse, and "not" turns the good words round. It
    has what the paper's example is about: the word "not" says nothing alone.
    """
    place = {word: i for i, word in enumerate(WORDS)}
    mood = np.array([_MOOD.get(word, 0.0) for word in WORDS])
    good = np.minimum(mood, 0)

    def log_negative(kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        score = kept @ mood
        score += kept[:, place["not"]] * (kept @ (-1.6 * good))
        score += 0.8 * (kept[:, place["just"]] & kept[:, place["sucks."]])
        return np.asarray(-np.logaddexp(0, -score), np.float64)

    return Game(log_negative, len(WORDS))


def explain_sentence() -> tuple[PlanSum, list[Explanation]]:
    """All methods on the sentence, each coalition evaluated once."""
    graph = Graph.chain(len(WORDS), names=WORDS)
    plans = PlanSum(tuple(method.plan(graph) for method in METHODS.values()))
    return plans, list(run(plans, sentence_game()))


def render(colour: bool) -> str:
    """The demo's page."""
    plans, found = explain_sentence()
    width = max(map(len, WORDS))
    scale = max(float(abs(e.scores).max()) for e in found)
    lines = [
        f'Why does the model call "{" ".join(WORDS)}" negative?',
        "Scores in log-probability: positive words speak for the decision, negative ones against it.",
        "",
        _row("", METHODS, width),
    ]
    for i, word in enumerate(WORDS):
        lines.append(_row(word, (_cell(float(e.scores[i]), scale, colour) for e in found), width))
    lines += [
        "",
        _row("sum", (_signed(float(e.scores.sum())) for e in found), width),
        _row("residual", (_signed(float(e.residual)) for e in found), width),
        _row("calls", (f"{e.calls}" for e in found), width),
        "",
        f"v(∅) = {found[0].base_value:.3f}, v(V) = {found[0].full_value:.3f}. All methods together took {plans.calls} "
        f"model calls instead of {sum(p.calls for p in plans.parts)}:",
        "every distinct coalition of words is evaluated once. L and C look at neighbouring words only (order k), which",
        "is what makes them affordable for long texts; their residual says what they leave unexplained.",
        "",
        "Next: help(lcshap.LShapley) in Python; print(lcshap.LShapley(order=2).plan(graph)) for a cost preview.",
    ]
    return "\n".join(lines)


def _signed(number: float) -> str:
    return f"{round(number, 3) + 0.0:+.3f}"  # adding zero turns -0.0 into 0.0


def _row(label: str, cells: Iterable[str], width: int) -> str:
    # Colour codes take no room on the screen, so every cell is padded to its visible width before it is coloured.
    return f"{label:<{width}}" + "".join(cell if "\033" in cell else f"{cell:>14}" for cell in cells)


def _cell(score: float, scale: float, colour: bool) -> str:
    """A score on a background as in the paper's table: blue for positive, red for negative, white for none."""
    text = _signed(score)
    if not colour:
        return f"{text:>14}"
    fade = round(255 * (1 - min(abs(score) / scale, 1.0)))
    red, green, blue = (fade, fade, 255) if score >= 0 else (255, fade, fade)
    ink = 97 if fade < 110 else 30
    return f"{'':>7}\033[48;2;{red};{green};{blue};{ink}m{text:>7}\033[0m"
