"""The paper's Table 1, and Section 5.2 for its images: data sets, models and their accuracy, with ours beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

HEAD = ("study", "source", "classes", "train", "test", "words", "model", "parameters", "accuracy")


class Line(NamedTuple):
    """A line of the table; `words` is the mean length of the test texts. None is what is not said."""

    classes: int | None
    train: int | None
    test: int | None
    words: float | None
    model: str | None
    parameters: int | None
    accuracy: float | None


PAPER = {
    "imdb": Line(2, 25_000, 25_000, 325.6, "WordCNN", 351_002, 0.901),
    "agnews": Line(4, 120_000, 7_600, 43.3, "CharCNN", 11_337_988, 0.9009),
    "yahoo": Line(10, 1_400_000, 60_000, 108.4, "LSTM", 7_146_166, 0.7084),
    "mnist": Line(2, 12_000, 1_000, None, "CNN", None, 0.997),
    "cifar10": Line(2, 10_000, 2_000, None, "CNN", None, 0.961),
}
INSTEAD = {"newsgroups": "yahoo"}  # what stands in for which of the paper's


def lines(name: str, about: Mapping[str, Any]) -> list[tuple[object, ...]]:
    """The lines of a study: the paper's, and what is known of the model and data that are used."""
    own = Line(**{field: about.get(field) for field in Line._fields})
    original = INSTEAD.get(name, name)
    return [(original, "paper", *PAPER[original]), (name, "here", *own)]


def for_people(rows: Iterable[Sequence[object]]) -> list[list[str]]:
    """The cells of a table in Markdown.

    >>> for_people([("mnist", "paper", *PAPER["mnist"])])
    [['mnist', 'paper', '2', '12,000', '1,000', '–', 'CNN', '–', '99.70 %']]
    """
    return [[*map(_cell, row[:-1]), "–" if row[-1] is None else f"{row[-1]:.2%}".replace("%", " %")] for row in rows]


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}" if isinstance(value, float) else str(value)
