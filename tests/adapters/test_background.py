"""The loop of a remote model, in forked processes and after unpickling."""

import asyncio
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters.remote import RemoteModel

FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
PROGRAM = """
import asyncio, os, sys, threading, time
from lcshap.adapters.remote import RemoteModel

class Client:
    async def __call__(self, rows):
        await asyncio.sleep(0.01)
        return await asyncio.to_thread(list, map(len, rows))

    async def aclose(self):
        print("closed", flush=True)

model = RemoteModel(Client(), "output", retries=0, timeout=20)
{before}
child = os.fork()
if child == 0:
    print(model.predict(["a", "abc"]).tolist(), flush=True)
    {how}
assert os.waitpid(child, 0)[1] == 0
print(model.predict(["abcd"]).tolist(), flush=True)  # the loop of the parent is as it was
"""
BUSY = """
thread = threading.Thread(target=model.predict, args=(["ab"] * 200,))
thread.start()
time.sleep(0.05)
"""


@FORKS
@pytest.mark.parametrize("before", ["", "model.predict(['ab'])", BUSY], ids=["new", "used", "busy"])
@pytest.mark.parametrize("how", ["sys.exit(0)", "model.close(); os._exit(0)"])
def test_a_forked_process_uses_a_new_loop(before, how):
    program = PROGRAM.format(before=before, how=how)
    quiet = ["-W", "error", "-W", "ignore::DeprecationWarning"]  # newer versions of Python warn of every fork
    ended = subprocess.run([sys.executable, *quiet, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.stderr == ""
    assert ended.stdout.split("\n") == ["[[1.0], [3.0]]", "closed", "[[4.0]]", "closed", ""]
    assert ended.returncode == 0


@FORKS
def test_a_lock_that_another_thread_holds_is_not_inherited():
    program = PROGRAM.format(before="model.predict(['ab']); model._lock.acquire()", how="os._exit(0)")
    program = program.replace("assert os.waitpid", "model._lock.release(); assert os.waitpid")
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.stdout.split("\n") == ["[[1.0], [3.0]]", "[[4.0]]", "closed", ""]


async def lengths(rows):
    return [float(len(row)) for row in rows]


def test_a_used_model_is_pickled_without_its_loop():
    with RemoteModel(lengths, "output", rows_per_request=2, per_second=100, classes=["length"]) as model:
        model.predict(["a", "ab", "abc"])
        with pickle.loads(pickle.dumps(model)) as again:
            assert again.predict(["abcd"]).tolist() == [[4]]
            assert (again.rows_per_request, again.per_second, again.classes) == (2, 100, ["length"])
            assert again._background is not model._background
        assert model.predict(["a"]).tolist() == [[1]]  # closing the copy is not closing the model


@pytest.mark.parametrize("wrapped", [False, True])
def test_explainers_of_async_functions_are_pickled(wrapped):
    model = RemoteModel(lengths, "output") if wrapped else lengths
    explainer = lc.Explainer(model, lc.maskers.Text(), "sample-shapley", kind="output")
    expected = explainer("to be or not to be").scores
    again = pickle.loads(pickle.dumps(explainer))
    np.testing.assert_array_equal(again("to be or not to be").scores, expected)
    for one in (explainer, again):
        one.adapter.close()


def test_tasks_that_are_not_awaited_are_logged(caplog):
    async def ask(rows):
        asyncio.get_running_loop().call_soon(lambda: 1 / 0)
        await asyncio.sleep(0.05)
        return await lengths(rows)

    with RemoteModel(ask, "output") as model:
        model.predict(["a"])
    (message,) = [m for m in caplog.messages if "in the loop" in m]
    assert message.endswith("ZeroDivisionError('division by zero')")
