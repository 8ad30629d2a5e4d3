"""The part of each unit in the value. The model returns the parts in the outputs, and the value is linear in these."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Kind, Model
from ..errors import MethodError, ModelError
from ..maskers.base import Masked, Rows
from ..values import FixedValue
from .engine import Engine
from .structure_games import linear_weights

Floats = NDArray[np.float64]
_ADVICE = "or choose another method, such as GraphKernelSHAP."


class PartsModel(Model):
    """A model whose outputs are the parts of another model, with those of a unit next to each other."""

    __stored_name__ = "lcshap.asking.parts.PartsModel"

    kind: Kind = "output"

    def __init__(self, model: Model, units: int, outputs: int) -> None:
        self.model, self.units, self.outputs = model, units, outputs
        self.batch_size = model.batch_size

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The parts of each row, `(n, units * outputs)`."""
        parts = np.asarray(self.model.parts(rows))
        n, size = len(rows), self.units * self.outputs
        if not parts.ndim or len(parts) not in (n, n * self.units) or parts.size != n * size:
            raise ModelError(
                f"Expected parts of shape {(n, self.units, self.outputs)} or {(n * self.units, self.outputs)}, got "
                f"{parts.shape}. Return a part for each unit and output of every row, absent units included."
            )
        return parts.reshape(n, size)


def parts_engine(engine: Engine, masked: Masked, value: FixedValue) -> Engine:
    """The engine that evaluates the parts of a model; `MethodError` if there are none for this value."""
    if not engine.model.has_parts:
        raise MethodError(
            f"Expected a model that returns what each node adds to its output, got {type(engine.model).__name__} "
            f"without parts. Give adapters.CallableModel(predict, kind, parts=...) or TorchModel(..., parts=...), "
            f"{_ADVICE}"
        )
    if linear_weights(value, masked.rows_per_call) is None:
        name = value.value.name
        raise MethodError(
            f"Expected a value that is linear in the model's outputs, got {name if callable(name) else repr(name)} of "
            f'kind={value.kind!r}. Explain value="output" with a target, log_odds of two classes, or the contrast of '
            f"two classes, {_ADVICE}"
        )
    model = PartsModel(engine.model, masked.graph.d, value.full.shape[-1])
    return Engine(
        model, engine.size.best if engine.size.search_finished else None, engine.raw, engine.name, engine.gate
    )


def read_parts(outputs: Floats, masked: Masked, value: FixedValue) -> Floats:
    """The parts of the value, `(n, d)` or `(n, d, values)`, of outputs `(n, rows_per_call, d * outputs)`."""
    weights = linear_weights(value, masked.rows_per_call)
    assert weights is not None
    by_unit = outputs.mean(axis=1).reshape(len(outputs), masked.graph.d, -1)
    parts = np.asarray(by_unit @ weights.T)
    return parts if value.multi_output else parts[..., 0]
