"""The trees of XGBoost, from the JSON in which it stores a model."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.tree_ensembles import Trees
from .row_encoders import XGBoostRows
from .tree_arrays import TreeNodes, join_trees, unreadable

_NUMBER, _CATEGORY = 0, 1  # the types of splits
_Tree = dict[str, Any]


def booster_of(estimator: Any) -> Any:
    """The `Booster` of an estimator, or the `Booster` itself."""
    return estimator if type(estimator).__name__ == "Booster" else estimator.get_booster()


def read_xgboost(estimator: Any) -> Trees:
    """The trees of XGBoost that `predict` uses: boosted (gbtree), with dropout (dart), and random forests."""
    booster = booster_of(estimator)
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    part = learner["gradient_booster"]
    if part["name"] not in ("gbtree", "dart"):
        raise unreadable(estimator, f"booster={part['name']!r}")
    weights = np.array(part.get("weight_drop", ()), np.float64)
    model = part["gbtree"]["model"] if part["name"] == "dart" else part["model"]
    parameters = learner["learner_model_param"]
    trees, used = model["trees"], _used_trees(estimator, model["iteration_indptr"])
    for tree in trees:
        if set(tree["split_type"]) - {_NUMBER, _CATEGORY}:
            raise unreadable(estimator, f"an unknown kind of node (split_type={max(tree['split_type'])})")
    first_choices = np.cumsum([0] + [len(tree["categories_nodes"]) for tree in trees])
    return join_trees(
        [
            _nodes(tree, weights[number] if len(weights) else 1.0, int(first_choices[number]), estimator)
            for number, tree in enumerate(trees[:used])
        ],
        np.array(model["tree_info"][:used], np.intp),
        max(1, int(parameters["num_class"]), int(parameters.get("num_target", 1))),
        _category_sets(trees[:used]),
        single_precision=True,
        rounding=float(np.finfo(np.float32).eps) * math.sqrt(used),
        encoder=_row_encoder(estimator, learner, model, int(parameters["num_feature"])),
    )


def _used_trees(estimator: Any, ends: Sequence[int]) -> int:
    """The number of trees up to the best iteration, which the estimators of XGBoost use, but not its `Booster`."""
    best = getattr(estimator, "best_iteration", None) if hasattr(estimator, "get_booster") else None
    return int(ends[-1] if best is None else ends[best + 1])


def _nodes(tree: _Tree, weight: float, first_choice: int, estimator: Any) -> TreeNodes:
    left, right = (np.array(tree[name], np.intp) for name in ("left_children", "right_children"))
    # Numbers below a threshold go left in XGBoost: these are at most the number before it in single precision.
    condition = np.array(tree["split_conditions"], np.float32)
    default_left = np.array(tree["default_left"], bool)
    is_leaf = left < 0
    value = condition.astype(np.float64) * weight
    if int(tree["tree_param"]["size_leaf_vector"]) > 1:
        if "leaf_weights" not in tree:
            raise unreadable(estimator, "leaves of several outputs in the format of an older version")
        leaf_weights = np.array(tree["leaf_weights"], np.float64).reshape(is_leaf.sum(), -1) * weight
        value = np.zeros((len(left), leaf_weights.shape[1]))
        value[is_leaf] = leaf_weights[right[is_leaf]]  # here the number of the leaf
    choice = np.full(len(left), -1)
    splits = np.array(tree["categories_nodes"], np.intp)
    choice[splits] = first_choice + np.arange(len(splits))
    # Categories of the set, and no others, go right in XGBoost.
    left[splits], right[splits], default_left[splits] = right[splits], left[splits], ~default_left[splits]
    return TreeNodes(
        left=left,
        right=right,
        default_left=default_left,
        feature=np.array(tree["split_indices"], np.intp),
        threshold=np.where(choice < 0, np.nextafter(condition, np.float32(-np.inf)), 0.0),
        value=value,
        cover=np.array(tree["sum_hessian"], np.float64),
        choice=choice,
    )


def _category_sets(trees: Sequence[_Tree]) -> NDArray[np.bool_]:
    """The categories of each split by category, `(splits, categories)`."""
    sizes = np.concatenate([np.array(tree["categories_sizes"], np.intp) for tree in trees])
    categories = np.concatenate([np.array(tree["categories"], np.intp) for tree in trees])
    members = np.zeros((len(sizes), int(categories.max(initial=-1)) + 1), bool)
    members[np.repeat(np.arange(len(sizes)), sizes), categories] = True
    return members


def _row_encoder(estimator: Any, learner: _Tree, model: _Tree, columns: int) -> XGBoostRows:
    missing = getattr(estimator, "missing", None)
    codes = [number for number, kind in enumerate(learner["feature_types"]) if kind == "c"]
    lists = enumerate(model.get("cats", {}).get("enc", ()))
    categories = {number: _category_names(entry) for number, entry in lists if len(entry["values"])}
    return XGBoostRows(columns, np.nan if missing is None else float(missing), categories, codes)


def _category_names(entry: _Tree) -> tuple[Any, ...]:
    """The categories of a column: numbers, or the bytes of texts, which are stored one after the other."""
    if "offsets" not in entry:
        return tuple(entry["values"])
    text, ends = np.array(entry["values"], np.int8).tobytes(), entry["offsets"]
    return tuple(text[start:end] for start, end in pairwise(ends))
