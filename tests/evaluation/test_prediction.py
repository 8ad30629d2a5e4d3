"""What is recorded of a prediction: the model's own probabilities, by name."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import lcshap as lc
from lcshap.evaluation.prediction import MAX_CLASSES, predicted_classes
from lcshap.values import Value


def classes_of(full, kind, classes=None, **options):
    return predicted_classes(Value(**options).resolve(np.array([full]), kind, classes))


@pytest.mark.parametrize("target", [None, "virginica"])
def test_a_real_model_with_each_value(target, tmp_path):
    data = load_iris()
    model = LogisticRegression(max_iter=1000).fit(data.data, data.target_names[data.target])
    x = data.data[100]
    e = lc.Explainer(model, lc.maskers.Tabular(data.data[::15]), lc.Shapley(), target=target)(x)
    shares = dict(zip(model.classes_, model.predict_proba([x])[0], strict=True))
    probabilities = dict(e.provenance["prediction"])
    assert probabilities == pytest.approx(shares)
    assert list(probabilities) == sorted(shares, key=shares.get, reverse=True)
    assert lc.load(e.save(tmp_path / "e.json")).provenance["prediction"] == e.provenance["prediction"]


def test_kinds():
    assert classes_of([0.0], "logits") == [("0", 0.5), ("1", 0.5)]
    assert classes_of([0.2], "probabilities", ["no", "yes"]) == [("no", 0.8), ("yes", 0.2)]
    assert classes_of([-1.0, 2.0, 0.0], "margin", list("abc"), name="output") == [("b", None)]
    assert classes_of([-3.0], "margin", ["no", "yes"], name="output") == [("no", None)]
    assert classes_of([0.9, 0.8], "multilabel", ["a", "b"]) == []
    assert classes_of([4.0], "output", name="output") == []


def test_background_rows_are_averaged():
    value = Value().resolve(np.array([[[0.2, 0.8], [0.6, 0.4]]]), "probabilities", ["a", "b"])
    assert predicted_classes(value) == [("b", pytest.approx(0.6)), ("a", pytest.approx(0.4))]


def test_of_many_classes_the_most_probable():
    full = np.linspace(0, 5, 100)
    classes = classes_of(full, "logits")
    assert len(classes) == MAX_CLASSES
    assert classes[0][0] == "99"
    assert classes[0][1] == pytest.approx(np.exp(5) / np.exp(full).sum())
