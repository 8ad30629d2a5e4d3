"""An event loop in a thread of its own, for models that are asked through async functions."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import Any, Protocol

from ..core.redact import described, redacted

log = logging.getLogger("lcshap")
_ORPHANS: list[Background] = []  # loops of a parent process: closing one would take its events from the parent


class Pausing(Protocol):
    """Who waits for a turn: it can stop to wait."""

    over: asyncio.Event

    async def pause(self, seconds: float) -> None:
        """Wait, but not when the call is over."""


class Background:
    """A thread with an event loop, and what all requests in it share."""

    def __init__(self, fn: Any, in_flight: int) -> None:
        self.loop = asyncio.new_event_loop()
        self.places = asyncio.Semaphore(in_flight)
        self._queue, self._next = asyncio.Lock(), -math.inf
        work = partial(_serve, self.loop, fn, in_flight)
        self._thread = threading.Thread(target=work, name="lcshap remote model", daemon=True)
        self._thread.start()

    async def turn(self, call: Pausing, gap: float) -> None:
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
            log.warning("closing the remote model: %s", described(error))
    await asyncio.get_running_loop().shutdown_asyncgens()


def _note(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What asyncio would print with a traceback, about tasks of the user's that nobody awaits: redacted."""
    error = context.get("exception")
    said = redacted(str(context.get("message", "")))
    log.warning("in the loop of the remote model: %s", said if error is None else f"{said}: {described(error)}")
