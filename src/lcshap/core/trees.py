"""Tree ensembles as arrays, and games that they play: v(S) is a weighted sum of what trees say about masked rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coalitions import Coalitions

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_AT_ONCE = 1 << 18  # pairs of a tree and a row that are followed at once


@dataclass(frozen=True, eq=False)
class Trees:
    """Binary trees whose leaves add up. A row goes left where its column is at most the threshold.

    Attributes
    ----------
    roots : `(trees,)`, the node that each tree starts at.
    left, right : `(nodes,)`, the children of each node; -1 at leaves.
    default : `(nodes,)`, the child that rows go to whose column is NaN.
    feature, threshold : `(nodes,)`, what each node asks.
    value : `(nodes, outputs)`, what each leaf adds.
    single : whether rows are rounded to single precision first, as the library does that grew the trees.
    rounding : by how much of its size the library's own sum may be wrong, where it adds in single precision.
    blind : columns in which nobody knows where NaN goes.
    choice : `(nodes,)`, for nodes that ask about a category the row of `members`, -1 for all others; empty: none does.
    members : `(choices, categories)`, the categories with which a row goes left.
    categories : the categories of each column of a pandas DataFrame that has some, in the order of their numbers.

    Examples
    --------
    >>> stump = Trees(np.array([0]), np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([1, -1, -1]),
    ...     np.array([0, -1, -1]), np.array([0.5, 0, 0]), np.array([[0.0], [3.0], [5.0]]))
    >>> stump.predict(np.array([[0.0], [1.0], [np.nan]])).ravel()
    array([3., 5., 3.])
    """

    roots: Places
    left: Places
    right: Places
    default: Places
    feature: Places
    threshold: Floats
    value: Floats
    single: bool = False
    rounding: float = 0.0
    blind: Places = field(default_factory=lambda: np.empty(0, np.intp))
    choice: Places = field(default_factory=lambda: np.empty(0, np.intp))
    members: NDArray[np.bool_] = field(default_factory=lambda: np.empty((0, 0), bool))
    categories: tuple[tuple[Any, ...], ...] = ()

    def rounded(self, rows: Floats) -> Floats:
        """Rows in the precision in which they are compared with thresholds."""
        return rows.astype(np.float32).astype(np.float64) if self.single else rows

    def child(self, node: Places, asked: Floats) -> Places:
        """Where a row goes from a node, by its number in the column that the node asks about."""
        goes_left = asked <= self.threshold[node]
        if len(self.members):
            by_category = np.flatnonzero(self.choice[node] >= 0)
            goes_left[by_category] = self._chosen(self.choice[node[by_category]], asked[by_category])
        found = np.where(goes_left, self.left[node], self.right[node])
        return np.where(np.isnan(asked), self.default[node], found)

    def _chosen(self, choice: Places, asked: Floats) -> NDArray[np.bool_]:
        """Whether categories, given as numbers, are among those of a choice. Unknown ones are not."""
        code = np.where(np.isfinite(asked), asked, -1.0).astype(np.intp)
        known = (code >= 0) & (code < self.members.shape[1])
        return np.asarray(known & self.members[choice, np.where(known, code, 0)])

    def predict(self, rows: Floats) -> Floats:
        """What the trees say about rows, `(n, outputs)`."""
        rows, found = self.rounded(rows), np.zeros((len(rows), self.value.shape[1]))
        step = max(1, _AT_ONCE // len(self.roots))
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            node = np.tile(self.roots, len(part))
            row = np.repeat(np.arange(len(part)), len(self.roots))
            moving = np.flatnonzero(self.left[node] >= 0)
            while len(moving):
                at = node[moving]
                node[moving] = self.child(at, part[row[moving], self.feature[at]])
                moving = moving[self.left[node[moving]] >= 0]
            found[start : start + step] = self.value[node].reshape(len(part), len(self.roots), -1).sum(axis=1)
        return found


@dataclass(frozen=True, eq=False)
class TreeGame:
    """A game of trees: v(S) = weights · the mean of what they say about x[m] in the columns of S, background[m] else.

    Attributes
    ----------
    trees : the ensemble; a constant that it adds to every answer is of no interest here.
    x, background : `(M, columns)`, the rows of V and those of ∅.
    owners : `(columns,)`, the unit of each column; -1 where x and background are the same anyway.
    d : the number of units.
    weights : `(values, outputs)`.
    several : whether v is `(values,)`, and not a number.
    """

    trees: Trees
    x: Floats
    background: Floats
    owners: Places
    d: int
    weights: Floats
    several: bool = False

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """The rows of V and of ∅ as the trees compare them."""
        return self.trees.rounded(self.x), self.trees.rounded(self.background)

    def values(self, coalitions: Coalitions) -> Floats:
        """v of each coalition but for a constant, `(n,)` or `(n, values)`."""
        found = []
        for kept in coalitions.dense():
            here = kept[self.owners] & (self.owners >= 0)
            found.append(self.trees.predict(np.where(here, self.x, self.background)).mean(axis=0))
        return self.read(np.array(found))

    def read(self, outputs: Floats) -> Floats:
        """From outputs of the trees, `(n, outputs)`, to values."""
        values = outputs @ self.weights.T
        return values if self.several else np.asarray(values[:, 0])
