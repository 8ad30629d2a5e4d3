"""docs/benchmarks.md, made from the CSV files next to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import sheets
from .choosing import write_choosing
from .comparisons import ALL_TASKS, read_rows
from .error_tables import draw, overview, section
from .interval_tables import interval_part
from .other_tables import cost_table, leads, masking_table, one_peer_table, places
from .summary import Summary

HEAD = """# Benchmarks

This page compares lcshap with shap, shapiq, captum, lime and lightshap: the error of their estimates at an equal number
of model calls, their own time and memory, and how well their rankings find the units that a decision depends on.
[A short table](benchmarks/choosing.md) has the best method for each kind of input. The page is made by
`python -m benchmarks report` from the CSV files in [benchmarks/](benchmarks/). Do not edit it. The commands that make
the CSV files are:

    python -m benchmarks setup --python 3.12 --python 3.11    # environments for the peers, with pinned versions
    python -m benchmarks tables            # needs shapiq's precomputed games: --data FOLDER, or LCSHAP_DATA
    python -m benchmarks tables --pairs    # interactions of pairs
    python -m benchmarks tables --slow --only ShaplEIG --games 1 --budgets 4 --seeds 3
    python -m benchmarks tasks
    python -m benchmarks tasks --pairs
    python -m benchmarks report

## How it is measured

- **Games.** A game is a model, an input, and a rule that replaces absent units. Every contestant evaluates
  coalitions of the same game. *Tables of games* are shapiq's precomputed games: the values of all
  coalitions of 10 to 15 units are known. *Tasks* are models on real inputs: texts, images, a series, bytes, molecules
  and tables of 12 to 784 units. Games of one kind form a family.
- **Calls.** The budget is a number of calls per unit: 4d means four times the number of units d. A call is a distinct
  coalition; the empty and the full one count. If a peer used a few more calls than its budget, its answer counts.
- **Contestants.** "Ours" is `auto` with the goal "fair". A peer is another library's estimator of the Shapley value.
  shap's Partition, captum's Lime and FeatureAblation, and lime compute something else; so do our own paths. They are in
  the CSV files and in the masking areas, but they are not compared by their error.
- **Truth.** Shapley values are exact for up to 16 units and for trees and linear models. Elsewhere they come from long
  runs of permutations, and the squared standard error of those runs is subtracted from the squared errors.
- **Error.** The error is the mean squared difference to the true Shapley values, averaged over the games and seeds of a
  family. A ratio below 1 means that our error is smaller. Ratios are limited to the range from 0.001 to 1000, and means
  of ratios are geometric means.
- **Seeds.** The column `seeds` of the CSV files has the number of seeds of a contestant. Peers that come near the
  smallest error on the tables of games ran with two or three seeds, the others with one or two.
- **Held out.** Families with a star were not used to tune our estimator. They are named in
  `benchmarks/harness/families.py`. Their errors were read several times while the estimator and this harness were
  developed, so they are not as independent as new data.
- **Time and memory.** Each estimate runs in a separate process, on one core, with a limit of processor time. *Own*
  milliseconds are processor time without the model. *Model* milliseconds are the time of the bare model for the same
  rows; for tables of games that is a look-up. Memory is the largest resident size of the process less that at its
  start, after all packages were imported. How the own time of the
  default method grows from 2 to 20,000 units is measured by `python benchmarks/cliffs.py`, which lists sizes at which
  it jumps.
- **Dashes.** A dash means that a contestant returned no scores: the budget is too small for it, the answer is not
  finite (shap's Sampling explainer at few calls), the number of units is too large, or it was not run.
- **Rank stability** is Spearman's correlation between the scores from different seeds.
"""
KEPT = """
Errors of peers without a time in the CSV file were measured in an earlier run, with the same versions of the packages
and on the same games.
"""
TITLES = {
    "tables": ("Tables of games", "mse", "auto"),
    "tasks": ("Tasks", "mse", "auto"),
    "pairs": ("Pair interactions on the tables of games", "pair_mse", "pairs"),
    "task_pairs": ("Pair interactions on the tasks", "pair_mse", "pairs"),
}
ABOUT = {
    "pairs": "The error is the mean squared difference to the exact Shapley interaction indices of all pairs. Ours are "
    "`GraphKernelSHAP(interactions=True)`, from the same calls as its scores.\n",
    "task_pairs": "Interactions of pairs with more units (12 to 64). They are exact for trees and for up to 16 units, "
    "and elsewhere they come from long runs of second differences.\n",
}
COSTS = """## Own time, memory and rank stability

Medians over games. Rank stability is a mean; it is missing where a contestant ran from one seed only.
"""
MASKING = """## Necessary and sufficient: masking areas

The scores put the units in an order. The *removing* area says how far the model's value falls while the units are
removed in this order, the *keeping* area how far it rises while only the first units are kept, on average over the
first 20 % or over all of the units. Both are fractions of the sum of the absolute Shapley values; more is better. In
brackets stands what `auto` has more, with a 95 % interval from a paired bootstrap over the inputs. The best number of a
column is bold.
"""
PLACES = """A method that is first in one area can be last in another. The next tables show the place of each of our
goals among all contestants that answered all inputs, at 4d.
"""
SLOW = """## ShaplEIG

shapiq's ShaplEIG fits a Gaussian process and chooses every coalition by what it has seen. It takes many seconds a
game, so it is compared on one game of each family. The time ratio is our own time divided by its own time.
"""


def write_page(docs: Path) -> Path:
    """Write the page, its figures and the data for choosing a method."""
    folder = docs / "benchmarks"
    versions: dict[str, Any] = json.loads((folder / "versions.json").read_text())
    told = ", ".join(f"{name} {number}" for name, number in sorted(versions.items()))
    both = together(folder)
    parts = [HEAD, f"Versions: {told}.\n{KEPT}", *(in_short(both) if both else [])]
    for name, (title, measure, ours) in TITLES.items():
        path = folder / f"{name}.csv"
        if path.exists():
            found = sheets.read(path, ours)
            parts += [f"## {title}\n", *filter(None, [ABOUT.get(name)]), section(found, measure)]
            draw(found, folder / f"{name}.png", measure, title)
            parts.append(f"![{title}: our error over that of the best peer, by family](benchmarks/{name}.png)\n")
    parts += [interval_part(both)] if both else []
    parts += [*masking_part(folder), *cost_part(folder), *slow_part(folder)]
    page = docs / "benchmarks.md"
    page.write_text("\n".join(parts), encoding="utf-8")
    write_choosing(folder)
    return page


def together(folder: Path) -> Summary | None:
    """Tables of games and tasks as one, where there are both."""
    paths = [folder / f"{name}.csv" for name in ("tables", "tasks")]
    if not all(path.exists() for path in paths):
        return None
    tables, tasks = (sheets.read(path, "auto") for path in paths)
    return Summary("auto", {**tables.cells, **tasks.cells}, tables.aside + tasks.aside)


def in_short(both: Summary) -> list[str]:
    """Tables of games and tasks in one table."""
    aside = [name for name in both.families if name in both.aside]
    return [
        "## In short\n",
        overview(both, "mse", both.families, f"All {len(both.families)} families, tables of games and tasks together"),
        overview(both, "mse", aside, f"The {len(aside)} families that were held out, alone"),
    ]


def masking_part(folder: Path) -> list[str]:
    """All tasks together, and the families with several inputs, at 4d."""
    rows = read_rows(folder / "masking.csv")
    if not rows:
        return []
    parts = [MASKING, PLACES]
    groups = [ALL_TASKS, *sorted({row["group"] for row in rows} - {ALL_TASKS})]
    for group in groups:
        parts += [f"**{group.capitalize()}.** {leads(rows, group, 4)}", places(rows, group, 4)]
    for group in groups:
        parts += [f"### {group}, 4d\n".capitalize(), masking_table(rows, group, 4)]
    return parts


def cost_part(folder: Path) -> list[str]:
    """Costs of the tables and of the tasks."""
    rows = read_rows(folder / "costs.csv")
    parts = [COSTS] if rows else []
    for name, (title, _, ours) in TITLES.items():
        for multiple in (4, 16):
            text = cost_table(rows, name, multiple, ours)
            parts += [f"### {title}, {multiple}d\n", text] if text else []
    return parts


def slow_part(folder: Path) -> list[str]:
    """ShaplEIG."""
    rows = read_rows(folder / "shapleig.csv")
    return [SLOW, one_peer_table(rows)] if rows else []
