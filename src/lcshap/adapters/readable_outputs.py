"""Which outputs of a classifier can be explained exactly: margins of boosting, probabilities of forests, ..."""

from __future__ import annotations

from typing import Any, Literal

from .base import Kind
from .column_preprocessing import flatten_pipeline, sklearn_class
from .tree_models import has_log_odds_margin

_FORESTS = ("DecisionTreeClassifier", "ExtraTreeClassifier", "ExtraTreesClassifier", "RandomForestClassifier")
_SOFTMAX_CLASSIFIERS = ("LinearDiscriminantAnalysis", "LogisticRegression", "LogisticRegressionCV")
_SIGMOID_CLASSIFIERS = (*_SOFTMAX_CLASSIFIERS, "AdaBoostClassifier")  # for two classes


def readable_kind(estimator: Any) -> Kind | None:
    """The kind of outputs of a classifier of columns from whose structure exact scores can be computed.

    Returns
    -------
    "logits" if its decision function or margin is a log-odds, or a logit of each class; "margin" if it has another
    meaning; "probabilities" for forests; None for all other models.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> rows, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    >>> readable_kind(LogisticRegression().fit(rows, y)), readable_kind(RandomForestClassifier().fit(rows, y))
    ('logits', 'probabilities')
    """
    if has_log_odds_margin(estimator):
        return "logits"
    if not hasattr(estimator, "predict_proba"):
        return None
    model = flatten_pipeline(estimator)[1]
    name, classes = sklearn_class(model), len(getattr(model, "classes_", ()))
    if name in _FORESTS:
        return "probabilities"
    if "EBMModel" in {cls.__name__ for cls in type(model).__mro__}:  # an explainable boosting machine of interpret
        return "logits" if getattr(model, "link_", "logit") in ("logit", "mlogit") else None
    if name in _SOFTMAX_CLASSIFIERS and classes > 2:
        return "margin" if _is_one_versus_rest(model) else "logits"
    if name in _SIGMOID_CLASSIFIERS and classes == 2:
        return "logits"
    if name == "SGDClassifier":
        return "logits" if classes == 2 and model.loss == "log_loss" else "margin"
    is_exponential = name == "GradientBoostingClassifier" and model.loss == "exponential"
    return "margin" if is_exponential or name == "AdaBoostClassifier" else None


def readable_outputs(estimator: Any, method: str, kind: Kind) -> Literal["margin", "probabilities"] | None:
    """Which outputs a method of an estimator returns, if its structure may explain them exactly, see `Model`.

    >>> from sklearn.svm import SVC
    >>> readable_outputs(SVC(), "decision_function", "logits"), readable_outputs(SVC(), "predict_proba", "logits")
    ('margin', None)
    """
    if method == "decision_function" and kind == "logits":
        return "margin"
    is_forest = sklearn_class(flatten_pipeline(estimator)[1]) in _FORESTS
    return "probabilities" if method == "predict_proba" and is_forest else None


def _is_one_versus_rest(model: Any) -> bool:
    """Whether a linear model of several classes is several models of one class and the others."""
    return getattr(model, "multi_class", None) == "ovr" or getattr(model, "solver", None) == "liblinear"
