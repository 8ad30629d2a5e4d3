r"""Losses as values: how far a prediction is from the true class or number, of one input with its own y.

With p the class probabilities, f the numbers and y the truth, class y having the number c:

=================  ==============================  ===========================
``cross_entropy``  :math:`-\log p_c`               models of classes
``brier``          :math:`\sum_k (p_k - [k = c])^2`  models of classes
``zero_one``       1 where another class wins      models of classes, margins
``squared``        :math:`\sum_k (f_k - y_k)^2`    models of numbers
``absolute``       :math:`\sum_k |f_k - y_k|`      models of numbers
=================  ==============================  ===========================

``mse`` is another name for ``squared``. A function takes predictions and y and returns a loss for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Kind
from ..adapters.callable import check_answer_rows, check_kind
from ..errors import ModelError, OptionError, TargetError
from . import probabilities
from .probabilities import KINDS_WITHOUT_PROBABILITIES, MULTILABEL_KINDS, Floats
from .truths import read_true_class, read_true_numbers
from .value import FixedValue, Value

LOSSES = ("cross_entropy", "brier", "zero_one", "squared", "absolute")
SMOOTH_LOSSES = ("cross_entropy", "brier", "squared", "absolute")
_CLASS_LOSSES = ("cross_entropy", "brier", "zero_one")
_Y_ADVICE = "Pass it with the input, as in explainer(x, y=...), or as the column label= of a data set."
_ALIASES = {"mse": "squared", "log_loss": "cross_entropy"}


@dataclass(frozen=True)
class Loss(Value):
    """The loss of a prediction. Its y is passed with the input: ``explainer(x, y=...)``.

    The value of a coalition is the loss itself, so that a unit with a *negative* score lowers the loss: it helps.

    Parameters
    ----------
    name : one of `LOSSES`, or a function from predictions and y to a loss for each row. A function gets the class
        probabilities `(n, classes)` and the numbers of the true classes `(n,)`; of models without probabilities the
        margins `(n, classes)` or the outputs, `(n,)` or `(n, k)`, and y as numbers in the same shape.
    average : where absent units take the values of M background rows, "before": the M predictions are averaged, and the
        loss is that of their average. "after": each of the M predictions has a loss, and the M losses are averaged.
        SAGE uses "before". A convex loss, such as all but "zero_one", is never smaller with "after".
    floor : smaller probabilities are replaced by this one before the log is taken. Logits need no floor.
    y : the true class or number of one input. The explainer sets it.

    Raises
    ------
    OptionError : for an unknown loss or average.

    Examples
    --------
    >>> import lcshap as lc
    >>> model = lambda rows: rows.sum(axis=1)
    >>> explainer = lc.Explainer(model, lc.maskers.Tabular([0.0, 0.0]), value=lc.values.Loss("squared"), kind="output")
    >>> e = explainer([1.0, 2.0], y=3.0)  # without the columns the loss is 9, with them 0
    >>> e.base_value, e.full_value, e.scores
    (9.0, 0.0, array([-3., -6.]))
    """

    name: str | Callable[..., Any] = "cross_entropy"
    target: None = field(default=None, init=False, repr=False)
    floor: float = field(default=1e-12, kw_only=True)
    average: Literal["before", "after"] = "before"
    y: Any = field(default=None, kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.name, str):
            object.__setattr__(self, "name", _ALIASES.get(self.name, self.name))
        if not callable(self.name) and self.name not in LOSSES:
            raise OptionError(
                f"Expected one of {', '.join(map(repr, LOSSES))} or a function as the loss, got {self.name!r}."
            )
        if self.average not in ("before", "after"):
            raise OptionError(f"Expected average='before' or average='after', got {self.average!r}.")
        if not 0 < self.floor < 1:
            raise OptionError(f"Expected a floor between 0 and 1, got {self.floor!r}.")

    @property
    def label(self) -> str:
        """The name of the loss for records."""
        return self.name if isinstance(self.name, str) else getattr(self.name, "__name__", "a function")

    def at(self, y: Any) -> Loss:
        """The loss of an input whose true class or number is `y`."""
        if y is None:
            raise TargetError(
                f"Expected y, the true class or number of the input, for the loss {self.label!r}, got none. {_Y_ADVICE}"
            )
        return replace(self, y=y)

    def check_model(self, kind: Kind) -> None:
        """Raise `OptionError` where the loss does not fit the outputs of a model of this kind."""
        check_kind(kind, "a model")
        if kind in MULTILABEL_KINDS:
            raise OptionError(
                f"Expected a model of classes or of numbers for a loss, got kind={kind!r}. Explain one label with "
                "value='prob', or give a function of the outputs as value."
            )
        if callable(self.name):
            return
        fits = (kind != "output") if self.name in _CLASS_LOSSES else kind == "output"
        if fits and not (kind == "margin" and self.name != "zero_one"):
            return
        fitting = {"output": "'squared' or 'absolute'", "margin": "'zero_one'"}.get(
            kind, "'cross_entropy', 'brier' or 'zero_one'"
        )
        raise OptionError(f"Expected the loss {fitting} or a function for a model of kind={kind!r}, got {self.name!r}.")

    def resolve(self, full: Any, kind: Kind, classes: Sequence[str] | None = None) -> FixedLoss:
        """Fix the loss at an input: `full`, `kind` and `classes` as for `Value.resolve`."""
        self.check_model(kind)
        full = probabilities.as_outputs(full)
        if len(full) != 1:
            raise ModelError(f"Expected an answer of shape (1, k) or (1, M, k) at the full input, got {full.shape}.")
        truth = self.read_y([self.at(self.y).y], kind, full.shape[-1], classes)
        return FixedLoss(self, kind, full, (), False, (), classes, truth=truth)

    def read_y(self, y: Sequence[Any], kind: Kind, columns: int, classes: Sequence[str] | None) -> NDArray[Any]:
        """The truths of some inputs: the numbers of their classes, `(n,)`, or numbers `(n, k)`.

        Parameters
        ----------
        y : one entry for each input.
        kind, columns, classes : what the model returns, how many numbers for a row, and the names of its classes.
        """
        if kind == "output":
            return np.array([read_true_numbers(entry, columns) for entry in y]).reshape(len(y), columns)
        count = probabilities.class_count(kind, columns)
        names = None if classes is None else self.class_names(kind, columns, classes)
        return np.array([read_true_class(entry, names, count) for entry in y], np.intp)

    def class_names(self, kind: Kind, columns: int, classes: Sequence[str] | None) -> list[str]:
        """The name of each class, its number where there are no names; `kind`, `columns`, `classes` as for `read_y`."""
        count = probabilities.class_count(kind, columns)
        if classes is not None and len(classes) != count:
            raise TargetError(f"Expected {count} names of classes, as many as the model has, got {len(classes)}.")
        return [str(name) for name in (range(count) if classes is None else classes)]

    def losses(self, outputs: Floats, kind: Kind, truths: NDArray[Any]) -> Floats:
        """The loss of each row of `outputs`, `(n, k)` or `(n, M, k)`, of a `kind`; `truths` are those of `read_y`."""
        if outputs.ndim == 3 and self.average == "after":
            count = outputs.shape[1]
            flat = outputs.reshape(-1, outputs.shape[-1])
            return np.asarray(self._compute(flat, kind, np.repeat(truths, count, axis=0)).reshape(-1, count).mean(1))
        return self._compute(outputs, kind, truths)

    def _compute(self, outputs: Floats, kind: Kind, truths: NDArray[Any]) -> Floats:
        """The losses of outputs, averaged over background rows before."""
        if self.name == "cross_entropy":
            logs = probabilities.class_log_probs(outputs, kind, self.floor)
            return -np.asarray(np.take_along_axis(logs, truths[:, None], axis=1)[:, 0])
        if kind in KINDS_WITHOUT_PROBABILITIES:
            predictions = probabilities.margins(outputs, kind)
        else:
            predictions = probabilities.class_probabilities(outputs, kind)
        if callable(self.name):
            return self._apply(self.name, predictions, kind, truths)
        if self.name == "zero_one":
            return np.asarray(predictions.argmax(axis=1) != truths, np.float64)
        if self.name == "brier":
            truths = np.eye(predictions.shape[1])[truths]
        differences = np.abs(predictions - truths)
        return np.asarray((differences if self.name == "absolute" else differences**2).sum(axis=1))

    def _apply(self, function: Callable[..., Any], predictions: Floats, kind: Kind, truths: NDArray[Any]) -> Floats:
        if kind == "output" and predictions.shape[1] == 1:
            predictions, truths = predictions[:, 0], truths[:, 0]
        losses = np.asarray(function(predictions, truths), np.float64)
        if losses.shape != (len(predictions),):
            raise ModelError(
                f"Expected the loss function to return shape ({len(predictions)},), a loss for each row, got "
                f"{losses.shape}."
            )
        return losses


@dataclass(frozen=True, eq=False)
class FixedLoss(FixedValue):
    """The loss of one input: call it with outputs, `(n, k)` or `(n, M, k)`.

    Attributes
    ----------
    truth : the number of the true class, `(1,)`, or the true numbers, `(1, k)`.

    Examples
    --------
    >>> fixed = Loss("brier", y=1).resolve(np.array([[0.2, 0.8]]), "probabilities")
    >>> fixed(np.array([[0.5, 0.5], [0.0, 1.0]]))
    array([0.5, 0. ])
    """

    value: Loss
    truth: NDArray[Any] = field(kw_only=True)

    @property
    def record(self) -> dict[str, Any]:
        """The loss, where it was averaged, and y: the name of a class, a number, or a list of numbers."""
        entries = self.truth.ravel().tolist()
        if self.kind != "output":
            names = self.value.class_names(self.kind, self.full.shape[-1], self.classes)
            entries = [names[number] for number in entries]
        return {
            "loss": self.value.label,
            "average": self.value.average,
            "y": entries[0] if len(entries) == 1 else entries,
        }

    def __call__(self, outputs: Any) -> Floats:
        """The losses, `(n,)`; `ModelError` with the row where one is not finite."""
        outputs = probabilities.as_outputs(outputs)
        if outputs.shape[-1] != self.full.shape[-1]:
            self.check(outputs)
        losses = self.value.losses(outputs, self.kind, np.repeat(self.truth, len(outputs), axis=0))
        check_answer_rows(np.isfinite(losses), losses, "finite losses")
        return losses

    @property
    def warning(self) -> str | None:
        """A warning if the outputs so far are labels whose log is taken, else None."""
        logs = self.value.name == "cross_entropy"
        return self.hard_labels.warning(self.value.floor) if logs and self.hard_labels.detected else None

    def gradient_weights(self) -> Floats:
        """Losses have no gradient here: raises `ModelError`."""
        raise ModelError(
            f"Expected a value with a known gradient, got the loss {self.value.label!r}. Choose a method that needs "
            "only values."
        )


def list_truths(value: Value, y: Any, count: int) -> list[Any] | None:
    """One y for each input; None where the value needs none.

    Parameters
    ----------
    value : the value that is explained.
    y : what the user passed: a list, an array or a column of a table; None for nothing.
    count : the number of inputs.

    Raises
    ------
    OptionError : if y is missing, has another length, or is passed with a value that is not a loss.

    Examples
    --------
    >>> list_truths(Loss("squared"), [1.5, 2.0], 2)
    [1.5, 2.0]
    """
    if not isinstance(value, Loss):
        if y is not None:
            raise OptionError(
                f"Expected no y with value={value.name!r}, which does not depend on it, got one. Leave y out, or "
                "explain a loss: value=lcshap.values.Loss(...)."
            )
        return None
    if y is None:
        raise OptionError(
            f"Expected y, one true class or number for each input, for the loss {value.label!r}, got none. {_Y_ADVICE}"
        )
    array = y.to_numpy() if hasattr(y, "to_numpy") else y
    if isinstance(array, np.ndarray) and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if isinstance(array, str | bytes) or not hasattr(array, "__len__") or np.ndim(array) == 0:
        raise OptionError(f"Expected y as a list with one entry for each input, got {y!r:.60}.")
    if len(array) != count:
        raise OptionError(f"Expected y with {count:,} entries, one for each input, got {len(array):,}.")
    return list(array)
