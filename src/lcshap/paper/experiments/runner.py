"""Explain the samples of a study by every method, evaluate each distinct coalition once, and save all explanations."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...core.coalitions import Coalitions
from ...core.explanation import Explanation
from ...core.io import load
from ...core.method import PLAN_CACHE, Method
from ...core.store import MemoryStore
from ...core.views import ImageView
from ...errors import DataError, MaskerError
from ...evaluation.masking_curves import PERCENTS, masked_counts, smoothed_log_odds, top_coalitions
from ...evaluation.model_game import ModelGame
from ...explainer import Execution, Explainer
from ...maskers.base import Masked
from ...selection.budget import parse_budget
from .study import PATCH_METHODS, MethodFactory, Study

ExplanationsByMethod = dict[str, Explanation]


@dataclass(frozen=True, eq=False)
class Runner:
    """The work on single samples of a study.

    A sample is done when its files exist, one per method in `folder`. Each file is first written under another name, so
    that an interruption leaves no incomplete file.

    Attributes
    ----------
    budget : the calls of a method that takes a budget.
    seed : the seed of the methods that sample.
    folder : the folder of the files; it is created if it does not exist.
    """

    study: Study
    budget: int | str
    seed: int
    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    @cached_property
    def lineup(self) -> MethodFactory:
        """Makes the methods."""
        return MethodFactory(self.seed)

    @cached_property
    def fine(self) -> Explainer:
        """Explains the units of the study."""
        return Explainer(
            self.study.model, self.study.masker, classes=self.study.classes, execution=Execution(progress=False)
        )

    @cached_property
    def coarse(self) -> Explainer:
        """Explains patches, where the study has them."""
        return self.fine if self.study.patches is None else replace(self.fine, masker=self.study.patches)

    def choose(self, samples: int, seed: int) -> list[int]:
        """Draw numbers of inputs from a seed; more samples start alike. Inputs without units are left out."""
        numbers: list[int] = []
        for number in np.random.default_rng(seed).permutation(len(self.study.inputs)).tolist():
            if len(numbers) == samples:
                break
            try:
                self.study.masker.mask(self.study.inputs[number])
            except MaskerError:
                continue
            numbers.append(number)
        if not numbers:
            raise DataError(f"Expected inputs of {self.study.name} that can be cut into units, got none.")
        return numbers

    def path(self, number: int, name: str) -> Path:
        """The file of a sample and a method."""
        return self.folder / f"{number:06d}.{name}.json"

    def missing(self, number: int, names: Sequence[str]) -> list[str]:
        """The methods whose explanation of this sample does not exist yet."""
        return [name for name in names if not self.path(number, name).is_file()]

    def load(self, number: int, name: str) -> Explanation:
        """The explanation of a sample that is done."""
        explanation: Explanation = load(self.path(number, name))
        return explanation

    def work(self, number: int, names: Sequence[str], timed: bool = False, view: bool = False) -> None:
        """Explain a sample by the missing methods, and write the files.

        With `timed`, every method is run once more separately; with `view`, the files contain the view of the input.
        """
        missing = self.missing(number, names)
        if not missing:
            return
        for name, e in self.explain(number, missing, timed).items():
            unfinished = self.path(number, name).with_suffix(".part")
            (e if view else replace(e, view=None)).save(unfinished)
            os.replace(unfinished, self.path(number, name))

    def explain(self, number: int, names: Sequence[str], timed: bool = False) -> ExplanationsByMethod:
        """One sample by some methods, with masking curves. Every coalition is evaluated once."""
        x, store = self.study.inputs[number], MemoryStore()
        fine = self.study.masker.mask(x)
        calls = parse_budget(self.budget, fine.graph.d)
        coarse_names = [] if self.study.patches is None else [name for name in names if name in PATCH_METHODS]
        graphs = {n: self.coarse.masker.mask(x).graph if n in coarse_names else fine.graph for n in names}
        methods = {n: self.lineup.method(n, graphs[n], calls) for n in names}
        explanations: ExplanationsByMethod = {}
        for explainer, chosen in (
            (self.fine, [n for n in names if n not in coarse_names]),
            (self.coarse, coarse_names),
        ):
            explained = explainer.compare(x, [methods[n] for n in chosen], store=store) if chosen else []
            explanations |= dict(zip(chosen, explained, strict=True))
        explanations |= {n: _spread_to_pixels(explanations[n], fine) for n in coarse_names}
        seconds = {
            n: self._measure_seconds(self.coarse if n in coarse_names else self.fine, methods[n], x) if timed else None
            for n in names
        }
        game = self.fine.game(x, store=store)
        return self._add_curves(number, {name: explanations[name] for name in names}, game, seconds)

    def predicted(self, numbers: Sequence[int]) -> list[int]:
        """The class that the model predicts for each of some inputs."""
        games = self.fine.games([self.study.inputs[n] for n in numbers])
        return [game.value.pairs[0][0] for game in games]

    def _measure_seconds(self, explainer: Explainer, method: Method, x: Any) -> float:
        """Return the seconds of one explanation that shares nothing with others, not even the plan."""
        explain = replace(explainer, method=method)
        PLAN_CACHE.clear()
        start = time.perf_counter()
        explain(x)
        return time.perf_counter() - start

    def _add_curves(
        self, number: int, explanations: ExplanationsByMethod, game: ModelGame, seconds: Mapping[str, float | None]
    ) -> ExplanationsByMethod:
        percents = np.array(PERCENTS, np.float64)
        counts = masked_counts(percents, game.d)
        sets = [top_coalitions(e, counts, keep) for e in explanations.values() for keep in (False, True)]
        distinct, inverse = Coalitions.concat(sets).unique()
        values = game.evaluate(distinct)[inverse].reshape(len(explanations), 2, len(counts))
        quantity = f"log-odds of {' '.join(game.value.names)}"
        with_curves = {}
        for (name, e), (masked, kept) in zip(explanations.items(), smoothed_log_odds(np.exp(values)), strict=True):
            experiment = {
                "study": self.study.name,
                "sample": number,
                "label": str(self.study.classes[self.study.labels[number]]),
                "kept": kept.tolist(),
                "seconds": seconds[name],
            }
            curve = {"percents": percents, "counts": counts, "values": masked, "what": quantity}
            with_curves[name] = replace(e, curve=curve, provenance={**e.provenance, "experiment": experiment})
        return with_curves


def _spread_to_pixels(e: Explanation, pixels: Masked) -> Explanation:
    """Turn scores of patches into scores of pixels: the pixels of a patch share its score equally."""
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
