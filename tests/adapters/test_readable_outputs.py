"""Which outputs of classifiers can be explained exactly, compared with the probabilities of the same estimators."""

import lightgbm
import numpy as np
import pytest
import xgboost
from scipy.special import expit, softmax
from sklearn import ensemble, linear_model, neighbors, svm, tree
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lcshap.adapters import CallableModel, SklearnModel
from lcshap.adapters.readable_outputs import readable_kind

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
TWO = (X[:, 0] + X[:, 1] > 0.2).astype(int)
THREE = TWO + (X[:, 2] > 0.5)
MODELS = {
    "logistic": linear_model.LogisticRegression(),
    "logistic pipeline": make_pipeline(StandardScaler(), linear_model.LogisticRegression()),
    "discriminant": LinearDiscriminantAnalysis(),
    "gradient boosting": ensemble.GradientBoostingClassifier(n_estimators=4),
    "histograms": ensemble.HistGradientBoostingClassifier(max_iter=4),
    "lightgbm": lightgbm.LGBMClassifier(n_estimators=4, verbose=-1),
    "xgboost pipeline": make_pipeline(StandardScaler(), xgboost.XGBClassifier(n_estimators=4)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three classes"])
def test_logits_give_the_probabilities_of_the_estimator(name, y):
    estimator = MODELS[name].fit(X, y)
    assert readable_kind(estimator) == "logits"
    model = SklearnModel(estimator, "logits")
    assert model.readable_outputs == "margin"
    outputs = np.asarray(model.predict(X), np.float64)
    probabilities = softmax(outputs, axis=1) if outputs.shape[1] > 1 else expit(outputs)
    expected = estimator.predict_proba(X)[:, -probabilities.shape[1] :]
    np.testing.assert_allclose(probabilities, expected, atol=1e-5)


@pytest.mark.parametrize(
    "estimator", [ensemble.AdaBoostClassifier(n_estimators=4), linear_model.SGDClassifier("log_loss")]
)
def test_logits_of_two_classes_only(estimator):
    estimator.fit(X, TWO)
    assert readable_kind(estimator) == "logits"
    odds = estimator.predict_proba(X)[:, 1]
    np.testing.assert_allclose(expit(estimator.decision_function(X)), odds, atol=1e-9)
    assert readable_kind(estimator.fit(X, THREE)) == "margin"


def test_margins_with_another_meaning():
    one_versus_rest = linear_model.LogisticRegression(solver="liblinear")
    assert readable_kind(one_versus_rest.fit(X, TWO)) == "logits"
    exponential = ensemble.GradientBoostingClassifier(loss="exponential", n_estimators=2)
    assert readable_kind(exponential.fit(X, TWO)) == "margin"
    assert readable_kind(linear_model.SGDClassifier(loss="modified_huber").fit(X, TWO)) == "margin"


def test_forests():
    for estimator in (
        tree.DecisionTreeClassifier(),
        ensemble.RandomForestClassifier(3),
        ensemble.ExtraTreesClassifier(3),
    ):
        estimator.fit(X, THREE)
        assert readable_kind(estimator) == "probabilities"
        assert SklearnModel(estimator).readable_outputs == "probabilities"
    neighbours = make_pipeline(neighbors.KNeighborsClassifier()).fit(X, TWO)
    assert SklearnModel(neighbours).readable_outputs is None


def test_all_other_models():
    others = [
        neighbors.KNeighborsClassifier(),
        svm.SVC(),
        linear_model.LinearRegression(),
        ensemble.RandomForestRegressor(3),
    ]
    for estimator in others:
        assert readable_kind(estimator.fit(X, TWO)) is None
    assert readable_kind(len) is None
    assert CallableModel(len, "logits").readable_outputs is None
    assert CallableModel(len, "probabilities").readable_outputs is None
