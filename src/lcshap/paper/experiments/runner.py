"""Explains the samples of a study by every method, each distinct coalition once, and keeps all of it in files."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...advice.budget import parse_budget
from ...asking.masking import PERCENTS, log_odds, masked_counts, top_coalitions
from ...asking.model_game import ModelGame
from ...core.coalitions import Coalitions
from ...core.explanation import Explanation
from ...core.io import load
from ...core.method import Method, plans
from ...core.store import MemoryStore
from ...core.views import ImageView
from ...errors import DataError, MaskerError
from ...explainer import Explainer
from ...maskers.base import Masked
from .study import COARSE, Lineup, Study

Explained = dict[str, Explanation]


@dataclass(frozen=True, eq=False)
class Runner:
    """The work on single samples of a study.

    A sample is done when its files are there, one a method in `folder`; each is written under another name first, so
    that an interruption leaves no half of one.

    Attributes
    ----------
    budget : calls a method, where it takes a budget.
    seed : of the methods that sample.
    folder : where the files are; it is made if need be.
    """

    study: Study
    budget: int | str
    seed: int
    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    @cached_property
    def lineup(self) -> Lineup:
        """Makes the methods."""
        return Lineup(self.seed)

    @cached_property
    def fine(self) -> Explainer:
        """Explains the units of the study."""
        return Explainer(self.study.model, self.study.masker, classes=self.study.classes, progress=False)

    @cached_property
    def coarse(self) -> Explainer:
        """Explains patches, where the study has them."""
        return self.fine if self.study.patches is None else replace(self.fine, masker=self.study.patches)

    def choose(self, samples: int, seed: int) -> list[int]:
        """Numbers of inputs, drawn from a seed: more samples begin with the same. What has no units is passed over."""
        found: list[int] = []
        for number in np.random.default_rng(seed).permutation(len(self.study.inputs)).tolist():
            if len(found) == samples:
                break
            try:
                self.study.masker.mask(self.study.inputs[number])
            except MaskerError:
                continue
            found.append(number)
        if not found:
            raise DataError(f"Expected inputs of {self.study.name} that can be cut into units, got none.")
        return found

    def path(self, number: int, name: str) -> Path:
        """The file of a sample and a method."""
        return self.folder / f"{number:06d}.{name}.json"

    def missing(self, number: int, names: Sequence[str]) -> list[str]:
        """The methods whose explanation of this sample is not there yet."""
        return [name for name in names if not self.path(number, name).is_file()]

    def load(self, number: int, name: str) -> Explanation:
        """The explanation of a sample that is done."""
        return load(self.path(number, name))

    def work(self, number: int, names: Sequence[str], timed: bool = False, view: bool = False) -> None:
        """Explain a sample by those methods that have not done it yet, and write the files.

        With `timed`, every method is run once more on its own; with `view`, the files hold what a picture needs.
        """
        wanted = self.missing(number, names)
        if not wanted:
            return
        for name, e in self.explain(number, wanted, timed).items():
            part = self.path(number, name).with_suffix(".part")
            (e if view else replace(e, view=None)).save(part)
            os.replace(part, self.path(number, name))

    def explain(self, number: int, names: Sequence[str], timed: bool = False) -> Explained:
        """One sample by some methods, with masking curves. Every coalition is evaluated once."""
        x, store = self.study.inputs[number], MemoryStore()
        fine = self.study.masker.mask(x)
        calls = parse_budget(self.budget, fine.graph.d)
        apart = [] if self.study.patches is None else [name for name in names if name in COARSE]
        graphs = {n: self.coarse.masker.mask(x).graph if n in apart else fine.graph for n in names}
        methods = {n: self.lineup.method(n, graphs[n], calls) for n in names}
        found: Explained = {}
        for explainer, chosen in ((self.fine, [n for n in names if n not in apart]), (self.coarse, apart)):
            explained = explainer.compare(x, [methods[n] for n in chosen], store=store) if chosen else []
            found |= dict(zip(chosen, explained, strict=True))
        found |= {n: _spread(found[n], fine) for n in apart}
        seconds = {
            n: self._seconds(self.coarse if n in apart else self.fine, methods[n], x) if timed else None for n in names
        }
        game = self.fine.game(x, store=store)
        return self._with_curves(number, {name: found[name] for name in names}, game, seconds)

    def predicted(self, numbers: Sequence[int]) -> list[int]:
        """The class that the model predicts for each of some inputs."""
        games = self.fine.games([self.study.inputs[n] for n in numbers])
        return [game.value.pairs[0][0] for game in games]

    def _seconds(self, explainer: Explainer, method: Method, x: Any) -> float:
        """How long one explanation takes that shares nothing with others, not even the plan."""
        alone = replace(explainer, method=method)
        plans.clear()
        start = time.perf_counter()
        alone(x)
        return time.perf_counter() - start

    def _with_curves(
        self, number: int, found: Explained, game: ModelGame, seconds: Mapping[str, float | None]
    ) -> Explained:
        percents = np.array(PERCENTS, np.float64)
        counts = masked_counts(percents, game.d)
        sets = [top_coalitions(e, counts, keep) for e in found.values() for keep in (False, True)]
        distinct, where = Coalitions.concat(sets).unique()
        values = game.evaluate(distinct)[where].reshape(len(found), 2, len(counts))
        what = f"log-odds of {' '.join(game.value.names)}"
        made = {}
        for (name, e), (masked, kept) in zip(found.items(), log_odds(np.exp(values)), strict=True):
            own = {
                "study": self.study.name,
                "sample": number,
                "label": str(self.study.classes[self.study.labels[number]]),
                "kept": kept.tolist(),
                "seconds": seconds[name],
            }
            curve = {"percents": percents, "counts": counts, "values": masked, "what": what}
            made[name] = replace(e, curve=curve, provenance={**e.provenance, "experiment": own})
        return made


def _spread(e: Explanation, pixels: Masked) -> Explanation:
    """Scores of patches as scores of the pixels: those of a patch share its score equally."""
    assert isinstance(e.view, ImageView)
    owner = e.view.labels.ravel()
    shares = e.scores / np.bincount(owner, minlength=e.graph.d)
    return Explanation(
        shares[owner],
        e.base_value,
        e.full_value,
        pixels.graph,
        e.calls,
        {**e.provenance, "spread": True},
        view=pixels.view,
        rows=e.rows,
    )
