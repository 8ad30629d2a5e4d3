"""ONNX graphs, run by onnxruntime."""

from __future__ import annotations

import copyreg
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import import_optional
from ..maskers.base import Rows
from .base import Kind, Model
from .callable import check_answers, check_kind
from .onnx_files import check_external_data

THREADS = "LCSHAP_THREADS"  # the environment variable with the number of threads of new sessions; by default all cores
_FLOAT_TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16}
_SESSION_OPTIONS = ("graph_optimization_level", "execution_mode", "intra_op_num_threads", "inter_op_num_threads")
_TYPES: dict[str, Any] = {
    **_FLOAT_TYPES,
    **{f"tensor({t})": np.dtype(t) for t in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    "tensor(bool)": np.bool_,
    "tensor(string)": np.object_,
}


class OnnxModel(Model):
    """A graph in the ONNX format.

    Parameters
    ----------
    graph : the path of a file, its bytes, or an `onnxruntime.InferenceSession`.
    kind : the kind of the output: "logits", "probabilities" or "output", see `Model`.
    input : the name of the input that takes the rows; or, if a graph has several, a function from rows to a mapping of
        names to arrays. Arrays are cast to the type that the graph declares, if this loses no information.
    output : the name or index of the output to explain. By default the first floating-point matrix: of a classifier
        with a label and probabilities, the probabilities. Lists of dictionaries (ZipMap) become columns, in the order
        of their sorted keys.
    providers : the providers of onnxruntime, for a path or bytes; by default the CPU.

    Notes
    -----
    A graph with a fixed batch size gets that many rows at a time, and the last batch is filled with copies.

    If the weights of a file are in other files, these must be in the same folder. A pickled model contains its path (or
    its bytes, if it was made from bytes), from which the session is made again: the file must not change in between.

    Examples
    --------
    >>> from importlib.resources import files
    >>> import numpy as np
    >>> weights = files("lcshap.paper.networks") / "weights" / "digits.onnx"
    >>> OnnxModel(str(weights), kind="logits").predict(np.zeros((2, 28, 28), np.float32)).shape
    (2, 2)
    """

    fingerprint_attributes = ("session", "input", "output")

    def __init__(
        self,
        graph: Any,
        kind: Kind,
        input: str | Callable[[Rows], Mapping[str, Any]] | None = None,
        output: str | int | None = None,
        providers: list[Any] | None = None,
    ) -> None:
        self.kind = check_kind(kind, "an ONNX graph")
        self.session = graph if hasattr(graph, "get_inputs") else _load(graph, providers)
        self._loaded = _file_stamp(self.session)
        _register_pickling()
        self._inputs = {i.name: i for i in self.session.get_inputs()}
        self.input = _choose_input(self._inputs, input)
        self.output = _choose_output(self.session.get_outputs(), output)

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The chosen output, `(n, outputs)`, in the precision of the graph."""
        n = len(rows)
        arrays = {self.input: rows} if isinstance(self.input, str) else self.input(rows)
        feed = {name: _cast(array, self._find_input(name)) for name, array in arrays.items()}
        answers = [
            check_answers(self._run(batch), size, f"ONNX output {self.output!r}")
            for batch, size in self._split_batches(feed, n)
        ]
        return np.asarray(np.concatenate(answers)[:n])

    @property
    def content(self) -> dict[str, Any]:
        """The session, its input and its output, if the file is still the one that was loaded."""
        if _file_stamp(self.session) != self._loaded:
            raise ModelError(
                "Expected the ONNX file as it was loaded, got one that has changed. Create the model again."
            )
        return super().content

    def __getstate__(self) -> dict[str, Any]:
        return {name: attribute for name, attribute in vars(self).items() if name != "_inputs"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._inputs = {i.name: i for i in self.session.get_inputs()}

    def _find_input(self, name: str) -> Any:
        if name not in self._inputs:
            raise ModelError(f"Expected one of the inputs {', '.join(self._inputs)} of the graph, got {name!r}.")
        return self._inputs[name]

    def _run(self, feed: dict[str, NDArray[Any]]) -> Any:
        (answers,) = self.session.run([self.output], feed)
        if isinstance(answers, list) and answers and isinstance(answers[0], dict):
            return [[row[key] for key in sorted(row)] for row in answers]
        return answers

    def _split_batches(self, feed: dict[str, NDArray[Any]], n: int) -> Iterator[tuple[dict[str, NDArray[Any]], int]]:
        """Yield batches and their size: the batch size that the graph declares, or else all rows at once."""
        fixed = {i.shape[0] for name, i in self._inputs.items() if name in feed and i.shape and type(i.shape[0]) is int}
        if len(fixed) > 1:
            raise ModelError(f"Expected one batch size for all inputs of the graph, got {sorted(fixed)}.")
        size = fixed.pop() if fixed else n
        for start in range(0, n, size):
            # The last row is repeated until the batch is full.
            index = np.minimum(np.arange(start, start + size), n - 1)
            yield {name: array[index] for name, array in feed.items()}, size


def _cast(rows: Any, declared: Any) -> NDArray[Any]:
    dtype = _TYPES.get(declared.type)
    if dtype is None:
        raise ModelError(
            f"Expected an input of numbers or texts, got {declared.name!r} of type {declared.type}, which "
            "lcshap cannot feed."
        )
    try:
        array = np.asarray(rows, np.object_ if dtype is np.object_ else None)
        cast = array.astype(dtype)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"Expected rows that can be converted to {declared.type} for the input {declared.name!r}, got "
            f"others: {error}."
        ) from error
    if np.dtype(dtype).kind in "iub" and not np.array_equal(cast, array):
        raise ModelError(
            f"Expected rows that fit {declared.type} for the input {declared.name!r}, got {array.dtype}, "
            "whose values would change. Convert the rows first."
        )
    if cast.ndim == 1 and len(declared.shape) == 2:
        cast = cast[:, None]  # scikit-learn pipelines take strings as a matrix of one column
    return cast


def _choose_input(inputs: dict[str, Any], choice: Any) -> Any:
    if choice is None and len(inputs) == 1:
        return next(iter(inputs))
    if choice is None or (isinstance(choice, str) and len(inputs) > 1):
        raise ModelError(
            f"Expected a graph with one input, got {', '.join(inputs)}. Give input=, a function from rows to "
            "{name: array}."
        )
    if not callable(choice) and choice not in inputs:
        raise ModelError(f"Expected one of the inputs {', '.join(inputs)} of the graph, got {choice!r}.")
    return choice


def _choose_output(outputs: list[Any], choice: str | int | None) -> str:
    names = [str(o.name) for o in outputs]
    if choice is None:
        floats = [o for o in outputs if o.type in _FLOAT_TYPES]
        matrices = [o for o in floats if len(o.shape) == 2]
        candidates = [*matrices, *floats, *(o for o in outputs if o.type.startswith("seq(map("))]
        if not candidates:
            raise ModelError(
                f"Expected an output of floating-point numbers, got {', '.join(names)}. Choose one with output=."
            )
        return str(candidates[0].name)
    if isinstance(choice, int) and 0 <= choice < len(names):
        return names[choice]
    if choice not in names:
        raise ModelError(f"Expected one of the outputs {', '.join(names)}, or 0 to {len(names) - 1}, got {choice!r}.")
    return str(choice)


def _load(graph: Any, providers: list[Any] | None, options: Mapping[str, Any] | None = None) -> Any:
    ort = import_optional("onnxruntime", "onnx")
    if not isinstance(graph, bytes):
        if not os.path.isfile(graph):
            raise ModelError(f"Expected the path of a file, got {os.fspath(graph)!r}, which does not exist.")
        graph = os.path.abspath(os.fspath(graph))
    check_external_data(graph)
    settings = ort.SessionOptions()
    if (threads := os.environ.get(THREADS, "")).isdigit():
        settings.intra_op_num_threads = int(threads)
    for name, value in (options or {}).items():
        setattr(settings, name, value)
    return ort.InferenceSession(graph, settings, providers=providers or ["CPUExecutionProvider"])


def _file_stamp(session: Any) -> tuple[int, int] | None:
    """Return the time of change and the size of the file of a session; None if it has no file."""
    path = getattr(session, "_model_path", None)
    if not path or not os.path.isfile(path):
        return None
    stat = os.stat(path)
    return stat.st_mtime_ns, stat.st_size


def _register_pickling() -> None:
    """Register how sessions are pickled, because onnxruntime cannot; this includes sessions of the user."""
    copyreg.dispatch_table.setdefault(import_optional("onnxruntime", "onnx").InferenceSession, _reduce_session)


def _reduce_session(session: Any) -> tuple[Any, ...]:
    """Return how to create a session again: its file or bytes, its providers, and the options that change numbers."""
    path, data = getattr(session, "_model_path", "") or "", getattr(session, "_model_bytes", None)
    if not path and not data:
        raise ModelError("Expected a session made from a file or from bytes, got another one. It cannot be pickled.")
    providers = list(session.get_provider_options().items())
    options = session.get_session_options()
    return _load, (
        data or os.path.abspath(path),
        providers,
        {name: getattr(options, name) for name in _SESSION_OPTIONS},
    )
