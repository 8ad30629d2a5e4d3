"""A game: any function from coalitions to numbers, called in batches and checked."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GameError
from .coalitions import Coalitions
from .keys import set_keys
from .store import Store
from .trees import TreeGame

_SPACE = b"game"  # a store belongs to one game alone
_BATCH_ROWS = 1024
_BATCH_CELLS = 1 << 26  # a batch of masks takes at most this many bytes, unless the user says otherwise


class Tally:
    """How many rows were really sent to a function or a model on behalf of one game."""

    def __init__(self) -> None:
        self.rows = self._taken = 0

    def take(self) -> int:
        """The rows sent since it was last asked."""
        count, self._taken = self.rows - self._taken, self.rows
        return count


class AbstractGame(ABC):
    """What a method sees of a game: a value for every coalition of `d` units.

    Attributes
    ----------
    d : the number of units.
    gradient : for gradient methods, see `Game`; None where there is none.
    trees : for `TreeSHAP`, see `Game`; None where there are none.
    tally : counts the rows that were sent.
    """

    d: int
    gradient: Callable[[], tuple[Any, Any]] | None
    trees: Callable[[], TreeGame] | None
    tally: Tally

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows a batch has at the most."""

    @abstractmethod
    def evaluate(self, coalitions: Coalitions) -> NDArray[np.float64]:
        """The value of each of `coalitions`: `(n,)`, or `(n, outputs)`."""

    @classmethod
    def evaluate_all(
        cls, requests: Sequence[tuple[AbstractGame, Coalitions]]
    ) -> Sequence[NDArray[np.float64] | Exception]:
        """Coalitions of several games, one game after the other; games that share a model share batches instead."""
        return [game.evaluate(coalitions) for game, coalitions in requests]

    def stands(self, coalitions: Coalitions) -> NDArray[np.bool_] | None:
        """Whether the decision at the full input still stands on each coalition; None where there is no decision.

        It is about coalitions that have been evaluated, and asks for nothing.
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
    store : remembers the values, so that nothing is evaluated twice, not even after a failure. It belongs to this game
        alone.
    trees : for `TreeSHAP` only: returns the same game as trees play it, or raises `MethodError` with the reason why
        there is none.
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
    trees: Callable[[], TreeGame] | None = field(default=None, kw_only=True)
    part_fn: Callable[[NDArray[np.bool_]], Any] | None = field(default=None, kw_only=True)
    tally: Tally = field(default_factory=Tally, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not callable(self.fn):
            raise GameError(f"Expected a function of a boolean array of shape (n, d), got {type(self.fn).__name__}.")
        for name, value in (("d", self.d), ("batch_size", self.batch_size)):
            try:
                good = value is None or operator.index(value) >= 1
            except TypeError:
                good = False
            if not good:
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
        known, _ = self.store.get(_SPACE, keys)
        unknown = {keys[row]: row for row in np.flatnonzero(~known).tolist()}
        self._evaluate(coalitions.take(np.fromiter(unknown.values(), np.intp, len(unknown))), self.store)
        _, values = self.store.get(_SPACE, keys)
        return np.empty(0) if values is None else values

    def parts(self, coalitions: Coalitions) -> NDArray[np.float64] | None:
        """What `part_fn` returns, checked."""
        if self.part_fn is None:
            return None
        found = []
        for start in range(0, len(coalitions), self.rows):
            stop = min(start + self.rows, len(coalitions))
            part = np.asarray(self.part_fn(coalitions.dense(start, stop)), np.float64)
            self.tally.rows += stop - start
            if part.ndim not in (2, 3) or part.shape[:2] != (stop - start, self.d):
                need = f"({stop - start}, {self.d}) or ({stop - start}, {self.d}, outputs)"
                raise GameError(f"Expected parts of shape {need}, got {part.shape}. Return a part for each unit.")
            if not np.isfinite(part).all():
                row = int(np.argwhere(~np.isfinite(part))[0, 0])
                where = name(coalitions, start + row)
                raise GameError(
                    f"Expected finite parts, got NaN or infinite ones for v({where}). Return finite numbers."
                )
            found.append(part)
        return np.concatenate(found) if found else np.empty((0, self.d))

    def _evaluate(self, coalitions: Coalitions, store: Store | None = None) -> NDArray[np.float64]:
        values: NDArray[np.float64] | None = None
        for start in range(0, len(coalitions), self.rows):
            stop = min(start + self.rows, len(coalitions))
            answer = self._ask(coalitions, start, stop)
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

    def _ask(self, coalitions: Coalitions, start: int, stop: int) -> NDArray[np.float64]:
        answer = self._call(coalitions.dense(start, stop))
        bad = np.flatnonzero(~np.isfinite(answer.reshape(len(answer), -1)).all(axis=1))
        if len(bad):
            row = int(bad[0])
            raise GameError(
                f"Expected a finite value of v({name(coalitions, start + row)}), got {answer[row]}. Return "
                "finite numbers for every coalition."
            )
        if self.check:
            again = self._call(coalitions.dense(start, stop)[::-1])[::-1]
            same = again.shape == answer.shape and np.isclose(again, answer, rtol=self.tolerance, atol=self.tolerance)
            differs = np.flatnonzero(~np.reshape(same, (len(answer), -1)).all(axis=1)) if np.ndim(same) else [0]
            if len(differs):
                row = int(differs[0])
                raise GameError(
                    f"Expected the same value for the same coalition, got {answer[row]} and then {again[row]} "
                    f"for v({name(coalitions, start + row)}). Switch off dropout, and check that a row does "
                    "not depend on the other rows of its batch."
                )
        return answer

    def _call(self, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        n = len(kept)
        answer = np.asarray(self.fn(kept))
        self.tally.rows += n
        if answer.dtype.kind not in "fiub":
            raise GameError(f"Expected real numbers from the game for {n} coalitions, got {answer.dtype}.")
        if answer.ndim not in (1, 2) or len(answer) != n or 0 in answer.shape:
            raise GameError(
                f"Expected values of shape ({n},) or ({n}, outputs) from the game for {n} coalitions, got "
                f"{answer.shape}."
            )
        return answer.astype(np.float64)


def name(coalitions: Coalitions, row: int, most: int = 12) -> str:
    """A coalition in words, for messages: ∅, {0, 3}, or a few of its units and how many there are."""
    kept = coalitions[row]
    if not kept:
        return "∅"
    if len(kept) == coalitions.d:
        return "V"
    shown = ", ".join(map(str, kept[:most]))
    return f"{{{shown}}}" if len(kept) <= most else f"{{{shown}, ... {len(kept)} of {coalitions.d} units}}"
