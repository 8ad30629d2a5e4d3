"""Classifiers of several labels, from scikit-learn and CatBoost, against their own `predict_proba`."""

import math
import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import lcshap as lc
from lcshap.adapters import SklearnModel
from lcshap.adapters.multilabel import is_multilabel, label_columns

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = (X[:, :3] + 0.3 * RNG.normal(size=(80, 3)) > 0).astype(int)
ESTIMATORS = [
    MultiOutputClassifier(LogisticRegression()),
    ClassifierChain(LogisticRegression()),
    OneVsRestClassifier(LogisticRegression()),
    RandomForestClassifier(5, random_state=0),
    KNeighborsClassifier(),
    MLPClassifier(max_iter=30, random_state=0),
    make_pipeline(StandardScaler(), MultiOutputClassifier(LogisticRegression())),
    GridSearchCV(OneVsRestClassifier(LogisticRegression()), {"estimator__C": [1.0]}, cv=2),
]


def fitted(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a network that has not converged is as good here
        return estimator.fit(X, Y)


def label_probabilities(estimator, rows):
    tables = estimator.predict_proba(rows)
    return np.stack([table[:, 1] for table in tables], axis=1) if isinstance(tables, list) else tables


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_several_labels_are_found_by_themselves(estimator):
    model = SklearnModel(fitted(estimator))
    assert (model.kind, model.classes) == ("multilabel", ("0", "1", "2"))
    np.testing.assert_array_equal(model.predict(X), label_probabilities(estimator, X))


def test_catboost_is_recognized_by_its_loss():
    catboost = pytest.importorskip("catboost")
    options = {"iterations": 5, "verbose": 0, "allow_writing_files": False}
    several = catboost.CatBoostClassifier(loss_function="MultiLogloss", **options).fit(X, Y)
    model = SklearnModel(several)
    assert (model.kind, model.classes) == ("multilabel", ("0", "1", "2"))
    np.testing.assert_array_equal(model.predict(X), several.predict_proba(X))
    one = catboost.CatBoostClassifier(**options).fit(X, Y[:, 0])
    assert SklearnModel(one).kind == "probabilities"


def test_the_scores_of_a_label_are_those_of_its_own_classifier():
    several = MultiOutputClassifier(LogisticRegression()).fit(X, Y)
    masker, options = lc.maskers.Tabular(X[:1]), {"method": lc.Shapley(), "value": "log_odds"}
    for label in range(3):
        e = lc.Explainer(several, masker, target=label, **options)(X[5])
        alone = lc.Explainer(several.estimators_[label], masker, target=1, **options)(X[5])
        np.testing.assert_allclose(e.scores, alone.scores, atol=1e-9)
        assert e.provenance["targets"] == [str(label)]
        p = several.estimators_[label].predict_proba(X[5:6])[0, 1]
        assert e.full_value == pytest.approx(math.log(p / (1 - p)))


def test_margins_of_labels_are_outputs():
    model = SklearnModel(OneVsRestClassifier(LinearSVC()).fit(X, Y))
    assert (model.kind, model.method, model.classes) == ("output", "decision_function", ("0", "1", "2"))
    logits = SklearnModel(OneVsRestClassifier(LogisticRegression()).fit(X, Y), kind="multilabel-logits")
    assert logits.method == "decision_function"


def test_classes_that_exclude_each_other_are_no_labels():
    one = Y[:, 0] + Y[:, 1]
    for estimator in (LogisticRegression(), RandomForestClassifier(5), OneVsRestClassifier(LogisticRegression())):
        assert not is_multilabel(estimator.fit(X, one))
    assert not is_multilabel(MLPClassifier(max_iter=300, tol=0.1).fit(X, Y[:, 0]))


def test_a_label_that_was_never_seen_and_one_with_three_classes():
    never = MultiOutputClassifier(RandomForestClassifier(3)).fit(X, Y * [1, 0, 1])
    assert (SklearnModel(never).predict(X)[:, 1] == 0).all()
    assert label_columns([[[1.0]]], [np.array([1])], "f").tolist() == [[1.0]]
    three = RandomForestClassifier(3).fit(X, RNG.integers(0, 3, (80, 2)))
    with pytest.raises(
        lc.errors.ModelError,
        match=r"Expected a table of two columns, no and yes, for every label .*predict_proba\(rows\)\[0\]",
    ):
        SklearnModel(three).predict(X)
