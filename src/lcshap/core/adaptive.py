"""Run methods that choose coalitions by what they have seen: several inputs at once, round by round.

An adaptive method is a *program*: a generator that yields the `Coalitions` it wants next, is sent their values, and in
the end returns its outcome. `drive` advances the programs of many inputs together. In each round it collects what all
of them ask for and evaluates it in one call, so that rows of different inputs can share a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import GameError
from .coalitions import Coalitions
from .game import Game

Outcome = TypeVar("Outcome")
Values = NDArray[np.float64]
Program = Generator[Coalitions, Values, Outcome]
Requests = list[tuple[int, Coalitions]]
Evaluate = Callable[[Requests], Sequence[Values]]
Key = tuple[bool, int, bytes]

_BYTES = np.dtype(np.int32).itemsize  # of a unit's index
_LONG = 256  # bytes of a set that is kept as it is


class Stopped(Exception):  # noqa: N818 - a signal, like GeneratorExit, and not an error to show to anyone
    """Thrown into a program when no more values will come. It catches this and returns what it knows, if anything."""


class Memo:
    """The values of one input so far, by coalition. A program that counts calls shares it with `drive`."""

    def __init__(self) -> None:
        self._values: dict[Key, Values] = {}

    @property
    def calls(self) -> int:
        """How many distinct coalitions have been evaluated."""
        return len(self._values)

    def new(self, coalitions: Coalitions) -> NDArray[np.intp]:
        """The rows that have not been evaluated yet, each distinct coalition once."""
        rows: dict[Key, int] = {}
        for row, key in enumerate(_keys(coalitions)):
            if key not in self._values:
                rows.setdefault(key, row)
        return np.array(list(rows.values()), np.intp)

    def knows(self, coalitions: Coalitions) -> NDArray[np.bool_]:
        """Which of them have been evaluated."""
        return np.array([key in self._values for key in _keys(coalitions)], bool)

    def add(self, coalitions: Coalitions, values: Values) -> None:
        """Remember the value of each coalition."""
        if len(values) != len(coalitions):
            raise GameError(f"{len(values)} values for {len(coalitions)} coalitions")
        self._values.update(zip(_keys(coalitions), values, strict=True))

    def look_up(self, coalitions: Coalitions) -> Values:
        """The values of coalitions that are all known."""
        return np.array([self._values[key] for key in _keys(coalitions)], np.float64)


@dataclass(frozen=True)
class Driven(Generic[Outcome]):
    """What came of some programs.

    Attributes
    ----------
    outcomes : what each program returned; None for one that was stopped before it knew anything.
    calls : the distinct coalitions evaluated for each.
    rounds : how often `evaluate` was called.
    error : what stopped them (KeyboardInterrupt, an error of the model), or None where all came to their end.
    """

    outcomes: list[Outcome | None]
    calls: list[int]
    rounds: int
    error: BaseException | None = None


def drive(
    programs: Sequence[Program[Outcome]], evaluate: Evaluate, memos: Sequence[Memo] | None = None
) -> Driven[Outcome]:
    """Advance programs in lockstep until all have returned.

    A coalition is evaluated once for each program, however often it asks. When `evaluate` fails, or on Ctrl-C, the
    programs that are under way get `Stopped` and return what they know; the error comes back beside the outcomes, for
    the caller to raise or not.

    Parameters
    ----------
    programs : one generator for each input, not yet started.
    evaluate : takes `(number of the program, coalitions)` for each program that needs values in this round, and returns
        the values in the same order. See `evaluate_games`.
    memos : the memo of each program, for programs that look into theirs.

    Examples
    --------
    >>> import lcshap as lc
    >>> def best_single(d):
    ...     values = yield Coalitions.from_sets(d, [[i] for i in range(d)])
    ...     return int(values.argmax())
    >>> games = [lc.Game(lambda kept: kept @ [1.0, 3.0, 2.0], 3), lc.Game(lambda kept: kept @ [5.0, 4.0], 2)]
    >>> drive([best_single(3), best_single(2)], evaluate_games(games))
    Driven(outcomes=[1, 0], calls=[3, 2], rounds=1, error=None)
    """
    memos = [Memo() for _ in programs] if memos is None else memos
    outcomes: list[Outcome | None] = [None] * len(programs)
    asked: dict[int, Coalitions] = {}
    rounds = 0
    error: BaseException | None = None

    def advance(number: int, values: Values | None) -> None:
        program, memo = programs[number], memos[number]
        try:
            request = next(program) if values is None else program.send(values)
            while not len(memo.new(request)):  # it need not wait for the others to get what is known
                request = program.send(memo.look_up(request))
            asked[number] = request
        except StopIteration as end:
            asked.pop(number, None)
            outcomes[number] = end.value

    try:
        for number in range(len(programs)):
            advance(number, None)
        while asked:
            new = [(n, request.take(memos[n].new(request))) for n, request in asked.items()]
            try:
                answers = evaluate(new)
            except Exception as e:
                error = e
                break
            rounds += 1
            for (number, request), values in zip(new, answers, strict=True):
                memos[number].add(request, values)
            for number, request in list(asked.items()):
                advance(number, memos[number].look_up(request))
    except KeyboardInterrupt as e:  # in a model or between two calls
        error = e
    for number in asked:
        outcomes[number] = _stop(programs[number])
    return Driven(outcomes, [memo.calls for memo in memos], rounds, error)


def evaluate_games(games: Sequence[Game]) -> Evaluate:
    """Evaluate each request with the game of its number; games of one model in shared batches."""

    def evaluate(requests: Requests) -> Sequence[Values]:
        together = type(games[0]) if len({type(game) for game in games}) == 1 else Game
        return together.evaluate_all([(games[number], coalitions) for number, coalitions in requests])

    return evaluate


def _stop(program: Program[Outcome]) -> Outcome | None:
    try:
        program.throw(Stopped())
    except StopIteration as end:
        known: Outcome = end.value
        return known
    except Stopped:
        return None
    program.close()  # it asked for more although it was told that there is none
    return None


def _keys(coalitions: Coalitions) -> list[Key]:
    """Equal for equal sets, however they are stored, and different for others.

    Small sets are their own keys. A large one, which in a memo of many would fill the memory, is known by 32 bytes of
    a cryptographic hash.
    """
    c = coalitions.canonical()
    bounds, flat = (_BYTES * c.offsets).tolist(), c.indices.tobytes()
    sets = [flat[start:stop] for start, stop in pairwise(bounds)]
    short = [s if len(s) <= _LONG else blake2b(s, digest_size=32).digest() for s in sets]
    return list(zip(c.removed.tolist(), map(len, sets), short, strict=True))
