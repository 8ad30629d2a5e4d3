"""Keras 3 models, on any backend. Keras is imported when a model is made, not before."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import need
from ..maskers.base import Rows
from .base import Kind, Model
from .callable import check_answers, check_kind
from .gradients import check_gradient, differentiated
from .jax import fill_up
from .picking import Output, check_output, described, pick


class KerasModel(Model):
    """A model of Keras 3 on JAX, PyTorch or TensorFlow, called in inference mode and without side effects.

    Parameters
    ----------
    model : a `keras.Model` with weights and one output, `(n,)` or `(n, k)`; of several outputs `output` picks one.
    kind : what it returns: "logits", "probabilities", "multilabel" or "output", see `Model`. It is refused where the
        last layer of a sequential or functional model shows that it is wrong. Prefer logits where there is a choice.
    prepare : turns rows (a list of strings, say) into what the model takes: an array, or a tuple, list or mapping of
        arrays where there are several inputs.
    output : which of several outputs: its name in a dictionary, its number, or a function of what the model returns.

    Notes
    -----
    Floating-point rows are cast to the type of the weights; integer rows (token ids) stay integers. With JAX the model
    is compiled, unless its `run_eagerly` is set, and batches are filled up as by `JaxModel`.

    Examples
    --------
    >>> import keras
    >>> import lcshap as lc
    >>> net = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(2)])
    >>> lc.Explainer(KerasModel(net, kind="logits"), lc.maskers.Tabular([0.0] * 4))([1, 2, 3, 4]).calls
    16
    """

    depends = ("model", "prepare", "output")

    def __init__(
        self, model: Any, kind: Kind, prepare: Callable[[Rows], Any] | None = None, output: Output = None
    ) -> None:
        keras = _keras()
        if not isinstance(model, keras.Model):
            raise ModelError(f"Expected a keras.Model, got {type(model).__name__}.")
        if not model.built:
            raise ModelError(
                f"Expected a model with weights, got {type(model).__name__} without weights. Call it on some "
                "data first."
            )
        self.model, self.prepare = model, prepare
        self.kind = check_kind(kind, f"a Keras model ({type(model).__name__})")
        self.output = check_output(output, "KerasModel")
        if output is None:
            _check_end(model, self.kind)

    def predict(self, rows: Rows) -> NDArray[Any]:
        """What the model returns, `(n, outputs)`: float64 if it computes in that, else float32."""
        full = _full(rows)
        inputs = self._inputs(full)
        with need("torch", "torch").no_grad() if _backend() == "torch" else nullcontext():
            answers = _numpy(self._forward(inputs, self._state()))
        return check_answers(answers, len(full), type(self.model).__name__)[: len(rows)]

    def gradient(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient of ``(weights * value).sum()`` with respect to the rows, as in `TorchModel`.

        With several inputs, it is that with respect to the one which has the shape of the rows. Backends for inference
        only, such as OpenVINO, have none.
        """
        if _backend() not in _GRADIENTS:
            raise NotImplementedError
        full = _full(rows)
        inputs = self._inputs(full)
        parts = _keras().tree.flatten(inputs)
        places = [i for i, part in enumerate(parts) if _is_float(part) and part.shape == np.shape(full)]
        if len(places) != 1:
            raise ModelError(
                "Expected one input of floating-point numbers in the shape of the rows for a gradient, got "
                f"{len(places)}. Explain a model that takes the embeddings of the tokens, or choose a method "
                "that needs only values."
            )
        weights = np.pad(weights, ((0, len(full) - len(rows)), (0, 0)))  # copies weigh nothing
        found = self._backward(parts[places[0]], inputs, places[0], weights, self._state())
        return check_gradient(_numpy(found))[: len(rows)]

    @cached_property
    def _forward(self) -> Callable[..., Any]:
        return _compiled(self._answers) if self._compiles else self._answers

    @cached_property
    def _backward(self) -> Callable[..., Any]:
        gradient = partial(_GRADIENTS[_backend()], self._total)
        return _compiled(gradient, static_argnums=2) if self._compiles else gradient

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: functions are compiled anew."""
        return {name: part for name, part in vars(self).items() if name not in ("_forward", "_backward")}

    @property
    def _compiles(self) -> bool:
        return _backend() == "jax" and not self.model.run_eagerly

    def _state(self) -> list[Any]:
        """The weights. Compiled functions take them as an argument, so that they may change."""
        return [variable.value for variable in self.model.variables]

    def _answers(self, inputs: Any, state: list[Any]) -> Any:
        """The answers, in single precision at least."""
        keras = _keras()
        with keras.StatelessScope(zip(self.model.variables, state, strict=True)):
            answers = self.model(inputs, training=False)
        parts = keras.tree.flatten(answers if self.output is None else pick(answers, self.output))
        if len(parts) != 1:
            raise ModelError(
                f"Expected one output, got {described(answers)}. Choose one with KerasModel(model, kind, "
                'output="name"), a number, or a function of what the model returns.'
            )
        double = keras.backend.standardize_dtype(parts[0].dtype) == "float64"
        return keras.ops.cast(parts[0], "float64" if double else "float32")

    def _total(self, x: Any, inputs: Any, place: int, weights: Any, state: list[Any]) -> Any:
        """What is differentiated with respect to x, one of the inputs."""
        keras = _keras()
        parts = keras.tree.flatten(inputs)
        parts[place] = x
        answers = self._answers(keras.tree.pack_sequence_as(inputs, parts), state)
        values = differentiated(answers, self.kind, keras.ops, keras.ops.log_softmax)
        if tuple(values.shape) != weights.shape:
            raise ModelError(
                f"Expected values of the shape of the weights, {weights.shape}, got {tuple(values.shape)}."
            )
        return keras.ops.sum(values * keras.ops.convert_to_tensor(weights, values.dtype))

    def _inputs(self, rows: Rows) -> Any:
        """What the model takes, as tensors."""
        if self.prepare is None:
            return self._place(rows)
        return _keras().tree.map_structure(self._place, self.prepare(rows))

    def _place(self, part: Any) -> Any:
        keras = _keras()
        if not keras.ops.is_tensor(part):
            part = np.array(part)  # a copy: layers may write into their input
            if part.dtype.kind not in "fiub":
                raise ModelError(
                    f"Expected rows of numbers, got {part.dtype}. Give KerasModel(..., prepare=...), a function from "
                    "rows to arrays."
                )
        return keras.ops.convert_to_tensor(part, self.model.variable_dtype if _is_float(part) else None)


def _check_end(model: Any, kind: Kind) -> None:
    """Refuse a kind that the last layer contradicts. Only sequential and functional models show which that is."""
    keras = _keras()
    last = model
    while isinstance(last, keras.Model):
        parts = last.layers if isinstance(last, keras.Sequential) else getattr(last, "operations", [])
        last = parts[-1] if parts else None
    activation = getattr(last, "activation", None)
    end = getattr(activation, "__name__", type(last).__name__.lower())
    labels = kind.startswith("multilabel")
    if kind.endswith("logits") and end in ("softmax", "sigmoid"):
        chances = "multilabel" if labels else "probabilities"
        raise ModelError(
            f'Expected a model of logits for kind="{kind}", got {model.name}, which ends with a {end}. Write '
            f'kind="{chances}", or explain a model without that layer.'
        )
    if labels and end == "softmax":
        raise ModelError(
            f'Expected labels that do not exclude each other for kind="{kind}", got {model.name}, which ends '
            'with a softmax. Write kind="probabilities".'
        )
    if kind in ("probabilities", "multilabel") and end == "linear" and isinstance(last, keras.layers.Dense):
        logits = "multilabel-logits" if labels else "logits"
        raise ModelError(
            f'Expected a model of probabilities for kind="{kind}", got {model.name}, which ends with a linear '
            f'layer. Write kind="{logits}", or kind="output" if there are no classes.'
        )


def _full(rows: Rows) -> Rows:
    """The rows, filled up where each number of them would be compiled anew."""
    return fill_up(rows if isinstance(rows, list) else np.asarray(rows)) if _backend() == "jax" else rows


def _compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return need("jax", "jax").jit(function, **options)  # type: ignore[no-any-return]


def _jax_gradient(total: Callable[..., Any], x: Any, *others: Any) -> Any:
    return need("jax", "jax").grad(total)(x, *others)


def _torch_gradient(total: Callable[..., Any], x: Any, *others: Any) -> Any:
    torch = need("torch", "torch")
    x = x.detach().requires_grad_(True)
    with torch.enable_grad():
        value = total(x, *others)
        (found,) = torch.autograd.grad(value, x, allow_unused=True) if value.requires_grad else (None,)
    return torch.zeros_like(x) if found is None else found


def _tensorflow_gradient(total: Callable[..., Any], x: Any, *others: Any) -> Any:
    tensorflow = need("tensorflow", "keras")
    with tensorflow.GradientTape() as tape:
        tape.watch(x)
        found = total(x, *others)
    return tape.gradient(found, x, unconnected_gradients="zero")


_GRADIENTS = {"jax": _jax_gradient, "torch": _torch_gradient, "tensorflow": _tensorflow_gradient}


def _numpy(tensor: Any) -> NDArray[Any]:
    """As `keras.ops.convert_to_numpy`, which warns of PyTorch's tensors."""
    found = tensor.detach().cpu().numpy() if _backend() == "torch" else _keras().ops.convert_to_numpy(tensor)
    return np.asarray(found)


def _is_float(part: Any) -> bool:
    return "float" in str(part.dtype)


def _backend() -> str:
    return str(_keras().backend.backend())


def _keras() -> Any:
    keras = need("keras", "keras")
    if not hasattr(keras, "ops"):
        raise ModelError(f"Expected Keras 3 or later, got {keras.__version__}. Upgrade it with pip install -U keras.")
    return keras
