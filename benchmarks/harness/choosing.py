"""The data that a page on choosing a method can rest on: for each kind of input, who comes first in what.

It is made from the CSV files of the report, and written as `choosing.csv` and `choosing.md`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from . import sheets
from .comparisons import Row, write_rows
from .error_tables import ours_over_best, table
from .masking import AREAS
from .summary import Summary

KINDS = {
    "texts": ("word-cnn", "tf-idf", "minilm", "lstm"),
    "images": ("mnist", "cifar", "digits", "photo"),
    "series": ("series",),
    "bytes": ("bytes",),
    "molecules": ("molecules",),
    "tables, sums of trees": ("forest", "lightgbm", "xgboost"),
    "tables, other models": ("mlp", "linear"),
}
ABOUT = """For each kind of input and number of calls per unit, from the tasks of [the benchmarks](../benchmarks.md).
*Fair*: the error of `auto` over that of the best peer, geometric mean over families, and the peer that is best on most
of them. *Necessary* and *sufficient*: who has the largest removing and keeping area over the first 20 % of the units,
on average over families. Sums of trees are explained exactly by `TreeSHAP` where the model itself is at hand; the
figures here are for estimates that may only call it.
"""


def write_choosing(folder: Path) -> None:
    """Write both files, where there are results on tasks."""
    path = folder / "tasks.csv"
    if not path.exists():
        return
    found = sheets.read(path, "auto")
    rows = [row for kind in KINDS for multiple in found.multiples if (row := decided(found, kind, multiple))]
    write_rows(rows, folder / "choosing.csv")
    if rows:
        lines = [[f"{x:.2f}" if isinstance(x, float) else str(x) for x in row.values()] for row in rows]
        text = "# Who leads on which kind of input\n\n" + ABOUT + "\n" + table(list(rows[0]), lines)
        (folder / "choosing.md").write_text(text, encoding="utf-8")


def decided(found: Summary, kind: str, multiple: int) -> Row | None:
    """The row of one kind of input and number of calls; None where there are no results."""
    families = [name for name in found.families if name.startswith(KINDS[kind])]
    here = [name for name in families if np.isfinite(ours_over_best(found, "mse", name, multiple))]
    if not here:
        return None
    ratios = np.array([ours_over_best(found, "mse", name, multiple) for name in here])
    best = [found.best(name, multiple)[1] for name in here]
    row: Row = {"input": kind, "calls": f"{multiple}d", "families": len(here)}
    row |= {"fair: auto over best peer": float(np.exp(np.log(ratios).mean())), "largest": float(ratios.max())}
    row["best peer"] = max(sorted(set(best)), key=best.count)
    row["auto own ms"] = 1e3 * float(np.median([found.value(name, multiple, "auto", "own_seconds") for name in here]))
    for goal, area in (("necessary", AREAS[0]), ("sufficient", AREAS[2])):
        row[goal] = leader(found, here, multiple, area)
    return row


def leader(found: Summary, families: list[str], multiple: int, area: str) -> str:
    """Who has the largest area on average, of all who answered on each of the families."""
    names = {name for _, at, name in found.cells if at == multiple}
    means = {name: np.mean([found.value(f, multiple, name, area) for f in families]) for name in names}
    known = {name: float(x) for name, x in means.items() if np.isfinite(x)}
    return max(sorted(known), key=lambda name: known[name], default="-")
