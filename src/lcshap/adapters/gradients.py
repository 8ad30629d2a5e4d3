"""Functions that adapters of models with gradients share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import Kind
from .callable import check_answer_rows

_MIN_PROBABILITY = 1e-12  # the floor of probabilities before their logarithm, as in `Value`


def values_to_differentiate(answers: Any, kind: Kind, numpy: Any, log_softmax: Callable[..., Any]) -> Any:
    """The values that `Model.gradient` differentiates: log P of each class, the log-odds of labels, or the outputs.

    `numpy` is a module with NumPy's functions for the arrays at hand, such as `jax.numpy` or `keras.ops`.
    """
    answers = answers[:, None] if answers.ndim == 1 else answers
    binary = answers.shape[-1] == 1
    if kind == "logits":
        answers = numpy.concatenate([numpy.zeros_like(answers), answers], -1) if binary else answers
        return log_softmax(answers, -1)
    if kind == "probabilities":
        answers = numpy.concatenate([1 - answers, answers], -1) if binary else answers
        return numpy.log(numpy.clip(answers, _MIN_PROBABILITY, math.inf))
    if kind == "multilabel":
        return numpy.log(numpy.clip(answers, _MIN_PROBABILITY, math.inf)) - numpy.log(
            numpy.clip(1 - answers, _MIN_PROBABILITY, math.inf)
        )
    return answers


def check_gradient(gradient: Any) -> NDArray[np.float64]:
    """A gradient in float64; raises an error with the first row in which it is not finite."""
    array = np.asarray(gradient, np.float64)
    flat = array.reshape(len(array), -1)
    check_answer_rows(np.isfinite(flat), flat, "a gradient of finite numbers")
    return array
