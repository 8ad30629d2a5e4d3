"""Keras 3 models, on any backend. Keras is imported when a model is made, not before."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import import_optional
from ..maskers.base import Rows
from .base import Kind, Model
from .callable import check_answers, check_kind
from .gradients import check_gradient, values_to_differentiate
from .jax import fill_up
from .output_selection import Output, check_output, describe_model_output, select_output


class KerasModel(Model):
    """A model of Keras 3 on JAX, PyTorch or TensorFlow, called in inference mode and without side effects.

    Parameters
    ----------
    model : a `keras.Model` with weights and one output, `(n,)` or `(n, k)`; `output` selects one of several outputs.
    kind : what it returns: "logits", "probabilities", "multilabel" or "output", see `Model`. An error is raised if the
        last layer of a sequential or functional model contradicts it. Prefer logits if there is a choice.
    prepare : converts rows (such as a list of strings) to the input of the model: an array, or a tuple, list or mapping
        of arrays if there are several inputs.
    output : which of several outputs is explained: its name in a dictionary, its number, or a function of the result.

    Notes
    -----
    Floating-point rows are cast to the type of the weights; integer rows (token ids) stay integers. With JAX the model
    is compiled, unless its `run_eagerly` is set, and batches are filled as by `JaxModel`.

    Examples
    --------
    >>> import keras
    >>> import lcshap as lc
    >>> net = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(2)])
    >>> lc.Explainer(KerasModel(net, kind="logits"), lc.maskers.Tabular([0.0] * 4))([1, 2, 3, 4]).calls
    16
    """

    fingerprint_attributes = ("model", "prepare", "output")

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
            _check_last_layer(model, self.kind)

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The outputs of the model, `(n, outputs)`: float64 if it computes in that, else float32."""
        filled = _fill_up_rows(rows)
        inputs = self._inputs(filled)
        with import_optional("torch", "torch").no_grad() if _backend() == "torch" else nullcontext():
            answers = _to_numpy(self._forward(inputs, self._state()))
        return check_answers(answers, len(filled), type(self.model).__name__)[: len(rows)]

    def gradient(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient of ``(weights * value).sum()`` with respect to the rows, as in `TorchModel`.

        With several inputs, it is the gradient with respect to the one that has the shape of the rows. Backends for
        inference only, such as OpenVINO, have no gradient.
        """
        if _backend() not in _GRADIENTS:
            raise NotImplementedError
        filled = _fill_up_rows(rows)
        inputs = self._inputs(filled)
        tensors = _keras().tree.flatten(inputs)
        places = [i for i, tensor in enumerate(tensors) if _is_float(tensor) and tensor.shape == np.shape(filled)]
        if len(places) != 1:
            raise ModelError(
                "Expected one input of floating-point numbers in the shape of the rows for a gradient, got "
                f"{len(places)}. Explain a model that takes the embeddings of the tokens, or choose a method "
                "that needs only values."
            )
        # The copies that fill the batch have weight zero.
        weights = np.pad(weights, ((0, len(filled) - len(rows)), (0, 0)))
        gradient = self._backward(tensors[places[0]], inputs, places[0], weights, self._state())
        return check_gradient(_to_numpy(gradient))[: len(rows)]

    @cached_property
    def _forward(self) -> Callable[..., Any]:
        return _compile(self._answers) if self._compiles else self._answers

    @cached_property
    def _backward(self) -> Callable[..., Any]:
        gradient = partial(_GRADIENTS[_backend()], self._weighted_sum)
        return _compile(gradient, static_argnums=2) if self._compiles else gradient

    def __getstate__(self) -> dict[str, Any]:
        """The state for pickle, without compiled functions, which are compiled again."""
        return {name: attribute for name, attribute in vars(self).items() if name not in ("_forward", "_backward")}

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
        outputs = keras.tree.flatten(answers if self.output is None else select_output(answers, self.output))
        if len(outputs) != 1:
            raise ModelError(
                f"Expected one output, got {describe_model_output(answers)}. Choose one with KerasModel(model, kind, "
                'output="name"), a number, or a function of what the model returns.'
            )
        is_double = keras.backend.standardize_dtype(outputs[0].dtype) == "float64"
        return keras.ops.cast(outputs[0], "float64" if is_double else "float32")

    def _weighted_sum(self, x: Any, inputs: Any, place: int, weights: Any, state: list[Any]) -> Any:
        """Return the weighted sum of values, which is differentiated with respect to x, one of the inputs."""
        keras = _keras()
        tensors = keras.tree.flatten(inputs)
        tensors[place] = x
        answers = self._answers(keras.tree.pack_sequence_as(inputs, tensors), state)
        values = values_to_differentiate(answers, self.kind, keras.ops, keras.ops.log_softmax)
        if tuple(values.shape) != weights.shape:
            raise ModelError(
                f"Expected values of the shape of the weights, {weights.shape}, got {tuple(values.shape)}."
            )
        return keras.ops.sum(values * keras.ops.convert_to_tensor(weights, values.dtype))

    def _inputs(self, rows: Rows) -> Any:
        """The inputs of the model, as tensors."""
        if self.prepare is None:
            return self._to_tensor(rows)
        return _keras().tree.map_structure(self._to_tensor, self.prepare(rows))

    def _to_tensor(self, array: Any) -> Any:
        keras = _keras()
        if not keras.ops.is_tensor(array):
            array = np.array(array)  # a copy, because layers may write into their input
            if array.dtype.kind not in "fiub":
                raise ModelError(
                    f"Expected rows of numbers, got {array.dtype}. Give KerasModel(..., prepare=...), a function from "
                    "rows to arrays."
                )
        return keras.ops.convert_to_tensor(array, self.model.variable_dtype if _is_float(array) else None)


def _check_last_layer(model: Any, kind: Kind) -> None:
    """Raise `ModelError` if the last layer of a sequential or functional model contradicts the kind."""
    keras = _keras()
    layer = model
    while isinstance(layer, keras.Model):
        layers = layer.layers if isinstance(layer, keras.Sequential) else getattr(layer, "operations", [])
        layer = layers[-1] if layers else None
    activation = getattr(layer, "activation", None)
    last_name = getattr(activation, "__name__", type(layer).__name__.lower())
    is_multilabel = kind.startswith("multilabel")
    if kind.endswith("logits") and last_name in ("softmax", "sigmoid"):
        probabilities = "multilabel" if is_multilabel else "probabilities"
        raise ModelError(
            f'Expected a model of logits for kind="{kind}", got {model.name}, which ends with a {last_name}. Write '
            f'kind="{probabilities}", or explain a model without that layer.'
        )
    if is_multilabel and last_name == "softmax":
        raise ModelError(
            f'Expected labels that do not exclude each other for kind="{kind}", got {model.name}, which ends '
            'with a softmax. Write kind="probabilities".'
        )
    if kind in ("probabilities", "multilabel") and last_name == "linear" and isinstance(layer, keras.layers.Dense):
        logits = "multilabel-logits" if is_multilabel else "logits"
        raise ModelError(
            f'Expected a model of probabilities for kind="{kind}", got {model.name}, which ends with a linear '
            f'layer. Write kind="{logits}", or kind="output" if there are no classes.'
        )


def _fill_up_rows(rows: Rows) -> Rows:
    """Fill up the rows for backends that compile a function again for each number of rows."""
    return fill_up(rows if isinstance(rows, list) else np.asarray(rows)) if _backend() == "jax" else rows


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return import_optional("jax", "jax").jit(function, **options)  # type: ignore[no-any-return]


def _jax_gradient(total: Callable[..., Any], x: Any, *others: Any) -> Any:
    return import_optional("jax", "jax").grad(total)(x, *others)


def _torch_gradient(total: Callable[..., Any], x: Any, *others: Any) -> Any:
    torch = import_optional("torch", "torch")
    x = x.detach().requires_grad_(True)
    with torch.enable_grad():
        sum_of_values = total(x, *others)
        (gradient,) = (
            torch.autograd.grad(sum_of_values, x, allow_unused=True) if sum_of_values.requires_grad else (None,)
        )
    return torch.zeros_like(x) if gradient is None else gradient


def _tensorflow_gradient(total: Callable[..., Any], x: Any, *others: Any) -> Any:
    tensorflow = import_optional("tensorflow", "keras")
    with tensorflow.GradientTape() as tape:
        tape.watch(x)
        sum_of_values = total(x, *others)
    return tape.gradient(sum_of_values, x, unconnected_gradients="zero")


_GRADIENTS = {"jax": _jax_gradient, "torch": _torch_gradient, "tensorflow": _tensorflow_gradient}


def _to_numpy(tensor: Any) -> NDArray[Any]:
    """The same as `keras.ops.convert_to_numpy`, without its warning about tensors of PyTorch."""
    array = tensor.detach().cpu().numpy() if _backend() == "torch" else _keras().ops.convert_to_numpy(tensor)
    return np.asarray(array)


def _is_float(array: Any) -> bool:
    return "float" in str(array.dtype)


def _backend() -> str:
    return str(_keras().backend.backend())


def _keras() -> Any:
    keras = import_optional("keras", "keras")
    if not hasattr(keras, "ops"):
        raise ModelError(f"Expected Keras 3 or later, got {keras.__version__}. Upgrade it with pip install -U keras.")
    return keras
