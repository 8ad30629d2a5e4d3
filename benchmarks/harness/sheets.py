"""Summaries as CSV files: what is kept in the repository, and what the page is made from."""

from __future__ import annotations

import csv
from pathlib import Path

from .contestants.base import everybody
from .masking import AREAS
from .summary import Summary

MEASURES = (
    *("mse", "mae", "pair_mse", "covered", "stability"),
    *("calls", "rows", "own_seconds", "model_seconds", "peak_mb", "seeds", *AREAS),
)
EARLIER = (
    "mse",
    "mae",
    "pair_mse",
    "stability",
    "calls",
    "rows",
    "seeds",
    *AREAS,
)  # what does not depend on the machine


def write(found: Summary, path: Path) -> None:
    """A row for each family, number of calls per unit and contestant, in a fixed order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["family", "held_out", "calls_per_unit", "contestant", *MEASURES])
        for (family, multiple, name), cell in sorted(found.cells.items()):
            kept = "yes" if family in found.aside else "no"
            out.writerow([family, kept, multiple, name, *(f"{cell[m]:.4g}" if m in cell else "" for m in MEASURES)])


def with_earlier(found: Summary, path: Path) -> Summary:
    """What was found, and of peers that were not run again the errors and calls of the sheet that there is.

    Their times and memory are left out: they belong to another run. The versions of the packages must be the same, and
    with them the games are: their models are trained from a seed.
    """
    if not path.exists():
        return found
    known = everybody()
    earlier = {
        cell: {measure: numbers[measure] for measure in EARLIER if measure in numbers}
        for cell, numbers in read(path, found.ours).cells.items()
        if cell[2] in known and known[cell[2]].package != "lcshap"
    }
    return Summary(found.ours, {**earlier, **found.cells}, found.aside)


def read(path: Path, ours: str) -> Summary:
    """What `write` wrote."""
    cells, aside = {}, set()
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["held_out"] == "yes":
                aside.add(row["family"])
            numbers = {m: float(row[m]) for m in MEASURES if row.get(m)}
            cells[row["family"], int(row["calls_per_unit"]), row["contestant"]] = numbers
    return Summary(ours, cells, tuple(sorted(aside)))
