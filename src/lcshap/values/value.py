"""The value of a coalition, computed from the outputs of a model for a class that is fixed at the full input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Kind
from ..adapters.callable import check_answer_rows, check_kind
from ..errors import ModelError, OptionError, TargetError
from . import probabilities as probability_functions
from .hard_labels import HardLabels
from .probabilities import KINDS_WITHOUT_PROBABILITIES, MULTILABEL_KINDS, Floats
from .targets import Pairs, find_pairs, find_second_class

PREDICTED, SAME_CLASSES = "predicted", "classes"  # targets that depend on the input, and on the model alone
VALUES = ("log_prob", "expected_log_prob", "prob", "log_odds", "output")
_LOGARITHMS = ("log_prob", "expected_log_prob", "log_odds")


@dataclass(frozen=True)
class Value:
    """The number that is explained, computed from the outputs of a model.

    Parameters
    ----------
    name : one of `VALUES`, or a function from outputs `(n, k)` in float64 to `(n,)` or `(n, m)`. A function gets the
        outputs of the model. If they are averaged over background rows, it gets the logarithm of the averaged
        probabilities instead of logits.
    target : which class, label or output. None or "predicted": the most probable class or label at the full input (the
        lowest index on a tie), or the class that a margin predicts; of outputs that are not classes, all. "classes":
        the same for all inputs, which is the second of two classes, and otherwise all classes or labels. An index, or
        the name of a class; a list of these or "all" for several outputs at once; a pair ``(a, b)`` for the contrast,
        the value of a minus the value of b.
    floor : smaller probabilities are replaced by this one before the log is taken. Logits need no floor.
    average : if absent units take the values of background rows, whether probabilities are averaged over them "before"
        the value is computed from their average, or the values of the rows "after" that.

    Notes
    -----
    A model with one logit, probability or margin has two classes, 0 and 1, and the column is that of class 1. The
    margin of class 0 is the same number with the opposite sign.

    Examples
    --------
    >>> import numpy as np
    >>> from lcshap.values import Value
    >>> v = Value("log_odds").resolve(np.array([[1.0, 3.0]]), "logits")
    >>> v.names, v(np.array([[1.0, 3.0], [0.0, 0.5]]))
    (('1',), array([2. , 0.5]))
    """

    name: str | Callable[[Floats], Any] = "log_prob"
    target: Any = None
    floor: float = 1e-12
    average: Literal["before", "after"] = "before"

    def __post_init__(self) -> None:
        if not callable(self.name) and self.name not in VALUES:
            raise OptionError(
                f"Expected one of {', '.join(map(repr, VALUES))} or a function as value, got {self.name!r}."
            )
        if not 0 < self.floor < 1:
            raise OptionError(f"Expected a floor between 0 and 1, got {self.floor!r}.")
        if self.average not in ("before", "after"):
            raise OptionError(f'Expected "before" or "after" as average, got {self.average!r}.')
        if self.target is not None and (callable(self.name) or self.name == "expected_log_prob"):
            raise OptionError(
                f"Expected no target with value={self.name!r}, which is about all classes, got one. Leave the "
                "target out."
            )

    def at(self, y: Any) -> Value:
        """The value of an input whose true class or number is `y`: itself, since only a `Loss` depends on y."""
        return self

    def resolve(self, full: Any, kind: Kind, classes: Sequence[str] | None = None) -> FixedValue:
        """Fix the target at the full input.

        Parameters
        ----------
        full : the outputs of the model at the full input, `(1, k)`, or `(1, M, k)` with background rows.
        kind : the kind of the outputs, see `Model`.
        classes : the names of the classes or labels, in the order of the columns.
        """
        check_kind(kind, "a model")
        if kind in KINDS_WITHOUT_PROBABILITIES and not callable(self.name) and self.name != "output":
            other = 'kind="logits"' if kind == "margin" else 'kind="logits" or kind="probabilities"'
            raise TargetError(
                f'Expected a model of probabilities for value={self.name!r}, got kind="{kind}". Explain '
                f'value="output", or set {other} if that is what the model returns.'
            )
        full = probability_functions.as_outputs(full)
        if len(full) != 1:
            raise ModelError(f"Expected an answer of shape (1, k) or (1, M, k) at the full input, got {full.shape}.")
        if kind not in KINDS_WITHOUT_PROBABILITIES:
            probability_functions.class_probabilities(
                full, kind
            )  # raises an error if they are not probabilities, for every value
        if callable(self.name) or self.name == "expected_log_prob":
            return FixedValue(self, kind, full, (), False, (), classes)
        names = self._column_names(kind, full.shape[-1], classes)
        target = self.target
        if self.follows_prediction:
            target = _predicted_target(full, kind, len(names))
        elif isinstance(target, str) and target == SAME_CLASSES:
            target = _same_target(kind, probability_functions.class_count(kind, full.shape[-1]), len(names))
        # The only output belongs to the second class.
        one_of_two = len(names) < probability_functions.class_count(kind, full.shape[-1])
        is_default = self.target is None or (isinstance(self.target, str) and self.target in (PREDICTED, SAME_CLASSES))
        if one_of_two and not is_default and classes is not None and len(classes) == 2:
            pairs, several = find_second_class(target, [str(c) for c in classes])
        else:
            pairs, several = find_pairs(target, names)
        titles = tuple(names[a] if b is None else f"{names[a]} - {names[b]}" for a, b in pairs)
        return FixedValue(self, kind, full, pairs, several, titles, classes, tuple(names))

    @property
    def follows_prediction(self) -> bool:
        """Whether the class is the one that is predicted for each input."""
        return self.target is None or (isinstance(self.target, str) and self.target == PREDICTED)

    def _column_names(self, kind: Kind, columns: int, classes: Sequence[str] | None) -> list[str]:
        """The names of everything that has a value: classes, labels or outputs."""
        k = probability_functions.class_count(kind, columns)
        raw = self.name == "output" and kind not in MULTILABEL_KINDS and kind != "margin"
        if classes is not None and len(classes) == k:
            names = [str(c) for c in classes]
        elif classes is None or raw:
            names = [str(c) for c in range(k)]
        else:
            plural = "labels" if kind in MULTILABEL_KINDS else "classes"
            raise TargetError(f"Expected {k} names of {plural}, as many as the model has, got {len(classes)}.")
        return names[1:] if raw and columns < k else names  # the only output of two classes belongs to the second


def _predicted_target(full: Floats, kind: Kind, count: int) -> Any:
    """The predicted class of an input with these outputs; all outputs that are not classes."""
    if kind == "output" or count == 1:
        return 0 if count == 1 else list(range(count))
    without_probabilities = kind in KINDS_WITHOUT_PROBABILITIES
    table = probability_functions.margins if without_probabilities else probability_functions.class_probabilities
    return int(table(full, kind)[0].argmax())


def _same_target(kind: Kind, classes: int, count: int) -> Any:
    """The target of all inputs: the second of two classes, and otherwise everything that has a value."""
    if count == 1 or (classes == 2 and kind not in ("output", *MULTILABEL_KINDS)):
        return count - 1
    return list(range(count))


@dataclass(frozen=True, eq=False)
class FixedValue:
    """A value function whose target is known: call it with outputs, `(n, k)` or `(n, M, k)`.

    Attributes
    ----------
    value, kind, full : the `Value`, the kind of the model and its outputs at the full input.
    pairs : for every value its class, and the class that is subtracted or None.
    multi_output : whether the values are `(n, m)`, not `(n,)`.
    names : the class, label or output of each of the m values; empty if they do not belong to single classes.
    classes : the names of the classes, if they are known.
    columns : the names of all classes, labels or outputs that may be in a pair.
    hard_labels : detects probabilities that are labels.

    Examples
    --------
    >>> import numpy as np
    >>> full = np.array([[0.2, 0.8]])  # the outputs of the model at the full input
    >>> fixed = Value("prob").resolve(full, "probabilities")  # the predicted class is the second one
    >>> fixed(np.array([[0.5, 0.5], [0.9, 0.1]]))
    array([0.5, 0.1])
    """

    value: Value
    kind: Kind
    full: Floats
    pairs: Pairs
    multi_output: bool
    names: tuple[str, ...]
    classes: Sequence[str] | None = None
    columns: tuple[str, ...] = ()
    hard_labels: HardLabels = field(default_factory=HardLabels, repr=False)

    @property
    def targets(self) -> list[str | list[str]]:
        """The target of each value, for the record: the name of a class, or the two names of a contrast."""
        name = self.columns
        return [name[a] if b is None else [name[a], name[b]] for a, b in self.pairs]

    @property
    def record(self) -> dict[str, Any]:
        """Further information about the value for the record of an explanation."""
        logs = self.value.name in _LOGARITHMS and self.kind in ("probabilities", "multilabel")
        floor = {"floor": self.value.floor} if logs and self.value.floor != Value.floor else {}
        average = {"average": self.value.average} if self.value.average == "after" else {}
        is_same = isinstance(self.value.target, str) and self.value.target == SAME_CLASSES
        return {**({"target": SAME_CLASSES} if is_same else {}), **floor, **average}

    @property
    def class_pairs(self) -> Pairs:
        """The pairs by classes. The only output of a model with two classes belongs to the second."""
        missing = (
            0
            if self.kind == "output"
            else probability_functions.class_count(self.kind, self.full.shape[-1]) - len(self.columns)
        )
        return tuple((a + missing, None if b is None else b + missing) for a, b in self.pairs)

    def __call__(self, outputs: Any) -> Floats:
        """The values, `(n,)` or `(n, m)` in float64; `ModelError` with the row if one is not finite."""
        outputs = probability_functions.as_outputs(outputs)
        if outputs.shape[-1] != self.full.shape[-1]:
            self.check(outputs)
        if self.value.average == "after" and outputs.ndim == 3:
            values = self._values_of_rows(outputs.reshape(-1, outputs.shape[-1]))
            values = values.reshape(*outputs.shape[:2], *values.shape[1:]).mean(axis=1)
        else:
            values = self._values_of_rows(outputs)
        check_answer_rows(np.isfinite(values), values, "finite values")
        return values

    def _values_of_rows(self, outputs: Floats) -> Floats:
        values = self._apply_function(outputs) if callable(self.value.name) else self._compute_values(outputs)
        if self.value.name == "log_odds" and self.kind in ("probabilities", "multilabel"):
            self.hard_labels.observe_log_odds(values, self.value.floor)
        return values

    def check(self, outputs: Floats) -> None:
        """Raise `ModelError` if `outputs` cannot be those of this model. This cheap check is made for each batch."""
        k = self.full.shape[-1]
        if outputs.shape[-1] != k:
            raise ModelError(f"Expected {k} outputs, as at the full input, got {outputs.shape[-1]}.")
        if self.kind in ("probabilities", "multilabel"):
            probability_functions.class_probabilities(outputs, self.kind)
            self.hard_labels.observe(outputs)

    @property
    def warning(self) -> str | None:
        """A warning if the outputs so far are labels whose log is taken, or if they are below the floor; else None."""
        if self.value.name not in _LOGARITHMS:
            return None
        if self.hard_labels.detected:
            return self.hard_labels.warning(self.value.floor)
        return self.hard_labels.floor_warning(self.value.floor)

    def decision_unchanged(self, outputs: Any) -> NDArray[np.bool_] | None:
        """Whether the decision is the same as at the full input, for each row of outputs.

        The decision is the most probable class (the lowest index on a tie); for a label, whether its probability is
        above one half; for a contrast, that a is more probable than b. None if there is no decision: for outputs that
        are not classes, and for a class that the model does not predict at the full input.
        """
        if self.kind == "output":
            return None
        strengths, (full_strengths,) = self._decision_strengths(outputs), self._decision_strengths(self.full)
        is_same = isinstance(self.value.target, str) and self.value.target == SAME_CLASSES
        about_prediction = (self.multi_output or is_same) and self.kind not in MULTILABEL_KINDS
        has_pair = bool(self.pairs) and not about_prediction
        a, b = self.class_pairs[0] if has_pair else (int(full_strengths.argmax()), None)
        if b is not None:
            return np.asarray(strengths[:, a] > strengths[:, b]) if full_strengths[a] > full_strengths[b] else None
        if self.kind in MULTILABEL_KINDS:
            return np.asarray((strengths[:, a] > 0) == (full_strengths[a] > 0))
        return np.asarray(strengths.argmax(axis=1) == a) if full_strengths.argmax() == a else None

    def _decision_strengths(self, outputs: Any) -> Floats:
        """The numbers that the decision depends on: probabilities of classes, log-odds of labels, or margins."""
        outputs = probability_functions.as_outputs(outputs)
        if self.kind == "margin":
            return probability_functions.margins(outputs, self.kind)
        return (
            probability_functions.class_log_odds(outputs, self.kind, self.value.floor)
            if self.kind in MULTILABEL_KINDS
            else probability_functions.class_probabilities(outputs, self.kind)
        )

    def gradient_weights(self) -> Floats:
        """The weights `(m, classes)` with which `Model.gradient` gives the gradient of each value at the full input.

        They are the derivatives of v with respect to the quantities that this method differentiates, by the chain rule.
        For classes, these are log P of each class: the weights are P(c) for `prob`, and for `log_odds` one at c minus
        the shares of the others in 1 - P(c). For labels, they are the log-odds: the weights are 1 - P for `log_prob`
        and P (1 - P) for `prob`. For models without probabilities, they are the outputs.
        """
        name = self.value.name
        if callable(name) or (
            name == "output" and self.kind not in (*KINDS_WITHOUT_PROBABILITIES, "multilabel-logits")
        ):
            raise ModelError(
                f"Expected a value with a known gradient, got {name!r} of a model of kind={self.kind!r}. "
                "Choose a method that needs only values."
            )
        if name == "expected_log_prob":
            if self.kind in MULTILABEL_KINDS:  # the value is at its maximum, where its gradient is zero
                return np.zeros((1, self.full.shape[-1]))
            return probability_functions.class_probabilities(self.full, self.kind)
        table = (
            probability_functions.margins(np.eye(self.full.shape[-1]), self.kind).T
            if name == "output"
            else self._class_derivatives()
        )
        return np.array([table[a] if b is None else table[a] - table[b] for a, b in self.pairs])

    def _class_derivatives(self) -> Floats:
        """The derivatives of each class's or label's value."""
        name, logs = self.value.name, probability_functions.class_log_probs(self.full, self.kind, self.value.floor)[0]
        if self.kind in MULTILABEL_KINDS:
            complement = np.exp(probability_functions.log_complement_probs(self.full, self.kind, self.value.floor)[0])
            return np.diag(
                {"log_odds": np.ones_like(complement), "log_prob": complement}.get(str(name), np.exp(logs) * complement)
            )
        table = np.diag(np.exp(logs)) if name == "prob" else np.eye(len(logs))
        if name == "log_odds":
            for c, row in enumerate(table):
                is_other = np.arange(len(logs)) != c
                row[is_other] = -np.exp(logs[is_other] - probability_functions.logsumexp(logs[is_other]))
        return table

    @probability_functions.ignore_overflow
    def _compute_values(self, outputs: Floats) -> Floats:
        if self.value.name == "expected_log_prob":
            expected = probability_functions.class_probabilities(self.full, self.kind)[0]
            values = probability_functions.class_log_probs(outputs, self.kind, self.value.floor) @ expected
            if self.kind in MULTILABEL_KINDS:
                values = values + probability_functions.log_complement_probs(outputs, self.kind, self.value.floor) @ (
                    1 - expected
                )
            return np.asarray(values)
        table = self._class_values(outputs)
        values = np.stack([table[:, a] if b is None else table[:, a] - table[:, b] for a, b in self.pairs], axis=1)
        return values if self.multi_output else values[:, 0]

    def _class_values(self, outputs: Floats) -> Floats:
        """The value of each class, label or output."""
        if self.value.name == "output":
            return probability_functions.margins(outputs, self.kind)
        if self.value.name == "prob":
            return probability_functions.class_probabilities(outputs, self.kind)
        tables = {"log_prob": probability_functions.class_log_probs, "log_odds": probability_functions.class_log_odds}
        return tables[str(self.value.name)](outputs, self.kind, self.value.floor)

    def _apply_function(self, outputs: Floats) -> Floats:
        assert callable(self.value.name)
        values = np.asarray(self.value.name(probability_functions.average_outputs(outputs, self.kind)), np.float64)
        if values.ndim not in (1, 2) or len(values) != len(outputs) or 0 in values.shape[1:]:
            raise ModelError(
                "Expected the value function to return shape (n,) or (n, m) for outputs of shape "
                f"{outputs.shape}, got {values.shape}."
            )
        return values
