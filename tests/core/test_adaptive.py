"""Programs of many inputs, round by round, and what is left when something fails."""

import pytest

import lcshap as lc
from lcshap.core.adaptive import Alone, drive, evaluate_games


def sets(d, *members):
    return lc.Coalitions.from_sets(d, members)


def climb(d, steps):
    """Ask for {0}, then {0, 1}, ...: one round a step."""
    seen = []
    for n in range(1, steps + 1):
        seen += (yield sets(d, range(n))).tolist()
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
    assert drive([climb(4, 2), climb(5, 4), climb(6, 1)], record) == [[1, 2], [1, 2, 3, 4], [1]]
    assert [[number for number, _ in requests] for requests in record.rounds] == [[0, 1, 2], [0, 1], [1], [1]]


def test_several_outputs():
    def program():
        return (yield sets(2, [0], [1], [0]))

    (found,) = drive([program()], evaluate_games([lc.Game(lambda kept: kept * [1.0, 2.0], 2)]))
    assert found.tolist() == [[1, 0], [0, 2], [1, 0]]


def test_programs_that_ask_for_nothing():
    def nothing():
        return "done"
        yield

    assert drive([nothing()], evaluate_games([])) == ["done"]
    assert drive([], evaluate_games([])) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_is_finished_is_there_when_the_game_fails(error):
    found = [None, None]
    programs = [climb(3, 1), climb(4, 4)]
    with pytest.raises(error):
        drive(programs, Recorder([size(3), size(4)], fail_in=2, error=error), found)
    assert found == [[1], None]
    assert all(program.gi_frame is None for program in programs)  # closed


def test_what_is_there_is_not_done_again():
    found = [None, "known"]
    record = Recorder([size(3), size(4)])
    assert drive([climb(3, 1), climb(4, 4)], record, found) == [[1], "known"]
    assert [number for requests in record.rounds for number, _ in requests] == [0]


def test_an_error_in_the_place_of_values_ends_one_program_alone():
    error = lc.ModelError("lost")

    def evaluate(requests):
        return [error if number == 1 else coalitions.sizes.astype(float) for number, coalitions in requests]

    assert drive([climb(3, 2), climb(3, 2), climb(3, 1)], evaluate) == [[1, 2], error, [1]]


def test_a_program_may_go_on_after_such_an_error():
    def careful():
        try:
            yield sets(3, [0])
        except lc.ModelError:
            return (yield sets(3, [0, 1])).tolist()

    def evaluate(requests):
        return [lc.ModelError("lost") if c.sizes[0] == 1 else c.sizes.astype(float) for _, c in requests]

    assert drive([careful()], evaluate) == [[2]]


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

    found = [None, None]
    with pytest.raises(KeyboardInterrupt):
        drive([climb(4, 1), slow()], evaluate_games([size(4), size(3)]), found)
    assert found == [[1], None]


def test_a_game_that_fails_within_a_program_ends_that_one_alone():
    def asks(fails):
        values = yield lc.Coalitions.from_sets(2, [[0]])
        if fails:
            raise Alone(lc.ModelError("no parts"))
        return float(values[0])

    game = lc.Game(lambda kept: kept @ [3.0, 1.0], 2)
    found = drive([asks(True), asks(False)], evaluate_games([game, game]))
    assert isinstance(found[0], lc.ModelError)
    assert found[1] == 3
