"""Explanations of one target whose units agree, as arrays with a row for each input and a column for each unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.explanations import Explanations
from ...core.explanations.set_kinds import check_methods
from ...core.printable import printable
from ...errors import OptionError, ShowError
from .. import words
from .base import check_explanations, choose_outputs

Floats = NDArray[np.float64]
_SUBJECT_KEYS = ("targets", "value", "output", "kind")  # what an explanation is about, in its provenance


@dataclass(frozen=True, eq=False)
class ValueColumn:
    """The values of one unit: numbers, or the numbers of categories; NaN where a value is missing.

    Attributes
    ----------
    numbers : `(n,)`.
    categories : the names of the categories; empty if the values are numbers.
    """

    numbers: Floats
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Arrays of many explanations.

    Attributes
    ----------
    names : the names of the units.
    scores : `(n, d)`.
    base_values, predictions : `(n,)`.
    data : the feature values `(n, d)`, numbers or objects; None if the inputs are not rows of a table.
    interactions : `(n, d, d)`; None if there are none, or they were not asked for.
    positions : the number of each input in the set that was given.
    n_given : the number of inputs in that set.
    first : the explanation of the first input, from which words about all of them are made.
    """

    names: tuple[str, ...]
    scores: Floats
    base_values: Floats
    predictions: Floats
    data: NDArray[Any] | None
    interactions: Floats | None
    positions: NDArray[np.intp]
    n_given: int
    first: Explanation

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def subject(self) -> str:
        """What is explained, such as "log_odds of positive"; empty if it is not recorded."""
        return words.describe_subject(self.first)

    @property
    def labels(self) -> list[str]:
        """A short name of each unit; names that occur twice get a number."""
        return words.number_duplicates(self.names, words.shorten)

    @property
    def facts(self) -> list[str]:
        """What a caption says about the inputs: what is explained, and how many there are."""
        return [*filter(None, [self.subject]), words.format_count(len(self), "input")]

    def strongest(self, top: int | None = None) -> NDArray[np.intp]:
        """The units with the largest mean |score|, the largest first."""
        return np.argsort(-np.abs(self.scores).mean(axis=0), kind="stable")[:top]

    def take(self, rows: NDArray[np.intp]) -> ScoreTable:
        """Some of the inputs."""
        arrays = {name: getattr(self, name) for name in ("scores", "base_values", "predictions", "data", "positions")}
        chosen: dict[str, Any] = {name: None if array is None else array[rows] for name, array in arrays.items()}
        pairs = None if self.interactions is None else self.interactions[rows]
        return replace(self, **chosen, interactions=pairs)

    def sample(self, count: int) -> ScoreTable:
        """A random sample of at most `count` inputs, in their order; always the same one."""
        if len(self) <= count:
            return self
        return self.take(np.sort(np.random.default_rng(0).choice(len(self), count, replace=False)))

    def column(self, unit: int) -> ValueColumn:
        """The values of a unit. Raises `ShowError` if the inputs are not rows of a table."""
        if self.data is None:
            raise ShowError(
                "Expected explanations of rows of a table, whose units have values, got others. Draw another figure, "
                "such as beeswarm."
            )
        return value_column(self.data[:, unit])

    def find_unit(self, unit: int | str) -> int:
        """The number of a unit, which is chosen by its number or by its name."""
        if isinstance(unit, str):
            if unit not in self.names:
                listed = ", ".join(map(repr, self.names[:8])) + (", …" if len(self.names) > 8 else "")
                raise ShowError(f"Expected the name of a unit, one of {listed}, got {unit!r}.")
            return self.names.index(unit)
        count = len(self.names)
        if not isinstance(unit, int | np.integer) or isinstance(unit, bool) or not -count <= unit < count:
            raise ShowError(f"Expected a unit by its name or by a number from 0 to {count - 1}, got {unit!r}.")
        return int(unit) % count


def value_column(entries: NDArray[Any]) -> ValueColumn:
    """The values of one unit, as numbers. Infinite values count as missing: they have no place on an axis.

    >>> value_column(np.array([3.0, "Rome", np.nan, "Oslo"], object)).categories
    ('3', 'Oslo', 'Rome')
    >>> value_column(np.array([1, 2])).numbers
    array([1., 2.])
    """
    try:
        numbers = entries.astype(np.float64)
        return ValueColumn(np.where(np.isfinite(numbers), numbers, np.nan))
    except (TypeError, ValueError):
        pass
    present = np.array([entry is not None and entry == entry for entry in entries], bool)
    texts = [words.format_number(entry) if isinstance(entry, float) else str(entry) for entry in entries[present]]
    categories, codes = np.unique(texts, return_inverse=True)
    numbers = np.full(len(entries), np.nan)
    numbers[present] = codes.ravel()
    return ValueColumn(numbers, tuple(printable(name) for name in categories.tolist()))


def as_set(explanations: Explanation | Sequence[Explanation]) -> tuple[Explanations[Explanation], NDArray[np.intp]]:
    """Explanations as a set without inputs that failed, and the number of each input.

    Raises
    ------
    ShowError : if there is no explanation, or they are by methods whose scores have different meanings.
    """
    if not isinstance(explanations, Explanations):
        explanations = Explanations(check_explanations(explanations))
    try:
        check_methods(explanations._columns)
    except OptionError as error:
        raise ShowError(str(error)) from error
    positions = np.delete(np.arange(len(explanations)), list(explanations.errors))
    if not len(positions):
        raise ShowError("Expected a list of at least one explanation, got none.")
    return explanations[positions] if explanations.errors else explanations, positions


def score_tables(
    explanations: Explanation | Sequence[Explanation],
    output: int | None = None,
    target: Any = None,
    *,
    interactions: bool = False,
) -> dict[str, ScoreTable]:
    """A table for each output or target, the one with the most inputs first; keys say what is explained.

    Parameters
    ----------
    output, target : the number of one output, or the name of one target.
    interactions : whether the tables have interactions, which may need much memory.

    Raises
    ------
    ShowError : if there are no explanations, or inputs have different units or numbers of outputs.

    Examples
    --------
    >>> import lcshap as lc
    >>> xs = lc.Explanations.from_arrays(np.ones((4, 2)), 0.0, np.full(4, 2.0), targets=["a"])
    >>> tables = score_tables(xs)
    >>> list(tables), tables["a"].scores.shape
    (['a'], (4, 2))
    """
    n_given = 1 if isinstance(explanations, Explanation) else len(explanations)
    xs, positions = as_set(explanations)
    try:
        scores, names = xs.scores, xs.names
    except OptionError as error:
        raise ShowError(f"{error} Figures of words are beeswarm, violin and summary_bars.") from error
    check_finite(scores, positions)
    data = xs.data if isinstance(xs.data, np.ndarray) else None
    if scores.ndim == 3:
        everything = _table(xs, scores, names, data, positions, n_given, interactions)
        return _by_output(everything, xs[0], output, target)
    tables = {}
    for rows in _rows_by_subject(xs):
        group = xs if len(rows) == len(xs) else xs[rows]
        e = group[0]
        if target is not None and words.target_name(target) not in words.target_names(e):
            continue
        group_data = None if data is None else data[rows]
        tables[words.describe_subject(e)] = _table(
            group, scores[rows], names, group_data, positions[rows], n_given, interactions
        )
    if not tables:
        listed = sorted({str(name) for name in xs.targets if name is not None})
        raise ShowError(f"Expected target as one of {', '.join(map(repr, listed)) or 'none'}, got {target!r}.")
    return dict(sorted(tables.items(), key=lambda item: -len(item[1])))


def check_finite(scores: Floats, positions: NDArray[np.intp]) -> None:
    """Refuse scores that are not finite, which have no place in a figure.

    Parameters
    ----------
    scores : scores with a row, or an entry, for each of some inputs.
    positions : the numbers of these inputs.
    """
    finite = np.isfinite(scores).reshape(len(positions), -1).all(axis=1)
    if not finite.all():
        number = positions[np.argmin(finite)]
        raise ShowError(f"Expected finite scores, got NaN or infinity in input {number}. Leave out such inputs.")


def _table(
    xs: Explanations[Any],
    scores: Floats,
    names: tuple[str, ...],
    data: NDArray[Any] | None,
    positions: NDArray[np.intp],
    n_given: int,
    interactions: bool,
) -> ScoreTable:
    pairs = xs.interactions if interactions else None
    return ScoreTable(names, scores, xs.base_values, xs.predictions, data, pairs, positions, n_given, xs[0])


def _by_output(table: ScoreTable, first: Explanation, output: int | None, target: Any) -> dict[str, ScoreTable]:
    """A table for each chosen output."""
    tables = {}
    for e in choose_outputs(first, output, target):
        k = int(e.provenance["output"])
        pairs = None if table.interactions is None else table.interactions[..., k]
        tables[words.describe_subject(e) or f"output {k}"] = replace(
            table,
            scores=table.scores[..., k],
            base_values=table.base_values[:, k],
            predictions=table.predictions[:, k],
            interactions=pairs,
            first=e,
        )
    return tables


def _rows_by_subject(xs: Explanations[Any]) -> list[NDArray[np.intp]]:
    """The inputs of each target (and kind of value)."""
    columns = [xs._columns.provenance[key] for key in _SUBJECT_KEYS if key in xs._columns.provenance]
    codes = np.stack([column.codes_of(len(xs)) for column in columns] or [np.zeros(len(xs), np.int32)])
    if (codes == codes[:, :1]).all():
        return [np.arange(len(xs))]
    _, groups = np.unique(codes, axis=1, return_inverse=True)
    return [np.flatnonzero(groups.ravel() == group) for group in range(groups.max() + 1)]
