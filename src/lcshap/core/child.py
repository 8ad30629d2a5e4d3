"""Child processes that answer requests. A child ends when its parent ends, in whatever way that happens.

The parent sends the name of a method and its arguments. The child calls this method of an object that it created when
it started, and sends a `Reply`: the return value, or the exception as plain data, because exceptions of other packages
frequently cannot be pickled.
"""

from __future__ import annotations

import builtins
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import connection
from typing import Any, NamedTuple

from .. import errors
from ..errors import LcshapError, ModelError, Unfinished, row_of
from .redact import error_text

_POLL_SECONDS = 0.05  # The time between two checks for an interrupt of this thread.
_INTERRUPT_SECONDS = 1.0  # The time that an interrupted request has to end.
_JOIN_SECONDS = 5.0  # The time that a process has to end.


class ChildDiedError(Exception):
    """The child ended before it answered; the message says how it ended, such as "exit code 3"."""


class SerializedError(NamedTuple):
    """An exception as plain data.

    Attributes
    ----------
    kind : the name of its class, or of the first of its base classes that lcshap defines.
    arguments : what the exception is made from.
    row, answers : what `ModelError` and `Unfinished` carry of the rows that the model was asked about.
    """

    kind: str
    arguments: tuple[Any, ...]
    row: int | None
    answers: Any


class Reply(NamedTuple):
    """What a call returned, or the error that it raised."""

    value: Any = None
    error: SerializedError | None = None

    @classmethod
    def from_call(cls, function: Callable[..., Any], *arguments: Any, catch: type[BaseException] = Exception) -> Reply:
        """Call a function. An exception of the class `catch` is put into the reply."""
        try:
            return cls(function(*arguments))
        except catch as error:
            return cls(error=serialize_error(error))

    def result(self) -> Any:
        """Return what the call returned, or raise what it raised."""
        if self.error is not None:
            raise deserialize_error(self.error)
        return self.value


class Child:
    """A new Python process that answers requests.

    Parameters
    ----------
    make : makes the object whose methods are called, in the new process, which imports this function or class. What it
        raises is the reply to every request.
    arguments : what `make` is called with; they are pickled.
    interruptible : whether a request can be interrupted as by Ctrl-C. Then everything that it raises is a reply, also
        SystemExit. Otherwise Ctrl-C is left to this process, and what is no `Exception` ends the child.

    Attributes
    ----------
    connection : this process's end of the pipe. Its end is reached when the child has ended.
    process : the child.
    idle : whether the child has answered the last request of `ask`, so that it can get another one.
    """

    def __init__(self, make: Callable[..., Any], *arguments: Any, interruptible: bool = False) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, child_connection = context.Pipe()
        self.interruptible, self.idle = interruptible, True
        self.process = context.Process(
            target=_serve_requests, args=(child_connection, interruptible, make, *arguments), daemon=True
        )
        self.process.start()
        child_connection.close()  # The connection closes when the process ends.

    def ask(self, name: str, *arguments: Any) -> Reply:
        """Send a request and wait for the reply, in a way that can be interrupted.

        Raises
        ------
        ChildDiedError : if the child ends before it answers.
        """
        self.idle = waiting = False
        try:
            self.send(name, *arguments)
            waiting = True
            with suppress(OSError):  # The child has died; `receive` reports this.
                while not self.connection.poll(_POLL_SECONDS):
                    pass
            waiting = False
            reply = self.receive()
            self.idle = True
            return reply
        except KeyboardInterrupt:
            self.idle = waiting and self.interruptible and self._interrupt()
            raise

    def send(self, name: str, *arguments: Any) -> None:
        """Send a request."""
        with suppress(OSError):  # The child has died; `receive` reports this.
            self.connection.send((name, arguments))

    def receive(self) -> Reply:
        """Wait for the reply to the request that was sent.

        Raises
        ------
        ChildDiedError : if the child ends before it answers.
        """
        try:
            return self.connection.recv()  # type: ignore[no-any-return]
        except (EOFError, OSError):
            died = ChildDiedError(self._exit_code())
            self.connection.close()
            raise died from None

    def end(self) -> None:
        """End the child immediately, even during a request."""
        self.process.terminate()
        self.process.join(_JOIN_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()

    def _exit_code(self) -> str:
        """How the child ended, in words."""
        self.process.join(_JOIN_SECONDS)
        code = self.process.exitcode
        if code is not None and code < 0:
            hint = " (out of memory?)" if -code == signal.SIGKILL else ""
            return f"signal {signal.Signals(-code).name}{hint}"
        return f"exit code {code}"

    def _interrupt(self) -> bool:
        """Interrupt the request, as Ctrl-C would; return whether it has ended, so that the child can get another."""
        if os.name != "posix" or self.process.pid is None:
            return False
        try:
            os.kill(self.process.pid, signal.SIGINT)
            if not self.connection.poll(_INTERRUPT_SECONDS):
                return False
            self.connection.recv()
        except (EOFError, OSError):
            return False
        return True


def serialize_error(error: BaseException) -> SerializedError:
    """Turn an exception into plain data."""
    from_lcshap = isinstance(error, LcshapError | Unfinished)
    plain = all(type(argument) in (str, bytes, int, float, bool, type(None)) for argument in error.args)
    kind = next(base.__name__ for base in type(error).__mro__ if not from_lcshap or hasattr(errors, base.__name__))
    answers = error.answers if isinstance(error, ModelError | Unfinished) else None
    arguments = error.args if plain and not from_lcshap else (error_text(error),)
    return SerializedError(kind, arguments, row_of(error), answers)


def deserialize_error(error: SerializedError) -> Exception:
    """Create the exception again: of the same class if Python or lcshap defines it, else of a new class of its name."""
    substitute_class: type[Exception] = type(error.kind, (Exception,), {})
    named = getattr(errors, error.kind, None) or getattr(builtins, error.kind, substitute_class)
    if named is ModelError:
        return ModelError(str(error.arguments[0]), error.row, error.answers)
    error_class = named if isinstance(named, type) and issubclass(named, Exception) else substitute_class
    try:
        return error_class(*error.arguments)
    except TypeError:  # The class of the error takes other arguments.
        return substitute_class(*error.arguments)


# -- in the child -----------------------------------------------------------------------------------------------------


def _serve_requests(channel: Any, interruptible: bool, make: Callable[..., Any], *arguments: Any) -> None:
    """Create the object, then answer requests until the parent closes its end of the pipe."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    busy = False

    def interrupt(*_: Any) -> None:
        if busy:  # A terminal sends Ctrl-C to all processes, even to idle ones.
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt if interruptible else signal.SIG_IGN)
    catch = BaseException if interruptible else Exception
    target = Reply.from_call(make, *arguments, catch=catch)
    while True:
        try:
            name, arguments = channel.recv()
        except (EOFError, OSError):
            return
        try:
            busy = True
            reply = (
                target if target.error else Reply.from_call(_call_method, target.value, name, arguments, catch=catch)
            )
            busy = False
        except KeyboardInterrupt as error:  # The interrupt came just before or after the call.
            busy = False
            reply = Reply(error=serialize_error(error))
        try:
            channel.send(reply)
        except OSError:
            return


def _call_method(target: Any, name: str, arguments: tuple[Any, ...]) -> Any:
    return getattr(target, name)(*arguments)


def _end_with_parent() -> None:
    """End immediately when the main process ends, even during a request."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
