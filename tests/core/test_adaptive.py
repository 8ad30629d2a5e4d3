"""The engine for adaptive methods: rounds, the memo, and what is left when something fails."""

import contextlib

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.adaptive import Memo, Stopped, drive, evaluate_games


def sets(d, *members):
    return lc.Coalitions.from_sets(d, members)


def climb(d, steps):
    """Ask for {0}, then {0, 1}, ...: one round a step. Stopped, it returns the values so far."""
    seen = []
    try:
        for n in range(1, steps + 1):
            seen += (yield sets(d, range(n))).tolist()
    except Stopped:
        if not seen:
            raise
    return seen


def size(d):
    return lc.Game(lambda kept: kept.sum(axis=1), d)


class Recorder:
    """An evaluate function that keeps the requests, and raises in one round if told to."""

    def __init__(self, games, fail_in=None, error=KeyboardInterrupt):
        self.evaluate, self.rounds, self.fail_in, self.error = evaluate_games(games), [], fail_in, error

    def __call__(self, requests):
        if len(self.rounds) == self.fail_in:
            raise self.error
        self.rounds.append(requests)
        return self.evaluate(requests)


def test_one_call_a_round_with_what_all_ask_for():
    record = Recorder([size(4), size(5), size(6)])
    driven = drive([climb(4, 2), climb(5, 4), climb(6, 1)], record)
    assert driven.outcomes == [[1, 2], [1, 2, 3, 4], [1]]
    assert driven.calls == [2, 4, 1]
    assert driven.rounds == 4  # of the longest alone
    assert [[number for number, _ in requests] for requests in record.rounds] == [[0, 1, 2], [0, 1], [1], [1]]
    assert driven.error is None


def test_what_is_known_is_not_evaluated_again_and_costs_no_round():
    def program():
        first = yield sets(3, [0], [1], [0])
        second = yield sets(3, [1], [0])
        lacking = lc.Coalitions.from_table(3, np.array([[1, 2]]), removed=True)  # {0}, written by what it lacks
        third = yield lacking
        fourth = yield sets(3, [2], [1])
        return [*first, *second, *third, *fourth]

    record = Recorder([lc.Game(lambda kept: kept @ [1.0, 2.0, 4.0], 3)])
    driven = drive([program()], record)
    assert driven.outcomes == [[1, 2, 1, 2, 1, 1, 4, 2]]
    assert driven.calls == [3]
    assert driven.rounds == 2
    assert [list(c) for ((_, c),) in record.rounds] == [[(0,), (1,)], [(2,)]]


def test_several_outputs():
    def program():
        return (yield sets(2, [0], [1], [0]))

    driven = drive([program()], evaluate_games([lc.Game(lambda kept: kept * [1.0, 2.0], 2)]))
    assert driven.outcomes[0].tolist() == [[1, 0], [0, 2], [1, 0]]


def test_a_program_can_share_its_memo_and_count():
    memo = Memo()

    def program():
        counts = [memo.calls]
        yield sets(3, [0], [1])
        counts.append(memo.calls)
        assert memo.new(sets(3, [1], [2], [2], [0])).tolist() == [1]
        return counts

    assert drive([program()], evaluate_games([size(3)]), [memo]).outcomes == [[0, 2]]


def test_programs_that_ask_for_nothing():
    def nothing():
        return "done"
        yield

    assert drive([nothing()], evaluate_games([])).outcomes == ["done"]
    assert drive([], evaluate_games([])).outcomes == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_stopped_programs_give_what_they_know(error):
    driven = drive([climb(3, 1), climb(4, 4)], Recorder([size(3), size(4)], fail_in=2, error=error))
    assert driven.outcomes == [[1], [1, 2]]
    assert driven.calls == [1, 2]
    assert isinstance(driven.error, error)


def test_stopped_before_anything_is_known():
    driven = drive([climb(3, 2)], Recorder([size(3)], fail_in=0))
    assert driven.outcomes == [None]
    assert isinstance(driven.error, KeyboardInterrupt)


def test_a_program_that_does_not_stop_is_closed():
    def stubborn():
        while True:
            with contextlib.suppress(Stopped):
                yield sets(3, [0])

    assert drive([stubborn()], Recorder([size(3)], fail_in=0)).outcomes == [None]


def test_errors_of_a_program_are_not_swallowed():
    def broken():
        yield sets(3, [0])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        drive([broken()], evaluate_games([size(3)]))


def test_ctrl_c_between_two_calls():
    def slow():
        yield sets(3, [0])
        raise KeyboardInterrupt

    driven = drive([climb(4, 3), slow()], evaluate_games([size(4), size(3)]))
    assert driven.outcomes == [[1], None]
    assert isinstance(driven.error, KeyboardInterrupt)


def test_a_wrong_number_of_values_is_an_error():
    with pytest.raises(lc.GameError, match="2 values for 1 coalitions"):
        drive([climb(3, 1)], lambda requests: [np.zeros(2)])
