"""Shapley and Banzhaf values and interactions of tree ensembles, for paths with conditions on any number of units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.row_encoding import DROPPED, PINNED
from ..core.tree_ensembles import TreeGame
from .tree_patterns.leaves import TableOptions
from .tree_patterns.values import has_small_patterns, pattern_scores
from .tree_walk import walked_values

Floats = NDArray[np.float64]


def tree_scores(game: TreeGame, options: TableOptions, uses_cover: bool = False) -> Floats:
    """The index of each unit, or pair of units, for all rows, `(n, d, values)` or `(n, d, d, values)`.

    Parameters
    ----------
    options : which index, of single units (order 1) or of pairs (order 2).
    uses_cover : whether absent units follow the shares of training rows, and not background rows.
    """
    if has_small_patterns(game, options, uses_cover):
        return pattern_scores(game, options, uses_cover)
    if options.order == 1:
        return walked_values(game, options.index)
    return _pairs_by_presence(game, options.index, uses_cover)


def _pairs_by_presence(game: TreeGame, index: str, uses_cover: bool) -> Floats:
    """The interactions of a unit: how much the scores of the others grow if it is always present instead of absent."""
    pairs = np.zeros((len(game.rows), game.d, game.d, len(game.weights)))
    for unit in np.unique(game.units[game.units >= 0]).tolist():
        for sign, kind in ((1, PINNED), (-1, DROPPED)):
            with_kind = replace(game, units=np.where(game.units == unit, kind, game.units))
            pairs[:, unit] += sign * tree_scores(with_kind, TableOptions(index, 1), uses_cover)
    return pairs
