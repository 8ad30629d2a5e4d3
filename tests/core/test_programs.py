"""Programs of many inputs, round by round, and what is left when something fails."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.programs import BatchFailed, ProgramFailed, batch_evaluator, run_programs


def sets(d, *members):
    return lc.Coalitions.from_sets(d, members)


def climb(d, steps):
    """Ask for {0}, then {0, 1}, ...: one round a step."""
    values = []
    for n in range(1, steps + 1):
        values += (yield sets(d, range(n))).tolist()
    return values


def size(d):
    return lc.Game(lambda kept: kept.sum(axis=1), d)


class Recorder:
    """An evaluate function that keeps the requests, and raises in one round if told to."""

    def __init__(self, games, fail_in=None, error=KeyboardInterrupt):
        self.evaluate, self.rounds, self.fail_in, self.error = batch_evaluator(games), [], fail_in, error

    def __call__(self, requests):
        if len(self.rounds) == self.fail_in:
            raise self.error
        self.rounds.append(requests)
        return self.evaluate(requests)


def test_one_call_per_round_with_the_requests_of_all():
    record = Recorder([size(4), size(5), size(6)])
    assert run_programs([climb(4, 2), climb(5, 4), climb(6, 1)], record) == [[1, 2], [1, 2, 3, 4], [1]]
    assert [[number for number, _ in requests] for requests in record.rounds] == [[0, 1, 2], [0, 1], [1], [1]]


def test_several_outputs():
    def program():
        return (yield sets(2, [0], [1], [0]))

    (values,) = run_programs([program()], batch_evaluator([lc.Game(lambda kept: kept * [1.0, 2.0], 2)]))
    assert values.tolist() == [[1, 0], [0, 2], [1, 0]]


def test_programs_without_requests():
    def nothing():
        return "done"
        yield

    assert run_programs([nothing()], batch_evaluator([])) == ["done"]
    assert run_programs([], batch_evaluator([])) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_is_finished_is_there_when_the_game_fails(error):
    outcomes = [None, None]
    programs = [climb(3, 1), climb(4, 4)]
    with pytest.raises(error):
        run_programs(programs, Recorder([size(3), size(4)], fail_in=2, error=error), outcomes)
    assert outcomes == [[1], None]
    assert all(program.gi_frame is None for program in programs)  # closed


def test_programs_with_all_their_values_are_finished_when_a_batch_fails():
    """A batch fails on the way: the first and the last program have all of their values, and only one needs more."""
    outcomes, cause = [None, None, None], RuntimeError("no memory")
    programs = [climb(3, 1), climb(4, 1), climb(5, 2)]

    def evaluate(requests):
        answers = [None if number == 1 else coalitions.sizes.astype(float) for number, coalitions in requests]
        error = lc.errors.ModelError("the model failed")
        error.__cause__ = cause
        raise BatchFailed(answers, error)

    with pytest.raises(lc.errors.ModelError, match="the model failed") as raised:
        run_programs(programs, evaluate, outcomes)
    assert raised.value.__cause__ is cause
    assert outcomes == [[1], None, None]
    assert all(program.gi_frame is None for program in programs)  # closed


def test_explanations_that_are_complete_survive_a_failed_batch():
    """One round asks for all coalitions of both texts. The model fails at a row of the second text, after the first."""
    sent = []

    def model(texts):
        sent.extend(texts)
        if len(sent) > 60:
            raise KeyboardInterrupt
        return np.array([[text.count("good"), 1.0] for text in texts], float)

    explainer = lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="logits", batch_size=8)
    with pytest.raises(lc.Unfinished) as raised:
        explainer(["a good film", "a long and rather boring film"])
    first, second = raised.value.explanations
    assert first.calls == 8
    assert second is None


def test_what_is_there_is_not_done_again():
    outcomes = [None, "known"]
    record = Recorder([size(3), size(4)])
    assert run_programs([climb(3, 1), climb(4, 4)], record, outcomes) == [[1], "known"]
    assert [number for requests in record.rounds for number, _ in requests] == [0]


def test_an_error_in_the_place_of_values_ends_one_program_alone():
    error = lc.errors.ModelError("lost")

    def evaluate(requests):
        return [error if number == 1 else coalitions.sizes.astype(float) for number, coalitions in requests]

    assert run_programs([climb(3, 2), climb(3, 2), climb(3, 1)], evaluate) == [[1, 2], error, [1]]


def test_a_program_may_go_on_after_such_an_error():
    def careful():
        try:
            yield sets(3, [0])
        except lc.errors.ModelError:
            return (yield sets(3, [0, 1])).tolist()

    def evaluate(requests):
        return [lc.errors.ModelError("lost") if c.sizes[0] == 1 else c.sizes.astype(float) for _, c in requests]

    assert run_programs([careful()], evaluate) == [[2]]


def test_errors_of_a_program_are_not_swallowed():
    def broken():
        yield sets(3, [0])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_programs([broken()], batch_evaluator([size(3)]))


def test_ctrl_c_between_two_calls():
    def slow():
        yield sets(3, [0])
        raise KeyboardInterrupt

    outcomes = [None, None]
    with pytest.raises(KeyboardInterrupt):
        run_programs([climb(4, 1), slow()], batch_evaluator([size(4), size(3)]), outcomes)
    assert outcomes == [[1], None]


def test_a_game_that_fails_within_a_program_ends_that_one_alone():
    def asks(fails):
        values = yield lc.Coalitions.from_sets(2, [[0]])
        if fails:
            raise ProgramFailed(lc.errors.ModelError("no parts"))
        return float(values[0])

    game = lc.Game(lambda kept: kept @ [3.0, 1.0], 2)
    outcomes = run_programs([asks(True), asks(False)], batch_evaluator([game, game]))
    assert isinstance(outcomes[0], lc.errors.ModelError)
    assert outcomes[1] == 3
