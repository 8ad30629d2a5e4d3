"""Games whose values are known for all coalitions: shapiq's precomputed ones, read from a folder of `.npz` files.

A file is a family: `values` `(games, 2^d)`, entry r the value of the coalition of the units whose bits are set in r;
`names` says which model and instance.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .game import Bench, Masks, Values


@dataclass(frozen=True, eq=False)
class Table:
    """The value function of a table."""

    values: Values

    def __call__(self, kept: Masks) -> Values:
        """Look the rows up."""
        return self.values[kept @ (1 << np.arange(kept.shape[1]))]


def find_data(given: str | None = None) -> Path:
    """The folder of the games: the one given, else `games` in the folder that LCSHAP_DATA names."""
    named = os.environ.get("LCSHAP_DATA")
    folder = Path(given) if given else Path(named) / "games" if named else None
    if folder is None or not any(folder.glob("*.npz")):
        raise SystemExit(f"Expected a folder of games (.npz files), got {folder}. Name it with --data or LCSHAP_DATA.")
    return folder


def sound(values: Values) -> bool:
    """Whether a table holds numbers to work with: one of shapiq's has five values of 1e39 among thousands of 1e4."""
    return bool(np.isfinite(values).all() and np.abs(values).max() <= 1e6 * np.median(np.abs(values)))


def families(folder: Path) -> dict[str, list[Bench]]:
    """The games of all files, by family."""
    found = {}
    for path in sorted(folder.glob("*.npz")):
        family = path.stem.replace("_Game-", "-").replace("Selection_EnsembleSelection", "Selection")
        with np.load(path) as stored:
            rows = np.asarray(stored["values"], np.float64)
        d = rows.shape[1].bit_length() - 1
        found[family] = [Bench(f"{family}-{k}", family, d, Table(row)) for k, row in enumerate(rows) if sound(row)]
    return found
