"""The nodes of single trees, as the libraries store them, joined to the arrays of one ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.tree_ensembles import Floats, Places, Trees
from ..errors import MethodError


@dataclass(frozen=True, eq=False)
class TreeNodes:
    """The nodes of one tree. Node 0 is the root, and children are numbered within the tree.

    Attributes
    ----------
    left, right : the children of each node; -1 at leaves.
    default_left : whether rows go left whose column is NaN.
    feature, threshold : what each node compares; a row goes left if its number is at most the threshold.
    value : `(nodes,)` or `(nodes, outputs)`, what the leaves add.
    cover : the weight of the training rows of each node.
    choice : the place in a list of sets of categories, -1 for nodes that compare numbers; None if all of them do.
    """

    left: NDArray[Any]
    right: NDArray[Any]
    default_left: NDArray[Any]
    feature: NDArray[Any]
    threshold: NDArray[Any]
    value: NDArray[Any]
    cover: NDArray[Any]
    choice: NDArray[Any] | None = None


def join_trees(
    trees: Sequence[TreeNodes],
    output_of_tree: NDArray[Any] | None = None,
    outputs: int = 1,
    members: NDArray[np.bool_] | None = None,
    **attributes: Any,
) -> Trees:
    """One ensemble of several trees.

    Parameters
    ----------
    output_of_tree : the output that each tree adds to, if its leaves have one number each; None for the first one.
    outputs : the number of outputs.
    members : `(choices, categories)`, the categories with which a row goes left.
    attributes : further attributes of `Trees`.

    Examples
    --------
    >>> stump = TreeNodes(np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([1, 0, 0]), np.array([0, 0, 0]),
    ...     np.array([0.5, 0, 0]), np.array([0.0, 3.0, 5.0]), np.array([10, 4, 6]))
    >>> join_trees([stump, stump], np.array([0, 1]), outputs=2).predict(np.array([[0.0], [1.0]]))
    array([[3., 3.],
           [5., 5.]])
    """
    sizes = np.array([len(tree.left) for tree in trees], np.intp)
    roots = np.cumsum(sizes) - sizes
    first = np.repeat(roots, sizes)

    def joined(name: str, kind: Any) -> NDArray[Any]:
        return np.concatenate([np.asarray(getattr(tree, name), kind) for tree in trees])

    left, right = (joined(name, np.intp) for name in ("left", "right"))
    is_leaf = left < 0
    left, right = (np.where(is_leaf, -1, child + first) for child in (left, right))
    value = joined("value", np.float64)
    if value.ndim == 1:
        numbers = np.zeros(len(trees), np.intp) if output_of_tree is None else output_of_tree
        value = place_in_outputs(value, np.repeat(numbers, sizes), outputs)
    has_choices = members is not None and len(members) > 0
    if has_choices:
        attributes["choice"] = np.concatenate(
            [np.full(len(tree.left), -1) if tree.choice is None else tree.choice for tree in trees]
        ).astype(np.intp)
        attributes["members"] = members
    return checked_structure(
        Trees(
            roots=roots,
            left=left,
            right=right,
            default=np.where(joined("default_left", bool), left, right),
            feature=np.where(is_leaf, 0, joined("feature", np.intp)),
            threshold=np.where(is_leaf, 0.0, joined("threshold", np.float64)),
            value=np.where(is_leaf[:, None], value, 0.0),
            cover=joined("cover", np.float64),
            **attributes,
        )
    )


def place_in_outputs(value: Floats, output: Places, outputs: int) -> Floats:
    """Numbers `(nodes,)` in the column of their output, `(nodes, outputs)`, and zeros in all others."""
    if outputs == 1:
        return value[:, None]
    table = np.zeros((len(value), outputs))
    table[np.arange(len(value)), output] = value
    return table


def checked_structure(trees: Trees) -> Trees:
    """The same trees; `ValueError` unless every walk from a root ends at a leaf that has a number."""
    nodes, inner = len(trees.left), trees.left >= 0
    children = np.concatenate([trees.left[inner], trees.right[inner]])
    if len(children) and not 0 <= children.min() <= children.max() < nodes:
        raise ValueError("a child of a node is missing")
    parents = np.bincount(children, minlength=nodes)
    if (parents > 1).any() or parents[trees.roots].any():
        raise ValueError("a node has two parents")
    if np.isnan(trees.threshold).any() or not np.isfinite(trees.value).all() or (trees.feature < 0).any():
        raise ValueError("a threshold, a leaf or the number of a column is not a number")
    return trees


def category_table(words: NDArray[np.uint32], sizes: NDArray[Any]) -> NDArray[np.bool_]:
    """Sets of categories `(sets, categories)` from bits in words of 32, which are stored one set after the other.

    >>> category_table(np.array([5, 0, 1], np.uint32), np.array([1, 2]))[:, :4]
    array([[ True, False,  True, False],
           [False, False, False, False]])
    """
    table = np.zeros((len(sizes), int(np.max(sizes, initial=0))), "<u4")
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    table[numbers, np.arange(len(words)) - np.repeat(np.cumsum(sizes) - sizes, sizes)] = words
    bits = np.unpackbits(table.view(np.uint8), axis=1, bitorder="little").astype(bool)
    return bits[:, : 1 + np.max(np.flatnonzero(bits.any(axis=0)), initial=-1)]


def unreadable(estimator: Any, reason: str) -> MethodError:
    """The error for an ensemble that has something that cannot be read."""
    return MethodError(
        f"Expected trees that can be read, got {type(estimator).__name__} with {reason}. Choose another method, such "
        "as GraphKernelSHAP."
    )
