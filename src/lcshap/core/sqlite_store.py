"""A store in a file, which several runs and processes can share."""

from __future__ import annotations

import json
import os
import sqlite3
import weakref
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import GameError, OptionError, StoreError
from .locks import ForkSafeLock
from .sqlite_file import check_structure, damage_error, open_file, translate_sqlite_errors, write_transaction
from .store import Numbers, Store
from .store_keys import KEY_BYTES

_DTYPE = "<f8"  # The byte order of stored numbers is the same on all machines.
_KEYS_PER_QUERY = 500  # SQLite limits the number of variables in a statement.
# One answer about a known input takes one statement, which is a transaction of its own: batches of one row are common.
_INSERT_ONE = "INSERT OR IGNORE INTO answers SELECT id, ?, ?, ? FROM inputs WHERE space = ? AND dtype = ? AND shape = ?"
_SHARE_AFTER_DELETION = 0.9  # Old inputs are deleted until this share of max_bytes is used.
# Closing a connection of the parent process would release its locks.
_PARENT_CONNECTIONS: list[sqlite3.Connection] = []


class SQLiteStore(Store):
    """A store in a file, which processes and threads may share. Stored answers survive a crash or `kill -9`.

    Models are identified by their content: see `lcshap.adapters.Model.fingerprint`. A function has no such content, so
    ``Explainer(..., execution=lcshap.Execution(model_name="reviews-v3"))`` names it.

    Parameters
    ----------
    path : of the file, an SQLite database, which is created if it does not exist. A file that is no store, is damaged
        or was written by another version raises `lcshap.errors.StoreError`, and is not changed.
    max_bytes : the largest size of the file; None for no limit. The oldest inputs are deleted first, the current one
        never. The file may be larger by the answers of one batch, which are written before older ones are deleted.
    timeout : seconds to wait for another process that writes.

    Notes
    -----
    Beside the file SQLite keeps two others while it is open (``-wal`` and ``-shm``); copy all three, or close the store
    first. The file must be on a disk of this machine: SQLite's locks do not hold on network drives. A loss of power may
    cost the answers of the last seconds, never the file.

    Examples
    --------
    >>> import tempfile, lcshap as lc
    >>> folder = tempfile.TemporaryDirectory()
    >>> def model(texts):
    ...     return [float(len(text)) for text in texts]
    >>> def explainer(method):
    ...     named = lc.Execution(model_name="length")
    ...     store = f"{folder.name}/calls.db"
    ...     return lc.Explainer(model, lc.maskers.Text(), method, kind="output", store=store, execution=named)
    >>> explainer("shapley")("to be or not").rows, explainer("myerson")("to be or not").rows
    (16, 0)
    >>> folder.cleanup()
    """

    persistent = True

    def __init__(self, path: str | os.PathLike[str], max_bytes: int | None = None, timeout: float = 60.0) -> None:
        if max_bytes is not None and (not isinstance(max_bytes, int) or max_bytes < 1):
            raise OptionError(f"Expected max_bytes as a number of bytes above 0, or None, got {max_bytes!r}.")
        self.path, self.max_bytes, self.timeout = os.path.abspath(os.fspath(path)), max_bytes, timeout
        self._open()

    def get(self, space: bytes, keys: Sequence[bytes]) -> tuple[NDArray[np.bool_], Numbers | None]:
        """Which keys are known, and their numbers."""
        is_stored: NDArray[np.bool_] = np.zeros(len(keys), bool)
        with self._lock, translate_sqlite_errors(self.path):
            connection = self._connect()
            row = connection.execute("SELECT id, dtype, shape FROM inputs WHERE space = ?", (space,)).fetchone()
            stored = {} if row is None else self._read_stored(connection, row[0], space, keys)
        if not stored:
            return is_stored, None
        is_stored[:] = np.fromiter((key in stored for key in keys), bool, len(keys))
        flat = b"".join(stored[key] for key in keys if key in stored)
        return is_stored, self._decode(flat, int(is_stored.sum()), row[1], row[2])

    def put(self, space: bytes, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the numbers of some keys. They are in the file when this returns."""
        if len(numbers) != len(keys):
            raise GameError(f"Expected one answer for each of {len(keys)} coalitions, got {len(numbers)}.")
        if not len(keys):
            return
        rows = np.ascontiguousarray(numbers, _DTYPE)
        flat, size, seed = rows.tobytes(), rows[0].nbytes, crc32(space)
        encoded_rows = [flat[start : start + size] for start in range(0, len(flat), size)]
        checks = [crc32(encoded_row, crc32(key, seed)) for key, encoded_row in zip(keys, encoded_rows, strict=True)]
        shape = str(list(rows.shape[1:]))
        with self._lock, translate_sqlite_errors(self.path):
            connection = self._connect()
            if len(keys) == 1 and self.max_bytes is None and not connection.in_transaction:
                parameters = (keys[0], encoded_rows[0], checks[0], space, _DTYPE, shape)
                if connection.execute(_INSERT_ONE, parameters).rowcount == 1:
                    return
            with write_transaction(connection):
                number = self._input_id(connection, space, shape)
                records = zip([number] * len(keys), keys, encoded_rows, checks, strict=True)
                connection.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)", records)
                if self.max_bytes is not None:
                    _delete_oldest(connection, number, self.max_bytes)

    def _input_id(self, connection: sqlite3.Connection, space: bytes, shape: str) -> int:
        """The number of an input, which is added if it is new."""
        row = connection.execute("SELECT id, dtype, shape FROM inputs WHERE space = ?", (space,)).fetchone()
        if row is None:
            add = "INSERT INTO inputs (space, dtype, shape) VALUES (?, ?, ?) RETURNING id, dtype, shape"
            row = connection.execute(add, (space, _DTYPE, shape)).fetchone()
        number, dtype, stored_shape = row
        if (dtype, stored_shape) != (_DTYPE, shape):
            raise StoreError(
                f"Expected answers of shape {stored_shape}, as in the store {self.path!r}, got {shape}. If the model "
                "has changed, give it another name with lcshap.Execution(model_name=...)."
            )
        return int(number)

    def _read_stored(
        self, connection: sqlite3.Connection, number: int, space: bytes, keys: Sequence[bytes]
    ) -> dict[Any, Any]:
        """The numbers of one input by key, as bytes, checked."""
        stored: dict[bytes, bytes] = {}
        seed = crc32(space)
        for start in range(0, len(keys), _KEYS_PER_QUERY):
            batch = keys[start : start + _KEYS_PER_QUERY]
            select = f"SELECT key, numbers, crc FROM answers WHERE input = ? AND key IN ({','.join('?' * len(batch))})"
            for key, encoded_row, checksum in connection.execute(select, (number, *batch)):
                if crc32(encoded_row, crc32(key, seed)) != checksum:
                    raise damage_error(self.path, "an answer is not what was written")
                stored[key] = encoded_row
        return stored

    def _decode(self, flat: bytes, count: int, dtype: str, shape: str) -> Numbers:
        try:
            if dtype != _DTYPE:
                raise ValueError(f"numbers of type {dtype!r}")
            return np.frombuffer(flat, _DTYPE).reshape(count, *json.loads(shape)).astype(np.float64)
        except (ValueError, TypeError) as error:
            raise damage_error(self.path, str(error)) from error

    # -- the file -------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        self._lock = ForkSafeLock()
        self._connection: sqlite3.Connection | None = None
        self._pid = 0
        self._connect()

    def _connect(self) -> sqlite3.Connection:
        """The connection of this process; a forked child opens its own."""
        if self._connection is not None and self._pid == os.getpid():
            return self._connection
        if self._connection is not None:
            _PARENT_CONNECTIONS.append(self._connection)
        self._connection, self._pid = open_file(self.path, self.timeout), os.getpid()
        weakref.finalize(self, _close, self._connection, self._pid)
        return self._connection

    def check(self) -> None:
        """Read all answers, and raise `StoreError` if any of them is damaged."""
        with self._lock, translate_sqlite_errors(self.path):
            connection = self._connect()
            check_structure(connection, self.path)
            spaces = {number: space for number, space in connection.execute("SELECT id, space FROM inputs")}
            for number, key, encoded_row, checksum in connection.execute(
                "SELECT input, key, numbers, crc FROM answers"
            ):
                space = spaces.get(number, b"")
                if len(key) != KEY_BYTES or crc32(encoded_row, crc32(key, crc32(space))) != checksum:
                    raise damage_error(self.path, "an answer is not what was written")

    def close(self) -> None:
        """Close the file. It is opened again by the next `get` or `put`."""
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
                self._connection = None

    def __enter__(self) -> SQLiteStore:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: the path, not the answers."""
        return {name: getattr(self, name) for name in ("path", "max_bytes", "timeout")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._open()

    def __len__(self) -> int:
        """How many rows are known."""
        with self._lock, translate_sqlite_errors(self.path):
            return int(self._connect().execute("SELECT count(*) FROM answers").fetchone()[0])

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"SQLiteStore({self.path!r})"


def _delete_oldest(connection: sqlite3.Connection, current: int, max_bytes: int) -> None:
    """Delete the oldest inputs until the file is small enough; SQLite reuses the free pages."""
    if _used_bytes(connection) <= max_bytes:
        return
    for number in list(_other_inputs(connection, current)):
        connection.execute("DELETE FROM answers WHERE input = ?", (number,))
        connection.execute("DELETE FROM inputs WHERE id = ?", (number,))
        if _used_bytes(connection) <= _SHARE_AFTER_DELETION * max_bytes:
            return


def _other_inputs(connection: sqlite3.Connection, current: int) -> Iterator[int]:
    for (number,) in connection.execute("SELECT id FROM inputs WHERE id != ? ORDER BY id", (current,)):
        yield number


def _used_bytes(connection: sqlite3.Connection) -> int:
    """Bytes of the pages that are in use."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _close(connection: sqlite3.Connection, pid: int) -> None:
    if pid == os.getpid():
        connection.close()
