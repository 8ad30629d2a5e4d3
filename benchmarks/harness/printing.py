"""Tables on the terminal."""

from __future__ import annotations

import numpy as np

from .summary import Summary, fraction


def print_families(found: Summary, aside: list[str], measure: str = "mse") -> None:
    """A line a family: our error, that of the best peer there, their ratio; held-out families have a star."""
    for multiple in found.multiples:
        print(f"\n{measure} at {multiple}d   (ratio: ours over the best peer of the family; * held out)")
        print(f"  {'family':<46}{'ours':>11}{'best peer':>11}{'ratio':>7}  {'cover':>5}{'own s':>8}  who")
        for family in found.families:
            ours = found.value(family, multiple, found.ours, measure)
            best, who = found.best(family, multiple, measure)
            covered = found.value(family, multiple, found.ours, "covered")
            own = found.value(family, multiple, found.ours, "own_seconds")
            star = "*" if family in aside else " "
            numbers = f"{ours:>11.4g}{best:>11.4g}{ours / best:>7.2f}  {covered:>5.2f}{own:>8.3f}"
            print(f"{star} {family:<46}{numbers}  {who}")


def print_peers(found: Summary, measure: str = "mse", families: list[str] | None = None) -> None:
    """A line a peer: the geometric mean over families of theirs over ours; then the best single one, and wins."""
    families = families or found.families
    print(f"\ngeometric mean over {len(families)} families, theirs over ours (above 1: ours is better), {measure}")
    print(f"  {'':<32}" + "".join(f"{m}d".rjust(9) for m in found.multiples))
    table = {name: [found.ratio(m, name, families, measure) for m in found.multiples] for name in found.peers(measure)}
    for name, line in sorted(table.items(), key=lambda item: np.nan_to_num(item[1], nan=1e9).mean()):
        print(f"  {name:<32}" + "".join(f"{x:>9.2f}" if np.isfinite(x) else f"{'-':>9}" for x in line))
    titles = ("best single peer", "ours over it", "ours over best per family", "wins", "worst family (ours over best)")
    lines: dict[str, list[str]] = {title: [] for title in titles}
    for k, multiple in enumerate(found.multiples):
        known = {name: line[k] for name, line in table.items() if np.isfinite(line[k])}
        least = min(known.values(), default=np.nan)
        ratios = np.array(
            [
                fraction(found.value(f, multiple, found.ours, measure), found.best(f, multiple, measure)[0])
                for f in families
            ]
        )
        lines["best single peer"].append(min(known, key=lambda n: known[n], default="-").replace("shapiq ", "")[:8])
        lines["ours over it"].append(f"{1 / least:.2f}")
        lines["ours over best per family"].append(f"{np.exp(np.nanmean(np.log(ratios))):.2f}")
        lines["wins"].append(f"{(ratios < 1).sum()}/{len(families)}")
        lines["worst family (ours over best)"].append(f"{np.nanmax(ratios):.2f}")
    for name, line in lines.items():
        print(f"  {name:<32}" + "".join(f"{x:>9}" for x in line))


def print_all(found: Summary, measure: str = "mse") -> None:
    """Everything, and the held-out families by themselves where both kinds are there."""
    aside = [family for family in found.families if family in found.aside]
    print_families(found, aside, measure)
    if not found.peers(measure):
        print("\nno results of peers to compare with")
        return
    print_peers(found, measure)
    if 0 < len(aside) < len(found.families):
        print("\nheld-out families alone:", end="")
        print_peers(found, measure, aside)
