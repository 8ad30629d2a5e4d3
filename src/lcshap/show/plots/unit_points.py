"""The scores of many explanations in columns: an entry for every unit of every input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.explanations import Explanations
from ...core.explanations.unit_keys import normalise_word
from ...core.views import TableView, TextView
from ...errors import OptionError, ShowError
from ..words import describe_subject, format_count, shorten, sign_labels, unit_values
from .by_target import by_target
from .score_table import ScoreTable, as_set, check_finite, score_tables

Floats = NDArray[np.float64]
Key = Callable[[str], str]


@dataclass(frozen=True, eq=False)
class UnitPoints:
    """Scores of many inputs in columns of equal length.

    Attributes
    ----------
    names : the distinct units, in alphabetical order.
    unit : the unit of each score, as a position in `names`.
    inputs : the input of each score, counted from 0.
    scores : the scores.
    where : the place of the unit in its input, from 0, the first, to 1, the last.
    values : the value of the feature; NaN if it has none, or if it is not a number.
    n_inputs : the number of inputs.
    tables : whether all inputs are rows of tables, so that `values` can be drawn.
    subject : what is explained, such as "log_odds of positive"; empty if it is not recorded.
    sign_labels : what negative and positive scores mean, such as ("against", "for").
    """

    names: tuple[str, ...]
    unit: NDArray[np.intp]
    inputs: NDArray[np.intp]
    scores: Floats
    where: Floats
    values: Floats
    n_inputs: int
    tables: bool
    subject: str
    sign_labels: tuple[str, str]

    def totals(self) -> dict[str, NDArray[Any]]:
        """The columns of `summary`, with a row for each unit in the order of `names`."""
        count = self._sum(np.ones(len(self.unit)))
        mean = self._sum(self.scores) / count
        sizes = self._sum(np.abs(self.scores))
        squares = self._sum((self.scores - mean[self.unit]) ** 2)
        with np.errstate(invalid="ignore", divide="ignore"):  # a unit that occurs once has no standard deviation
            std = np.sqrt(squares / (count - 1))
        return {
            "count": count.astype(np.int64),
            "mean": mean,
            "mean_abs": sizes / count,
            "std": std,
            "where": self._sum(self.where) / count,
            "per_input": sizes / self.n_inputs,
        }

    def strongest(self, top: int | None) -> NDArray[np.intp]:
        """The units with the largest sums of |score|, the largest first."""
        return np.argsort(-self._sum(np.abs(self.scores)), kind="stable")[:top]

    def labels(self, units: NDArray[np.intp]) -> list[str]:
        """The names of rows: with the number of occurrences if a unit does not occur once in every input."""
        count = self._sum(np.ones(len(self.unit))).astype(int)
        return [
            shorten(self.names[u]) + ("" if count[u] == self.n_inputs else f" ({count[u]:,})") for u in units.tolist()
        ]

    @property
    def facts(self) -> list[str]:
        """What a caption says about the inputs: what is explained, and how many there are."""
        return [*filter(None, [self.subject]), format_count(self.n_inputs, "input")]

    def selection_note(self, drawn: int) -> list[str]:
        """That only some units are drawn, if this is the case."""
        return [f"{drawn:,} of {format_count(len(self.names), 'unit')}"] if drawn < len(self.names) else []

    def _sum(self, weights: Floats) -> Floats:
        return np.asarray(np.bincount(self.unit, weights, len(self.names)), np.float64)


def point_groups(
    explanations: Explanation | Sequence[Explanation],
    key: Key | None = None,
    output: int | None = None,
    target: Any = None,
) -> dict[str, UnitPoints]:
    """The scores of each target or output, the one with the most inputs first; keys say what is explained.

    Explanations whose units agree are taken from the arrays of their set, without a loop over inputs.
    """
    if isinstance(explanations, Explanations):
        xs, _ = as_set(explanations)
        if not isinstance(xs[0].view, TextView) and _units_agree(xs):
            return {name: _table_points(table, key) for name, table in score_tables(xs, output, target).items()}
        explanations = xs
    else:
        as_set(explanations)  # refuses explanations that have no common figure
    groups = by_target(explanations, output, target)
    return {name: collect_points(group, key) for name, group in groups.items()}


def _units_agree(xs: Explanations[Explanation]) -> bool:
    try:
        return bool(xs.names) and xs.scores.size > 0
    except OptionError:
        return False


def _table_points(table: ScoreTable, key: Key | None) -> UnitPoints:
    n, d = table.scores.shape
    names, merged = np.unique(merge_names([(False, name) for name in table.names], key), return_inverse=True)
    values = np.full((n, d), np.nan)
    for unit in range(d) if table.data is not None else ():
        column = table.column(unit)
        if not column.categories:
            values[:, unit] = column.numbers
    return UnitPoints(
        tuple(names.tolist()),
        np.tile(merged.ravel(), n),
        np.repeat(np.arange(n), d),
        table.scores.ravel(),
        np.tile(np.arange(d) / max(d - 1, 1), n),
        values.ravel(),
        n,
        table.data is not None,
        table.subject,
        sign_labels(table.first),
    )


def collect_points(explanations: Sequence[Explanation], key: Key | None = None) -> UnitPoints:
    """All scores of explanations of one output each.

    Parameters
    ----------
    key : maps the name of a unit to what it counts as. By default, words of texts are compared without case and
        without the punctuation around them, and other names as they are.

    >>> import lcshap as lc
    >>> model = lambda texts: [1.0 * ("good" in t.lower()) for t in texts]
    >>> points = collect_points(lc.Explainer(model, lc.maskers.Text(), kind="output")(["Good film", "a good one"]))
    >>> points.names, points.unit.tolist(), points.inputs.tolist()
    (('a', 'film', 'good', 'one'), [2, 1, 0, 2, 3], [0, 0, 1, 1, 1])
    """
    lengths = np.array([len(e.names) for e in explanations])
    codes: dict[tuple[bool, str], int] = {}
    pairs = ((isinstance(e.view, TextView), name) for e in explanations for name in e.names)
    raw = np.fromiter((codes.setdefault(pair, len(codes)) for pair in pairs), np.intp)
    names, merged = np.unique(merge_names(list(codes), key), return_inverse=True)
    scores, inputs = np.concatenate([e.scores for e in explanations]), np.repeat(np.arange(len(lengths)), lengths)
    check_finite(scores, inputs)
    place = np.concatenate([np.arange(length) / max(length - 1, 1) for length in lengths.tolist()])
    return UnitPoints(
        tuple(names.tolist()),
        merged.ravel()[raw],
        inputs,
        scores,
        place,
        np.concatenate([_value_column(e) for e in explanations]),
        len(explanations),
        all(isinstance(e.view, TableView) for e in explanations),
        describe_subject(explanations[0]),
        sign_labels(explanations[0]),
    )


def merge_names(names: Sequence[tuple[bool, str]], key: Key | None) -> NDArray[np.object_]:
    """What each name counts as; words of texts are marked by True."""
    merged = [(key or (normalise_word if is_word else str))(name) for is_word, name in names]
    if not all(isinstance(name, str) for name in merged):
        raise ShowError("Expected key to return a str for each name, got something else.")
    return np.array(merged, object)


def value_ranks(values: Floats) -> Floats:
    """The rank of each number from 0, the lowest, to 1, the highest; equal numbers share a rank, NaN stays NaN.

    >>> value_ranks(np.array([5.0, 1.0, np.nan, 5.0, 9.0])).round(2).tolist()
    [0.5, 0.0, nan, 0.5, 1.0]
    """
    ranks = np.full(len(values), np.nan)
    finite = ~np.isnan(values)
    _, places, counts = np.unique(values[finite], return_inverse=True, return_counts=True)
    first = np.cumsum(counts) - counts
    ranks[finite] = (first + (counts - 1) / 2)[places.ravel()] / max(int(np.count_nonzero(finite)) - 1, 1)
    return ranks


def _value_column(e: Explanation) -> Floats:
    values = np.full(len(e.names), np.nan)
    for unit, value in unit_values(e).items():
        values[unit] = value
    return values
