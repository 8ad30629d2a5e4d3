"""The units of a row that a model uses, such as the columns that the trees of an ensemble compare."""

from __future__ import annotations

import numpy as np

from ..adapters.base import Model
from ..core.checked_coalitions import coalitions_to_check
from ..core.coalitions import Coalitions
from ..core.game import AbstractGame
from ..maskers.base import Masked
from ..maskers.masked_table import MaskedTabular

_TOLERANCE = 1e-9  # relative; equal rows of different batches may differ by rounding


def read_used_units(model: Model, masked: Masked) -> list[int] | None:
    """The units with a column that the model uses; None if this is not known."""
    if not (isinstance(masked, MaskedTabular) and masked.has_background):
        return None
    columns = model.used_columns()
    if columns is None or columns.max(initial=-1) >= len(masked.columns):
        return None
    units = masked.column_units[columns]
    return [int(unit) for unit in np.unique(units[units >= 0])]


def others_change_nothing(game: AbstractGame, units: list[int]) -> bool:
    """Whether v is the same without the other units, for a few coalitions that the model evaluates."""
    checked = coalitions_to_check(game.d).dense()
    reduced = np.zeros_like(checked)
    reduced[:, units] = checked[:, units]
    values = game.evaluate(Coalitions.from_dense(np.concatenate([checked, reduced])))
    whole, without = np.split(values, 2)
    return bool(np.abs(whole - without).max() <= _TOLERANCE * max(1.0, float(np.abs(values).max())))
