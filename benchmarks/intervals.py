"""How often the 95 % intervals of GraphKernelSHAP contain the true value, and its error beside that of KernelSHAP.

The kinds of games are in `interval_games.py`, which also says which of them were looked at while the estimator was
tuned. Each line of the table is a kind. For each number of calls per unit, it has

- the share of the intervals that contain the exact Shapley value,
- the median half width of an interval, divided by the mean size of a Shapley value,
- the root mean squared error, divided by that of KernelSHAP with the same number of calls,
- the share of explanations with a warning (``e.provenance["doubt"]``).

The numbers are also written to a CSV file, a line for each kind and number of calls. A run that is started again with
the same file goes on where it stopped.

    python benchmarks/intervals.py [--out intervals.csv] [--kinds airport vote] [--calls 4 8 16 64 128 256] [--games 40]
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

import lcshap as lc

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the harness, where this is run as a script
from benchmarks import interval_games
from benchmarks.interval_games import Known

ROUNDING = 1e-9  # what an exact result may be off, relative to the largest value
LOW, HIGH = 0.88, 0.995  # what is expected of the share of 95 % intervals


@dataclass(frozen=True)
class Cell:
    """The results of one kind of game with one number of calls."""

    kind: str
    purpose: str
    units: int
    calls: int
    games: int
    covered: float
    width: float
    error: float
    kernel_error: float
    doubtful: float


def purpose_of(kind: str) -> str:
    """Whether a kind was looked at while the estimator was tuned."""
    return "tuned" if kind in interval_games.TUNED else "reported"


def measure(kind: str, games: list[Known], calls: int) -> Cell:
    """All games of a kind with so many calls per unit, each with its own seed."""
    errors, kernel_errors, widths, covered, doubtful = [], [], [], [], []
    for seed, known in enumerate(games):
        d, graph, game = known.d, lc.Graph.complete(known.d), lc.Game(known.value, known.d)
        e = lc.GraphKernelSHAP(calls * d, seed=seed).explain(game, graph)
        lower, upper = e.interval()
        slack = ROUNDING * float(np.abs(known.scores).max())
        covered.append((lower - slack <= known.scores) & (known.scores <= upper + slack))
        widths.append((upper - lower) / 2 / np.abs(known.scores).mean())
        errors.append(e.scores - known.scores)
        kernel_errors.append(lc.KernelSHAP(calls * d, seed=seed).explain(game, graph).scores - known.scores)
        doubtful.append("doubt" in e.provenance)
    return Cell(
        kind,
        purpose_of(kind),
        games[0].d,
        calls,
        len(games),
        float(np.mean(covered)),
        float(np.median(widths)),
        float(np.sqrt(np.mean(np.square(errors)))),
        float(np.sqrt(np.mean(np.square(kernel_errors)))),
        float(np.mean(doubtful)),
    )


def read(path: Path) -> dict[tuple[str, int, int], Cell]:
    """The cells of a file, by kind, number of calls and number of games; none if there is no file."""
    if not path.exists():
        return {}
    types = {"kind": str, "purpose": str, "units": int, "calls": int, "games": int}
    with path.open(newline="", encoding="utf-8") as file:
        cells = [Cell(**{key: types.get(key, float)(x) for key, x in row.items()}) for row in csv.DictReader(file)]
    return {(cell.kind, cell.calls, cell.games): cell for cell in cells}


def append(path: Path, cell: Cell) -> None:
    """Add a line to the file."""
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Cell)], lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow({key: f"{x:.4g}" if isinstance(x, float) else x for key, x in asdict(cell).items()})


def line(cells: list[Cell]) -> str:
    """The line of a kind."""
    parts = [f"{cells[0].kind:32}{cells[0].purpose:9}"]
    for cell in cells:
        ratio = cell.error / cell.kernel_error if cell.kernel_error else 1.0
        numbers = f"{100 * cell.covered:5.1f} % {cell.width:5.2f} {ratio:5.2f} {100 * cell.doubtful:3.0f} %"
        parts.append(f"{numbers:>26}")
    return "".join(parts)


def summary(cells: list[Cell]) -> list[str]:
    """How many kinds are within the expectations, for each number of calls."""
    lines = []
    for calls in sorted({cell.calls for cell in cells}):
        here = [cell for cell in cells if cell.calls == calls]
        known = [cell for cell in here if cell.error > ROUNDING]  # the intervals of exact results are always right
        shares = np.array([cell.covered for cell in known])
        half = {cell.kind: cell.error for cell in cells if 2 * cell.calls == calls}
        rising = sum(cell.error > half.get(cell.kind, np.inf) for cell in known)
        above = sum(cell.error > 1.1 * cell.kernel_error for cell in known)
        lines.append(
            f"{calls}d: {len(known)} kinds, {np.sum(shares < LOW)} with less than {100 * LOW:.0f} % of the intervals, "
            f"{np.sum(shares > HIGH)} with more than {100 * HIGH:.1f} %; error above 1.1 times that of KernelSHAP: "
            f"{above}; error above that with half the calls: {rising if half else '-'}"
        )
    return lines


def main() -> None:
    """Measure what the file does not have, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("intervals.csv"), help="the CSV file")
    parser.add_argument("--kinds", nargs="+", help="names of kinds of games; else all")
    parser.add_argument("--calls", nargs="+", type=int, default=[4, 8, 16, 64, 128, 256], help="per unit")
    parser.add_argument("--games", type=int, default=40, help="of each kind")
    options = parser.parse_args()
    kinds = options.kinds or list(interval_games.KINDS)
    unknown = sorted(set(kinds) - set(interval_games.KINDS))
    if unknown:
        parser.error(f"expected kinds among {', '.join(interval_games.KINDS)}; got {', '.join(unknown)}")
    known, every = read(options.out), list[Cell]()
    print(f"{'':41}" + "".join(f"{f'{m}d':>26}" for m in options.calls))
    for kind in kinds:
        cells, games = [], list[Known]()
        for calls in options.calls:
            cell = known.get((kind, calls, options.games))
            if cell is None:
                games = games or list(interval_games.games(kind, options.games))
                if calls * games[0].d >= 2 ** games[0].d:  # all coalitions
                    continue
                cell = measure(kind, games, calls)
                append(options.out, cell)
            cells.append(cell)
        every += cells
        print(line(cells), flush=True)
    print("\n".join(summary(every)))


if __name__ == "__main__":
    main()
