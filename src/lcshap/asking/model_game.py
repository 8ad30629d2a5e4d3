"""A model, a masked input and a value function, as a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Model
from ..core.adaptive import Broken
from ..core.coalitions import Coalitions
from ..core.digest import digest
from ..core.game import AbstractGame, Tally, name
from ..core.graphs import Graph
from ..core.keys import set_keys
from ..core.store import Store
from ..errors import MethodError, ModelError
from ..maskers.base import Masked
from .engine import Engine, Places, Question
from .progress import Progress
from .values import FixedValue, Value

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ModelGame(AbstractGame):
    """v(S) of one input. What the model has answered is in the store, so nothing is asked twice.

    Attributes
    ----------
    engine, masked, value : the model, the input, and the number that is explained.
    store : what the model has answered so far.
    progress : counts the answers, for people who wait.
    keep : whether a failure of the model ends this game alone, and not all games that share a batch with it.
    label : names the input in errors.
    seen : takes the key of every coalition that is evaluated, where somebody wants to count them.
    """

    engine: Engine
    masked: Masked
    value: FixedValue
    store: Store
    progress: Progress | None = None
    keep: bool = False
    label: str = ""
    tally: Tally = field(default_factory=Tally)
    seen: set[bytes] | None = field(default=None, repr=False)

    @property
    def d(self) -> int:  # type: ignore[override]
        """The number of units."""
        return self.masked.graph.d

    @property
    def graph(self) -> Graph:
        """The units and who is next to whom."""
        return self.masked.graph

    @property
    def calls(self) -> int:
        """How many distinct coalitions have been evaluated, where `seen` takes note of them."""
        return 0 if self.seen is None else len(self.seen)

    @property
    def rows(self) -> int:
        """How many rows a batch has."""
        return self.engine.size.best

    @property
    def gradient(self) -> Callable[[], tuple[Any, Any]]:  # type: ignore[override]
        """The gradient of v at the full input, and the input less its reference."""
        return partial(_gradient, self.engine.model, self.masked, self.value)

    def evaluate(self, coalitions: Coalitions) -> Floats:
        """The value of each coalition."""
        return evaluate_games([(self, coalitions)])[0]

    @classmethod
    def evaluate_all(cls, requests: Sequence[tuple[AbstractGame, Coalitions]]) -> list[Floats | Exception]:
        """Coalitions of several inputs, in shared batches. What the store knows is not asked again."""
        games = [game for game, _ in requests if isinstance(game, ModelGame)]
        wanted = [game.wanted(coalitions) for game, (_, coalitions) in zip(games, requests, strict=True)]
        try:
            return answer(games[0].engine, wanted, games[0].progress, games[0].keep)
        except (ModelError, KeyboardInterrupt) as error:
            raise Broken([want.values if want.complete else None for want in wanted], error) from error

    def wanted(self, coalitions: Coalitions) -> Wanted:
        """Coalitions of this input whose values are wanted."""
        if self.seen is not None:
            self.seen.update(set_keys(coalitions))
        return Wanted(self.engine, self.masked, coalitions, self.store, self.tally, self.value, self.label)

    def stands(self, coalitions: Coalitions) -> NDArray[np.bool_] | None:
        """Whether the model still decides as at the full input; None where it decides nothing."""
        known, outputs = self.store.get(space(self.engine, self.masked), self.masked.keys(coalitions))
        if outputs is None or not known.all():
            raise ModelError("only coalitions that have been evaluated can be asked about the decision")
        return self.value.stands(outputs)

    def check(self, rows: int = 8, tolerance: float = 1e-4) -> None:
        """Ask about some coalitions a second time, in batches of one, and raise if the answers differ.

        This finds dropout that was left on, rows of a batch that influence each other, and models with a state.
        """
        mask = np.random.default_rng(0).random((max(rows - 2, 0), self.d)) < 0.5
        ends = np.stack([np.zeros(self.d, bool), np.ones(self.d, bool)])
        some = Coalitions.from_dense(np.concatenate([ends, mask])).unique()[0]
        once = self.evaluate(some)
        for row in reversed(range(len(some))):
            one, again = some[row : row + 1], list[Floats]()
            self.engine.ask([Question(self.masked, one, lambda _, a, found=again: found.append(a), self.tally)])  # type: ignore[misc]
            value = self.value(again[0])[0]
            if not np.allclose(value, once[row], rtol=tolerance, atol=tolerance):
                raise ModelError(
                    f"Asked twice, the model gave two answers for v({name(some, row)}): {once[row]} and {value}. "
                    "Is dropout on, does a row depend on the others in its batch, or does the model draw at random?"
                )


def make_games(
    engine: Engine,
    inputs: Sequence[Masked],
    value: Value,
    store: Store,
    classes: Sequence[str] | None = None,
    progress: Progress | None = None,
    keep: bool = False,
    labels: Sequence[str] | None = None,
) -> list[ModelGame | Exception]:
    """The games of several inputs. The model sees all the full inputs first, in shared batches, to fix the targets.

    With `keep`, the place of an input on which that fails holds the error. `labels` name the inputs in errors.
    """
    wanted = []
    for masked, label in zip(inputs, labels or [""] * len(inputs), strict=True):
        everything = Coalitions.from_sets(masked.graph.d, [range(masked.graph.d)])
        wanted.append(Wanted(engine, masked, everything, store, Tally(), _as_they_are, label))
    games: list[ModelGame | Exception] = []
    for want, full in zip(wanted, answer(engine, wanted, progress, keep), strict=True):
        try:
            if isinstance(full, Exception):
                raise full
            fixed = value.resolve(full, engine.model.kind, classes)
            fixed(full)  # a value that is not finite is found here
            game = ModelGame(engine, want.masked, fixed, store, progress, keep, want.label, want.tally)
            games.append(game)
        except ModelError as error:
            if not keep:
                raise
            games.append(error)
    return games


class Wanted:
    """Coalitions of one input whose values are wanted: what the store knows of them, and what is left to ask.

    Rows that are equal are asked once, also where their coalitions differ.
    """

    def __init__(
        self,
        engine: Engine,
        masked: Masked,
        coalitions: Coalitions,
        store: Store,
        tally: Tally,
        convert: Callable[[Floats], Floats],
        label: str = "",
    ) -> None:
        self.masked, self.store, self.tally, self.label, self._convert = masked, store, tally, label, convert
        numbers: dict[bytes, int] = {}
        keys = masked.keys(coalitions)
        self._inverse = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.intp, len(keys))
        self._keys = list(numbers)
        self._known = np.zeros(len(numbers), bool)
        self._values: Floats | None = None
        self._space = space(engine, masked)
        known, outputs = store.get(self._space, self._keys)
        if len(numbers) < len(keys):
            coalitions = coalitions.take(np.unique(self._inverse, return_index=True)[1])
        self._new = np.flatnonzero(~known)
        self.coalitions = coalitions.take(self._new) if known.any() else coalitions
        if outputs is not None:
            self._set(np.flatnonzero(known), convert(outputs))

    @property
    def question(self) -> Question:
        """What is left to ask."""
        return Question(self.masked, self.coalitions, self._deliver, self.tally, self.label)

    @property
    def complete(self) -> bool:
        """Whether all values are there."""
        return bool(self._known.all())

    @property
    def values(self) -> Floats:
        """The value of each coalition, once all are there."""
        return np.empty(0) if self._values is None else self._values[self._inverse]

    def _deliver(self, places: Places, outputs: Floats) -> None:
        if not len(places):
            return
        rows = self._new[places]
        try:
            self._set(rows, self._convert(outputs))
            self.store.put(self._space, [self._keys[row] for row in rows], outputs)
        except ModelError as error:
            if error.row is None:
                raise
            raise ModelError(f"{error} (the coalition {name(self.coalitions, places[error.row])})") from error

    def _set(self, rows: Places, values: Floats) -> None:
        if self._values is None:
            self._values = np.empty((len(self._keys), *values.shape[1:]))
        if values.shape[1:] != self._values.shape[1:]:
            raise ModelError(
                f"the model gave outputs of shape {self._values.shape[1:]} for some rows, {values.shape[1:]} for others"
            )
        self._values[rows] = values
        self._known[rows] = True


def evaluate_games(requests: Sequence[tuple[ModelGame, Coalitions]]) -> list[Floats]:
    """The values of coalitions of several inputs, in shared batches."""
    if not requests:
        return []
    game, found = requests[0][0], []
    for values in answer(game.engine, [game.wanted(coalitions) for game, coalitions in requests], game.progress):
        if isinstance(values, Exception):
            raise values
        found.append(values)
    return found


def answer(
    engine: Engine, wanted: Sequence[Wanted], progress: Progress | None = None, keep: bool = False
) -> list[Floats | Exception]:
    """The values of what is wanted; with `keep`, the error of an input on which the model fails."""
    errors = engine.ask([want.question for want in wanted], progress, keep)
    return [want.values if error is None else error for want, error in zip(wanted, errors, strict=True)]


def space(engine: Engine, masked: Masked) -> bytes:
    """What tells this model and this input from others in a store."""
    return digest(engine.fingerprint, masked.key)


def at_target(game: ModelGame) -> Value:
    """The value function of a game with its target fixed to what it is there."""
    value = game.value.value
    if value.target is not None or not game.value.pairs:
        return value
    return replace(value, target=game.value.pairs[0][0])


def _as_they_are(outputs: Floats) -> Floats:
    return outputs


def _gradient(model: Model, masked: Masked, value: FixedValue) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gradient of v at the full input and the input less its reference, by unit: `(d, features[, values])`."""
    owners = masked.owners
    if owners is None or masked.rows_per_call > 1:
        raise MethodError("gradients need rows of numbers and one reference: choose a method that needs only values")
    d = masked.graph.d
    ends = masked.rows(Coalitions.from_sets(d, [[], range(d)])).astype(np.float64)
    rows = masked.rows(Coalitions.from_sets(d, [range(d)]))
    try:
        found = [model.gradient(rows, weights[None])[0] for weights in value.gradient_weights()]
    except NotImplementedError:
        raise MethodError(f"{type(model).__name__} knows no gradient: choose a method that needs only values") from None
    gradient = np.stack([_by_unit(g, owners, d) for g in found], axis=-1)
    return gradient if value.several else gradient[..., 0], _by_unit(ends[1] - ends[0], owners, d)


def _by_unit(numbers: NDArray[np.float64], owners: NDArray[np.intp], d: int) -> NDArray[np.float64]:
    """The numbers of each unit side by side, `(d, features)`, zeros where a unit has fewer than others."""
    owner, flat = owners.ravel(), numbers.ravel()
    order = np.argsort(owner, kind="stable")
    order = order[np.searchsorted(owner[order], 0) :]
    counts = np.bincount(owner[order], minlength=d)
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.zeros((d, int(counts.max())))
    table[owner[order], place] = flat[order]
    return table
