"""One call of an explainer: its inputs, their methods, the answers of the model, and the finished explanations."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..core.explanation import Explanation
from ..core.method import Method, Stop, run_methods
from ..core.store import Store
from ..core.views import PromptView, View
from ..errors import Interrupted, LcshapError, ModelError, PlanTooLargeError, RunFailedError, Unfinished, row_of
from ..evaluation.engine import Engine
from ..evaluation.masking_curves import masking_curves
from ..evaluation.model_game import ModelGame, make_games
from ..evaluation.prediction import predicted_classes
from ..evaluation.progress import Progress
from ..maskers.base import Masked
from ..selection.budget import seconds_per_call
from ..selection.selection import Selection
from ..selection.selector import MethodSelector
from ..values import Value

_WINDOW_ROWS = 1 << 14  # Inputs are processed together up to this many rows, which is enough for full batches.
_MAX_CHARACTERS = 50_000_000_000  # of all rows of an input; making them takes minutes, and models are slower
Outcomes = list[Explanation | Exception | None]


@dataclass(frozen=True)
class Setup:
    """The settings of an explainer for all of its calls, apart from the method.

    Attributes
    ----------
    stop : when a method that samples may stop early; None for never.
    record : what all explanations record about the masker, the model and the value.
    """

    engine: Engine
    value: Value
    classes: Sequence[str] | None
    max_calls: int | None
    stop: Stop | None
    curve: bool
    check: bool
    progress: bool | None
    record: Mapping[str, Any]


@dataclass
class Job:
    """The work on some inputs.

    Attributes
    ----------
    store : what the model has answered so far.
    outcomes : for each input its explanation, as soon as it is finished, or its error.
    isolate_failures : whether the failure of one input leaves the others alone.
    y : the true class or number of each input, if the value is a loss.
    """

    setup: Setup
    store: Store
    outcomes: Outcomes
    isolate_failures: bool = False
    y: Sequence[Any] | None = None
    seconds_per_call: float | None = field(default=None, init=False)  # measured for budgets in seconds
    progress_bar: Progress | None = field(default=None, init=False)
    warned: bool = field(default=False, init=False)

    @contextmanager
    def running(self, calls: int = 0) -> Iterator[None]:
        """Show the progress, and keep finished explanations if there is a failure."""
        self.progress_bar = Progress(calls, "model calls", self.setup.progress)
        try:
            yield
        except Unfinished as error:  # An adapter has raised this.
            raise self._unfinished_error(error) from error
        except (ModelError, KeyboardInterrupt) as error:
            raise self._unfinished_error(error) from error
        finally:
            self.progress_bar.close()

    def _unfinished_error(self, error: BaseException) -> Unfinished:
        count = sum(isinstance(e, Explanation) for e in self.outcomes)
        progress = f"{count:,} of {len(self.outcomes):,} explanations are finished." if len(self.outcomes) > 1 else ""
        advice = "Call again with store=error.store to resume. No row is asked twice."
        note = " ".join(sentence for sentence in (progress, advice) if sentence)
        if isinstance(error, KeyboardInterrupt):
            return Interrupted(f"Interrupted. {note}", list(self.outcomes), self.store)
        failure = RunFailedError(str(error), list(self.outcomes), self.store, row_of(error))
        failure.add_note(note)
        return failure

    # -- games ----------------------------------------------------------------------------------------------------

    def games(self, inputs: Mapping[int, Masked]) -> dict[int, ModelGame]:
        """The games of some inputs, by number. Inputs that have none get their errors into `outcomes`."""
        setup, several = self.setup, len(self.outcomes) > 1
        labels = [f"input {number}" if several else "" for number in inputs]
        y = None if self.y is None else [self.y[number] for number in inputs]
        options = setup.classes, self.progress_bar, self.isolate_failures, labels, y
        games_or_errors = make_games(setup.engine, list(inputs.values()), setup.value, self.store, *options)
        games = {}
        for number, game in zip(inputs, games_or_errors, strict=True):
            if isinstance(game, ModelGame):
                games[number] = game
            else:
                self.outcomes[number] = game
        return games

    # -- explaining -----------------------------------------------------------------------------------------------

    def explain(self, inputs: Mapping[int, Masked], selector: MethodSelector) -> None:
        """Explain some inputs, window by window, so that they are finished one after the other."""
        expected, costs = self._preselect(inputs, selector)
        inputs = {number: masked for number, masked in inputs.items() if self.outcomes[number] is None}
        with self.running(sum(costs.values())):
            for window in _windows(inputs, costs):
                start = time.monotonic()
                games = self.games(window)
                selections = {n: self.select(game, selector, start, expected.get(n)) for n, game in games.items()}
                self.run(games, selections, self.stop(selector, start, selections))

    def run(self, games: Mapping[int, ModelGame], selections: Mapping[int, Selection], stop: Stop | None) -> None:
        """Explain games together, each by its method, into `outcomes`."""
        numbers, game_list = list(games), list(games.values())
        if self.setup.check:
            for game in game_list:
                game.check()
        outcomes: Outcomes = [None] * len(numbers)
        graphs = [game.masked.graph for game in game_list]
        methods = [selections[number].method for number in numbers]
        try:
            run_methods(methods, game_list, graphs, self.setup.max_calls, stop=stop, outcomes=outcomes)
        finally:
            for number, e in zip(numbers, outcomes, strict=True):
                if isinstance(e, Explanation):
                    e = self.add_provenance(e, games[number], selections[number])
                self.outcomes[number] = e
        messages = [game.value.warning for game in game_list]
        if any(messages) and not self.warned:
            self.warned = True
            warnings.warn(next(filter(None, messages)), stacklevel=2)
        explained = {number: e for number in numbers if isinstance(e := self.outcomes[number], Explanation)}
        if self.setup.curve and explained:
            curves = masking_curves([games[number] for number in explained], list(explained.values()))
            for (number, e), curve in zip(explained.items(), curves, strict=True):
                curve_fields = {name: getattr(curve, name) for name in ("percents", "counts", "values")}
                curve_fields["what"] = curve.quantity
                rows = None if e.rows is None else e.rows + games[number].row_counter.read_and_reset()
                self.outcomes[number] = replace(e, curve=curve_fields, rows=rows)

    def stream(self, masked: Masked, selector: MethodSelector, every: float = 0.0) -> Iterator[Explanation]:
        """Yield explanations of one input that get better as calls are made, at least `every` seconds apart."""
        start = time.monotonic()
        with self.running():
            (game,) = self.games({0: masked}).values()
            selection = self.select(game, selector, start)
            for e in selection.method.stream(game, masked.graph, self.setup.max_calls, every):
                yield self.add_provenance(e, game, selection)

    def add_provenance(self, e: Explanation, game: ModelGame, selection: Selection) -> Explanation:
        """The explanation, with how it was made and what a picture needs."""
        record = {
            **self.setup.record,
            "targets": game.value.targets,
            **game.value.record,
            "batch_size": self.setup.engine.size.best,
            **selection.record,
        }
        if classes := predicted_classes(game.value):
            record["prediction"] = [list(pair) for pair in classes]
        if (choice := game.masked.choice) is not None:
            masker = record["masker"]
            record["masker"] = {**masker, "parameters": {**masker["parameters"], **choice.settings}}
            record["units"] = choice.reason
        return replace(e, provenance={**e.provenance, **record}, view=_view(game))

    # -- selecting the method -------------------------------------------------------------------------------------

    def _preselect(
        self, inputs: Mapping[int, Masked], selector: MethodSelector
    ) -> tuple[dict[int, Method], dict[int, int]]:
        """The method of each input and its calls, before the model is asked; empty for budgets in seconds."""
        methods: dict[int, Method] = {}
        costs: dict[int, int] = {}
        for number, masked in inputs.items() if selector.seconds is None else ():
            try:
                method = selector.select(masked.graph, masked.rows_per_call).method
                costs[number] = method.cost(masked.graph, self.setup.max_calls).calls
                if self.setup.max_calls is not None:
                    _check_characters(masked, costs[number])
                methods[number] = method
            except LcshapError as error:
                self.outcomes[number] = error
        return methods, costs

    def select(
        self, game: ModelGame, selector: MethodSelector, start: float, expected: Method | None = None
    ) -> Selection:
        """The method for one input. For budgets in seconds, which begin at `start`, the model is timed once.

        Parameters
        ----------
        expected : the method whose calls the progress bar counts for this input; None: it counts none.
        """
        graph, limit = game.masked.graph, self.setup.max_calls
        selection = selector.select_for(game, graph, start, lambda: self._seconds_per_call(game, selector))
        if self.progress_bar is not None and selection.method != expected:
            counted = 0 if expected is None else expected.cost(graph, limit).calls
            self.progress_bar.total += selection.method.cost(graph, limit).calls - counted
        return selection

    def _seconds_per_call(self, game: ModelGame, selector: MethodSelector) -> float:
        if self.seconds_per_call is None:
            assert selector.seconds is not None
            self.seconds_per_call = seconds_per_call(game, selector.seconds)
        return self.seconds_per_call

    def stop(self, selector: MethodSelector, start: float, selections: Mapping[int, Selection]) -> Stop | None:
        """When to stop: by the quality of the scores, by the clock, or not at all."""
        if selector.seconds is None:
            return self.setup.stop
        reserve = max((selection.reserve for selection in selections.values()), default=0.0)
        return replace(self.setup.stop or Stop(), deadline=start + selector.seconds - reserve)


def _check_characters(masked: Masked, calls: int) -> None:
    """Raise `PlanTooLargeError` if the model would be sent more characters than anybody can wait for.

    A row has about half of the characters of the text, because coalitions have about half of the units.
    """
    characters = calls * masked.row_characters // 2
    if characters > _MAX_CHARACTERS:
        raise PlanTooLargeError(
            f"Expected a plan that sends at most {_MAX_CHARACTERS:.0e} characters to the model, got {calls:,} calls "
            f"with texts of up to {masked.row_characters:,} characters, about {characters:.0e} in all. Explain a part "
            "of the text, make fewer and longer units (splitter= takes a function), or set a smaller budget. "
            "max_calls=None lifts this limit.",
            calls,
            exceeded_limit="time",
        )


def _view(game: ModelGame) -> View | None:
    """What a picture of the input needs; of a prompt with the parts of the answer that are explained."""
    view, answered = game.masked.view, game.engine.model.answer_and_spans
    if not isinstance(view, PromptView) or answered is None:
        return view
    text, spans = answered
    return replace(view, answer=text, answer_spans=spans[[column for column, _ in game.value.pairs]])


def _windows(inputs: Mapping[int, Masked], costs: Mapping[int, int]) -> Iterator[dict[int, Masked]]:
    """Group inputs that are processed together; inputs of unknown cost are processed one by one."""
    window: dict[int, Masked] = {}
    rows = 0
    for number, masked in inputs.items():
        window[number] = masked
        rows += costs.get(number, _WINDOW_ROWS) * masked.rows_per_call
        if rows >= _WINDOW_ROWS:
            yield window
            window, rows = {}, 0
    if window:
        yield window
