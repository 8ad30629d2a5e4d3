"""Tree ensembles of LightGBM, XGBoost, CatBoost and scikit-learn: their margins and their trees."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.trees import Trees
from ..errors import MethodError
from ..extras import need
from .tree_readers import dropped_weights, lightgbm_nodes, read_boosting, read_catboost, read_lightgbm

_MARGINS: dict[str, dict[str, Any]] = {  # how a classifier without `decision_function` is asked for its margin
    "LGBMClassifier": {"raw_score": True},
    "XGBClassifier": {"output_margin": True},
    "CatBoostClassifier": {"prediction_type": "RawFormulaVal"},
}
_FOREST = ("DecisionTree", "ExtraTree", "RandomForest", "ExtraTrees", "GradientBoosting", "HistGradientBoosting")
_KNOWN = {
    "lightgbm": ("LGBMClassifier", "LGBMRegressor", "LGBMRanker"),
    "xgboost": ("XGBClassifier", "XGBRegressor", "XGBRanker"),
    "catboost": ("CatBoostClassifier", "CatBoostRegressor"),
    "sklearn": tuple(name + role for name in _FOREST for role in ("Classifier", "Regressor")),
}
_LOGISTIC = ("binary", "multiclass", "binary:logistic", "multi:softprob", "log_loss", "Logloss", "MultiClass")
_NAMES = "LightGBM, XGBoost or CatBoost, or a tree, a forest or boosted trees of scikit-learn"
_OTHERWISE = "Choose another method, such as GraphKernelSHAP."


def library(estimator: Any) -> str | None:
    """Which library an ensemble that may be read is of; None for all others. Nothing is imported to look.

    >>> library(len) is None
    True
    """
    for kind in type(estimator).__mro__:
        package = kind.__module__.partition(".")[0]
        if kind.__name__ in _KNOWN.get(package, ()):
            return package
    return None


def margin_of(estimator: Any) -> Callable[[Any], Any] | None:
    """The margin of a boosted classifier that has no `decision_function`: log-odds, or a logit for each class."""
    if library(estimator) is None:
        return None
    for kind in type(estimator).__mro__:
        if kind.__name__ in _MARGINS:
            return partial(estimator.predict, **_MARGINS[kind.__name__])
    return None


def gives_log_odds(model: Any) -> bool:
    """Whether a model is a boosted classifier whose margin is a log-odds: more exact than that of its probabilities.

    Those of XGBoost are rounded to single precision.
    """
    if library(model) is None or not hasattr(model, "predict_proba"):
        return False
    found = (getattr(model, name, None) for name in ("objective_", "objective", "loss"))
    return next((str(name) for name in found if isinstance(name, str)), _loss(model)) in _LOGISTIC


def _loss(model: Any) -> str:
    known = hasattr(model, "get_all_params") and model.is_fitted()
    return str(model.get_all_params().get("loss_function")) if known else ""


def read_sum(estimator: Any, method: str) -> Trees:
    """The trees whose sum one of an estimator's methods returns, but for a constant."""
    package, name = library(estimator), type(estimator).__name__
    if method == "predict_proba" and (package != "sklearn" or "Boosting" in name):
        raise MethodError(
            f"Expected a number that is a sum over trees, got the probabilities of {name}. Explain its margin "
            'with kind="logits" and value="output", or choose another method, such as GraphKernelSHAP.'
        )
    return read_trees(estimator)


def read_trees(estimator: Any) -> Trees:
    """The trees of an ensemble, whose sum is its raw output but for a constant; `MethodError` where they are misread.

    They are read by shap's TreeExplainer, and by `tree_readers` where that cannot do it. It knows no splits by category
    and no values other than NaN that stand for missing ones, and does not say so.
    """
    package, name = library(estimator), type(estimator).__name__
    if package is None:
        raise MethodError(f"Expected a tree ensemble of {_NAMES}, got {name}. {_OTHERWISE}")
    odd = next(_ODDITIES[package](estimator), None)
    if odd is not None:
        raise MethodError(f"Expected trees that can be read, got {name} with {odd}. {_OTHERWISE}")
    if package == "lightgbm":
        return read_lightgbm(estimator)
    if package == "sklearn" and getattr(getattr(estimator, "estimators_", None), "shape", (0, 1))[1:] > (1,):
        return replace(read_boosting(estimator), single=True)
    if package == "catboost" and _outputs(estimator) > 1:
        trees = read_catboost(estimator)
        return replace(trees, single=True, blind=_blind(estimator, trees))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other packages, and about things that are not done here
        found = _by_shap(estimator)
    trees = _flat(found)
    if package == "catboost":  # its thresholds are single, written down with fewer digits than that takes
        threshold = trees.threshold.astype(np.float32).astype(np.float64)
        trees = replace(trees, threshold=threshold, blind=_blind(estimator, trees))
    if package == "xgboost":
        trees = replace(trees, rounding=float(np.finfo(np.float32).eps) * math.sqrt(len(trees.roots)))
        weights = dropped_weights(estimator)
        if weights is not None:
            trees = replace(trees, value=trees.value * _of_trees(weights, trees)[:, None])
    return replace(trees, single=not hasattr(estimator, "_predictors"))


def _of_trees(numbers: NDArray[np.float64], trees: Trees) -> NDArray[np.float64]:
    """Numbers of trees, of the first ones where fewer are used, as numbers of their nodes."""
    return np.repeat(numbers[: len(trees.roots)], len(trees.left) // len(trees.roots))


def _by_shap(estimator: Any) -> Any:
    """The ensemble as shap reads it."""
    explainer = need("shap", "shap").TreeExplainer
    try:
        found = explainer(estimator, feature_perturbation="tree_path_dependent").model
        if found.trees is None or found.num_stacked_models not in (1, found.num_outputs):
            raise ValueError("it has no such trees")
    except Exception as error:  # of somebody else's reader: whatever it is, there are no trees
        name = type(estimator).__name__
        raise MethodError(f"Expected trees that shap can read, got {name}: {error}. {_OTHERWISE}") from error
    return found


def _flat(found: Any) -> Trees:
    """What shap has read, one row of nodes a tree, as one list of nodes."""
    limit = found.tree_limit if found.tree_limit is not None and found.tree_limit > 0 else len(found.values)
    left, right, default, feature, threshold, value = (
        np.asarray(part[:limit])
        for part in (
            found.children_left,
            found.children_right,
            found.children_default,
            found.features,
            found.thresholds,
            found.values,
        )
    )
    trees, nodes = left.shape
    first = np.arange(trees, dtype=np.intp)[:, None] * nodes
    below = [np.where(left < 0, -1, child + first).ravel() for child in (left, right, default)]
    return Trees(
        roots=first[:, 0],
        left=below[0],
        right=below[1],
        default=below[2],
        feature=np.maximum(feature, 0).ravel().astype(np.intp),
        threshold=threshold.ravel().astype(np.float64),
        value=value.reshape(trees * nodes, -1).astype(np.float64),
    )


def _blind(estimator: Any, trees: Trees) -> NDArray[np.intp]:
    """The columns in which NaN goes where nobody reads: CatBoost may be told that it is larger than all numbers."""
    largest = estimator.get_all_params().get("nan_mode") == "Max"
    return np.unique(trees.feature) if largest else np.empty(0, np.intp)


# -- what shap does not notice, in a few words each -----------------------------------------------------------------


def _lightgbm(estimator: Any) -> Iterator[str]:
    for node in lightgbm_nodes(estimator):
        if node.get("missing_type") == "Zero":
            yield "zeros that stand for missing values"
        if "leaf_coeff" in node:
            yield "linear models in its leaves"


def _xgboost(estimator: Any) -> Iterator[str]:
    booster = estimator.get_booster()
    if estimator.get_params().get("booster") not in (None, "gbtree", "dart"):
        yield f"booster={estimator.get_params()['booster']!r}"
    if estimator.missing is not None and not math.isnan(estimator.missing):
        yield f"missing={estimator.missing!r}"
    if "c" in (booster.feature_types or ()):
        yield "splits by category"


def _catboost(estimator: Any) -> Iterator[str]:
    if estimator.get_cat_feature_indices() or estimator.get_text_feature_indices():
        yield "columns of categories or texts"
    if np.ndim(estimator.get_leaf_values()) != 1:
        yield "several outputs"
    if estimator.get_all_params().get("grow_policy") != "SymmetricTree":
        yield "trees that are not symmetric"


def _outputs(estimator: Any) -> int:
    leaves = int(np.sum(estimator.get_tree_leaf_counts()))
    return len(estimator.get_leaf_values()) // max(leaves, 1)


def _sklearn(estimator: Any) -> Iterator[str]:
    for trees in getattr(estimator, "_predictors", ()):
        for tree in trees:
            if "is_categorical" in (tree.nodes.dtype.names or ()) and tree.nodes["is_categorical"].any():
                yield "splits by category"


_ODDITIES: dict[str, Callable[[Any], Iterator[str]]] = {
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
    "catboost": _catboost,
    "sklearn": _sklearn,
}
