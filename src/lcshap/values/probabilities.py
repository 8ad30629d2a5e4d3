r"""The probabilities of classes or labels from the outputs of a model, by the kind of the outputs.

======================  =====================================================================================
``logits``              a softmax over the columns; one column: a sigmoid, and two classes
``probabilities``             the columns sum to one; one column: the probability of class 1
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
from ..adapters.callable import check_answer_rows
from ..errors import ModelError

Floats = NDArray[np.float64]
MULTILABEL_KINDS: tuple[Kind, ...] = ("multilabel", "multilabel-logits")
KINDS_WITHOUT_PROBABILITIES: tuple[Kind, ...] = ("output", "margin")
_SUM_SLACK = 1e-3  # the tolerance of the sum of probabilities, which half precision satisfies and logits hardly ever do
_RANGE_SLACK = 1e-6  # the tolerance of a probability outside [0, 1], which single precision satisfies
ignore_overflow = np.errstate(
    over="ignore", invalid="ignore"
)  # logits beyond 1e308 give infinite values, which are reported


def as_outputs(outputs: Any) -> Floats:
    """Outputs `(n, k)` or `(n, M, k)` in float64, finite."""
    array = np.asarray(outputs, np.float64)
    if array.ndim not in (2, 3) or 0 in array.shape[1:]:
        raise ModelError(f"Expected outputs of shape (n, k) or (n, background rows, k), got {array.shape}.")
    check_answer_rows(np.isfinite(array), array, "finite numbers from the model")
    return array


def average_background(outputs: Floats) -> Floats:
    """The average over background rows, if there are any."""
    return outputs if outputs.ndim == 2 else np.asarray(outputs.mean(axis=1))


def class_count(kind: Kind, columns: int) -> int:
    """The number of classes or labels of a model with so many columns."""
    return 2 if columns == 1 and kind in ("logits", "probabilities", "margin") else columns


def margins(outputs: Floats, kind: Kind) -> Floats:
    """The unchanged outputs; a single margin between two classes becomes a margin of each of them.

    >>> margins(np.array([[-2.0]]), "margin").tolist()
    [[2.0, -2.0]]
    """
    averaged = average_background(outputs)
    return np.concatenate([-averaged, averaged], axis=1) if kind == "margin" and averaged.shape[1] == 1 else averaged


def class_probabilities(outputs: Floats, kind: Kind) -> Floats:
    """P of every class or label, `(n, classes)`, checked row by row, then averaged over background rows."""
    if kind in ("logits", "multilabel-logits"):
        return np.asarray(np.exp(class_log_probs(outputs, kind, 0.0)))
    good = (outputs >= -_RANGE_SLACK) & (outputs <= 1 + _RANGE_SLACK)
    advice = _LOGITS_ADVICE["labels" if kind in MULTILABEL_KINDS else "column" if outputs.shape[-1] == 1 else "columns"]
    check_answer_rows(good, outputs, "probabilities from the model", advice)
    if kind in MULTILABEL_KINDS:
        return average_background(outputs)
    if outputs.shape[-1] == 1:
        outputs = np.concatenate([1 - outputs, outputs], axis=-1)
    total = outputs.sum(axis=-1, keepdims=True)
    check_answer_rows(
        np.abs(total - 1) <= _SUM_SLACK,
        outputs,
        "probabilities that sum to 1 from the model",
        f"{_MULTILABEL_ADVICE} {advice}",
    )
    return average_background(outputs)


_MULTILABEL_ADVICE = (
    'If each number is the probability of a label that does not exclude the others, set kind="multilabel".'
)
_LOGITS_ADVICE = {
    "column": 'If the model returns numbers before a sigmoid, set kind="logits".',
    "columns": 'If the model returns numbers before a softmax, set kind="logits"; before one sigmoid for each label, '
    'set kind="multilabel-logits".',
    "labels": 'If the model returns numbers before a sigmoid for each label, set kind="multilabel-logits".',
}


@ignore_overflow
def class_log_probs(outputs: Floats, kind: Kind, floor: float) -> Floats:
    """log P of every class or label, `(n, classes)`, of the average over background rows."""
    if kind in ("probabilities", "multilabel"):
        return np.asarray(np.log(np.maximum(class_probabilities(outputs, kind), floor)))
    if kind == "multilabel-logits":
        return _log_mean(-np.logaddexp(0.0, -outputs))
    if outputs.shape[-1] == 1:  # sigmoid(z) is the softmax of (0, z)
        outputs = np.concatenate([np.zeros_like(outputs), outputs], axis=-1)
    logs = outputs - outputs.max(axis=-1, keepdims=True)
    return _log_mean(np.asarray(logs - logsumexp(logs)[..., None]))


@ignore_overflow
def log_complement_probs(outputs: Floats, kind: Kind, floor: float) -> Floats:
    """log (1 - P) of every class or label. For classes, the others are summed, because 1 - P may cancel."""
    if kind == "multilabel-logits":
        return _log_mean(-np.logaddexp(0.0, outputs))
    if kind == "multilabel":
        return np.asarray(np.log(np.maximum(1 - class_probabilities(outputs, kind), floor)))
    logs = class_log_probs(outputs, kind, floor)
    best = logs.argmax(axis=1)[:, None]
    if kind == "probabilities":
        # The floor is applied to the sum, so that many impossible classes do not add up to a possible one.
        class_probs = class_probabilities(outputs, kind)
        complement = class_probs.sum(axis=1, keepdims=True) - class_probs
        without_best = class_probs.copy()
        np.put_along_axis(without_best, best, 0.0, axis=1)
        np.put_along_axis(complement, best, without_best.sum(axis=1, keepdims=True), axis=1)
        return np.asarray(np.log(np.maximum(complement, floor)))
    without_best = logs.copy()
    np.put_along_axis(without_best, best, -np.inf, axis=1)
    log_complement = np.log1p(-np.minimum(np.exp(logs), 0.5))
    np.put_along_axis(log_complement, best, logsumexp(without_best)[:, None], axis=1)
    return np.asarray(log_complement)


def class_log_odds(outputs: Floats, kind: Kind, floor: float) -> Floats:
    """log P - log (1 - P) of every class or label. For a label with a logit, it is this logit."""
    if kind == "multilabel-logits" and outputs.ndim == 2:
        return outputs
    return class_log_probs(outputs, kind, floor) - log_complement_probs(outputs, kind, floor)


def average_outputs(outputs: Floats, kind: Kind) -> Floats:
    """The outputs that correspond to the averaged probabilities, in the kind of the model, for functions of users."""
    if outputs.ndim == 2 or kind not in ("logits", "multilabel-logits"):
        return average_background(outputs)
    if kind == "multilabel-logits":
        return class_log_odds(outputs, kind, 0.0)
    logs = class_log_probs(outputs, kind, 0.0)
    return logs if outputs.shape[-1] > 1 else logs[:, 1:] - logs[:, :1]


def logsumexp(logs: Floats) -> Floats:
    """log sum exp over the last axis: max + log(1 + the other terms), which keeps terms far below the rounding of 1."""
    argmax = logs.argmax(axis=-1)[..., None]
    maximum = np.take_along_axis(logs, argmax, axis=-1)
    ratios = np.exp(logs - maximum)
    np.put_along_axis(ratios, argmax, 0.0, axis=-1)
    return np.asarray(maximum[..., 0] + np.log1p(ratios.sum(axis=-1)))


def _log_mean(logs: Floats) -> Floats:
    """The log of the mean over background rows, if there are any, without underflow."""
    if logs.ndim == 2:
        return logs
    return np.asarray(logsumexp(np.moveaxis(logs, 1, -1)) - np.log(logs.shape[1]))
