"""Scores of many rows: the leaves of a subtree have a table together, in which a row is looked up once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ...core.row_encoding import DROPPED
from .codes import Literals, PatternCoder, code_outcomes
from .few_rows import add_entries, set_columns
from .leaves import LeafClass, LeafPatterns, LeafTables, PathConditions
from .paths import TreePaths

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
ROWS_PER_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class SubtreeBits:
    """The outcomes that some subtrees need, as bits of a code for each of them.

    Attributes
    ----------
    count : `(subtrees,)`, the number of bits.
    coder : the code of a row in each subtree, from its outcomes of `literals`.
    literals : the outcomes of splits.
    conditions : those of the leaves. Their literals are twice the position of a bit, and 1 more if it must not be set.
    """

    count: Places
    coder: PatternCoder
    literals: Literals
    conditions: PathConditions

    @classmethod
    def of(cls, paths: TreePaths, roots: Places, leaves: Places, subtree: Places) -> SubtreeBits:
        """The bits of some subtrees.

        Parameters
        ----------
        roots, leaves : places.
        subtree : `(leaves,)`, the number of the subtree of each leaf.
        """
        entries, above = paths.conditions(leaves), paths.conditions(roots)
        units = int(paths.units.max(initial=0)) + 2
        size = units + len(paths.split_node)
        unit = paths.unit[entries.ancestor]
        is_inner = paths.depth[entries.ancestor] >= paths.depth[roots][subtree[entries.owner]]
        bit_key = subtree[entries.owner] * size + np.where(is_inner, units + (entries.literal >> 1), unit + 1)
        chosen = unit != DROPPED
        keys, bit = np.unique(bit_key[chosen], return_inverse=True)
        owner = keys // size
        count = np.bincount(owner, minlength=len(roots))
        position = np.arange(len(keys)) - np.repeat(np.cumsum(count) - count, count)
        literal = np.zeros(len(unit), np.intp)
        literal[chosen] = 2 * position[bit] + (is_inner & (entries.literal & 1 == 1))[chosen]
        conditions = replace(PathConditions.of(paths, entries, len(leaves)), literal=literal)

        inner_bit = np.flatnonzero(keys % size >= units)
        above_unit = paths.unit[above.ancestor]
        is_used = above_unit != DROPPED
        above_bit = np.searchsorted(keys, (above.owner * size + above_unit + 1)[is_used])
        row_bit = np.concatenate([inner_bit, above_bit])
        split_literal = np.concatenate([2 * (keys[inner_bit] % size - units), above.literal[is_used]])
        literals, row_literal = Literals.of(paths.trees, paths.split_node, split_literal)
        width = int(count.max(initial=0))
        aligned = position + width - count[owner]
        shape = (len(roots), width)
        coder = PatternCoder.of(owner[row_bit], aligned[row_bit], row_literal, shape, literals.zero)
        return cls(count, coder, literals, conditions)


@dataclass(frozen=True, eq=False)
class SubtreeTables:
    """The tables of some subtrees.

    Attributes
    ----------
    bits : the code of a row in each subtree.
    begin : `(subtrees,)`, where the table of each begins.
    table : `(codes of all subtrees, columns)`.
    columns : the number of each column among all.
    """

    bits: SubtreeBits
    begin: NDArray[np.int32]
    table: Floats
    columns: Places

    @classmethod
    def of(
        cls, paths: TreePaths, roots: Places, leaves: slice, tables: LeafTables, values: Floats, d: int, order: int
    ) -> SubtreeTables:
        """Add up the tables of the leaves of some subtrees.

        Parameters
        ----------
        leaves : which of the leaves of `tables` belong to these subtrees, one after the other.
        values : `(places, values)`, what each leaf adds.
        """
        parts = [_ClassPart.of(c, members, leaves) for c, members in zip(tables.classes, tables.members, strict=True)]
        place = np.empty(leaves.stop - leaves.start, np.intp)
        for part in parts:
            place[part.number] = part.leaf_class.place[part.row]
        subtree = np.repeat(np.arange(len(roots)), paths.leaf_count[roots])
        bits = SubtreeBits.of(paths, roots, place, subtree)
        used = [set_columns(part.leaf_class.patterns.units[part.row], d, order) for part in parts]
        columns = np.unique(np.concatenate([array.ravel() for array in used]))
        used = [np.searchsorted(columns, array) for array in used]
        sizes = 1 << bits.count
        begin = np.cumsum(sizes) - sizes
        width = len(columns) * values.shape[1]
        table = np.zeros((int(sizes.sum()), width))
        for count in np.unique(bits.count).tolist():
            members = np.flatnonzero(bits.count == count)
            number = np.full(len(roots), -1)
            number[members] = np.arange(len(members))
            sums = np.zeros((len(members) * width, 1 << count))
            for part, part_columns in zip(parts, used, strict=True):
                item = number[subtree[part.number]]
                here = np.flatnonzero(item >= 0)
                if len(here) and part_columns.shape[1]:
                    targets = part_columns[here] + item[here, None] * len(columns)
                    part.take(here).add(sums, bits.conditions, targets, values, count)
            rows = begin[members][:, None] + np.arange(1 << count)
            table[rows] = sums.reshape(len(members), width, 1 << count).transpose(0, 2, 1)
        all_columns = (columns[:, None] * values.shape[1] + np.arange(values.shape[1])).ravel()
        return cls(bits, begin.astype(np.int32), table, all_columns)

    def add(self, sums: Floats, rows: Floats) -> None:
        """Add what the subtrees contribute to the scores of rows.

        Parameters
        ----------
        sums : `(rows, all columns)`.
        rows : `(features, rows)`, in the precision of the trees.
        """
        outcomes = self.bits.literals.outcomes(rows, len(self.bits.coder.first))
        codes = self.bits.coder.codes(outcomes).astype(np.int32)
        codes += self.begin[:, None]
        lookups = np.ascontiguousarray(codes.T).ravel()
        ends = np.arange(0, len(lookups) + 1, len(codes), dtype=np.int32)
        shape = (rows.shape[1], len(self.table))
        contribution = scipy.sparse.csr_array((np.ones(len(lookups)), lookups, ends), shape=shape) @ self.table
        if len(self.columns) == sums.shape[1]:
            sums += contribution
        else:
            sums[:, self.columns] += contribution


@dataclass(frozen=True, eq=False)
class _ClassPart:
    """Some leaves of a class: their rows in it, and their numbers among the leaves of the subtrees."""

    leaf_class: LeafClass
    row: Places
    number: Places

    @classmethod
    def of(cls, leaf_class: LeafClass, members: Places, leaves: slice) -> _ClassPart:
        begin, end = np.searchsorted(members, [leaves.start, leaves.stop])
        return cls(leaf_class, np.arange(begin, end), members[begin:end] - leaves.start)

    def take(self, chosen: Places) -> _ClassPart:
        return _ClassPart(self.leaf_class, self.row[chosen], self.number[chosen])

    def add(self, sums: Floats, conditions: PathConditions, columns: Places, values: Floats, bits: int) -> None:
        """Add what these leaves contribute for each code of their subtree to some columns."""
        leaf_class = self.leaf_class
        patterns = LeafPatterns.of(conditions.of_places(self.number), leaf_class.patterns.units[self.row], 2 * bits)
        leaf_values = values[leaf_class.place[self.row]]
        add_entries(sums, patterns, leaf_class.tables[self.row], columns, leaf_values, code_outcomes(bits))
