import subprocess
import sys

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from lcshap.adapters.sklearn import SklearnModel
from lcshap.errors import ModelError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
TWO = (X[:, 0] > 0).astype(int)
THREE = np.array(["cat", "cow", "dog"])[np.digitize(X[:, 0], [-0.5, 0.5])]
TEXTS = ["good film", "bad film", "good good plot", "bad bad plot"] * 3
FEEL = ["pos", "neg", "pos", "neg"] * 3


def test_a_classifier_gives_its_probabilities():
    forest = RandomForestClassifier(5, random_state=0).fit(X, THREE)
    model = SklearnModel(forest)
    assert (model.kind, model.classes) == ("probabilities", ("cat", "cow", "dog"))
    np.testing.assert_array_equal(model.predict(X), forest.predict_proba(X))


def test_a_regressor_gives_its_output():
    line = LinearRegression().fit(X, X @ [1, 2, 3, 4])
    model = SklearnModel(line)
    assert (model.kind, model.classes) == ("output", None)
    np.testing.assert_array_equal(model.predict(X), line.predict(X)[:, None])
    both = SklearnModel(make_pipeline(StandardScaler(), LinearRegression()).fit(X, X[:, :2]))
    assert both.kind == "output"
    assert both.predict(X).shape == (60, 2)


@pytest.mark.parametrize("estimator", [SVC(), LinearSVC(), RidgeClassifier()])
def test_a_margin_is_a_logit_only_on_request(estimator):
    fitted = estimator.fit(X, TWO)
    model = SklearnModel(fitted)
    assert (model.kind, model.method) == ("margin", "decision_function")
    assert SklearnModel(fitted, kind="output").kind == "output"  # as the user says: its sign stays
    np.testing.assert_array_equal(model.predict(X), fitted.decision_function(X)[:, None])
    assert SklearnModel(fitted, kind="logits").kind == "logits"
    with pytest.raises(ModelError, match="Expected a model with predict_proba for kind='probabilities', got"):
        SklearnModel(fitted, kind="probabilities")


def test_the_margin_of_a_classifier_with_probabilities():
    logistic = LogisticRegression().fit(X, TWO)
    for kind in ("output", "logits"):
        model = SklearnModel(logistic, kind=kind)
        np.testing.assert_array_equal(model.predict(X), logistic.decision_function(X)[:, None])
    p = SklearnModel(logistic).predict(X)
    np.testing.assert_allclose(1 / (1 + np.exp(-model.predict(X)[:, 0])), p[:, 1], rtol=1e-9)
    assert SklearnModel(LogisticRegression().fit(X, THREE), kind="logits").predict(X).shape == (60, 3)


def test_pipelines_take_strings():
    pipe = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, FEEL)
    model = SklearnModel(pipe)
    assert model.classes == ("neg", "pos")
    np.testing.assert_array_equal(model.predict(["good", "bad plot"]), pipe.predict_proba(["good", "bad plot"]))
    svm = SklearnModel(make_pipeline(CountVectorizer(), LinearSVC()).fit(TEXTS, FEEL))
    assert svm.kind == "margin"
    assert svm.predict(["good", "bad"]).shape == (2, 1)
    search = SklearnModel(GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2).fit(X, TWO))
    assert search.kind == "probabilities"


def test_an_outlier_score_is_an_output():
    forest = IsolationForest(n_estimators=5, random_state=0).fit(X)
    assert SklearnModel(forest, method="decision_function").kind == "output"
    assert SklearnModel(forest).method == "mean_path_length"


def test_labels_are_not_explained():
    with pytest.raises(ModelError, match="labels cannot be explained"):
        SklearnModel(RandomForestClassifier(5).fit(X, TWO), kind="output")
    with pytest.raises(ModelError, match="labels cannot be explained"):
        SklearnModel(KMeans(2, n_init=1, random_state=0).fit(X))
    with pytest.raises(ModelError, match="no method that predicts"):
        SklearnModel(StandardScaler())


def test_the_method_can_be_chosen():
    logistic = LogisticRegression().fit(X, TWO)
    assert SklearnModel(logistic, method="decision_function").kind == "margin"
    assert SklearnModel(logistic, method="predict").predict(X).shape == (60, 1)
    with pytest.raises(ModelError, match=r"Expected a method of LogisticRegression .*, got 'score_samples'"):
        SklearnModel(logistic, method="score_samples")
    with pytest.raises(
        ModelError, match=r"Expected a method that returns logits, got LogisticRegression\.predict_proba"
    ):
        SklearnModel(logistic, kind="logits", method="predict_proba")
    with pytest.raises(
        ModelError, match=r"Expected a method that returns probabilities, got LogisticRegression\.decision_function"
    ):
        SklearnModel(logistic, kind="probabilities", method="decision_function")
    with pytest.raises(ModelError, match="Expected a known kind, got 'scores'"):
        SklearnModel(logistic, kind="scores")


class Unknown:
    """As Keras models are: `predict` returns whatever the last layer does."""

    def predict(self, rows):
        return np.full((len(rows), 2), 0.5)


def test_an_object_with_predict_alone_needs_a_kind():
    with pytest.raises(ModelError, match=r'Unknown.predict does not declare .*kind="probabilities"'):
        SklearnModel(Unknown())
    model = SklearnModel(Unknown(), kind="probabilities")
    assert model.kind == "probabilities"
    assert model.predict(X).shape == (60, 2)


def test_a_regressor_of_another_library_with_empty_classes():
    class Boosted(Unknown):
        _estimator_type = "regressor"
        classes_ = ()

    model = SklearnModel(Boosted())
    assert (model.kind, model.method, model.classes) == ("output", "predict", None)


def test_scikit_learn_is_not_imported():
    code = """
import sys
from lcshap.adapters.sklearn import SklearnModel
class Coin:
    def predict_proba(self, rows): return [[0.5, 0.5]] * len(rows)
assert SklearnModel(Coin()).predict(["a"]).shape == (1, 2)
print("sklearn" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
