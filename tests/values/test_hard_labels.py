"""Labels that are passed off as probabilities."""

import warnings

import numpy as np
import pytest
from sklearn.svm import SVC

import lcshap as lc
from lcshap.values.hard_labels import HardLabels


def test_a_few_sure_answers_and_one_doubt_are_no_labels():
    hard_labels = HardLabels()
    hard_labels.observe(np.array([[0.0, 1.0]] * 3))
    assert not hard_labels.detected
    hard_labels.observe(np.array([[1.0, 0.0]]))
    assert hard_labels.detected
    hard_labels.observe(np.array([[0.4, 0.6]]))
    assert not hard_labels.detected


def test_predict_in_place_of_predict_proba_is_warned_of_once():
    x = np.random.default_rng(0).normal(size=(40, 4))
    svc = SVC().fit(x, x[:, 0] > 0)
    masker = lc.maskers.Tabular(x[:1])
    options = {"method": lc.Shapley(), "kind": "probabilities"}
    with pytest.warns(UserWarning, match=r"all 0 or 1 \(\d+ rows\).*predict_proba.*value=\"prob\"") as warned:
        lc.Explainer(lambda rows: svc.predict(rows).astype(float), masker, **options)(x[:3])
    assert len(warned) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lc.Explainer(lambda rows: svc.predict(rows).astype(float), masker, value="prob", **options)(x[1])
        lc.Explainer(lambda rows: 0.2 + 0.6 * svc.predict(rows), masker, **options)(x[1])
