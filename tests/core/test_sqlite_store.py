"""A store in a file: against the one in memory, with several processes, and with processes that are killed."""

import multiprocessing
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc

SPACES = [bytes([n]) * 16 for n in range(3)]
KEYS = [bytes([n]) * 16 for n in range(8)]
MANY = [n.to_bytes(16, "big") for n in range(4000)]
blocks = st.tuples(st.integers(0, 2), st.lists(st.integers(0, 7), max_size=6))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "calls.db"


@settings(max_examples=20, deadline=None)
@given(added=st.lists(blocks, max_size=5), requested=blocks)
def test_it_is_the_store_in_memory(tmp_path_factory, added, requested):
    path = tmp_path_factory.mktemp("store") / "calls.db"
    with lc.SQLiteStore(path) as store:
        memory = lc.MemoryStore()
        for time_, (space, members) in enumerate(added):
            numbers = np.array([[[m + time_ / 8, np.pi, -0.0]] for m in members]).reshape(-1, 1, 3)
            for kind in (store, memory):
                kind.put(SPACES[space], [KEYS[m] for m in members], numbers)
        store.close()
        (is_stored, numbers), (expected, right) = (
            kind.get(SPACES[requested[0]], [KEYS[m] for m in requested[1]]) for kind in (store, memory)
        )
        assert is_stored.tolist() == expected.tolist()
        assert (numbers is None) == (right is None)
        assert numbers is None or (numbers.tobytes() == right.tobytes() and numbers.shape == right.shape)
        assert len(store) == len(memory)
        store.check()


def test_wrong_shapes_and_options(path):
    store = lc.SQLiteStore(path)
    store.put(SPACES[0], KEYS[:1], np.ones((1, 1, 2)))
    with pytest.raises(lc.errors.StoreError, match=r"Expected answers of shape \[1, 2\].*model_name"):
        store.put(SPACES[0], KEYS[1:2], np.ones((1, 1, 3)))
    with pytest.raises(lc.errors.GameError, match="one answer for each of 2"):
        store.put(SPACES[0], KEYS[:2], np.ones((1, 1, 2)))
    for wrong in (0, "1GB"):
        with pytest.raises(lc.errors.OptionError, match="max_bytes"):
            lc.SQLiteStore(path, max_bytes=wrong)
    assert len(store) == 1
    assert store
    assert repr(store) == f"SQLiteStore({str(path)!r})"


def test_single_answers(path):
    """They take one statement where the input is known, and mean the same as many at once."""
    store = lc.SQLiteStore(path)
    for number, key in enumerate(KEYS):
        store.put(SPACES[0], [key], np.full((1, 1, 2), float(number)))
    is_stored, numbers = store.get(SPACES[0], KEYS)
    assert is_stored.all()
    assert (numbers[:, 0, 1] == np.arange(len(KEYS))).all()
    store.put(SPACES[0], KEYS[:1], np.full((1, 1, 2), 99.0))  # what is known stays
    assert store.get(SPACES[0], KEYS[:1])[1][0, 0, 0] == 0
    with pytest.raises(lc.errors.StoreError, match=r"Expected answers of shape \[1, 2\].*got \[1, 3\]"):
        store.put(SPACES[0], KEYS[:1], np.ones((1, 1, 3)))
    with sqlite3.connect(path) as other:  # another process has made room
        other.execute("DELETE FROM answers")
        other.execute("DELETE FROM inputs")
    other.close()
    store.put(SPACES[0], KEYS[:1], np.ones((1, 1, 2)))
    assert store.get(SPACES[0], KEYS)[0].tolist() == [True] + [False] * (len(KEYS) - 1)
    store.check()


def test_no_pickle_in_the_file(path):
    with lc.SQLiteStore(path) as store:
        store.put(SPACES[0], KEYS[:1], np.array([[[1.5, 2.5]]]))
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT numbers FROM answers").fetchone()[0] == np.array([1.5, 2.5], "<f8").tobytes()
    connection.close()


def test_the_path_travels_by_pickle_and_not_the_answers(path):
    store = lc.SQLiteStore(path, max_bytes=10**7, timeout=3.0)
    store.put(SPACES[0], KEYS, np.ones((8, 1, 1)))
    again = pickle.loads(pickle.dumps(store))
    assert (again.path, again.max_bytes, again.timeout) == (str(path), 10**7, 3.0)
    assert again.get(SPACES[0], KEYS)[0].all()
    assert len(pickle.dumps(store)) < 300


def test_a_closed_store_opens_again_and_leaves_one_file(path):
    with lc.SQLiteStore(path) as store:
        store.put(SPACES[0], KEYS, np.ones((8, 1, 1)))
    assert [p.name for p in path.parent.iterdir()] == ["calls.db"]
    assert store.get(SPACES[0], KEYS)[0].all()


def test_the_oldest_inputs_are_forgotten(path):
    max_bytes = 400_000
    store = lc.SQLiteStore(path, max_bytes=max_bytes)
    spaces = [bytes([n]) * 16 for n in range(40)]
    for number, space in enumerate(spaces):
        store.put(space, MANY[:1000], np.full((1000, 1, 1), float(number)))
    store.close()
    assert max_bytes / 2 < path.stat().st_size <= 1.3 * max_bytes
    remaining = [n for n, space in enumerate(spaces) if store.get(space, MANY[:1000])[0].all()]
    assert remaining == list(range(min(remaining), 40))  # all of the newest, none of the older ones
    assert len(store) == 1000 * len(remaining)
    assert all((store.get(spaces[n], MANY[:1000])[1] == n).all() for n in remaining)
    store.check()


def test_the_input_at_work_is_never_forgotten(path):
    store = lc.SQLiteStore(path, max_bytes=10_000)
    for start in range(0, 4000, 500):
        store.put(SPACES[0], MANY[start : start + 500], np.ones((500, 1, 1)))
    assert store.get(SPACES[0], MANY)[0].all()


def test_a_forked_child_has_a_connection_of_its_own(path):
    store = lc.SQLiteStore(path)
    store.put(SPACES[0], KEYS, np.ones((8, 1, 1)))
    child = multiprocessing.get_context("fork").Process(target=store.put, args=(SPACES[1], KEYS, np.zeros((8, 1, 1))))
    child.start()
    child.join()
    assert child.exitcode == 0
    store.put(SPACES[2], KEYS, np.zeros((8, 1, 1)))
    assert len(store) == 24


def _write(path, number, count):
    store = lc.SQLiteStore(path)
    for turn in range(count):
        store.put(SPACES[turn % 3], MANY[number * count + turn :][:1], np.full((1, 1, 1), float(number)))
        store.put(SPACES[0], MANY[-5:], np.full((5, 1, 1), 7.0))  # what all of them put


def test_several_processes_lose_nothing(path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(path, number, 120)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    store = lc.SQLiteStore(path)
    assert len(store) == 4 * 120 + 5
    for number in range(4):
        for turn in range(120):
            is_stored, numbers = store.get(SPACES[turn % 3], [MANY[number * 120 + turn]])
            assert is_stored.all()
            assert numbers.item() == number
    store.check()


# -- kill -9 --------------------------------------------------------------------------------------------------------

SCRIPT = """
import os, sys, time
import numpy as np
import lcshap as lc

def model(rows):
    time.sleep(0.002)
    with open({log!r}, "ab", buffering=0) as log:  # one write a row: what was asked, whatever happens then
        for row in rows:
            log.write(row.tobytes())
    return rows @ np.arange(1.0, 11.0) + rows[:, 0] * rows[:, 1]

explainer = lc.Explainer(model, lc.maskers.Tabular(np.zeros(10)), "shapley", kind="output", batch_size=8,
                         model_name="by heart", store={path!r})
inputs = [np.arange(1.0, 11.0) + n for n in range(3)]
print([e.scores.tolist() for e in explainer.many(inputs)])
"""


def _run(code, after=None):
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    if after is not None:
        after(process)
        os.kill(process.pid, signal.SIGKILL)
    printed, _ = process.communicate(timeout=120)
    return process.returncode, printed


def _asked(log):
    row = 10 * 8
    content = Path(log).read_bytes() if os.path.exists(log) else b""
    return [content[at : at + row] for at in range(0, len(content), row)]


def test_killed_at_random_moments(tmp_path):
    """What was answered and kept is not asked again: with each kill at most one batch is paid twice."""
    rng = np.random.default_rng(0)
    path, log = str(tmp_path / "calls.db"), str(tmp_path / "asked")
    code = SCRIPT.format(path=path, log=log)
    _, expected = _run(SCRIPT.format(path=str(tmp_path / "whole.db"), log=str(tmp_path / "whole")))
    kills, before = 0, 0

    def wait(process):
        """Until it works, and then a random time."""
        end = time.monotonic() + 60
        while len(_asked(log)) <= before and process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        time.sleep(float(rng.uniform(0, 0.1)))

    while kills < 6:
        status, _ = _run(code, wait)
        kills += 1
        before = len(_asked(log))
        if status == 0:
            break
        store = lc.SQLiteStore(path)
        store.check()
        assert len(store) >= len(set(_asked(log))) - 8 * kills
        store.close()
    status, printed = _run(code)
    assert status == 0
    assert printed == expected
    rows, uninterrupted_rows = _asked(log), _asked(str(tmp_path / "whole"))
    assert kills >= 3
    assert set(rows) == set(uninterrupted_rows)
    assert len(rows) <= len(uninterrupted_rows) + 8 * kills
    calls = len(rows)
    assert _run(code) == (0, expected)
    assert len(_asked(log)) == calls  # all of it is known now
