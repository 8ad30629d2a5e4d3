"""Cohorts of inputs: by labels, or by the leaves of a small decision tree on the feature values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ...extras import import_optional
from . import dense
from .row_columns import ExplanationColumns
from .set_kinds import columns_of_output

_DEFAULT_LEAVES = 4
_MAX_COHORTS = 100
_LISTED_CATEGORIES = 4  # in a rule


def find_cohorts(columns: ExplanationColumns, by: Any, output: int | None = None) -> dict[str, NDArray[np.intp]]:
    """The inputs of each cohort, the largest cohort first; inputs that failed are left out.

    Parameters
    ----------
    by : a label for each input; or the number of leaves of a decision tree that is fitted to the scores, or "tree" for
        one with four leaves.
    output : which output the tree is fitted to, if there are several.
    """
    succeeded = np.flatnonzero(columns.succeeded)
    if isinstance(by, str) and by != "tree":
        raise OptionError(f"Expected by as labels of the inputs, a number of cohorts, or 'tree', got {by!r}.")
    if isinstance(by, str | int | np.integer) and not isinstance(by, bool):
        leaves = _DEFAULT_LEAVES if isinstance(by, str) else int(by)
        names = tree_labels(columns_of_output(columns.take(succeeded), output), leaves)
    else:
        names = _label_texts(by, len(columns))[succeeded]
    different, codes, counts = np.unique(names.astype(str), return_inverse=True, return_counts=True)
    if len(different) > _MAX_COHORTS:
        raise OptionError(
            f"Expected at most {_MAX_COHORTS} cohorts, got {len(different):,} different labels. For numbers, cut them "
            "into ranges first, or give a number of cohorts, such as by=4."
        )
    order = np.argsort(-counts, kind="stable").tolist()
    return {str(different[code]): succeeded[codes.ravel() == code] for code in order}


def _label_texts(labels: Any, count: int) -> NDArray[np.object_]:
    array = np.asarray(labels, object)
    if array.shape != (count,):
        raise OptionError(f"Expected {count:,} labels, one for each input, got shape {array.shape}.")
    return np.array(["missing" if _is_missing(label) else str(label) for label in array], object)


def _is_missing(label: Any) -> bool:
    return label is None or type(label).__name__ in ("NAType", "NaTType") or label != label


def tree_labels(columns: ExplanationColumns, leaves: int) -> NDArray[np.object_]:
    """The rule of the leaf of each input, of a decision tree from the feature values to the scores.

    Raises
    ------
    OptionError : if there are no feature values, or fewer than two leaves.
    """
    if leaves < 2:
        raise OptionError(f"Expected at least 2 cohorts, got {leaves}.")
    if not len(columns):
        return np.empty(0, object)
    data = dense.unit_data(columns)
    if not isinstance(data, np.ndarray):
        raise OptionError("Expected rows of a table for cohorts by a tree, got inputs without feature values.")
    if len(columns) == 1:
        return np.full(1, "all inputs", object)
    encoded = [_encode(data[:, column]) for column in range(data.shape[1])]
    matrix = np.stack([numbers for numbers, _ in encoded], axis=1)
    ensembles = import_optional("sklearn.tree", "sklearn")
    model = ensembles.DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
    model.fit(matrix, dense.dense_scores(columns))
    rules = _leaf_rules(model.tree_, dense.shared_names(columns), [categories for _, categories in encoded])
    return np.array([rules[leaf] for leaf in model.apply(matrix).tolist()], object)


def _encode(values: NDArray[Any]) -> tuple[NDArray[np.float32], list[str] | None]:
    """Values as numbers; texts as their place among the sorted texts, which are returned too."""
    if values.dtype != object:
        return values.astype(np.float32), None
    is_text = np.array([isinstance(value, str) for value in values])
    if not is_text.any():
        return values.astype(np.float32), None
    categories = sorted({str(value) for value in values[is_text]})
    places = {category: place for place, category in enumerate(categories)}
    numbers = [places.get(value, np.nan) if isinstance(value, str) else np.nan for value in values]
    return np.array(numbers, np.float32), categories


def _leaf_rules(tree: Any, names: tuple[str, ...], categories: list[list[str] | None]) -> dict[int, str]:
    """The conditions on the way from the root to each leaf; of several on one unit in one direction only the last."""
    rules: dict[int, str] = {}
    stack: list[tuple[int, dict[tuple[int, bool], str]]] = [(0, {})]
    while stack:
        node, conditions = stack.pop()
        if tree.children_left[node] < 0:
            rules[node] = " and ".join(conditions.values()) or "all inputs"
            continue
        unit, threshold = int(tree.feature[node]), float(tree.threshold[node])
        for lower, child in ((False, tree.children_right[node]), (True, tree.children_left[node])):
            text = _condition(names[unit], threshold, lower, categories[unit])
            stack.append((int(child), {**conditions, (unit, lower): text}))
    return rules


def _condition(name: str, threshold: float, lower: bool, categories: list[str] | None) -> str:
    """A condition on the value of a unit.

    >>> _condition("age", 37.5, True, None), _condition("city", 0.5, False, ["Oslo", "Paris", "Rome"])
    ('age ≤ 37.5', 'city is Paris or Rome')
    """
    if categories is None:
        return f"{name} {'≤' if lower else '>'} {threshold:.4g}"
    cut = int(np.floor(threshold)) + 1
    members = categories[:cut] if lower else categories[cut:]
    listed = members if len(members) <= _LISTED_CATEGORIES else [*members[: _LISTED_CATEGORIES - 1], "others"]
    return f"{name} is {' or '.join(listed)}"
