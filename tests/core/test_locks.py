import os
import threading
import time
import warnings

import pytest

import lcshap as lc
from lcshap.core import digest, method
from lcshap.core.locks import ForkSafeLock
from lcshap.estimators.registry import MethodRegistry

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")


def in_child(work, seconds=20.0):
    """Whether the work comes to an end, without an error, in a forked child."""
    with warnings.catch_warnings(
        action="ignore", category=DeprecationWarning
    ):  # forks beside threads: that is the point
        child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended_pid, status = os.waitpid(child, os.WNOHANG)
        if ended_pid:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


def while_held(lock, check):
    """What a check finds while another thread holds the lock."""
    held, over = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        return check()
    finally:
        over.set()
        thread.join()


def test_a_thread_may_take_it_again_and_others_wait():
    lock, order = ForkSafeLock(), []

    def other():
        with lock:
            order.append("other")

    with lock, lock:
        thread = threading.Thread(target=other)
        thread.start()
        time.sleep(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "other"]


@forks
@pytest.mark.parametrize("lock_name", ["digests", "plans", "methods", "store"])
def test_a_forked_child_does_not_hang_on_what_another_thread_held(lock_name):
    store = lc.MemoryStore()
    locks = {
        "digests": digest._LOCK,
        "plans": method.PLAN_CACHE._lock,
        "methods": lc.METHODS._lock,
        "store": store._lock,
    }

    def work():
        explainer = lc.Explainer(
            lambda texts: [float(len(t)) for t in texts], lc.maskers.Text(), "l-shapley", kind="output"
        )
        assert explainer("to be or not to be", store=store).calls > 6

    assert while_held(locks[lock_name], lambda: in_child(work))


@forks
def test_a_child_forked_while_methods_are_looked_for_finds_them_all():
    registry = MethodRegistry("lcshap.estimators")

    def forked_on_the_way():
        registry._searching.add((os.getpid(), "package"))  # as another thread would have it
        return in_child(lambda: registry.entry("l-shapley"))

    assert while_held(registry._lock, forked_on_the_way)
