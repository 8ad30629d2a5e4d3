r"""From what a model answers to the probabilities of its classes or labels, by the kind of the answers.

======================  =====================================================================================
``logits``              a softmax over the columns; one column: a sigmoid, and two classes
``probabilities``       the columns sum to one; one column: the probability of class 1
``multilabel-logits``   a sigmoid for each column: labels that do not exclude each other
``multilabel``          the probability of each label, whatever the others are
``margin``              no probabilities: the class with the largest one is predicted; one column: by its sign
``output``              no classes at all
======================  =====================================================================================

The outputs have shape `(n, k)`, or `(n, M, k)` with M background rows, whose *probabilities* are averaged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Kind
from ..adapters.callable import check_rows
from ..errors import ModelError

Floats = NDArray[np.float64]
LABELS: tuple[Kind, ...] = ("multilabel", "multilabel-logits")
NO_CHANCES: tuple[Kind, ...] = ("output", "margin")
_SUM_SLACK = 1e-3  # how far from 1 probabilities may sum: half precision passes, logits hardly ever do
_RANGE_SLACK = 1e-6  # how far outside [0, 1] one probability may be: single precision passes
quiet = np.errstate(over="ignore", invalid="ignore")  # logits beyond 1e308 give an infinite value: it is reported


def as_outputs(outputs: Any) -> Floats:
    """Outputs `(n, k)` or `(n, M, k)` in float64, finite."""
    array = np.asarray(outputs, np.float64)
    if array.ndim not in (2, 3) or 0 in array.shape[1:]:
        raise ModelError(f"Expected outputs of shape (n, k) or (n, background rows, k), got {array.shape}.")
    check_rows(np.isfinite(array), array, "finite numbers from the model")
    return array


def mean(outputs: Floats) -> Floats:
    """The average over background rows, if there are any."""
    return outputs if outputs.ndim == 2 else np.asarray(outputs.mean(axis=1))


def class_count(kind: Kind, columns: int) -> int:
    """How many classes or labels so many columns are about."""
    return 2 if columns == 1 and kind in ("logits", "probabilities", "margin") else columns


def margins(outputs: Floats, kind: Kind) -> Floats:
    """The outputs as they are; the one margin between two classes as that of each of them.

    >>> margins(np.array([[-2.0]]), "margin").tolist()
    [[2.0, -2.0]]
    """
    found = mean(outputs)
    return np.concatenate([-found, found], axis=1) if kind == "margin" and found.shape[1] == 1 else found


def probabilities(outputs: Floats, kind: Kind) -> Floats:
    """P of every class or label, `(n, classes)`, checked row by row, then averaged over background rows."""
    if kind in ("logits", "multilabel-logits"):
        return np.asarray(np.exp(log_probs(outputs, kind, 0.0)))
    good = (outputs >= -_RANGE_SLACK) & (outputs <= 1 + _RANGE_SLACK)
    to_come = _TO_COME["labels" if kind in LABELS else "column" if outputs.shape[-1] == 1 else "columns"]
    check_rows(good, outputs, "probabilities from the model", to_come)
    if kind in LABELS:
        return mean(outputs)
    if outputs.shape[-1] == 1:
        outputs = np.concatenate([1 - outputs, outputs], axis=-1)
    total = outputs.sum(axis=-1, keepdims=True)
    check_rows(
        np.abs(total - 1) <= _SUM_SLACK, outputs, "probabilities that sum to 1 from the model", f"{_EACH} {to_come}"
    )
    return mean(outputs)


_EACH = 'If each number is the probability of a label that does not exclude the others, set kind="multilabel".'
_TO_COME = {
    "column": 'If the model returns numbers before a sigmoid, set kind="logits".',
    "columns": 'If the model returns numbers before a softmax, set kind="logits"; before one sigmoid for each label, '
    'set kind="multilabel-logits".',
    "labels": 'If the model returns numbers before a sigmoid for each label, set kind="multilabel-logits".',
}


@quiet
def log_probs(outputs: Floats, kind: Kind, floor: float) -> Floats:
    """log P of every class or label, `(n, classes)`, of the average over background rows."""
    if kind in ("probabilities", "multilabel"):
        return np.asarray(np.log(np.maximum(probabilities(outputs, kind), floor)))
    if kind == "multilabel-logits":
        return _log_mean(-np.logaddexp(0.0, -outputs))
    if outputs.shape[-1] == 1:  # sigmoid(z) is the softmax of (0, z)
        outputs = np.concatenate([np.zeros_like(outputs), outputs], axis=-1)
    logs = outputs - outputs.max(axis=-1, keepdims=True)
    return _log_mean(np.asarray(logs - log_sum(logs)[..., None]))


@quiet
def log_others(outputs: Floats, kind: Kind, floor: float) -> Floats:
    """log (1 - P) of every class or label. Of classes, 1 - P could cancel for the likeliest: the others are summed."""
    if kind == "multilabel-logits":
        return _log_mean(-np.logaddexp(0.0, outputs))
    if kind == "multilabel":
        return np.asarray(np.log(np.maximum(1 - probabilities(outputs, kind), floor)))
    logs = log_probs(outputs, kind, floor)
    best = logs.argmax(axis=1)[:, None]
    if kind == "probabilities":  # summed, then floored: many impossible classes stay impossible
        chances = probabilities(outputs, kind)
        rest = chances.sum(axis=1, keepdims=True) - chances
        others = chances.copy()
        np.put_along_axis(others, best, 0.0, axis=1)
        np.put_along_axis(rest, best, others.sum(axis=1, keepdims=True), axis=1)
        return np.asarray(np.log(np.maximum(rest, floor)))
    others = logs.copy()
    np.put_along_axis(others, best, -np.inf, axis=1)
    rest = np.log1p(-np.minimum(np.exp(logs), 0.5))
    np.put_along_axis(rest, best, log_sum(others)[:, None], axis=1)
    return np.asarray(rest)


def log_odds(outputs: Floats, kind: Kind, floor: float) -> Floats:
    """log P - log (1 - P) of every class or label: of a label with a logit, that logit."""
    if kind == "multilabel-logits" and outputs.ndim == 2:
        return outputs
    return log_probs(outputs, kind, floor) - log_others(outputs, kind, floor)


def as_given(outputs: Floats, kind: Kind) -> Floats:
    """The outputs of the averaged probabilities, in the kind of the model: for value functions of the user's own."""
    if outputs.ndim == 2 or kind not in ("logits", "multilabel-logits"):
        return mean(outputs)
    if kind == "multilabel-logits":
        return log_odds(outputs, kind, 0.0)
    logs = log_probs(outputs, kind, 0.0)
    return logs if outputs.shape[-1] > 1 else logs[:, 1:] - logs[:, :1]


def log_sum(logs: Floats) -> Floats:
    """log sum exp over the last axis: max + log(1 + the rest), which keeps a rest far below the rounding of 1."""
    where = logs.argmax(axis=-1)[..., None]
    most = np.take_along_axis(logs, where, axis=-1)
    rest = np.exp(logs - most)
    np.put_along_axis(rest, where, 0.0, axis=-1)
    return np.asarray(most[..., 0] + np.log1p(rest.sum(axis=-1)))


def _log_mean(logs: Floats) -> Floats:
    """The log of the mean over background rows, if there are any, without underflow."""
    if logs.ndim == 2:
        return logs
    return np.asarray(log_sum(np.moveaxis(logs, 1, -1)) - np.log(logs.shape[1]))
