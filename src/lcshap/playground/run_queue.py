"""Work for one request: it can be cancelled, and takes turns with other work at the model."""

from __future__ import annotations

import ctypes
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..errors import LcshapError

_POLL_SECONDS = 0.05  # The time between two checks whether a run was cancelled.
GRACE_SECONDS = 0.3  # A cancelled run ends at its next batch; after this time it is interrupted.
_JOIN_SECONDS = 2.0  # A model call of an interrupted run that takes longer is counted as lost.


class CancelledError(Exception):
    """Raised in the thread of a run that was cancelled, before its next batch of model calls."""


class PlaygroundBusyError(LcshapError):
    """The playground does as much at the same time as its limits allow."""


@dataclass(eq=False)
class Run:
    """The work for one request.

    Attributes
    ----------
    cancelled : set when the result is no longer needed.
    rows, seconds : how many rows the model has answered for this run, and how long that took.
    """

    cancelled: threading.Event = field(default_factory=threading.Event)
    rows: int = 0
    seconds: float = 0.0
    thread: threading.Thread | None = None

    def check(self) -> None:
        """Raise `CancelledError` where the run was cancelled."""
        if self.cancelled.is_set():
            raise CancelledError


class ModelQueue:
    """A queue of runs for the model: one run at a time, in the order of their requests, batch by batch.

    Many models break when two threads call them at once, so the runs of a session take turns. A run whose model call
    never returns can be given up with `abandon`: then the next run calls the model, although the lost call may still
    be running.

    Parameters
    ----------
    shared : whether the model can answer several runs at once, as one behind a network can. Then no run waits.
    """

    def __init__(self, shared: bool = False) -> None:
        self.shared, self.lost_calls = shared, 0
        self._queue: deque[Run] = deque()  # The first run in the queue is calling the model.
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, run: Run) -> Iterator[None]:
        """Wait for the turn of this run, unless it is cancelled; hold it."""
        run.check()
        if self.shared:
            yield
            return
        with self._changed:
            self._queue.append(run)
        try:
            with self._changed:
                while self._queue[0] is not run:
                    run.check()
                    self._changed.wait(_POLL_SECONDS)
            yield
        finally:
            self._leave(run)

    @contextmanager
    def batch(self, run: Run, rows: int) -> Iterator[None]:
        """Hold the turn of this run for one batch, and add the batch to its `rows` and `seconds` if it succeeds."""
        with self.turn(run):
            run.check()
            begin = time.perf_counter()
            yield
            run.seconds += time.perf_counter() - begin
            run.rows += rows

    def abandon(self, run: Run) -> None:
        """Let other runs call the model although it has not answered this run."""
        if self._leave(run):
            self.lost_calls += 1

    def _leave(self, run: Run) -> bool:
        with self._changed:
            if run not in self._queue:
                return False
            self._queue.remove(run)
            self._changed.notify_all()
            return True


@dataclass(eq=False)
class ThreadPool:
    """The threads in which runs work. They end with the process, whatever the model does.

    Parameters
    ----------
    model_queue : at the model.
    max_lost_calls : how many model calls may be lost, after runs that were cancelled, before nothing new is begun.
    """

    model_queue: ModelQueue
    max_lost_calls: int = 8
    running: set[Run] = field(default_factory=set)

    def start(self, run: Run, work: Callable[[], None]) -> None:
        """Do the work in a thread of its own."""
        if self.model_queue.lost_calls >= self.max_lost_calls:
            raise PlaygroundBusyError(
                f"The model has not returned from {self.model_queue.lost_calls} calls whose runs were cancelled. "
                "Restart the playground, with a model that has a timeout."
            )

        def run_work() -> None:
            try:
                work()
            except (CancelledError, KeyboardInterrupt):
                pass
            finally:
                self.running.discard(run)

        self.running.add(run)
        run.thread = threading.Thread(target=run_work, name="lcshap playground", daemon=True)
        run.thread.start()

    def cancel(self, run: Run) -> None:
        """End a run: before its next batch; or by a `KeyboardInterrupt` in its thread, as Ctrl-C would end it.

        Everything in lcshap keeps what the model has answered when Ctrl-C comes, and a remote model stops the requests
        in flight. Only code that does not return to Python, such as a request without a timeout, cannot be interrupted.
        """
        if run.cancelled.is_set():
            return
        run.cancelled.set()
        threading.Thread(target=self._stop_thread, args=(run,), name="lcshap cancel", daemon=True).start()

    def _stop_thread(self, run: Run) -> None:
        thread = run.thread
        if thread is None:
            return
        thread.join(GRACE_SECONDS)
        if thread.is_alive() and run in self.running:
            interrupt(thread)
            thread.join(_JOIN_SECONDS)
        if thread.is_alive():
            self.model_queue.abandon(run)

    def close(self) -> None:
        """Cancel everything."""
        for run in list(self.running):
            self.cancel(run)


def interrupt(thread: threading.Thread) -> None:
    """Raise `KeyboardInterrupt` in another thread, when it next executes Python code."""
    raise_in: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc
    raise_in(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt))
