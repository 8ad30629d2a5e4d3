"""Locks that a forked child finds free."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

_LIVING: weakref.WeakSet[ForkSafeLock] = weakref.WeakSet()


class ForkSafeLock:
    """A lock that one thread may take several times, and that nobody holds in a child after `os.fork`.

    A child has the thread alone that made it. A plain lock that another thread held at that moment stays locked there
    for ever, and whoever asks for it hangs.

    >>> lock = ForkSafeLock()
    >>> with lock, lock:
    ...     pass
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _LIVING.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: Any) -> None:
        self._lock.release()

    def _renew(self) -> None:
        self._lock = threading.RLock()


def _renew_all() -> None:
    for lock in list(_LIVING):
        lock._renew()


if hasattr(os, "register_at_fork"):  # there are no forks on Windows
    os.register_at_fork(after_in_child=_renew_all)
