"""An event loop in a thread of its own, for models that are asked through async functions."""

from __future__ import annotations

import asyncio
import logging
import math
import reprlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.redact import described, redacted
from ..errors import ModelError
from ..maskers.base import Rows
from ..maskers.frames import first_row
from .callable import check_answers, check_numbers

log = logging.getLogger("lcshap")
_GLANCE = 0.1  # seconds: on Windows, a wait without an end cannot be interrupted
_ORPHANS: list[Background] = []  # loops of a parent process: closing one would take its events from the parent


class WrongKindError(ModelError):
    """An answer that could not be right for any rows."""


class WrongCountError(ModelError):
    """Too few or too many answers."""


class Call:
    """One `predict`: its rows, what has been answered, and what went wrong."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.answers: NDArray[np.float64] | None = None
        self.error: ModelError | None = None
        self.over = asyncio.Event()  # a request was given up: begin no other
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._done = threading.Event()

    def submit(self, work: Callable[[Call, Background], Any], background: Background) -> None:
        """Have the work done in the background."""

        def begin() -> None:
            self._task = background.loop.create_task(work(self, background))
            self._task.add_done_callback(lambda task: self._done.set())

        self._loop = background.loop
        self._loop.call_soon_threadsafe(begin)

    def stop(self) -> None:
        """Stop the requests in flight, and wait until they have."""
        if self._loop is not None and not self._done.is_set():
            self._loop.call_soon_threadsafe(lambda: self._task.cancel() if self._task else self._done.set())
            self.wait()

    def wait(self) -> None:
        """Wait until the work is done, in another thread."""
        while not self._done.wait(_GLANCE):
            pass

    def keep(self, start: int, count: int, answer: Any) -> None:
        """Put the answer of a request where it belongs, or raise."""
        try:
            numbers = check_numbers(answer, count, "the request")
        except ModelError as error:
            raise WrongKindError(str(error)) from error
        if len(numbers) != count:
            wanted = f"({count},) or ({count}, outputs)"
            raise WrongCountError(
                f"Expected answers of shape {wanted} from the request for {count} rows, got {numbers.shape}."
            )
        checked = check_answers(numbers, count, "the request")
        if self.answers is None:
            self.answers = np.full((len(self.rows), checked.shape[1]), np.nan)
        if checked.shape[1] != self.answers.shape[1]:
            raise ModelError(
                f"Expected {self.answers.shape[1]} outputs from the request, as from others, got {checked.shape[1]}."
            )
        self.answers[start : start + count] = checked

    def give_up(self, start: int, rows: Rows, tries: int, error: BaseException) -> None:
        """Let the call fail, of this error if it is the first."""
        name = f"row {start}" if len(rows) == 1 else f"rows {start} to {start + len(rows) - 1}"
        shown = " ".join(reprlib.repr(first_row(rows)).split())
        often = "1 try" if tries == 1 else f"{tries} tries"
        message = f"{name} ({shown}) had no answer in {often}, the last time: {reason(error)}"
        log.warning(message)
        if self.error is None:
            self.error = ModelError(message, start if len(rows) == 1 else None)
            self.error.__cause__ = error
            self.over.set()

    async def pause(self, seconds: float) -> None:
        """Wait, but not when the call is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.over.wait()

    def result(self) -> NDArray[np.float64]:
        """All answers, or the error."""
        assert self._task is not None
        if self._task.cancelled():
            raise ModelError(
                "Expected the remote model to stay open while it was being asked, got closed. Close it only after "
                "the last answer."
            )
        self._task.result()
        if self.error is not None:
            raise self.error
        return np.empty((0, 1)) if self.answers is None else self.answers


class Background:
    """A thread with an event loop, and what all requests in it share."""

    def __init__(self, fn: Any, in_flight: int) -> None:
        self.loop = asyncio.new_event_loop()
        self.places = asyncio.Semaphore(in_flight)
        self._queue, self._next = asyncio.Lock(), -math.inf
        work = partial(_serve, self.loop, fn, in_flight)
        self._thread = threading.Thread(target=work, name="lcshap remote model", daemon=True)
        self._thread.start()

    async def turn(self, call: Call, gap: float) -> None:
        """Wait for the time when another request may start: a gap after the last one did."""
        async with self._queue:
            while (wait := self._next - self.loop.time()) > 0 and not call.over.is_set():
                await call.pause(wait)
            self._next = self.loop.time() + gap

    def end(self) -> None:
        """Stop the loop and wait for its thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def abandon(self) -> None:
        """After a fork, in the child: the thread is not there, and the loop stays the parent's."""
        _ORPHANS.append(self)


def reason(error: BaseException) -> str:
    """What an error says, on one line that is not too long and holds no secrets."""
    said = " ".join((redacted(str(error)) if isinstance(error, ModelError) else described(error)).split())
    return said if len(said) <= 300 else f"{said[:300]}..."


def _serve(loop: asyncio.AbstractEventLoop, fn: Any, in_flight: int) -> None:
    """The life of the thread."""
    loop.set_exception_handler(_note)
    with closing(loop), ThreadPoolExecutor(in_flight) as pool:
        loop.set_default_executor(pool)  # asyncio's own has too few threads for requests that block
        loop.run_forever()
        loop.run_until_complete(_finish(fn))


async def _finish(fn: Any) -> None:
    """Stop what still runs, and close what `fn` has opened."""
    running = asyncio.all_tasks() - {asyncio.current_task()}
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    if hasattr(fn, "aclose"):
        try:
            await fn.aclose()
        except Exception as error:
            log.warning("closing the remote model: %s", reason(error))
    await asyncio.get_running_loop().shutdown_asyncgens()


def _note(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What asyncio would print with a traceback, about tasks of the user's that nobody awaits: redacted."""
    error = context.get("exception")
    said = redacted(str(context.get("message", "")))
    log.warning("in the loop of the remote model: %s", said if error is None else f"{said}: {described(error)}")
