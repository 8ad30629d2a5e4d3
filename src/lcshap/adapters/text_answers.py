"""Models that answer with text. A scalariser computes a number from each answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..maskers.base import Rows
from .base import Model
from .callable import check_answers
from .scalarisers import Scalariser, apply_scalariser


class TextAnswerModel(Model):
    """A function that answers prompts with texts, and the similarity of each text to the answer that is explained.

    Parameters
    ----------
    fn : ``fn(prompts, seed)`` returns a text for each prompt. A deterministic function may take the prompts alone.
    scalariser : a function from a text to a number, such as `scalarisers.RougeL(answer)` or your own.
    samples : how often each prompt is answered, with seeds from `seed` on. Each sample is a separate output;
        `Explanation.average_outputs` averages them to one explanation, with the standard error over samples.
    seed : the seed of the first sample.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.adapters.scalarisers import TokenF1
    >>> from lcshap.adapters.text_answers import TextAnswerModel
    >>> model = TextAnswerModel(lambda prompts: [p.split("?")[0] for p in prompts], TokenF1("wet rain"))
    >>> e = lc.Explainer(model, lc.maskers.Text(), lc.Shapley())("wet rain sand")
    >>> e.scores.round(3).tolist()
    [0.461, 0.461, -0.122]
    """

    fingerprint_attributes = ("fn", "scalariser", "samples", "seed")
    function_attributes = ("fn",)

    def __init__(
        self, fn: Callable[..., Sequence[str]], scalariser: Scalariser, samples: int = 1, seed: int = 0
    ) -> None:
        if not (callable(fn) and callable(scalariser)):
            raise ModelError(
                f"Expected a function of prompts and a seed, and a function as scalariser, got {fn!r:.60} and "
                f"{scalariser!r:.60}. Give two functions."
            )
        self.fn, self.scalariser, self.seed = fn, scalariser, seed
        self.samples, self.seeded = check_samples(samples), _takes_seed(fn)
        if samples > 1 and not self.seeded:
            raise ModelError(
                f"Expected a function of prompts and a seed with samples={samples}, got one of prompts alone. Give it "
                "a second argument called seed, or leave samples at 1."
            )
        self.kind = "output"
        self.classes, self.target = name_samples(samples)

    def predict(self, rows: Rows) -> NDArray[np.float64]:
        """The number of each answer, `(n, samples)`."""
        numbers = np.empty((len(rows), self.samples))
        for sample in range(self.samples):
            texts = self.fn(list(rows), self.seed + sample) if self.seeded else self.fn(list(rows))
            if len(texts) != len(rows) or not all(isinstance(text, str) for text in texts):
                raise ModelError(f"Expected {len(rows)} texts from the function, got {len(texts)} answers.")
            numbers[:, sample] = [apply_scalariser(self.scalariser, text) for text in texts]
        return check_answers(numbers, len(rows), "the function")


def _takes_seed(fn: Callable[..., Any]) -> bool:
    """Whether a function takes a seed: a second argument that it needs, or whose name is "seed"."""
    try:
        _, *further = inspect.signature(fn).parameters.values()
    except ValueError:  # the signature is unknown, or there are no parameters
        return True
    second = [p for p in further if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:1]
    return any(p.default is p.empty or p.name == "seed" for p in second)


def check_samples(samples: Any) -> int:
    """Return the number of samples, or raise `ModelError` if it is not at least 1."""
    if not isinstance(samples, int) or samples < 1:
        raise ModelError(f"Expected a whole number of at least 1 as samples, got {samples!r}.")
    return samples


def name_samples(samples: int) -> tuple[list[str], str | None]:
    """Return the names of the outputs, and the default target."""
    return [f"sample {k + 1}" for k in range(samples)], "all" if samples > 1 else None
