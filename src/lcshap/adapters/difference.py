"""The difference between the outputs of two models for the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..maskers.base import Rows
from .base import Model


class DifferenceModel(Model):
    """The outputs of one model minus those of another, to explain why two models differ.

    Parameters
    ----------
    one, other : adapters whose outputs are of the same kind and number, such as two `CausalLMModel` with the same
        answer.

    Examples
    --------
    >>> import lcshap as lc
    >>> one = lc.adapters.CallableModel(lambda rows: [3.0 * len(row) for row in rows], "output")
    >>> other = lc.adapters.CallableModel(lambda rows: [1.0 * len(row) for row in rows], "output")
    >>> lc.Explainer(lc.adapters.DifferenceModel(one, other), lc.maskers.Text(), lc.Shapley())("to be").scores
    array([5., 5.])
    """

    fingerprint_attributes = ("one", "other")

    def __init__(self, one: Model, other: Model) -> None:
        for model in (one, other):
            if not isinstance(model, Model):
                raise ModelError(f"Expected two adapters of lcshap.adapters, got {type(model).__name__}.")
            if model.kind != "output":
                raise ModelError(f'Expected models of kind="output", such as CausalLMModel, got {model.kind!r}.')
        if one.classes is not None and other.classes is not None and len(one.classes) != len(other.classes):
            raise ModelError(
                f"Expected the same number of outputs from both models, got {len(one.classes)} and "
                f"{len(other.classes)}."
            )
        self.one, self.other = one, other
        self.kind = "output"
        self.classes, self.target, self.answer_and_spans = one.classes, one.target, one.answer_and_spans
        self.record = {**one.record, "contrast": "two models"}
        sizes = [model.batch_size for model in (one, other) if model.batch_size is not None]
        self.batch_size = min(sizes) if sizes else None

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The difference of the answers, `(n, outputs)`."""
        first, second = (np.asarray(model.predict(rows), np.float64) for model in (self.one, self.other))
        if first.shape != second.shape:
            raise ModelError(
                f"Expected answers of the same shape from both models, got {first.shape} and {second.shape}."
            )
        return first - second

    def cost(self, calls: int) -> str | None:
        """The costs of both models."""
        costs = [text for model in (self.one, self.other) if (text := model.cost(calls)) is not None]
        return " and ".join(costs) or None
