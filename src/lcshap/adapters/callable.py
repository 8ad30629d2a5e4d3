"""Any function as a model, and the checks of the answers of all models."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ..core.redact import redact
from ..errors import ModelError
from ..maskers.base import Rows
from .base import Kind, Model

KINDS: tuple[Kind, ...] = get_args(Kind)
REGRESSION = "regression"  # another name for "output"
KIND_ADVICE = (
    'set kind="logits" (scores that a softmax turns into probabilities; one column: a sigmoid), '
    'kind="probabilities" (of classes, each row sums to one; one column: that of class 1), kind="multilabel" (a '
    'probability for each of several labels; "multilabel-logits": before their sigmoids), kind="margin" (the largest '
    'wins; one column: its sign) or kind="output" or "regression" (no classes)'
)


class CallableModel(Model):
    """A function from rows to numbers.

    Parameters
    ----------
    fn : takes the rows of the masker, such as a list of strings or an array, and returns `(n,)` or `(n, k)` numbers.
        `(n,)` is read as one column.
    kind : the kind of these numbers, see `Model`. It is never guessed, because logits that are treated as probabilities
        give wrong scores that look plausible.
    parts : for `ReceptiveShapley`: a function from rows to the part of each unit in the numbers, `(n, units, k)`, `(n *
        units, k)`, or without the last axis if k is 1. All rows that it gets belong to one input.

    Examples
    --------
    >>> from lcshap.adapters.callable import CallableModel
    >>> longer_is_better = CallableModel(lambda texts: [len(text) for text in texts], kind="output")
    >>> longer_is_better.predict(["a", "abc"])
    array([[1],
           [3]])
    """

    fingerprint_attributes = ("fn", "_parts")
    function_attributes = ("fn",)

    def __init__(self, fn: Callable[[Any], Any], kind: Kind, parts: Callable[[Any], Any] | None = None) -> None:
        if not callable(fn):
            raise ModelError(f"Expected a function of rows, got {type(fn).__name__}.")
        if parts is not None and not callable(parts):
            raise ModelError(f"Expected a function of rows as parts, got {type(parts).__name__}. Give a function.")
        self.fn, self._parts = fn, parts
        self.kind = check_kind(kind, "a function")

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The checked outputs of the function, `(n, outputs)`."""
        return check_answers(self.fn(rows), len(rows), "the function")

    @property
    def has_parts(self) -> bool:
        """Whether a function for the parts was given."""
        return self._parts is not None

    def parts(self, rows: Rows) -> NDArray[Any]:
        """The parts from the function for the parts."""
        if self._parts is None:
            raise NotImplementedError
        return np.asarray(self._parts(rows))


def check_kind(kind: Any, model: str) -> Kind:
    """Return a kind, or raise `ModelError` with the valid kinds."""
    if kind is None:
        raise ModelError(
            f"Expected the option kind, since {model} does not declare what its numbers are: {KIND_ADVICE}."
        )
    if kind == REGRESSION:
        return "output"
    if kind not in KINDS:
        raise ModelError(f"Expected a known kind, got {kind!r}: {KIND_ADVICE}.")
    return kind  # type: ignore[no-any-return]


def check_answers(answers: Any, n: int, model: str) -> NDArray[Any]:
    """Return the answers to `n` rows as an array `(n, outputs)` of finite real numbers, or raise."""
    array = check_numbers(answers, n, model)
    if len(array) != n or 0 in array.shape[1:]:
        raise ModelError(
            f"Expected answers of shape ({n},) or ({n}, outputs) for {n} rows, got {array.shape} from {model}."
        )
    if array.ndim == 1:
        array = array[:, None]
    check_answer_rows(np.isfinite(array), array, f"finite numbers from {model}")
    return array


def check_numbers(answers: Any, n: int, model: str) -> NDArray[Any]:
    """Return answers as an array of real numbers with one or two axes, or raise: nothing else can be right."""
    _check_type(answers, n, model)
    _check_mask(answers, model)
    try:
        array = np.asarray(answers)
    except (TypeError, ValueError, RuntimeError) as error:  # for ragged lists, and tensors on a GPU or with a gradient
        why = redact(str(error))
        raise ModelError(f"Expected an array from {model}, got {type(answers).__name__}: {why}") from error
    if array.dtype.kind not in "fiub":
        raise ModelError(f"Expected real numbers from {model} for {n} rows, got {array.dtype}.")
    if array.ndim not in (1, 2):
        raise ModelError(
            f"Expected answers of shape ({n},) or ({n}, outputs) for {n} rows, got {array.shape} from {model}."
        )
    return array


def _check_type(answers: Any, n: int, model: str) -> None:
    """Raise `ModelError` for objects that users return by mistake, with advice."""
    first = answers[0] if isinstance(answers, list | tuple) and answers else answers
    if getattr(first, "requires_grad", False):
        got, todo = (
            "a tensor that requires a gradient",
            "Return answers.detach(), or give the module itself as the model.",
        )
    elif isinstance(first, Mapping):
        names = ", ".join(map(str, list(first)[:8]))
        got, todo = f"a {type(first).__name__} with {names or 'nothing'}", "Return the numbers in it."
    elif first is None:
        got, todo = "None", "Does the function end without return?"
    elif inspect.isawaitable(first) or inspect.isasyncgen(first):
        got, todo = f"a {type(first).__name__}", "Write the function itself with async def, and return in it."
    elif isinstance(answers, tuple) and len(answers) != n and np.ndim(first) > 0:
        got, todo = f"a tuple of {len(answers)}", "Return the one that is to be explained."
    elif isinstance(first, str):
        got, todo = f"the text {first[:40]!r}", "Labels cannot be explained. Return their probabilities."
    else:
        return
    if inspect.iscoroutine(first):
        first.close()  # otherwise Python warns that the coroutine was never awaited
    raise ModelError(f"Expected real numbers from {model} for {n} rows, got {got}. {todo}")


def _check_mask(answers: Any, model: str) -> None:
    """Raise `ModelError` for masked arrays with masked entries: NumPy would silently use the numbers below the mask."""
    arrays = answers if isinstance(answers, list | tuple) else [answers]
    if not any(isinstance(answer, np.ma.MaskedArray) and np.ma.is_masked(answer) for answer in arrays):
        return
    rows = [row for row, answer in enumerate(answers) if np.ma.is_masked(answer)] if np.ndim(answers) else [0]
    raise ModelError(
        f"Expected a number for every row, got a masked array from {model} with masked entries, the first in row "
        f"{rows[0]}. Return numbers there, such as answers.filled(0.0).",
        row=rows[0],
    )


def check_answer_rows(good: NDArray[np.bool_], answers: NDArray[Any], expected: str, advice: str = "") -> None:
    """Raise `ModelError` with the first row whose answers are not all valid."""
    if good.all():
        return
    index = tuple(int(i) for i in np.argwhere(~good)[0])[: max(answers.ndim - 1, 1)]
    name = f"row {index[0]}" + (f", background row {index[1]}" if len(index) > 1 else "")
    numbers = np.array2string(answers[index], threshold=8, edgeitems=3)
    raise ModelError(f"Expected {expected}, got {numbers} for {name}. {advice}".rstrip(), row=index[0])
