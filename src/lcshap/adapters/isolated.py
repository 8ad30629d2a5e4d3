"""A model in a process of its own: whatever it does to that process, this one goes on."""

from __future__ import annotations

import builtins
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import errors
from ..core.child import Child
from ..core.trees import Trees
from ..errors import LcshapError, ModelError, OptionError, Unfinished
from ..maskers.base import Blend, Rows
from .base import Kind, Model
from .find import find_model
from .remote import RemoteModel

_GLANCE = 0.05  # seconds between two looks at whether this thread was interrupted
_PATIENCE = 1.0  # seconds that a model has to end when it is interrupted, before its process is ended
_ATTRIBUTES = ("kind", "classes", "batch_size", "target", "record", "answered", "blends", "reads", "has_parts")
_HOW = (
    "Define it at the top of a module that can be imported. In a script, use it below `if __name__ == '__main__':`, "
    "since the other process imports the script."
)


class IsolatedModel(Model):
    """A model in a process of its own, which is started again after it has died.

    A model that ends its process (a segmentation fault in compiled code, `os._exit`, too much memory) raises
    `ModelError`, and the next question starts a new process with a new model. Ctrl-C ends a model call that never
    returns, also where it is stuck in compiled code: its process is ended then.

    Parameters
    ----------
    make : a function without arguments that makes the model, in the other process. It must be importable, such as a
        function at the top of a module; this process never makes the model.
    kind : what the numbers of the model are, see `Model`. Needed where the model does not say it itself.

    Attributes
    ----------
    remote : whether the model is a `RemoteModel`. Those gain nothing here: they ask another machine already.

    Raises
    ------
    ModelError : if the model cannot be made.
    OptionError : if `make` cannot be imported by another process.

    Notes
    -----
    Rows and answers travel through a pipe, which takes a fraction of a millisecond for a batch of texts, and about a
    millisecond for each megabyte of images. Calls from several threads wait for each other.

    Examples
    --------
    >>> from functools import partial
    >>> import lcshap as lc
    >>> sums = partial(partial, np.sum, axis=1)  # makes a model: the sum of each row
    >>> with lc.adapters.IsolatedModel(sums, "output") as model:
    ...     lc.explain(model, [1.0, 2.0], masker=lc.maskers.Tabular([0.0, 0.0])).scores
    array([1., 2.])
    """

    def __init__(self, make: Callable[[], Any], kind: Kind | None = None) -> None:
        try:
            pickle.dumps(make)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise OptionError(f"Expected a function that another process can import, got {make!r}. {_HOW}") from error
        self._make, self._kind = make, kind
        self._lock, self._child = threading.Lock(), None  # type: tuple[Any, Child | None]
        self._trees: Trees | None = None
        self._about: dict[str, Any] = self._ask("about")
        self.kind, self.classes = self._about["kind"], self._about["classes"]
        self.batch_size, self.target = self._about["batch_size"], self._about["target"]
        self.record, self.answered = self._about["record"], self._about["answered"]
        self.remote: bool = self._about["remote"]

    def __reduce__(self) -> tuple[Any, ...]:
        return IsolatedModel, (self._make, self._kind)

    # -- what a model does --------------------------------------------------------------------------------------------

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The answers of the model in the other process."""
        return np.asarray(self._ask("predict", rows))

    @property
    def blends(self) -> bool:
        """Whether the model makes rows on its own device."""
        return bool(self._about["blends"])

    def predict_blends(self, blends: Sequence[Blend]) -> NDArray[Any]:
        """The answers to the rows of some blends, one after the other."""
        return np.asarray(self._ask("predict_blends", list(blends)))

    def fingerprint(self, name: str | None = None) -> bytes:
        """A digest of what the model in the other process holds."""
        return bytes(self._ask("fingerprint", name))

    def cost(self, calls: int) -> str | None:
        """What the answers cost, as the model says."""
        return self._ask("cost", calls) if self.remote else None

    @property
    def reads(self) -> bool:
        """Whether the model counts the tokens that it reads."""
        return bool(self._about["reads"])

    def reading(self, rows: Rows) -> str:
        """How much the model reads for these rows."""
        return str(self._ask("reading", rows))

    def gradient(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient, where the model knows it."""
        return np.asarray(self._ask("gradient", rows, weights))

    def trees(self) -> Trees:
        """The trees of the model, where it is a sum of trees."""
        if self._trees is None:
            self._trees = self._ask("trees")
        assert isinstance(self._trees, Trees)
        return self._trees

    @property
    def has_parts(self) -> bool:
        """Whether the model knows its parts."""
        return bool(self._about["has_parts"])

    def parts(self, rows: Rows) -> NDArray[Any]:
        """The parts, where the model knows them."""
        return np.asarray(self._ask("parts", rows))

    def close(self) -> None:
        """End the other process. The next question starts a new one."""
        with self._turn():
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- talking to the other process ---------------------------------------------------------------------------------

    def _ask(self, name: str, *arguments: Any) -> Any:
        """What a method of the model returns or raises; `ModelError` where the process dies."""
        with self._turn():
            if self._child is not None and not self._child.process.is_alive():
                self._end()  # it has died since it was asked last
            child = self._child = self._child or self._start()
            waiting = answered = False
            try:
                child.connection.send((name, arguments))
                waiting = True
                while not child.connection.poll(_GLANCE):
                    pass
                waiting = False
                good, answer = child.connection.recv()
                answered = True
            except (EOFError, OSError):
                first = f"What it said stands on the terminal. {_HOW}" if name == "about" else "It is started again."
                raise ModelError(f"The model ended its process with {child.exit_code}. {first}") from None
            except KeyboardInterrupt:
                answered = waiting and _interrupt(child)
                raise
            finally:
                if not answered:  # the pipe may hold half a message
                    self._end()
                    self._child = None if name == "about" else self._start()  # now, so that the next one waits less
        if good:
            return answer
        raise _revived(*answer)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for the calls of other threads, in a way that can be interrupted."""
        while not self._lock.acquire(timeout=_GLANCE):
            pass
        try:
            yield
        finally:
            self._lock.release()

    def _start(self) -> Child:
        return Child(_serve, self._make, self._kind)

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


def _interrupt(child: Child) -> bool:
    """Interrupt what the model does, as Ctrl-C would. Whether it has ended, and answers questions again."""
    if os.name != "posix" or child.process.pid is None:
        return False
    os.kill(child.process.pid, signal.SIGINT)
    try:
        if not child.connection.poll(_PATIENCE):
            return False
        child.connection.recv()
    except (EOFError, OSError):
        return False
    return True


def _revived(kind: str, arguments: tuple[Any, ...], row: int | None, answers: Any) -> BaseException:
    """An error of the other process, as the same kind where that is Python's or ours; else as one of this name."""
    other: type[Exception] = type(kind, (Exception,), {})
    found = getattr(errors, kind, None) or getattr(builtins, kind, other)
    if found is ModelError:
        return ModelError(str(arguments[0]), row, answers)
    same: type[Exception] = found if isinstance(found, type) and issubclass(found, Exception) else other
    try:
        return same(*arguments)
    except TypeError:  # one that wants other arguments
        return other(*arguments)


# -- in the other process ---------------------------------------------------------------------------------------------


def _serve(channel: Any, make: Callable[[], Any], kind: Kind | None) -> None:
    """Make the model, then answer until nobody asks. Standard output is not ours: prints go to standard error."""
    sys.stdout = sys.stderr
    busy = False

    def interrupt(*_: Any) -> None:
        if busy:  # Ctrl-C on a terminal reaches all processes, also those that do nothing
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    made: Model | BaseException
    try:
        made = find_model(make(), kind)
    except BaseException as error:
        made = error
    while True:
        try:
            name, arguments = channel.recv()
        except (EOFError, OSError):
            return
        try:
            busy = True
            if isinstance(made, BaseException):
                raise made
            answer = True, _about(made) if name == "about" else getattr(made, name)(*arguments)
            busy = False
        except BaseException as error:
            busy = False
            answer = False, _told(error)
        try:
            channel.send(answer)
        except OSError:
            return


def _about(model: Model) -> dict[str, Any]:
    found = {name: getattr(model, name) for name in _ATTRIBUTES}
    record = {"model": type(model).__name__, **found["record"]}
    classes = None if found["classes"] is None else [str(name) for name in found["classes"]]
    return found | {"record": record, "classes": classes, "remote": isinstance(model, RemoteModel)}


def _told(error: BaseException) -> tuple[str, tuple[Any, ...], int | None, Any]:
    """An error as plain data: its kind, what it says, the row, and what was answered before it."""
    own = isinstance(error, LcshapError | Unfinished)
    plain = all(isinstance(part, str | bytes | int | float | bool | None) for part in error.args)
    arguments = error.args if plain and not own else (str(error),)
    row, answers = getattr(error, "row", None), getattr(error, "answers", None)
    known = next(kind.__name__ for kind in type(error).__mro__ if not own or hasattr(errors, kind.__name__))
    return known, arguments, row if isinstance(row, int) else None, answers if own else None
