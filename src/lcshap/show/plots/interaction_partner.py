"""Which unit interacts most with another one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .score_table import ScoreTable
from .unit_points import value_ranks

_GROUP_SIZE = 25  # inputs in a group with similar values, about
_MAX_GROUPS = 50


def find_partner(table: ScoreTable, unit: int) -> tuple[int, str]:
    """The unit that interacts most with a unit, and the rule by which it was found, for a caption.

    See `scatter` for the two rules.
    """
    if table.interactions is not None and len(table.names) > 1:
        strength = np.nanmean(np.abs(table.interactions[:, unit]), axis=0)
        strength[unit] = -1.0
        if strength.max() > 0:
            return int(strength.argmax()), ", which has the largest mean |interaction|"
    strength = slope_strengths(table, unit)
    return int(strength.argmax()), ", which changes the score most at similar values"


def slope_strengths(table: ScoreTable, unit: int) -> NDArray[np.float64]:
    """How much the score of a unit changes with the value of each other unit among similar values of the first unit.

    For each group of inputs, it is the slope of the score in the ranks of the other values, times the standard
    deviation of these ranks. The result is the mean of the absolute slopes over groups; -1 for the unit itself.
    """
    first = value_ranks(table.column(unit).numbers)
    order = np.argsort(np.where(np.isnan(first), 2.0, first), kind="stable")
    count = int(np.clip(len(table) // _GROUP_SIZE, 1, _MAX_GROUPS))
    starts = np.unique(np.arange(count) * len(table) // count)
    scores = _centred(table.scores[order, unit], starts)
    strength = np.full(len(table.names), -1.0)
    for other in range(len(table.names)):
        if other != unit:
            ranks = value_ranks(table.column(other).numbers)[order]
            ranks = _centred(np.where(np.isnan(ranks), 0.5, ranks), starts)
            products, squares = (np.add.reduceat(array, starts) for array in (ranks * scores, ranks**2))
            sizes = np.diff([*starts, len(table)])
            strength[other] = np.mean(np.abs(products) / np.sqrt(np.maximum(squares * sizes, 1e-300)))
    return strength


def _centred(column: NDArray[np.float64], starts: NDArray[np.intp]) -> NDArray[np.float64]:
    """A column minus its mean in each group."""
    sizes = np.diff([*starts, len(column)])
    return np.asarray(column - np.repeat(np.add.reduceat(column, starts) / sizes, sizes))
