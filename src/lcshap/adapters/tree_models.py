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

from ..core.tree_ensembles import Trees
from ..errors import MethodError
from ..extras import import_optional
from .tree_readers import dart_weights, lightgbm_nodes, read_boosting, read_catboost, read_lightgbm

_MARGIN_OPTIONS: dict[str, dict[str, Any]] = {  # options with which `predict` returns the margin
    "LGBMClassifier": {"raw_score": True},
    "XGBClassifier": {"output_margin": True},
    "CatBoostClassifier": {"prediction_type": "RawFormulaVal"},
}
_SKLEARN_PREFIXES = (
    "DecisionTree",
    "ExtraTree",
    "RandomForest",
    "ExtraTrees",
    "GradientBoosting",
    "HistGradientBoosting",
)
_ENSEMBLES = {
    "lightgbm": ("LGBMClassifier", "LGBMRegressor", "LGBMRanker"),
    "xgboost": ("XGBClassifier", "XGBRegressor", "XGBRanker"),
    "catboost": ("CatBoostClassifier", "CatBoostRegressor"),
    "sklearn": tuple(name + role for name in _SKLEARN_PREFIXES for role in ("Classifier", "Regressor")),
}
_LOGISTIC_OBJECTIVES = (
    "binary",
    "multiclass",
    "binary:logistic",
    "multi:softprob",
    "log_loss",
    "Logloss",
    "MultiClass",
)
_SUPPORTED = "LightGBM, XGBoost or CatBoost, or a tree, a forest or boosted trees of scikit-learn"
_ADVICE = "Choose another method, such as GraphKernelSHAP."


def ensemble_library(estimator: Any) -> str | None:
    """Return the library of an ensemble that can be read; None for all other models. Nothing is imported for this.

    >>> ensemble_library(len) is None
    True
    """
    for kind in type(estimator).__mro__:
        package = kind.__module__.partition(".")[0]
        if kind.__name__ in _ENSEMBLES.get(package, ()):
            return package
    return None


def margin_function(estimator: Any) -> Callable[[Any], Any] | None:
    """The margin of a boosted classifier that has no `decision_function`: log-odds, or a logit for each class."""
    if ensemble_library(estimator) is None:
        return None
    for kind in type(estimator).__mro__:
        if kind.__name__ in _MARGIN_OPTIONS:
            return partial(estimator.predict, **_MARGIN_OPTIONS[kind.__name__])
    return None


def has_log_odds_margin(model: Any) -> bool:
    """Whether a model is a boosted classifier whose margin is a log-odds, which is more exact than its probabilities.

    The probabilities of XGBoost are rounded to single precision.
    """
    if ensemble_library(model) is None or not hasattr(model, "predict_proba"):
        return False
    objectives = (getattr(model, name, None) for name in ("objective_", "objective", "loss"))
    return (
        next((str(name) for name in objectives if isinstance(name, str)), _catboost_loss(model)) in _LOGISTIC_OBJECTIVES
    )


def _catboost_loss(model: Any) -> str:
    is_fitted_catboost = hasattr(model, "get_all_params") and model.is_fitted()
    return str(model.get_all_params().get("loss_function")) if is_fitted_catboost else ""


def read_summed_trees(estimator: Any, method: str) -> Trees:
    """The trees whose sum, plus a constant, is the output of one of the methods of an estimator."""
    package, name = ensemble_library(estimator), type(estimator).__name__
    if method == "predict_proba" and (package != "sklearn" or "Boosting" in name):
        raise MethodError(
            f"Expected a number that is a sum over trees, got the probabilities of {name}. Explain its margin "
            'with kind="logits" and value="output", or choose another method, such as GraphKernelSHAP.'
        )
    return read_trees(estimator)


def read_trees(estimator: Any) -> Trees:
    """The trees whose sum, plus a constant, is the raw output of an ensemble; `MethodError` if they cannot be read.

    They are read by shap's TreeExplainer, and by `tree_readers` if TreeExplainer is not able to. It does not support
    splits by category and markers of missing values other than NaN, and raises no error for them.
    """
    package, name = ensemble_library(estimator), type(estimator).__name__
    if package is None:
        raise MethodError(f"Expected a tree ensemble of {_SUPPORTED}, got {name}. {_ADVICE}")
    oddity = next(_ODDITIES[package](estimator), None)
    if oddity is not None:
        raise MethodError(f"Expected trees that can be read, got {name} with {oddity}. {_ADVICE}")
    if package == "lightgbm":
        return read_lightgbm(estimator)
    if package == "sklearn" and getattr(getattr(estimator, "estimators_", None), "shape", (0, 1))[1:] > (1,):
        return replace(read_boosting(estimator), single_precision=True)
    if package == "catboost":
        return replace(read_catboost(estimator), single_precision=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of other packages, about features that are not used here
        shap_ensemble = _read_with_shap(estimator)
    trees = _flatten_ensemble(shap_ensemble)
    if package == "xgboost":
        trees = replace(trees, rounding=float(np.finfo(np.float32).eps) * math.sqrt(len(trees.roots)))
        weights = dart_weights(estimator)
        if weights is not None:
            trees = replace(trees, value=trees.value * _repeat_for_nodes(weights, trees)[:, None])
    return replace(trees, single_precision=not hasattr(estimator, "_predictors"))


def _repeat_for_nodes(tree_numbers: NDArray[np.float64], trees: Trees) -> NDArray[np.float64]:
    """Repeat a number of each tree for all of its nodes; further numbers are of trees that are not used."""
    return np.repeat(tree_numbers[: len(trees.roots)], len(trees.left) // len(trees.roots))


def _read_with_shap(estimator: Any) -> Any:
    """The ensemble as shap reads it."""
    explainer = import_optional("shap", "shap").TreeExplainer
    try:
        ensemble = explainer(estimator, feature_perturbation="tree_path_dependent").model
        if ensemble.trees is None or ensemble.num_stacked_models not in (1, ensemble.num_outputs):
            raise ValueError("it has no such trees")
    except Exception as error:  # shap may raise any error; then the trees cannot be read
        name = type(estimator).__name__
        raise MethodError(f"Expected trees that shap can read, got {name}: {error}. {_ADVICE}") from error
    return ensemble


def _flatten_ensemble(ensemble: Any) -> Trees:
    """Return the trees that shap has read, one row of nodes for each tree, as one list of nodes."""
    limit = ensemble.tree_limit if ensemble.tree_limit is not None and ensemble.tree_limit > 0 else len(ensemble.values)
    left, right, default, feature, threshold, value = (
        np.asarray(array[:limit])
        for array in (
            ensemble.children_left,
            ensemble.children_right,
            ensemble.children_default,
            ensemble.features,
            ensemble.thresholds,
            ensemble.values,
        )
    )
    trees, nodes = left.shape
    first = np.arange(trees, dtype=np.intp)[:, None] * nodes
    children = [np.where(left < 0, -1, child + first).ravel() for child in (left, right, default)]
    return Trees(
        roots=first[:, 0],
        left=children[0],
        right=children[1],
        default=children[2],
        feature=np.maximum(feature, 0).ravel().astype(np.intp),
        threshold=threshold.ravel().astype(np.float64),
        value=value.reshape(trees * nodes, -1).astype(np.float64),
    )


# -- properties that shap does not notice, described in a few words --------------------------------------------------


def _lightgbm_oddities(estimator: Any) -> Iterator[str]:
    for node in lightgbm_nodes(estimator):
        if node.get("missing_type") == "Zero":
            yield "zeros that stand for missing values"
        if "leaf_coeff" in node:
            yield "linear models in its leaves"


def _xgboost_oddities(estimator: Any) -> Iterator[str]:
    booster = estimator.get_booster()
    if estimator.get_params().get("booster") not in (None, "gbtree", "dart"):
        yield f"booster={estimator.get_params()['booster']!r}"
    if estimator.missing is not None and not math.isnan(estimator.missing):
        yield f"missing={estimator.missing!r}"
    if "c" in (booster.feature_types or ()):
        yield "splits by category"


def _catboost_oddities(estimator: Any) -> Iterator[str]:
    if estimator.get_cat_feature_indices() or estimator.get_text_feature_indices():
        yield "columns of categories or texts"
    if np.ndim(estimator.get_leaf_values()) != 1:
        yield "several outputs"
    if estimator.get_all_params().get("grow_policy") != "SymmetricTree":
        yield "trees that are not symmetric"


def _sklearn_oddities(estimator: Any) -> Iterator[str]:
    for trees in getattr(estimator, "_predictors", ()):
        for tree in trees:
            if "is_categorical" in (tree.nodes.dtype.names or ()) and tree.nodes["is_categorical"].any():
                yield "splits by category"


_ODDITIES: dict[str, Callable[[Any], Iterator[str]]] = {
    "lightgbm": _lightgbm_oddities,
    "xgboost": _xgboost_oddities,
    "catboost": _catboost_oddities,
    "sklearn": _sklearn_oddities,
}
