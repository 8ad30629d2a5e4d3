"""Which units matter over a whole data set, class by class, read as a stream."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import OptionError
from ..extras import need
from ..show.plots.many import word
from .folder import Folder
from .parts import read_rows

_COLUMNS = ("prediction", "names", "scores", "error", "record")
_MOST = 2_000_000  # names that are kept; beyond it, those that were seen least are forgotten
_COUNT, _FIRST, _SUM, _SIZE, _SQUARE = range(5)


class _Class:
    """The names of one class, with what there is to know about their scores.

    That is, for each name: how often it occurs, its first score, the sum and the sum of squares of the differences from
    that one (so that scores that are all alike have a spread that is right), and the sum of |score|.
    """

    def __init__(self) -> None:
        self.inputs = 0
        self.names: dict[str, int] = {}
        self.sums = np.zeros((64, 5))

    def add(self, names: list[str], scores: np.ndarray[Any, np.dtype[np.float64]]) -> None:
        self.inputs += 1
        places = np.fromiter((self.names.setdefault(name, len(self.names)) for name in names), np.intp, len(names))
        while len(self.names) > len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
        new = self.sums[places, _COUNT] == 0
        self.sums[places[new][::-1], _FIRST] = scores[new][::-1]  # of a name that comes twice, the first
        apart = scores - self.sums[places, _FIRST]
        np.add.at(self.sums[:, _COUNT], places, 1.0)
        for column, values in ((_SUM, apart), (_SIZE, np.abs(scores)), (_SQUARE, apart**2)):
            np.add.at(self.sums[:, column], places, values)
        if len(self.names) > _MOST:
            self._forget()

    def _forget(self) -> None:
        """Keep the half of the names that have the largest sums of sizes."""
        order = np.argsort(-self.sums[: len(self.names), _SIZE], kind="stable")[: len(self.names) // 2]
        known = list(self.names)
        self.names = {known[place]: k for k, place in enumerate(order.tolist())}
        self.sums = self.sums[order]

    def table(self) -> Iterator[dict[str, Any]]:
        for name, (count, first, total, size, square) in zip(self.names, self.sums.tolist(), strict=False):
            spread = (square - total**2 / count) / (count - 1) if count > 1 else np.nan
            yield {
                "name": name,
                "count": int(count),
                "mean": first + total / count,
                "mean_abs": size / count,
                "std": float(np.sqrt(max(spread, 0.0))) if count > 1 else np.nan,
                "per_input": size / self.inputs,
            }


def summary(
    out: str | os.PathLike[str],
    top: int | None = 20,
    *,
    key: Callable[[str], str] | None = None,
    output: int | None = None,
    least: int = 1,
) -> Any:
    """The units that matter most over a whole data set, for each predicted class: a pandas DataFrame.

    The parts are read one after the other. Memory grows with the number of different names, up to two million.

    Parameters
    ----------
    out : the folder of a run, finished or not.
    top : how many units of each class; None for all.
    key : makes one name of several. By default words of texts count without case and the punctuation around them.
    output : which output, where several are explained.
    least : leave out units that occur fewer times.

    Returns
    -------
    A row for each class and unit: `prediction`, `inputs` (of that class), `name`, `count`, `mean`, `mean_abs` and `std`
    of its scores, and `per_input`, the sum of |score| over the inputs of the class, by which rows are sorted. Scores of
    different classes are not mixed.

    Raises
    ------
    BulkError : if `out` is not the folder of a run, or a part is damaged.

    Examples
    --------
    ``lcshap.bulk.summary("out", top=10)``.
    """
    if top is not None and top < 1:
        raise OptionError(f"Expected top as a number of at least 1 or None, got {top!r}.")
    folder = Folder(out)
    several = bool(folder.manifest["explainer"]["several"])
    if several and output is None:
        raise OptionError("Expected output= for a run that explains several outputs, got none. Give 0 for the first.")
    classes: dict[str, _Class] = {}
    for number in folder.finished():
        for row in read_rows(str(folder.part(number)), _COLUMNS):
            if row["error"] is None:
                scores = np.asarray(row["scores"], np.float64)
                found = classes.setdefault(row["prediction"] or "", _Class())
                same = key or (word if '"view": {"kind": "text"' in row["record"] else str)
                found.add([same(name) for name in row["names"]], scores[:, output] if several else scores)
    return _frame(classes, top, least)


def _frame(classes: dict[str, _Class], top: int | None, least: int) -> Any:
    pandas = need("pandas", "bulk")
    columns = ["prediction", "inputs", "name", "count", "mean", "mean_abs", "std", "per_input"]
    tables = []
    for name, found in sorted(classes.items(), key=lambda item: -item[1].inputs):
        table = pandas.DataFrame([row for row in found.table() if row["count"] >= least], columns=columns[2:])
        table = table.sort_values(["per_input", "name"], ascending=[False, True])
        table = table if top is None else table.head(top)
        table.insert(0, "prediction", name)
        table.insert(1, "inputs", found.inputs)
        tables.append(table)
    return pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame(columns=columns)
