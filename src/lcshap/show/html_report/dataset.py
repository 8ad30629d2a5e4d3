"""The data set of a report: true classes and predictions of its samples, and the units that lead in each class."""

from __future__ import annotations

import math
import string
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from ...core.explanation import Explanation
from ...core.printable import printable
from ...core.rounding import round_to_zero
from ...core.views import BytesView, ImageView, TextView
from ...errors import ShowError
from ..pack import json_number
from ..provenance_text import recorded_prediction

_MAX_LEADING_UNITS = 12  # units that are named for a class, and against it
_TYPOGRAPHIC_PUNCTUATION = "“”‘’«»…–—¡¿"  # that words are freed from, besides the punctuation of ASCII


def check_labels(labels: Any, names: Any, count: int) -> tuple[list[str | None], list[str | None]]:
    """The true classes and the names of so many samples, as texts; None for those that are not given."""
    return _check_texts("labels", labels, count), _check_texts("names", names, count)


def _check_texts(option: str, items: Any, count: int) -> list[str | None]:
    if items is None:
        return [None] * count
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise ShowError(f"Expected a list of {option}, one for each input, got {type(items).__name__}.")
    texts = [None if item is None else printable(str(item)) for item in items]
    if len(texts) != count:
        raise ShowError(f"Expected {count} {option}, one for each input, got {len(texts)}.")
    return texts


def describe_sample(e: Explanation, label: str | None) -> dict[str, Any]:
    """What the index says of the prediction for one input: "predicted", "confidence", "label" and "loss".

    >>> import numpy as np
    >>> import lcshap as lc
    >>> provenance = {"prediction": [["good", 0.75], ["bad", 0.25]]}
    >>> e = lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2, provenance)
    >>> describe_sample(e, "bad")
    {'predicted': 'good', 'confidence': 0.75, 'label': 'bad', 'loss': 1.38629}
    """
    shares = recorded_prediction(e)
    facts: dict[str, Any] = {}
    if shares:
        facts["predicted"] = shares[0][0]
        if shares[0][1] is not None:
            facts["confidence"] = json_number(shares[0][1])
    if label is not None:
        facts["label"] = label
        share = dict(shares).get(label)
        if share is not None:
            facts["loss"] = json_number(-math.log(max(share, 1e-12)))
    return facts


def check_classes(samples: Sequence[dict[str, Any]]) -> None:
    """Raise `ShowError` if no label is the name of any class: then all samples would be wrong by mistake."""
    predicted = {sample["predicted"] for sample in samples if "predicted" in sample}
    labels = {sample["label"] for sample in samples if "label" in sample}
    if len(samples) > 1 and labels and predicted and not labels & predicted and not any("loss" in s for s in samples):
        raise ShowError(
            f"Expected labels that are names of classes such as {min(predicted)!r}, got {min(labels)!r}. Give the "
            "names that the explanations use."
        )


class LeadingUnits:
    """The units that count most for and against each class, summed over all samples: those that readers can name."""

    def __init__(self) -> None:
        self._sums: dict[tuple[int, str], dict[str, list[float]]] = defaultdict(dict)
        self._samples: dict[tuple[int, str], int] = defaultdict(int)

    def add(self, method: int, output: str, e: Explanation) -> None:
        """Count the scores of one sample, by one method and of one output."""
        if isinstance(e.view, ImageView | BytesView):
            return  # their units are places, which mean nothing in another input
        self._samples[method, output] += 1
        sums, seen = self._sums[method, output], set()
        for name, score in zip(e.names, round_to_zero(e.scores, e.scores).tolist(), strict=True):
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
        groups = []
        for (method, output), sums in self._sums.items():
            order = sorted(sums.items(), key=lambda item: (-item[1][0], item[0]))
            ends = {
                "for": [item for item in order[:_MAX_LEADING_UNITS] if item[1][0] > 0],
                "against": [item for item in order[::-1][:_MAX_LEADING_UNITS] if item[1][0] < 0],
            }
            rows = {side: [[name, json_number(s), n, m] for name, (s, n, m) in items] for side, items in ends.items()}
            groups.append({"method": method, "output": output, "samples": self._samples[method, output], **rows})
        return groups


def plain_name(name: str) -> str:
    """A word of a text as other texts may have it: in small letters, without the punctuation around it.

    >>> plain_name("Good,"), plain_name("«don't»"), plain_name("...")
    ('good', "don't", '')
    """
    return printable(name).strip(string.punctuation + string.whitespace + _TYPOGRAPHIC_PUNCTUATION).lower()
