"""The paths of an ensemble: every node of every tree, the conditions on the way to it, and their units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.tree_ensembles import Trees

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PathEntries:
    """Conditions on the way to some nodes, one entry for each node and condition.

    Attributes
    ----------
    owner : the number of the node whose path has the condition, among those that were asked for.
    ancestor : the place where the comparison is made.
    literal : which outcome of which split the condition is: twice the number of the split, 1 more for the right side.
    """

    owner: Places
    ancestor: Places
    literal: Places


@dataclass(frozen=True, eq=False)
class TreePaths:
    """The places of an ensemble: its nodes as they are reached from the roots, level by level.

    Attributes
    ----------
    trees : the ensemble.
    units : `(columns,)`, the unit of each column, or `PINNED` or `DROPPED`.
    node, tree, parent : `(places,)`, the node, the number of the tree, and the place above, -1 for roots.
    goes_right : `(places,)`, whether the place is the right child of the one above.
    levels : where each level begins in these arrays, and their end.
    """

    trees: Trees
    units: Places
    node: Places
    tree: Places
    parent: Places
    goes_right: NDArray[np.bool_]
    levels: tuple[int, ...]

    @classmethod
    def of(cls, trees: Trees, units: Places) -> TreePaths:
        """The places of all trees."""
        node, tree = trees.roots, np.arange(len(trees.roots))
        parent, goes_right = np.full(len(node), -1), np.zeros(len(node), bool)
        levels = [0, len(node)]
        columns: list[list[NDArray[Any]]] = [[node], [tree], [parent], [goes_right]]
        while True:
            inner = np.flatnonzero(trees.left[node] >= 0)
            if not len(inner):
                break
            above = np.repeat(levels[-2] + inner, 2)
            goes_right = np.tile([False, True], len(inner))
            node = np.stack([trees.left[node[inner]], trees.right[node[inner]]], axis=1).ravel()
            tree = np.repeat(tree[inner], 2)
            for column, array in zip(columns, (node, tree, above, goes_right), strict=True):
                column.append(array)
            levels.append(levels[-1] + len(node))
        node, tree, parent, goes_right = (np.concatenate(column) for column in columns)
        return cls(trees, units, node, tree, parent, goes_right.astype(bool), tuple(levels))

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each place is a leaf."""
        return np.asarray(self.trees.left[self.node] < 0)

    @cached_property
    def leaves(self) -> Places:
        """The places of all leaves, tree by tree, neighbours next to each other."""
        leaves = np.flatnonzero(self.is_leaf)
        return np.asarray(leaves[np.lexsort((self.position[leaves], self.tree[leaves]))])

    @cached_property
    def leaf_count(self) -> Places:
        """The number of leaves below each place; 1 for leaves."""
        return self.sum_leaves(np.ones(len(self.node), np.intp))

    @cached_property
    def position(self) -> Places:
        """The number of leaves of the tree that are to the left of each place."""
        position = np.zeros(len(self.node), np.intp)
        for begin, end in self.lower_levels:
            level = np.arange(begin, end)
            left_sibling = np.where(self.goes_right[level], self.leaf_count[level - 1], 0)
            position[level] = position[self.parent[level]] + left_sibling
        return position

    @cached_property
    def depth(self) -> Places:
        """The number of conditions on the way to each place."""
        return np.repeat(np.arange(len(self.levels) - 1), np.diff(self.levels))

    @property
    def lower_levels(self) -> list[tuple[int, int]]:
        """The beginning and the end of each level below the roots."""
        return list(zip(self.levels[1:], self.levels[2:], strict=False))

    def sum_leaves(self, numbers: Places) -> Places:
        """The sum of a number of each leaf over the leaves below each place."""
        sums = np.where(self.is_leaf, numbers, 0)
        for begin, end in reversed(self.lower_levels):
            np.add.at(sums, self.parent[begin:end], sums[begin:end])
        return sums

    @cached_property
    def unit(self) -> Places:
        """The unit that each place compares; meaningless at leaves."""
        return self.units[self.trees.feature[self.node]]

    @cached_property
    def _splits(self) -> tuple[Places, Places]:
        """The number of the split of each place, and a node that has each split. Equal splits have one number."""
        trees, node = self.trees, self.node
        choice = trees.choice[node] if len(trees.members) else np.full(len(node), -1)
        threshold = np.where(choice < 0, trees.threshold[node], 0.0)
        keys = (trees.default[node] == trees.left[node], choice, threshold, trees.feature[node], self.is_leaf)
        order = np.lexsort(keys)
        changes = np.zeros(len(node), bool)
        for key in keys:
            changes[1:] |= key[order][1:] != key[order][:-1]
        split = np.empty(len(node), np.intp)
        split[order] = np.cumsum(changes)
        first = np.empty(split.max(initial=-1) + 1, np.intp)
        first[split[order][::-1]] = node[order][::-1]
        return split, first

    @property
    def split(self) -> Places:
        """The number of the split of each place."""
        return self._splits[0]

    @property
    def split_node(self) -> Places:
        """`(splits,)`, a node that makes each split."""
        return self._splits[1]

    def conditions(self, places: Places) -> PathEntries:
        """All conditions on the way to some places."""
        owner, current, entries = np.arange(len(places)), places, []
        while True:
            is_moving = self.parent[current] >= 0
            owner, current = owner[is_moving], current[is_moving]
            if not len(owner):
                break
            above = self.parent[current]
            entries.append((owner, above, 2 * self.split[above] + self.goes_right[current]))
            current = above
        if not entries:
            empty = np.empty(0, np.intp)
            return PathEntries(empty, empty, empty)
        return PathEntries(*(np.concatenate(column) for column in zip(*entries, strict=True)))
