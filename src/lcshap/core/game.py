"""A game: any function from coalitions to numbers, called in batches and checked."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GameError, MethodError
from .coalitions import Coalitions
from .store import Store
from .store_keys import set_keys
from .structures import StructureGame

_SPACE = b"game"  # a store belongs to a single game
_BATCH_ROWS = 1024
_BATCH_CELLS = 1 << 26  # a batch of masks takes at most this many bytes, unless the user says otherwise


class RowCounter:
    """Counts the rows that were sent to a function or a model for one game."""

    def __init__(self) -> None:
        self.rows = self._count_at_reset = 0

    def read_and_reset(self) -> int:
        """The number of rows sent since the last call of this method."""
        count, self._count_at_reset = self.rows - self._count_at_reset, self.rows
        return count


class AbstractGame(ABC):
    """The interface of games that methods use: a value for every coalition of `d` units.

    Attributes
    ----------
    d : the number of units.
    gradient : for gradient methods, see `Game`; None where there is none.
    row_counter : counts the rows that were sent.
    """

    d: int
    gradient: Callable[[], tuple[Any, Any]] | None
    row_counter: RowCounter

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows a batch has at the most."""

    @property
    def rows_per_call(self) -> int:
        """How many model rows a coalition takes: more than one where there are several background rows."""
        return 1

    @abstractmethod
    def evaluate(self, coalitions: Coalitions) -> NDArray[np.float64]:
        """The value of each of `coalitions`: `(n,)`, or `(n, outputs)`."""

    @classmethod
    def evaluate_all(
        cls, requests: Sequence[tuple[AbstractGame, Coalitions]]
    ) -> Sequence[NDArray[np.float64] | Exception]:
        """Coalitions of several games, one game after the other; games that share a model share batches instead."""
        return [game.evaluate(coalitions) for game, coalitions in requests]

    def used_units(self) -> list[int] | None:
        """The units that v depends on, if this is known from the model; None if any of them may change it."""
        return None

    def depends_only_on(self, units: list[int]) -> bool:
        """Whether v is the same without all other units. A few coalitions are evaluated."""
        return len(units) == self.d

    def read_structure(self, name: str) -> StructureGame:
        """The same game, computed from what a `TableMethod` reads from the model; `MethodError` if this is impossible.

        Parameters
        ----------
        name : what is read, such as "trees".
        """
        raise MethodError(
            f"Expected a model of a table with {name} that can be read, got a game without {name}. Choose a method "
            "that needs only values, such as GraphKernelSHAP."
        )

    def decision_unchanged(self, coalitions: Coalitions) -> NDArray[np.bool_] | None:
        """Whether the decision at the full input still stands on each coalition; None where there is no decision.

        The coalitions must have been evaluated before; nothing is evaluated here.
        """
        return None

    def parts(self, coalitions: Coalitions) -> NDArray[np.float64] | None:
        """What each unit adds to the value of each of `coalitions`, `(n, d)` or `(n, d, outputs)`; None: not known.

        Over the units the parts sum to the value, but for a constant.
        """
        return None


@dataclass(frozen=True)
class Game(AbstractGame):
    """A value for every coalition of `d` units.

    Parameters
    ----------
    fn : takes a boolean array `(n, d)`, one coalition a row, True where a unit is kept; returns `n` numbers, or an
        array `(n, outputs)` for several outputs at once.
    d : the number of units.
    batch_size : the largest `n` that `fn` is called with. By default 1,024 rows, fewer where a row is very long.
    check : call `fn` a second time on every batch, in reverse order, and raise unless the answers are the same to
        `tolerance` (relative). Finds dropout that was left on, rows of a batch that influence each other, and state.
    gradient : for gradient methods only, see `Saliency`: returns the gradient of v at the full input, and the input
        less its reference, both `(d, features)`.
    store : stores the values, so that no coalition is evaluated twice, not even after a failure. A store must not be
        shared with another game.
    structures : for methods that read a model: by the name of the structure, such as "trees", functions that return
        the same game as a `StructureGame`, or raise `MethodError` with the reason why that is impossible.
    part_fn : for `ReceptiveShapley` only: as `fn`, but returns `(n, d)` or `(n, d, outputs)`, a part of the value for
        each unit. The parts of a coalition sum to its value, but for a constant.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> v = lc.Game(lambda kept: kept @ np.array([1.0, 2.0, 4.0]), 3)
    >>> lc.Shapley().explain(v, lc.Graph.chain(3)).scores
    array([1., 2., 4.])
    """

    fn: Callable[[NDArray[np.bool_]], Any]
    d: int
    batch_size: int | None = None
    check: bool = False
    tolerance: float = 1e-6
    gradient: Callable[[], tuple[Any, Any]] | None = None
    store: Store | None = field(default=None, kw_only=True)
    structures: Mapping[str, Callable[[], StructureGame]] = field(default_factory=dict, compare=False, kw_only=True)
    part_fn: Callable[[NDArray[np.bool_]], Any] | None = field(default=None, kw_only=True)
    row_counter: RowCounter = field(default_factory=RowCounter, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not callable(self.fn):
            raise GameError(f"Expected a function of a boolean array of shape (n, d), got {type(self.fn).__name__}.")
        for name, value in (("d", self.d), ("batch_size", self.batch_size)):
            try:
                valid = value is None or operator.index(value) >= 1
            except TypeError:
                valid = False
            if not valid:
                raise GameError(f"Expected {name} as an integer of at least 1, got {value!r}.")

    @property
    def rows(self) -> int:
        """How many rows a batch has at the most."""
        return self.batch_size or max(1, min(_BATCH_ROWS, _BATCH_CELLS // self.d))

    def evaluate(self, coalitions: Coalitions) -> NDArray[np.float64]:
        """The value of each coalition: `(n,)`, or `(n, outputs)` if that is what `fn` returns."""
        if coalitions.d != self.d:
            raise GameError(
                f"Expected coalitions over the {self.d} units of the game, got coalitions over {coalitions.d} units."
            )
        if self.store is None:
            return self._evaluate(coalitions)
        keys = set_keys(coalitions)
        is_stored, _ = self.store.get(_SPACE, keys)
        missing = {keys[row]: row for row in np.flatnonzero(~is_stored).tolist()}
        self._evaluate(coalitions.take(np.fromiter(missing.values(), np.intp, len(missing))), self.store)
        _, values = self.store.get(_SPACE, keys)
        return np.empty(0) if values is None else values

    def read_structure(self, name: str) -> StructureGame:
        """What the function of this name in `structures` returns."""
        return self.structures[name]() if name in self.structures else super().read_structure(name)

    def parts(self, coalitions: Coalitions) -> NDArray[np.float64] | None:
        """The return values of `part_fn`, checked."""
        if self.part_fn is None:
            return None
        batches = []
        for start in range(0, len(coalitions), self.rows):
            stop = min(start + self.rows, len(coalitions))
            batch = np.asarray(self.part_fn(coalitions.dense(start, stop)), np.float64)
            self.row_counter.rows += stop - start
            if batch.ndim not in (2, 3) or batch.shape[:2] != (stop - start, self.d):
                shapes = f"({stop - start}, {self.d}) or ({stop - start}, {self.d}, outputs)"
                raise GameError(f"Expected parts of shape {shapes}, got {batch.shape}. Return a part for each unit.")
            if not np.isfinite(batch).all():
                row = int(np.argwhere(~np.isfinite(batch))[0, 0])
                coalition = describe_coalition(coalitions, start + row)
                raise GameError(
                    f"Expected finite parts, got NaN or infinite ones for v({coalition}). Return finite numbers."
                )
            batches.append(batch)
        return np.concatenate(batches) if batches else np.empty((0, self.d))

    def _evaluate(self, coalitions: Coalitions, store: Store | None = None) -> NDArray[np.float64]:
        values: NDArray[np.float64] | None = None
        for start in range(0, len(coalitions), self.rows):
            stop = min(start + self.rows, len(coalitions))
            answer = self._evaluate_batch(coalitions, start, stop)
            if values is None:
                values = np.empty((len(coalitions), *answer.shape[1:]))
            if answer.shape[1:] != values.shape[1:]:
                raise GameError(
                    f"Expected outputs of shape {values.shape[1:]}, as the game returned before, got "
                    f"{answer.shape[1:]}. Return the same number of outputs for every batch."
                )
            values[start:stop] = answer
            if store is not None:
                store.put(_SPACE, set_keys(coalitions[start:stop]), answer)
        return np.empty(0) if values is None else values

    def _evaluate_batch(self, coalitions: Coalitions, start: int, stop: int) -> NDArray[np.float64]:
        answer = self._call_function(coalitions.dense(start, stop))
        bad = np.flatnonzero(~np.isfinite(answer.reshape(len(answer), -1)).all(axis=1))
        if len(bad):
            row = int(bad[0])
            raise GameError(
                f"Expected a finite value of v({describe_coalition(coalitions, start + row)}), got {answer[row]}. "
                "Return finite numbers for every coalition."
            )
        if self.check:
            again = self._call_function(coalitions.dense(start, stop)[::-1])[::-1]
            same = again.shape == answer.shape and np.isclose(again, answer, rtol=self.tolerance, atol=self.tolerance)
            differs = np.flatnonzero(~np.reshape(same, (len(answer), -1)).all(axis=1)) if np.ndim(same) else [0]
            if len(differs):
                row = int(differs[0])
                raise GameError(
                    f"Expected the same value for the same coalition, got {answer[row]} and then {again[row]} "
                    f"for v({describe_coalition(coalitions, start + row)}). Switch off dropout, and check that a row "
                    "does not depend on the other rows of its batch."
                )
        return answer

    def _call_function(self, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        n = len(mask)
        answer = np.asarray(self.fn(mask))
        self.row_counter.rows += n
        if answer.dtype.kind not in "fiub":
            raise GameError(f"Expected real numbers from the game for {n} coalitions, got {answer.dtype}.")
        if answer.ndim not in (1, 2) or len(answer) != n or 0 in answer.shape:
            raise GameError(
                f"Expected values of shape ({n},) or ({n}, outputs) from the game for {n} coalitions, got "
                f"{answer.shape}."
            )
        return answer.astype(np.float64)


def describe_coalition(coalitions: Coalitions, row: int, max_units: int = 12) -> str:
    """A short description of a coalition for messages: ∅, {0, 3}, or its first units and their number."""
    units = coalitions[row]
    if not units:
        return "∅"
    if len(units) == coalitions.d:
        return "V"
    listed = ", ".join(map(str, units[:max_units]))
    return f"{{{listed}}}" if len(units) <= max_units else f"{{{listed}, ... {len(units)} of {coalitions.d} units}}"
