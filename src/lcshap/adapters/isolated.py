"""A model in a separate process, so that this process survives a crash of the model."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..core.child import Child, ChildDiedError
from ..core.structures import Structure
from ..errors import ModelError, OptionError
from ..maskers.base import Blend, Rows
from .base import Kind, Model
from .find import find_model
from .remote import RemoteModel

_POLL_SECONDS = 0.05  # between two checks whether this thread was interrupted
_ATTRIBUTES = (
    "kind",
    "classes",
    "batch_size",
    "target",
    "record",
    "answer_and_spans",
    "blends",
    "counts_tokens",
    "has_parts",
    "readable_outputs",
)
_HOW_TO_IMPORT = (
    "Define it at the top of a module that can be imported. In a script, use it below `if __name__ == '__main__':`, "
    "since the other process imports the script."
)


class IsolatedModel(Model):
    """A model in a separate process, which is started again after a crash.

    If the model ends its process (by a segmentation fault in compiled code, `os._exit`, or too much memory),
    `ModelError` is raised, and the next call starts a new process with a new model. Ctrl-C ends a model call that never
    returns, also in compiled code, by ending its process.

    Parameters
    ----------
    make : a function without arguments that makes the model, in the other process. It must be importable, such as a
        function at the top of a module; this process never makes the model.
    kind : the kind of the outputs, see `Model`. It is needed unless the model declares it.

    Attributes
    ----------
    feature_names_in_ : the names of the columns that the model was fitted on, if it knows them.
    remote : whether the model is a `RemoteModel`. Such models need no separate process, because they run on another
        machine.

    Raises
    ------
    ModelError : if the model cannot be made.
    OptionError : if `make` cannot be imported by another process.

    Notes
    -----
    Rows and answers are sent through a pipe, which takes a fraction of a millisecond for a batch of texts, and about a
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
            raise OptionError(
                f"Expected a function that another process can import, got {make!r}. {_HOW_TO_IMPORT}"
            ) from error
        self._make, self._kind = make, kind
        self._lock, self._child = threading.Lock(), None  # type: tuple[Any, Child | None]
        self._structures: dict[str, Structure] = {}
        self._model_info: dict[str, Any] = self._ask("model_info")
        self.kind, self.classes = self._model_info["kind"], self._model_info["classes"]
        self.batch_size, self.target = self._model_info["batch_size"], self._model_info["target"]
        self.record, self.answer_and_spans = self._model_info["record"], self._model_info["answer_and_spans"]
        self.feature_names_in_: list[str] | None = self._model_info["feature_names_in_"]
        self.remote: bool = self._model_info["remote"]

    def __reduce__(self) -> tuple[Any, ...]:
        return IsolatedModel, (self._make, self._kind)

    # -- the interface of a model -------------------------------------------------------------------------------------

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The answers of the model in the other process."""
        return np.asarray(self._ask("predict", rows))

    @property
    def blends(self) -> bool:
        """Whether the model makes rows on its own device."""
        return bool(self._model_info["blends"])

    def predict_blends(self, blends: Sequence[Blend]) -> NDArray[Any]:
        """The answers to the rows of some blends, one after the other."""
        return np.asarray(self._ask("predict_blends", list(blends)))

    def fingerprint(self, name: str | None = None) -> bytes:
        """A digest of the content of the model in the other process."""
        return bytes(self._ask("fingerprint", name))

    def cost(self, calls: int) -> str | None:
        """The cost of the answers, as declared by the model."""
        return self._ask("cost", calls) if self.remote else None

    @property
    def counts_tokens(self) -> bool:
        """Whether the model counts the tokens that it reads."""
        return bool(self._model_info["counts_tokens"])

    def describe_tokens(self, rows: Rows) -> str:
        """The number of tokens that the model reads for these rows, in words."""
        return str(self._ask("describe_tokens", rows))

    def gradient(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient, if the model has one."""
        return np.asarray(self._ask("gradient", rows, weights))

    def structure(self, name: str) -> Structure:
        """What can be read from the model in the other process."""
        if name not in self._structures:
            self._structures[name] = self._ask("structure", name)
        return self._structures[name]

    @property
    def readable_outputs(self) -> Literal["margin", "probabilities"] | None:
        """Which outputs of the model in the other process its structure may explain exactly."""
        readable: Literal["margin", "probabilities"] | None = self._model_info["readable_outputs"]
        return readable

    def used_columns(self) -> NDArray[np.intp] | None:
        """The numbers of the columns that the model in the other process uses."""
        columns: NDArray[np.intp] | None = self._ask("used_columns")
        return columns

    @property
    def has_parts(self) -> bool:
        """Whether the model has `parts`."""
        return bool(self._model_info["has_parts"])

    def parts(self, rows: Rows) -> NDArray[Any]:
        """The parts, if the model has them."""
        return np.asarray(self._ask("parts", rows))

    def close(self) -> None:
        """End the other process. The next call starts a new one."""
        with self._acquire_lock():
            self._end_process()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- communication with the child process -------------------------------------------------------------------------

    def _ask(self, name: str, *arguments: Any) -> Any:
        """The result or the error of a method of the model; `ModelError` if the process ends."""
        with self._acquire_lock():
            if self._child is not None and not self._child.process.is_alive():
                self._end_process()  # the child process has ended since the last call
            child = self._child = self._child or self._start_process()
            try:
                reply = child.ask(name, *arguments)
            except ChildDiedError as error:
                advice = (
                    f"Its own messages are on the terminal. {_HOW_TO_IMPORT}"
                    if name == "model_info"
                    else "It is started again."
                )
                raise ModelError(f"The model ended its process with {error}. {advice}") from None
            finally:
                if not child.idle:  # the child process has ended, or the pipe may contain an incomplete message
                    self._end_process()
                    self._child = (
                        None if name == "model_info" else self._start_process()
                    )  # a new one is started now, so that the next call waits less
        return reply.result()

    @contextmanager
    def _acquire_lock(self) -> Iterator[None]:
        """Wait for the calls of other threads, in a way that can be interrupted."""
        while not self._lock.acquire(timeout=_POLL_SECONDS):
            pass
        try:
            yield
        finally:
            self._lock.release()

    def _start_process(self) -> Child:
        return Child(_ModelServer, self._make, self._kind, interruptible=True)

    def _end_process(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _ModelServer:
    """The model in the other process. Prints go to standard error, because standard output belongs to the caller."""

    def __init__(self, make: Callable[[], Any], kind: Kind | None) -> None:
        sys.stdout = sys.stderr
        self._model = find_model(make(), kind)

    def model_info(self) -> dict[str, Any]:
        model = self._model
        attributes = {name: getattr(model, name) for name in _ATTRIBUTES}
        record = {"model": type(model).__name__, **attributes["record"]}
        classes = None if attributes["classes"] is None else [str(name) for name in attributes["classes"]]
        fitted = getattr(getattr(model, "estimator", model), "feature_names_in_", None)
        columns = None if fitted is None else [str(name) for name in fitted]
        return attributes | {
            "record": record,
            "classes": classes,
            "feature_names_in_": columns,
            "remote": isinstance(model, RemoteModel),
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)
