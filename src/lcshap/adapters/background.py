"""An event loop in a separate thread, for models behind async functions."""

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

from ..core.redact import describe_error, redact
from ..errors import ModelError
from ..maskers.base import Rows
from ..maskers.dataframes import first_row
from .callable import check_answers, check_numbers

log = logging.getLogger("lcshap")
_POLL_SECONDS = 0.1  # on Windows, a wait without a timeout cannot be interrupted
_ABANDONED_LOOPS: list[
    BackgroundLoop
] = []  # loops of a parent process, which the child must not close: they share their file descriptors


class InvalidAnswerError(ModelError):
    """An answer that is not valid for any rows."""


class AnswerCountError(ModelError):
    """Too few or too many answers."""


class PredictCall:
    """One call of `predict`: its rows, the answers so far, and the first error."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.answers: NDArray[np.float64] | None = None
        self.error: ModelError | None = None
        self.ended = asyncio.Event()  # set when a request has failed for good, so that no other is started
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._done = threading.Event()

    def submit(self, work: Callable[[PredictCall, BackgroundLoop], Any], background: BackgroundLoop) -> None:
        """Start the work in the background loop."""

        def begin() -> None:
            self._task = background.loop.create_task(work(self, background))
            self._task.add_done_callback(lambda task: self._done.set())

        self._loop = background.loop
        self._loop.call_soon_threadsafe(begin)

    def stop(self) -> None:
        """Cancel the requests in flight, and wait until they have ended."""
        if self._loop is not None and not self._done.is_set():
            self._loop.call_soon_threadsafe(lambda: self._task.cancel() if self._task else self._done.set())
            self.wait()

    def wait(self) -> None:
        """Wait until the work, which runs in another thread, is done."""
        while not self._done.wait(_POLL_SECONDS):
            pass

    def store_answer(self, start: int, count: int, answer: Any) -> None:
        """Store the answer of a request for its rows; raise an error if it is not valid."""
        try:
            numbers = check_numbers(answer, count, "the request")
        except ModelError as error:
            raise InvalidAnswerError(str(error)) from error
        if len(numbers) != count:
            shapes = f"({count},) or ({count}, outputs)"
            raise AnswerCountError(
                f"Expected answers of shape {shapes} from the request for {count} rows, got {numbers.shape}."
            )
        outputs = check_answers(numbers, count, "the request")
        if self.answers is None:
            self.answers = np.full((len(self.rows), outputs.shape[1]), np.nan)
        if outputs.shape[1] != self.answers.shape[1]:
            raise ModelError(
                f"Expected {self.answers.shape[1]} outputs from the request, as from others, got {outputs.shape[1]}."
            )
        self.answers[start : start + count] = outputs

    def fail(self, start: int, rows: Rows, tries: int, error: BaseException) -> None:
        """Let the call fail. The first error is raised."""
        rows_text = f"row {start}" if len(rows) == 1 else f"rows {start} to {start + len(rows) - 1}"
        row_text = " ".join(reprlib.repr(first_row(rows)).split())
        tries_text = "1 try" if tries == 1 else f"{tries} tries"
        message = f"{rows_text} ({row_text}) had no answer in {tries_text}, the last time: {error_summary(error)}"
        log.warning(message)
        if self.error is None:
            self.error = ModelError(message, start if len(rows) == 1 else None)
            self.error.__cause__ = error
            self.ended.set()

    async def pause(self, seconds: float) -> None:
        """Wait for some seconds, or until the call is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.ended.wait()

    def result(self) -> NDArray[np.float64]:
        """Return all answers, or raise the error."""
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


class BackgroundLoop:
    """A thread with an event loop, and the limits that all requests in it share."""

    def __init__(self, fn: Any, in_flight: int) -> None:
        self.loop = asyncio.new_event_loop()
        self.places = asyncio.Semaphore(in_flight)
        self._start_lock, self._next_start = asyncio.Lock(), -math.inf
        work = partial(_run_loop, self.loop, fn, in_flight)
        self._thread = threading.Thread(target=work, name="lcshap remote model", daemon=True)
        self._thread.start()

    async def turn(self, call: PredictCall, gap: float) -> None:
        """Wait until another request may start, which is `gap` seconds after the start of the last one."""
        async with self._start_lock:
            while (wait := self._next_start - self.loop.time()) > 0 and not call.ended.is_set():
                await call.pause(wait)
            self._next_start = self.loop.time() + gap

    def end(self) -> None:
        """Stop the loop and wait for its thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def abandon(self) -> None:
        """Forget the loop in a forked child, where its thread does not exist. The loop still belongs to the parent."""
        _ABANDONED_LOOPS.append(self)


def error_summary(error: BaseException) -> str:
    """Return the message of an error on one line of limited length, without secrets."""
    message = " ".join((redact(str(error)) if isinstance(error, ModelError) else describe_error(error)).split())
    return message if len(message) <= 300 else f"{message[:300]}..."


def _run_loop(loop: asyncio.AbstractEventLoop, fn: Any, in_flight: int) -> None:
    """Run the event loop until it is stopped; this is the target of the thread."""
    loop.set_exception_handler(_log_exception)
    with closing(loop), ThreadPoolExecutor(in_flight) as pool:
        loop.set_default_executor(pool)  # the default pool of asyncio has too few threads for requests that block
        loop.run_forever()
        loop.run_until_complete(_shut_down(fn))


async def _shut_down(fn: Any) -> None:
    """Cancel the tasks that still run, and close the function if it has `aclose`."""
    running = asyncio.all_tasks() - {asyncio.current_task()}
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    if hasattr(fn, "aclose"):
        try:
            await fn.aclose()
        except Exception as error:
            log.warning("closing the remote model: %s", error_summary(error))
    await asyncio.get_running_loop().shutdown_asyncgens()


def _log_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log errors of tasks that are not awaited, without secrets. By default asyncio prints them with a traceback."""
    error = context.get("exception")
    message = redact(str(context.get("message", "")))
    log.warning(
        "in the loop of the remote model: %s", message if error is None else f"{message}: {describe_error(error)}"
    )
