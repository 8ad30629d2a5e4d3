"""Explains the samples of a study by every method, each distinct coalition once, and keeps all of it in files."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...advice.chooser import parse_budget
from ...asking.model_game import ModelGame
from ...core.coalitions import Coalitions
from ...core.explanation import Explanation
from ...core.io import load
from ...core.method import plans
from ...errors import MaskerError, MethodError
from ...estimators import Method
from ...explainer import Explainer, run_methods
from ...metrics.masking import PERCENTS, log_odds, masked_counts
from ...metrics.ranked import top_coalitions
from .study import COARSE, Lineup, Study

Explained = dict[str, Explanation]


class Runner:
    """The work on single samples of a study.

    A sample is done when its files are there, one a method in `folder`; each is written under another name first, so
    that an interruption leaves no half of one.
    """

    def __init__(self, study: Study, budget: int | str, seed: int, folder: Path) -> None:
        self.study, self.budget, self.folder = study, budget, folder
        self.lineup = Lineup(seed)
        self.fine = Explainer(study.model, study.masker, classes=study.classes, progress=False)
        self.coarse = copy(self.fine)  # shares the engine, which knows the best batch size
        if study.patches is not None:
            self.coarse.masker = study.patches
        folder.mkdir(parents=True, exist_ok=True)

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
            raise MethodError(f"no input of {self.study.name} can be cut into units")
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
        x = self.study.inputs[number]
        game = self._game(self.fine, x)
        calls = parse_budget(self.budget, game.d)
        apart = [] if self.study.patches is None else [name for name in names if name in COARSE]
        methods = {n: self.lineup.method(n, game.masked.graph, calls) for n in names if n not in apart}
        found, game = _run(methods, game)
        found = {name: self.fine._record(e, game, {}) for name, e in found.items()}
        if apart:
            patches = self._game(self.coarse, x)
            methods |= {n: self.lineup.method(n, patches.masked.graph, calls) for n in apart}
            scored, _ = _run({n: methods[n] for n in apart}, patches)
            found |= {n: _spread(self.coarse._record(e, patches, {}), game) for n, e in scored.items()}
        seconds = {
            n: self._seconds(self.coarse if n in apart else self.fine, methods[n], x) if timed else None for n in names
        }
        return self._with_curves(number, {name: found[name] for name in names}, game, seconds)

    def predicted(self, numbers: Sequence[int]) -> list[int]:
        """The class that the model predicts for each of some inputs."""
        masked = [self.study.masker.mask(self.study.inputs[n]) for n in numbers]
        games = ModelGame.make(self.fine.engine, masked, self.fine.value, self.study.classes)
        return [game.value.pairs[0][0] for game in games]

    def _game(self, explainer: Explainer, x: Any) -> ModelGame:
        (game,) = ModelGame.make(explainer.engine, [explainer.masker.mask(x)], explainer.value, self.study.classes)
        return game

    def _seconds(self, explainer: Explainer, method: Method, x: Any) -> float:
        """How long one explanation takes that shares nothing with others, not even the plan."""
        alone = copy(explainer)
        alone.method = method
        plans.clear()
        start = time.perf_counter()
        _whole(alone(x))
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


def _run(methods: Mapping[str, Method], game: ModelGame) -> tuple[Explained, ModelGame]:
    found, game = run_methods(list(methods.values()), game)
    return dict(zip(methods, found, strict=True)), game


def _whole(e: Explanation) -> Explanation:
    """The explanation, unless it is what a path had found by the time of Ctrl-C."""
    if e.provenance.get("interrupted"):
        raise KeyboardInterrupt
    return e


def _spread(e: Explanation, game: ModelGame) -> Explanation:
    """Scores of patches as scores of the pixels of a game: those of a patch share its score equally."""
    assert e.view is not None
    owner = e.view["labels"].ravel()
    shares = e.scores / np.bincount(owner, minlength=e.graph.d)
    pixels = game.masked
    return Explanation(
        shares[owner],
        e.base_value,
        e.full_value,
        pixels.graph,
        e.calls,
        {**e.provenance, "spread": True},
        view=pixels.view,
    )
