"""Deletion, insertion, comprehensiveness and sufficiency: texts written by hand, images by Quantus."""

import numpy as np
import pytest
import quantus
import torch
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from torch import nn

import lcshap as lc
from lcshap.metrics import comprehensiveness, deletion_auc, insertion_auc, sufficiency

TEXTS = ["good fun and a great story told well by all", "bad and dull and awful", "a great film", "an awful mess"]
MODEL = make_pipeline(CountVectorizer(token_pattern=r"\S+"), LogisticRegression()).fit(
    TEXTS, ["yes", "no", "yes", "no"]
)


@pytest.fixture(scope="module")
def explained():
    explainer = lc.Explainer(MODEL, lc.maskers.Text(), lc.LShapley(1))
    return explainer, explainer(TEXTS)


def chance(text, scores, count, keep):
    """P of the class predicted for the text, once its first words by score are gone, or alone."""
    words, label = text.split(), MODEL.predict_proba([text])[0].argmax()
    top = sorted(range(len(words)), key=lambda i: (-scores[i], i))[:count]
    left = [word for i, word in enumerate(words) if (i in top) == keep]
    return float(MODEL.predict_proba([" ".join(left)])[0, label])


@pytest.mark.parametrize(("metric", "keep"), [(deletion_auc, False), (insertion_auc, True)])
@pytest.mark.parametrize("step", [None, 3])
def test_areas_by_hand(explained, metric, keep, step):
    explainer, explanations = explained
    found = metric(explainer, TEXTS, explanations, step)
    for text, e, area in zip(TEXTS, explanations, found, strict=True):
        d, size = len(text.split()), step or 1
        counts = [*range(0, d, size), d]
        p = [chance(text, e.scores, n, keep) for n in counts]
        steps = zip(counts[:-1], counts[1:], p[:-1], p[1:], strict=True)
        assert area == pytest.approx(sum((n - m) / d * (a + b) / 2 for m, n, a, b in steps), abs=1e-12)
        assert metric(explainer, text, e, step) == pytest.approx(area, abs=1e-12)


@pytest.mark.parametrize(("metric", "keep"), [(comprehensiveness, False), (sufficiency, True)])
def test_rationales_by_hand(explained, metric, keep):
    explainer, explanations = explained
    for percents in [(1, 5, 10, 20, 50), (30,)]:
        found = metric(explainer, TEXTS, explanations, percents)
        for text, e, loss in zip(TEXTS, explanations, found, strict=True):
            d = len(text.split())
            each = [chance(text, e.scores, max(1, round(p * d / 100)), keep) for p in percents]
            assert loss == pytest.approx(chance(text, e.scores, 0, False) - sum(each) / len(each), abs=1e-12)
    assert metric(explainer, TEXTS, explanations).tolist() == pytest.approx(
        metric(explainer, TEXTS, explanations, (1, 5, 10, 20, 50)).tolist()
    )


@pytest.fixture(scope="module")
def digits():
    data = load_digits()
    x = (data.images[:, None] / 16).astype(np.float32)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    optimiser = torch.optim.Adam(net.parameters(), 0.01)
    for _ in range(60):
        loss = nn.functional.cross_entropy(net(torch.tensor(x[:500])), torch.tensor(data.target[:500]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return net.eval(), x[500:506]


def test_deletion_is_pixel_flipping_of_quantus(digits):
    net, images = digits
    explainer = lc.Explainer(
        net, lc.maskers.Image(reference=0.0, channels="first"), lc.FeatureAblation(), kind="logits"
    )
    explanations = explainer(list(images))
    scores = np.array([e.scores.reshape(1, 8, 8) - 1e-9 * np.arange(64).reshape(1, 8, 8) for e in explanations])
    with torch.no_grad():
        full = net(torch.tensor(images)).double().softmax(1).numpy()
    labels = full.argmax(1)
    flipping = quantus.PixelFlipping(features_in_step=4, normalise=False, disable_warnings=True)
    curves = flipping(model=net, x_batch=images, y_batch=labels, a_batch=scores, softmax=True)
    for p, first, area in zip(curves, full.max(1), deletion_auc(explainer, list(images), explanations, 4), strict=True):
        p = np.array([first, *p])  # Quantus leaves the full image out
        assert area == pytest.approx((p.sum() - p[0] / 2 - p[-1] / 2) / 16, abs=1e-5)


def test_models_without_classes():
    explainer = lc.Explainer(
        lambda texts: [float(len(t.split())) for t in texts], lc.maskers.Text(), "l-shapley", kind="output"
    )
    e = explainer("one two three four")
    assert deletion_auc(explainer, "one two three four", e) == pytest.approx(2.0)
    assert comprehensiveness(explainer, "one two three four", e, (25, 50)) == pytest.approx(1.5)
    assert sufficiency(explainer, "one two three four", e, (25, 50)) == pytest.approx(2.5)


def test_bad_input(explained):
    explainer, explanations = explained
    for step in (0, 1.5, True):
        with pytest.raises(lc.MethodError, match="step must be a number of units"):
            deletion_auc(explainer, TEXTS[0], explanations[0], step)
    with pytest.raises(lc.MethodError, match="must rise from 0"):
        comprehensiveness(explainer, TEXTS[0], explanations[0], (50, 20))
    with pytest.raises(lc.MethodError, match="3 explanations for 4 inputs"):
        insertion_auc(explainer, TEXTS, explanations[:3])
    with pytest.raises(lc.MethodError, match="10 units for an input of 3"):
        sufficiency(explainer, TEXTS[2], explanations[0])
