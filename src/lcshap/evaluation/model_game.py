"""A model, a masked input and a value function, as a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Kind
from ..core.coalitions import Coalitions
from ..core.game import AbstractGame, RowCounter, describe_coalition
from ..core.graphs import Graph
from ..core.programs import BatchFailed, ProgramFailed
from ..core.store import Store
from ..core.store_keys import set_keys
from ..core.structures import StructureGame
from ..errors import MethodError, ModelError, TargetError
from ..maskers.base import Masked
from ..maskers.distinct import DistinctRows
from ..values import FixedValue, Loss, Value
from ..values.value import SAME_CLASSES
from .engine import BatchRequest, Engine, coalition_in_words
from .pending_rows import PendingRows, answer_pending
from .progress import Progress
from .structure_games import structure_game
from .unit_parts import parts_engine, read_parts
from .used_units import others_change_nothing, read_used_units

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ModelGame(AbstractGame):
    """v(S) of one input. The answers of the model are in the store, so that no row is sent twice.

    Attributes
    ----------
    engine, masked, value : the model, the input, and the number that is explained.
    store : the answers of the model so far.
    progress : the progress bar, which counts the answers.
    isolate_failures : whether a failure of the model ends this game alone, and not all games that share a batch with
        it.
    label : names the input in errors.
    evaluated_keys : the keys of all coalitions that were evaluated, if they are to be counted.
    """

    engine: Engine
    masked: Masked
    value: FixedValue
    store: Store
    progress: Progress | None = None
    isolate_failures: bool = False
    label: str = ""
    row_counter: RowCounter = field(default_factory=RowCounter)
    evaluated_keys: set[bytes] | None = field(default=None, repr=False)

    @property
    def d(self) -> int:  # type: ignore[override]
        """The number of units."""
        return self.masked.graph.d

    @property
    def graph(self) -> Graph:
        """The units and which of them are neighbours."""
        return self.masked.graph

    @property
    def calls(self) -> int:
        """The number of distinct coalitions that have been evaluated, if `evaluated_keys` collects them."""
        return 0 if self.evaluated_keys is None else len(self.evaluated_keys)

    @property
    def rows(self) -> int:
        """The number of rows of a batch."""
        return self.engine.size.best

    @property
    def rows_per_call(self) -> int:
        """The number of model rows of a coalition."""
        return self.masked.rows_per_call

    @property
    def gradient(self) -> Callable[[], tuple[Any, Any]]:  # type: ignore[override]
        """The gradient of v at the full input, and the input less its reference."""
        return partial(_gradient, self.engine, self.masked, self.value)

    def read_structure(self, name: str) -> StructureGame:
        """The same game, computed from what can be read from the model."""
        return structure_game(name, self.engine.model, self.masked, self.value)

    def used_units(self) -> list[int] | None:
        """The units with a column that the model uses, as it says itself; None if this is not known."""
        return read_used_units(self.engine.model, self.masked)

    def depends_only_on(self, units: list[int]) -> bool:
        """Whether v is the same without all other units. A few coalitions are evaluated."""
        return others_change_nothing(self, units)

    def evaluate(self, coalitions: Coalitions) -> Floats:
        """The value of each coalition."""
        return evaluate_model_games([(self, coalitions)])[0]

    @classmethod
    def evaluate_all(cls, requests: Sequence[tuple[AbstractGame, Coalitions]]) -> list[Floats | Exception]:
        """Evaluate coalitions of several inputs in shared batches. Rows whose answers are stored are not sent again."""
        games = [game for game, _ in requests if isinstance(game, ModelGame)]
        pending = [game.pending_rows(coalitions) for game, (_, coalitions) in zip(games, requests, strict=True)]
        try:
            return answer_pending(games[0].engine, pending, games[0].progress, games[0].isolate_failures)
        except (ModelError, KeyboardInterrupt) as error:
            raise BatchFailed([rows.finished for rows in pending], error) from error

    def pending_rows(self, coalitions: Coalitions) -> PendingRows:
        """Coalitions of this input whose values are requested."""
        if self.evaluated_keys is not None:
            self.evaluated_keys.update(set_keys(coalitions))
        return PendingRows(self.engine, self.masked, coalitions, self.store, self.row_counter, self.value, self.label)

    def outputs(self, coalitions: Coalitions) -> Floats:
        """The outputs of the model for each coalition, `(n, rows_per_call, outputs)`."""
        return self._evaluate_pending(
            PendingRows(self.engine, self.masked, coalitions, self.store, self.row_counter, None, self.label)
        )

    def decision_unchanged(self, coalitions: Coalitions) -> NDArray[np.bool_] | None:
        """Whether the decision of the model is that at the full input; None if there is no decision."""
        pending = PendingRows(self.engine, self.masked, coalitions, self.store, self.row_counter, None, self.label)
        if pending.complete:
            return self.value.decision_unchanged(pending.values)
        if self.store.persistent:  # another process may have removed old answers
            return self.value.decision_unchanged(self._evaluate_pending(pending))
        raise ModelError("Expected coalitions that have been evaluated, got others. Evaluate them first.")

    def parts(self, coalitions: Coalitions) -> Floats:
        """The part of each unit in the value of each coalition; `MethodError` if the model does not return parts."""
        engine = parts_engine(self.engine, self.masked, self.value)
        if self.evaluated_keys is not None:
            self.evaluated_keys.update(set_keys(coalitions))
        pending = PendingRows(engine, self.masked, coalitions, self.store, self.row_counter, None, self.label)
        (outputs,) = answer_pending(engine, [pending], self.progress, self.isolate_failures)
        if isinstance(outputs, Exception):
            raise ProgramFailed(outputs) from outputs
        return read_parts(outputs, self.masked, self.value)

    def _evaluate_pending(self, pending: PendingRows) -> Floats:
        (values,) = answer_pending(self.engine, [pending], self.progress)
        if isinstance(values, Exception):
            raise values
        return values

    def check(self, rows: int = 8, tolerance: float = 1e-4) -> None:
        """Evaluate some coalitions a second time, in batches of one, and raise if the answers differ.

        This finds dropout that was left on, rows of a batch that influence each other, and models with a state.
        """
        mask = np.random.default_rng(0).random((max(rows - 2, 0), self.d)) < 0.5
        empty_and_full = np.stack([np.zeros(self.d, bool), np.ones(self.d, bool)])
        coalitions = Coalitions.from_dense(np.concatenate([empty_and_full, mask])).unique()[0]
        first_values = self.evaluate(coalitions)
        for row in reversed(range(len(coalitions))):
            repeated_value = self._ask_again(coalitions[row : row + 1])
            if not np.allclose(repeated_value, first_values[row], rtol=tolerance, atol=tolerance):
                raise ModelError(
                    f"Expected the same answer for the same row, got {first_values[row]} and then {repeated_value} for "
                    f"{coalition_in_words(describe_coalition(coalitions, row))}. Switch off dropout, check that a row "
                    "does not depend on the other rows of its batch, and that the model draws nothing at random."
                )

    def _ask_again(self, coalition: Coalitions) -> Any:
        """The value of one coalition, evaluated in a separate batch without the store."""
        answers: list[Floats] = []
        distinct = DistinctRows.by_coalition(coalition, set_keys(coalition), self.masked.rows_per_call)
        self.engine.ask(
            [BatchRequest(self.masked, distinct, lambda _, outputs: answers.append(outputs), self.row_counter)]
        )
        return self.value(answers[0])[0]


def make_games(
    engine: Engine,
    inputs: Sequence[Masked],
    value: Value,
    store: Store,
    classes: Sequence[str] | None = None,
    progress: Progress | None = None,
    isolate_failures: bool = False,
    labels: Sequence[str] | None = None,
    y: Sequence[Any] | None = None,
) -> list[ModelGame | Exception]:
    """The games of several inputs. All full inputs are evaluated first, in shared batches, to fix the targets.

    With `isolate_failures`, an input on which this fails has the error at its position. `labels` name the inputs in
    errors. `y` are the true classes or numbers of the inputs, if the value is a loss.
    """
    pending = []
    for masked, label in zip(inputs, labels or [""] * len(inputs), strict=True):
        full_input = Coalitions.from_sets(masked.graph.d, [range(masked.graph.d)])
        pending.append(PendingRows(engine, masked, full_input, store, RowCounter(), None, label))
    games: list[ModelGame | Exception] = []
    answers = answer_pending(engine, pending, progress, isolate_failures)
    truths = [None] * len(inputs) if y is None else y
    for rows, outputs, truth in zip(pending, answers, truths, strict=True):
        try:
            if isinstance(outputs, Exception):
                raise outputs
            fixed = _fix_value(value, truth, outputs, engine.model.kind, classes, rows.label)
            fixed(outputs)  # raises an error if the value is not finite
            game = ModelGame(
                engine, rows.masked, fixed, store, progress, isolate_failures, rows.label, rows.row_counter
            )
            games.append(game)
        except ModelError as error:
            if not isolate_failures:
                raise
            games.append(error)
    return games


def _fix_value(
    value: Value, truth: Any, outputs: Floats, kind: Kind, classes: Sequence[str] | None, label: str
) -> FixedValue:
    """The value at an input with these outputs; an error about its y names the input."""
    try:
        return value.at(truth).resolve(outputs, kind, classes)
    except TargetError as error:
        if not (label and isinstance(value, Loss)):
            raise
        raise TargetError(f"{error} ({label})") from None


def evaluate_model_games(requests: Sequence[tuple[ModelGame, Coalitions]]) -> list[Floats]:
    """The values of coalitions of several inputs, in shared batches."""
    if not requests:
        return []
    game, values_of_games = requests[0][0], []
    for values in answer_pending(
        game.engine, [game.pending_rows(coalitions) for game, coalitions in requests], game.progress
    ):
        if isinstance(values, Exception):
            raise values
        values_of_games.append(values)
    return values_of_games


def at_target(game: ModelGame) -> Value:
    """The value function of a game for one class: its target, or the predicted class if no target was chosen."""
    value, fixed = game.value.value, game.value
    if fixed.multi_output and isinstance(value.target, str) and value.target == SAME_CLASSES:
        fixed = replace(value, target=None).resolve(fixed.full, fixed.kind, fixed.classes)
    elif not value.follows_prediction:
        return value
    return value if fixed.multi_output or not fixed.pairs else replace(value, target=fixed.pairs[0][0])


def _gradient(engine: Engine, masked: Masked, value: FixedValue) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gradient of v at the full input and the input less its reference, by unit: `(d, features[, values])`."""
    owners = masked.owners
    if owners is None or masked.rows_per_call > 1:
        raise MethodError(
            "Expected rows of numbers and one reference for a gradient, got other rows. Choose a method that needs "
            "only values."
        )
    model, d = engine.model, masked.graph.d
    empty_and_full = np.asarray(masked.rows(Coalitions.from_sets(d, [[], range(d)])), np.float64)
    rows = masked.rows(Coalitions.from_sets(d, [range(d)]))
    try:
        with engine.gate(1):
            gradients = [model.gradient(rows, weights[None])[0] for weights in value.gradient_weights()]
    except NotImplementedError:
        raise MethodError(
            f"Expected a model with a gradient, got {type(model).__name__}, which has none. Choose a method that needs "
            "only values."
        ) from None
    gradient = np.stack([_by_unit(g, owners, d) for g in gradients], axis=-1)
    return gradient if value.multi_output else gradient[..., 0], _by_unit(
        empty_and_full[1] - empty_and_full[0], owners, d
    )


def _by_unit(numbers: NDArray[np.float64], owners: NDArray[np.intp], d: int) -> NDArray[np.float64]:
    """The numbers of each unit side by side, `(d, features)`, zeros where a unit has fewer than others."""
    owner, flat = owners.ravel(), numbers.ravel()
    order = np.argsort(owner, kind="stable")
    order = order[np.searchsorted(owner[order], 0) :]
    counts = np.bincount(owner[order], minlength=d)
    column = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.zeros((d, int(counts.max())))
    table[owner[order], column] = flat[order]
    return table
