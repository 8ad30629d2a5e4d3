"""The trees of CatBoost, from the JSON in which it stores a model."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.row_encoding import RowEncoder
from ..core.tree_ensembles import Floats, Trees
from ..maskers.input_lists import is_frame, is_pandas
from .tree_arrays import TreeNodes, join_trees, unreadable

_Node = dict[str, Any]
_KINDS = {  # why splits of a kind cannot be read
    "OnlineCtr": "ordered target statistics of categories, which combine columns (they are not "
    "used if one_hot_max_size is at least the number of categories of every column)",
    "EstimatedFeature": "splits by texts or embeddings",
}


def read_catboost(estimator: Any) -> Trees:
    """The trees of CatBoost, symmetric or not, with splits by numbers and by single categories."""
    model = _stored_model(estimator)
    scale, bias = model["scale_and_bias"]
    outputs = max(1, len(bias))
    reader = _Reader(estimator, model, outputs, float(scale))
    if "oblivious_trees" in model:
        trees = [reader.symmetric_tree(tree) for tree in model["oblivious_trees"]]
    else:
        trees = [reader.tree(root) for root in model["trees"]]
    members = np.eye(max(reader.code_counts, default=0), dtype=bool)
    encoder = reader.category_encoder()
    return join_trees(trees, outputs=outputs, members=members, single_precision=True, encoder=encoder)


def _stored_model(estimator: Any) -> _Node:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        estimator.save_model(str(path), format="json")
        model: _Node = json.loads(path.read_text(encoding="utf-8"))
    return model


class _Reader:
    """Reads the trees of one model."""

    def __init__(self, estimator: Any, model: _Node, outputs: int, scale: float) -> None:
        self.estimator, self.outputs, self.scale = estimator, outputs, scale
        information = model["features_info"]
        numbers, categories = (information.get(name, []) for name in ("float_features", "categorical_features"))
        self.number_columns = [info["flat_feature_index"] for info in numbers]
        self.nan_goes_left = [info["nan_value_treatment"] != "AsTrue" for info in numbers]
        self.category_columns = [info["flat_feature_index"] for info in categories]
        self.hashes: list[list[int]] = [list(info.get("values", ())) for info in categories]
        self.questions: dict[tuple[int, int], tuple[int, int]] = {}  # a split by category: a tree, a bit of its leaves
        self.columns = 1 + max([*self.number_columns, *self.category_columns], default=-1)
        self.trees = 0

    @property
    def code_counts(self) -> list[int]:
        """The number of categories that each categorical column is compared with."""
        return [len(hashes) for hashes in self.hashes]

    def split(self, node: _Node) -> tuple[int, float, int, bool]:
        """The column, the threshold, the category and the child of NaN. Rows that fulfil a category go left."""
        kind = node["split_type"]
        if kind == "FloatFeature":
            feature = node["float_feature_index"]
            return self.number_columns[feature], float(np.float32(node["border"])), -1, self.nan_goes_left[feature]
        if kind == "OneHotFeature":
            feature = node["cat_feature_index"]
            return self.category_columns[feature], 0.0, self.hashes[feature].index(node["value"]), False
        raise unreadable(self.estimator, _KINDS.get(kind, f"an unknown kind of node (split_type={kind!r})"))

    def symmetric_tree(self, tree: _Node) -> TreeNodes:
        """A tree with the same split in all nodes of a level. Leaves are numbered by the bits of the splits."""
        depth, inner = len(tree["splits"]), 2 ** len(tree["splits"]) - 1
        for bit, node in enumerate(tree["splits"]):
            if node["split_type"] == "OneHotFeature":
                self.questions.setdefault((node["cat_feature_index"], node["value"]), (self.trees, bit))
        self.trees += 1
        splits = [self.split(node) for node in tree["splits"][::-1]]  # the last one is the highest bit
        feature, threshold, choice, default_left = (
            np.array([splits[level][field] for level in range(depth) for _ in range(2**level)] + [0] * 2**depth)
            for field in range(4)
        )
        lower = 2 * np.arange(inner) + 1  # the child whose bit is 0
        is_category = choice[:inner] >= 0
        leaf_weights = np.array(tree.get("leaf_weights") or np.zeros(2**depth), np.float64)
        cover = np.concatenate([leaf_weights.reshape(2**level, -1).sum(axis=1) for level in range(depth + 1)])
        leaves = np.reshape(tree["leaf_values"], (2**depth, self.outputs)) * self.scale
        end = np.full(2**depth, -1)
        choice[inner:] = -1
        return TreeNodes(
            left=np.concatenate([np.where(is_category, lower + 1, lower), end]),
            right=np.concatenate([np.where(is_category, lower, lower + 1), end]),
            default_left=default_left,
            feature=feature,
            threshold=threshold,
            value=np.concatenate([np.zeros((inner, self.outputs)), leaves]),
            cover=cover,
            choice=choice,
        )

    def tree(self, root: _Node) -> TreeNodes:
        """A tree with a split in each node. Trees may be deep, so that there is no recursion."""
        nodes: list[_Node] = []
        children: list[tuple[int, int]] = []
        stack: list[tuple[_Node, int, int]] = [(root, -1, 0)]
        while stack:
            node, parent, side = stack.pop()
            number = len(nodes)
            nodes.append(node)
            children.append((-1, -1))
            if parent >= 0:
                pair = children[parent]
                children[parent] = (number, pair[1]) if side == 0 else (pair[0], number)
            if "split" in node:
                is_category = node["split"]["split_type"] == "OneHotFeature"
                stack += [(node["left"], number, int(is_category)), (node["right"], number, int(not is_category))]
        splits = [self.split(node["split"]) if "split" in node else (0, 0.0, -1, False) for node in nodes]
        feature, threshold, choice, default_left = (np.array(column) for column in zip(*splits, strict=True))
        left, right = np.array(children, np.intp).T
        leaf_values = [np.ravel(node["value"]) if "split" not in node else np.zeros(self.outputs) for node in nodes]
        return TreeNodes(
            left, right, default_left, feature, threshold,
            np.array(leaf_values) * self.scale, _summed_cover(nodes, left, right), choice,
        )  # fmt: skip

    def category_encoder(self) -> RowEncoder | None:
        """What turns rows into numbers; None if there are no columns of categories."""
        used = {number: codes for number, codes in enumerate(self.hashes) if codes}
        if not self.category_columns:
            return None
        if used and not self.questions:
            raise unreadable(self.estimator, "splits by category in trees that are not symmetric")
        questions: dict[int, list[tuple[int, int] | None]] = {
            self.category_columns[feature]: [self.questions.get((feature, code)) for code in codes]
            for feature, codes in used.items()
        }
        return CatBoostRows(self.estimator, self.columns, self.category_columns, questions)


def _summed_cover(nodes: Sequence[_Node], left: Any, right: Any) -> Floats:
    """The weight of the training rows of each node, from those of the leaves. Children come after their parents."""
    cover = np.array([float(node.get("weight", 0.0)) for node in nodes])
    for number in range(len(nodes) - 1, -1, -1):
        if left[number] >= 0:
            cover[number] = cover[left[number]] + cover[right[number]]
    return cover


class CatBoostRows(RowEncoder):
    """Rows with columns of categories, as the position of each category among those that the trees compare with.

    CatBoost stores only hashes of categories. Which of them a category has is seen in the number of the leaf that
    CatBoost itself finds for a row with this category: every bit of it is the answer of one split.

    Parameters
    ----------
    model : the fitted model.
    columns : the number of columns.
    category_columns : those that hold categories.
    questions : for each of these columns a tree and a bit for each category that the trees compare with.
    """

    def __init__(
        self,
        model: Any,
        columns: int,
        category_columns: Sequence[int],
        questions: dict[int, list[tuple[int, int] | None]],
    ) -> None:
        self.model, self.category_columns, self.questions = model, list(category_columns), questions
        self.sources = np.arange(columns)

    def encode(self, rows: Any) -> Floats:
        """The numbers of rows."""
        table = rows.to_numpy(object) if is_pandas(rows) else np.asarray(rows.to_numpy() if is_frame(rows) else rows)
        numbers = np.empty(table.shape)
        for column in range(table.shape[1]):
            if column in self.category_columns:
                numbers[:, column] = self._codes(rows, table[:, column], column)
            else:
                numbers[:, column] = table[:, column].astype(np.float64)
        return numbers

    def _codes(self, rows: Any, cells: Any, column: int) -> Floats:
        """The position of the category of each row, -1 for categories that no split compares with."""
        _, first, place = np.unique(cells.astype(str), return_index=True, return_inverse=True)
        examples = rows.iloc[first] if is_pandas(rows) else rows[first]
        codes = np.full(len(first), -1.0)
        if self.questions.get(column):
            leaves = np.asarray(self.model.calc_leaf_indexes(examples))
            for code, question in self._asked(column):
                codes[(leaves[:, question[0]] >> question[1]) & 1 == 1] = code
        return codes[place.ravel()]

    def _asked(self, column: int) -> Iterator[tuple[int, tuple[int, int]]]:
        for code, question in enumerate(self.questions[column]):
            if question is not None:
                yield code, question
