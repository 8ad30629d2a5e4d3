"""Run methods on several inputs at once, round by round.

Every method is a *program* for one input: a generator that yields the `Coalitions` it needs next, is sent their values,
and finally returns its explanation. A method with a plan yields once; a path or an anytime estimate yields several
times. `run_programs` advances the programs of many inputs together. In each round it collects the coalitions of all
programs and evaluates them in one call, so that rows of different inputs can share a batch.
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


class BatchFailed(Exception):  # noqa: N818 - a signal between `evaluate` and `run_programs`, which nobody else sees
    """Raised by `evaluate` when it fails before the end, with the values of those programs that have all of theirs."""

    def __init__(self, answers: Sequence[Values | None], error: BaseException) -> None:
        super().__init__(str(error))
        self.answers, self.error = answers, error


class ProgramFailed(Exception):  # noqa: N818 - a signal between a game and `run_programs`, which nobody else sees
    """Raised by a game that fails within a program. It ends this program and no other."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def run_programs(
    programs: Sequence[Program[Outcome]],
    evaluate: Evaluate,
    outcomes: list[Outcome | Exception | None] | None = None,
) -> list[Outcome | Exception | None]:
    """Advance programs in lockstep until all have returned.

    Parameters
    ----------
    programs : one generator for each input, not yet started.
    evaluate : takes `(number of the program, coalitions)` for each program that needs values in this round, and returns
        the values in the same order. In place of the values of one program it may return an error, which ends only
        this program. See `batch_evaluator`. If it fails for all programs, it may raise `BatchFailed` with the values of
        those programs that have all of theirs: these programs are advanced before the error is raised.
    outcomes : a list to which the return value of each program is written as soon as the program ends, so that finished
        work is kept when `evaluate` raises or the user presses Ctrl-C. A program whose entry is not None is not
        started.

    Returns
    -------
    `outcomes`: for each program its return value, or the error that ended it.

    Examples
    --------
    >>> import lcshap as lc
    >>> def best_single(d):
    ...     values = yield Coalitions.from_sets(d, [[i] for i in range(d)])
    ...     return int(values.argmax())
    >>> games = [lc.Game(lambda kept: kept @ [1.0, 3.0, 2.0], 3), lc.Game(lambda kept: kept @ [5.0, 4.0], 2)]
    >>> run_programs([best_single(3), best_single(2)], batch_evaluator(games))
    [1, 0]
    """
    outcomes = [None] * len(programs) if outcomes is None else outcomes
    pending: dict[int, Coalitions] = {}

    def advance(number: int, values: Values | Exception | None) -> None:
        program = programs[number]
        pending.pop(number, None)
        try:
            if isinstance(values, Exception):
                pending[number] = program.throw(values)
            else:
                pending[number] = next(program) if values is None else program.send(values)
        except StopIteration as end:
            outcomes[number] = end.value
        except ProgramFailed as failed:
            outcomes[number] = failed.error
        except Exception as error:
            if error is not values:
                raise
            outcomes[number] = error

    try:
        for number in range(len(programs)):
            if outcomes[number] is None:
                advance(number, None)
        while pending:
            requests = list(pending.items())
            try:
                answers = evaluate(requests)
            except BatchFailed as broken:
                for (number, _), program_values in zip(requests, broken.answers, strict=True):
                    if program_values is not None:
                        advance(number, program_values)
                raise broken.error from broken.error.__cause__
            for (number, _), values in zip(requests, answers, strict=True):
                advance(number, values)
    finally:
        for program in programs:
            program.close()
    return outcomes


def batch_evaluator(games: Sequence[AbstractGame]) -> Evaluate:
    """Evaluate each request with the game of its number; games of one model in shared batches."""

    def evaluate(requests: Requests) -> Sequence[Values | Exception]:
        kinds = {type(game) for game in games}
        together = kinds.pop() if len(kinds) == 1 else AbstractGame
        return together.evaluate_all([(games[number], coalitions) for number, coalitions in requests])

    return evaluate
