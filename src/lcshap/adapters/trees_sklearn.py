"""The trees, forests, boosted trees and isolation forests of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.tree_ensembles import Floats, Trees
from .column_preprocessing import ColumnSteps
from .tree_arrays import TreeNodes, category_table, join_trees, unreadable

_TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
_EULER_GAMMA = 0.5772156649015329


def read_sklearn(estimator: Any, kind: str) -> Trees:
    """The trees of an estimator of scikit-learn.

    Parameters
    ----------
    kind : the class of scikit-learn that the estimator is, or inherits from.
    """
    return _READERS[kind](estimator)


# -- trees and forests -------------------------------------------------------------------------------------------------


def _read_tree(estimator: Any) -> Trees:
    return _join([_nodes(estimator, _outputs_of_leaves(estimator))])


def _read_forest(estimator: Any) -> Trees:
    """The trees of a forest, whose mean is its output."""
    share = 1.0 / len(estimator.estimators_)
    return _join([_nodes(tree, _outputs_of_leaves(tree) * share) for tree in estimator.estimators_])


def _read_isolation_forest(estimator: Any) -> Trees:
    """The mean length of the path of a row, and of the paths that would follow in the leaf, over all trees."""
    share, trees = 1.0 / len(estimator.estimators_), []
    for tree, columns in zip(estimator.estimators_, estimator.estimators_features_, strict=True):
        nodes = tree.tree_
        lengths = _depths(nodes.children_left, nodes.children_right) + average_path_length(nodes.n_node_samples)
        trees.append(_nodes(tree, lengths * share, np.asarray(columns, np.intp)))
    return _join(trees)


def _outputs_of_leaves(tree: Any) -> Floats:
    """What each leaf predicts, `(nodes, outputs)`: numbers, the probability of each class, or that of each label."""
    value = np.asarray(tree.tree_.value, np.float64)  # (nodes, outputs, classes)
    classes = getattr(tree, "classes_", None)
    if not isinstance(classes, list):
        return value[:, 0] if value.shape[1] == 1 else value[:, :, 0]
    if max(map(len, classes)) > 2:
        raise unreadable(tree, "several outputs of more than two classes")
    is_constant = [len(label) < 2 for label in classes]
    return np.where(is_constant, 0.0, value[:, :, -1])


def _nodes(tree: Any, value: Floats, columns: NDArray[np.intp] | None = None) -> TreeNodes:
    """The nodes of a tree, which has the numbers `columns` of the ensemble, or all of them."""
    if not _is_tree(tree):
        raise unreadable(tree, "members that are no trees of scikit-learn")
    structure = tree.tree_
    unknown = set(structure.__getstate__()["nodes"].dtype.names) - _NODE_FIELDS
    if unknown:
        raise unreadable(tree, f"an unknown kind of node ({', '.join(sorted(unknown))})")
    feature = structure.feature if columns is None else columns[np.maximum(structure.feature, 0)]
    return TreeNodes(
        left=structure.children_left,
        right=structure.children_right,
        default_left=getattr(structure, "missing_go_to_left", np.zeros(structure.node_count, bool)),
        feature=feature,
        threshold=structure.threshold,
        value=value,
        cover=structure.weighted_n_node_samples,
    )


_NODE_FIELDS = {
    "left_child",
    "right_child",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
}


def _is_tree(estimator: Any) -> bool:
    return any(kind.__name__ in _TREES and kind.__module__.startswith("sklearn.") for kind in type(estimator).__mro__)


def _join(trees: Sequence[TreeNodes], **options: Any) -> Trees:
    """Trees of scikit-learn, which rounds rows, but not thresholds, to single precision."""
    if np.ndim(trees[0].value) == 2:
        options["outputs"] = trees[0].value.shape[1]
    return join_trees(trees, single_precision=True, **options)


def _depths(left: NDArray[Any], right: NDArray[Any]) -> Floats:
    """The number of splits above each node."""
    depth, level, nodes = np.zeros(len(left)), 0, np.zeros(1, np.intp)
    while len(nodes):
        depth[nodes] = level
        inner = nodes[left[nodes] >= 0]
        nodes, level = np.concatenate([left[inner], right[inner]]), level + 1
    return depth


def average_path_length(counts: NDArray[Any]) -> Floats:
    """The mean length of an unsuccessful search in binary search trees of so many rows.

    >>> average_path_length(np.array([1, 2, 3])).round(3)
    array([0.   , 1.   , 1.207])
    """
    n = np.maximum(counts, 2).astype(np.float64)
    with np.errstate(divide="ignore"):
        length = 2 * (np.log(n - 1) + _EULER_GAMMA) - 2 * (n - 1) / n
    return np.where(counts <= 1, 0.0, np.where(counts == 2, 1.0, length))


# -- boosting ----------------------------------------------------------------------------------------------------------


def _read_gradient_boosting(estimator: Any) -> Trees:
    initial = type(estimator.init_).__name__
    if initial not in ("DummyClassifier", "DummyRegressor", "str"):  # "zero" is a text
        raise unreadable(estimator, f"init={initial}(...), to whose outputs the trees are added")
    rounds, outputs = estimator.estimators_.shape
    trees = [
        _nodes(tree, np.asarray(tree.tree_.value, np.float64)[:, 0, 0] * estimator.learning_rate)
        for tree in estimator.estimators_.ravel()
    ]
    return _join(trees, output_of_tree=np.tile(np.arange(outputs), rounds), outputs=outputs)


def _read_histogram_boosting(estimator: Any) -> Trees:
    """The trees of HistGradientBoosting, which compare in double precision, and categories by their ordinal codes."""
    predictors = estimator._predictors
    outputs = len(predictors[0])
    trees, words, first = [], [], 0
    for predictor in (tree for trees_of_round in predictors for tree in trees_of_round):
        trees.append(_histogram_nodes(estimator, predictor.nodes, first))
        words.append(np.asarray(predictor.raw_left_cat_bitsets, np.uint32))
        first += len(words[-1])
    bits = np.concatenate(words)
    return join_trees(
        trees,
        np.tile(np.arange(outputs), len(predictors)),
        outputs,
        category_table(bits.ravel(), np.full(len(bits), bits.shape[1])),
        encoder=_category_encoder(estimator),
    )


def _histogram_nodes(estimator: Any, nodes: NDArray[Any], first_choice: int) -> TreeNodes:
    unknown = set(nodes.dtype.names or ()) - _HISTOGRAM_FIELDS
    if unknown:
        raise unreadable(estimator, f"an unknown kind of node ({', '.join(sorted(unknown))})")
    is_leaf = nodes["is_leaf"].astype(bool)
    is_category = nodes["is_categorical"].astype(bool) & ~is_leaf
    return TreeNodes(
        left=np.where(is_leaf, -1, nodes["left"].astype(np.intp)),
        right=np.where(is_leaf, -1, nodes["right"].astype(np.intp)),
        default_left=nodes["missing_go_to_left"],
        feature=nodes["feature_idx"],
        threshold=np.where(is_category, 0.0, nodes["num_threshold"]),
        value=nodes["value"],
        cover=nodes["count"],
        choice=np.where(is_category, first_choice + nodes["bitset_idx"].astype(np.intp), -1),
    )


_HISTOGRAM_FIELDS = {
    "value",
    "count",
    "feature_idx",
    "num_threshold",
    "missing_go_to_left",
    "left",
    "right",
    "gain",
    "depth",
    "is_leaf",
    "bin_threshold",
    "is_categorical",
    "bitset_idx",
}


def _category_encoder(estimator: Any) -> ColumnSteps | None:
    """The ordinal codes of categories, which come before all other columns; an unknown category is missing."""
    preprocessor = getattr(estimator, "_preprocessor", None)
    if preprocessor is None:
        return None
    is_category = np.asarray(estimator.is_categorical_, bool)
    return ColumnSteps([preprocessor], np.concatenate([np.flatnonzero(is_category), np.flatnonzero(~is_category)]))


def _read_adaboost(estimator: Any) -> Trees:
    """The votes of the trees for their classes, whose weighted mean is the decision function (SAMME)."""
    if getattr(estimator, "algorithm", "SAMME") == "SAMME.R":
        raise unreadable(estimator, 'algorithm="SAMME.R", which is no sum of votes (fit it with algorithm="SAMME")')
    classes, weights = estimator.classes_, np.asarray(estimator.estimator_weights_, np.float64)
    trees = []
    for tree, share in zip(estimator.estimators_, weights / weights.sum(), strict=False):
        if not _is_tree(tree):
            raise unreadable(estimator, f"estimator={type(tree).__name__}(...)")
        voted = np.searchsorted(classes, tree.classes_[_outputs_of_leaves(tree).argmax(axis=1)])
        votes = np.where(np.arange(len(classes)) == voted[:, None], share, -share / (len(classes) - 1))
        trees.append(_nodes(tree, votes if len(classes) > 2 else votes[:, 1:] - votes[:, :1]))
    return _join(trees)


def _refuse_adaboost_regressor(estimator: Any) -> Trees:
    raise unreadable(estimator, "a weighted median of its trees, which is no sum")


def _for_both(family: str, reader: Callable[[Any], Trees]) -> dict[str, Callable[[Any], Trees]]:
    return {family + "Classifier": reader, family + "Regressor": reader}


_READERS: dict[str, Callable[[Any], Trees]] = {
    **_for_both("DecisionTree", _read_tree),
    **_for_both("ExtraTree", _read_tree),
    **_for_both("RandomForest", _read_forest),
    **_for_both("ExtraTrees", _read_forest),
    **_for_both("GradientBoosting", _read_gradient_boosting),
    **_for_both("HistGradientBoosting", _read_histogram_boosting),
    "AdaBoostClassifier": _read_adaboost,
    "AdaBoostRegressor": _refuse_adaboost_regressor,
    "IsolationForest": _read_isolation_forest,
}
CLASSES = tuple(_READERS)  # the classes whose trees can be read, or are refused with a reason
