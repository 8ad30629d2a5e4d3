"""Files that are stores, and files that are not: nothing is ever written to the latter."""

import os
import sqlite3
import threading

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.sqlite_file import APPLICATION_ID, VERSION, open_file

SPACE, KEYS = b"s" * 16, [n.to_bytes(16, "big") for n in range(500)]


@pytest.fixture
def path(tmp_path):
    """A store that was closed in peace, of several pages."""
    path = tmp_path / "calls.db"
    with lc.SQLiteStore(path) as store:
        store.put(SPACE, KEYS, np.arange(1000.0).reshape(500, 1, 2))
    return path


def refused(path, match):
    before = path.read_bytes()
    with pytest.raises(lc.errors.StoreError, match=match):
        lc.SQLiteStore(path).get(SPACE, KEYS)
    assert path.read_bytes() == before


def test_what_a_store_is(path):
    connection = sqlite3.connect(path)
    pragmas = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    assert pragmas == [APPLICATION_ID, VERSION]
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert connection.execute("SELECT dtype, shape FROM inputs").fetchall() == [("<f8", "[1, 2]")]
    connection.close()


@pytest.mark.parametrize("content", [b"id,text\n1,good\n" * 40, b"\0" * 4096, b"x"])
def test_a_file_that_is_no_database(tmp_path, content):
    (tmp_path / "data.csv").write_bytes(content)
    refused(tmp_path / "data.csv", "which is not a database")


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "calls.db").touch()
    assert len(lc.SQLiteStore(tmp_path / "calls.db")) == 0


def test_a_database_of_another_program(tmp_path):
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE answers (a)")
    connection.commit()
    connection.close()
    refused(tmp_path / "other.db", "a database of another program")


def test_another_version(path):
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    refused(path, f"Expected a store of version {VERSION}, got .* of version {VERSION + 1}")


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_a_truncated_file(path, share):
    os.truncate(path, int(share * path.stat().st_size))
    refused(path, "whose end is missing")


def test_a_head_without_a_body(path):
    os.truncate(path, 60)
    refused(path, "whose end is missing")


@pytest.mark.parametrize("seed", range(12))
def test_bytes_that_were_overwritten(path, seed):
    """Wherever they are: an error, or the right answers. Never wrong ones, and nothing is changed."""
    rng = np.random.default_rng(seed)
    content = bytearray(path.read_bytes())
    where = int(rng.integers(100, len(content) - 64))
    content[where : where + 64] = rng.bytes(64)
    path.write_bytes(content)
    try:
        is_stored, numbers = lc.SQLiteStore(path).get(SPACE, KEYS)
        message = ""
    except lc.errors.StoreError as error:
        is_stored, numbers, message = np.zeros(500, bool), None, str(error)
    assert not message or "damaged" in message
    assert is_stored.any() == (numbers is not None)
    assert numbers is None or (numbers == np.arange(1000.0).reshape(500, 1, 2)[is_stored]).all()
    assert path.read_bytes() == bytes(content)


def test_one_number_that_was_overwritten(path):
    """SQLite itself does not notice it."""
    content = bytearray(path.read_bytes())
    where = content.index(np.array([400.0, 401.0]).tobytes())
    content[where + 3] ^= 1
    path.write_bytes(content)
    store = lc.SQLiteStore(path)
    assert store.get(SPACE, KEYS[:100])[0].all()
    with pytest.raises(lc.errors.StoreError, match="an answer is not what was written"):
        store.get(SPACE, KEYS)
    with pytest.raises(lc.errors.StoreError, match="damaged"):
        store.check()
    assert path.read_bytes() == bytes(content)


def test_a_folder_and_a_path_that_cannot_be(tmp_path):
    with pytest.raises(lc.errors.StoreError, match="got the folder"):
        lc.SQLiteStore(tmp_path)
    with pytest.raises(lc.errors.StoreError, match="unable to open"):
        lc.SQLiteStore(tmp_path / "nowhere" / "calls.db")


def test_a_lock_that_another_process_holds(path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = lc.SQLiteStore(path, timeout=0.1)
    assert store.get(SPACE, KEYS)[0].all()  # reading does not wait
    with pytest.raises(lc.errors.StoreError, match="another process has been writing"):
        store.put(SPACE, KEYS, np.ones((500, 1, 2)))
    other.execute("ROLLBACK")
    other.close()
    store.put(SPACE, KEYS, np.ones((500, 1, 2)))


def test_many_make_the_same_file_at_once(tmp_path):
    """Whoever is first makes the tables; nobody fails."""
    errors, begin = [], threading.Barrier(8)

    def make(number):
        try:
            begin.wait()
            connection = open_file(str(tmp_path / "calls.db"), 30.0)
            connection.execute("INSERT INTO inputs (space, dtype, shape) VALUES (?, '', '')", (bytes([number]),))
            connection.close()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    connection = open_file(str(tmp_path / "calls.db"), 1.0)
    assert connection.execute("SELECT count(*) FROM inputs").fetchone() == (8,)
    connection.close()
