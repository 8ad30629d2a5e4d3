"""Leaves of an ensemble with their conditions merged by unit, and their tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.row_encoding import DROPPED, PINNED
from .codes import Literals, PatternCoder
from .paths import PathEntries, TreePaths
from .tables import background_tables, cover_tables

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_BACKGROUND_CODES = 1 << 20  # codes of background rows that are computed at once


@dataclass(frozen=True)
class TableOptions:
    """What the tables hold: the index ("shapley" or "banzhaf"), of units (order 1) or of pairs (order 2)."""

    index: str = "shapley"
    order: int = 1


@dataclass(frozen=True, eq=False)
class PathConditions:
    """Conditions on the way to some places, merged by unit.

    Attributes
    ----------
    owner, literal : of each condition, see `PathEntries`.
    unit : of each condition, or `PINNED` or `DROPPED`.
    position : the position of the unit among those of the place, 0 for pinned and dropped columns.
    ratio : the share of the training rows that take this step; empty if it is not known.
    units : the different units of all places, sorted for each of them.
    begin : `(places + 1,)`, where the units of each place begin in `units`.
    """

    owner: Places
    literal: Places
    unit: Places
    position: Places
    ratio: Floats
    units: Places
    begin: Places

    @classmethod
    def of(cls, paths: TreePaths, entries: PathEntries, places: int) -> PathConditions:
        """Merge conditions by unit."""
        unit = paths.unit[entries.ancestor]
        has_unit = unit >= 0
        size = int(paths.units.max(initial=0)) + 1
        keys, inverse = np.unique((entries.owner * size + unit)[has_unit], return_inverse=True)
        begin = np.append(0, np.cumsum(np.bincount(keys // size, minlength=places)))
        position = np.zeros(len(unit), np.intp)
        position[has_unit] = inverse - begin[entries.owner[has_unit]]
        return cls(entries.owner, entries.literal, unit, position, _step_ratios(paths, entries), keys % size, begin)

    @property
    def count(self) -> Places:
        """`(places,)`, the number of different units."""
        return np.diff(self.begin)

    def units_of(self, places: Places) -> Places:
        """The units of places that have equally many, `(places, units)`."""
        return self.units[self.begin[places][:, None] + np.arange(self.count[places[0]])]

    def with_literals(self, literal: Places) -> PathConditions:
        """The same conditions with other numbers of their literals."""
        return replace(self, literal=literal)

    def of_places(self, places: Places) -> PathConditions:
        """The conditions of some places, which get new numbers."""
        number = np.full(len(self.begin), -1)
        number[places] = np.arange(len(places))
        chosen = number[self.owner] >= 0
        ratio = self.ratio[chosen] if len(self.ratio) else self.ratio
        literal, unit, position = (array[chosen] for array in (self.literal, self.unit, self.position))
        return PathConditions(number[self.owner[chosen]], literal, unit, position, ratio, self.units, self.begin)


def _step_ratios(paths: TreePaths, entries: PathEntries) -> Floats:
    """The share of the training rows at each node on the way that take the step of the way."""
    trees, node = paths.trees, paths.node[entries.ancestor]
    if not len(trees.cover):
        return trees.cover
    child, cover = np.where(entries.literal & 1, trees.right[node], trees.left[node]), trees.cover[node]
    ratio = np.full(len(node), 0.5)
    np.divide(trees.cover[child], cover, out=ratio, where=cover > 0)
    return ratio


@dataclass(frozen=True, eq=False)
class LeafPatterns:
    """The patterns of leaves with conditions on equally many units.

    Attributes
    ----------
    units : `(leaves, D)`.
    coder : the pattern of a row, whether it satisfies the conditions of each unit.
    pinned, dropped : whether a row satisfies those of pinned, and of dropped columns; None if there are none.
    """

    units: Places
    coder: PatternCoder
    pinned: PatternCoder | None
    dropped: PatternCoder | None

    @classmethod
    def of(cls, conditions: PathConditions, units: Places, zero: int) -> LeafPatterns:
        """The patterns of all leaves of some conditions. The literal after `zero` is 1 for all rows."""
        coders: list[PatternCoder | None] = []
        for kind in (0, PINNED, DROPPED):
            chosen = np.flatnonzero(conditions.unit >= 0 if kind == 0 else conditions.unit == kind)
            shape = units.shape if kind == 0 else (len(units), 1)
            entries = (conditions.owner[chosen], conditions.position[chosen], conditions.literal[chosen])
            is_needed = kind == 0 or len(chosen)
            coders.append(PatternCoder.of(*entries, shape, zero + 1) if is_needed else None)
        assert coders[0] is not None
        return cls(units, coders[0], coders[1], coders[2])


@dataclass(frozen=True, eq=False)
class LeafClass:
    """Leaves with conditions on equally many units, and their tables.

    Attributes
    ----------
    place : `(leaves,)`, where they are in the paths.
    patterns : of these leaves.
    tables : `(leaves, sets, 2**D)`.
    reach : `(leaves,)`, how often the leaf is reached if all units are absent, and pinned columns let a row pass.
    """

    place: Places
    patterns: LeafPatterns
    tables: Floats
    reach: Floats

    @classmethod
    def of(
        cls,
        place: Places,
        conditions: PathConditions,
        patterns: LeafPatterns,
        literals: Literals,
        background: Floats | None,
        options: TableOptions,
    ) -> LeafClass:
        """The tables of some leaves, see `LeafTables.of`."""
        if background is not None:
            shares = _background_shares(patterns, literals, background)
            return cls(place, patterns, background_tables(shares, options.index, options.order), shares[:, -1])
        ratios, factor = np.ones(patterns.units.shape), np.ones(len(place))
        has_unit, is_dropped = conditions.unit >= 0, conditions.unit == DROPPED
        where = (conditions.owner[has_unit], conditions.position[has_unit])
        np.multiply.at(ratios, where, conditions.ratio[has_unit])
        np.multiply.at(factor, conditions.owner[is_dropped], conditions.ratio[is_dropped])
        tables = cover_tables(ratios, options.index, options.order)
        tables *= factor[:, None, None]
        return cls(place, patterns, tables, ratios.prod(axis=1) * factor)


def _background_shares(patterns: LeafPatterns, literals: Literals, background: Floats) -> Floats:
    """The share of background rows that have each pattern, `(leaves, 2**D)`."""
    leaves, units = patterns.units.shape
    counts = np.zeros(leaves << units)
    step = max(1, _BACKGROUND_CODES // max(leaves, len(literals.used)))
    for begin in range(0, background.shape[1], step):
        outcomes = literals.outcomes(background[:, begin : begin + step], units)
        codes = patterns.coder.codes(outcomes).astype(np.intp)
        codes += np.arange(leaves)[:, None] << units
        if patterns.dropped is not None:
            codes = codes[patterns.dropped.codes(outcomes) == 1]
        counts += np.bincount(codes.ravel(), minlength=len(counts))
    counts /= background.shape[1]
    return counts.reshape(leaves, -1)


@dataclass(frozen=True, eq=False)
class LeafTables:
    """The tables of some leaves of an ensemble.

    Attributes
    ----------
    literals : the outcomes of splits that the patterns use.
    classes : the leaves, by the number of their units.
    members : for each class the numbers of its leaves, in the order in which they were given.
    """

    literals: Literals
    classes: tuple[LeafClass, ...]
    members: tuple[Places, ...]

    @classmethod
    def of(cls, paths: TreePaths, leaves: Places, background: Floats | None, options: TableOptions) -> LeafTables:
        """The tables of some leaves.

        Parameters
        ----------
        leaves : their places.
        background : the background rows `(columns, m)` in the precision of the trees; None for the shares of training
            rows that the trees know.
        """
        entries = paths.conditions(leaves)
        conditions = PathConditions.of(paths, entries, len(leaves))
        literals, literal = Literals.of(paths.trees, paths.split_node, entries.literal)
        conditions = conditions.with_literals(literal)
        classes, groups = [], [np.flatnonzero(conditions.count == count) for count in np.unique(conditions.count)]
        for members in groups:
            of_members = conditions.of_places(members)
            patterns = LeafPatterns.of(of_members, conditions.units_of(members), literals.zero)
            classes.append(LeafClass.of(leaves[members], of_members, patterns, literals, background, options))
        return cls(literals, tuple(classes), tuple(groups))
