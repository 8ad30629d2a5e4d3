"""The sources of derived columns, compared with the columns that change if one original column changes."""

import pickle
import re

import numpy as np
import pytest

from lcshap.adapters.column_preprocessing import split_columnwise
from lcshap.errors import MethodError

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")

from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.feature_extraction.text import CountVectorizer  # noqa: E402
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_regression  # noqa: E402
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer  # noqa: E402
from sklearn.linear_model import LinearRegression, Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union  # noqa: E402
from sklearn.preprocessing import (  # noqa: E402
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

RNG = np.random.default_rng(0)
ROWS = RNG.integers(0, 5, size=(60, 4)).astype(float) + RNG.choice([0, 0.25], size=(60, 4))
Y = ROWS @ [1.0, -2.0, 0.5, 3.0] + RNG.normal(size=60)
GAPS = np.where(RNG.random((60, 4)) < [0.3, 0.3, 0.0, 0.0], np.nan, ROWS)
EMPTY = np.column_stack([np.full(60, np.nan), GAPS[:, 0], ROWS[:, :2]])
TEXTS = ["old red house", "new red car", "old car", "blue house"] * 15
FRAME = pandas.DataFrame(
    {
        "age": RNG.integers(20, 60, 60),
        "city": RNG.choice(["Oslo", "Rome", "Bonn"], 60),
        "note": TEXTS,
        "size": RNG.normal(size=60),
        "job": RNG.choice(["cook", "nurse", "pilot", "smith"], 60, p=[0.5, 0.4, 0.05, 0.05]),
    }
)


def name_of(steps):
    """The text of some steps without the addresses of functions, which differ between processes."""
    return re.sub(r"<function (\w+) at \w+>", r"\1", str(steps))


def changed_columns(preprocessing, rows):
    """For each derived column, the original columns that it depends on, as observed."""
    whole = preprocessing.encode(rows)
    sources = [set() for _ in range(whole.shape[1])]
    for column in range(rows.shape[1]):
        other = rows.copy()
        if isinstance(rows, pandas.DataFrame):
            other[rows.columns[column]] = rows.iloc[::-1, column].to_numpy()
        else:
            other[:, column] = rows[::-1, column]
        differs = ~np.isclose(preprocessing.encode(other), whole, equal_nan=True).all(axis=0)
        for place in np.flatnonzero(differs):
            sources[place].add(column)
    return sources


def assert_sources(steps, rows=ROWS, used=None):
    model = make_pipeline(*steps, LinearRegression())
    for step in steps:
        if hasattr(step, "set_params") and hasattr(step, "random_state"):
            step.set_params(random_state=0)
    transformers = model[:-1].fit(rows, Y)
    model.steps[-1] = ("linear", LinearRegression().fit(_dense(transformers.transform(rows)), Y))
    preprocessing, last_step = split_columnwise(pickle.loads(pickle.dumps(model)))
    assert isinstance(last_step, LinearRegression)
    sources = changed_columns(preprocessing, rows)
    assert len(preprocessing.sources) == len(sources)
    for source, observed in zip(preprocessing.sources.tolist(), sources, strict=True):
        assert observed <= {source}
    assert used is None or set(preprocessing.sources.tolist()) == used
    np.testing.assert_array_equal(preprocessing.encode(rows), _dense(transformers.transform(rows)))


def _dense(rows):
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, float)


@pytest.mark.parametrize(
    "step",
    [
        StandardScaler(),
        MinMaxScaler(),
        MaxAbsScaler(),
        RobustScaler(),
        PowerTransformer(),
        QuantileTransformer(n_quantiles=10),
        Binarizer(threshold=2.0),
        OrdinalEncoder(),
        OneHotEncoder(),
        OneHotEncoder(drop="first"),
        OneHotEncoder(drop="if_binary", sparse_output=False),
        OneHotEncoder(min_frequency=0.1, handle_unknown="infrequent_if_exist"),
        OneHotEncoder(max_categories=3, drop="first"),
        KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"),
        KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf"),
        SplineTransformer(n_knots=4),
        PolynomialFeatures(1),
        SimpleImputer(),
        FunctionTransformer(),
        FunctionTransformer(np.log1p),
        VarianceThreshold(),
        SelectKBest(f_regression, k=2),
        TargetEncoder(),
    ],
    ids=name_of,
)
def test_transformers_of_all_columns(step):
    assert_sources([step])


@pytest.mark.parametrize(
    "steps",
    [
        [SimpleImputer(), StandardScaler(), SplineTransformer(n_knots=3)],
        [SimpleImputer(add_indicator=True), OneHotEncoder(drop="if_binary")],
        [make_union(SimpleImputer(), MissingIndicator()), SelectKBest(f_regression, k=3)],
        [FeatureUnion([("same", "passthrough"), ("none", "drop"), ("missing", SimpleImputer())]), SimpleImputer()],
        [make_pipeline(SimpleImputer(strategy="most_frequent"), make_pipeline(MinMaxScaler()))],
    ],
    ids=name_of,
)
def test_several_steps_and_missing_values(steps):
    assert_sources(steps, GAPS)


@pytest.mark.filterwarnings("ignore:Skipping features without any observed values")
def test_columns_without_values_are_left_out():
    assert_sources([SimpleImputer()], EMPTY, used={1, 2, 3})
    assert_sources([SimpleImputer(keep_empty_features=True, add_indicator=True)], EMPTY, used={0, 1, 2, 3})


def test_columns_of_a_frame():
    one_hot = OneHotEncoder(min_frequency=0.1, handle_unknown="infrequent_if_exist")
    parts = ColumnTransformer(
        [
            ("note", CountVectorizer(ngram_range=(1, 2)), "note"),
            ("categories", make_pipeline(one_hot, StandardScaler(with_mean=False)), ["job", "city"]),
            ("nothing", "drop", ["city"]),
            ("number", SplineTransformer(n_knots=3), make_column_selector(dtype_include=float)),
        ],
        remainder="passthrough",
    )
    assert_sources([parts, MaxAbsScaler()], FRAME, used={0, 1, 2, 3, 4})
    assert_sources([parts.set_params(sparse_threshold=0), VarianceThreshold()], FRAME, used={0, 1, 2, 3, 4})


@pytest.mark.parametrize("columns", [[3, 0], [-1], slice(1, 3), [True, False, False, True], 2])
def test_columns_by_number(columns):
    step = "passthrough" if not isinstance(columns, int) else CountVectorizer()
    rows = ROWS if not isinstance(columns, int) else FRAME.iloc[:, :4].to_numpy()
    assert_sources([make_column_transformer((step, columns))], rows)


def test_columns_of_a_frame_by_slices_of_names():
    parts = make_column_transformer((OneHotEncoder(), slice("city", "note")), (StandardScaler(), slice("size", "size")))
    assert_sources([parts], FRAME, used={1, 2, 3})


def test_transformers_that_return_frames():
    parts = make_column_transformer((OneHotEncoder(sparse_output=False), ["city"]), remainder="drop")
    assert_sources([parts.set_output(transform="pandas")], FRAME, used={1})


def test_any_transformer_of_one_column():
    assert_sources([make_column_transformer((PCA(1), [2]), (PolynomialFeatures(3), [0]))], used={-1, 0, 2})


def test_target_encoding_of_several_classes():
    classes = np.digitize(Y, [0, 5])
    encoder = TargetEncoder(random_state=0).fit(ROWS, classes)
    model = Pipeline([("encoder", encoder), ("linear", LinearRegression().fit(encoder.transform(ROWS), Y))])
    assert split_columnwise(model)[0].sources.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_searches_and_models_without_preprocessing():
    search = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1.0, 2.0]}).fit(ROWS, Y)
    preprocessing, last_step = split_columnwise(search)
    assert isinstance(last_step, Ridge)
    assert preprocessing.sources.tolist() == [0, 1, 2, 3]
    ridge = Ridge().fit(ROWS, Y)
    assert split_columnwise(ridge) == (None, ridge)
    idle = make_pipeline("passthrough", Ridge()).fit(ROWS, Y)
    assert split_columnwise(idle) == (None, idle[-1])


def test_models_fitted_on_arrays_take_frames():
    model = make_pipeline(StandardScaler(), Ridge()).fit(ROWS, Y)
    preprocessing, _ = split_columnwise(model)
    frame = pandas.DataFrame(ROWS, columns=list("abcd"))
    np.testing.assert_array_equal(preprocessing.encode(frame), preprocessing.encode(ROWS))


class Mixing(StandardScaler):
    """A scaler that is not what it inherits from."""

    def transform(self, X):
        return super().transform(X)[:, ::-1]


@pytest.mark.parametrize(
    "step",
    [
        PCA(4),
        Normalizer(),
        KNNImputer(),
        PolynomialFeatures(2),
        FunctionTransformer(np.fliplr),
        Mixing(),
        make_pipeline(StandardScaler(), PCA(2)),
        make_union(StandardScaler(), PCA(2)),
        make_column_transformer((PCA(1), [0, 1]), remainder="passthrough"),
    ],
    ids=name_of,
)
def test_steps_that_mix_columns_are_refused(step):
    model = make_pipeline(step, LinearRegression()).fit(ROWS, Y)
    with pytest.raises(MethodError, match="each column by itself"):
        split_columnwise(model)


def test_models_of_other_inputs_are_refused():
    model = make_pipeline(CountVectorizer(), LinearRegression()).fit(TEXTS, Y)
    with pytest.raises(MethodError, match="columns of a table"):
        split_columnwise(model)
