"""Pipelines of scikit-learn whose steps before the model treat each column by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import getattr_static
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.row_encoding import RowEncoder, compose_sources
from ..errors import MethodError
from ..maskers.input_lists import is_frame

Places = NDArray[np.intp]
LINK = "linear_predictor"  # the name, among the methods of estimators, of what a generalized model is linear in
_SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")


class ColumnSteps(RowEncoder):
    """Fitted transformers of scikit-learn, one after the other, which treat each column by itself.

    Parameters
    ----------
    transformers : the transformers in their order.
    sources : `(derived,)`, the column of the table that each derived column is computed from; -1 for constants.

    Examples
    --------
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> rows = np.array([[0, 5], [1, 6], [2, 6]])
    >>> steps = ColumnSteps([OneHotEncoder().fit(rows)], np.array([0, 0, 0, 1, 1]))
    >>> steps.encode(rows[:1]), steps.number_units(np.array([7, 8]))
    (array([[1., 0., 0., 1., 0.]]), array([7, 7, 7, 8, 8]))
    """

    def __init__(self, transformers: Sequence[Any], sources: Places) -> None:
        self.transformers, self.sources = tuple(transformers), sources

    def encode(self, rows: Any) -> NDArray[np.float64]:
        """The derived columns of rows, `(n, derived)`."""
        derived = self.transform(rows)
        return np.asarray(derived.toarray() if hasattr(derived, "toarray") else derived, np.float64)

    def transform(self, rows: Any) -> Any:
        """The same, as the last transformer returns it."""
        for transformer in self.transformers:
            rows = transformer.transform(rows_as_fitted(transformer, rows))
        return rows


def split_columnwise(estimator: Any) -> tuple[RowEncoder | None, Any]:
    """A pipeline as the steps before its last one, which must treat each column by itself, and the last one.

    Parameters
    ----------
    estimator : a fitted pipeline, or the search over the parameters of one; any other estimator has no steps, and is
        its own last one.

    Returns
    -------
    steps : None if there are none, so that the estimator gets the columns themselves.
    last_step : the fitted model.

    Raises
    ------
    MethodError : if a step mixes columns, or if it is not known whether it does.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> rows = np.array([[0, 5], [1, 6], [2, 6]])
    >>> model = make_pipeline(OneHotEncoder(), LinearRegression()).fit(rows, [1.0, 2.0, 3.0])
    >>> steps, last_step = split_columnwise(model)
    >>> steps.sources, last_step
    (array([0, 0, 0, 1, 1]), LinearRegression())
    """
    steps, last_step = flatten_pipeline(estimator)
    if not steps:
        return None, last_step
    columns = getattr(steps[0], "n_features_in_", None)
    if columns is None:
        raise MethodError(f"Expected an estimator of the columns of a table, got {type(steps[0]).__name__} first.")
    sources = step_sources(steps, columns)
    if getattr(last_step, "n_features_in_", len(sources)) != len(sources):
        raise MethodError(f"Expected {last_step.n_features_in_} columns from the preprocessing, got {len(sources)}.")
    return ColumnSteps(steps, sources), last_step


def step_sources(steps: Sequence[Any], columns: int) -> Places:
    """The column that each derived column is computed from, after fitted transformers that treat columns by themselves.

    Raises `MethodError` if one of them mixes columns, or if it is not known whether it does.
    """
    sources = np.arange(columns, dtype=np.intp)
    for step in steps:
        sources = compose_sources(_origins(step, len(sources)), sources)
    return sources


def flatten_pipeline(estimator: Any) -> tuple[list[Any], Any]:
    """The steps of a pipeline, and of pipelines within it, before the last one, and the last one.

    The estimator that a search over parameters has selected takes the place of the search.
    """
    if sklearn_class(estimator) in _SEARCHES:
        return flatten_pipeline(estimator.best_estimator_)
    if sklearn_class(estimator) != "Pipeline":
        return [], estimator
    *transformers, last_step = (step for _, step in estimator.steps)
    inner, last_step = flatten_pipeline(last_step)
    return [single for step in [*transformers, *inner] for single in _single_transformers(step)], last_step


def _single_transformers(step: Any) -> list[Any]:
    """The transformers of a step, which may be a pipeline of its own."""
    if step in (None, "passthrough"):
        return []
    if sklearn_class(step, "transform") != "Pipeline":
        return [step]
    return [single for _, part in step.steps for single in _single_transformers(part)]


def rows_as_fitted(estimator: Any, rows: Any) -> Any:
    """Rows as an array if the estimator was fitted without names of columns."""
    unnamed = hasattr(estimator, "n_features_in_") and not hasattr(estimator, "feature_names_in_")
    return rows.to_numpy() if unnamed and is_frame(rows) else rows


# -- the input column of each output column ----------------------------------------------------------------------------


def _origins(transformer: Any, columns: int, outputs: int | None = None) -> Places:
    """The input column of each output column of a fitted transformer, -1 for constants.

    Parameters
    ----------
    columns : the number of input columns.
    outputs : the number of output columns, if it is known.
    """
    name = sklearn_class(transformer)
    if transformer in (None, "passthrough") or name in _ONE_TO_ONE:
        return np.arange(columns, dtype=np.intp)
    if name in _ORIGINS:
        origins = np.asarray(_ORIGINS[name](transformer, columns), np.intp)
    elif name is not None and hasattr(transformer, "get_support"):
        origins = np.flatnonzero(transformer.get_support())
    elif columns == 1:  # whatever it computes, it computes from this column
        origins = np.zeros(len(transformer.get_feature_names_out()) if outputs is None else outputs, np.intp)
    else:
        raise _mixing_error(type(transformer).__name__)
    if outputs not in (None, len(origins)):
        raise _mixing_error(type(transformer).__name__)
    return origins


def sklearn_class(estimator: Any, *names: str) -> str | None:
    """The name of the class of scikit-learn whose methods of these `names` this estimator has; None for other ones."""
    names = names or ("transform", "predict")
    for kind in type(estimator).__mro__:
        if kind.__module__.partition(".")[0] == "sklearn":
            unchanged = all(getattr_static(type(estimator), n, None) is getattr_static(kind, n, None) for n in names)
            return kind.__name__ if unchanged else None
    return None


def _mixing_error(name: str) -> MethodError:
    return MethodError(
        f"Expected preprocessing that treats each column by itself, got {name}. Choose another method, such as "
        "GraphKernelSHAP."
    )


def _pipeline_origins(pipeline: Any, columns: int) -> Places:
    return step_sources([step for _, step in pipeline.steps], columns)


def _union_origins(union: Any, columns: int) -> Places:
    parts = [_origins(step, columns) for _, step in union.transformer_list if step != "drop"]
    return np.concatenate(parts)


def _column_transformer_origins(transformer: Any, columns: int) -> Places:
    origins = np.full(max(part.stop or 0 for part in transformer.output_indices_.values()), -1, np.intp)
    for name, step, selected in transformer.transformers_:
        part = transformer.output_indices_.get(name, slice(0, 0))
        size = len(range(*part.indices(len(origins))))
        if size:
            numbers = _column_numbers(transformer, selected, columns)
            origins[part] = compose_sources(_origins(step, len(numbers), size), numbers)
    return origins


def _column_numbers(transformer: Any, selected: Any, columns: int) -> Places:
    """The columns of a part of a `ColumnTransformer`, which are given as names, numbers, a mask or a slice."""
    names = list(getattr(transformer, "feature_names_in_", ()))

    def number(column: Any) -> int:
        return names.index(column) if isinstance(column, str) else range(columns)[column]

    if isinstance(selected, slice):
        start, stop, step = selected.start, selected.stop, selected.step
        if isinstance(start, str) or isinstance(stop, str):  # slices of names include their end
            start, stop = number(start) if start is not None else 0, number(stop) + 1 if stop is not None else columns
        return np.arange(columns, dtype=np.intp)[slice(start, stop, step)]
    if np.asarray(selected).dtype == bool:
        return np.flatnonzero(selected)
    return np.array([number(column) for column in np.atleast_1d(np.asarray(selected, object))], np.intp)


def _encoder_origins(encoder: Any, columns: int) -> Places:
    counts = []
    for column, categories in enumerate(encoder.categories_):
        infrequent = getattr(encoder, "infrequent_categories_", [None] * columns)[column]
        rare = 0 if infrequent is None else len(infrequent)
        dropped = encoder.drop_idx_ is not None and encoder.drop_idx_[column] is not None
        counts.append(len(categories) - rare + (rare > 0) - dropped)
    return np.repeat(np.arange(columns), counts)


def _discretizer_origins(discretizer: Any, columns: int) -> Places:
    counts = 1 if discretizer.encode == "ordinal" else discretizer.n_bins_
    return np.repeat(np.arange(columns), counts)


def _spline_origins(splines: Any, columns: int) -> Places:
    return np.repeat(np.arange(columns), splines.n_features_out_ // columns)


def _polynomial_origins(polynomial: Any, columns: int) -> Places:
    if (np.count_nonzero(polynomial.powers_, axis=1) > 1).any():
        raise _mixing_error("PolynomialFeatures with products of columns")
    return np.where(polynomial.powers_.any(axis=1), polynomial.powers_.argmax(axis=1), -1)


def _imputer_origins(imputer: Any, columns: int) -> Places:
    has_value = [statistic == statistic for statistic in imputer.statistics_]  # NaN if a column was empty
    kept = np.flatnonzero(np.ones(columns) if imputer.keep_empty_features else has_value)
    return np.concatenate([kept, imputer.indicator_.features_ if imputer.add_indicator else []])


def _target_encoder_origins(encoder: Any, columns: int) -> Places:
    return np.repeat(np.arange(columns), len(encoder.encodings_) // columns)


def _function_origins(transformer: Any, columns: int) -> Places:
    function = transformer.func
    if not (function is None or (isinstance(function, np.ufunc) and function.nin == 1)):
        raise _mixing_error(f"FunctionTransformer({getattr(function, '__name__', 'a function')})")
    return np.arange(columns)


def _tfidf_origins(transformer: Any, columns: int) -> Places:
    if transformer.norm is not None:
        raise _mixing_error(f"TfidfTransformer(norm={transformer.norm!r})")
    return np.arange(columns)


_ONE_TO_ONE = (
    "Binarizer",
    "MaxAbsScaler",
    "MinMaxScaler",
    "OrdinalEncoder",
    "PowerTransformer",
    "QuantileTransformer",
    "RobustScaler",
    "StandardScaler",
)
_ORIGINS: dict[str | None, Callable[[Any, int], Any]] = {
    "ColumnTransformer": _column_transformer_origins,
    "FeatureUnion": _union_origins,
    "FunctionTransformer": _function_origins,
    "KBinsDiscretizer": _discretizer_origins,
    "MissingIndicator": lambda indicator, _: indicator.features_,
    "OneHotEncoder": _encoder_origins,
    "Pipeline": _pipeline_origins,
    "PolynomialFeatures": _polynomial_origins,
    "SimpleImputer": _imputer_origins,
    "SplineTransformer": _spline_origins,
    "TargetEncoder": _target_encoder_origins,
    "TfidfTransformer": _tfidf_origins,
}
