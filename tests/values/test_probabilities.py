"""Probabilities by kind, against loops over `math`."""

import math

import numpy as np
import pytest

from lcshap.errors import ModelError
from lcshap.values import probabilities as chances

RNG = np.random.default_rng(0)


def sigmoid(z):
    return 1 / (1 + math.exp(-z))


@pytest.mark.parametrize("rows", [None, 1, 5])
def test_labels_have_a_sigmoid_each(rows):
    logits = RNG.normal(size=(6, rows or 1, 3)) * 3
    expected = [
        [math.fsum(sigmoid(z) for z in column) / len(call) for column in zip(*call, strict=True)]
        for call in logits.tolist()
    ]
    label_logits = logits if rows else logits[:, 0]
    for outputs, kind in ((label_logits, "multilabel-logits"), (1 / (1 + np.exp(-label_logits)), "multilabel")):
        np.testing.assert_allclose(chances.class_probabilities(outputs, kind), expected, rtol=1e-12)
        np.testing.assert_allclose(np.exp(chances.class_log_probs(outputs, kind, 1e-12)), expected, rtol=1e-12)
        no = [[1 - p for p in row] for row in expected]
        np.testing.assert_allclose(np.exp(chances.log_complement_probs(outputs, kind, 1e-12)), no, rtol=1e-10)
        odds = [[math.log(p) - math.log(1 - p) for p in row] for row in expected]
        np.testing.assert_allclose(chances.class_log_odds(outputs, kind, 1e-12), odds, rtol=1e-9, atol=1e-9)
        assert (np.abs(chances.class_probabilities(outputs, kind).sum(axis=1) - 1) > 0.1).any()


def test_extreme_logits_of_labels_keep_every_digit():
    outputs = np.array([[800.0, -800.0, 40.0, 1e-20]])
    np.testing.assert_array_equal(chances.class_log_odds(outputs, "multilabel-logits", 1e-12), outputs)
    logs = chances.class_log_probs(outputs, "multilabel-logits", 1e-12)
    np.testing.assert_allclose(logs[0], [0.0, -800.0, -math.log1p(math.exp(-40)), -math.log(2)], rtol=1e-15)
    background = np.array([[[-800.0], [-800.0]]])  # averaged without underflow
    assert chances.class_log_odds(background, "multilabel-logits", 1e-12)[0, 0] == -800.0


def test_one_margin_gives_the_margins_of_both_classes():
    np.testing.assert_array_equal(chances.margins(np.array([[2.0], [-3.0]]), "margin"), [[-2, 2], [3, -3]])
    three = np.array([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(chances.margins(three, "margin"), three)
    np.testing.assert_array_equal(chances.margins(np.array([[2.0]]), "output"), [[2]])
    kinds = ("logits", "probabilities", "margin", "output", "multilabel", "multilabel-logits")
    assert [chances.class_count(kind, 1) for kind in kinds] == [2, 2, 2, 1, 1, 1]


@pytest.mark.parametrize(
    ("outputs", "kind", "advice"),
    [
        (
            [[0.9, 0.8, 0.1]],
            "probabilities",
            r"Expected probabilities that sum to 1 from the model, got \[0\.9 0\.8 0\.1\] for row 0.*multilabel",
        ),
        (
            [[2.0, -1.0]],
            "probabilities",
            r"Expected probabilities from the model, got \[ 2\. -1\.\] for row 0.*logits.*multilabel",
        ),
        ([[2.0]], "probabilities", r"Expected probabilities from the model, got \[2\.\] for row 0.*sigmoid.*logits"),
        (
            [[0.5, 1.5]],
            "multilabel",
            r"Expected probabilities from the model, got \[0\.5 1\.5\] for row 0.*multilabel.*logits",
        ),
    ],
)
def test_what_is_no_probability_is_refused_with_the_right_advice(outputs, kind, advice):
    with pytest.raises(ModelError, match=advice):
        chances.class_probabilities(np.array(outputs), kind)


def test_value_functions_of_users_get_the_kind_of_the_model():
    logits = RNG.normal(size=(4, 3, 2))
    expected = [[math.log(p / (1 - p)) for p in row] for row in (1 / (1 + np.exp(-logits))).mean(axis=1).tolist()]
    np.testing.assert_allclose(chances.average_outputs(logits, "multilabel-logits"), expected, rtol=1e-9)
    np.testing.assert_array_equal(chances.average_outputs(logits, "output"), logits.mean(axis=1))
    np.testing.assert_array_equal(chances.average_outputs(logits[:, 0], "logits"), logits[:, 0])
