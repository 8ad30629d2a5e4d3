"""What is compared beside errors: costs, masking areas with paired intervals, and one slow peer on one game a family.

Each comparison is a list of rows, which is written to a CSV file; the page is made from those files.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .masking import AREAS, paired_interval
from .summary import by_game, rank_correlation

Record = dict[str, Any]
Row = dict[str, Any]
SPENT = ("calls", "rows", "own_seconds", "model_seconds", "peak_mb")
ALL_TASKS = "all tasks"
MANY = 5  # a family with so many inputs has masking areas of its own


def costs(records: Iterable[Record], name: str) -> list[Row]:
    """Medians over games of what an estimate takes, and the mean rank correlation between seeds."""
    groups = grouped((r for r in records if r.get("scores")), lambda r: (r["multiple"], r["contestant"]))
    rows = []
    for (multiple, contestant), group in sorted(groups.items()):
        scores = grouped(group, lambda r: r["game"])
        alike = [rank_correlation([r["scores"] for r in same]) for same in scores.values() if len(same) > 1]
        row = {"set": name, "calls_per_unit": multiple, "contestant": contestant, "games": len(scores)}
        row |= {what: float(np.median(by_game(group, what))) for what in SPENT}
        rows.append(row | {"stability": float(np.mean(alike)) if alike else ""})
    return rows


def masking(records: Iterable[Record], ours: str) -> list[Row]:
    """Masking areas of each contestant, and what ours has more, with 95 % intervals over the same inputs.

    They are given for all tasks together and for the families with several inputs. A game counts once, with the mean
    over its seeds.
    """
    known = [r for r in records if r.get(AREAS[0]) is not None]
    sizes = {family: len({r["game"] for r in group}) for family, group in grouped(known, lambda r: r["family"]).items()}
    groups = {ALL_TASKS: known}
    groups |= {name: [r for r in known if r["family"] == name] for name in sorted(sizes) if sizes[name] >= MANY}
    return [row for name, group in groups.items() for row in masking_of(group, name, ours)]


def masking_of(records: list[Record], name: str, ours: str) -> list[Row]:
    """The rows of one group of games."""
    rows = []
    for (multiple, contestant), group in sorted(
        grouped(records, lambda r: (r["multiple"], r["contestant"])).items(), key=lambda item: item[0]
    ):
        mine = [r for r in records if (r["multiple"], r["contestant"]) == (multiple, ours)]
        shared = sorted({r["game"] for r in group} & {r["game"] for r in mine})
        if not shared:
            continue
        row: Row = {"group": name, "calls_per_unit": multiple, "contestant": contestant, "games": len(shared)}
        for area in AREAS:
            theirs, our = (means_of(some, shared, area) for some in (group, mine))
            low, high = paired_interval(our - theirs)
            row |= {area: float(theirs.mean()), f"{area}_ours_more": float((our - theirs).mean())}
            row |= {f"{area}_low": low, f"{area}_high": high}
        rows.append(row)
    return rows


def means_of(records: list[Record], games: list[str], measure: str) -> Any:
    """A number a game, in the order of `games`: the mean over its seeds."""
    by_name = grouped(records, lambda r: r["game"])
    return np.array([np.mean([r[measure] for r in by_name[name]]) for name in games])


def head_to_head(records: Iterable[Record], ours: str, peer: str) -> list[Row]:
    """Ours and one peer on the games, calls and seeds that both have: errors and own times."""
    found = grouped((r for r in records if r.get("scores")), lambda r: (r["game"], r["multiple"], r["seed"]))
    rows = []
    for (name, multiple, seed), same in sorted(found.items()):
        both = {r["contestant"]: r for r in same}
        if ours in both and peer in both:
            a, b = both[ours], both[peer]
            row = {"game": name, "calls_per_unit": multiple, "seed": seed, "peer": peer}
            row |= {"our_mse": a["mse"], "their_mse": b["mse"]}
            rows.append(row | {"our_seconds": a["own_seconds"], "their_seconds": b["own_seconds"]})
    return rows


def grouped(records: Iterable[Record], key: Callable[[Record], Any]) -> dict[Any, list[Record]]:
    """Records by a key."""
    found: dict[Any, list[Record]] = defaultdict(list)
    for record in records:
        found[key(record)].append(record)
    return found


def write_rows(rows: list[Row], path: Path) -> None:
    """A CSV file with a line a row; none where there is nothing."""
    if not rows:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        out.writeheader()
        for row in rows:
            out.writerow({name: f"{x:.4g}" if isinstance(x, float) else x for name, x in row.items()})


def read_rows(path: Path) -> list[Row]:
    """What `write_rows` wrote, numbers as numbers; nothing where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [{name: number(x) for name, x in row.items()} for row in csv.DictReader(file)]


def number(text: str) -> Any:
    """A number where the text is one.

    >>> number("4"), number("0.5"), number("auto")
    (4, 0.5, 'auto')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
