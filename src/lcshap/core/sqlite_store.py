"""A store in a file, for many runs and several processes: what a model has answered is never asked again."""

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
from .keys import SIZE
from .locks import ForkSafeLock
from .sqlite_file import check_structure, damaged, open_file, translated, writing
from .store import Numbers, Store

_TYPE = "<f8"  # of the numbers, whatever the machine
_AT_ONCE = 500  # keys in one look-up
# One answer about a known input takes one statement, which is a transaction of its own: batches of one row are common.
_ONE = "INSERT OR IGNORE INTO answers SELECT id, ?, ?, ? FROM inputs WHERE space = ? AND dtype = ? AND shape = ?"
_ROOM = 0.9  # of the most bytes: what is left after old inputs were forgotten
_ORPHANS: list[sqlite3.Connection] = []  # of a parent process: closing one would free the parent's locks


class SQLiteStore(Store):
    """A store in a file, which processes and threads may share. What was put is there after a crash or `kill -9`.

    Models are known by their content there: see `lcshap.adapters.Model.fingerprint`. A function has none, so
    ``Explainer(..., model_name="reviews-v3")`` names it.

    Parameters
    ----------
    path : of the file, an SQLite database. It is made if it is not there. A file that is no store, that is damaged or
        that another version wrote raises `lcshap.StoreError`, and is left as it is.
    max_bytes : how large the file may grow; None: as large as it takes. The inputs that came first are forgotten first;
        the one that is being worked on never is. The file may be larger by the answers of one batch, which are written
        before older ones are forgotten.
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
    ...     options = dict(kind="output", model_name="length", store=f"{folder.name}/calls.db")
    ...     return lc.Explainer(model, lc.maskers.Text(), method, **options)
    >>> explainer("shapley")("to be or not").rows, explainer("myerson")("to be or not").rows
    (16, 0)
    >>> folder.cleanup()
    """

    lasting = True

    def __init__(self, path: str | os.PathLike[str], max_bytes: int | None = None, timeout: float = 60.0) -> None:
        if max_bytes is not None and (not isinstance(max_bytes, int) or max_bytes < 1):
            raise OptionError(f"Expected max_bytes as a number of bytes above 0, or None, got {max_bytes!r}.")
        self.path, self.max_bytes, self.timeout = os.path.abspath(os.fspath(path)), max_bytes, timeout
        self._start()

    def get(self, space: bytes, keys: Sequence[bytes]) -> tuple[NDArray[np.bool_], Numbers | None]:
        """Which keys are known, and their numbers."""
        known: NDArray[np.bool_] = np.zeros(len(keys), bool)
        with self._lock, translated(self.path):
            connection = self._connected()
            row = connection.execute("SELECT id, dtype, shape FROM inputs WHERE space = ?", (space,)).fetchone()
            found = {} if row is None else self._find(connection, row[0], space, keys)
        if not found:
            return known, None
        known[:] = np.fromiter((key in found for key in keys), bool, len(keys))
        flat = b"".join(found[key] for key in keys if key in found)
        return known, self._decoded(flat, int(known.sum()), row[1], row[2])

    def put(self, space: bytes, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the numbers of some keys. They are in the file when this returns."""
        if len(numbers) != len(keys):
            raise GameError(f"Expected one answer for each of {len(keys)} coalitions, got {len(numbers)}.")
        if not len(keys):
            return
        rows = np.ascontiguousarray(numbers, _TYPE)
        flat, size, seed = rows.tobytes(), rows[0].nbytes, crc32(space)
        parts = [flat[start : start + size] for start in range(0, len(flat), size)]
        checks = [crc32(part, crc32(key, seed)) for key, part in zip(keys, parts, strict=True)]
        shape = str(list(rows.shape[1:]))
        with self._lock, translated(self.path):
            connection = self._connected()
            if len(keys) == 1 and self.max_bytes is None and not connection.in_transaction:
                given = (keys[0], parts[0], checks[0], space, _TYPE, shape)
                if connection.execute(_ONE, given).rowcount == 1:
                    return
            with writing(connection):
                number = self._number(connection, space, shape)
                lines = zip([number] * len(keys), keys, parts, checks, strict=True)
                connection.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)", lines)
                if self.max_bytes is not None:
                    _forget(connection, number, self.max_bytes)

    def _number(self, connection: sqlite3.Connection, space: bytes, shape: str) -> int:
        """The number of an input, which is noted down if it is new."""
        row = connection.execute("SELECT id, dtype, shape FROM inputs WHERE space = ?", (space,)).fetchone()
        if row is None:
            add = "INSERT INTO inputs (space, dtype, shape) VALUES (?, ?, ?) RETURNING id, dtype, shape"
            row = connection.execute(add, (space, _TYPE, shape)).fetchone()
        number, dtype, known = row
        if (dtype, known) != (_TYPE, shape):
            raise StoreError(
                f"Expected answers of shape {known}, as in the store {self.path!r}, got {shape}. If the model "
                "has changed, give it another name with Explainer(..., model_name=...)."
            )
        return int(number)

    def _find(self, connection: sqlite3.Connection, number: int, space: bytes, keys: Sequence[bytes]) -> dict[Any, Any]:
        """The numbers of one input by key, as bytes, checked."""
        found: dict[bytes, bytes] = {}
        seed = crc32(space)
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            select = f"SELECT key, numbers, crc FROM answers WHERE input = ? AND key IN ({','.join('?' * len(some))})"
            for key, part, check in connection.execute(select, (number, *some)):
                if crc32(part, crc32(key, seed)) != check:
                    raise damaged(self.path, "an answer is not what was written")
                found[key] = part
        return found

    def _decoded(self, flat: bytes, count: int, dtype: str, shape: str) -> Numbers:
        try:
            if dtype != _TYPE:
                raise ValueError(f"numbers of type {dtype!r}")
            return np.frombuffer(flat, _TYPE).reshape(count, *json.loads(shape)).astype(np.float64)
        except (ValueError, TypeError) as error:
            raise damaged(self.path, str(error)) from error

    # -- the file -------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self._lock = ForkSafeLock()
        self._connection: sqlite3.Connection | None = None
        self._pid = 0
        self._connected()

    def _connected(self) -> sqlite3.Connection:
        """The connection of this process; a forked child makes its own."""
        if self._connection is not None and self._pid == os.getpid():
            return self._connection
        if self._connection is not None:
            _ORPHANS.append(self._connection)
        self._connection, self._pid = open_file(self.path, self.timeout), os.getpid()
        weakref.finalize(self, _close, self._connection, self._pid)
        return self._connection

    def check(self) -> None:
        """Read everything, and raise `StoreError` if anything is not as it was written."""
        with self._lock, translated(self.path):
            connection = self._connected()
            check_structure(connection, self.path)
            spaces = {number: space for number, space in connection.execute("SELECT id, space FROM inputs")}
            for number, key, part, check in connection.execute("SELECT input, key, numbers, crc FROM answers"):
                space = spaces.get(number, b"")
                if len(key) != SIZE or crc32(part, crc32(key, crc32(space))) != check:
                    raise damaged(self.path, "an answer is not what was written")

    def close(self) -> None:
        """Close the file. It is opened again when something is asked or put."""
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
        self._start()

    def __len__(self) -> int:
        """How many rows are known."""
        with self._lock, translated(self.path):
            return int(self._connected().execute("SELECT count(*) FROM answers").fetchone()[0])

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"SQLiteStore({self.path!r})"


def _forget(connection: sqlite3.Connection, current: int, most: int) -> None:
    """Delete the inputs that came first, until there is room; free pages are used again."""
    if _used(connection) <= most:
        return
    for number in list(_others(connection, current)):
        connection.execute("DELETE FROM answers WHERE input = ?", (number,))
        connection.execute("DELETE FROM inputs WHERE id = ?", (number,))
        if _used(connection) <= _ROOM * most:
            return


def _others(connection: sqlite3.Connection, current: int) -> Iterator[int]:
    for (number,) in connection.execute("SELECT id FROM inputs WHERE id != ? ORDER BY id", (current,)):
        yield number


def _used(connection: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _close(connection: sqlite3.Connection, pid: int) -> None:
    if pid == os.getpid():
        connection.close()
