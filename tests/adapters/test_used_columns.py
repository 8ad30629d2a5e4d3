"""The columns that models use, found by changing each column by itself."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters.sklearn import SklearnModel
from lcshap.adapters.used_columns import used_columns

ensemble = pytest.importorskip("sklearn.ensemble")
from sklearn import compose, linear_model, neighbors, pipeline, preprocessing  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 9))
Y = (X[:, 7] * X[:, 2] + X[:, 4] > 0).astype(int)


def columns_that_matter(predict):
    """The columns that change an output if all rows exchange their values in them."""
    before = predict(X)
    changes = []
    for column in range(X.shape[1]):
        changed = X.copy()
        changed[:, column] = X[::-1, column]
        changes.append(not np.array_equal(predict(changed), before))
    return np.flatnonzero(changes).tolist()


def lightgbm():
    return pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=4, max_depth=2, verbose=-1, n_jobs=1)


def xgboost():
    return pytest.importorskip("xgboost").XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1)


def boosting_machine():
    options = {"interactions": [(2, 7)], "max_rounds": 5, "outer_bags": 1, "n_jobs": 1}
    return pytest.importorskip("interpret.glassbox").ExplainableBoostingClassifier(**options, exclude=list(range(4)))


MODELS = {
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
    "gradient boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0),
    "weights of zero": lambda: linear_model.LogisticRegression(l1_ratio=1, solver="liblinear", C=0.03),
    "terms": boosting_machine,
    "pipeline": lambda: pipeline.make_pipeline(
        compose.ColumnTransformer([("a", preprocessing.StandardScaler(), [8, 7]), ("b", "passthrough", [2])]),
        ensemble.GradientBoostingClassifier(n_estimators=4, random_state=0),
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_they_are_those_that_matter(name):
    model = MODELS[name]().fit(X, Y)
    columns = SklearnModel(model).used_columns()
    assert columns.tolist() == columns_that_matter(model.predict_proba)
    assert 0 < len(columns) < 9


def test_other_models_are_not_known():
    mixing = pipeline.make_pipeline(preprocessing.PolynomialFeatures(2), linear_model.Ridge()).fit(X, Y)
    unfitted = ensemble.GradientBoostingClassifier()
    for model in (neighbors.KNeighborsClassifier().fit(X, Y), mixing, unfitted, len):
        assert used_columns(model) is None
    assert lc.adapters.CallableModel(len, kind="output").used_columns() is None
