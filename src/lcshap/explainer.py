"""The Explainer: a model, a masker and a method, wired together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from .adapters.find import find_model
from .advice.chooser import choose, parse_budget
from .asking.engine import Engine
from .asking.model_game import Log, ModelGame
from .asking.values import find_value
from .core.coalitions import Coalitions
from .core.explanation import Explanation
from .core.graphs import Graph
from .core.plan import MAX_CALLS, PlanSum
from .core.run import explain_values, run
from .errors import MaskerError, MethodError, ModelError
from .estimators import DeletionPath, InsertionPath, Method, get_method
from .maskers.base import Masker
from .maskers.bytes import Bytes
from .maskers.image import Image
from .maskers.text import Text


class Explainer:
    """Explains what a model said about inputs.

    Parameters
    ----------
    model : a function (async ones too), a scikit-learn estimator or pipeline, a PyTorch module, a Keras model, an ONNX
        file or session; or an adapter.
    masker : how an input is cut into units and what takes the place of absent ones, see `lcshap.maskers`.
    method : a method, its name, or "auto": `goal` and `budget` decide.
    goal : for "auto": "fair", "necessary" or "sufficient", see `lcshap.choose`.
    value : which number is explained: "log_prob" (of the predicted class), "expected_log_prob", "prob", "log_odds",
        "output", a function of the outputs, or a `lcshap.values.Value`. By default "log_prob" for classes, "output"
        for other numbers.
    target : a class or output, a list of them, "all", or a pair (a, b) for a contrast. By default the predicted class.
    budget : calls: a number, or a text such as "4d", or "30s" for seconds an input (the model is timed on a few rows
        first). By default "4d".
    kind : what the model's numbers are, "logits", "probabilities" or "output", where the model does not say it.
    classes : names of the classes, for `target` and the record; by default those that the model knows.
    batch_size : rows sent to the model at once; by default what turns out fastest.
    seed : for methods that sample.
    progress : show a progress bar; by default on a terminal, for work of over a second.
    curve : evaluate the masking curve too (see `lcshap.metrics.masking_curve`), 13 more calls: reports show it.

    Examples
    --------
    >>> import lcshap as lc
    >>> def positive(texts):  # a model: how many good words less how many bad ones
    ...     return [text.count("good") - 2.0 * text.count("bad") for text in texts]
    >>> e = lc.Explainer(positive, lc.maskers.Text(), method=lc.Shapley(), kind="output")("good plot, bad end")
    >>> list(zip(e.names, e.scores.round(9).tolist()))
    [('good', 1.0), ('plot,', 0.0), ('bad', -2.0), ('end', 0.0)]
    """

    def __init__(
        self,
        model: Any,
        masker: Masker,
        method: Method | str = "auto",
        goal: str = "fair",
        value: Any = None,
        target: Any = None,
        budget: int | str | None = None,
        batch_size: int | None = None,
        seed: int = 0,
        *,
        kind: Any = None,
        classes: Sequence[str] | None = None,
        progress: bool | None = None,
        curve: bool = False,
        max_calls: int | None = MAX_CALLS,
    ) -> None:
        if not isinstance(masker, Masker):
            raise MaskerError(f"{masker!r} is no masker: give one of lcshap.maskers, such as Text() or Image()")
        self.model = find_model(model, kind)
        self.masker, self.method, self.goal, self.seed = masker, method, goal, seed
        self.value = find_value(value, self.model.kind, target)
        self.budget, self.classes, self.max_calls, self.curve = budget, classes, max_calls, curve
        self.engine = Engine(self.model, batch_size, progress, raw=model)

    def __call__(self, x: Any, resume: BaseException | None = None) -> Any:
        """Explain one input, or a list of inputs: an `Explanation`, or a list of them.

        Inputs of a list share plans and batches: rows of different inputs travel in one model call. If the model fails
        half-way, or on Ctrl-C, what is known is kept with the error: call again with ``resume=error`` to go on.
        """
        known = getattr(resume, "known", None)
        if resume is not None and known is None:
            raise MethodError(f"there is nothing to resume in {resume!r}: give the error that this call raised before")
        if self.masker.is_many(x):
            return self._explain(list(x), known)
        return self._explain([x], known)[0]

    def compare(self, x: Any, methods: Sequence[Method]) -> list[Explanation]:
        """Several methods on one input: each distinct coalition is evaluated once for all of them.

        How many calls all of them took together is in ``e.provenance["together"]``.
        """
        masked = self.masker.mask(x)
        (game,) = ModelGame.make(self.engine, [masked], self.value, self.classes or self.model.classes)
        found, game = run_methods(methods, game, self.max_calls)
        asked = [Coalitions.from_sets(game.d, [range(game.d)]), *(coalitions for coalitions, _ in game.log)]
        together = {"together": len(Coalitions.concat(asked).unique()[0])}
        explained = [self._record(e, game, together) for e in found]
        return self._with_curves([x] * len(explained), explained) if self.curve else explained

    def preview(self, x: Any) -> str:
        """What an explanation of this input would cost, without asking the model."""
        masked = self.masker.mask(x)
        method, _ = self._method(masked.graph)
        rows = masked.rows_per_call
        if isinstance(method, DeletionPath | InsertionPath):
            text, calls = f"{method}\n  calls   at most {method.budget:,}", method.budget
        else:
            plan = method.plan(masked.graph, self.max_calls)
            text, calls = str(plan), plan.calls
        if rows > 1:
            text += f"\n  rows    {calls * rows:,} model rows: {rows} background rows a call"
        cost = self.model.cost(calls * rows)
        return text if cost is None else f"{text}\n  cost    {cost}"

    def _explain(self, inputs: list[Any], known: list[Log] | None) -> list[Explanation]:
        masked = [self.masker.mask(x) for x in inputs]
        if not masked:
            return []
        timed = isinstance(self.budget, str) and self.budget.strip().endswith("s")
        chosen = [] if timed else [self._method(m.graph) for m in masked]  # before the model is asked, if possible
        games = ModelGame.make(self.engine, masked, self.value, self.classes or self.model.classes)
        chosen = chosen or [self._method(game.masked.graph, game) for game in games]
        if known is not None:
            if len(known) != len(games):
                raise MethodError(f"resume is about {len(known)} inputs, not {len(games)}")
            games = [game.resume(log) for game, log in zip(games, known, strict=True)]
        found: list[Explanation | None] = [None] * len(inputs)
        try:
            self._plans(games, chosen, found)
            self._others(games, chosen, found)
        except (ModelError, KeyboardInterrupt) as error:
            done = self._records(found, games, chosen)
            _keep(error, games, done)
            raise
        explained = [e for e in self._records(found, games, chosen) if e]
        return self._with_curves(inputs, explained) if self.curve else explained

    def _with_curves(self, inputs: list[Any], explained: list[Explanation]) -> list[Explanation]:
        from .metrics.masking import masking_curve

        curves = masking_curve(self, inputs, explained)
        parts = [{"percents": c.percents, "counts": c.counts, "values": c.values, "what": c.what} for c in curves]
        return [replace(e, curve=part) for e, part in zip(explained, parts, strict=True)]

    def _plans(
        self, games: list[ModelGame], chosen: list[tuple[Method, dict[str, Any]]], found: list[Explanation | None]
    ) -> None:
        """All inputs whose method has a plan, in shared batches."""
        planned = [i for i, (method, _) in enumerate(chosen) if method.has_plan]
        if not planned:
            return
        plans = [chosen[i][0].plan(games[i].masked.graph, self.max_calls) for i in planned]
        requests = [(games[i], plan.coalitions) for i, plan in zip(planned, plans, strict=True)]
        try:
            evaluated = ModelGame.evaluate_all(requests)
        except (ModelError, KeyboardInterrupt):
            for i, plan in zip(planned, plans, strict=True):
                game = games[i].resume(games[i].log)
                if game.knows(plan.coalitions).all():
                    found[i] = explain_values(plan, game.evaluate(plan.coalitions), game)
            raise
        for i, plan, values in zip(planned, plans, evaluated, strict=True):
            found[i] = explain_values(plan, values, games[i])

    def _others(
        self, games: list[ModelGame], chosen: list[tuple[Method, dict[str, Any]]], found: list[Explanation | None]
    ) -> None:
        """Paths of many inputs advance together; whatever else there is goes one by one."""
        for kind in (DeletionPath, InsertionPath):
            same: dict[Method, list[int]] = {}
            for i, (method, _) in enumerate(chosen):
                if isinstance(method, kind):
                    same.setdefault(method, []).append(i)
            for method, members in same.items():
                assert isinstance(method, DeletionPath | InsertionPath)
                graphs = [games[i].masked.graph for i in members]
                explained = method.explain_many([games[i] for i in members], graphs, self.max_calls)
                for i, e in zip(members, explained, strict=True):
                    found[i] = e
        for i, (method, _) in enumerate(chosen):
            if found[i] is None:
                found[i] = method.explain(games[i], games[i].masked.graph, self.max_calls)

    def _method(self, graph: Graph, game: ModelGame | None = None) -> tuple[Method, dict[str, Any]]:
        """The method for a graph, and what to record of how it was chosen."""
        if isinstance(self.method, Method):
            return self.method, {}
        if not isinstance(self.method, str):
            raise MethodError(f"method must be a method, its name or 'auto', not {self.method!r}")
        budget = "4d" if self.budget is None else self.budget
        if self.method == "auto":
            choice = choose(graph, self.goal, parse_budget(budget, graph.d, game))
            method = choice.method
            if "seed" in method.parameters:
                method = replace(method, seed=self.seed)  # type: ignore[call-arg]
            return method, {"chosen": {"goal": self.goal, "budget": choice.budget, "reason": choice.reason}}
        kind = get_method(self.method)
        given = {"budget": parse_budget(budget, graph.d, game), "seed": self.seed}
        return kind(**{f.name: given[f.name] for f in fields(kind) if f.name in given}), {}

    def _records(
        self, found: list[Explanation | None], games: list[ModelGame], chosen: list[tuple[Method, dict[str, Any]]]
    ) -> list[Explanation | None]:
        both = zip(found, games, chosen, strict=True)
        return [None if e is None else self._record(e, game, why) for e, game, (_, why) in both]

    def _record(self, e: Explanation, game: ModelGame, why: dict[str, Any]) -> Explanation:
        value = self.value.name
        record = {
            "masker": str(self.masker),
            "model": type(self.model).__name__,
            "kind": self.model.kind,
            "value": value if isinstance(value, str) else getattr(value, "__name__", repr(value)),
            "targets": list(game.value.names),
            "batch_size": self.engine.size.best,
            **why,
        }
        return replace(e, provenance={**e.provenance, **record}, view=game.masked.view)


def run_methods(
    methods: Sequence[Method], game: ModelGame, max_calls: int | None = MAX_CALLS
) -> tuple[list[Explanation], ModelGame]:
    """Explain by several methods; the game that comes back knows all values.

    Methods with a plan share one run; the others come after it and know what it found out. Ctrl-C stops all of it.
    """
    graph = game.masked.graph
    planned = [i for i, method in enumerate(methods) if method.has_plan]
    plans = PlanSum(tuple(methods[i].plan(graph, max_calls) for i in planned))
    found = dict(zip(planned, run(plans, game), strict=True)) if planned else {}
    for i, method in enumerate(methods):
        if i not in found:
            game = game.resume(game.log)
            found[i] = method.explain(game, graph, max_calls)
            if found[i].provenance.get("interrupted"):  # a path returns what it has found until then
                raise KeyboardInterrupt
    return [found[i] for i in range(len(methods))], game.resume(game.log)


def _keep(error: BaseException, games: list[ModelGame], found: list[Explanation | None]) -> None:
    """What is known goes with the error."""
    error.known = [game.log for game in games]  # type: ignore[attr-defined]
    error.explanations = found  # type: ignore[attr-defined]
    count = sum(len(coalitions) for game in games for coalitions, _ in game.log)
    error.add_note(f"{count:,} values are kept: call the explainer again with resume=error to go on from there")


def explain(model: Any, x: Any, masker: Masker | None = None, **options: Any) -> Any:
    """Explain one input in one line: `Explainer(model, masker, **options)(x)`.

    Without a masker, a text is cut into words, an image (an array with two or three axes) into pixels, and a file
    (bytes, or a `pathlib.Path`) into windows of 16 bytes.

    >>> import lcshap as lc
    >>> lc.explain(lambda texts: [len(t.split()) for t in texts], "one two three", kind="output").scores
    array([1., 1., 1.])
    """
    if masker is None:
        if isinstance(x, str):
            masker = Text()
        elif isinstance(x, np.ndarray) and x.ndim in (2, 3):
            masker = Image()
        elif isinstance(x, bytes | os.PathLike):
            masker = Bytes()
        else:
            raise MaskerError(f"no masker is known for {type(x).__name__}: give one of lcshap.maskers")
    return Explainer(model, masker, **options)(x)
