"""The weights of fitted models of statsmodels: linear regressions and generalized linear models."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core.weights import Weights
from ..errors import MethodError
from .column_preprocessing import LINK

_REGRESSIONS = ("OLS", "WLS", "GLS", "GLSAR", "RLM", "QuantReg")
_WITH_LINK = ("GLM", "Logit", "Probit", "Poisson")
_ADVICE = "Choose another method, such as GraphKernelSHAP."


def is_result(model: Any) -> bool:
    """Whether this is what `fit` of statsmodels returns. Nothing is imported for this.

    >>> is_result(len)
    False
    """
    return type(model).__module__.partition(".")[0] == "statsmodels" and hasattr(model, "params")


def read_result(result: Any, method: str) -> Weights:
    """The weights of a result of statsmodels, whose weighted sums are what one of its methods returns.

    Parameters
    ----------
    result : what `fit` returned, for rows with the columns of `exog`, the constant included.
    method : "predict", or "linear_predictor" for the number that a generalized linear model is linear in.

    Raises
    ------
    NotImplementedError : for other models than linear regressions and generalized linear models.
    MethodError : if the method is not linear, or if the model has a formula, so that its rows are not its columns.
    """
    name = type(result.model).__name__
    if name not in (*_REGRESSIONS, *_WITH_LINK):
        raise NotImplementedError
    if getattr(result.model, "formula", None) is not None:
        raise MethodError(
            f"Expected a model of the columns themselves, got {name} with the formula {result.model.formula!r}. "
            f"{_ADVICE}"
        )
    if method != LINK and not _is_identity(result):
        raise MethodError(
            f"Expected a number that is linear in the columns, got the output of {name} of statsmodels. Explain what "
            f'it is linear in with lc.adapters.SklearnModel(result, method="{LINK}"). {_ADVICE}'
        )
    weights = np.asarray(result.params, np.float64)
    if weights.ndim != 1:
        raise MethodError(f"Expected one number for each column as params of {name}, got shape {weights.shape}.")
    return Weights(weights[None])


def linear_predictor(result: Any) -> Callable[[Any], Any] | None:
    """The number that a result of statsmodels is linear in, as a function of rows; None for other models."""
    if type(result.model).__name__ not in (*_REGRESSIONS, *_WITH_LINK):
        return None
    predict: Any = result.predict
    return predict if type(result.model).__name__ in _REGRESSIONS else partial(predict, which="linear")


def _is_identity(result: Any) -> bool:
    """Whether the model predicts the linear number itself."""
    link = getattr(getattr(result.model, "family", None), "link", None)
    return type(result.model).__name__ in _REGRESSIONS or type(link).__name__ == "Identity"
