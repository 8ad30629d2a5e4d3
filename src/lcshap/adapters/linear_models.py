"""The weights of linear models of scikit-learn and statsmodels, and the links of generalized linear models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.weights import Weights
from ..errors import MethodError
from .additive_models import is_boosting_machine
from .column_preprocessing import LINK, flatten_pipeline, rows_as_fitted, sklearn_class, split_columnwise
from .counted_words import WordWeights, split_counted_words
from .statsmodels_results import is_result, linear_predictor, read_result

_REGRESSIONS = (
    "ARDRegression",
    "BayesianRidge",
    "ElasticNet",
    "ElasticNetCV",
    "HuberRegressor",
    "Lars",
    "LarsCV",
    "Lasso",
    "LassoCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "LinearRegression",
    "LinearSVR",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "OrthogonalMatchingPursuit",
    "OrthogonalMatchingPursuitCV",
    "PLSRegression",
    "PassiveAggressiveRegressor",
    "QuantileRegressor",
    "Ridge",
    "RidgeCV",
    "SGDRegressor",
    "TheilSenRegressor",
)
_CLASSIFIERS = (
    "LinearDiscriminantAnalysis",
    "LinearSVC",
    "LogisticRegression",
    "LogisticRegressionCV",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "SGDOneClassSVM",
)
_WITH_LINK = ("GammaRegressor", "PoissonRegressor", "TweedieRegressor")
_WITH_KERNEL = ("NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR")
_ADVICE = "Choose another method, such as GraphKernelSHAP."


def read_weights(estimator: Any, method: str) -> Weights:
    """The weights of a fitted linear model, whose weighted sums plus a constant are what one of its methods returns.

    Parameters
    ----------
    estimator : a linear model, or a pipeline whose steps before it treat each column, or each word of a text, by
        itself.
    method : "decision_function", "predict", or "linear_predictor" for the number that a generalized linear model is
        linear in.

    Raises
    ------
    NotImplementedError : if this is no linear model.
    MethodError : if the method of the linear model is not linear, or if the weights cannot be read.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[0, 0], [1, 0], [0, 1]], [0, 1, 5])
    >>> read_weights(model, "predict").coefficients.round(12)
    array([[1., 5.]])
    """
    if is_result(estimator):
        return read_result(estimator, method)
    if sklearn_class(estimator) == "TransformedTargetRegressor":
        return _read_transformed_target(estimator, method)
    name = sklearn_class(flatten_pipeline(estimator)[1], "predict", "decision_function", "predict_proba")
    if name not in (*_REGRESSIONS, *_CLASSIFIERS, *_WITH_LINK, *_WITH_KERNEL, "TransformedTargetRegressor"):
        raise NotImplementedError
    if method == "predict_proba":
        raise MethodError(
            f"Expected a number that is linear in the columns, got the probabilities of {name}. Explain its log-odds "
            f'or margin with kind="logits" or kind="margin" and value="output". {_ADVICE}'
        )
    words = split_counted_words(estimator)
    steps, model = split_columnwise(estimator) if words is None else words
    kind = Weights if words is None else WordWeights
    if name == "TransformedTargetRegressor":
        inner = _read_transformed_target(model, method)
        if inner.encoder is not None:
            raise MethodError(f"Expected one pipeline, got one within TransformedTargetRegressor too. {_ADVICE}")
        return kind(inner.coefficients, steps)
    if name in _WITH_LINK and method != LINK and _has_log_link(model):
        raise MethodError(
            f"Expected a number that is linear in the columns, got the output of {name}, which is linear in its "
            f'logarithm. Explain that with lc.adapters.SklearnModel(model, method="{LINK}"). {_ADVICE}'
        )
    return kind(_coefficients(model, name), steps)


def read_any_weights(model: Any) -> Weights:
    """The weights of a linear model itself, of which its probabilities are a function, too.

    Raises `NotImplementedError` or `MethodError` as `read_weights` does.
    """
    name = sklearn_class(model, "predict", "decision_function", "predict_proba")
    if name not in (*_REGRESSIONS, *_CLASSIFIERS, *_WITH_LINK):
        raise NotImplementedError
    return Weights(_coefficients(model, name))


def link_function(estimator: Any) -> Callable[[Any], Any] | None:
    """The number that a generalized linear or additive model is a sum for, as a function of rows; None without a link.

    It is the logarithm of the expected number for Poisson and gamma regression, and the output of the inner regression
    for targets that were transformed.
    """
    if is_result(estimator):
        return linear_predictor(estimator)
    steps, model = flatten_pipeline(estimator)
    name = sklearn_class(model)
    if name == "TransformedTargetRegressor":
        predict = getattr(model, "regressor_", model.regressor).predict
    elif name in _WITH_LINK:
        predict = model.predict if not _has_log_link(model) else lambda rows: np.log(model.predict(rows))
    elif is_boosting_machine(model) and getattr(model, "link_", None) in ("identity", "log"):
        predict = model.predict if model.link_ == "identity" else lambda rows: np.log(model.predict(rows))
    else:
        return None

    def link(rows: Any) -> Any:
        for step in steps:
            rows = step.transform(rows_as_fitted(step, rows))
        return predict(rows)

    return link


def _coefficients(model: Any, name: str) -> NDArray[np.float64]:
    """The weights of each output of a fitted model, `(outputs, numbers)`."""
    if name in _WITH_KERNEL and model.kernel != "linear":
        raise MethodError(f"Expected a linear kernel, got {name}(kernel={model.kernel!r}). {_ADVICE}")
    if name in ("SVC", "NuSVC") and len(getattr(model, "classes_", "ab")) != 2:
        raise MethodError(
            f"Expected two classes, got {len(model.classes_)} of {name}, whose margins are votes. {_ADVICE}"
        )
    try:
        coefficients = model.coef_
    except AttributeError:
        raise MethodError(f"Expected a fitted model, got {name} without coef_. Call fit before.") from None
    if hasattr(coefficients, "toarray"):
        coefficients = coefficients.toarray()
    try:
        weights = np.atleast_2d(np.asarray(coefficients, np.float64))
    except (TypeError, ValueError) as error:
        raise MethodError(f"Expected numbers as coef_ of {name}, got others: {error}. {_ADVICE}") from None
    if weights.shape[1] != getattr(model, "n_features_in_", weights.shape[1]) or not np.isfinite(weights).all():
        raise MethodError(
            f"Expected {model.n_features_in_} finite numbers for each output as coef_ of {name}, got others. {_ADVICE}"
        )
    return weights


def _read_transformed_target(estimator: Any, method: str) -> Weights:
    """The weights of the regression within a `TransformedTargetRegressor`."""
    if method != LINK:
        raise MethodError(
            "Expected a number that is linear in the columns, got the output of TransformedTargetRegressor. Explain "
            f'the transformed target with lc.adapters.SklearnModel(model, method="{LINK}"). {_ADVICE}'
        )
    if not hasattr(estimator, "regressor_"):
        raise MethodError(
            "Expected a fitted model, got TransformedTargetRegressor without regressor_. Call fit before."
        )
    return read_weights(estimator.regressor_, "predict")


def _has_log_link(model: Any) -> bool:
    """Whether the output of a generalized linear model is the exponential of a linear function."""
    return not (sklearn_class(model) == "TweedieRegressor" and _tweedie_link(model) == "identity")


def _tweedie_link(model: Any) -> str:
    return str(model.link if model.link != "auto" else "identity" if model.power <= 0 else "log")
