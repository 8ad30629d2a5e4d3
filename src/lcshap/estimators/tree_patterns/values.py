"""The scores of all rows of a game of trees, by the patterns of the conditions that they satisfy."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.row_encoding import DROPPED, PINNED
from ...core.tree_ensembles import TreeGame, Trees
from .cover_pass import NANOSECONDS_PER_POINT, CoverPass
from .few_rows import add_few_rows
from .leaves import LeafTables, PathConditions, TableOptions
from .many_rows import ROWS_PER_BLOCK, SubtreeTables
from .paths import TreePaths
from .row_pairs import MAX_UNITS, NANOSECONDS_PER_PAIR, RowPairs
from .subtrees import NANOSECONDS_PER_ENTRY, Subtrees
from .tables import position_sets, quadrature

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_LEAF_NUMBERS = 1 << 22  # numbers of the tables of leaves that are computed at once
_KEPT_NUMBERS = 1 << 24  # numbers of the tables of leaves that are kept for the next call
_SUBTREE_NUMBERS = 1 << 18  # numbers of the tables of subtrees that are looked up together, which stay in the cache
_MAX_BITS = 13  # outcomes of the largest subtrees
_NANOSECONDS_PER_LOOKUP = 2.5  # of one entry of the table of a leaf, measured
_NANOSECONDS_PER_NUMBER = {"background": 8.0, "cover": 3.0}  # of a table of a leaf, for each point of the quadrature
_MAX_TABLE_UNITS = 16  # units of a leaf up to which it has a table
_KEPT_ENTRIES = 6  # of the memory of an ensemble


def pattern_scores(game: TreeGame, options: TableOptions, uses_cover: bool = False) -> Floats:
    """The index of each unit, or pair of units, for all rows.

    Parameters
    ----------
    options : which index, of single units (order 1) or of pairs (order 2). Order 0 is v(∅).
    uses_cover : whether absent units follow the shares of training rows, and not background rows.

    Returns
    -------
    array `(n, d, values)`, `(n, d, d, values)` or `(n, values)`.
    """
    if options.order == 0:
        game = replace(game, units=np.where(game.units == PINNED, PINNED, DROPPED), d=1)
    leaf_values = game.trees.value @ game.weights.T
    prepared = _prepare(game, leaf_values, uses_cover)
    rows = np.ascontiguousarray(game.trees.rounded(game.rows).T)
    call = _Call(prepared, rows, leaf_values[prepared.paths.node], game.d, options)
    shape = (len(game.rows), *(game.d,) * options.order, leaf_values.shape[1])
    scores = call.sums().reshape(shape)
    return scores + scores.swapaxes(1, 2) if options.order == 2 else scores


def has_small_patterns(game: TreeGame, options: TableOptions, uses_cover: bool) -> bool:
    """Whether `pattern_scores` can be computed: few enough units have conditions on the paths of the trees."""
    if uses_cover and options.order == 1:
        return True
    prepared = _prepare(game, game.trees.value @ game.weights.T, uses_cover)
    limit = MAX_UNITS if options.order == 1 else _MAX_TABLE_UNITS
    return int(prepared.unit_counts.max(initial=0)) <= limit


@dataclass(frozen=True, eq=False)
class PreparedTrees:
    """An ensemble, its units and its background rows: what does not depend on the rows that are explained.

    Attributes
    ----------
    paths : the places of the ensemble.
    background : `(features, m)`, in the precision of the trees; None for the shares of training rows.
    kept : tables of leaves for the next call, by their options, and by the numbers of the first and the last leaf.
    passes : passes through the trees for the next call, by their index.
    """

    paths: TreePaths
    background: Floats | None
    kept: dict[tuple[TableOptions, int, int], LeafTables] = field(default_factory=dict)
    passes: dict[str, CoverPass] = field(default_factory=dict)

    @cached_property
    def unit_counts(self) -> Places:
        """The number of units of each leaf, in the order of `paths.leaves`."""
        leaves = self.paths.leaves
        return PathConditions.of(self.paths, self.paths.conditions(leaves), len(leaves)).count

    @cached_property
    def row_pairs(self) -> RowPairs:
        """The leaves with the background rows."""
        assert self.background is not None
        return RowPairs.of(self.paths, self.background)

    def leaf_tables(self, begin: int, end: int, options: TableOptions) -> LeafTables:
        """The tables of some leaves. They are kept if those of all leaves are small enough."""
        key = (options, begin, end)
        if key in self.kept:
            return self.kept[key]
        tables = LeafTables.of(self.paths, self.paths.leaves[begin:end], self.background, options)
        if self.table_sizes(options).sum() <= _KEPT_NUMBERS:
            self.kept[key] = tables
        return tables

    def has_tables(self, options: TableOptions) -> bool:
        """Whether tables for these options were kept."""
        return any(key[0] == options for key in self.kept)

    def cover_pass(self, index: str) -> CoverPass:
        """The pass through the trees."""
        if index not in self.passes:
            self.passes[index] = CoverPass.of(self.paths, index)
        return self.passes[index]

    def table_sizes(self, options: TableOptions) -> Places:
        """The numbers of the table of each leaf."""
        sets = np.array([len(position_sets(count, options.order)) for count in range(self.unit_counts.max() + 1)])
        return np.asarray(sets[self.unit_counts] << self.unit_counts)


def _prepare(game: TreeGame, leaf_values: Floats, uses_cover: bool) -> PreparedTrees:
    """What was prepared for an earlier call, if it was for the same units, background rows and trees with values."""
    trees, units = game.trees, game.units.tobytes()
    background = None if uses_cover else np.ascontiguousarray(trees.rounded(game.background).T)
    digest = None if background is None else (background.shape, hashlib.sha256(background.tobytes()).digest())
    paths: TreePaths = _recall(trees, units, lambda: TreePaths.of(trees, game.units))
    adds = (leaf_values[paths.node[paths.leaves]] != 0).any(axis=1)
    is_used = (
        np.bincount(paths.tree[paths.leaves], adds, minlength=len(trees.roots)) > 0
    )  # trees of other classes add 0
    if not is_used.all():
        used = replace(trees, roots=trees.roots[is_used])
        paths = _recall(trees, (units, is_used.tobytes()), lambda: TreePaths.of(used, game.units))
    key = (units, is_used.tobytes(), digest)
    prepared: PreparedTrees = _recall(trees, key, lambda: PreparedTrees(paths, background))
    return prepared


def _recall(trees: Trees, key: Hashable, compute: Callable[[], Any]) -> Any:
    """What was computed for this key in one of the last calls, or what is computed now."""
    entry = trees.memory.pop(key, None)
    if entry is None:
        entry = compute()
    trees.memory[key] = entry  # the entry that was used last is at the end
    while len(trees.memory) > _KEPT_ENTRIES:
        del trees.memory[next(iter(trees.memory))]
    return entry


@dataclass(frozen=True, eq=False)
class _Call:
    """The rows of a call, `(features, n)`, the value `(places, values)` of each leaf, and what is computed."""

    prepared: PreparedTrees
    rows: Floats
    values: Floats
    d: int
    options: TableOptions

    def sums(self) -> Floats:
        """The scores, `(n, columns * values)`."""
        count = self.rows.shape[1]
        sums = np.zeros((count, self.d**self.options.order * self.values.shape[1]))
        if not len(self.prepared.paths.leaves) or not count:
            return sums
        sizes = self.prepared.table_sizes(self.options)
        lookups = int((sizes >> self.prepared.unit_counts).sum())
        leaf_time = count * lookups * _NANOSECONDS_PER_LOOKUP
        subtrees = None
        if leaf_time > sizes.sum() * NANOSECONDS_PER_ENTRY:  # the least time that subtrees can take
            columns = min(sums.shape[1], int(self.prepared.unit_counts.max()) + 2)
            subtrees = Subtrees.of(self.prepared.paths, count, columns, _MAX_BITS)
        time = leaf_time if subtrees is None else min(leaf_time, subtrees.nanoseconds)
        if self._pair_time < time + self._table_time:
            self._add_by_pairs(sums)
        elif self._pass_time < time + self._table_time:
            self._add_by_pass(sums)
        elif subtrees is None or leaf_time <= subtrees.nanoseconds:
            self._add_by_leaves(sums)
        else:
            self._add_by_subtrees(sums, subtrees)
        return sums

    @property
    def _pass_time(self) -> float:
        """An estimate of the nanoseconds that a pass through the trees takes; infinite if there is none."""
        if self.prepared.background is not None or self.options.order != 1:
            return np.inf
        places, values = len(self.prepared.paths.node), self.values.shape[1]
        return float(places * self.rows.shape[1] * self._points * NANOSECONDS_PER_POINT * (1 + values) / 2)

    @property
    def _pair_time(self) -> float:
        """An estimate of the nanoseconds of a comparison of all pairs; infinite if it is impossible."""
        background = self.prepared.background
        if background is None or self.options.order != 1 or self.prepared.unit_counts.max() > MAX_UNITS:
            return np.inf
        pairs = len(self.prepared.paths.leaves) * self.rows.shape[1] * background.shape[1]
        return float(pairs * NANOSECONDS_PER_PAIR)

    @property
    def _table_time(self) -> float:
        """An estimate of the nanoseconds that the tables of the leaves take; infinite if they are too large."""
        if self.prepared.unit_counts.max() > _MAX_TABLE_UNITS:
            return np.inf
        if self.prepared.has_tables(self.options):
            return 0.0
        nanoseconds = _NANOSECONDS_PER_NUMBER["cover" if self.prepared.background is None else "background"]
        return float(self.prepared.table_sizes(self.options).sum()) * (1 + self._points) * nanoseconds

    @property
    def _points(self) -> int:
        return len(quadrature(self.options.index, int(self.prepared.unit_counts.max()) - 1))

    def _add_by_pairs(self, sums: Floats) -> None:
        transposed = np.zeros(sums.shape[::-1])
        self.prepared.row_pairs.add(transposed, self.rows, self.values, self.options.index)
        sums += transposed.T

    def _add_by_pass(self, sums: Floats) -> None:
        transposed = np.zeros(sums.shape[::-1])
        self.prepared.cover_pass(self.options.index).add(transposed, self.rows, self.values, self.d)
        sums += transposed.T

    def _add_by_leaves(self, sums: Floats) -> None:
        transposed = np.zeros(sums.shape[::-1])
        for begin, end in _parts(self.prepared.table_sizes(self.options), _LEAF_NUMBERS):
            tables = self.prepared.leaf_tables(begin, end, self.options)
            add_few_rows(transposed, tables, self.values, self.rows, self.d, self.options.order)
        sums += transposed.T

    def _add_by_subtrees(self, sums: Floats, subtrees: Subtrees) -> None:
        paths, options = self.prepared.paths, self.options
        end_leaf = np.cumsum(paths.leaf_count[subtrees.root])
        begin_leaf = end_leaf - paths.leaf_count[subtrees.root]
        sizes = np.add.reduceat(self.prepared.table_sizes(options), begin_leaf)
        code_sizes = (1 << subtrees.bits) * min(sums.shape[1], 16)
        for first, last in _parts(sizes, _LEAF_NUMBERS):
            first_leaf = int(begin_leaf[first])
            tables = self.prepared.leaf_tables(first_leaf, int(end_leaf[last - 1]), options)
            for begin, end in _parts(code_sizes[first:last], _SUBTREE_NUMBERS):
                chosen = slice(first + begin, first + end)
                leaves = slice(begin_leaf[chosen.start] - first_leaf, end_leaf[chosen.stop - 1] - first_leaf)
                subtree_tables = SubtreeTables.of(
                    paths, subtrees.root[chosen], leaves, tables, self.values, self.d, options.order
                )
                for row in range(0, len(sums), ROWS_PER_BLOCK):
                    block = slice(row, row + ROWS_PER_BLOCK)
                    subtree_tables.add(sums[block], self.rows[:, block])


def _parts(sizes: Places, limit: int) -> Iterator[tuple[int, int]]:
    """Cut a sequence into parts whose sizes are at most the limit in total, or which have one member.

    >>> list(_parts(np.array([2, 2, 9, 1]), 5))
    [(0, 2), (2, 3), (3, 4)]
    """
    total = np.append(0, np.cumsum(sizes))
    begin = 0
    while begin < len(sizes):
        end = max(begin + 1, int(np.searchsorted(total, total[begin] + limit, side="right")) - 1)
        yield begin, end
        begin = end
