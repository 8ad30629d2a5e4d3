"""Trees that are read without shap: against the libraries themselves, on rows they have never seen."""

import numpy as np
import pytest

from lcshap.adapters.tree_readers import dart_weights, read_boosting, read_catboost, read_lightgbm

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")
catboost = pytest.importorskip("catboost")
ensemble = pytest.importorskip("sklearn.ensemble")

RNG = np.random.default_rng(1)
X = np.column_stack([RNG.integers(0, 9, 400), RNG.normal(size=(400, 3)).round(1)])
SUM = (X[:, 0] % 3 == 1) * (5 + X[:, 1]) + X[:, 2]
THREE = np.digitize(SUM, [0, 4])
NEW = np.column_stack([RNG.integers(0, 14, 300), RNG.normal(size=(300, 3)).round(1)])
HOLES = np.where(RNG.random(NEW.shape) < 0.2, np.nan, NEW)
LIGHT = {
    "n_estimators": 9,
    "verbose": -1,
    "n_jobs": 1,
    "min_child_samples": 3,
    "min_data_per_group": 3,
    "cat_smooth": 1,
}


def check_trees(trees, rows, expected):
    predicted = trees.predict(trees.rounded(rows))
    np.testing.assert_allclose(predicted - predicted[0], expected - expected[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}], ids=str)
@pytest.mark.parametrize("rows", [NEW, HOLES], ids=["numbers", "gaps"])
@pytest.mark.parametrize("gaps", [False, True])
def test_lightgbm_with_categories_unseen_ones_and_gaps(options, rows, gaps):
    seen = np.where(RNG.random(X.shape) < 0.1, np.nan, X) if gaps else X
    model = lightgbm.LGBMRegressor(**LIGHT, **options).fit(seen, SUM, categorical_feature=[0])
    trees = read_lightgbm(model)
    assert len(trees.members) > 3
    check_trees(trees, rows, model.predict(rows)[:, None])


def test_lightgbm_with_several_classes():
    model = lightgbm.LGBMClassifier(**LIGHT).fit(X, THREE, categorical_feature=[0])
    check_trees(read_lightgbm(model), NEW, model.predict(NEW, raw_score=True))


def test_boosting_with_several_classes():
    model = ensemble.GradientBoostingClassifier(n_estimators=7, max_depth=4).fit(X, THREE)
    single = NEW.astype(np.float32).astype(float)
    check_trees(read_boosting(model), single, model.decision_function(NEW))


@pytest.mark.parametrize("rows", [NEW, HOLES], ids=["numbers", "gaps"])
def test_catboost_with_several_classes(rows):
    seen = X.copy()
    seen[::5, 1] = np.nan
    options = {"iterations": 9, "depth": 5, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    model = catboost.CatBoostClassifier(**options).fit(seen, THREE)
    rows = np.column_stack([NEW[:, 0], rows[:, 1], NEW[:, 2:]])
    single = rows.astype(np.float32).astype(float)
    check_trees(read_catboost(model), single, model.predict(rows, prediction_type="RawFormulaVal"))


def test_weights_of_dropped_trees():
    options = {"n_estimators": 9, "n_jobs": 1}
    weights = dart_weights(xgboost.XGBRegressor(booster="dart", rate_drop=0.5, **options).fit(X, SUM))
    assert len(weights) == 9
    assert weights.min() < 1
    assert dart_weights(xgboost.XGBRegressor(**options).fit(X, SUM)) is None
