"""A model, a masked input and a value function, as a game."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Model
from ..core.adaptive import Memo
from ..core.coalitions import Coalitions
from ..core.game import Game, name
from ..errors import MethodError, ModelError
from ..maskers.base import Masked
from .engine import Engine
from .values import FixedValue, Value

Log = list[tuple[Coalitions, NDArray[np.float64]]]


@dataclass(frozen=True, eq=False)
class ModelGame(Game):
    """v(S) of one input. It knows v(V) from the start: the target was fixed there.

    Attributes
    ----------
    log : what has been evaluated so far, so that nothing is lost when the model fails.
    known : values of an earlier attempt.
    """

    engine: Engine = field(kw_only=True)
    masked: Masked = field(kw_only=True)
    value: FixedValue = field(kw_only=True)
    full: NDArray[np.float64] = field(kw_only=True)
    known: Memo | None = field(default=None, kw_only=True)
    log: Log = field(default_factory=list, kw_only=True)

    @classmethod
    def make(
        cls, engine: Engine, inputs: Sequence[Masked], value: Value, classes: Sequence[str] | None = None
    ) -> list[ModelGame]:
        """The games of several inputs; the model sees all the full inputs first, in shared batches."""
        everything = [Coalitions.from_sets(m.graph.d, [range(m.graph.d)]) for m in inputs]
        outputs = engine.outputs(list(zip(inputs, everything, strict=True)))
        games = []
        for masked, answer in zip(inputs, outputs, strict=True):
            fixed = value.resolve(answer, engine.model.kind, classes)
            gradient = partial(_gradient, engine.model, masked, fixed)
            d, full = masked.graph.d, fixed(answer)
            games.append(cls(_unused, d, gradient=gradient, engine=engine, masked=masked, value=fixed, full=full))
        return games

    @property
    def rows(self) -> int:
        """How many rows a batch has."""
        return self.engine.size.best

    def evaluate(self, coalitions: Coalitions) -> NDArray[np.float64]:
        """The value of each coalition."""
        return self.evaluate_all([(self, coalitions)])[0]

    @classmethod
    def evaluate_all(cls, requests: Sequence[tuple[Game, Coalitions]]) -> list[NDArray[np.float64]]:
        """Coalitions of several inputs, in shared batches. What is known, v(V) for one, is not asked again."""
        games = [game for game, _ in requests if isinstance(game, ModelGame)]
        assert len(games) == len(requests)
        new = [np.flatnonzero(~game.knows(c)) for game, (_, c) in zip(games, requests, strict=True)]
        asked = [c.take(rows) for (_, c), rows in zip(requests, new, strict=True)]
        try:
            outputs = games[0].engine.outputs([(g.masked, c) for g, c in zip(games, asked, strict=True)])
        except (ModelError, KeyboardInterrupt) as error:
            for game, coalitions, answer in zip(games, asked, error.finished, strict=True):  # type: ignore[union-attr]
                if answer is not None:
                    game._note(coalitions, answer)
            raise
        found = []
        for game, (_, coalitions), rows, some, answer in zip(games, requests, new, asked, outputs, strict=True):
            values = game._known_values(coalitions)
            if len(rows):
                values[rows] = game._values(answer, some)
                game.log.append((some, values[rows]))
            found.append(values)
        return found

    def resume(self, log: Log) -> ModelGame:
        """The same game, with values that are known from elsewhere: they are not asked again."""
        known = Memo()
        for coalitions, values in log:
            if coalitions.d != self.d:
                raise MethodError("resume is about other inputs: give the error that this very call raised before")
            known.add(coalitions, values)
        return replace(self, known=known, log=list(log))

    def knows(self, coalitions: Coalitions) -> NDArray[np.bool_]:
        """Which values are known already."""
        full = coalitions.sizes == coalitions.d
        return np.asarray(full if self.known is None else full | self.known.knows(coalitions))

    def _known_values(self, coalitions: Coalitions) -> NDArray[np.float64]:
        """The values, those that are not known anything."""
        values = np.repeat(self.full, len(coalitions), axis=0)
        if self.known is not None:
            rows = np.flatnonzero(self.known.knows(coalitions))
            if len(rows):
                values[rows] = self.known.look_up(coalitions.take(rows))
        return values

    def _note(self, coalitions: Coalitions, answer: NDArray[np.float64]) -> None:
        """Keep the values of what the model has answered before it failed."""
        rows = np.flatnonzero(np.isfinite(answer).all(axis=(1, 2)))
        with suppress(ModelError):  # answers that make no value are no loss
            self.log.append((coalitions.take(rows), self.value(answer[rows])))

    def _values(self, answer: NDArray[np.float64], coalitions: Coalitions) -> NDArray[np.float64]:
        try:
            return self.value(answer)
        except ModelError as error:
            if error.row is None:
                raise
            raise ModelError(f"{error} (the coalition {name(coalitions, error.row)})") from error


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


def _unused(kept: Any) -> Any:
    raise NotImplementedError("a model game evaluates sparse coalitions")
