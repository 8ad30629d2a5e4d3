"""Deletion and insertion: texts written by hand, images by Quantus."""

import numpy as np
import pytest
import quantus
import torch
from sklearn.datasets import load_digits
from torch import nn

import lcshap as lc
from lcshap.metrics import deletion_auc, insertion_auc


@pytest.mark.parametrize(("metric", "keep"), [(deletion_auc, False), (insertion_auc, True)])
@pytest.mark.parametrize("step", [None, 3])
def test_areas_by_hand(explained, metric, keep, step):
    explainer, texts, explanations, chance = explained
    areas = metric(explainer, texts, explanations, step)
    for text, e, area in zip(texts, explanations, areas, strict=True):
        d, size = len(text.split()), step or 1
        counts = [*range(0, d, size), d]
        p = [chance(text, e.scores, n, keep) for n in counts]
        steps = zip(counts[:-1], counts[1:], p[:-1], p[1:], strict=True)
        assert area == pytest.approx(sum((n - m) / d * (a + b) / 2 for m, n, a, b in steps), abs=1e-12)
        assert metric(explainer, text, e, step) == pytest.approx(area, abs=1e-12)


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


def test_models_without_classes(counted):
    assert deletion_auc(*counted) == pytest.approx(2.0)
    assert insertion_auc(*counted) == pytest.approx(2.0)


def test_bad_input(explained):
    explainer, texts, explanations, _ = explained
    for step in (0, 1.5, True):
        for metric in (deletion_auc, insertion_auc):
            with pytest.raises(
                lc.errors.MetricError, match="Expected step as a number of units of at least 1, or None, got"
            ):
                metric(explainer, texts[0], explanations[0], step)
