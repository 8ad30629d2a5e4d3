"""Two toy models for trying things out, in NumPy: `demo-text` and `demo-digits`. They were written, not trained."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .adapters.base import Kind
from .demo import WORDS
from .errors import ModelError
from .maskers.base import Masker
from .maskers.image import Image
from .maskers.text import Text

Floats = NDArray[np.float64]

SIDE = 28  # of a digit, in pixels
_MOODS = {
    **dict.fromkeys(["beautiful", "brilliant", "excellent", "perfect", "wonderful"], 2.0),
    **dict.fromkeys(["charming", "funny", "good", "great", "heartwarming", "moving"], 1.5),
    **dict.fromkeys(["enjoyable", "entertaining", "fine", "fresh", "like", "love", "nice", "warm"], 1.2),
    **dict.fromkeys(["cold", "predictable", "slow", "thin", "tired", "weak"], -1.2),
    **dict.fromkeys(["bad", "boring", "dull", "flat", "mess", "poor", "stupid"], -1.5),
    **dict.fromkeys(["awful", "horrible", "sucks", "terrible", "waste", "worst"], -2.0),
}
_NEGATIONS = frozenset(["not", "no", "never", "nor", "neither", "cannot", "without", "hardly"])
_STRONGER = frozenset(["very", "really", "so", "truly", "just", "utterly"])
_REACH = 3  # how many words a negation turns round, "or" not counted
# Seven segments of a digit, as on a pocket calculator: row and column where each begins and ends.
_SEGMENTS = {
    "top": (4, 8, 4, 19),
    "middle": (13, 8, 13, 19),
    "bottom": (22, 8, 22, 19),
    "upper left": (4, 8, 13, 8),
    "upper right": (4, 19, 13, 19),
    "lower left": (13, 8, 22, 8),
    "lower right": (13, 19, 22, 19),
}
_LACKING: tuple[tuple[str, ...], ...] = (  # what each digit lacks of an 8
    ("middle",),
    ("top", "middle", "bottom", "upper left", "lower left"),
    ("upper left", "lower right"),
    ("upper left", "lower left"),
    ("top", "bottom", "lower left"),
    ("upper right", "lower left"),
    ("upper right",),
    ("middle", "bottom", "upper left", "lower left"),
    (),
    ("lower left",),
)


class Demo(NamedTuple):
    """A toy model and what it takes to explain it."""

    model: Callable[[Any], Floats]
    masker: Masker
    x: Any
    kind: Kind
    classes: Sequence[str]
    note: str


def find_demo(name: str) -> Demo:
    """A toy model by its name, with a masker, an input, and what its numbers are.

    >>> demo = find_demo("demo-text")
    >>> demo.model(["good", "not good"]).round(2).tolist(), demo.kind, demo.classes
    ([[0.0, 1.5], [0.0, -0.9]], 'logits', ('negative', 'positive'))
    """
    if name not in DEMOS:
        raise ModelError(f"there is no toy model {name!r}: there are {' and '.join(DEMOS)}")
    return DEMOS[name]()


def sentiment(texts: Sequence[str]) -> Floats:
    """Logits of "negative" and "positive": moods of words, turned round after "not", stronger after "very"."""
    return np.array([[0.0, sum(_moods(re.findall(r"[\w']+", text.lower())))] for text in texts])


def _moods(words: list[str]) -> list[float]:
    found, left, factor = [], 0, 1.0  # left: how many words the last negation still reaches
    for word in words:
        mood = _MOODS.get(word, 0.0) * factor
        found.append(-0.6 * mood if left else mood)
        factor = 1.4 if word in _STRONGER else 1.0
        if word in _NEGATIONS or word.endswith("n't"):
            left = _REACH
        elif word != "or":
            left = max(0, left - 1)
    return found


def draw_digit(digit: int, down: int = 0, right: int = 0) -> Floats:
    """A digit of seven segments in a `(28, 28)` image from 0 to 1, moved by some pixels."""
    image = np.zeros((SIDE, SIDE))
    for name, (top, first, bottom, last) in _SEGMENTS.items():
        if name not in _LACKING[digit]:
            image[top - 1 + down : bottom + 2 + down, first - 1 + right : last + 2 + right] = 1.0
    return image


def digit_logits(images: NDArray[Any]) -> Floats:
    """How well images `(n, 28, 28)`, of 0 to 1 or uint8, fit each digit: the product with ten templates."""
    rows = np.asarray(images)
    if rows.ndim == 4:
        rows = rows.mean(axis=3 if rows.shape[3] <= 4 else 1)
    if rows.shape[1:] != (SIDE, SIDE):
        raise ModelError(f"demo-digits takes images of {SIDE} x {SIDE} pixels, not {rows.shape[1:]}")
    rows = rows.astype(np.float64) / (255 if np.asarray(images).dtype == np.uint8 else 1)
    templates = np.stack([draw_digit(digit) for digit in range(10)]).reshape(10, -1)
    templates -= templates.mean(axis=1, keepdims=True)
    templates /= np.linalg.norm(templates, axis=1, keepdims=True)
    return np.asarray(rows.reshape(len(rows), -1) @ templates.T)


def _text() -> Demo:
    note = 'demo-text is a toy: a list of words with moods, written by hand, that knows "not" and "very"'
    return Demo(sentiment, Text(), " ".join(WORDS), "logits", ("negative", "positive"), note)


def _digits() -> Demo:
    noise = np.random.default_rng(0).normal(0, 0.08, (SIDE, SIDE))
    image = np.clip(draw_digit(3, down=1) + noise, 0, 1)
    note = "demo-digits is a toy: ten digits drawn by code, and how well an image fits each"
    return Demo(digit_logits, Image(patch=4), image, "logits", tuple(map(str, range(10))), note)


DEMOS = {"demo-text": _text, "demo-digits": _digits}
