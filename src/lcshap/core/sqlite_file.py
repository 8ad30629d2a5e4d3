"""The file of a `SQLiteStore`: create it, or check it before anything is written to it."""

from __future__ import annotations

import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..errors import StoreError

APPLICATION_ID = 0x6C635368  # "lcSh": distinguishes stores from databases of other programs
VERSION = 1  # The version of the tables below.
_MAGIC = b"SQLite format 3\0"
# The structure of a file of up to this size is checked whenever it is opened, that of a larger one only on request.
_MAX_QUICK_CHECK_BYTES = 1 << 25
_RETRY_SECONDS = 0.01  # The seconds between two attempts.
_TABLES = (
    # The oldest input has the smallest number: AUTOINCREMENT never gives one a second time.
    "CREATE TABLE inputs (id INTEGER PRIMARY KEY AUTOINCREMENT, space BLOB NOT NULL UNIQUE, "
    "dtype TEXT NOT NULL, shape TEXT NOT NULL)",
    # The answers about one input stand together, so that those of a new one are written to few pages.
    "CREATE TABLE answers (input INTEGER NOT NULL, key BLOB NOT NULL, numbers BLOB NOT NULL, crc INTEGER NOT NULL, "
    "PRIMARY KEY (input, key)) WITHOUT ROWID",
)


def open_file(path: str, timeout: float) -> sqlite3.Connection:
    """A connection to the store in a file, which is made if there is none. `StoreError` for every other file.

    Nothing is written to a file that is not a store of this version, or that is damaged.
    """
    _check_header(path)
    with translate_sqlite_errors(path):
        connection = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, path, timeout)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, path: str, timeout: float) -> None:
    if not _count_tables(connection):
        with write_transaction(connection):
            if not _count_tables(connection):  # No other process has created the tables meanwhile.
                for table in _TABLES:
                    connection.execute(table)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
    _check_kind(path, *(int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in _HEADER_PRAGMAS))
    if os.path.getsize(path) <= _MAX_QUICK_CHECK_BYTES:
        check_structure(connection, path, "quick_check")
    # Last, so that the pragmas of the header are in the file itself and not in a log beside it.
    _execute_with_retries(connection, "PRAGMA journal_mode = WAL", timeout)
    connection.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing that was committed


_HEADER_PRAGMAS = ("application_id", "user_version")


def _count_tables(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


def _execute_with_retries(connection: sqlite3.Connection, statement: str, timeout: float) -> None:
    """Execute a statement that SQLite refuses immediately, without waiting, while another process uses the file."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)


# -- checks ---------------------------------------------------------------------------------------------------------


def _check_header(path: str) -> None:
    """Check the first bytes of a file before SQLite opens it and may change something."""
    if os.path.isdir(path):
        raise StoreError(f"Expected the path of a file for the store, got the folder {path!r}. Add a name.")
    try:
        with open(path, "rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"Expected a store that can be read, got {path!r}: {error.strerror}.") from error
    if not head:
        return
    if head[: len(_MAGIC)] != _MAGIC[: len(head)]:
        raise StoreError(f"Expected a store, got {path!r}, which is not a database. {_MOVE_ADVICE}")
    if not _has_pending_changes(path, "-wal", "-journal"):  # Otherwise the file may be older than its logs.
        _check_page_count(path, head)
        version, application = struct.unpack_from(">I", head, 60)[0], struct.unpack_from(">I", head, 68)[0]
        if application or version:
            _check_kind(path, application, version)


def _check_page_count(path: str, head: bytes) -> None:
    """Raise `StoreError` if the file has fewer pages than its header says."""
    if len(head) == 100:
        page = struct.unpack_from(">H", head, 16)[0]
        page = 1 << 16 if page == 1 else page
        pages, changes, valid = (struct.unpack_from(">I", head, at)[0] for at in (28, 24, 92))
        if changes != valid or pages * page <= os.path.getsize(path) or _has_pending_changes(path, "-wal", "-journal"):
            return
    raise StoreError(f"Expected a whole store, got {path!r}, whose end is missing. {_MOVE_ADVICE}")


def _check_kind(path: str, application: int, version: int) -> None:
    if application != APPLICATION_ID:
        raise StoreError(f"Expected a store, got {path!r}, a database of another program. {_MOVE_ADVICE}")
    if version != VERSION:
        raise StoreError(
            f"Expected a store of version {VERSION}, got {path!r} of version {version}. Choose another path, or use "
            f"the version of lcshap that made it. Nothing was changed."
        )


def check_structure(connection: sqlite3.Connection, path: str, pragma: str = "integrity_check") -> None:
    """Let SQLite check every page."""
    (verdict,) = connection.execute(f"PRAGMA {pragma}(1)").fetchone()
    if verdict != "ok":
        raise damage_error(path, str(verdict))


_MOVE_ADVICE = "Choose another path, or move the file away. Nothing was changed."


def damage_error(path: str, reason: str) -> StoreError:
    """The error for a file that is not as it was written."""
    return StoreError(f"Expected a store, got {path!r}, which is damaged: {' '.join(reason.split())}. {_MOVE_ADVICE}")


def _has_pending_changes(path: str, *ends: str) -> bool:
    """Whether there are changes beside the file that are not in it yet."""
    for end in ends:
        with suppress(OSError):
            if os.path.getsize(path + end):
                return True
    return False


# -- using it -------------------------------------------------------------------------------------------------------


@contextmanager
def write_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction: everything is written, or nothing; other processes wait."""
    if connection.in_transaction:  # Ctrl-C may have left an earlier transaction open.
        connection.rollback()
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.rollback()


@contextmanager
def translate_sqlite_errors(path: str) -> Iterator[None]:
    """Turn errors of SQLite into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        why = str(error)
        if "locked" in why:
            raise StoreError(
                f"Expected the store {path!r} to be free, got a lock: another process has been writing to it "
                "for a long time. Try again, or wait longer with SQLiteStore(path, timeout=...)."
            ) from error
        raise StoreError(f"Expected a store that can be read and written, got {path!r}: {why}.") from error
    except sqlite3.DatabaseError as error:
        raise damage_error(path, str(error)) from error
