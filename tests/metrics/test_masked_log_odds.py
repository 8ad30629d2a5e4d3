"""The masking measure against an implementation of its own."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import lcshap as lc
from lcshap.metrics import masking_curve

TEXTS = ["good fun and a great story", "bad and dull and awful", "a great film", "an awful mess of a film"]
MODEL = make_pipeline(CountVectorizer(token_pattern=r"\S+"), LogisticRegression()).fit(
    TEXTS, ["yes", "no", "yes", "no"]
)


def by_hand(text, scores, percent, keep):
    """The words, sorted in plain Python; the text, written anew; the model, called on that one text."""
    words = text.split()
    label = MODEL.predict_proba([text])[0].argmax()
    order = sorted(range(len(words)), key=lambda i: (-scores[i], i))
    n = round(percent * len(words) / 100) if percent else 0
    top = set(order[: max(n, 1) if percent else 0])
    kept_words = [w for i, w in enumerate(words) if (i in top) == keep]
    q = MODEL.predict_proba([" ".join(kept_words)])[0, label]
    return float(np.log(q + 1e-6) - np.log(1 - q + 1e-6))


@pytest.mark.parametrize("keep", [False, True])
def test_by_hand(keep):
    explainer = lc.Explainer(MODEL, lc.maskers.Text(), lc.LShapley(1))
    explanations = explainer(TEXTS)
    percents = (0, 1, 2, 5, 10, 20, 50, 100)
    curves = masking_curve(explainer, TEXTS, explanations, percents, keep)
    for text, e, curve in zip(TEXTS, explanations, curves, strict=True):
        expected = [by_hand(text, e.scores, p, keep) for p in percents]
        np.testing.assert_allclose(curve.values, expected, atol=1e-12)
        steps = zip(percents[:5], percents[1:6], expected[:5], expected[1:6], strict=True)
        area = sum((q - p) * ((a + b) / 2 - expected[0]) for p, q, a, b in steps) / 20
        assert curve.area(20) == pytest.approx(area)
        alone = masking_curve(explainer, text, e, percents, keep)
        np.testing.assert_allclose(alone.values, curve.values, atol=1e-12)
    assert curves[0].quantity == "log-odds of yes"


def test_a_path_is_masked_in_its_own_order():
    explainer = lc.Explainer(MODEL, lc.maskers.Text(), lc.DeletionPath(60), value="log_odds", target="yes")
    e = explainer(TEXTS[0])
    curve = masking_curve(explainer, TEXTS[0], e, (0, 50, 100))
    np.testing.assert_allclose(curve.values[1], e.path_values[3], atol=1e-4)


def test_an_explainer_adds_it_on_request(tmp_path):
    e = lc.Explainer(MODEL, lc.maskers.Text(), lc.Shapley(), curve=True)(TEXTS[1])
    assert e.curve["values"][0] > e.curve["values"][-1]
    assert e.curve["counts"][-1] == 5
    assert lc.load(e.save(tmp_path / "e.json")) == e
    output = lc.explain(lambda texts: [float(len(t)) for t in texts], "a bc", kind="output", curve=True)
    assert output.curve["what"] == "output"
    assert output.curve["values"][[0, -1]].tolist() == [4.0, 0.0]


def test_bad_input():
    explainer = lc.Explainer(MODEL, lc.maskers.Text(), lc.Shapley())
    e = explainer(TEXTS[0])
    with pytest.raises(
        lc.errors.MetricError, match=r"Expected percents that rise from 0 to at most 100, got \(0, 20, 10\)"
    ):
        masking_curve(explainer, TEXTS[0], e, (0, 20, 10))
    with pytest.raises(lc.errors.MetricError, match="an explanation of 5 units, as the input has, got 6"):
        masking_curve(explainer, TEXTS[1], e)
    with pytest.raises(
        lc.errors.MetricError,
        match=r"Expected values at 0 % and 30 % for an area up to 30 %, got values at \[0\.0, 20\.0\]",
    ):
        masking_curve(explainer, TEXTS[0], e, (0, 20)).area(30)
    both = lc.Explainer(MODEL, lc.maskers.Text(), lc.Shapley(), target="all")
    with pytest.raises(lc.errors.MetricError, match="one output"):
        masking_curve(both, TEXTS[0], both(TEXTS[0]))
