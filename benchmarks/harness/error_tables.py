"""Tables of errors for the page, and a figure of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .summary import Summary, fraction


def section(found: Summary, measure: str) -> str:
    """What is to be said about the errors on one set of families."""
    families = found.families
    aside = tuple(family for family in found.aside if family in families)
    parts = [overview(found, measure, families, f"All {len(families)} families")]
    if aside:
        parts.append(overview(found, measure, list(aside), f"The {len(aside)} families that were held out, alone"))
    parts += [peers(found, measure), by_family(found, measure, aside), losses(found, measure, aside)]
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
        "the best single peer, and our error over its",
        "our error over that of the best peer of each family",
        "families on which ours is smallest",
        "largest ratio on a family",
    ]
    return f"{title}:\n\n" + table(head, rows)


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
    text = (
        "The next table has a row for each peer: the geometric mean over families of its error divided by ours. Above "
        "1 the error of `auto` is smaller. A number in brackets is the number of families on which the peer could be "
        "compared, if it was not all of them."
    )
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
    text = (
        "The next table has a row for each family: our error divided by that of the peer that is best on this family."
    )
    if measure == "mse":
        text += " The number in brackets is the share of our 95 % intervals that contain the true value."
    return f"{text}\n\n" + table(["family", *(f"{m}d" for m in found.multiples)], rows)


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
        return "No peer has a smaller error than ours on any family at any of these numbers of calls.\n"
    cells = sum(
        bool(np.isfinite(ours_over_best(found, measure, family, multiple)))
        for multiple in found.multiples
        for family in found.families
    )
    text = f"A peer has a smaller error than ours in {len(rows)} of {cells} combinations of family and calls:"
    return f"{text}\n\n" + table(["calls", "family", "who", "their error", "our error", "ours over theirs"], rows)


def draw(found: Summary, path: Path, measure: str, title: str) -> None:
    """Ours over the best peer, a dot for each family and number of calls."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    known = {(f, m): ours_over_best(found, measure, f, m) for f in found.families for m in found.multiples}
    known = {cell: ratio for cell, ratio in known.items() if np.isfinite(ratio)}
    families, aside = sorted({family for family, _ in known}), found.aside
    figure, ax = plt.subplots(figsize=(8, 1.2 + 0.28 * len(families)))
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(found.multiples)))
    for multiple, colour in zip(found.multiples, colours, strict=True):
        rows = [row for row, family in enumerate(families) if (family, multiple) in known]
        if rows:
            ratios = [known[families[row], multiple] for row in rows]
            ax.scatter(ratios, rows, color=colour, s=22, label=f"{multiple}d", zorder=3)
    ax.axvline(1, color="0.3", lw=1)
    ax.set(
        xscale="log",
        xlabel="our error over that of the best peer of the family\n(left of 1: ours is smaller)",
        title=title,
    )
    ax.set_yticks(range(len(families)), [name + (" *" if name in aside else "") for name in families], fontsize=8)
    ax.invert_yaxis()
    low, high = ax.get_xlim()
    shown = "125" if high / low < 300 else "1"  # more labels would cover each other
    for formatter in (ax.xaxis.set_major_formatter, ax.xaxis.set_minor_formatter):
        formatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in shown else "")
    ax.grid(alpha=0.25)
    ax.legend(fontsize=8, title="calls", loc="upper left", bbox_to_anchor=(1.01, 1))
    figure.tight_layout()
    figure.savefig(path, dpi=90)
    plt.close(figure)
