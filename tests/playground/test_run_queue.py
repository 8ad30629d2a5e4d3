import threading
import time

import pytest

from lcshap.playground.run_queue import CancelledError, ModelQueue, PlaygroundBusyError, Run, ThreadPool


def test_turns_are_taken_in_order():
    turns, order = ModelQueue(), []
    first = Run()

    def work(name):
        with turns.turn(Run()):
            order.append(name)

    with turns.turn(first):
        threads = []
        for name in range(5):
            threads.append(threading.Thread(target=work, args=(name,)))
            threads[-1].start()
            while len(turns._queue) < name + 2:
                time.sleep(0.001)
        assert order == []
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]


def test_a_cancelled_run_does_not_wait():
    turns, run = ModelQueue(), Run()
    run.cancelled.set()
    with turns.turn(Run()), pytest.raises(CancelledError), turns.turn(run):
        pass
    with turns.turn(Run()):
        pass


def test_an_abandoned_turn_goes_to_the_next():
    turns, lost = ModelQueue(), Run()
    held = turns.turn(lost)
    held.__enter__()
    turns.abandon(lost)
    with turns.turn(Run()):
        assert turns.lost_calls == 1
    held.__exit__(None, None, None)  # it comes back after all: nothing happens
    with turns.turn(Run()):
        pass


def test_shared_models_need_no_turns():
    turns = ModelQueue(shared=True)
    with turns.turn(Run()), turns.turn(Run()):
        assert turns.lost_calls == 0


def test_a_run_in_python_is_interrupted():
    crew, run, ended = ThreadPool(ModelQueue()), Run(), []

    def work():
        try:
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            ended.append(True)
            raise

    crew.start(run, work)
    crew.cancel(run)
    run.thread.join(5)
    assert ended == [True]
    assert not crew.running


def test_nothing_is_begun_when_too_many_calls_are_lost():
    crew = ThreadPool(ModelQueue(), max_lost_calls=2)
    crew.model_queue.lost_calls = 2
    with pytest.raises(PlaygroundBusyError, match="Restart"):
        crew.start(Run(), lambda: None)
