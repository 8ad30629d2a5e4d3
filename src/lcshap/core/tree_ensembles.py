"""Tree ensembles as arrays, and games whose values are weighted sums of the outputs of trees for masked rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .row_encoding import RowEncoder
from .structures import StructureGame

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_PAIRS_PER_STEP = 1 << 18  # pairs of a tree and a row that are evaluated at once
_LONG_COLUMN = 256  # rows from which columns are compared one by one, which is faster than copying them first


@dataclass(frozen=True, eq=False)
class Trees:
    """Binary trees whose leaves add up. A row goes left where its column is at most the threshold.

    Attributes
    ----------
    roots : `(trees,)`, the node that each tree starts at.
    left, right : `(nodes,)`, the children of each node; -1 at leaves.
    default : `(nodes,)`, the child that rows go to whose column is NaN.
    feature, threshold : `(nodes,)`, the column and the number that each node compares.
    value : `(nodes, outputs)`, what each leaf adds.
    single_precision : whether rows are rounded to single precision first, as the library does that grew the trees.
    rounding : the relative error of the sum in the original library, if it adds in single precision.
    choice : `(nodes,)`, for nodes that test a category the row of `members`, -1 for others; empty if there are none.
    members : `(choices, categories)`, the categories with which a row goes left.
    encoder : how rows of a table become the numbers that the nodes compare; None if these are the columns themselves.
    cover : `(nodes,)`, the weight of the training rows that reached each node; empty if it is not known.

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
    single_precision: bool = False
    rounding: float = 0.0
    choice: Places = field(default_factory=lambda: np.empty(0, np.intp))
    members: NDArray[np.bool_] = field(default_factory=lambda: np.empty((0, 0), bool))
    encoder: RowEncoder | None = None
    cover: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return int(self.value.shape[1])

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What methods keep for their next call. It is not copied with the trees."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: entry for name, entry in self.__dict__.items() if name != "memory"}

    def rounded(self, rows: Floats) -> Floats:
        """Rows in the precision in which they are compared with thresholds."""
        if not self.single_precision:
            return rows
        with np.errstate(over="ignore"):  # too large numbers become infinite, as in the libraries
            return rows.astype(np.float32).astype(np.float64)

    def goes_left(self, node: Places, feature_values: Floats) -> NDArray[np.bool_]:
        """Whether rows go to the left child, by their numbers in the columns that the nodes compare.

        All comparisons of all libraries are here. The numbers are those of `rounded` rows.
        """
        goes_left = feature_values <= self.threshold[node]
        if len(self.members):
            by_category = np.flatnonzero(self.choice[node] >= 0)
            goes_left[by_category] = self._has_category(self.choice[node[by_category]], feature_values[by_category])
        missing = np.isnan(feature_values)
        if missing.any():
            goes_left[missing] = (self.default[node] == self.left[node])[missing]
        return np.asarray(goes_left)

    def child(self, node: Places, feature_values: Floats) -> Places:
        """The next node of rows, by their numbers in the columns that the current nodes compare."""
        return np.where(self.goes_left(node, feature_values), self.left[node], self.right[node])

    def _has_category(self, choice: Places, feature_values: Floats) -> NDArray[np.bool_]:
        """Whether categories, as numbers, are among those of a choice. Unknown categories are not."""
        code = np.where(np.isfinite(feature_values), feature_values, -1.0).astype(np.intp)
        in_range = (code >= 0) & (code < self.members.shape[1])
        return np.asarray(in_range & self.members[choice, np.where(in_range, code, 0)])

    def decide(self, nodes: Places, columns: Floats) -> NDArray[np.bool_]:
        """Whether rows go to the left child of some nodes, `(nodes, rows)`.

        Parameters
        ----------
        columns : `(columns, rows)`, the numbers of `rounded` rows.
        """
        feature, threshold = self.feature[nodes], self.threshold[nodes]
        goes_left: NDArray[np.bool_] = np.empty((len(nodes), columns.shape[1]), bool)
        if columns.shape[1] < _LONG_COLUMN:
            np.less_equal(columns[feature], threshold[:, None], out=goes_left)
        else:
            for number, (column, limit) in enumerate(zip(feature.tolist(), threshold.tolist(), strict=True)):
                np.less_equal(columns[column], limit, out=goes_left[number])
        if len(self.members):
            for number in np.flatnonzero(self.choice[nodes] >= 0).tolist():
                goes_left[number] = self._has_category(self.choice[nodes[number]], columns[feature[number]])
        missing = np.isnan(columns)
        has_missing = np.asarray(missing.any(axis=1))
        is_left = self.default[nodes] == self.left[nodes]
        for number in np.flatnonzero(has_missing[feature] & is_left).tolist():
            goes_left[number, missing[feature[number]]] = True
        return goes_left

    def predict(self, rows: Floats) -> Floats:
        """The outputs of the trees for rows, `(n, outputs)`."""
        rows, outputs = self.rounded(rows), np.zeros((len(rows), self.value.shape[1]))
        step = max(1, _PAIRS_PER_STEP // len(self.roots))
        for start in range(0, len(rows), step):
            batch = rows[start : start + step]
            node = np.tile(self.roots, len(batch))
            row = np.repeat(np.arange(len(batch)), len(self.roots))
            moving = np.flatnonzero(self.left[node] >= 0)
            while len(moving):
                current = node[moving]
                node[moving] = self.child(current, batch[row[moving], self.feature[current]])
                moving = moving[self.left[node[moving]] >= 0]
            outputs[start : start + step] = self.value[node].reshape(len(batch), len(self.roots), -1).sum(axis=1)
        return outputs


class TreeGame(StructureGame):
    """Games of trees, one for each row."""

    @property
    def trees(self) -> Trees:
        """The ensemble; constants that it adds to all outputs are left out."""
        assert isinstance(self.structure, Trees)
        return self.structure

    @property
    def weighted_trees(self) -> Trees:
        """The trees with a value in place of each output."""
        return replace(self.trees, value=self.trees.value @ self.weights.T)
