"""The most important units of a whole data set for each predicted class, read as a stream."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.explanations.unit_keys import normalise_word
from ..errors import OptionError
from ..extras import import_optional
from .folder import RunFolder

_COLUMNS = ("prediction", "names", "scores", "error", "record")
_MAX_NAMES = 2_000_000  # in memory; beyond it, the names with the smallest sums of |score| are dropped
_COUNT, _FIRST_SCORE, _SUM, _ABS_SUM, _SQUARE_SUM = range(5)


class _ClassTotals:
    """Running totals of the scores of each name, for the inputs of one class.

    For each name: the number of its scores, its first score, the sum and the sum of squares of the deviations from the
    first score (so that the variance of nearly equal scores is accurate), and the sum of |score|.
    """

    def __init__(self) -> None:
        self.inputs = 0
        self.doubtful = 0  # inputs whose intervals the method itself doubts
        self.names: dict[str, int] = {}
        self.sums = np.zeros((64, 5))

    def add(self, names: list[str], scores: np.ndarray[Any, np.dtype[np.float64]]) -> None:
        self.inputs += 1
        indices = np.fromiter((self.names.setdefault(name, len(self.names)) for name in names), np.intp, len(names))
        while len(self.names) > len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
        is_new = self.sums[indices, _COUNT] == 0
        # In reverse order, so that a new name that occurs twice gets the first of its scores.
        self.sums[indices[is_new][::-1], _FIRST_SCORE] = scores[is_new][::-1]
        deviations = scores - self.sums[indices, _FIRST_SCORE]
        np.add.at(self.sums[:, _COUNT], indices, 1.0)
        for column, terms in ((_SUM, deviations), (_ABS_SUM, np.abs(scores)), (_SQUARE_SUM, deviations**2)):
            np.add.at(self.sums[:, column], indices, terms)
        if len(self.names) > _MAX_NAMES:
            self._forget()

    def _forget(self) -> None:
        """Keep the half of the names with the largest sums of |score|."""
        order = np.argsort(-self.sums[: len(self.names), _ABS_SUM], kind="stable")[: len(self.names) // 2]
        names = list(self.names)
        self.names = {names[index]: k for k, index in enumerate(order.tolist())}
        self.sums = self.sums[order]

    def table(self) -> Iterator[dict[str, Any]]:
        for name, (count, first_score, deviation_sum, abs_sum, square_sum) in zip(
            self.names, self.sums.tolist(), strict=False
        ):
            variance = (square_sum - deviation_sum**2 / count) / (count - 1) if count > 1 else np.nan
            yield {
                "name": name,
                "count": int(count),
                "mean": first_score + deviation_sum / count,
                "mean_abs": abs_sum / count,
                "std": float(np.sqrt(max(variance, 0.0))) if count > 1 else np.nan,
                "per_input": abs_sum / self.inputs,
            }


def summary(
    out: str | os.PathLike[str],
    top: int | None = 20,
    *,
    key: Callable[[str], str] | None = None,
    output: int | None = None,
    min_count: int = 1,
) -> Any:
    """The most important units of a whole data set for each predicted class, as a pandas DataFrame.

    The parts are read one after the other. Memory grows with the number of different names, up to two million.

    Parameters
    ----------
    out : the folder of a run, finished or not.
    top : the number of units of each class; None for all.
    key : a function that maps several names to one. By default, words of texts are compared without case and without
        the punctuation around them.
    output : the output to summarize, if several are explained.
    min_count : leave out units that occur fewer times.

    Returns
    -------
    A row for each class and unit: `prediction`, `inputs` (of that class), `name`, `count`, `mean`, `mean_abs` and `std`
    of its scores, and `per_input`, the sum of |score| over the inputs of the class, by which rows are sorted. Scores of
    different classes are not mixed. `doubtful` is the number of inputs of the class whose intervals may be too narrow
    by the method's own check (``e.provenance["doubt"]``).

    Raises
    ------
    BulkError : if `out` is not the folder of a run, or a part is damaged.

    Examples
    --------
    ``lcshap.bulk.summary("out", top=10)``.
    """
    if top is not None and top < 1:
        raise OptionError(f"Expected top as a number of at least 1 or None, got {top!r}.")
    folder = RunFolder(out)
    several = bool(folder.manifest["explainer"]["several"])
    if several and output is None:
        raise OptionError("Expected output= for a run that explains several outputs, got none. Give 0 for the first.")
    classes: dict[str, _ClassTotals] = {}
    for number in folder.finished():
        for row in folder.rows(number, _COLUMNS):
            if row["error"] is None:
                scores = np.asarray(row["scores"], np.float64)
                totals = classes.setdefault(row["prediction"] or "", _ClassTotals())
                totals.doubtful += '"doubt": "' in row["record"]  # a key, because quotes within texts are escaped
                normalize = key or (normalise_word if '"view": {"kind": "text"' in row["record"] else str)
                totals.add([normalize(name) for name in row["names"]], scores[:, output] if several else scores)
    return _to_frame(classes, top, min_count)


def _to_frame(classes: dict[str, _ClassTotals], top: int | None, min_count: int) -> Any:
    pandas = import_optional("pandas", "bulk")
    columns = ["prediction", "inputs", "name", "count", "mean", "mean_abs", "std", "per_input", "doubtful"]
    tables = []
    for name, totals in sorted(classes.items(), key=lambda pair: -pair[1].inputs):
        table = pandas.DataFrame([row for row in totals.table() if row["count"] >= min_count], columns=columns[2:-1])
        table = table.sort_values(["per_input", "name"], ascending=[False, True])
        table = table if top is None else table.head(top)
        table.insert(0, "prediction", name)
        table.insert(1, "inputs", totals.inputs)
        table["doubtful"] = totals.doubtful
        tables.append(table)
    return pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame(columns=columns)
