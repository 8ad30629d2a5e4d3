"""The paper's Table 1, and Section 5.2 for its images: data sets, models and their accuracy, with those of lcshap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

HEADER = ("study", "source", "classes", "train", "test", "words", "model", "parameters", "accuracy")


class TableOneLine(NamedTuple):
    """A line of the table; `words` is the mean length of the test texts. None means unknown."""

    classes: int | None
    train: int | None
    test: int | None
    words: float | None
    model: str | None
    parameters: int | None
    accuracy: float | None


PAPER = {
    "imdb": TableOneLine(2, 25_000, 25_000, 325.6, "WordCNN", 351_002, 0.901),
    "agnews": TableOneLine(4, 120_000, 7_600, 43.3, "CharCNN", 11_337_988, 0.9009),
    "yahoo": TableOneLine(10, 1_400_000, 60_000, 108.4, "LSTM", 7_146_166, 0.7084),
    "mnist": TableOneLine(2, 12_000, 1_000, None, "CNN", None, 0.997),
    "cifar10": TableOneLine(2, 10_000, 2_000, None, "CNN", None, 0.961),
}
REPLACED_STUDIES = {"newsgroups": "yahoo"}  # the study that replaces one of the paper


def table_lines(name: str, about: Mapping[str, Any]) -> list[tuple[object, ...]]:
    """The lines of a study: that of the paper, and that of the model and data that are used here."""
    line = TableOneLine(**{field: about.get(field) for field in TableOneLine._fields})
    original = REPLACED_STUDIES.get(name, name)
    return [(original, "paper", *PAPER[original]), (name, "here", *line)]


def format_cells(rows: Iterable[Sequence[object]]) -> list[list[str]]:
    """The cells of a table in Markdown.

    >>> format_cells([("mnist", "paper", *PAPER["mnist"])])
    [['mnist', 'paper', '2', '12,000', '1,000', '–', 'CNN', '–', '99.70 %']]
    """
    return [
        [*map(_format_cell, row[:-1]), "–" if row[-1] is None else f"{row[-1]:.2%}".replace("%", " %")] for row in rows
    ]


def _format_cell(content: object) -> str:
    if content is None:
        return "–"
    return (
        f"{content:,}" if isinstance(content, int) else f"{content:.1f}" if isinstance(content, float) else str(content)
    )
