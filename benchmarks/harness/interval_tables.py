"""How many of our intervals contain the true value: by number of calls, and by family."""

from __future__ import annotations

import numpy as np

from .error_tables import table
from .summary import ROUNDING, Summary

LOW, HIGH = 0.90, 0.99  # what is expected of 95 % intervals
ABOUT = """## Intervals

This section counts how many of the 95 % intervals of `auto` contain the true value, from the first number of calls on
at which it gives intervals (4d). Where the truth comes from a long run, the standard error of that run is taken into
account. 90 to 99 % are expected. Exact results are not counted: their intervals have no width, and are always right.
The shares of single families are in the tables above.
"""


def interval_part(found: Summary) -> str:
    """The section of the page."""
    rows = [
        [f"{multiple}d", *counted(list(here.values())), f"{100 * min(here.values()):.0f} % ({min(here, key=here.get)})"]
        for multiple, here in by_calls(found).items()
    ]
    head = ["calls", "combinations", "below 90 %", "90 to 99 %", "above 99 %", "mean", "smallest"]
    families = by_family(found)
    every = [share for here in by_calls(found).values() for share in here.values()]
    rows.append(["all", *counted(every), ""])
    shares = [f"{100 * share:.1f} % on {name}" for name, share in families.items() if not LOW <= share <= HIGH]
    _, below, within, above, _ = counted(list(families.values()))
    text = (
        f"On average over the numbers of calls, the share is within 90 to 99 % for {within} of {len(families)} "
        f"families, below for {below} and above for {above}" + (f": {', '.join(shares)}" if shares else "") + ".\n"
    )
    return "\n".join([ABOUT, "By family and number of calls:\n", table(head, rows), text])


def by_calls(found: Summary) -> dict[int, dict[str, float]]:
    """The share of each family, for each number of calls at which there are intervals, and results are not exact."""
    every: dict[int, dict[str, float]] = {}
    for multiple in found.multiples:
        for family in found.families:
            share, error = (found.value(family, multiple, found.ours, what) for what in ("covered", "mse"))
            if np.isfinite(share) and error > ROUNDING:
                every.setdefault(multiple, {})[family] = share
    return every


def by_family(found: Summary) -> dict[str, float]:
    """The mean over the numbers of calls."""
    cells = by_calls(found).values()
    shares = {f: [here[f] for here in cells if f in here] for f in found.families}
    return {family: float(np.mean(some)) for family, some in shares.items() if some}


def counted(shares: list[float]) -> list[str]:
    """How many there are, how many are below, within and above what is expected, and their mean.

    >>> counted([0.8, 0.95, 0.97, 1.0])
    ['4', '1', '2', '1', '93.0 %']
    """
    below, above = sum(x < LOW for x in shares), sum(x > HIGH for x in shares)
    numbers = (len(shares), below, len(shares) - below - above, above)
    return [*map(str, numbers), f"{100 * np.mean(shares):.1f} %"]
