"""A model, a masked input and a value function, as a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Model
from ..core.adaptive import Alone, Broken
from ..core.coalitions import Coalitions
from ..core.game import AbstractGame, Tally, name
from ..core.graphs import Graph
from ..core.keys import set_keys
from ..core.store import Store
from ..core.trees import TreeGame
from ..errors import MethodError, ModelError
from ..maskers.base import Masked
from .engine import Engine, Question
from .parts import parts_engine, read_parts
from .progress import Progress
from .trees import tree_game
from .values import FixedValue, Value
from .wanted import Wanted, answer

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

    @property
    def trees(self) -> Callable[[], TreeGame]:  # type: ignore[override]
        """The same game as the trees of the model play it."""
        return partial(tree_game, self.engine.model, self.masked, self.value)

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
            raise Broken([want.finished for want in wanted], error) from error

    def wanted(self, coalitions: Coalitions) -> Wanted:
        """Coalitions of this input whose values are wanted."""
        if self.seen is not None:
            self.seen.update(set_keys(coalitions))
        return Wanted(self.engine, self.masked, coalitions, self.store, self.tally, self.value, self.label)

    def stands(self, coalitions: Coalitions) -> NDArray[np.bool_] | None:
        """Whether the model still decides as at the full input; None where it decides nothing."""
        want = Wanted(self.engine, self.masked, coalitions, self.store, self.tally, None, self.label)
        if want.complete:
            return self.value.stands(want.values)
        if self.store.lasting:  # another process has made room
            return self.value.stands(self._asked(want))
        raise ModelError("Expected coalitions that have been evaluated, got others. Evaluate them first.")

    def parts(self, coalitions: Coalitions) -> Floats:
        """What each unit adds to the value of each coalition, as the model says; `MethodError` where it does not."""
        engine = parts_engine(self.engine, self.masked, self.value)
        if self.seen is not None:
            self.seen.update(set_keys(coalitions))
        wanted = Wanted(engine, self.masked, coalitions, self.store, self.tally, None, self.label)
        (found,) = answer(engine, [wanted], self.progress, self.keep)
        if isinstance(found, Exception):
            raise Alone(found) from found
        return read_parts(found, self.masked, self.value)

    def _asked(self, want: Wanted) -> Floats:
        (found,) = answer(self.engine, [want], self.progress)
        if isinstance(found, Exception):
            raise found
        return found

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
                    f"Expected the same answer for the same row, got {once[row]} and then {value} for "
                    f"v({name(some, row)}). Switch off dropout, check that a row does not depend on the other "
                    "rows of its batch, and that the model draws nothing at random."
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
        wanted.append(Wanted(engine, masked, everything, store, Tally(), None, label))
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


def at_target(game: ModelGame) -> Value:
    """The value function of a game with its target fixed to what it is there."""
    value = game.value.value
    if value.target is not None or not game.value.pairs:
        return value
    return replace(value, target=game.value.pairs[0][0])


def _gradient(model: Model, masked: Masked, value: FixedValue) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gradient of v at the full input and the input less its reference, by unit: `(d, features[, values])`."""
    owners = masked.owners
    if owners is None or masked.rows_per_call > 1:
        raise MethodError(
            "Expected rows of numbers and one reference for a gradient, got other rows. Choose a method that needs "
            "only values."
        )
    d = masked.graph.d
    ends = np.asarray(masked.rows(Coalitions.from_sets(d, [[], range(d)])), np.float64)
    rows = masked.rows(Coalitions.from_sets(d, [range(d)]))
    try:
        found = [model.gradient(rows, weights[None])[0] for weights in value.gradient_weights()]
    except NotImplementedError:
        raise MethodError(
            f"Expected a model with a gradient, got {type(model).__name__}, which has none. Choose a method that needs "
            "only values."
        ) from None
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
