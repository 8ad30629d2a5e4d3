"""Run the linear algebra of the package on one thread, whatever the environment says.

The matrices of plans and estimates are small, so that BLAS threads cost more than they save: they wait for each other
in busy loops, and on a busy machine a product of two matrices can take a hundred times as long.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from .locks import ForkSafeLock

_LOCK = ForkSafeLock()


class _Limit:
    """The limit that is in force: the Python thread that set it, and the object that restores the former numbers."""

    def __init__(self) -> None:
        self.owner: int | None = None
        self.limiter: Any = None


_limit = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread within the block, and restore the numbers of threads afterwards, also after an error.

    No model is called within such a block, so that models keep the numbers of threads that the user has set. With most
    builds of BLAS, the number of threads belongs to the process: BLAS functions that other Python threads call
    meanwhile run on one thread too. If blocks of several Python threads overlap, the limit ends with the block that
    began first. The results are the same, and only the time differs.

    >>> from threadpoolctl import threadpool_info
    >>> with one_blas_thread():
    ...     {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
    {1}
    """
    with _LOCK:
        is_first = _limit.owner is None
        if is_first:
            _limit.owner = threading.get_ident()
            _limit.limiter = _controller().limit(limits=1, user_api="blas")
            _limit.limiter.__enter__()
    try:
        yield
    finally:
        if is_first:
            _remove_limit()


def _remove_limit() -> None:
    with _LOCK:
        limiter, _limit.owner, _limit.limiter = _limit.limiter, None, None
        limiter.__exit__(None, None, None)


def describe_processor() -> dict[str, list[str]]:
    """For which processor BLAS and NumPy chose their code. Sums may be rounded differently on another one.

    >>> sorted(describe_processor())
    ['blas', 'simd']
    """
    libraries = {(lib.internal_api, lib.version, getattr(lib, "architecture", None)) for lib in _blas_libraries()}
    names = sorted(" ".join(str(word) for word in words if word) for words in libraries)
    return {"blas": names, "simd": list(np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", []))}


def _blas_libraries() -> list[Any]:
    return list(_controller().select(user_api="blas").lib_controllers)


@cache
def _controller() -> ThreadpoolController:
    """The libraries of the process. They are searched once, because the search takes milliseconds."""
    import scipy.linalg  # noqa: F401 -- loads the library that SciPy uses, which is not always that of NumPy

    return ThreadpoolController()


def _restore_in_child() -> None:
    """A forked process has only the thread that forked, so that a block of another thread never ends there."""
    if _limit.owner not in (None, threading.get_ident()):
        _remove_limit()


if hasattr(os, "register_at_fork"):  # there are no forks on Windows
    os.register_at_fork(after_in_child=_restore_in_child)
