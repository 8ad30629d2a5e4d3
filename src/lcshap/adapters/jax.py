"""JAX functions, compiled once for each power of two of rows. JAX is imported when a model is made, not before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import import_optional
from ..maskers.base import Rows
from .base import Kind, Model
from .callable import check_answers, check_kind
from .gradients import check_gradient, values_to_differentiate
from .output_selection import Output, check_output, describe_model_output, select_output


class JaxModel(Model):
    """A function of JAX whose answer to each row of an array does not depend on the other rows.

    Parameters
    ----------
    fn : takes an array `(n, ...)` and returns an array `(n,)` or `(n, k)`. If a network also takes its parameters, use
        ``functools.partial(network.apply, parameters)``.
    kind : what it returns: "logits", "probabilities", "multilabel" or "output", see `Model`.
    jit : whether it is compiled. Then the parameters in `fn` are fixed: make a new `JaxModel` when they have changed.
    dtype : the type to which floating-point rows are cast. Integer rows (token ids) stay integers.
    output : the part to explain if it returns several arrays: a name, a number, or a function of the result.

    Notes
    -----
    JAX compiles again for each shape, which takes far longer than a call. So batches are filled to the next power of
    two with copies of their last row. Rows of different lengths, as from ``Tokens(absent="delete")``, need a fixed
    `length`.

    A function that JAX need not compile or differentiate works without this adapter, like any other function.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> import numpy as np
    >>> model = JaxModel(lambda rows: jnp.tanh(rows).sum(axis=1), kind="output")
    >>> model.predict(np.zeros((2, 3))).tolist()
    [[0.0], [0.0]]
    """

    fingerprint_attributes = ("fn", "dtype", "output")
    function_attributes = ("fn",)

    def __init__(
        self, fn: Callable[[Any], Any], kind: Kind, jit: bool = True, dtype: Any = "float32", output: Output = None
    ) -> None:
        jax = import_optional("jax", "jax")
        if not callable(fn):
            raise ModelError(f"Expected a JAX function of rows, got {type(fn).__name__}.")
        if not jax.numpy.issubdtype(dtype, jax.numpy.floating):
            raise ModelError(f"Expected dtype as a floating-point type, such as float32, got {dtype!r}.")
        self.fn, self.jit, self.dtype = fn, jit, dtype
        self.kind = check_kind(kind, "a JAX function")
        self.output = check_output(output, "JaxModel")
        self._compile()

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The outputs of the function, `(n, outputs)`: float64 if it computes in that, else float32."""
        x = fill_up(self._to_array(rows))
        return check_answers(self._forward(x), len(x), "the JAX function")[: len(rows)]

    def gradient(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient of ``(weights * value).sum()`` with respect to the rows, as in `TorchModel`."""
        x = self._to_array(rows)
        if x.dtype.kind in "iub":
            raise ModelError(
                "Expected rows of floating-point numbers for a gradient, got others. Explain a function of "
                "the embeddings of the tokens, or choose a method that needs only values."
            )
        n, x = len(x), fill_up(x)
        weights = np.pad(weights, ((0, len(x) - n), (0, 0)))  # the copies that fill the batch have weight zero
        return check_gradient(self._backward(x, weights))[:n]

    def _compile(self) -> None:
        jax = import_optional("jax", "jax")
        compiled = jax.jit if self.jit else lambda function: function
        self._forward = compiled(self._answers)
        self._backward = compiled(jax.grad(self._weighted_sum))

    def __getstate__(self) -> dict[str, Any]:
        return {name: attribute for name, attribute in vars(self).items() if name not in ("_forward", "_backward")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._compile()

    def _answers(self, x: Any) -> Any:
        """The answers, in single precision at least."""
        jnp = import_optional("jax.numpy", "jax")
        outputs = self.fn(jnp.asarray(x))
        answers = outputs if self.output is None else select_output(outputs, self.output)
        if not hasattr(answers, "dtype"):
            raise ModelError(
                f"Expected an array (n,) or (n, outputs) from the JAX function, got {describe_model_output(outputs)}. "
                'Choose the part to explain with JaxModel(fn, kind, output="name"), a number, or a function '
                "of what it returns."
            )
        return jnp.asarray(answers, jnp.promote_types(answers.dtype, jnp.float32))

    def _weighted_sum(self, x: Any, weights: Any) -> Any:
        jnp, nn = import_optional("jax.numpy", "jax"), import_optional("jax.nn", "jax")
        values = values_to_differentiate(self._answers(x), self.kind, jnp, nn.log_softmax)
        if values.shape != weights.shape:
            raise ModelError(f"Expected values of the shape of the weights, {weights.shape}, got {values.shape}.")
        return (values * weights).sum()

    def _to_array(self, rows: Rows) -> NDArray[Any]:
        """The rows in the type that the function gets."""
        array = np.asarray(rows)
        if array.dtype.kind not in "fiub":
            raise ModelError(
                f"Expected rows that JAX can turn into an array, got {array.dtype}. Give a function that "
                "converts them first."
            )
        dtypes = import_optional("jax.dtypes", "jax")
        dtype = np.dtype(self.dtype) if array.dtype.kind == "f" else array.dtype
        jax_dtype = dtypes.canonicalize_dtype(dtype)
        cast = array.astype(jax_dtype)
        if jax_dtype != dtype and (array.dtype.kind == "f" or not np.array_equal(cast, array)):
            raise ModelError(
                f'Expected JAX to keep {dtype}, got {jax_dtype}. Call jax.config.update("jax_enable_x64", True) first.'
            )
        return cast


def fill_up(rows: Rows) -> Rows:
    """Rows up to the next power of two, filled with copies of the last row.

    >>> fill_up(["a", "b", "c"]), fill_up(np.array([[1, 2]]))
    (['a', 'b', 'c', 'c'], array([[1, 2]]))
    """
    missing = (1 << (len(rows) - 1).bit_length()) - len(rows)
    if isinstance(rows, list):
        return rows + rows[-1:] * missing
    return np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)])
