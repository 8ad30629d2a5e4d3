"""Scores of few rows with few background rows: every leaf is compared with each pair of them, without any tables.

A pair reaches a leaf for some coalitions if the row satisfies the conditions of all units that the background row does
not satisfy. With a of these, and b units whose conditions only the background row satisfies, the units of the first
kind score (a-1)! b! / (a+b)! of the value of the leaf, and those of the second kind -a! (b-1)! / (a+b)!.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .codes import Codes, Literals
from .leaf_weights import leaf_weights
from .leaves import LeafPatterns, PathConditions
from .paths import TreePaths

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_PAIRS_PER_STEP = 1 << 18  # pairs of patterns that are compared at once
_LEAVES_PER_PART = 1 << 14
MAX_UNITS = 63  # bits of the codes
NANOSECONDS_PER_PAIR = 3.0  # of a leaf, a row and a background row, measured


@dataclass(frozen=True, eq=False)
class BackgroundPatterns:
    """What background rows do not satisfy, of leaves with conditions on equally many units.

    Attributes
    ----------
    place : `(leaves,)`.
    patterns : of these leaves.
    failing : `(leaves, background rows)`, the pattern of the conditions that a background row does not satisfy.
    """

    place: Places
    patterns: LeafPatterns
    failing: NDArray[np.unsignedinteger]

    @classmethod
    def of(cls, place: Places, patterns: LeafPatterns, outcomes: Codes) -> BackgroundPatterns:
        """The patterns for outcomes of literals, `(literals, background rows)`."""
        count = patterns.units.shape[1]
        failing = ~patterns.coder.codes(outcomes)
        one = failing.dtype.type(1)
        failing &= (one << failing.dtype.type(count)) - one
        if patterns.dropped is not None:  # pairs that never reach the leaf get a bit that no row has
            failing[patterns.dropped.codes(outcomes) == 0] = one << failing.dtype.type(count)
        return cls(place, patterns, failing)

    def add(self, sums: Floats, outcomes: Codes, values: Floats, index: str) -> None:
        """Add what these leaves contribute to rows, whose outcomes `(literals, rows)` are given."""
        codes = self.patterns.coder.codes(outcomes)
        passes = None if self.patterns.pinned is None else self.patterns.pinned.codes(outcomes)
        background = self.failing.shape[1]
        step = max(1, _PAIRS_PER_STEP // (codes.shape[1] * background))
        for first in range(0, len(self.place), step):
            part = slice(first, first + step)
            part_passes = None if passes is None else passes[part]
            leaf_values = values[self.place[part]] / background
            _add_part(sums, self.patterns.units[part], codes[part], self.failing[part], part_passes, leaf_values, index)


@dataclass(frozen=True, eq=False)
class RowPairs:
    """The leaves of an ensemble with some background rows, in parts that have their own literals."""

    parts: tuple[tuple[Literals, tuple[BackgroundPatterns, ...]], ...]

    @classmethod
    def of(cls, paths: TreePaths, background: Floats) -> RowPairs:
        """The leaves of an ensemble, for background rows `(features, rows)` in the precision of the trees."""
        parts = []
        for begin in range(0, len(paths.leaves), _LEAVES_PER_PART):
            leaves = paths.leaves[begin : begin + _LEAVES_PER_PART]
            entries = paths.conditions(leaves)
            literals, literal = Literals.of(paths.trees, paths.split_node, entries.literal)
            conditions = PathConditions.of(paths, entries, len(leaves)).with_literals(literal)
            outcomes, classes = literals.outcomes(background, int(conditions.count.max()) + 1), []
            for count in np.unique(conditions.count[conditions.count > 0]).tolist():
                members = np.flatnonzero(conditions.count == count)
                patterns = LeafPatterns.of(conditions.of_places(members), conditions.units_of(members), literals.zero)
                classes.append(BackgroundPatterns.of(leaves[members], patterns, outcomes))
            parts.append((literals, tuple(classes)))
        return cls(tuple(parts))

    def add(self, sums: Floats, rows: Floats, values: Floats, index: str) -> None:
        """Add the scores of rows.

        Parameters
        ----------
        sums : `(units * values, rows)`.
        rows : `(features, rows)`, in the precision of the trees.
        values : `(places, values)`, what each leaf adds.
        """
        for literals, classes in self.parts:
            bits = max((background.failing.dtype.itemsize * 8 for background in classes), default=1)
            outcomes = literals.outcomes(rows, bits)
            for background in classes:
                background.add(sums, outcomes, values, index)


def _add_part(
    sums: Floats,
    units: Places,
    codes: NDArray[np.unsignedinteger],
    failing: NDArray[np.unsignedinteger],
    passes: NDArray[np.unsignedinteger] | None,
    values: Floats,
    index: str,
) -> None:
    """Add what some leaves with equally many units contribute.

    Parameters
    ----------
    codes : `(leaves, rows)`, the conditions that a row satisfies.
    failing : `(leaves, background rows)`, those that a background row does not satisfy.
    passes : `(leaves, rows)`, whether a row satisfies the conditions of pinned columns; None if there are none.
    """
    count, rows = units.shape[1], codes.shape[1]
    reaches = (failing[:, None, :] & ~codes[:, :, None]) == 0
    if passes is not None:
        reaches &= (passes == 1)[:, :, None]
    leaf_row, background = np.divmod(np.flatnonzero(reaches), failing.shape[1])
    if not len(leaf_row):
        return
    begins = np.flatnonzero(np.append(True, leaf_row[1:] != leaf_row[:-1]))
    leaf, row = np.divmod(leaf_row[begins], rows)
    code = codes[leaf, row]
    absent = failing[leaf_row // rows, background]
    gain, loss = leaf_weights(count, index)
    a, b = np.bitwise_count(absent), count - np.bitwise_count(code)
    b_of_pair = np.repeat(b, np.diff(np.append(begins, len(leaf_row))))
    gains, losses = gain[a, b_of_pair], loss[a, b_of_pair]
    total_loss = np.add.reduceat(losses, begins)
    scores = np.empty((count, len(begins)))
    for position in range(count):
        bit = absent.dtype.type(count - 1 - position)
        has_unit = ((absent >> bit) & absent.dtype.type(1)).astype(np.float64)
        by_row = np.add.reduceat(gains * has_unit, begins)
        is_satisfied = ((code >> bit) & code.dtype.type(1)) == 1
        scores[position] = np.where(is_satisfied, by_row, -total_loss)
    for number in range(values.shape[1]):
        weighted = scores * values[leaf, number]
        targets = units[leaf].T * values.shape[1] + number
        places = (targets.ravel(), np.tile(row, count))
        sums += scipy.sparse.coo_array((weighted.ravel(), places), shape=sums.shape).toarray()
