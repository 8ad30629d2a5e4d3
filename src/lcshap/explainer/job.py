"""One call of an explainer: which inputs, by which methods, what the model has answered, and what is finished."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..advice.budget import is_cheap
from ..advice.picker import Picked, Picker
from ..asking.engine import Engine
from ..asking.masking import masking_curves
from ..asking.model_game import ModelGame, make_games
from ..asking.prediction import prediction
from ..asking.progress import Progress
from ..asking.values import Value
from ..core.explanation import Explanation
from ..core.method import Stop, run_methods
from ..core.store import Store
from ..core.views import PromptView, View
from ..errors import Interrupted, LcshapError, ModelError, RunFailedError, Unfinished
from ..maskers.base import Masked

_WINDOW = 1 << 14  # rows of several inputs that are worked on together: enough for full batches
Found = list[Explanation | Exception | None]


@dataclass(frozen=True)
class Setup:
    """What an explainer says about all of its work, apart from the method.

    Attributes
    ----------
    stop : when a method that samples may stop early; None for never.
    record : what all explanations say of the masker, the model and the value.
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
    found : for each input its explanation, as soon as it is finished, or its error.
    keep : whether the failure of one input leaves the others alone.
    """

    setup: Setup
    store: Store
    found: Found
    keep: bool = False
    pace: float | None = field(default=None, init=False)  # seconds a call, once it is known
    cheap: bool | None = field(default=None, init=False)  # whether all coalitions take less than a second
    bar: Progress | None = field(default=None, init=False)
    warned: bool = field(default=False, init=False)

    @contextmanager
    def running(self, calls: int = 0) -> Iterator[None]:
        """Show how far the work is, and let no failure lose what is finished."""
        self.bar = Progress(calls, "model calls", self.setup.progress)
        try:
            yield
        except Unfinished as error:  # from an adapter
            raise self._unfinished(error) from error
        except (ModelError, KeyboardInterrupt) as error:
            raise self._unfinished(error) from error
        finally:
            self.bar.close()

    def _unfinished(self, error: BaseException) -> Unfinished:
        count = sum(isinstance(e, Explanation) for e in self.found)
        kept = f"{count:,} of {len(self.found):,} explanations are finished." if len(self.found) > 1 else ""
        how = "Call again with store=error.store to resume. No row is asked twice."
        note = " ".join(part for part in (kept, how) if part)
        if isinstance(error, KeyboardInterrupt):
            return Interrupted(f"Interrupted. {note}", list(self.found), self.store)
        failure = RunFailedError(str(error), list(self.found), self.store, getattr(error, "row", None))
        failure.add_note(note)
        return failure

    # -- games ----------------------------------------------------------------------------------------------------

    def games(self, inputs: Mapping[int, Masked]) -> dict[int, ModelGame]:
        """The games of some inputs, by number. The errors of those that have none are found."""
        setup, many = self.setup, len(self.found) > 1
        labels = [f"input {number}" if many else "" for number in inputs]
        made = make_games(
            setup.engine, list(inputs.values()), setup.value, self.store, setup.classes, self.bar, self.keep, labels
        )
        games = {}
        for number, game in zip(inputs, made, strict=True):
            if isinstance(game, ModelGame):
                games[number] = game
            else:
                self.found[number] = game
        return games

    # -- explaining -----------------------------------------------------------------------------------------------

    def explain(self, inputs: Mapping[int, Masked], picker: Picker) -> None:
        """Explain some inputs, window by window, so that they are finished one after the other."""
        picks, costs = self._picks(inputs, picker)
        inputs = {number: masked for number, masked in inputs.items() if self.found[number] is None}
        short = {n: 2**m.graph.d for n, m in inputs.items() if n in picks and picker.may_be_exact(m.graph, picks[n])}
        with self.running(sum(costs.values())):
            for window in _windows(inputs, costs):
                start = time.monotonic()
                games = self.games(window)
                if picker.seconds is not None:
                    picks = {n: self.pick_timed(game, picker, start) for n, game in games.items()}
                for n, game in games.items() if picker.seconds is None else ():
                    picks[n] = self._by_trees(game, picks[n], picker)
                for n in games.keys() & {n for n in short if picker.may_be_exact(inputs[n].graph, picks[n])}:
                    picks[n] = self._exactly(games[n], picks[n], picker, sum(short.values()))
                self.run(games, {n: picks[n] for n in games}, self.stop(picker, start, picks))

    def run(self, games: Mapping[int, ModelGame], picks: Mapping[int, Picked], stop: Stop | None) -> None:
        """Explain games together, each by its method, into `found`."""
        numbers, several = list(games), list(games.values())
        if self.setup.check:
            for game in several:
                game.check()
        found: Found = [None] * len(numbers)
        graphs = [game.masked.graph for game in several]
        methods = [picks[number].method for number in numbers]
        try:
            run_methods(methods, several, graphs, self.setup.max_calls, stop=stop, found=found)
        finally:
            for number, e in zip(numbers, found, strict=True):
                if isinstance(e, Explanation):
                    e = self.recorded(e, games[number], picks[number])
                self.found[number] = e
        said = [game.value.warning for game in several]
        if any(said) and not self.warned:
            self.warned = True
            warnings.warn(next(filter(None, said)), stacklevel=2)
        done = {number: e for number in numbers if isinstance(e := self.found[number], Explanation)}
        if self.setup.curve and done:
            curves = masking_curves([games[number] for number in done], list(done.values()))
            for (number, e), curve in zip(done.items(), curves, strict=True):
                parts = {name: getattr(curve, name) for name in ("percents", "counts", "values", "what")}
                rows = None if e.rows is None else e.rows + games[number].tally.take()
                self.found[number] = replace(e, curve=parts, rows=rows)

    def recorded(self, e: Explanation, game: ModelGame, picked: Picked) -> Explanation:
        """The explanation, with how it was made and what a picture needs."""
        record = {
            **self.setup.record,
            "targets": game.value.targets,
            "batch_size": self.setup.engine.size.best,
            **picked.record,
        }
        if said := prediction(game.value):
            record["prediction"] = [list(pair) for pair in said]
        if (choice := game.masked.choice) is not None:
            masker = record["masker"]
            record["masker"] = {**masker, "parameters": {**masker["parameters"], **choice.settings}}
            record["units"] = choice.note
        return replace(e, provenance={**e.provenance, **record}, view=_view(game))

    # -- choosing -------------------------------------------------------------------------------------------------

    def _picks(self, inputs: Mapping[int, Masked], picker: Picker) -> tuple[dict[int, Picked], dict[int, int]]:
        """The method of each input and its calls, before the model is asked; of budgets in seconds nothing is known."""
        picks: dict[int, Picked] = {}
        costs: dict[int, int] = {}
        for number, masked in inputs.items() if picker.seconds is None else ():
            try:
                picked = picker.pick(masked.graph)
                costs[number] = picked.method.cost(masked.graph, self.setup.max_calls).calls
                picks[number] = picked
            except LcshapError as error:
                self.found[number] = error
        return picks, costs

    def pick(self, game: ModelGame, picker: Picker, start: float) -> Picked:
        """The method for one input, of which some rows may be timed."""
        graph = game.masked.graph
        if picker.seconds is not None:
            return self.pick_timed(game, picker, start)
        picked = self._by_trees(game, picker.pick(graph), picker)
        return self._exactly(game, picked, picker, 2**graph.d) if picker.may_be_exact(graph, picked) else picked

    def _by_trees(self, game: ModelGame, picked: Picked, picker: Picker) -> Picked:
        """Instead of anything else the trees of the model, where it is a sum of trees."""
        graph = game.masked.graph
        found = picker.pick_trees(game, graph, picked)
        if found is not picked and self.bar is not None:
            limit = self.setup.max_calls
            self.bar.total += found.method.cost(graph, limit).calls - picked.method.cost(graph, limit).calls
        return found

    def _exactly(self, game: ModelGame, picked: Picked, picker: Picker, calls: int) -> Picked:
        """Instead of an estimate all coalitions, where those of all inputs, so many calls, take less than a second."""
        graph = game.masked.graph
        if self.cheap is None:
            try:
                self.cheap = is_cheap(game, picked.method.plan(graph, self.setup.max_calls).coalitions, calls)
            except ModelError:
                if not self.keep:
                    raise
                self.cheap = False  # which of the inputs it is about turns out later
        if not self.cheap:
            return picked
        exact = picker.pick_exact(graph)
        if self.bar is not None:
            self.bar.total += 2**graph.d - picked.method.cost(graph, self.setup.max_calls).calls
        return exact

    def pick_timed(self, game: ModelGame, picker: Picker, start: float) -> Picked:
        """The method for a budget in seconds from `start` on. The model is timed once."""
        assert picker.seconds is not None
        graph, deadline = game.masked.graph, start + picker.seconds
        picked = picker.pick_trees_timed(game, graph, deadline)
        if picked is None:
            if self.pace is None:
                self.pace = picker.pace(game)
            picked = picker.pick_timed(graph, self.pace, deadline)
        if self.bar is not None:
            self.bar.total += picked.method.cost(graph, self.setup.max_calls).calls
        return picked

    def stop(self, picker: Picker, start: float, picks: Mapping[int, Picked]) -> Stop | None:
        """When to stop: by the quality of the scores, by the clock, or not at all."""
        if picker.seconds is None:
            return self.setup.stop
        reserve = max((picked.reserve for picked in picks.values()), default=0.0)
        return replace(self.setup.stop or Stop(), deadline=start + picker.seconds - reserve)


def _view(game: ModelGame) -> View | None:
    """What a picture of the input needs; of a prompt with the parts of the answer that are explained."""
    view, answered = game.masked.view, game.engine.model.answered
    if not isinstance(view, PromptView) or answered is None:
        return view
    text, spans = answered
    return replace(view, answer=text, answer_spans=spans[[column for column, _ in game.value.pairs]])


def _windows(inputs: Mapping[int, Masked], costs: Mapping[int, int]) -> Iterator[dict[int, Masked]]:
    """Inputs that are worked on together; one by one where nobody knows what they cost."""
    window: dict[int, Masked] = {}
    rows = 0
    for number, masked in inputs.items():
        window[number] = masked
        rows += costs.get(number, _WINDOW) * masked.rows_per_call
        if rows >= _WINDOW:
            yield window
            window, rows = {}, 0
    if window:
        yield window
