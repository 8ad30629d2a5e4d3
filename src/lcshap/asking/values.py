r"""Value functions: from what a model answers to the number v(S) that is shared out among the units.

With P(.|x_S) the class probabilities on the masked input, and c a class fixed at the full input x:

=====================  ==============================================================
``log_prob``           :math:`\log P(c \mid x_S)`, as in the paper's experiments
``expected_log_prob``  :math:`\sum_y P(y \mid x) \log P(y \mid x_S)`, as in its theorems
``prob``               :math:`P(c \mid x_S)`
``log_odds``           :math:`\log P(c \mid x_S) - \log (1 - P(c \mid x_S))`
``output``             the outputs as they are: a regression, a margin, a raw logit
=====================  ==============================================================

Everything is computed in float64. Where absent units take the values of M background rows, the *probabilities* are
averaged over these rows, then the log is taken, never the other way round.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Kind
from ..adapters.callable import check_kind, check_rows
from ..core.printable import printable
from ..errors import ModelError, OptionError

Floats = NDArray[np.float64]
VALUES = ("log_prob", "expected_log_prob", "prob", "log_odds", "output")
_SUM_SLACK = 1e-3  # how far from 1 probabilities may sum: half precision passes, logits hardly ever do
_RANGE_SLACK = 1e-6  # how far outside [0, 1] one probability may be: single precision passes
_quiet = np.errstate(over="ignore", invalid="ignore")  # logits beyond 1e308 give an infinite value: it is reported


@dataclass(frozen=True)
class Value:
    """Which number of a model's answer is explained.

    Parameters
    ----------
    name : one of `VALUES`, or a function from outputs `(n, k)` in float64 to `(n,)` or `(n, m)`. A function gets the
        outputs as the model gives them; where they are averaged over background rows, of logits the log of the
        averaged probabilities.
    target : which class or output. None: the most probable class at the full input (the lowest index on a tie), or
        the only output. An index, or the name of a class; a list of these or "all" for several outputs at once; a pair
        ``(a, b)`` for the contrast, the value of a minus the value of b.
    floor : the least probability whose log is taken, for models that give probabilities. Logits need none.

    Notes
    -----
    A model with one logit or probability column has two classes, 0 and 1, and the column is that of class 1.

    Examples
    --------
    >>> import numpy as np
    >>> from lcshap.asking.values import Value
    >>> v = Value("log_odds").resolve(np.array([[1.0, 3.0]]), "logits")
    >>> v.names, v(np.array([[1.0, 3.0], [0.0, 0.5]]))
    (('1',), array([2. , 0.5]))
    """

    name: str | Callable[[Floats], Any] = "log_prob"
    target: Any = None
    floor: float = 1e-12

    def __post_init__(self) -> None:
        if not callable(self.name) and self.name not in VALUES:
            raise OptionError(f"value must be one of {', '.join(map(repr, VALUES))} or a function, not {self.name!r}")
        if not 0 < self.floor < 1:
            raise OptionError(f"floor must be between 0 and 1, not {self.floor!r}")
        if self.target is not None and (callable(self.name) or self.name == "expected_log_prob"):
            raise OptionError(f"{self.name} is not about one class: it takes no target")

    def resolve(self, full: Any, kind: Kind, classes: Sequence[str] | None = None) -> FixedValue:
        """Fix the target at the full input.

        Parameters
        ----------
        full : the model's outputs there, `(1, k)`, or `(1, M, k)` with background rows.
        kind : what they are, see `Model`.
        classes : the names of the classes, in the order of the columns.
        """
        check_kind(kind, "a model")
        if kind == "output" and not callable(self.name) and self.name != "output":
            raise ModelError(
                f'{self.name} is about classes and the model gives kind="output": explain value="output", '
                f'or say kind="logits" or kind="probabilities" if its numbers are that'
            )
        full = _as_outputs(full)
        if len(full) != 1:
            raise ModelError(f"the answer at the full input has shape {full.shape}: (1, k) or (1, M, k) is needed")
        chances = None if kind == "output" else _probabilities(full, kind)[0]
        if callable(self.name) or self.name == "expected_log_prob":
            return FixedValue(self, kind, full, (), False, (), classes)
        k = full.shape[-1] if self.name == "output" or chances is None else len(chances)
        names = [str(c) for c in range(k)]
        if classes is not None and len(classes) == k:
            names = [str(c) for c in classes]
        elif classes is not None and self.name != "output":
            raise ModelError(f"{len(classes)} names of classes were given, the model has {k}")
        target = self.target
        if target is None and k > 1:
            if chances is None:
                raise ModelError(f"the model has {k} outputs: say which with target=0 to {k - 1}, a list, or 'all'")
            target = int(chances.argmax())
        pairs, several = _pairs(0 if target is None else target, names)
        titles = tuple(names[a] if b is None else f"{names[a]} - {names[b]}" for a, b in pairs)
        return FixedValue(self, kind, full, pairs, several, titles, classes)


@dataclass(frozen=True, eq=False)
class FixedValue:
    """A value function whose target is known: call it with outputs, `(n, k)` or `(n, M, k)`.

    Attributes
    ----------
    value, kind, full : what it was made from: the `Value`, the kind of the model and its outputs at the full input.
    pairs : for every value its class, and the class that is subtracted or None.
    several : whether the values are `(n, m)`, not `(n,)`.
    names : what each of the m values is about; empty where they are about no single class.
    classes : the names of the classes, where they are known.
    """

    value: Value
    kind: Kind
    full: Floats
    pairs: tuple[tuple[int, int | None], ...]
    several: bool
    names: tuple[str, ...]
    classes: Sequence[str] | None = None

    @property
    def targets(self) -> list[str | list[str]]:
        """What each value is about, for the record: the name of a class, or the two names of a contrast."""
        known = self.classes is not None and len(self.classes) > max((max(a, b or 0) for a, b in self.pairs), default=0)
        name = (lambda c: str(self.classes[c])) if known else str  # type: ignore[index]
        return [name(a) if b is None else [name(a), name(b)] for a, b in self.pairs]

    def __call__(self, outputs: Any) -> Floats:
        """The values, `(n,)` or `(n, m)` in float64; `ModelError` with the row where one is not finite."""
        outputs = _as_outputs(outputs)
        if outputs.shape[-1] != self.full.shape[-1]:
            self.check(outputs)
        values = self._call(outputs) if callable(self.value.name) else self._values(outputs)
        check_rows(np.isfinite(values), values, "the value is", "every value must be a finite number")
        return values

    def check(self, outputs: Floats) -> None:
        """Raise `ModelError` if these cannot be the answers of this model: cheap, so that it is noticed at once."""
        k = self.full.shape[-1]
        if outputs.shape[-1] != k:
            raise ModelError(f"the model gave {k} outputs at the full input and {outputs.shape[-1]} later")
        if self.kind == "probabilities":
            _probabilities(outputs, self.kind)

    def stands(self, outputs: Any) -> NDArray[np.bool_] | None:
        """Whether the decision at the full input still stands, for each row of outputs.

        The decision is the most probable class (the lowest index on a tie); of a contrast, that a is more probable
        than b. None where there is none to ask about: outputs that are no classes, or a class that the model does not
        choose at the full input.
        """
        if self.kind == "output":
            return None
        chances, (first,) = _probabilities(_as_outputs(outputs), self.kind), _probabilities(self.full, self.kind)
        a, b = self.pairs[0] if self.pairs else (int(first.argmax()), None)
        if b is not None:
            return np.asarray(chances[:, a] > chances[:, b]) if first[a] > first[b] else None
        return np.asarray(chances.argmax(axis=1) == a) if first.argmax() == a else None

    def gradient_weights(self) -> Floats:
        """The weights `(m, classes)` with which `Model.gradient` gives the gradient of each value at the full input.

        They are the derivatives of v with respect to what that method differentiates: log P of each class (or the
        outputs), so that the chain rule is complete: P(c) for `prob`, and for `log_odds` one at c less the shares of
        the others in 1 - P(c).
        """
        name = self.value.name
        if callable(name) or (name == "output" and self.kind != "output"):
            raise ModelError(f"no gradient is known for the value {name!r} of a model of kind={self.kind!r}")
        if name == "expected_log_prob":
            return _probabilities(self.full, self.kind)
        if name == "output":
            table = np.eye(self.full.shape[-1])
        else:
            logs = _log_probs(self.full, self.kind, self.value.floor)[0]
            table = np.diag(np.exp(logs)) if name == "prob" else np.eye(len(logs))
            if name == "log_odds":
                for c, row in enumerate(table):
                    others = np.arange(len(logs)) != c
                    row[others] = -np.exp(logs[others] - _log_sum(logs[others]))
        return np.array([table[a] if b is None else table[a] - table[b] for a, b in self.pairs])

    @_quiet
    def _values(self, outputs: Floats) -> Floats:
        if self.value.name == "expected_log_prob":
            chances = _probabilities(self.full, self.kind)[0]
            return np.asarray(_log_probs(outputs, self.kind, self.value.floor) @ chances)
        table = self._table(outputs)
        values = np.stack([table[:, a] if b is None else table[:, a] - table[:, b] for a, b in self.pairs], axis=1)
        return values if self.several else values[:, 0]

    def _table(self, outputs: Floats) -> Floats:
        """The value of each class or output."""
        if self.value.name == "output":
            return _mean(outputs)
        if self.value.name == "prob":
            return _probabilities(outputs, self.kind)
        logs = _log_probs(outputs, self.kind, self.value.floor)
        return logs - self._log_others(outputs, logs) if self.value.name == "log_odds" else logs

    def _log_others(self, outputs: Floats, logs: Floats) -> Floats:
        """log (1 - P) of each class. Only for the likeliest could 1 - P cancel: there the others are summed."""
        best = logs.argmax(axis=1)[:, None]
        if self.kind == "probabilities":  # summed, then floored: many impossible classes stay impossible
            chances = _probabilities(outputs, self.kind)
            rest = chances.sum(axis=1, keepdims=True) - chances
            others = chances.copy()
            np.put_along_axis(others, best, 0.0, axis=1)
            np.put_along_axis(rest, best, others.sum(axis=1, keepdims=True), axis=1)
            return np.asarray(np.log(np.maximum(rest, self.value.floor)))
        others = logs.copy()
        np.put_along_axis(others, best, -np.inf, axis=1)
        rest = np.log1p(-np.minimum(np.exp(logs), 0.5))
        np.put_along_axis(rest, best, _log_sum(others)[:, None], axis=1)
        return np.asarray(rest)

    def _call(self, outputs: Floats) -> Floats:
        assert callable(self.value.name)
        if outputs.ndim == 3 and self.kind == "logits":
            logs = _log_probs(outputs, "logits", self.value.floor)
            outputs = logs if outputs.shape[-1] > 1 else logs[:, 1:] - logs[:, :1]
        values = np.asarray(self.value.name(_mean(outputs)), np.float64)
        if values.ndim not in (1, 2) or len(values) != len(outputs) or 0 in values.shape[1:]:
            raise ModelError(
                f"the value function made shape {values.shape} of {outputs.shape}: (n,) or (n, m) is needed"
            )
        return values


def find_value(value: Any, kind: Kind, target: Any = None) -> Value:
    """A `Value` from what users write: name, function, `Value`, or None (`log_prob` for classes, `output` else)."""
    if isinstance(value, Value):
        if target is not None:
            raise OptionError("give the target to the Value, not beside it")
        return value
    return Value(("output" if kind == "output" else "log_prob") if value is None else value, target)


def _as_outputs(outputs: Any) -> Floats:
    """Outputs `(n, k)` or `(n, M, k)` in float64, finite."""
    array = np.asarray(outputs, np.float64)
    if array.ndim not in (2, 3) or 0 in array.shape[1:]:
        raise ModelError(f"outputs have shape {array.shape}: (n, k) or (n, background rows, k) is needed")
    check_rows(np.isfinite(array), array, "the model answered", "every answer must be a finite number")
    return array


def _mean(outputs: Floats) -> Floats:
    """The average over background rows, if there are any."""
    return outputs if outputs.ndim == 2 else np.asarray(outputs.mean(axis=1))


@_quiet
def _log_probs(outputs: Floats, kind: Kind, floor: float) -> Floats:
    """log P of every class, `(n, classes)`, of the average over background rows."""
    if kind == "probabilities":
        return np.asarray(np.log(np.maximum(_probabilities(outputs, kind), floor)))
    if outputs.shape[-1] == 1:  # sigmoid(z) is the softmax of (0, z)
        outputs = np.concatenate([np.zeros_like(outputs), outputs], axis=-1)
    logs = outputs - outputs.max(axis=-1, keepdims=True)
    logs = np.asarray(logs - _log_sum(logs)[..., None])
    if logs.ndim == 2:
        return logs
    return np.asarray(_log_sum(np.moveaxis(logs, 1, -1)) - np.log(logs.shape[1]))  # log of the mean, no underflow


def _probabilities(outputs: Floats, kind: Kind) -> Floats:
    """P of every class, `(n, classes)`, checked row by row, then averaged over background rows."""
    if kind == "logits":
        return np.asarray(np.exp(_log_probs(outputs, kind, 0.0)))
    why = 'these are no probabilities. If a softmax or sigmoid is still to come, say kind="logits"'
    good = (outputs >= -_RANGE_SLACK) & (outputs <= 1 + _RANGE_SLACK)
    check_rows(good, outputs, "the model answered", why)
    if outputs.shape[-1] == 1:
        outputs = np.concatenate([1 - outputs, outputs], axis=-1)
    total = outputs.sum(axis=-1, keepdims=True)
    check_rows(np.abs(total - 1) <= _SUM_SLACK, outputs, "the model answered", f"the sum is not 1; {why}")
    return _mean(outputs)


def _log_sum(logs: Floats) -> Floats:
    """log sum exp over the last axis: max + log(1 + the rest), which keeps a rest far below the rounding of 1."""
    where = logs.argmax(axis=-1)[..., None]
    most = np.take_along_axis(logs, where, axis=-1)
    rest = np.exp(logs - most)
    np.put_along_axis(rest, where, 0.0, axis=-1)
    return np.asarray(most[..., 0] + np.log1p(rest.sum(axis=-1)))


def _pairs(target: Any, names: list[str]) -> tuple[tuple[tuple[int, int | None], ...], bool]:
    """Every class that is asked for, with the one subtracted from it, and whether several were asked for."""
    if isinstance(target, str) and target == "all":
        target = range(len(names))
    if not isinstance(target, list | range | np.ndarray):
        return (_pair(target, names),), False
    if len(target) == 0:
        raise ModelError("target is an empty list")
    return tuple(_pair(one, names) for one in target), True


def _pair(target: Any, names: list[str]) -> tuple[int, int | None]:
    if not isinstance(target, tuple):
        return _index(target, names), None
    if len(target) != 2:
        raise ModelError(f"a contrast is a pair (a, b), not {target!r}; for several classes give a list")
    a, b = (_index(one, names) for one in target)
    if a == b:
        raise ModelError(f"the contrast {target!r} is of a class with itself")
    return a, b


def _index(target: Any, names: list[str]) -> int:
    if isinstance(target, str):
        if target not in names:
            known = ", ".join(printable(name, most=60) for name in names[:20])
            raise ModelError(f"there is no class named {target!r}: the classes are {known}")
        return names.index(target)
    try:
        index = operator.index(target)
    except TypeError:
        raise ModelError(f"a target is an index, a name, a list, a pair or 'all', not {target!r}") from None
    if not 0 <= index < len(names) or isinstance(target, bool):
        raise ModelError(f"target {target!r} is out of range: the model has 0 to {len(names) - 1}")
    return index
