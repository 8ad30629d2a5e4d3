"""Shapley and Banzhaf values of a tree ensemble by a walk through its trees, for each row and each background row.

It takes time for each pair of rows, but none for the patterns of a leaf, of which there are many where a path has
conditions on many units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.row_encoding import DROPPED, PINNED
from ..core.tree_ensembles import TreeGame, Trees
from .tree_patterns.leaf_weights import leaf_weights

_FIRST_WALKS = 1 << 14  # pairs of a tree and a background row in the first block
_MAX_WALKS = 1 << 18  # pairs in the largest block
Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def walked_values(game: TreeGame, index: str = "shapley") -> Floats:
    """The Shapley or Banzhaf value of each value of each row, `(n, d, values)`."""
    trees = game.weighted_trees
    rows, background = trees.rounded(game.rows), trees.rounded(game.background)
    scores = np.zeros((len(rows), game.d, trees.value.shape[1]))
    for number, row in enumerate(rows):
        x = np.where(game.units == DROPPED, background, row)
        scores[number] = _walk_row(trees, x, np.where(game.units == PINNED, row, background), game, index)
    return scores


def _walk_row(trees: Trees, x: Floats, background: Floats, game: TreeGame, index: str) -> Floats:
    """The index of each output of the trees, `(d, outputs)`.

    Every tree is traversed from its root for x and a background row together. As long as both go to the same child,
    nothing depends on the coalition. Where they diverge, both children are visited: that of x for coalitions with the
    unit, and the other for those without it. Below that node the unit is decided.
    """
    count, units = len(background), game.units
    phi = np.zeros((game.d, trees.value.shape[1]))
    starts = np.arange(count * len(trees.roots))
    for begin in range(0, len(starts), _FIRST_WALKS):
        block = starts[begin : begin + _FIRST_WALKS]
        undecided = np.empty((len(block), 0), np.int32)
        walks = [_Walk(trees.roots[block // count], block % count, undecided)]
        while walks:
            walk = walks.pop()
            if len(walk.node) > _MAX_WALKS:
                half = len(walk.node) // 2
                walks += [walk.take(slice(half, None)), walk.take(slice(half))]
                continue
            leaves = trees.left[walk.node] < 0
            _add_leaf_shares(phi, trees, walk.take(leaves), index)
            if not leaves.all():
                walks.append(_descend(trees, x, background, units, walk.take(~leaves)))
    return phi / count


@dataclass(frozen=True, eq=False)
class _Walk:
    """Positions in trees: the node, the background row, and decided units, i + 1 if present and -i - 1 if absent."""

    node: Places
    row: Places
    decided: NDArray[np.int32]

    def take(self, rows: Any) -> _Walk:
        return _Walk(self.node[rows], self.row[rows], self.decided[rows])


def _descend(trees: Trees, x: Floats, background: Floats, units: Places, walk: _Walk) -> _Walk:
    """The next nodes. A walk whose two children differ becomes two walks."""
    column = trees.feature[walk.node]
    input_child = trees.child(walk.node, x[walk.row, column])
    background_child = trees.child(walk.node, background[walk.row, column])
    unit = units[column].astype(np.int32) + 1
    present, absent = ((walk.decided == (sign * unit)[:, None]).any(axis=1) for sign in (1, -1))
    diverging = np.flatnonzero((input_child != background_child) & ~present & ~absent)
    if not len(diverging):
        return _Walk(np.where(absent, background_child, input_child), walk.row, walk.decided)
    # This adds a column for the new decisions. Empty entries are moved to the end below, to need few columns.
    new_decisions = np.zeros(len(walk.node), np.int32)
    new_decisions[diverging] = unit[diverging]
    present_decisions = np.column_stack([walk.decided, new_decisions])
    absent_decisions = present_decisions[diverging]
    absent_decisions[:, -1] *= -1
    node = np.concatenate([np.where(absent, background_child, input_child), background_child[diverging]])
    decided = np.concatenate([present_decisions, absent_decisions])
    used = (decided != 0).sum(axis=1).max()
    if used < decided.shape[1]:  # moves the empty entries to the end and removes the empty columns
        order = np.argsort(decided == 0, axis=1, kind="stable")
        decided = np.take_along_axis(decided, order, axis=1)[:, :used]
    return _Walk(node, np.concatenate([walk.row, walk.row[diverging]]), decided)


def _add_leaf_shares(phi: Floats, trees: Trees, walk: _Walk, index: str) -> None:
    """Add the shares of leaf values to the scores of the units that were decided on the way."""
    a, b = ((walk.decided * sign > 0).sum(axis=1) for sign in (1, -1))
    gain, loss = leaf_weights(walk.decided.shape[1], index)
    weight = np.where(walk.decided > 0, gain[a, b][:, None], -loss[a, b][:, None])
    rows, places = np.nonzero(walk.decided)
    units, weights = np.abs(walk.decided[rows, places]) - 1, weight[rows, places]
    for output in range(phi.shape[1]):
        shares = weights * trees.value[walk.node[rows], output]
        phi[:, output] += np.bincount(units, shares, minlength=len(phi))
