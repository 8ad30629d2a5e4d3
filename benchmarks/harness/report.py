"""docs/benchmarks.md, made from the CSV files next to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from . import sheets
from .summary import Summary, fraction

HEAD = """# Benchmarks

Made by `python -m benchmarks report` from the CSV files in [benchmarks/](benchmarks/); do not edit. How to make those:

    python -m benchmarks setup --python 3.12 --python 3.11    # environments for the peers, with pinned versions
    python -m benchmarks tables            # needs shapiq's precomputed games: --data FOLDER, or LCSHAP_DATA
    python -m benchmarks tables --pairs
    python -m benchmarks tasks
    python -m benchmarks report

Everybody runs in a process of his own on one core and asks the same game, which counts the calls: distinct coalitions,
∅ and V included. A peer's answer counts with the calls that it used, even where it used a few more than the budget.
Errors are mean squared errors to the Shapley values, averaged over the games and seeds of a family. Ratios below 1 say
that ours, `auto` with goal "fair", has less error; they are cut off at a thousandth and a thousand. Families with a
star were not used to tune anything: in alphabetical order every third one, from the third on. Their errors were read
twice before the last change (single units first, where calls are few), which the other families had asked for. Those
who answer another question (shap Partition, captum Lime and FeatureAblation, lime) are in the CSV files, but are
nobody's "best peer".
"""


def write_page(docs: Path) -> Path:
    """Write the page and its figures."""
    folder = docs / "benchmarks"
    versions: dict[str, Any] = json.loads((folder / "versions.json").read_text())
    parts = [HEAD, "Versions: " + ", ".join(f"{name} {number}" for name, number in sorted(versions.items())) + ".\n"]
    titles = {"tables": "Tables of games", "tasks": "Tasks", "pairs": "Pair interactions on the tables"}
    for name, title in titles.items():
        path = folder / f"{name}.csv"
        if path.exists():
            measure, ours = ("pair_mse", "pairs") if name == "pairs" else ("mse", "auto")
            found = sheets.read(path, ours)
            parts.append(section(title, found, measure))
            draw(found, folder / f"{name}.png", measure, title)
            parts.append(f"![{title}: ours over the best peer, by family](benchmarks/{name}.png)\n")
    page = docs / "benchmarks.md"
    page.write_text("\n".join(parts), encoding="utf-8")
    return page


def section(title: str, found: Summary, measure: str) -> str:
    """What is to be said about one set of families."""
    families, aside = found.families, found.aside
    parts = [f"## {title}\n", overview(found, measure, families, f"All {len(families)} families")]
    aside = tuple(family for family in aside if family in families)
    if aside:
        parts.append(overview(found, measure, list(aside), f"The {len(aside)} held-out families alone"))
    parts += [peers(found, measure), by_family(found, measure, aside), losses(found, measure, aside), costs(found)]
    return "\n".join(parts)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def ours_over_best(found: Summary, measure: str, family: str, multiple: int) -> float:
    """Our error over that of the best peer of a family; NaN where either is missing."""
    return float(fraction(found.value(family, multiple, found.ours, measure), found.best(family, multiple, measure)[0]))


def overview(found: Summary, measure: str, families: list[str], title: str) -> str:
    """A row for each number of calls."""
    rows = []
    for multiple in found.multiples:
        here = [f for f in families if np.isfinite(ours_over_best(found, measure, f, multiple))]
        if not here:
            continue
        singles = {name: found.ratio(multiple, name, here, measure) for name in found.peers(measure)}
        known = {name: x for name, x in singles.items() if np.isfinite(x)}
        best = min(known, key=lambda name: known[name], default="-")
        ratios = np.array([ours_over_best(found, measure, f, multiple) for f in here])
        worst = here[int(ratios.argmax())]
        rows.append(
            [
                f"{multiple}d",
                f"{best}: {1 / known[best]:.2f}" if known else "-",
                f"{np.exp(np.log(ratios).mean()):.2f}",
                f"{(ratios < 1).sum()} of {len(here)}",
                f"{ratios.max():.2f} ({worst})",
            ]
        )
    head = [
        "calls",
        "best single peer: ours over it",
        "ours over the best of each family",
        "ours leads",
        "worst family",
    ]
    return f"{title}; geometric means.\n\n" + table(head, rows)


def peers(found: Summary, measure: str) -> str:
    """A row for each peer: theirs over ours."""
    rows = []
    for name in found.peers(measure):
        line = []
        for multiple in found.multiples:
            here = [f for f in found.families if np.isfinite(found.value(f, multiple, name, measure))]
            here = [f for f in here if np.isfinite(found.value(f, multiple, found.ours, measure))]
            ratio = found.ratio(multiple, name, here, measure) if here else np.nan
            missing = len(found.families) - len(here)
            line.append(f"{ratio:.2f}" + (f" ({len(here)})" if missing else "") if here else "-")
        rows.append([name, *line])
    text = "Each peer: geometric mean of its error over ours; above 1 ours is better. (n): on n families, not on all."
    return text + "\n\n" + table(["", *(f"{m}d" for m in found.multiples)], rows)


def by_family(found: Summary, measure: str, aside: tuple[str, ...]) -> str:
    """A row for each family: ours over the best peer, and the coverage of our intervals."""
    rows = []
    for family in found.families:
        line = []
        for multiple in found.multiples:
            ratio, covered = (
                ours_over_best(found, measure, family, multiple),
                found.value(family, multiple, found.ours, "covered"),
            )
            text = f"{ratio:.2f}" if np.isfinite(ratio) else "-"
            line.append(text + (f" ({100 * covered:.0f} %)" if np.isfinite(covered) and measure == "mse" else ""))
        rows.append([family + (" *" if family in aside else ""), *line])
    what = "in brackets the share of our 95 % intervals that cover the truth" if measure == "mse" else "pairs i < j"
    return f"Ours over the best peer of each family; {what}.\n\n" + table(
        ["family", *(f"{m}d" for m in found.multiples)], rows
    )


def losses(found: Summary, measure: str, aside: tuple[str, ...]) -> str:
    """Every family and number of calls at which some peer has less error."""
    rows = []
    for multiple in found.multiples:
        for family in found.families:
            ratio = ours_over_best(found, measure, family, multiple)
            if ratio > 1:
                best, who = found.best(family, multiple, measure)
                ours = found.value(family, multiple, found.ours, measure)
                star = " *" if family in aside else ""
                rows.append([f"{multiple}d", family + star, who, f"{best:.3g}", f"{ours:.3g}", f"{ratio:.2f}"])
    if not rows:
        return "No peer has less error than ours on any family at any of these numbers of calls.\n"
    return f"Where a peer has less error ({len(rows)} cells):\n\n" + table(
        ["calls", "family", "who", "theirs", "ours", "ours over theirs"], rows
    )


def costs(found: Summary) -> str:
    """Own time, memory and stability, medians over families."""
    rows = []
    names = sorted({name for _, _, name in found.cells}, key=lambda name: (name != found.ours, name))
    for name in names:
        line = [name]
        for measure, scale in (("own_seconds", 1e3), ("peak_mb", 1.0), ("stability", 1.0)):
            for multiple in (4, 16):
                values = [found.value(f, multiple, name, measure) for f in found.families]
                values = [x for x in values if np.isfinite(x)]
                line.append(f"{scale * np.median(values):.3g}" if values else "-")
        rows.append(line)
    head = ["", *(f"{what} {m}d" for what in ("own ms", "MB over start", "rank stability") for m in (4, 16))]
    return (
        "Own time (beside the game), memory, and Spearman's correlation between seeds; medians over families.\n\n"
        + table(head, rows)
    )


def draw(found: Summary, path: Path, measure: str, title: str) -> None:
    """Ours over the best peer, a dot for each family and number of calls."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    families, aside = found.families, found.aside
    figure, ax = plt.subplots(figsize=(8, 1.2 + 0.28 * len(families)))
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(found.multiples)))
    for multiple, colour in zip(found.multiples, colours, strict=True):
        ratios = [ours_over_best(found, measure, family, multiple) for family in families]
        ax.scatter(ratios, range(len(families)), color=colour, s=22, label=f"{multiple}d", zorder=3)
    ax.axvline(1, color="0.3", lw=1)
    ax.set(xscale="log", xlabel="ours over the best peer of the family (left of 1: ours has less error)", title=title)
    ax.set_yticks(range(len(families)), [name + (" *" if name in aside else "") for name in families], fontsize=8)
    ax.invert_yaxis()
    ax.grid(alpha=0.25)
    ax.legend(fontsize=8, title="calls")
    figure.tight_layout()
    figure.savefig(path, dpi=90)
    plt.close(figure)
