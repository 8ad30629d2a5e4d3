"""Functions from an answer of a model to a number: its similarity to the answer that is explained."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ModelError

Scalariser = Callable[[str], float]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class ExactMatch:
    """1 if a text has the same words as the reference in the same order, else 0. Case and punctuation do not count.

    >>> ExactMatch("In Paris.")("in Paris"), ExactMatch("In Paris.")("Paris")
    (1.0, 0.0)
    """

    reference: str

    def __post_init__(self) -> None:
        _check_reference(self.reference)

    def __call__(self, text: str) -> float:
        """The number for one text."""
        return float(_words(text) == _words(self.reference))


@dataclass(frozen=True)
class TokenF1:
    """The F1 score of the words of a text against those of the reference, in any order.

    >>> round(TokenF1("the cat sat")("the cat"), 3)
    0.8
    """

    reference: str

    def __post_init__(self) -> None:
        _check_reference(self.reference)

    def __call__(self, text: str) -> float:
        """The number for one text."""
        text_words, reference_words = Counter(_words(text)), Counter(_words(self.reference))
        return _f1((text_words & reference_words).total(), text_words.total(), reference_words.total())


@dataclass(frozen=True)
class RougeL:
    """ROUGE-L: the F1 score of the longest sequence of words that a text and the reference have in common.

    >>> round(RougeL("police killed the gunman")("the gunman police killed"), 3)
    0.5
    """

    reference: str

    def __post_init__(self) -> None:
        _check_reference(self.reference)

    def __call__(self, text: str) -> float:
        """The number for one text."""
        text_words, reference_words = _words(text), _words(self.reference)
        lengths = [0] * (len(reference_words) + 1)
        for word in text_words:
            previous = lengths[:]
            for k, reference_word in enumerate(reference_words):
                lengths[k + 1] = previous[k] + 1 if word == reference_word else max(previous[k + 1], lengths[k])
        return _f1(lengths[-1], len(text_words), len(reference_words))


@dataclass(frozen=True)
class EmbeddingSimilarity:
    """The cosine between the embedding of a text and that of the reference.

    Parameters
    ----------
    reference : the answer that is explained.
    embed : a function from a list of texts to an array `(n, size)`, such as ``SentenceTransformer(...).encode``.

    >>> EmbeddingSimilarity("aab", lambda texts: [[t.count("a"), t.count("b")] for t in texts])("aabaab")
    1.0
    """

    reference: str
    embed: Callable[[list[str]], Any] = field(repr=False)

    def __post_init__(self) -> None:
        _check_reference(self.reference)

    def __call__(self, text: str) -> float:
        """The number for one text."""
        embedding, reference_embedding = np.asarray(self.embed([text, self.reference]), np.float64)
        norms = float(np.linalg.norm(embedding) * np.linalg.norm(reference_embedding))
        return round(float(embedding @ reference_embedding) / norms, 12) if norms else 0.0


def p_yes(choices: Sequence[tuple[str, float]]) -> float | None:
    """P(yes) / (P(yes) + P(no)) from the log-probabilities of a first token; None if neither is among them.

    >>> round(p_yes([(" Yes", -0.105), ("no", -2.303), ("maybe", -9.0)]), 2)
    0.9
    """
    probabilities = {"yes": 0.0, "no": 0.0}
    for token, log_prob in choices:
        if (word := token.strip().lower()) in probabilities:
            probabilities[word] += float(np.exp(log_prob))
    total = probabilities["yes"] + probabilities["no"]
    return probabilities["yes"] / total if total else None


def apply_scalariser(scalariser: Scalariser, text: str) -> float:
    """Return the number that a scalariser computes from a text, or raise `ModelError`."""
    number = scalariser(text)
    if not isinstance(number, int | float | np.number) or not np.isfinite(number):
        raise ModelError(f"Expected a finite number from the scalariser, got {number!r:.40} for {text!r:.40}.")
    return float(number)


def _check_reference(reference: Any) -> None:
    if not isinstance(reference, str) or not _words(reference):
        raise ModelError(f"Expected a reference answer with words in it, got {reference!r:.40}.")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _f1(common: int, text_length: int, reference_length: int) -> float:
    return 2 * common / (text_length + reference_length) if common else 0.0
