"""Tree ensembles of the libraries themselves: what is read must predict as they do, and what is misread is refused."""

import warnings

import numpy as np
import pytest
from tree_checks import assert_exact, brute_force

import lcshap as lc
from lcshap.adapters.sklearn import SklearnModel
from lcshap.adapters.tree_models import (
    ensemble_library,
    has_log_odds_margin,
    margin_function,
    path_length_function,
    read_trees,
)

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")
catboost = pytest.importorskip("catboost")
ensemble = pytest.importorskip("sklearn.ensemble")
tree = pytest.importorskip("sklearn.tree")
pipeline = pytest.importorskip("sklearn.pipeline")
compose = pytest.importorskip("sklearn.compose")
impute = pytest.importorskip("sklearn.impute")
preprocessing = pytest.importorskip("sklearn.preprocessing")
model_selection = pytest.importorskip("sklearn.model_selection")
pandas = pytest.importorskip("pandas")


RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 5)).round(1)  # values come up again and again, and fall on thresholds
HOLES = np.where(RNG.random(X.shape) < 0.15, np.nan, X)
SUM = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
TWO, THREE = (SUM > 0).astype(int), np.digitize(SUM, [-0.5, 0.5])

LIGHT = {"n_estimators": 12, "verbose": -1, "n_jobs": 1}
XG = {"n_estimators": 12, "n_jobs": 1}
CAT = {"iterations": 12, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
MODELS = {  # the model, its kind and what it was fitted on
    "lightgbm binary": (lightgbm.LGBMClassifier(**LIGHT), "logits", TWO),
    "lightgbm classes": (lightgbm.LGBMClassifier(**LIGHT), "logits", THREE),
    "lightgbm regression": (lightgbm.LGBMRegressor(**LIGHT), "output", SUM),
    "lightgbm dart": (lightgbm.LGBMRegressor(boosting_type="dart", **LIGHT), "output", SUM),
    "xgboost binary": (xgboost.XGBClassifier(**XG), "logits", TWO),
    "xgboost classes": (xgboost.XGBClassifier(**XG), "logits", THREE),
    "xgboost dart": (xgboost.XGBRegressor(booster="dart", rate_drop=0.5, **XG), "output", SUM),
    "xgboost regression": (xgboost.XGBRegressor(**XG), "output", SUM),
    "catboost binary": (catboost.CatBoostClassifier(**CAT), "logits", TWO),
    "catboost classes": (catboost.CatBoostClassifier(**CAT), "logits", THREE),
    "catboost regression": (catboost.CatBoostRegressor(**CAT), "output", SUM),
    "forest binary": (ensemble.RandomForestClassifier(8, random_state=0), "probabilities", TWO),
    "forest classes": (ensemble.ExtraTreesClassifier(8, random_state=0), "probabilities", THREE),
    "forest regression": (ensemble.RandomForestRegressor(8, random_state=0), "output", SUM),
    "forest outputs": (ensemble.ExtraTreesRegressor(8, random_state=0), "output", np.stack([SUM, TWO], axis=1)),
    "tree": (tree.DecisionTreeClassifier(random_state=0), "probabilities", THREE),
    "stump": (tree.DecisionTreeRegressor(max_depth=1, random_state=0), "output", SUM),
    "gradient boosting binary": (ensemble.GradientBoostingClassifier(n_estimators=12), "logits", TWO),
    "gradient boosting classes": (ensemble.GradientBoostingClassifier(n_estimators=12), "logits", THREE),
    "gradient boosting regression": (ensemble.GradientBoostingRegressor(n_estimators=12), "output", SUM),
    "histograms binary": (ensemble.HistGradientBoostingClassifier(max_iter=12), "logits", TWO),
    "histograms classes": (ensemble.HistGradientBoostingClassifier(max_iter=12), "logits", THREE),
    "histograms regression": (ensemble.HistGradientBoostingRegressor(max_iter=12), "output", SUM),
}
WITHOUT_HOLES = (
    "gradient boosting binary",
    "gradient boosting classes",
    "gradient boosting regression",
)  # they take no missing values


def fitted(name, rows=X):
    estimator, kind, y = MODELS[name]
    return SklearnModel(estimator.__class__(**estimator.get_params()).fit(rows, y), kind)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        *(pytest.param(name, X, id=name) for name in MODELS),
        *(pytest.param(name, HOLES, id=f"{name}, holes") for name in MODELS if name not in WITHOUT_HOLES),
    ],
)
def test_trees_sum_to_the_output_plus_a_constant(name, rows):
    model = fitted(name, rows)
    tree_sums, predictions = model.structure("trees").predict(rows), model.predict(rows).astype(float)
    assert tree_sums.shape == predictions.shape
    np.testing.assert_allclose(
        tree_sums - tree_sums[0], predictions - predictions[0], rtol=0, atol=5e-6 if "xgboost" in name else 1e-12
    )


@pytest.mark.parametrize("name", [name for name in MODELS if "binary" in name and "forest" not in name])
def test_margins_are_log_odds(name):
    model = fitted(name)
    chances = model.estimator.predict_proba(X)[:, 1].astype(float)
    np.testing.assert_allclose(model.predict(X)[:, 0], np.log(chances / (1 - chances)), atol=1e-4)
    assert model.classes == ("0", "1")


@pytest.mark.parametrize("name", MODELS)
def test_which_margins_are_log_odds(name):
    estimator = fitted(name).estimator
    assert has_log_odds_margin(estimator) == (MODELS[name][1] == "logits")
    assert not has_log_odds_margin(lambda rows: rows)


def test_a_hinge_is_no_log_odds():
    assert not has_log_odds_margin(xgboost.XGBClassifier(objective="binary:hinge", **XG).fit(X, TWO))
    assert not has_log_odds_margin(ensemble.GradientBoostingClassifier(loss="exponential", n_estimators=2).fit(X, TWO))
    assert not has_log_odds_margin(catboost.CatBoostClassifier(**CAT))  # not fitted


def test_early_stopping_is_read():
    light = lightgbm.LGBMRegressor(**{**LIGHT, "n_estimators": 200})
    stop = lightgbm.early_stopping(3, verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions have another name for eval_set
        light.fit(X[:200], SUM[:200], eval_set=[(X[200:], SUM[200:])], callbacks=[stop])
    xg = xgboost.XGBRegressor(n_estimators=200, early_stopping_rounds=3, n_jobs=1)
    xg.fit(X[:200], SUM[:200], eval_set=[(X[200:], SUM[200:])], verbose=False)
    for model in (light, xg):
        tree_sums, predictions = read_trees(model).predict(X)[:, 0], model.predict(X)
        np.testing.assert_allclose(tree_sums - tree_sums[0], predictions - predictions[0], atol=1e-5)


def test_thresholds_between_two_numbers_of_single_precision():
    """Large whole numbers: in single precision neighbours are 128 apart."""
    days = (1_700_000_000 + 7 * np.arange(60.0))[:, None]
    y = np.arange(60.0) % 2
    light = lightgbm.LGBMRegressor(min_child_samples=1, min_data_in_bin=1, max_bin=500, **LIGHT)
    for model in (light.fit(days, y), tree.DecisionTreeRegressor(max_depth=3).fit(days, y)):
        tree_sums, predictions = read_trees(model).predict(days)[:, 0], model.predict(days)
        np.testing.assert_allclose(tree_sums - tree_sums[0], predictions - predictions[0], rtol=0, atol=1e-12)


REFUSED = {
    "lightgbm: linear models in its leaves": lambda: lightgbm.LGBMRegressor(linear_tree=True, **LIGHT).fit(X, SUM),
    "xgboost: booster='gblinear'": lambda: xgboost.XGBRegressor(booster="gblinear", **XG).fit(X, SUM),
    "catboost: ordered target statistics of categories": lambda: catboost.CatBoostRegressor(
        cat_features=[0], one_hot_max_size=2, **CAT
    ).fit([["a", 1.0], ["b", 2.0], ["a", 3.0], ["c", 4.0]] * 5, [1.0, 2, 3, 4] * 5),
    "adaboost: a weighted median": lambda: ensemble.AdaBoostRegressor(n_estimators=3).fit(X, SUM),
    "boosting: init=RandomForestRegressor": lambda: ensemble.GradientBoostingRegressor(
        n_estimators=3, init=ensemble.RandomForestRegressor(3)
    ).fit(X, SUM),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_sum_of_trees_is_refused_with_the_reason(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = REFUSED[name]()
    with pytest.raises(lc.errors.MethodError, match=name.partition(": ")[2]):
        read_trees(model)


def test_nan_as_the_largest_number():
    model = catboost.CatBoostRegressor(nan_mode="Max", **CAT).fit(HOLES, SUM)
    tree_sums, predictions = read_trees(model).predict(HOLES)[:, 0], model.predict(HOLES)
    np.testing.assert_allclose(tree_sums - tree_sums[0], predictions - predictions[0], rtol=0, atol=1e-12)


def test_what_is_no_ensemble():
    linear = pytest.importorskip("sklearn.linear_model").LinearRegression().fit(X, SUM)
    assert ensemble_library(linear) is margin_function(linear) is None
    with pytest.raises(lc.errors.MethodError, match=r"Expected a tree ensemble of LightGBM, .* got LinearRegression\."):
        SklearnModel(linear).structure("trees")


@pytest.mark.parametrize("name", ["lightgbm classes", "xgboost binary", "catboost binary", "histograms classes"])
def test_probabilities_of_boosted_trees_are_no_sum(name):
    model = SklearnModel(fitted(name).estimator)
    assert model.kind == "probabilities"
    with pytest.raises(
        lc.errors.MethodError,
        match=r"Expected a number that is a sum over trees, got the probabilities of.*Explain.*margin.*logits",
    ):
        model.structure("trees")


# -- pipelines ---------------------------------------------------------------------------------------------------------


def frame_of(rng, count):
    frame = pandas.DataFrame({"age": rng.integers(20, 60, count), "size": rng.normal(size=count).round(1)})
    frame["city"] = rng.choice(["Oslo", "Rome", "Bonn", "Lima"], count)
    frame["job"] = rng.choice(["cook", "nurse", "pilot"], count)
    frame.loc[::7, "size"] = np.nan
    return frame[["city", "age", "job", "size"]]


def one_hot_and_scaled():
    numbers = pipeline.make_pipeline(impute.SimpleImputer(add_indicator=True), preprocessing.StandardScaler())
    one_hot = preprocessing.OneHotEncoder(handle_unknown="ignore")
    return compose.make_column_transformer((one_hot, ["city", "job"]), (numbers, ["size", "age"]))


def one_hot_alone():
    one_hot = preprocessing.OneHotEncoder(handle_unknown="ignore")
    return compose.make_column_transformer((one_hot, ["job", "city"]), ("passthrough", ["age"]), sparse_threshold=1)


def ordinal():
    codes = preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return compose.make_column_transformer((codes, ["city", "job"]), remainder="passthrough")


PIPELINES = {
    "forest": lambda: pipeline.make_pipeline(one_hot_and_scaled(), ensemble.RandomForestRegressor(5)),
    "boosting": lambda: pipeline.make_pipeline(one_hot_and_scaled(), ensemble.GradientBoostingRegressor()),
    "histograms": lambda: pipeline.make_pipeline(
        ordinal(), ensemble.HistGradientBoostingRegressor(max_iter=9, categorical_features=[0, 1])
    ),
    "lightgbm": lambda: pipeline.make_pipeline(one_hot_and_scaled(), lightgbm.LGBMRegressor(**LIGHT)),
    "lightgbm frames": lambda: pipeline.make_pipeline(
        ordinal().set_output(transform="pandas"), lightgbm.LGBMRegressor(**LIGHT)
    ),
    "xgboost": lambda: pipeline.make_pipeline(one_hot_and_scaled(), xgboost.XGBRegressor(**XG)),
    "xgboost sparse": lambda: pipeline.make_pipeline(one_hot_alone(), xgboost.XGBRegressor(**XG)),
    "catboost": lambda: pipeline.make_pipeline(
        ordinal(), preprocessing.StandardScaler(), catboost.CatBoostRegressor(**CAT)
    ),
    "search": lambda: model_selection.GridSearchCV(
        pipeline.make_pipeline(one_hot_and_scaled(), ensemble.ExtraTreesRegressor(3)),
        {"extratreesregressor__max_depth": [4]},
        cv=2,
    ),
    "isolation forest": lambda: pipeline.make_pipeline(one_hot_and_scaled(), ensemble.IsolationForest(n_estimators=5)),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_columns_of_pipelines_are_those_before_preprocessing(name):
    rng = np.random.default_rng(0)
    frame = frame_of(rng, 200)
    target = frame.age * (frame.city == "Oslo") + 20 * (frame.job == "cook") * frame["size"].fillna(1)
    model = PIPELINES[name]().fit(frame, target)
    x = frame.iloc[[7]] if "sparse" in name else frame.iloc[[7]].assign(city="Graz")
    outputs = path_length_function(model) or model.predict
    if "xgboost" in name:  # its own sums are in single precision
        e = lc.Explainer(model, lc.maskers.Tabular(frame[10:15]), lc.TreeSHAP())(x)
        expected = brute_force(x, frame[10:15], outputs)[:, 0]
        np.testing.assert_allclose(e.scores, expected, rtol=0, atol=1e-5 * np.abs(target).max())
    else:
        assert_exact(model, x, frame.iloc[10:15], outputs)


@pytest.mark.parametrize(
    "classifier",
    [lightgbm.LGBMClassifier(**LIGHT), xgboost.XGBClassifier(**XG), catboost.CatBoostClassifier(**CAT)],
    ids=lambda model: type(model).__name__,
)
def test_margins_of_pipelines(classifier):
    frame = frame_of(np.random.default_rng(0), 200)
    model = pipeline.make_pipeline(one_hot_and_scaled(), classifier).fit(frame, frame.age + frame.city.str.len() > 42)
    margins = margin_function(model)(frame)
    probabilities = model.predict_proba(frame)[:, 1].astype(float)
    np.testing.assert_allclose(margins, np.log(probabilities / (1 - probabilities)), atol=1e-4)
    e = lc.Explainer(model, lc.maskers.Tabular(frame[10:15]), kind="margin")(frame.iloc[[3]])
    assert e.provenance["name"] == "tree-shap"
    assert abs(e.residual) < 1e-5


def test_preprocessing_that_mixes_columns_is_refused():
    decomposition = pytest.importorskip("sklearn.decomposition")
    model = pipeline.make_pipeline(decomposition.PCA(2), ensemble.RandomForestRegressor(2)).fit(X, SUM)
    with pytest.raises(lc.errors.MethodError, match="treats each column by itself, got PCA"):
        SklearnModel(model).structure("trees")
    e = lc.Explainer(model, lc.maskers.Tabular(X[:5]))(X[7])
    assert e.provenance["name"] == "shapley"
