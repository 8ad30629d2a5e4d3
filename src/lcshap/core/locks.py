"""Locks that are free in a forked child process."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

_LOCKS: weakref.WeakSet[ForkSafeLock] = weakref.WeakSet()


class ForkSafeLock:
    """A reentrant lock that is not held in a child process after `os.fork`.

    A child process has only the thread that forked. A plain lock that another thread held at that moment stays locked
    in the child, so that acquiring it would block for ever.

    >>> lock = ForkSafeLock()
    >>> with lock, lock:
    ...     pass
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: Any) -> None:
        self._lock.release()

    def _reset(self) -> None:
        self._lock = threading.RLock()


def _reset_all() -> None:
    for lock in list(_LOCKS):
        lock._reset()


if hasattr(os, "register_at_fork"):  # Windows has no forks.
    os.register_at_fork(after_in_child=_reset_all)
