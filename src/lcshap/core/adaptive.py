"""Run methods on several inputs at once, round by round.

Every method is a *program* for one input: a generator that yields the `Coalitions` it wants next, is sent their values,
and in the end returns its explanation. A method with a plan asks once; a path or an anytime estimate asks again and
again. `drive` advances the programs of many inputs together. In each round it collects what all of them ask for and
evaluates it in one call, so that rows of different inputs can share a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .coalitions import Coalitions
from .game import AbstractGame

Outcome = TypeVar("Outcome")
Values = NDArray[np.float64]
Program = Generator[Coalitions, Values, Outcome]
Requests = list[tuple[int, Coalitions]]
Evaluate = Callable[[Requests], "Sequence[Values | Exception]"]


class Broken(Exception):  # noqa: N818 - a signal between `evaluate` and `drive`, which nobody else sees
    """Raised by `evaluate` when it fails on the way: the values of those programs that have all of theirs."""

    def __init__(self, answers: Sequence[Values | None], error: BaseException) -> None:
        super().__init__(str(error))
        self.answers, self.error = answers, error


class Alone(Exception):  # noqa: N818 - a signal between a game and `drive`, which nobody else sees
    """Raised within a program by a game that fails when it is asked there: it ends this program, and no other."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def drive(
    programs: Sequence[Program[Outcome]],
    evaluate: Evaluate,
    found: list[Outcome | Exception | None] | None = None,
) -> list[Outcome | Exception | None]:
    """Advance programs in lockstep until all have returned.

    Parameters
    ----------
    programs : one generator for each input, not yet started.
    evaluate : takes `(number of the program, coalitions)` for each program that needs values in this round, and returns
        the values in the same order; or, in place of the values of one program, the error that ends this program
        alone. See `evaluate_games`. If it fails for all, it may raise `Broken` to say which programs have all of their
        values: these are finished first.
    found : a list that takes what each program returns as soon as it does, so that whatever is finished is there when
        `evaluate` raises or Ctrl-C comes. An entry that is not None belongs to an input that is already done: its
        program is not started.

    Returns
    -------
    `found`: for each program what it returned, or the error that ended it.

    Examples
    --------
    >>> import lcshap as lc
    >>> def best_single(d):
    ...     values = yield Coalitions.from_sets(d, [[i] for i in range(d)])
    ...     return int(values.argmax())
    >>> games = [lc.Game(lambda kept: kept @ [1.0, 3.0, 2.0], 3), lc.Game(lambda kept: kept @ [5.0, 4.0], 2)]
    >>> drive([best_single(3), best_single(2)], evaluate_games(games))
    [1, 0]
    """
    found = [None] * len(programs) if found is None else found
    asked: dict[int, Coalitions] = {}

    def advance(number: int, values: Values | Exception | None) -> None:
        program = programs[number]
        asked.pop(number, None)
        try:
            if isinstance(values, Exception):
                asked[number] = program.throw(values)
            else:
                asked[number] = next(program) if values is None else program.send(values)
        except StopIteration as end:
            found[number] = end.value
        except Alone as failed:
            found[number] = failed.error
        except Exception as error:
            if error is not values:
                raise
            found[number] = error

    try:
        for number in range(len(programs)):
            if found[number] is None:
                advance(number, None)
        while asked:
            requests = list(asked.items())
            try:
                answers = evaluate(requests)
            except Broken as broken:
                for (number, _), known in zip(requests, broken.answers, strict=True):
                    if known is not None:
                        advance(number, known)
                raise broken.error from broken.error.__cause__
            for (number, _), values in zip(requests, answers, strict=True):
                advance(number, values)
    finally:
        for program in programs:
            program.close()
    return found


def evaluate_games(games: Sequence[AbstractGame]) -> Evaluate:
    """Evaluate each request with the game of its number; games of one model in shared batches."""

    def evaluate(requests: Requests) -> Sequence[Values | Exception]:
        kinds = {type(game) for game in games}
        together = kinds.pop() if len(kinds) == 1 else AbstractGame
        return together.evaluate_all([(games[number], coalitions) for number, coalitions in requests])

    return evaluate
