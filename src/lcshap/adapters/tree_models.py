"""Tree ensembles of LightGBM, XGBoost, CatBoost and scikit-learn: their margins and their trees."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..core.row_encoding import chain_encoders
from ..core.tree_ensembles import Trees
from ..errors import LcshapError, MethodError
from .column_preprocessing import flatten_pipeline, split_columnwise
from .trees_catboost import read_catboost
from .trees_lightgbm import read_lightgbm
from .trees_sklearn import CLASSES as SKLEARN_ENSEMBLES
from .trees_sklearn import average_path_length, read_sklearn
from .trees_xgboost import read_xgboost

PATH_LENGTH = "mean_path_length"  # what is explained of an isolation forest
_MARGIN_OPTIONS: dict[str, dict[str, Any]] = {  # options with which `predict` returns the margin
    "LGBMClassifier": {"raw_score": True},
    "XGBClassifier": {"output_margin": True},
    "CatBoostClassifier": {"prediction_type": "RawFormulaVal"},
}
_ENSEMBLES = {
    "lightgbm": ("LGBMClassifier", "LGBMRegressor", "LGBMRanker", "Booster"),
    "xgboost": ("XGBClassifier", "XGBRegressor", "XGBRanker", "Booster"),
    "catboost": ("CatBoostClassifier", "CatBoostRegressor", "CatBoostRanker", "CatBoost"),
    "sklearn": SKLEARN_ENSEMBLES,
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
_FITTED_PARTS = {  # what an estimator has once it is fitted
    "lightgbm": "_Booster",
    "xgboost": "_Booster",
    "catboost": "tree_count_",
    "sklearn": "n_features_in_",
}
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
    """The margin of a boosted classifier that has no `decision_function`: log-odds, or a logit for each class.

    It takes the rows of a pipeline if the classifier is the last step of one.
    """
    steps, last_step = flatten_pipeline(estimator)
    if ensemble_library(last_step) is None:
        return None
    for kind in type(last_step).__mro__:
        if kind.__name__ in _MARGIN_OPTIONS:
            margin = partial(last_step.predict, **_MARGIN_OPTIONS[kind.__name__])
            return partial(_transform_and_call, steps, margin) if steps else margin
    return None


def path_length_function(estimator: Any) -> Callable[[Any], Any] | None:
    """The mean length of the paths of rows in an isolation forest, of which its scores are a function; otherwise None.

    A row with a short path is an anomaly. The length is computed from the score that the forest itself returns.
    """
    steps, last_step = flatten_pipeline(estimator)
    if "IsolationForest" not in _class_names(last_step) or not _is_fitted(last_step, "sklearn"):
        return None
    unit = float(average_path_length(np.array([last_step.max_samples_]))[0])
    lengths = partial(_path_lengths, last_step, unit)
    return partial(_transform_and_call, steps, lengths) if steps else lengths


def _path_lengths(forest: Any, unit: float, rows: Any) -> Any:
    return -unit * np.log2(-forest.score_samples(rows))


def _class_names(estimator: Any) -> tuple[str, ...]:
    """The names of the classes of scikit-learn that an estimator is of."""
    return tuple(kind.__name__ for kind in type(estimator).__mro__ if kind.__module__.startswith("sklearn."))


def _transform_and_call(steps: Sequence[Any], function: Callable[[Any], Any], rows: Any) -> Any:
    for step in steps:
        rows = step.transform(rows)
    return function(rows)


def has_log_odds_margin(model: Any) -> bool:
    """Whether a model is a boosted classifier whose margin is a log-odds, which is more exact than its probabilities.

    The probabilities of XGBoost are rounded to single precision.
    """
    model = flatten_pipeline(model)[1]
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
    """The trees whose sum, plus a constant, is the output of one of the methods of an estimator.

    In a pipeline the trees are those of the last step, and the steps before it, which must treat each column by itself,
    are a part of their encoder: the columns are those before preprocessing.
    """
    steps, last_step = split_columnwise(estimator)
    package, name = ensemble_library(last_step), type(last_step).__name__
    if method == "predict_proba" and package is not None and (package != "sklearn" or "Boost" in name):
        raise MethodError(
            f"Expected a number that is a sum over trees, got the probabilities of {name}. Explain its margin "
            'with kind="logits" and value="output", or choose another method, such as GraphKernelSHAP.'
        )
    if "IsolationForest" in _class_names(last_step) and method != PATH_LENGTH:
        raise MethodError(
            "Expected a number that is a sum over trees, got the score of IsolationForest, which is a power of its "
            f"mean path length. Explain that with lcshap.adapters.SklearnModel(model, method={PATH_LENGTH!r}), or "
            "choose another method, such as GraphKernelSHAP."
        )
    trees = read_trees(last_step)
    return replace(trees, encoder=chain_encoders(steps, trees.encoder))


def read_trees(estimator: Any) -> Trees:
    """The trees whose sum, plus a constant, is the raw output of an ensemble; `MethodError` if they cannot be read.

    Nothing but the library of the ensemble is used.
    """
    package, name = ensemble_library(estimator), type(estimator).__name__
    if package is None:
        raise MethodError(f"Expected a tree ensemble of {_SUPPORTED}, got {name}. {_ADVICE}")
    if not _is_fitted(estimator, package):
        raise MethodError(f"Expected a fitted model, got {name} that is not fitted. Call its method fit first.")
    try:
        return _read(estimator, package)
    except LcshapError:
        raise
    except Exception as error:  # a newer version of the library stores its models differently
        version = getattr(sys.modules.get(package), "__version__", "unknown")
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise MethodError(
            f"Expected trees in the format that {package} is known to have, got those of {name} of version {version}: "
            f"{reason}. {_ADVICE}"
        ) from error


def _read(estimator: Any, package: str) -> Trees:
    if package == "sklearn":
        return read_sklearn(estimator, next(n for n in _class_names(estimator) if n in SKLEARN_ENSEMBLES))
    readers = {"lightgbm": read_lightgbm, "xgboost": read_xgboost, "catboost": read_catboost}
    return readers[package](estimator)


def _is_fitted(estimator: Any, package: str) -> bool:
    return type(estimator).__name__ == "Booster" or getattr(estimator, _FITTED_PARTS[package], None) is not None
