"""The trees of LightGBM, from the text in which it stores a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.row_encoding import RowEncoder, chain_encoders
from ..core.tree_ensembles import Trees
from .row_encoders import CategoryCodes, ZerosAsMissing
from .tree_arrays import TreeNodes, category_table, join_trees, unreadable

_ZERO = float(np.float32(1e-35))  # numbers up to this size are stored as 0
_CATEGORY, _DEFAULT_LEFT = 1, 2  # bits of the type of a decision; the next two bits say which numbers are missing
_NONE_MISSING, _ZEROS_MISSING, _NAN_MISSING = range(3)


def booster_of(estimator: Any) -> Any:
    """The `Booster` of an estimator, or the `Booster` itself."""
    return estimator if type(estimator).__name__ == "Booster" else estimator.booster_


def read_lightgbm(estimator: Any) -> Trees:
    """The trees of LightGBM up to its best iteration: of boosting, dropout (dart) and random forests (rf)."""
    booster = booster_of(estimator)
    head, *blocks = booster.model_to_string().split("\nTree=")
    header, trees = _fields(head), [_fields(block) for block in blocks]
    outputs, columns = int(header["num_tree_per_iteration"]), int(header["max_feature_idx"]) + 1
    if any(tree.get("is_linear", "0") != "0" for tree in trees):
        raise unreadable(estimator, "linear models in its leaves")
    ensemble = _Ensemble(estimator, trees, columns)
    share = len(trees) // outputs if "average_output" in head.splitlines() else 1
    categories = tuple(map(tuple, booster.pandas_categorical or ()))
    codes: RowEncoder | None = CategoryCodes(columns, categories) if categories else None
    zeros = ZerosAsMissing(columns, ensemble.zero_columns, _ZERO) if len(ensemble.zero_columns) else None
    return join_trees(
        ensemble.nodes(share),
        np.arange(len(trees)) % outputs,
        outputs,
        ensemble.members,
        encoder=chain_encoders(codes, zeros),
    )


def _fields(block: str) -> dict[str, str]:
    """The lines `name=numbers` of a part of a model; the last tree ends with its shrinkage."""
    pairs = (line.partition("=") for line in block.split("\nend of trees", 1)[0].splitlines())
    return {name: text for name, equals, text in pairs if equals}


class _Ensemble:
    """All trees of a model, whose numbers are converted together because there are many trees."""

    def __init__(self, estimator: Any, trees: Sequence[dict[str, str]], columns: int) -> None:
        self.leaves = np.array([int(tree["num_leaves"]) for tree in trees])
        self.estimator, self.trees, self.columns = estimator, trees, columns
        splits = np.cumsum(self.leaves - 1)[:-1]
        self.decision = self._numbers("decision_type", np.int64)
        self.feature = self._numbers("split_feature", np.intp)
        self.threshold = self._numbers("threshold", np.float64)
        if not len(self.decision) == len(self.feature) == len(self.threshold) == self.leaves.sum() - len(trees):
            raise ValueError("a split is incomplete")
        missing = self.decision >> 2
        if (missing > _NAN_MISSING).any():
            raise unreadable(estimator, f"an unknown kind of node (decision_type={self.decision.max()})")
        is_category = (self.decision & _CATEGORY).astype(bool)
        self.choice = np.where(is_category, self._choice_offsets() + self.threshold, -1).astype(np.intp)
        self.members = self._category_sets()
        self._adjust_for_zeros(is_category, missing)
        self.split_parts = [np.split(array, splits) for array in (self.feature, self.threshold, self.choice)]
        self.default_parts = np.split(self.default_left, splits)

    def _numbers(self, name: str, kind: Any) -> NDArray[Any]:
        """The numbers of all trees under one name."""
        return np.array(" ".join(tree.get(name, "") for tree in self.trees).split(), kind)

    def _choice_offsets(self) -> NDArray[np.intp]:
        """For each split, the number of sets of categories in all trees before its own one."""
        counts = np.array([int(tree["num_cat"]) for tree in self.trees])
        return np.repeat(np.cumsum(counts) - counts, self.leaves - 1)

    def _category_sets(self) -> NDArray[np.bool_]:
        bounds = [np.array(tree["cat_boundaries"].split(), np.intp) for tree in self.trees if int(tree["num_cat"])]
        if not bounds:
            return np.zeros((0, 0), bool)
        return category_table(self._numbers("cat_threshold", np.uint32), np.concatenate([np.diff(b) for b in bounds]))

    def _adjust_for_zeros(self, is_category: NDArray[np.bool_], missing: NDArray[np.int64]) -> None:
        """Compare as LightGBM does, which takes tiny numbers for 0, and NaN too if none were missing in training."""
        below_zero = (self.threshold < 0) & (self.threshold >= -_ZERO)
        threshold = np.where(below_zero, np.nextafter(-_ZERO, -np.inf), self.threshold)
        threshold = np.where((threshold >= 0) & (threshold < _ZERO), _ZERO, threshold)
        self.threshold = np.where(is_category, 0.0, threshold)
        default_left = np.where(missing == _NONE_MISSING, self.threshold >= 0, (self.decision & _DEFAULT_LEFT) > 0)
        self.default_left = default_left & ~is_category
        is_zero_split = (missing == _ZEROS_MISSING) & ~is_category
        self.zero_columns = np.unique(self.feature[is_zero_split])
        marked = self.columns + np.searchsorted(self.zero_columns, self.feature)
        self.feature = np.where(is_zero_split, marked, self.feature)

    def nodes(self, share: int) -> list[TreeNodes]:
        """The nodes of each tree: first its splits, then its leaves."""
        values = self._numbers("leaf_value", np.float64) / share
        leaf_counts, inner_counts = self._numbers("leaf_count", np.float64), self._numbers("internal_count", float)
        has_counts = len(leaf_counts) + len(inner_counts) == 2 * self.leaves.sum() - len(self.trees)
        result, start = [], 0
        for number, count in enumerate(self.leaves.tolist()):
            tree, inner, end = self.trees[number], start - number, start + count
            left, right = (_children(tree.get(name, ""), count) for name in ("left_child", "right_child"))
            feature, threshold, choice = (_padded(parts[number], count) for parts in self.split_parts)
            cover = (
                np.concatenate([inner_counts[inner : inner + count - 1], leaf_counts[start:end]])
                if has_counts
                else np.ones(2 * count - 1)
            )
            value = np.concatenate([np.zeros(count - 1), values[start:end]])
            default_left = _padded(self.default_parts[number], count)
            result.append(TreeNodes(left, right, default_left, feature, threshold, value, cover, choice))
            start = end
        return result


def _children(text: str, leaves: int) -> NDArray[np.intp]:
    """The children of each node. In LightGBM a leaf has a negative number, and -1 is the first one."""
    child = np.array(text.split(), np.intp)
    return np.concatenate([np.where(child < 0, leaves - 1 + ~child, child), np.full(leaves, -1)])


def _padded(splits: NDArray[Any], leaves: int) -> NDArray[Any]:
    """The numbers of splits, followed by those of leaves, which have none."""
    return np.concatenate([splits, np.full(leaves, -1 if splits.dtype == np.intp else 0, splits.dtype)])
