"""Exact Shapley values and pair interactions of sums of trees, with rows as background, from the leaves.

A row x is explained against a background row z. On the way to a leaf, each feature at whose splits x and z part is
needed present (A: x goes there, z does not) or absent (B). So a leaf is a game that is worth its value where all of A
is there and none of B, and with a = |A| and b = |B|, by integrals over the multilinear extension,

    phi_i  = value B(a, b+1) for i in A,  -value B(a+1, b) for i in B,
    I_ij   = value B(a-1, b+1) in A,  -value B(a, b) across,  value B(a+1, b-1) in B,

where B is the beta function. This is interventional TreeSHAP, written down without looking at anybody's code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np

from ..game import Values
from ..truth import Truth


@dataclass(frozen=True)
class Node:
    """A split (`x[feature] <= threshold` goes left, `<` where `strict`) or, with feature -1, a leaf."""

    feature: int
    threshold: float = 0.0
    left: Node | None = None
    right: Node | None = None
    value: float = 0.0
    strict: bool = False

    def goes_left(self, x: Values) -> bool:
        """Where a row goes."""
        at = x[self.feature]
        return bool(at < self.threshold) if self.strict else bool(at <= self.threshold)


def beta(a: int, b: int) -> float:
    """The beta function of integers."""
    return factorial(a - 1) * factorial(b - 1) / factorial(a + b - 1)


def leaves(node: Node, x: Values, z: Values, a: frozenset[int], b: frozenset[int]) -> Iterator[tuple[Any, Any, float]]:
    """The leaves that some mixture of x and z reaches, with the features needed present and absent."""
    if node.feature < 0:
        yield a, b, node.value
        return
    i, here, there = node.feature, node.goes_left(x), node.goes_left(z)
    for left, child in ((True, node.left), (False, node.right)):
        assert child is not None
        if here == left and there == left:
            yield from leaves(child, x, z, a, b)
        elif here == left and i not in b:
            yield from leaves(child, x, z, a | {i}, b)
        elif there == left and i not in a:
            yield from leaves(child, x, z, a, b | {i})


def tree_truth(trees: list[Node], x: Values, background: Values) -> Truth:
    """Shapley values and interactions of the sum of the trees, averaged over the background rows."""
    d = len(x)
    scores, pairs = np.zeros(d), np.zeros((d, d))
    for z in background:
        for tree in trees:
            for present, absent, value in leaves(tree, x, z, frozenset(), frozenset()):
                a, b = len(present), len(absent)
                for i in present:
                    scores[i] += value * beta(a, b + 1)
                for i in absent:
                    scores[i] -= value * beta(a + 1, b)
                for i, j in combinations(sorted(present | absent), 2):
                    inside = (i in present) + (j in present)
                    size = {2: (a - 1, b + 1), 1: (a, b), 0: (a + 1, b - 1)}[inside]
                    pairs[i, j] += (-value if inside == 1 else value) * beta(*size)
    n = len(background)
    return Truth(scores / n, np.zeros(d), pairs[np.triu_indices(d, 1)] / n)


def from_sklearn(tree: Any, scale: float = 1.0, column: int | None = None) -> Node:
    """A fitted tree of scikit-learn; `column` picks a class of a classifier, whose values are probabilities.

    scikit-learn compares rows of float32 with thresholds of float64: rows must be float32 numbers.
    """
    t = tree.tree_

    def make(k: int) -> Node:
        if t.children_left[k] < 0:
            value = t.value[k][0]
            return Node(-1, value=scale * float(value[0] if column is None else value[column] / value.sum()))
        low, high = make(t.children_left[k]), make(t.children_right[k])
        return Node(int(t.feature[k]), float(t.threshold[k]), low, high)

    return make(0)


def from_lightgbm(booster: Any) -> list[Node]:
    """The trees of a LightGBM booster, whose sum is the raw score."""

    def make(k: dict[str, Any]) -> Node:
        if "leaf_value" in k:
            return Node(-1, value=k["leaf_value"])
        return Node(k["split_feature"], k["threshold"], make(k["left_child"]), make(k["right_child"]))

    return [make(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]


def from_xgboost(booster: Any) -> list[Node]:
    """The trees of an XGBoost booster, whose sum is the margin up to a constant; it compares float32 numbers."""
    import json

    def make(k: dict[str, Any]) -> Node:
        if "leaf" in k:
            return Node(-1, value=k["leaf"])
        below = {child["nodeid"]: child for child in k["children"]}
        where = float(np.float32(k["split_condition"]))
        return Node(int(k["split"][1:]), where, make(below[k["yes"]]), make(below[k["no"]]), strict=True)

    return [make(json.loads(tree)) for tree in booster.get_dump(dump_format="json")]
