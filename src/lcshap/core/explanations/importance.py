"""How important each unit is over many inputs, with standard errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...errors import OptionError
from ...extras import import_optional
from ..presenter import get_presenter
from ..printable import printable
from .cohorts import find_cohorts
from .row_columns import ExplanationColumns
from .set_frames import unit_ranks
from .set_kinds import check_comparable
from .unit_keys import unit_keys

_MAX_LISTED = 10  # units in the text of an importance


@dataclass(frozen=True, eq=False, repr=False)
class Importance:
    """How important each unit is over some inputs, the most important first.

    The score of a unit that occurs several times in an input, such as a word, is summed over the input. A unit counts
    as 0 in inputs that do not have it. Standard errors are those of means over inputs, as if the inputs were a random
    sample; they are NaN for a single input. They do not contain the standard errors of the scores themselves.

    Attributes
    ----------
    names : the names of the units.
    mean_abs : the mean of |score|, by which units are ordered, with its standard error `mean_abs_stderr`.
    mean, mean_stderr : the mean of the score.
    first_share, first_share_stderr : the share of the inputs in which the unit is among the first `k` by |score|.
    count : the number of inputs that have the unit.
    inputs : the number of inputs.
    k : see `first_share`.
    cohort : the name of the inputs; empty for all inputs of a set.

    Examples
    --------
    >>> import lcshap as lc
    >>> xs = lc.Explanations.from_arrays([[1.0, -2.0], [3.0, 0.0]], 0.0, [-1.0, 3.0], names=["age", "dose"])
    >>> importance = xs.importance(k=1)
    >>> importance.names, importance.mean_abs, importance.mean, importance.first_share
    (('age', 'dose'), array([2., 1.]), array([ 2., -1.]), array([0.5, 0.5]))
    """

    names: tuple[str, ...]
    mean_abs: NDArray[np.float64]
    mean_abs_stderr: NDArray[np.float64]
    mean: NDArray[np.float64]
    mean_stderr: NDArray[np.float64]
    first_share: NDArray[np.float64]
    first_share_stderr: NDArray[np.float64]
    count: NDArray[np.int64]
    inputs: int
    k: int
    cohort: str = ""

    def __len__(self) -> int:
        return len(self.names)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row for each unit and the attributes as columns."""
        pandas = import_optional("pandas", "pandas")
        columns = [f.name for f in fields(self) if f.name not in ("inputs", "k", "cohort")]
        frame = pandas.DataFrame({"name" if column == "names" else column: getattr(self, column) for column in columns})
        if self.cohort:
            frame.insert(0, "cohort", self.cohort)
        return frame

    def rows(self, top: int | None = None) -> list[tuple[str, ...]]:
        """The first `top` units as texts: the name, the mean of |score|, the mean score, and the share."""
        count = len(self) if top is None else top
        columns = zip(
            self.names,
            map(_with_error, self.mean_abs, self.mean_abs_stderr),
            map(_with_error, self.mean, self.mean_stderr),
            (f"{share:.0%}" for share in self.first_share),
            strict=True,
        )
        return [
            (printable(name, max_length=40), *texts) for (name, *texts), _ in zip(columns, range(count), strict=False)
        ]

    @property
    def header(self) -> tuple[str, ...]:
        """The headings of `rows`."""
        return "", "mean |score|", "mean score", f"among the first {self.k}"

    @property
    def title(self) -> str:
        """What it is about."""
        about = f" of {printable(self.cohort, max_length=80)}" if self.cohort else ""
        return f"Importance over {self.inputs:,} input{'s' * (self.inputs != 1)}{about}"

    def __repr__(self) -> str:
        table = [self.header, *self.rows(_MAX_LISTED)]
        widths = [max(len(row[c]) for row in table) for c in range(len(self.header))]
        lines = [self.title]
        for first, *others in table:
            cells = [
                first.ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)),
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines + [f"and {len(self) - _MAX_LISTED} others"] * (len(self) > _MAX_LISTED))

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows."""
        return get_presenter().table_html(self.title, self.header, self.rows(_MAX_LISTED))


@dataclass(frozen=True, eq=False, repr=False)
class CohortImportance(Sequence[Importance]):
    """The importance of each unit in several cohorts of inputs: a sequence of `Importance`.

    Attributes
    ----------
    cohorts : the importance in each cohort, the largest cohort first.

    Examples
    --------
    >>> import lcshap as lc
    >>> xs = lc.Explanations.from_arrays([[1.0, -2.0], [3.0, 0.0]], 0.0, [-1.0, 3.0], names=["age", "dose"])
    >>> cohorts = xs.importance(by=["old", "young"])
    >>> cohorts.names, cohorts["old"].names
    (('old', 'young'), ('dose', 'age'))
    """

    cohorts: tuple[Importance, ...]

    def __len__(self) -> int:
        return len(self.cohorts)

    def __iter__(self) -> Iterator[Importance]:
        return iter(self.cohorts)

    def __getitem__(self, index: Any) -> Any:
        """The importance in a cohort, by its number or by its name."""
        if not isinstance(index, str):
            return self.cohorts[index]
        for importance in self.cohorts:
            if importance.cohort == index:
                return importance
        raise KeyError(f"Expected one of the cohorts {', '.join(self.names)}, got {index!r}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the cohorts."""
        return tuple(importance.cohort for importance in self.cohorts)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row for each cohort and unit."""
        pandas = import_optional("pandas", "pandas")
        return pandas.concat([importance.to_dataframe() for importance in self.cohorts], ignore_index=True)

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.cohorts))

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows."""
        return "".join(importance._repr_html_() for importance in self.cohorts)


def compute_importance(
    columns: ExplanationColumns, by: Any, k: int, output: int | None, key: Callable[[str], str] | None
) -> Importance | CohortImportance:
    """The importance of each unit, in all inputs or in cohorts; see `Explanations.importance`."""
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
        raise OptionError(f"Expected k as a whole number of at least 1, got {k!r}.")
    if by is None:
        return _importance(columns, int(k), output, key)
    cohorts = find_cohorts(columns, by, output)
    parts = [(name, columns.take(rows)) for name, rows in cohorts.items()]
    return CohortImportance(tuple(_importance(members, int(k), output, key, name) for name, members in parts))


def _importance(
    columns: ExplanationColumns, k: int, output: int | None, key: Callable[[str], str] | None, cohort: str = ""
) -> Importance:
    columns = check_comparable(columns.take(np.flatnonzero(columns.succeeded)), output)
    names, units = unit_keys(columns, key)
    inputs = np.repeat(np.arange(len(columns)), columns.scores.lengths)

    def sum_by_unit(values: NDArray[np.float64]) -> sparse.csr_array:
        """The sum of the values of each unit in each input."""
        return sparse.csr_array(sparse.coo_array((values, (inputs, units)), shape=(len(columns), len(names))))

    scores = columns.scores.values
    first = sum_by_unit((unit_ranks(columns) < k).astype(np.float64))
    first.data = np.minimum(first.data, 1.0)
    means = [_mean_and_stderr(table) for table in (sum_by_unit(np.abs(scores)), sum_by_unit(scores), first)]
    order = np.argsort(-means[0][0], kind="stable")
    (mean_abs, mean_abs_stderr), (mean, mean_stderr), (share, share_stderr) = means
    return Importance(
        tuple(names[i] for i in order),
        mean_abs[order],
        mean_abs_stderr[order],
        mean[order],
        mean_stderr[order],
        share[order],
        share_stderr[order],
        np.bincount(first.indices, minlength=len(names))[order],
        len(columns),
        k,
        cohort,
    )


def _mean_and_stderr(table: sparse.csr_array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean of each column over all rows, and its standard error; entries that are not stored are 0."""
    rows, columns = table.shape
    stored = np.bincount(table.indices, minlength=columns)
    mean = np.bincount(table.indices, table.data, columns) / max(rows, 1)
    squares = np.bincount(table.indices, (table.data - mean[table.indices]) ** 2, columns) + (rows - stored) * mean**2
    return mean, np.sqrt(squares / (rows - 1) / rows) if rows > 1 else np.full(columns, np.nan)


def _with_error(mean: float, stderr: float) -> str:
    """A mean with its standard error.

    >>> _with_error(0.12345, 0.01), _with_error(2.0, np.nan)
    ('0.1235 ± 0.01', '2')
    """
    return f"{mean:.4g}" + (f" ± {stderr:.2g}" if np.isfinite(stderr) else "")
