"""What a playground does with its model: predict, ask "what if", explain. Everything goes through one memory."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.remote import RemoteModel
from ..asking import chances
from ..asking.model_game import ModelGame
from ..asking.wanted import Wanted, answer
from ..core.coalitions import Coalitions
from ..core.explanation import Explanation, PathExplanation
from ..core.game import Tally
from ..core.store import Store
from ..errors import LcshapError, MaskerError, OptionError, Unfinished
from ..estimators.registry import METHODS
from ..explainer import Explainer
from ..maskers.base import Masked
from .edits import edited, how_to_replace
from .inputs import Reader, find_reader
from .limits import Limits
from .memory import SessionStore
from .packing import pack_picture
from .references import OWN, references
from .requests import Column
from .runs import Crew, GuardedEngine, Run, Turns

Emit = Callable[[dict[str, Any]], None]
_EVERY = 0.15  # seconds between two estimates on the page
_WARM, _SLOW = 0.02, 0.5  # seconds that a first answer may take which is not taken as the pace of the model


@dataclass(frozen=True)
class Result:
    """A finished run: the input, and the explanation of each column by its label."""

    x: Any
    explanations: dict[str, Explanation]


class Session:
    """One model, as one playground uses it.

    Parameters
    ----------
    explainer : the model, the masker and the default method.
    examples : inputs that the page offers.
    limits : what is allowed.
    source : lines of Python that make the model, for snippets.
    """

    def __init__(
        self,
        explainer: Explainer,
        examples: Sequence[Any] = (),
        limits: Limits | None = None,
        source: str | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.explainer, self.source = explainer, source
        self.store: Store = SessionStore(self.limits.memory) if explainer.store is None else explainer.store  # type: ignore[assignment]
        self.reader: Reader = find_reader(explainer.masker, examples, self.limits)
        self.maskers = references(explainer.masker)
        self.crew = Crew(Turns(shared=isinstance(explainer.adapter, RemoteModel)))
        self.pace: float | None = None  # seconds that a row takes, as far as is known
        self._results: OrderedDict[str, Result] = OrderedDict()

    # -- parts of the work --------------------------------------------------------------------------------------------

    def bench(self, run: Run, x: Any, column: Column | None = None) -> Explainer:
        """An explainer for one run: it stops when the run is cancelled, and remembers what the model has answered.

        Raises `MaskerError` where the input has too many units, and `OptionError` where the column makes no sense.
        """
        column = column or Column()
        base = self.explainer
        if column.reference not in self.maskers:
            raise OptionError(f"Expected one of {', '.join(self.maskers)} as reference, got {column.reference!r:.60}.")
        masker = self.maskers[column.reference]
        changes: dict[str, Any] = {} if column.target is None else {"target": column.target}
        method = column.method(self.check(masker.mask(x)).graph)
        if method is not None:
            changes |= {"method": method, "goal": None, "seed": None, "tolerance": None, "top": None, "budget": None}
        if (method or base.method) == "auto":
            changes |= {} if column.budget is None else {"budget": column.budget}
            changes |= dict(column.parameters)
        made = replace(
            base,
            model=base.adapter,
            masker=masker,
            store=self.store,
            progress=False,
            curve=False,
            max_calls=min(self.limits.calls, base.max_calls or self.limits.calls),
            **changes,
        )
        engine = GuardedEngine(made.setup.engine, run, self.crew.turns)
        object.__setattr__(made, "setup", replace(made.setup, engine=engine))
        return made

    def check(self, masked: Masked) -> Masked:
        """Refuse inputs with too many units."""
        if masked.graph.d > self.limits.units:
            raise MaskerError(
                f"Expected an input of at most {self.limits.units:,} units, got {masked.graph.d:,}. Give a smaller "
                "one, or start the playground with larger units."
            )
        return masked

    def learn_pace(self, run: Run) -> None:
        """Take note of how long the model takes."""
        if run.rows:
            pace = run.seconds / run.rows
            self.pace = pace if self.pace is None else min(self.pace, pace)

    # -- what the page asks for ---------------------------------------------------------------------------------------

    def predict(self, run: Run, x: Any, columns: Sequence[Column]) -> dict[str, Any]:
        """What the model says of an input, and what the explanations would cost."""
        explainer = self.bench(run, x)
        game = explainer.game(x)
        if self.pace is None and _WARM < run.seconds < _SLOW and not self.crew.turns.shared:
            self._rehearse(run, game)
        self.learn_pace(run)
        costs = [self._cost(self.bench(run, x, column), x) for column in columns]
        calls = sum(cost["calls"] for cost in costs)
        price = explainer.adapter.cost(calls * game.masked.rows_per_call)
        seconds = None if self.pace is None else calls * game.masked.rows_per_call * self.pace
        cost = {"calls": calls, "seconds": seconds, "price": price, "columns": costs}
        return {**self.said(game, game.value.full), "units": game.d, "cost": cost}

    def _rehearse(self, run: Run, game: ModelGame) -> None:
        """Ask about the empty input, which explanations need: the first answer of a model often takes far longer."""
        rows, seconds = run.rows, run.seconds
        with suppress(Unfinished, LcshapError):
            game.evaluate(Coalitions.from_sets(game.d, [[]]))
            run.rows, run.seconds = run.rows - rows, run.seconds - seconds

    def _cost(self, explainer: Explainer, x: Any) -> dict[str, Any]:
        if explainer.picker.seconds is not None:
            return {"calls": 0, "method": f"what fits into {explainer.picker.seconds:g} s"}
        graph = explainer.masker.mask(x).graph
        picked = explainer.picker.pick(graph)
        return {"calls": picked.method.cost(graph, explainer.max_calls).calls, "method": str(picked.method)}

    def said(self, game: ModelGame, outputs: NDArray[np.float64]) -> dict[str, Any]:
        """What the model says, class by class, and whether it still decides as at the full input."""
        kind, value = game.value.kind, game.value
        numbers = chances.margins(outputs, kind) if kind in chances.NO_CHANCES else chances.probabilities(outputs, kind)
        names = list(value.classes or ())
        if len(names) != numbers.shape[1]:
            names = [str(k) for k in range(numbers.shape[1])] if numbers.shape[1] > 1 else ["output"]
        stands = value.stands(outputs)
        return {
            "outputs": [[name, float(number)] for name, number in zip(names, numbers[0], strict=True)],
            "chances": kind not in chances.NO_CHANCES,
            "values": np.atleast_1d(value(outputs)[0]).tolist(),
            "stands": None if stands is None else bool(stands[0]),
        }

    def ask(self, run: Run, x: Any, column: Column, removed: Sequence[int], replaced: dict[int, Any]) -> dict[str, Any]:
        """What the model says when some units are gone and others are replaced; beside what it says of the input."""
        explainer = self.bench(run, x, column)
        game = explainer.game(x)
        for value in replaced.values():
            if len(str(value)) > self.limits.text:
                raise MaskerError(
                    f"Expected a replacement of at most {self.limits.text:,} characters, got {len(str(value)):,}. "
                    "Give a shorter one."
                )
        gone = set(removed) - set(replaced)
        kept = [unit for unit in range(game.d) if unit not in gone]
        masked = edited(game.masked, explainer.masker, replaced) if replaced else game.masked
        full = self.said(game, game.value.full)
        coalition = Coalitions.from_sets(game.d, [kept])
        want = Wanted(explainer.engine, masked, coalition, self.store, Tally(), None)
        (outputs,) = answer(explainer.engine, [want])
        if isinstance(outputs, Exception):
            raise outputs
        self.learn_pace(run)
        found = {"before": full, "now": self.said(game, outputs), "rows": run.rows, "seconds": run.seconds}
        return {**found, "picture": pack_picture(masked.view)} if replaced else found

    def explain(self, run: Run, x: Any, columns: Sequence[Column], emit: Emit) -> Result:
        """Explain an input by each column in turn; `emit` is told of every estimate."""
        if not 1 <= len(columns) <= self.limits.columns:
            raise OptionError(f"Expected 1 to {self.limits.columns} columns, got {len(columns)}.")
        found: dict[str, Explanation] = {}
        begin = time.monotonic()
        for number, column in enumerate(columns):
            label = ""
            for e in self.bench(run, x, column).stream(x, every=_EVERY):
                run.check()
                if not label:
                    label = _unique(column.label(e), found)
                found[label] = e
                progress = {"column": number, "label": label, "calls": e.calls, "rows": run.rows, "width": _width(e)}
                emit({"explanations": dict(found), "seconds": time.monotonic() - begin, "flip": _flip(e), **progress})
        self.learn_pace(run)
        return Result(x, found)

    def locality(self, run: Run, x: Any, column: Column) -> dict[str, Any]:
        """How far local methods are from the Shapley value on this input."""
        found = self.bench(run, x, replace(column, name=None)).locality(x)
        measured = [
            {"method": str(d.method.name), "parameters": str(d.method), "calls": d.calls, "distance": d.distance}
            | {"low": d.low, "high": d.high, "relative": d.relative}
            for d in found.distances
        ]
        return {"distances": measured, "calls": found.calls, "confidence": found.confidence}

    # -- results that can be saved --------------------------------------------------------------------------------

    def keep(self, result: Result) -> str:
        """Keep a result for a while; the name by which it is found."""
        name = secrets.token_urlsafe(12)
        self._results[name] = result
        while len(self._results) > self.limits.kept:
            self._results.popitem(last=False)
        return name

    def kept(self, name: str) -> Result | None:
        """A result that is still kept."""
        return self._results.get(name)

    def about(self) -> dict[str, Any]:
        """What the page needs to know in the beginning."""
        return {
            "input": self.reader.about(),
            "references": list(self.maskers),
            "own": OWN,
            "replace": how_to_replace(self.explainer.masker),
            "auto": {
                "name": "auto" if self.explainer.method == "auto" else "as configured",
                "pairs": self.explainer.method == "auto",
            },
            "methods": [
                {"name": entry.name, "pairs": any(f.name == "interactions" for f in fields(entry.method))}
                for entry in METHODS.entries()
            ],
            "classes": list(self.explainer.setup.classes or ()),
            "limits": {name: getattr(self.limits, name) for name in ("text", "columns", "calls", "body")},
        }

    def close(self) -> None:
        """Cancel all runs."""
        self.crew.close()


def _flip(e: Explanation) -> dict[str, Any] | None:
    """The units that change the decision when they go (`removed`), or that suffice for it, where they are known."""
    if not isinstance(e, PathExplanation) or not e.flipped or not e.flip_set:
        return None
    return {"units": [int(unit) for unit in e.flip_set], "removed": e.removed}


def _width(e: Explanation) -> float | None:
    """Half the width of the 95 % interval of a middling unit; None where it is not known yet, 0 without samples."""
    if e.stderr is None:
        return 0.0
    width = float(np.median(e.interval()[1] - e.interval()[0]) / 2)
    return width if np.isfinite(width) else None


def _unique(label: str, found: dict[str, Any]) -> str:
    """The label, with a number where another column has it."""
    number = 2
    name = label
    while name in found:
        name, number = f"{label} ({number})", number + 1
    return name
