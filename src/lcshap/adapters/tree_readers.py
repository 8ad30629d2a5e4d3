"""Trees that shap does not read, or misreads: LightGBM, and several classes of scikit-learn and CatBoost."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.row_encoding import RowEncoder
from ..core.tree_ensembles import Trees
from .row_encoders import CategoryCodes

_Node = dict[str, Any]


class _Builder:
    """Collects the nodes of trees one by one."""

    def __init__(self, outputs: int) -> None:
        self.outputs = outputs
        self.roots: list[int] = []
        self.nodes: list[tuple[int, int, int, int, float, int]] = []  # left, right, default, feature, threshold, choice
        self.values: list[NDArray[np.float64]] = []
        self.choices: list[list[int]] = []

    def add_leaf(self, value: NDArray[np.float64]) -> int:
        """Add a leaf; return its number."""
        return self._add((-1, -1, -1, 0, 0.0, -1), value)

    def add_split(self) -> int:
        """Add a node whose children are not known yet; return its number."""
        return self._add((-1, -1, -1, 0, 0.0, -1), np.zeros(self.outputs))

    def single_output(self, output: int, value: float) -> NDArray[np.float64]:
        """Return an array with a number for one output and 0 for all others."""
        return np.where(np.arange(self.outputs) == output, value, 0.0)

    def _add(self, node: tuple[int, int, int, int, float, int], value: NDArray[np.float64]) -> int:
        self.nodes.append(node)
        self.values.append(value)
        return len(self.nodes) - 1

    def build(self, encoder: RowEncoder | None = None) -> Trees:
        """Return all trees."""
        left, right, default, feature, threshold, choice = zip(*self.nodes, strict=True)
        width = max((max(codes, default=0) + 1 for codes in self.choices), default=0)
        members = np.zeros((len(self.choices), width), bool)
        for row, codes in enumerate(self.choices):
            members[row, codes] = True
        return Trees(
            roots=np.array(self.roots, np.intp),
            left=np.array(left, np.intp),
            right=np.array(right, np.intp),
            default=np.array(default, np.intp),
            feature=np.array(feature, np.intp),
            threshold=np.array(threshold, np.float64),
            value=np.array(self.values, np.float64),
            choice=np.array(choice, np.intp),
            members=members,
            encoder=encoder,
        )


# -- LightGBM ------------------------------------------------------------------------------------------------------


def lightgbm_nodes(estimator: Any) -> Iterator[_Node]:
    """All nodes of all trees, in the format of LightGBM."""
    stack = [tree["tree_structure"] for tree in estimator.booster_.dump_model()["tree_info"]]
    while stack:
        node = stack.pop()
        yield node
        stack += [node[side] for side in ("left_child", "right_child") if side in node]


def read_lightgbm(estimator: Any) -> Trees:
    """The trees of LightGBM, including splits by category."""
    model = estimator.booster_.dump_model()
    outputs = int(model["num_tree_per_iteration"])
    share = len(model["tree_info"]) // outputs if model.get("average_output") else 1
    builder = _Builder(outputs)
    for number, tree in enumerate(model["tree_info"]):
        builder.roots.append(_add_lightgbm(builder, tree["tree_structure"], number % outputs, share))
    categories = tuple(map(tuple, model.get("pandas_categorical") or ()))
    return builder.build(CategoryCodes(int(model["max_feature_idx"]) + 1, categories) if categories else None)


def _add_lightgbm(builder: _Builder, root_node: _Node, output: int, share: int) -> int:
    """Add a tree, without recursion, because a tree of LightGBM may be hundreds of nodes deep."""
    root, stack = -1, [(root_node, -1, 0)]  # each node with its parent, and whether it is the left or the right child
    while stack:
        node, parent, side = stack.pop()
        if "left_child" not in node:
            number = builder.add_leaf(builder.single_output(output, node["leaf_value"] / share))
        else:
            number = builder.add_split()
            builder.nodes[number] = _read_split(builder, node)
            stack += [(node["left_child"], number, 0), (node["right_child"], number, 1)]
        if parent < 0:
            root = number
        else:
            _attach_child(builder, parent, side, number)
    return root


def _read_split(builder: _Builder, node: _Node) -> tuple[int, int, int, int, float, int]:
    """Read the split of a node. Until its children have numbers, the default is -1 for left and -2 for right."""
    if node["decision_type"] == "==":  # LightGBM sends a missing category to the right
        builder.choices.append([int(code) for code in str(node["threshold"]).split("||")])
        return -1, -1, -2, node["split_feature"], 0.0, len(builder.choices) - 1
    goes_left = node["default_left"] if node["missing_type"] == "NaN" else node["threshold"] >= 0  # NaN counts as 0
    return -1, -1, -1 if goes_left else -2, node["split_feature"], node["threshold"], -1


def _attach_child(builder: _Builder, parent: int, side: int, child: int) -> None:
    left, right, default, *split = builder.nodes[parent]
    left, right = (child, right) if side == 0 else (left, child)
    default = child if default == -1 - side else default
    builder.nodes[parent] = (left, right, default, *split)  # type: ignore[assignment]


# -- several classes -----------------------------------------------------------------------------------------------


def read_boosting(estimator: Any) -> Trees:
    """The trees of scikit-learn's GradientBoosting, one for each class and round."""
    stages = estimator.estimators_
    builder = _Builder(stages.shape[1])
    for stage in stages:
        for output, regressor in enumerate(stage):
            tree, first = regressor.tree_, len(builder.nodes)
            builder.roots.append(first)
            for node in range(tree.node_count):
                leaf = tree.children_left[node] < 0
                value = float(tree.value[node].item()) * estimator.learning_rate if leaf else 0.0
                number = builder.add_leaf(builder.single_output(output, value))
                if not leaf:
                    left, right = first + int(tree.children_left[node]), first + int(tree.children_right[node])
                    builder.nodes[number] = (left, right, left, int(tree.feature[node]), tree.threshold[node], -1)
    return builder.build()


def read_catboost(estimator: Any) -> Trees:
    """The symmetric trees of CatBoost: all nodes of a level have one split, and leaves have a number for each class."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        estimator.save_model(str(path), format="json")
        model = json.loads(path.read_text(encoding="utf-8"))
    columns = [info["flat_feature_index"] for info in model["features_info"]["float_features"]]
    nan_goes_right = [info["nan_value_treatment"] == "AsTrue" for info in model["features_info"]["float_features"]]
    scale, bias = model["scale_and_bias"]
    builder = _Builder(len(bias))
    for tree in model["oblivious_trees"]:
        splits: Sequence[_Node] = tree["splits"][::-1]  # the last one is the highest bit of a leaf's number
        first, depth = len(builder.nodes), len(tree["splits"])
        builder.roots.append(first)
        for node in range(2**depth - 1):
            split = splits[(node + 1).bit_length() - 1]
            number = builder.add_split()
            left, right = first + 2 * node + 1, first + 2 * node + 2
            feature = split["float_feature_index"]
            border = float(np.float32(split["border"]))
            builder.nodes[number] = (
                left,
                right,
                right if nan_goes_right[feature] else left,
                columns[feature],
                border,
                -1,
            )
        for value in np.reshape(tree["leaf_values"], (2**depth, len(bias))):
            builder.add_leaf(scale * value)
    return builder.build()


def dart_weights(estimator: Any) -> NDArray[np.float64] | None:
    """The factor of each tree that XGBoost has grown with dropout (DART); None without dropout."""
    booster = estimator.get_booster()
    if estimator.get_params().get("booster") != "dart":
        return None
    raw = json.loads(bytes(booster.save_raw("json")))
    return np.array(raw["learner"]["gradient_booster"]["weight_drop"], np.float64)
