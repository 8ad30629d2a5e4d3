"""What a playground does with its model: predict, ask "what if", explain. Everything goes through one memory."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.remote import RemoteModel
from ..core.coalitions import Coalitions
from ..core.explanation import Explanation, PathExplanation
from ..core.graphs import Graph
from ..core.method import Method
from ..core.store import Store
from ..errors import LcshapError, MaskerError, OptionError, Unfinished
from ..estimators.registry import METHODS
from ..evaluation.engine import Engine
from ..evaluation.model_game import ModelGame
from ..explainer import Explainer
from ..explainer.cost_preview import expected_own_seconds, preselect_method
from ..explainer.default_values import choose_value, explains_decision
from ..explainer.job import Job
from ..maskers.base import Masked
from ..selection.locality import locality
from ..selection.selector import MethodSelector
from ..values import probabilities as probability_functions
from .edits import how_to_replace, replace_units
from .input_readers import InputReader, find_reader
from .memory import SessionStore
from .packing import pack_picture
from .playground_limits import Limits
from .references import AS_CONFIGURED, alternative_maskers
from .requests import Column
from .run_queue import ModelQueue, Run, ThreadPool

Emit = Callable[[dict[str, Any]], None]
_ESTIMATE_INTERVAL_SECONDS = 0.15  # The time between two estimates on the page.
_MAX_EXPLAINERS = 64  # This many explainers are kept, one for each target and reference.
# A first answer that takes between these times may include warming up, so the pace is measured with a second one.
_WARM_UP_MIN_SECONDS, _WARM_UP_MAX_SECONDS = 0.02, 0.5


@dataclass(frozen=True)
class FinishedRun:
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
        self.reader: InputReader = find_reader(explainer.masker, examples, self.limits)
        self.maskers = alternative_maskers(explainer.masker)
        self.thread_pool = ThreadPool(ModelQueue(shared=isinstance(explainer.adapter, RemoteModel)))
        self.seconds_per_row: float | None = None  # The seconds that a row takes, once they are measured.
        self._explainers = lru_cache(_MAX_EXPLAINERS)(self._build_explainer)
        self._results: OrderedDict[str, FinishedRun] = OrderedDict()

    # -- parts of the work --------------------------------------------------------------------------------------------

    def explainer_for(self, column: Column) -> Explainer:
        """The explainer for the target and the reference of a column, with the method of the user's own explainer.

        It is built once and kept for the requests that follow. Raises `OptionError` where there is no such target or
        reference.
        """
        is_path = column.name is not None and explains_decision(column.name, None, curve=False)
        return self._explainers(column.target, column.reference, is_path)

    def _build_explainer(self, target: Any, reference: str, is_path: bool) -> Explainer:
        """The explainer of a target and a reference. A path is about the predicted class, also in a table."""
        base = self.explainer
        if reference not in self.maskers:
            raise OptionError(f"Expected one of {', '.join(self.maskers)} as reference, got {reference!r:.60}.")
        value, target = base.value, base.target if target is None else target
        if is_path:
            value, target = choose_value(base.adapter, self.maskers[reference], value, target, True), None
        most_calls = min(self.limits.calls, base.execution.max_calls or self.limits.calls)
        return replace(
            base,
            model=base.adapter,
            masker=self.maskers[reference],
            value=value,
            target=target,
            store=self.store,
            curve=False,
            execution=replace(base.execution, progress=False, max_calls=most_calls),
        )

    def selector_for(self, column: Column, graph: Graph) -> MethodSelector:
        """What selects the method of a column for an input with this graph."""
        selector, method = self.explainer_for(column).selector, column.method(graph)
        if isinstance(method, Method):
            return MethodSelector(method, max_calls=selector.max_calls)
        if method == "auto":
            selector = replace(selector, method=method, goal=None, seed=None, early=False, budget=None)
        if selector.method != "auto":
            return selector
        budget = selector.budget if column.budget is None else column.budget
        return replace(selector, budget=budget, **column.parameters)

    def job(self, run: Run, column: Column) -> Job:
        """The work of one run on one input. Its batches take turns with those of other runs, until it is cancelled."""
        base, gate = self.explainer, partial(self.thread_pool.model_queue.batch, run)
        engine = Engine(base.adapter, base.execution.batch_size, name=base.execution.model_name, gate=gate)
        return Job(replace(self.explainer_for(column).setup, engine=engine), self.store, [None])

    def game(self, run: Run, column: Column, masked: Masked) -> ModelGame:
        """An input as a game, with the target of a column."""
        job = self.job(run, column)
        with job.running():
            (game,) = job.games({0: masked}).values()
        return game

    def mask(self, column: Column, x: Any) -> Masked:
        """An input cut into units, with the reference of a column. Raises `MaskerError` where it has too many units."""
        masked: Masked = self.explainer_for(column).masker.mask(x)
        if masked.graph.d > self.limits.units:
            raise MaskerError(
                f"Expected an input of at most {self.limits.units:,} units, got {masked.graph.d:,}. Give a smaller "
                "one, or start the playground with larger units."
            )
        return masked

    def update_seconds_per_row(self, run: Run) -> None:
        """Take note of how long the model takes."""
        if run.rows:
            pace = run.seconds / run.rows
            self.seconds_per_row = pace if self.seconds_per_row is None else min(self.seconds_per_row, pace)

    # -- what the page asks for ---------------------------------------------------------------------------------------

    def predict(self, run: Run, x: Any, columns: Sequence[Column]) -> dict[str, Any]:
        """What the model says of an input, and what the explanations would cost."""
        game = self.game(run, Column(), self.mask(Column(), x))
        if (
            self.seconds_per_row is None
            and _WARM_UP_MIN_SECONDS < run.seconds < _WARM_UP_MAX_SECONDS
            and not self.thread_pool.model_queue.shared
        ):
            self._warm_up(run, game)
        self.update_seconds_per_row(run)
        costs = [self._estimate_cost(column, x) for column in columns]
        calls = sum(cost["calls"] for cost in costs)
        price = self.explainer.adapter.cost(calls * game.masked.rows_per_call)
        seconds = None
        if self.seconds_per_row is not None:
            seconds = calls * game.masked.rows_per_call * self.seconds_per_row + sum(cost["own"] for cost in costs)
        cost = {"calls": calls, "seconds": seconds, "price": price, "columns": costs}
        return {**self.describe_outputs(game, game.value.full), "units": game.d, "cost": cost}

    def _warm_up(self, run: Run, game: ModelGame) -> None:
        """Ask about the empty input, which explanations need: the first answer of a model often takes far longer."""
        rows, seconds = run.rows, run.seconds
        with suppress(Unfinished, LcshapError):
            game.evaluate(Coalitions.from_sets(game.d, [[]]))
            run.rows, run.seconds = run.rows - rows, run.seconds - seconds

    def _estimate_cost(self, column: Column, x: Any) -> dict[str, Any]:
        masked = self.mask(column, x)
        selector = self.selector_for(column, masked.graph)
        if selector.seconds is not None:
            return {"calls": 0, "own": 0.0, "method": f"what fits into {selector.seconds:g} s"}
        method = preselect_method(self.explainer_for(column).setup, selector, masked).method
        calls = method.cost(masked.graph, selector.max_calls).calls
        return {"calls": calls, "own": expected_own_seconds(method, masked, calls), "method": str(method)}

    def describe_outputs(self, game: ModelGame, outputs: NDArray[np.float64]) -> dict[str, Any]:
        """The outputs of the model, class by class, and whether its decision is that for the full input."""
        kind, value = game.value.kind, game.value
        numbers = (
            probability_functions.margins(outputs, kind)
            if kind in probability_functions.KINDS_WITHOUT_PROBABILITIES
            else probability_functions.class_probabilities(outputs, kind)
        )
        names = list(value.classes or ())
        if len(names) != numbers.shape[1]:
            names = [str(k) for k in range(numbers.shape[1])] if numbers.shape[1] > 1 else ["output"]
        unchanged = value.decision_unchanged(outputs)
        return {
            "outputs": [[name, float(number)] for name, number in zip(names, numbers[0], strict=True)],
            "chances": kind not in probability_functions.KINDS_WITHOUT_PROBABILITIES,
            "values": np.atleast_1d(value(outputs)[0]).tolist(),
            "decision_unchanged": None if unchanged is None else bool(unchanged[0]),
        }

    def ask(self, run: Run, x: Any, column: Column, removed: Sequence[int], replaced: dict[int, Any]) -> dict[str, Any]:
        """What the model says when some units are gone and others are replaced; beside what it says of the input."""
        masked = self.mask(column, x)
        unknown = [unit for unit in (*removed, *replaced) if not 0 <= unit < masked.graph.d]
        if unknown:
            raise OptionError(f"Expected numbers of units from 0 to {masked.graph.d - 1}, got {unknown[0]}.")
        game = self.game(run, column, masked)
        for value in replaced.values():
            self.reader.check_text(str(value), "a replacement")
        absent = set(removed) - set(replaced)
        present = [unit for unit in range(game.d) if unit not in absent]
        masked = replace_units(game.masked, self.maskers[column.reference], replaced) if replaced else game.masked
        full = self.describe_outputs(game, game.value.full)
        outputs = replace(game, masked=masked).outputs(Coalitions.from_sets(game.d, [present]))
        self.update_seconds_per_row(run)
        answer = {"before": full, "now": self.describe_outputs(game, outputs), "rows": run.rows, "seconds": run.seconds}
        return {**answer, "picture": pack_picture(masked.view)} if replaced else answer

    def explain(self, run: Run, x: Any, columns: Sequence[Column], emit: Emit) -> FinishedRun:
        """Explain an input by each column in turn; `emit` is told of every estimate."""
        if not 1 <= len(columns) <= self.limits.columns:
            raise OptionError(f"Expected 1 to {self.limits.columns} columns, got {len(columns)}.")
        explanations: dict[str, Explanation] = {}
        begin = time.monotonic()
        for number, column in enumerate(columns):
            label, masked = "", self.mask(column, x)
            selector = self.selector_for(column, masked.graph)
            for e in self.job(run, column).stream(masked, selector, _ESTIMATE_INTERVAL_SECONDS):
                run.check()
                if not label:
                    label = _unique_label(column.label(e), explanations)
                explanations[label] = e
                progress = {
                    "column": number,
                    "label": label,
                    "calls": e.calls,
                    "rows": run.rows,
                    "width": _median_half_width(e),
                }
                emit(
                    {
                        "explanations": dict(explanations),
                        "seconds": time.monotonic() - begin,
                        "flip": _flip_units(e),
                        **progress,
                    }
                )
        self.update_seconds_per_row(run)
        return FinishedRun(x, explanations)

    def locality(self, run: Run, x: Any, column: Column, output: int = 0) -> dict[str, Any]:
        """How far local methods are from the Shapley value on this input, for one output if several are explained."""
        game = self.game(run, column, self.mask(column, x))
        if game.value.multi_output:
            if not 0 <= output < len(game.value.pairs):
                raise OptionError(f"Expected an output from 0 to {len(game.value.pairs) - 1}, got {output}.")
            first, second = game.value.pairs[output]
            column = replace(column, target=first if second is None else (first, second))
            game = self.game(run, column, self.mask(column, x))
        measurement = locality(game, game.graph, max_calls=self.explainer_for(column).execution.max_calls)
        distances = [
            {"method": str(d.method.name), "parameters": str(d.method), "calls": d.calls, "distance": d.distance}
            | {"low": d.low, "high": d.high, "relative": d.relative}
            for d in measurement.distances
        ]
        return {"distances": distances, "calls": measurement.calls, "confidence": measurement.confidence}

    # -- results that can be saved --------------------------------------------------------------------------------

    def keep_run(self, result: FinishedRun) -> str:
        """Keep a result for a while; the name by which it is found."""
        name = secrets.token_urlsafe(12)
        self._results[name] = result
        while len(self._results) > self.limits.kept_runs:
            self._results.popitem(last=False)
        return name

    def get_run(self, name: str) -> FinishedRun | None:
        """A result that is still kept."""
        return self._results.get(name)

    def page_settings(self) -> dict[str, Any]:
        """What the page needs when it is opened."""
        return {
            "input": self.reader.describe(),
            "references": list(self.maskers),
            "own": AS_CONFIGURED,
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
        self.thread_pool.close()


def _flip_units(e: Explanation) -> dict[str, Any] | None:
    """The units that change the decision when they go (`removed`), or that suffice for it, where they are known."""
    if not isinstance(e, PathExplanation) or not e.flipped or not e.flip_set:
        return None
    return {"units": [int(unit) for unit in e.flip_set], "removed": e.removed}


def _median_half_width(e: Explanation) -> float | None:
    """Half the width of the 95 % interval of a middling unit; None where it is not known yet, 0 without samples."""
    if e.stderr is None:
        return 0.0
    width = float(np.median(e.interval()[1] - e.interval()[0]) / 2)
    return width if np.isfinite(width) else None


def _unique_label(label: str, labels: dict[str, Any]) -> str:
    """The label, with a number where another column has it."""
    number = 2
    name = label
    while name in labels:
        name, number = f"{label} ({number})", number + 1
    return name
