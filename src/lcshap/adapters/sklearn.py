"""Models with the methods of scikit-learn: its estimators, pipelines on raw strings, and others with `predict`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.structures import Structure
from ..errors import ModelError
from ..maskers.base import Rows
from ..maskers.input_lists import is_frame
from .additive_models import read_terms
from .base import Kind, Model
from .callable import KIND_ADVICE, check_answers, check_kind
from .column_preprocessing import LINK
from .declared_kinds import advice_for, declared_kind
from .fitted_state import FittedState
from .linear_models import link_function, read_weights
from .multilabel import is_multilabel, label_classes, label_columns, label_names
from .readable_outputs import readable_outputs
from .tree_models import PATH_LENGTH, margin_function, path_length_function, read_summed_trees
from .used_columns import used_columns

_METHODS: dict[str, Kind] = {
    PATH_LENGTH: "output",  # of isolation forests
    "predict_proba": "probabilities",
    "decision_function": "margin",  # a log-odds for logistic regression, but not for an SVM
    "predict": "output",
    LINK: "output",
}
_PROBABILITY_KINDS: tuple[Kind, ...] = ("probabilities", "multilabel")
_READERS: dict[str, Callable[[Any, str], Structure]] = {
    "trees": read_summed_trees,
    "weights": read_weights,
    "terms": read_terms,
}
_MISSING_METHODS = {  # functions in place of methods that estimators do not have
    "decision_function": margin_function,  # boosted trees of other libraries use another name
    PATH_LENGTH: path_length_function,
    LINK: link_function,
}


class SklearnModel(Model):
    """An estimator, which is recognized by its attributes, so that scikit-learn is never imported.

    Parameters
    ----------
    estimator : a fitted classifier, regressor or pipeline. A pipeline that starts with a vectoriser gets the list of
        strings. A `Booster` of XGBoost or LightGBM is accepted too.
    kind : the kind of the outputs, see `Model`. By default the probabilities of a classifier ("multilabel" if it was
        fitted on several labels); the margin if it has only `decision_function`; the output of a regressor. "margin"
        uses the margin of any classifier ("output" does too, with its sign unchanged), and "logits" states that this
        margin is a log-odds. The kind must be given if an object has only `predict` and is not known to be a regressor.
    method : "predict_proba", "decision_function" or "predict", if `kind` does not determine it; or "linear_predictor"
        for the number that a generalized linear model is linear in, such as the logarithm of the output of
        `PoissonRegressor`.
    fallback : the kind of an object that has only `predict`, if neither it nor the user declares it.

    Attributes
    ----------
    classes : the names of the classes or labels as strings, in the order of the columns; None if there are none.

    Examples
    --------
    >>> from lcshap.adapters.sklearn import SklearnModel
    >>> class Coin:
    ...     classes_ = ["heads", "tails"]
    ...     def predict_proba(self, rows):
    ...         return [[0.5, 0.5] for row in rows]
    >>> model = SklearnModel(Coin())
    >>> model.kind, model.classes, model.predict(["toss"]).tolist()
    ('probabilities', ('heads', 'tails'), [[0.5, 0.5]])
    """

    fingerprint_attributes = ("estimator", "method")

    def __init__(
        self, estimator: Any, kind: Kind | None = None, method: str | None = None, fallback: Kind | None = None
    ) -> None:
        name = type(estimator).__name__
        if kind is not None:
            kind = check_kind(kind, name)
        self.estimator = estimator
        self._structures: dict[str, Structure] = {}
        self._state: FittedState | None = None  # of the estimator from which the structures were read
        self.method = method = _find_method(estimator, kind, method, fallback)
        if kind is not None and method != "predict" and (kind in _PROBABILITY_KINDS) != (method == "predict_proba"):
            raise ModelError(f"Expected a method that returns {kind}, got {name}.{method}. Leave out kind or method.")
        self.classes = _class_names(estimator)
        self.kind = _find_kind(estimator, method, kind, self.classes)

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The checked outputs of the chosen method, `(n, outputs)`; a binary margin is one column."""
        predict = _bound_method(self.estimator, self.method)
        assert predict is not None
        with _suppress_warnings(self.estimator), _fitted(self.estimator):
            answers = predict(_convert_rows(self.estimator, rows))
        name = f"{type(self.estimator).__name__}.{self.method}"
        if self.method == "predict_proba" and isinstance(answers, list) and getattr(answers[0], "ndim", 1) == 2:
            answers = label_columns(answers, label_classes(self.estimator), name)
        return check_answers(answers, len(rows), name)

    def structure(self, name: str) -> Structure:
        """What the outputs of the chosen method are sums of. It is read once, and again after another fit."""
        if name not in _READERS:
            raise NotImplementedError
        if self._state is None or not self._state.is_of(self.estimator):
            self._state, self._structures = FittedState(self.estimator), {}
        if name not in self._structures:
            self._structures[name] = _READERS[name](self.estimator, self.method)
        return self._structures[name]

    @property
    def readable_outputs(self) -> Literal["margin", "probabilities"] | None:
        """Whether these are the margins of an estimator, or the probabilities of a forest, which are sums."""
        return readable_outputs(self.estimator, self.method, self.kind)

    def used_columns(self) -> NDArray[np.intp] | None:
        """The numbers of the columns that a tree ensemble, a linear or an additive model uses; None for others."""
        return used_columns(self.estimator)


@contextmanager
def _suppress_warnings(estimator: Any) -> Iterator[None]:
    """Suppress a warning of `LocalOutlierFactor`, which drops the names of a DataFrame before it calls `kneighbors`."""
    if type(estimator).__name__ != "LocalOutlierFactor":
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


@contextmanager
def _fitted(estimator: Any) -> Iterator[None]:
    """Raise the same `ModelError` for every library if it says that the estimator is not fitted."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ == "NotFittedError" or "no trained model" in str(error):
            name = type(estimator).__name__
            raise ModelError(f"Expected a fitted model, got {name} that is not fitted. Call its method fit.") from error
        raise


def _is_booster(estimator: Any) -> bool:
    """Whether this is a `Booster` of XGBoost, which takes only matrices of that package."""
    booster = getattr(sys.modules.get("xgboost"), "Booster", None)
    return booster is not None and isinstance(estimator, booster)


def _convert_rows(estimator: Any, rows: Rows) -> Any:
    """Convert rows to arrays if the estimator was fitted without names of columns."""
    if _is_booster(estimator):
        framed = is_frame(rows)
        names = None if framed else estimator.feature_names
        return sys.modules["xgboost"].DMatrix(rows, feature_names=names, enable_categorical=framed)
    unnamed = hasattr(estimator, "n_features_in_") and not hasattr(estimator, "feature_names_in_")
    return rows.to_numpy() if unnamed and is_frame(rows) else rows


def _bound_method(estimator: Any, method: str) -> Callable[[Any], Any] | None:
    """A method of an estimator, or the function in its place; None if there is none."""
    make = _MISSING_METHODS.get(method)
    return getattr(estimator, method, None) or (None if make is None else make(estimator))


def _find_kind(estimator: Any, method: str, kind: Kind | None, classes: Any) -> Kind:
    """The kind of the numbers. A margin is that of classes or, if there are none, an output like any other."""
    if kind is not None or method == "predict":
        return kind or declared_kind(estimator) or "output"
    if method == "predict_proba":
        return "multilabel" if is_multilabel(estimator) else "probabilities"
    return "output" if classes is None or is_multilabel(estimator) else "margin"


def _find_method(estimator: Any, kind: Kind | None, method: str | None, fallback: Kind | None = None) -> str:
    name = type(estimator).__name__
    available = [m for m in _METHODS if _bound_method(estimator, m) is not None]
    if method is not None:
        if method not in _METHODS or method not in available:
            raise ModelError(
                f"Expected a method of {name} ({', '.join(available) or 'it has none of ' + ', '.join(_METHODS)}), got "
                f"{method!r}."
            )
        return method
    available = [m for m in available if m != LINK]
    required = "predict_proba" if kind in _PROBABILITY_KINDS else "decision_function"
    if declared_kind(estimator) is not None and "predict" in available and kind in (None, declared_kind(estimator)):
        return "predict"
    candidates = [m for m in available if m != "predict"] if kind is None else [m for m in available if m == required]
    if candidates:
        return candidates[0]
    predicts_labels = _role(estimator) in ("classifier", "clusterer") or len(available) > ("predict" in available)
    if "predict" not in available or predicts_labels:
        for_kind = "" if kind is None else f" for kind={kind!r}"
        raise ModelError(
            f"Expected a model with {'predict_proba or decision_function' if kind is None else required}{for_kind}, "
            f"got {name}, which has {', '.join(available) or 'no method that predicts'}. Predicted labels cannot be "
            f"explained. {'Use' if kind is None else 'Leave kind out, or use'} a model with probabilities, margins or "
            "logits."
        )
    if kind is None and _role(estimator) != "regressor" and fallback is None and declared_kind(estimator) is None:
        raise ModelError(
            f"Expected the option kind, since {name}.predict does not declare what its numbers are. "
            f"{advice_for(estimator)} The kinds: {KIND_ADVICE}."
        )
    return "predict"


def _role(estimator: Any) -> str | None:
    """ "classifier", "regressor", ... by scikit-learn's tags (an attribute before version 1.6); None if unknown."""
    tags = getattr(estimator, "__sklearn_tags__", None)
    role = getattr(estimator, "_estimator_type", None) if tags is None else tags().estimator_type
    if role is None:
        return None if _class_names(estimator) is None else "classifier"
    return str(role)


def _class_names(estimator: Any) -> tuple[str, ...] | None:
    if is_multilabel(estimator):
        return label_names(estimator)
    names = getattr(estimator, "classes_", None)  # some libraries give their regressors an empty list
    return None if names is None else tuple(str(name) for name in names) or None
