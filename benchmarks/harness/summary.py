"""From single results to what is compared: errors by family, ratios, wins, coverage, time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .contestants.base import everybody
from .masking import AREAS

MEAN = ("mse", "mae", "pair_mse", "pair_mae", "covered", "calls", "rows", "noise", "pair_noise", *AREAS)
MEDIAN = ("own_seconds", "model_seconds", "peak_mb")
ROUNDING = 1e-20  # squared errors below are those of the last digits
Cell = tuple[str, int, str]  # family, calls per unit, contestant


@dataclass(frozen=True, eq=False)
class Summary:
    """Means over the games and seeds of a family, for each number of calls per unit and contestant.

    A contestant has a cell only where it answered every game of the family that ours answered, from any seed.
    """

    ours: str
    cells: dict[Cell, dict[str, float]]
    aside: tuple[str, ...] = ()  # families that were held out

    @property
    def families(self) -> list[str]:
        """All families."""
        return sorted({family for family, _, _ in self.cells})

    @property
    def multiples(self) -> list[int]:
        """All numbers of calls per unit."""
        return sorted({multiple for _, multiple, _ in self.cells})

    def peers(self, measure: str = "mse") -> list[str]:
        """Those that are compared: other people's estimators of the same thing."""
        known = everybody()
        return sorted({name for _, _, name in self.cells if _compared(known.get(name), measure)})

    def value(self, family: str, multiple: int, name: str, measure: str = "mse") -> float:
        """A mean, or NaN."""
        return self.cells.get((family, multiple, name), {}).get(measure, np.nan)

    def best(self, family: str, multiple: int, measure: str = "mse") -> tuple[float, str]:
        """The least of the peers' means on a family, and whose it is."""
        found = [(self.value(family, multiple, name, measure), name) for name in self.peers(measure)]
        return min(((x, name) for x, name in found if np.isfinite(x)), default=(np.nan, "-"))

    def ratio(self, multiple: int, name: str, families: Iterable[str], measure: str = "mse") -> float:
        """The geometric mean over families of theirs over ours; NaN where it did not answer all of them."""
        pairs = [
            (self.value(f, multiple, name, measure), self.value(f, multiple, self.ours, measure)) for f in families
        ]
        theirs, ours = np.array(pairs).T
        if not np.isfinite(theirs).all() or not len(pairs):
            return np.nan
        return float(np.exp(np.mean(np.log(fraction(theirs, ours)))))


def fraction(a: Any, b: Any) -> Any:
    """a / b, from a thousandth to a thousand: what is exact on one family must not decide over all."""
    a, b = np.maximum(a, ROUNDING), np.maximum(b, ROUNDING)
    return np.clip(a / b, 1e-3, 1e3)


def _compared(contestant: Any, measure: str) -> bool:
    if contestant is None or contestant.package == "lcshap" or contestant.other:
        return False
    return contestant.pairs if measure.startswith("pair") else True


def summarise(records: Iterable[dict[str, Any]], ours: str, aside: Iterable[str] = ()) -> Summary:
    """Average the records.

    Where the truth is a long run, its own squared standard error is taken off the squared error, which holds it too;
    a tenth of it is left at least.
    """
    groups: dict[Cell, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        groups[record["family"], record["multiple"], record["contestant"]].append(record)
    cells = {}
    for cell, group in groups.items():
        mine = groups.get((*cell[:2], ours), [])
        if group and answered(mine, "mse") <= answered(group, "mse") != set():
            cells[cell] = averaged([r for r in group if r.get("mse") is not None])
            if not answered(mine, "pair_mse") <= answered(group, "pair_mse"):
                cells[cell] = {name: x for name, x in cells[cell].items() if not name.startswith("pair")}
    return Summary(ours, cells, tuple(aside))


def answered(records: list[dict[str, Any]], measure: str) -> set[str]:
    """The games for which there is a number."""
    return {r["game"] for r in records if r.get(measure) is not None}


def averaged(records: list[dict[str, Any]]) -> dict[str, float]:
    """All measures of one cell; pair interactions are known for some games only."""
    found = {}
    for measure in MEAN + MEDIAN:
        known = [r for r in records if r.get(measure) is not None]
        if known:
            found[measure] = float((np.median if measure in MEDIAN else np.mean)(by_game(known, measure)))
    for measure, name in (("mse", "noise"), ("pair_mse", "pair_noise")):
        noise = found.pop(name, 0.0)
        if measure in found:
            found[measure] = max(found[measure] - noise, noise / 10)
    games: dict[str, list[Any]] = defaultdict(list)
    for record in records:
        games[record["game"]].append(record["scores"])
    alike = [rank_correlation(scores) for scores in games.values() if len(scores) > 1]
    if alike:
        found["stability"] = float(np.mean(alike))
    found["seeds"] = float(max(map(len, games.values())))
    return found


def by_game(records: list[dict[str, Any]], measure: str) -> list[float]:
    """Means over seeds, a number a game."""
    games: dict[str, list[float]] = defaultdict(list)
    for record in records:
        games[record["game"]].append(record[measure])
    return [float(np.mean(values)) for values in games.values()]


def rank_correlation(scores: list[Any]) -> float:
    """Spearman's correlation of the scores of one game, on average over all pairs of seeds.

    >>> rank_correlation([[1.0, 2.0, 3.0], [10.0, 20.0, 90.0]])
    1.0
    """
    from scipy.stats import rankdata

    ranks = rankdata(np.array(scores), axis=1)
    ranks = ranks - ranks.mean(axis=1, keepdims=True)
    size = np.sqrt((ranks**2).sum(axis=1))
    if not size.all():
        return 0.0
    alike = (ranks @ ranks.T) / np.outer(size, size)
    return float(np.round(alike[np.triu_indices(len(ranks), 1)].mean(), 12))
