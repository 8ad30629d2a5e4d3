"""Models behind a network: requests of an async function, with limits, retries and prices."""

from __future__ import annotations

import asyncio
import inspect
import logging
import math
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import Interrupted, ModelError
from ..maskers.base import Rows
from .background import AnswerCountError, BackgroundLoop, InvalidAnswerError, PredictCall, error_summary
from .base import Kind, Model
from .callable import check_kind

log = logging.getLogger("lcshap")
_REQUESTS_PER_SLOT = 8  # requests in a batch, so that few slots are idle while the last answers arrive
_WARN_SECONDS = 10.0  # a longer wait is logged as a warning
_PROGRAMMING_ERRORS = (
    TypeError,
    AttributeError,
    NameError,
    LookupError,
    ImportError,
    NotImplementedError,
    AssertionError,
)


class RemoteModel(Model):
    """A model behind an async function, with many requests at once.

    Parameters
    ----------
    fn : ``await fn(rows)`` answers up to `rows_per_request` rows, a list or an array of rows of the masker, with `(n,)`
        or `(n, k)` numbers. If the server returns how long to wait, raise an exception with an attribute `retry_after`:
        seconds, or a date as in the header of that name. If `fn` is an object with an async method `aclose`, `close`
        awaits that.
    kind : the kind of these numbers, see `Model`.
    rows_per_request : the number of rows in one request.
    in_flight : the number of requests at once, including those that wait for another try.
    per_second : the number of requests that start in a second, evenly spaced; None for no limit.
    retries : how often a request is tried again after an exception, a timeout, too few or too many answers, or NaN. An
        answer that is not an array of numbers is a mistake in `fn`, and is not tried again. The same holds, as long as
        `fn` has not succeeded once, for exceptions that indicate a programming error, such as `TypeError`, `NameError`
        or `KeyError`, and for a wrong number of answers that occurs twice.
    timeout : the largest number of seconds for one try.
    backoff : seconds before the second try. The time doubles with each further try, and varies at random by up to a
        half.
    price : the price of one row, for `cost`; that of one sample if there are several samples of a row.
    classes : names of the classes, in the order of the columns.
    fatal : exceptions after which there is no other try, such as that of a wrong password.
    seed : the seed of the variation of `backoff`.
    longest_wait : the largest number of seconds between two tries, even if the server requests more.

    Attributes
    ----------
    requests, retried, failed : the number of requests that were sent, of further tries among them, and of requests that
        failed for good.
    batch_size : the number of rows that keeps all requests in flight busy.

    Notes
    -----
    `fn` always runs in the same event loop, which belongs to the model and runs in a separate thread. So `predict`
    works in a notebook too, and one client session can be used for all requests if `fn` makes it in its first call (a
    session from elsewhere belongs to another loop). Call a client that blocks by `asyncio.to_thread`, with its own
    timeout, because a thread cannot be stopped. `close`, or ``with``, ends the thread; so does losing the model.

    When a request has failed for good, no other is started, those in flight are awaited, and the `ModelError` has all
    `answers` that arrived. So has the `KeyboardInterrupt` of Ctrl-C, which stops the requests in flight.

    An exception of `fn` may contain a key, in headers or in an address. Messages and logs of lcshap contain its type,
    its HTTP status and its message without such secrets (`lcshap.core.redact`). The exception itself is the
    `__cause__`: Python prints it unchanged in the traceback of an uncaught error.

    A model that is pickled, or inherited by a forked process, starts a new loop there with the first call. A client
    session that `fn` keeps must then be made again, because it belongs to the loop in which it was made.

    Examples
    --------
    >>> from lcshap.adapters.remote import RemoteModel
    >>> async def ask(texts):
    ...     return [len(text) for text in texts]  # a real one awaits session.post(...)
    >>> with RemoteModel(ask, "output", rows_per_request=2, per_second=10, price=0.0003) as model:
    ...     print(model.cost(1200))
    ...     print(model.predict(["a", "abc", "ab"]).ravel(), "from", model.requests, "requests")
    1,200 calls, 600 requests, about 0.36 (price 0.0003 a call), at least 60 s at 10 a second
    [1. 3. 2.] from 2 requests
    """

    fingerprint_attributes: ClassVar[tuple[str, ...]] = ("fn",)
    function_attributes: ClassVar[tuple[str, ...]] = ("fn",)

    samples: int = 1  # requests for each row, one after the other

    def __init__(
        self,
        fn: Callable[[Any], Awaitable[Any]],
        kind: Kind,
        rows_per_request: int = 1,
        in_flight: int = 8,
        per_second: float | None = None,
        retries: int = 5,
        timeout: float = 30.0,
        backoff: float = 0.5,
        price: float | None = None,
        classes: Sequence[str] | None = None,
        *,
        fatal: tuple[type[BaseException], ...] = (),
        seed: int = 0,
        longest_wait: float = 60.0,
    ) -> None:
        if not is_async(fn):
            raise ModelError(f"Expected an async function of rows, got {_callable_name(fn)}. Define it with async def.")
        if not isinstance(fatal, tuple) or not all(isinstance(e, type) for e in fatal):
            raise ModelError(f"Expected fatal as a tuple of exception classes, got {fatal!r}.")
        self.fn, self.kind, self.classes, self.fatal = fn, check_kind(kind, "a remote model"), classes, fatal
        self.rows_per_request = check_integer("rows_per_request", rows_per_request, 1)
        self.in_flight = check_integer("in_flight", in_flight, 1)
        self.retries = check_integer("retries", retries, 0)
        self.seed = check_integer("seed", seed, 0)
        self.per_second = None if per_second is None else _check_number("per_second", per_second)
        self.timeout = _check_number("timeout", timeout)
        self.backoff = _check_number("backoff", backoff, zero=True)
        self.longest_wait = _check_number("longest_wait", longest_wait, zero=True)
        self.price = None if price is None else _check_number("price", price, zero=True)
        self.batch_size = _REQUESTS_PER_SLOT * self.in_flight * self.rows_per_request
        self.requests = self.retried = self.failed = 0
        self._closed = self._has_answered = False
        self._reset_loop()

    def predict(self, rows: Rows) -> NDArray[np.float64]:
        """The answers to all rows, `(n, outputs)`; or a `ModelError` with those that came."""
        call = PredictCall(rows)
        try:
            with self._lock:  # so that `close` ends all calls that were started before it
                call.submit(self._answer_rows, self._start_background())
            call.wait()
            log.info("%d rows; so far %d requests, %d of them again", len(rows), self.requests, self.retried)
            return call.result()
        except KeyboardInterrupt as error:  # at any time
            call.stop()
            raise Interrupted("Interrupted while the remote model was being asked.", answers=call.answers) from error
        except BaseException as error:
            call.stop()
            if isinstance(error, ModelError):
                error.answers = call.answers
            raise

    def cost(self, calls: int) -> str:
        """The cost of the answers to so many rows, if no request has to be tried again."""
        requests = math.ceil(calls / self.rows_per_request) * self.samples
        estimates = [f"{calls:,} calls", f"{requests:,} requests"]
        if self.price is not None:
            money = calls * self.samples * self.price
            price_unit = "a call" if self.samples == 1 else "a sample"
            estimates.append(f"about {money:{',.2f' if money >= 0.01 else '.1g'}} (price {self.price:g} {price_unit})")
        if self.per_second is not None:
            seconds = max(requests - 1, 0) / self.per_second
            estimates.append(f"at least {seconds:,.0f} s at {self.per_second:g} a second")
        return ", ".join(estimates)

    def close(self) -> None:
        """End the thread. Calls that are running fail."""
        with self._lock:
            self._closed = True
            if self._end is not None:
                self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _reset_loop(self) -> None:
        """Start without a loop: at first, after unpickling, and in a forked process."""
        self._lock = threading.Lock()
        self._background: BackgroundLoop | None = None
        self._end: weakref.finalize[[], RemoteModel] | None = None
        _LIVE_MODELS.add(self)

    def _abandon_loop(self) -> None:
        if self._end is not None:
            self._end.detach()
        if self._background is not None:
            self._background.abandon()
        self._reset_loop()

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: attribute for name, attribute in vars(self).items() if name not in ("_lock", "_background", "_end")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._reset_loop()

    def _start_background(self) -> BackgroundLoop:
        if self._closed:
            raise ModelError("Expected an open remote model, got a closed one. Create a new one.")
        if self._background is None:
            self._background = BackgroundLoop(self.fn, self.in_flight)
            self._end = weakref.finalize(self, self._background.end)
        return self._background

    async def _answer_rows(self, call: PredictCall, background: BackgroundLoop) -> None:
        async with asyncio.TaskGroup() as group:
            for start in range(0, len(call.rows), self.rows_per_request):
                group.create_task(self._request(call, start, background))

    async def _request(self, call: PredictCall, start: int, background: BackgroundLoop) -> None:
        """Send a request for some rows until they are answered or no try remains."""
        rows = call.rows[start : start + self.rows_per_request]
        async with background.places:
            for tries in range(1, self.retries + 2):
                await background.turn(call, self.samples / self.per_second if self.per_second else 0.0)
                if call.ended.is_set():
                    return
                self.requests += 1
                self.retried += tries > 1
                try:
                    call.store_answer(start, len(rows), await self._try_request(rows))
                    self._has_answered = True
                    return
                except (Exception, asyncio.CancelledError, SystemExit) as error:
                    if asyncio.current_task().cancelling():  # type: ignore[union-attr]
                        raise asyncio.CancelledError from error
                    if tries > self.retries or self._is_final(error, tries):
                        self.failed += 1
                        return call.fail(start, rows, tries, error)
                    await call.pause(self._delay(error, start, tries))

    def _is_final(self, error: BaseException, tries: int) -> bool:
        """Whether another try is useless. A function that has never answered is wrong rather than unavailable."""
        if self._has_answered:
            return isinstance(error, (*self.fatal, InvalidAnswerError))
        twice = tries > 1 and isinstance(error, AnswerCountError)
        return twice or isinstance(error, (*self.fatal, InvalidAnswerError, *_PROGRAMMING_ERRORS))

    async def _try_request(self, rows: Rows) -> Any:
        try:
            async with asyncio.timeout(self.timeout) as limit:
                return await self.fn(rows)
        except TimeoutError as error:
            if limit.expired():
                raise TimeoutError(f"There was no answer within {self.timeout:g} s.") from error
            raise

    def _delay(self, error: BaseException, start: int, tries: int) -> float:
        """Return the seconds until the next try. The spread depends only on the row and the try: it is reproducible."""
        spread = np.random.default_rng((self.seed, start, tries)).uniform(0.5, 1.5)
        delay = self.backoff * 2.0 ** min(tries - 1, 99) * spread
        delay = min(self.longest_wait, max(delay, _retry_after(error)))
        level = logging.WARNING if delay > _WARN_SECONDS else logging.INFO
        log.log(level, "row %d, try %d: %s; again in %.1f s", start, tries, error_summary(error), delay)
        return delay


_LIVE_MODELS: weakref.WeakSet[RemoteModel] = weakref.WeakSet()


def _reset_after_fork() -> None:
    """Reset all models in a forked process, where no loop runs and locks may never be released."""
    for model in list(_LIVE_MODELS):
        model._abandon_loop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)


def is_async(fn: Any) -> bool:
    """Whether this is an async function, or an object whose `__call__` is one.

    >>> is_async(len)
    False
    """
    return inspect.iscoroutinefunction(fn) or (callable(fn) and inspect.iscoroutinefunction(type(fn).__call__))


def _retry_after(error: BaseException) -> float:
    """The seconds for which the server requests to wait: a number, or a date as in HTTP; 0 without such a request."""
    with suppress(Exception):  # the attribute may have any type, and reading it may raise any error
        retry_after: Any = error.retry_after  # type: ignore[attr-defined]
        try:
            seconds = float(retry_after)
        except ValueError:
            date = parsedate_to_datetime(retry_after)
            seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        return seconds if math.isfinite(seconds) else 0.0
    return 0.0


def _callable_name(fn: Any) -> str:
    """Return the name of a callable. The repr of a `partial` would show its arguments, which may contain a key."""
    return str(getattr(fn, "__name__", type(fn).__name__))


def check_integer(name: str, number: Any, minimum: int) -> int:
    """An integer of at least `minimum`; `ModelError` for anything else."""
    if not isinstance(number, int | np.integer) or number < minimum:
        raise ModelError(f"Expected {name} as an integer of at least {minimum}, got {number!r}.")
    return int(number)


def _check_number(name: str, number: Any, zero: bool = False) -> float:
    is_valid = isinstance(number, int | float | np.number) and math.isfinite(number) and number >= 0
    if not is_valid or (number == 0 and not zero):
        raise ModelError(
            f"Expected {name} as a {'number of at least 0' if zero else 'positive number'}, got {number!r}."
        )
    return float(number)
