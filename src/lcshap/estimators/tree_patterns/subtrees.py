"""Division of trees into subtrees whose leaves are looked up together, by the outcomes of all splits that they need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.row_encoding import DROPPED
from .paths import TreePaths

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_LOOKUP, _PER_BIT, _PER_COLUMN = 6.0, 0.2, 0.4  # nanoseconds for a row, measured
NANOSECONDS_PER_ENTRY = 3.0  # for an entry of the table of a leaf, for each code of the subtree


@dataclass(frozen=True, eq=False)
class Subtrees:
    """Subtrees that together have all leaves.

    Attributes
    ----------
    root : the place of each subtree, tree by tree.
    bits : how many outcomes a row needs in each of them.
    nanoseconds : an estimate of the time for all rows.
    """

    root: Places
    bits: Places
    nanoseconds: float

    @classmethod
    def of(cls, paths: TreePaths, rows: int, columns: int, max_bits: int) -> Subtrees:
        """The division that takes the least time for so many rows.

        Parameters
        ----------
        columns : the number of columns of the tables.
        max_bits : the largest number of bits; leaves that need more are subtrees of their own.
        """
        bits, width = _count_bits(paths, max_bits)
        codes = np.exp2(np.minimum(bits, 60))
        reading = rows * (_LOOKUP + _PER_BIT * bits + _PER_COLUMN * columns)
        time = reading + codes * width * NANOSECONDS_PER_ENTRY
        time[(bits > max_bits) & ~paths.is_leaf] = np.inf
        best, is_whole = time.copy(), np.ones(len(time), bool)
        for begin, end in reversed(paths.lower_levels):
            above = paths.parent[begin:end:2]
            divided = best[begin:end:2] + best[begin + 1 : end : 2]
            is_whole[above] = time[above] <= divided
            best[above] = np.minimum(time[above], divided)
        is_open = np.zeros(len(time), bool)  # whether no place above is a subtree
        is_open[: paths.levels[1]] = True
        for begin, end in paths.lower_levels:
            above = paths.parent[begin:end]
            is_open[begin:end] = is_open[above] & ~is_whole[above]
        root = np.flatnonzero(is_open & is_whole)
        root = root[np.lexsort((paths.position[root], paths.tree[root]))]
        return cls(root, bits[root], float(best[: paths.levels[1]].sum()))


def _count_bits(paths: TreePaths, max_bits: int) -> tuple[Places, Places]:
    """How many outcomes the subtree of each place needs, and how many units its leaves have together.

    Outcomes are the conjunctions of the conditions of a unit above the place, and the different splits below it.
    Subtrees that need more than `max_bits` for sure are not counted to the end.
    """
    places = np.arange(len(paths.node))
    unit_count = _count_units(paths)
    inner = places[~paths.is_leaf & (paths.unit != DROPPED)]
    pairs, owner, current = [], inner, inner
    for _ in range(max_bits):
        pairs.append(current * len(paths.split_node) + paths.split[owner])
        owner, current = owner[paths.parent[current] >= 0], current[paths.parent[current] >= 0]
        current = paths.parent[current]
    different = np.unique(np.concatenate(pairs)) if pairs else np.empty(0, np.intp)
    splits = np.bincount(different // max(1, len(paths.split_node)), minlength=len(places))
    too_deep = np.zeros(len(places), bool)
    too_deep[current] = True
    return np.where(too_deep, max_bits + 1, splits + unit_count), paths.sum_leaves(unit_count)


def _count_units(paths: TreePaths) -> Places:
    """The number of conjunctions above each place: one for each unit, and one for all pinned columns."""
    places = np.arange(len(paths.node))
    entries = paths.conditions(places)
    unit = paths.unit[entries.ancestor]
    size = int(paths.units.max(initial=0)) + 2
    keys = np.unique((entries.owner * size + unit + 1)[unit != DROPPED])
    return np.bincount(keys // size, minlength=len(places))
