"""What models with only `predict` return: rankers, Boosters, results of statsmodels, survival models."""

from __future__ import annotations

import json
from typing import Any

from .base import Kind

_RANKERS = ("LGBMRanker", "XGBRanker", "CatBoostRanker")
_PROBABILITY_OBJECTIVES = ("binary:logistic", "multi:softprob")  # of XGBoost
_PROBABILITY_PREFIXES = ("binary", "multiclass", "cross_entropy", "xentropy")  # of LightGBM
_CATBOOST_CLASS_LOSSES = ("Logloss", "CrossEntropy", "MultiClass")
_DISCRETE_CHOICE = ("Logit", "Probit", "MNLogit")  # of statsmodels, whose predictions are probabilities
_SURVIVAL_PACKAGES = ("sksurv", "lifelines")


def declared_kind(model: Any) -> Kind | None:
    """The kind of what `predict` of a model returns, as far as the model itself says it; None for all other models.

    Nothing is imported for this. The scores of rankers and of survival models are numbers that are not classes.

    Examples
    --------
    >>> declared_kind(len) is None
    True
    """
    if hasattr(model, "predict_proba"):
        return None
    for cls in type(model).__mro__:
        package, name = cls.__module__.partition(".")[0], cls.__name__
        if name in _RANKERS or package in _SURVIVAL_PACKAGES:
            return "output"
        if package == "statsmodels" and hasattr(model, "model"):
            return _kind_of_statsmodels(model.model)
        if (package, name) == ("xgboost", "Booster"):
            return _kind_of_xgboost(model)
        if (package, name) == ("lightgbm", "Booster"):
            objective = str(model.dump_model(num_iteration=1).get("objective", ""))
            return "probabilities" if objective.startswith(_PROBABILITY_PREFIXES) else "output"
        if (package, name) == ("catboost", "CatBoost"):
            loss = str(model.get_all_params().get("loss_function")) if model.is_fitted() else ""
            return "logits" if loss.partition(":")[0] in _CATBOOST_CLASS_LOSSES else "output"
    return None


def advice_for(model: Any) -> str:
    """The line that a user has to add for a model that does not say what its numbers are, or that has no `predict`."""
    name = type(model).__name__
    package = type(model).__module__.partition(".")[0]
    if package == "lifelines" and hasattr(model, "predict_partial_hazard"):
        return (
            f"Give a function of {name}: lc.Explainer(lambda rows: model.predict_partial_hazard(rows).to_numpy(), "
            'masker, kind="regression").'
        )
    if hasattr(model, "predict"):
        return (
            f"If {name}.predict returns numbers that are not classes, write lc.Explainer(model, masker, "
            'kind="regression"). If it returns probabilities of classes, add kind="probabilities".'
        )
    return ""


def _kind_of_xgboost(booster: Any) -> Kind | None:
    objective = json.loads(booster.save_config())["learner"]["objective"]["name"]
    if objective == "multi:softmax":  # labels, which cannot be explained
        return None
    if objective == "binary:logitraw":
        return "logits"
    return "probabilities" if objective in _PROBABILITY_OBJECTIVES else "output"


def _kind_of_statsmodels(model: Any) -> Kind:
    """The kind of the predictions of a fitted model of statsmodels."""
    names = [cls.__name__ for cls in type(model).__mro__]
    family = type(getattr(model, "family", None)).__name__
    return "probabilities" if family == "Binomial" or any(name in _DISCRETE_CHOICE for name in names) else "output"
