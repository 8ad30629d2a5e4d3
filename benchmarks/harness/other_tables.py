"""Tables of costs, of masking areas, and of one slow peer, for the page; made from the rows of CSV files."""

from __future__ import annotations

from typing import Any

import numpy as np

from .comparisons import Row, grouped
from .error_tables import table
from .masking import AREAS

SHOWN = {
    "removing_20": "removing, 0-20 %",
    "removing_100": "removing, 0-100 %",
    "keeping_20": "keeping, 0-20 %",
    "keeping_100": "keeping, 0-100 %",
}


def cost_table(rows: list[Row], name: str, multiple: int, ours: str) -> str:
    """A row for each contestant of a set of games, at one number of calls per unit; ours stands first."""
    here = [row for row in rows if (row["set"], row["calls_per_unit"]) == (name, multiple)]
    here.sort(key=lambda row: (row["contestant"] != ours, row["contestant"]))
    lines = [
        [
            *(row["contestant"], f"{row['calls']:.0f}", f"{row['rows']:.0f}", f"{1e3 * row['own_seconds']:.3g}"),
            *(
                f"{1e3 * row['model_seconds']:.3g}",
                f"{row['peak_mb']:.1f}",
                written(row["stability"]),
                str(row["games"]),
            ),
        ]
        for row in here
    ]
    head = ["", "calls", "rows", "own ms", "model ms", "MB", "rank stability", "games"]
    return table(head, lines) if lines else ""


def written(x: Any) -> str:
    """A number with two digits, or a dash where there is none."""
    return f"{x:.2f}" if isinstance(x, (int, float)) else "-"


def masking_table(rows: list[Row], group: str, multiple: int) -> str:
    """A row for each contestant: its four areas, and in brackets what `auto` has more, with a 95 % interval."""
    here = [row for row in rows if (row["group"], row["calls_per_unit"]) == (group, multiple)]
    here.sort(key=lambda row: -row["removing_20"])
    best = {area: max((row[area] for row in here), default=np.nan) for area in AREAS}
    lines = []
    for row in here:
        line = [row["contestant"], str(row["games"])]
        for area in AREAS:
            text = f"**{row[area]:.3f}**" if row[area] == best[area] else f"{row[area]:.3f}"
            if row["contestant"] != "auto":
                more = (f"{row[f'{area}_{which}']:+.3f}" for which in ("ours_more", "low", "high"))
                text += " ({} [{}, {}])".format(*more)
            line.append(text)
        lines.append(line)
    return table(["", "inputs", *SHOWN.values()], lines) if lines else ""


def ranks(rows: list[Row], group: str, multiple: int, contestant: str) -> dict[str, tuple[int, int]]:
    """The place of a contestant in each area, and how many there are; only those that answered as many inputs."""
    here = [row for row in rows if (row["group"], row["calls_per_unit"]) == (group, multiple)]
    most = max((row["games"] for row in here), default=0)
    here = [row for row in here if row["games"] == most]
    found = {}
    for area in AREAS:
        order = [row["contestant"] for row in sorted(here, key=lambda row: -row[area])]
        if contestant in order:
            found[area] = order.index(contestant) + 1, len(order)
    return found


def leads(rows: list[Row], group: str, multiple: int) -> str:
    """Who has the largest area over the first 20 % of the units, and by how much the next one is behind."""
    here = [row for row in rows if (row["group"], row["calls_per_unit"]) == (group, multiple)]
    most = max((row["games"] for row in here), default=0)
    here = [row for row in here if row["games"] == most]
    said = []
    for area in ("removing_20", "keeping_20"):
        first, second, *_ = sorted(here, key=lambda row: -row[area])
        lead = 100 * (first[area] / second[area] - 1)
        said.append(
            f"{first['contestant']} has the largest area for {SHOWN[area]}: {first[area]:.3f}. The next is "
            f"{second['contestant']} with {second[area]:.3f}; the lead is {lead:.0f} %."
        )
    return " ".join(said) + "\n"


def places(rows: list[Row], group: str, multiple: int) -> str:
    """Where the three goals of `choose` come in each area: who wins one measure may be last in another."""
    names = {"auto": '"fair" (auto)', "DeletionPath": '"necessary"', "InsertionPath": '"sufficient"'}
    lines = []
    for contestant, goal in names.items():
        found = ranks(rows, group, multiple, contestant)
        if found:
            lines.append([goal, contestant, *("{} of {}".format(*found[area]) for area in AREAS)])
    return table(["goal", "method", *SHOWN.values()], lines) if lines else ""


def one_peer_table(rows: list[Row]) -> str:
    """Ours beside a slow peer on the same games: ratios of errors and of own times, by calls; means over seeds."""
    lines = []
    for multiple in sorted({row["calls_per_unit"] for row in rows}):
        games = grouped((row for row in rows if row["calls_per_unit"] == multiple), lambda row: row["game"])
        numbers = ("our_mse", "their_mse", "our_seconds", "their_seconds")
        here = [{name: float(np.mean([row[name] for row in same])) for name in numbers} for same in games.values()]
        errors = np.array([max(row["our_mse"], 1e-20) / max(row["their_mse"], 1e-20) for row in here])
        times = np.array([row["our_seconds"] / row["their_seconds"] for row in here])
        lines.append(
            [
                *(f"{multiple}d", str(len(here)), f"{np.exp(np.log(np.clip(errors, 1e-3, 1e3)).mean()):.2f}"),
                *(f"{(errors < 1).sum()} of {len(here)}", f"{np.median([r['our_seconds'] for r in here]):.3f}"),
                *(f"{np.median([r['their_seconds'] for r in here]):.1f}", f"1/{1 / np.median(times):.0f}"),
                f"1/{1 / times.max():.0f}",
            ]
        )
    head = ["calls", "games", "our error over theirs", "ours smaller on", "our seconds", "their seconds"]
    return table([*head, "time ratio, median", "time ratio, largest"], lines) if lines else ""
