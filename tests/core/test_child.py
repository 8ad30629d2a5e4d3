"""A process that answers requests: what it returns and raises, how it dies, and how it is interrupted."""

import os
import pickle
import signal
import subprocess
import sys
import time
from threading import Thread, get_ident

import numpy as np
import psutil
import pytest

import lcshap as lc
from lcshap.cli.option_groups import UsageError
from lcshap.core.child import Child, ChildDiedError, Reply, deserialize_error, serialize_error
from lcshap.playground.run_queue import interrupt


class Echo:
    """Answers with a word, or ends its process in the way that is asked for."""

    def __init__(self, word):
        if word == "nothing":
            raise ValueError("no word", 3)
        self.word = word

    def say(self, text):
        return f"{self.word} {text}"

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def leave(self, code):
        os._exit(code)

    def exit(self, code):
        sys.exit(code)

    def sleep(self):
        time.sleep(600)

    def unpicklable(self):
        return lambda: None


@pytest.mark.parametrize(
    ("death", "message"),
    [
        (("leave", 3), "exit code 3"),
        (("exit", 4), "exit code 4"),
        (("unpicklable",), "exit code 1"),
        (("kill",), "signal SIGKILL (out of memory?)"),
    ],
)
def test_it_answers_and_reports_its_exit_code(death, message):
    child = Child(Echo, "so")
    assert child.ask("say", "good").result() == "so good"
    assert child.idle
    with pytest.raises(ChildDiedError) as info:
        child.ask(*death)
    assert str(info.value) == message
    assert not child.idle
    with pytest.raises(ChildDiedError):  # also when it has been dead for a while
        child.ask("say", "good")
    child.end()


def test_requests_are_sent_first_and_received_later():
    children = [Child(Echo, word) for word in ("so", "very")]
    for child in children:
        child.send("say", "good " * 100_000)
    assert [len(child.receive().result()) for child in children] == [500_003, 500_005]
    for child in children:
        child.end()
        assert not child.process.is_alive()


@pytest.mark.parametrize("interruptible", [True, False])
def test_what_it_raises_is_a_reply(interruptible):
    child = Child(Echo, "so", interruptible=interruptible)
    with pytest.raises(AttributeError, match="sing"):
        child.ask("sing").result()
    with pytest.raises(TypeError, match="argument"):
        child.ask("say").result()
    if interruptible:
        with pytest.raises(Exception, match="4") as info:
            child.ask("exit", 4).result()
        assert type(info.value).__name__ == "SystemExit"
    assert child.ask("say", "good").result() == "so good"
    child.end()


def test_what_cannot_be_made_is_the_reply_to_every_request():
    child = Child(Echo, "nothing")
    for _ in range(2):
        with pytest.raises(ValueError, match="no word") as info:
            child.ask("say", "good").result()
        assert info.value.args == ("no word", 3)
    child.end()


@pytest.mark.parametrize("interruptible", [True, False])
def test_a_request_is_interrupted_in_the_child_or_is_left_to_end(interruptible):
    child, caught = Child(Echo, "so", interruptible=interruptible), []
    child.ask("say", "good")

    def work():
        try:
            child.ask("sleep")
        except KeyboardInterrupt:
            caught.append(get_ident())

    thread = Thread(target=work)
    thread.start()
    time.sleep(0.3)
    interrupt(thread)
    thread.join(20)
    assert len(caught) == 1
    assert child.idle is interruptible
    if interruptible:
        assert child.ask("say", "good").result() == "so good"
    child.end()


@pytest.mark.parametrize("interruptible", [True, False])
def test_ctrl_c_on_the_terminal_does_not_end_a_child_that_waits(interruptible):
    child = Child(Echo, "so", interruptible=interruptible)
    child.ask("say", "good")
    os.kill(child.process.pid, signal.SIGINT)
    time.sleep(0.2)
    assert child.ask("say", "good").result() == "so good"
    child.end()


class TestErrorsTravel:
    def test_ours_keep_their_class_or_become_the_nearest_that_lcshap_defines(self):
        for error, kind in (
            (lc.errors.StoreError("damaged"), lc.errors.StoreError),
            (UsageError("wrong"), lc.errors.OptionError),
            (lc.errors.TargetError("no such class"), lc.errors.TargetError),
        ):
            again = deserialize_error(pickle.loads(pickle.dumps(serialize_error(error))))
            assert type(again) is kind
            assert str(again) == str(error)

    def test_model_errors_keep_what_was_answered(self):
        again = deserialize_error(serialize_error(lc.errors.ModelError("row 2", 2, np.array([[1.0], [np.nan]]))))
        assert (type(again), str(again), again.row) == (lc.errors.ModelError, "row 2", 2)
        np.testing.assert_array_equal(again.answers, [[1.0], [np.nan]])

    def test_others_become_a_class_of_their_name(self):
        class OddError(Exception):
            def __init__(self, reason, detail):
                super().__init__(reason, [detail])

        again = deserialize_error(serialize_error(OddError(1, 2)))
        assert (type(again).__name__, type(again).__base__, str(again)) == ("OddError", Exception, "(1, [2])")
        unicode = UnicodeDecodeError("utf-8", b"x", 0, 1, "bad")
        assert type(deserialize_error(serialize_error(unicode))) is UnicodeDecodeError
        too_large = deserialize_error(serialize_error(lc.errors.PlanTooLargeError("too large", 3)))
        assert (type(too_large).__name__, str(too_large)) == ("PlanTooLargeError", "too large")

    def test_a_reply_catches_the_given_errors(self):
        assert Reply.from_call(len, "abc").result() == 3
        with pytest.raises(ValueError, match="invalid literal"):
            Reply.from_call(int, "x").result()
        with pytest.raises(SystemExit):
            Reply.from_call(sys.exit, 3)
        assert Reply.from_call(sys.exit, 3, catch=BaseException).error.kind == "SystemExit"


PARENT = """
import os, sys
sys.path.insert(0, {folder!r})
from test_child import Echo
from lcshap.core.child import Child
if __name__ == "__main__":
    child = Child(Echo, "so")
    child.ask("say", "good")
    print(child.process.pid, flush=True)
    os._exit(0)
"""


def test_it_ends_with_the_process_that_started_it(tmp_path):
    program = tmp_path / "parent.py"
    program.write_text(PARENT.format(folder=os.path.dirname(__file__)))
    completed = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60)
    pid = int(completed.stdout)
    end = time.monotonic() + 20
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end, "it is still there"
        time.sleep(0.05)


class StrangeError(Exception):
    """An exception whose attributes are traps."""

    @property
    def row(self):
        raise RuntimeError("a trap")

    def __str__(self):
        raise RuntimeError("another trap")


def test_only_errors_of_lcshap_carry_rows():
    foreign = ValueError("bad")
    foreign.row = 7
    assert serialize_error(foreign).row is None
    assert serialize_error(StrangeError(object())).arguments == ("",)
    assert serialize_error(lc.errors.ModelError("bad", row=7)).row == 7
