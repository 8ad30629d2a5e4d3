"""The data set of a report: true classes and predictions of its samples, and the units that lead in each class."""

from __future__ import annotations

import math
import string
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from ...core.explanation import Explanation
from ...core.printable import printable
from ...core.rounding import settled
from ...core.views import BytesView, ImageView, TextView
from ...errors import ShowError
from ..recorded import predicted
from .pack import number

_TOP = 12  # units that are named for a class, and against it
_QUOTES = "“”‘’«»…–—¡¿"  # that words are freed from, besides the punctuation of ASCII


def check_labels(labels: Any, names: Any, count: int) -> tuple[list[str | None], list[str | None]]:
    """The true classes and the names of so many samples, as texts; None for those that are not given."""
    return _texts("labels", labels, count), _texts("names", names, count)


def _texts(what: str, given: Any, count: int) -> list[str | None]:
    if given is None:
        return [None] * count
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ShowError(f"Expected a list of {what}, one for each input, got {type(given).__name__}.")
    found = [None if item is None else printable(str(item)) for item in given]
    if len(found) != count:
        raise ShowError(f"Expected {count} {what}, one for each input, got {len(found)}.")
    return found


def describe_sample(e: Explanation, label: str | None) -> dict[str, Any]:
    """What the index says of the prediction for one input: "predicted", "confidence", "label" and "loss".

    >>> import numpy as np
    >>> import lcshap as lc
    >>> made = {"prediction": [["good", 0.75], ["bad", 0.25]]}
    >>> e = lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2, made)
    >>> describe_sample(e, "bad")
    {'predicted': 'good', 'confidence': 0.75, 'label': 'bad', 'loss': 1.38629}
    """
    shares = predicted(e)
    found: dict[str, Any] = {}
    if shares:
        found["predicted"] = shares[0][0]
        if shares[0][1] is not None:
            found["confidence"] = number(shares[0][1])
    if label is not None:
        found["label"] = label
        share = dict(shares).get(label)
        if share is not None:
            found["loss"] = number(-math.log(max(share, 1e-12)))
    return found


def check_classes(samples: Sequence[dict[str, Any]]) -> None:
    """Raise `ShowError` if no label is the name of any class: then all samples would be wrong by mistake."""
    predicted = {sample["predicted"] for sample in samples if "predicted" in sample}
    labels = {sample["label"] for sample in samples if "label" in sample}
    if len(samples) > 1 and labels and predicted and not labels & predicted and not any("loss" in s for s in samples):
        raise ShowError(
            f"Expected labels that are names of classes such as {min(predicted)!r}, got {min(labels)!r}. Give the "
            "names that the explanations use."
        )


class Leading:
    """The units that speak most for and against each class, summed over all samples: those that readers can name."""

    def __init__(self) -> None:
        self._sums: dict[tuple[int, str], dict[str, list[float]]] = defaultdict(dict)
        self._samples: dict[tuple[int, str], int] = defaultdict(int)

    def add(self, method: int, output: str, e: Explanation) -> None:
        """Count the scores of one sample, by one method and of one output."""
        if isinstance(e.view, ImageView | BytesView):
            return  # their units are places, which mean nothing in another input
        self._samples[method, output] += 1
        sums, seen = self._sums[method, output], set()
        for name, score in zip(e.names, settled(e.scores, e.scores).tolist(), strict=True):
            key = plain_name(name) if isinstance(e.view, TextView) else printable(name)
            if not key or not math.isfinite(score):
                continue
            total = sums.setdefault(key, [0.0, 0, 0])
            total[0] += score
            total[1] += 1
            total[2] += key not in seen
            seen.add(key)

    def packed(self) -> list[dict[str, Any]]:
        """For each method and class: units, the sums of their scores, how often and in how many samples they occur."""
        found = []
        for (method, output), sums in self._sums.items():
            order = sorted(sums.items(), key=lambda item: (-item[1][0], item[0]))
            ends = {
                "for": [item for item in order[:_TOP] if item[1][0] > 0],
                "against": [item for item in order[::-1][:_TOP] if item[1][0] < 0],
            }
            rows = {side: [[name, number(s), n, m] for name, (s, n, m) in items] for side, items in ends.items()}
            found.append({"method": method, "output": output, "samples": self._samples[method, output], **rows})
        return found


def plain_name(name: str) -> str:
    """A word of a text as other texts may have it: in small letters, without the punctuation around it.

    >>> plain_name("Good,"), plain_name("«don't»"), plain_name("...")
    ('good', "don't", '')
    """
    return printable(name).strip(string.punctuation + string.whitespace + _QUOTES).lower()
