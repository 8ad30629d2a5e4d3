import subprocess
import sys
from itertools import combinations
from math import factorial

import numpy as np
import pytest
import quantus
import torch
from sklearn.datasets import load_digits
from torch import nn

import lcshap as lc
from lcshap.adapters.callable import CallableModel
from lcshap.adapters.torch import TorchModel
from lcshap.errors import MaskerError, MethodError, MetricError, ModelError
from lcshap.metrics.quantus import explain_func

DIGITS = load_digits()
X = (DIGITS.images[:, None] / 16).astype(np.float32)
SHAPLEY = {"method": lc.Shapley(), "patch": 4}


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    layers = [nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 10)]
    module, x, y = nn.Sequential(*layers), torch.tensor(X[:500]), torch.tensor(DIGITS.target[:500])
    optimiser = torch.optim.Adam(module.parameters(), lr=0.01)
    for _ in range(40):
        optimiser.zero_grad()
        nn.functional.cross_entropy(module(x), y).backward()
        optimiser.step()
    return module.eval()


@pytest.fixture(scope="module")
def batch(net):
    """Eight images that the network has not seen and gets right, of at least four classes."""
    with torch.no_grad():
        right = net(torch.tensor(X[500:540])).argmax(1).numpy() == DIGITS.target[500:540]
    rows = 500 + np.flatnonzero(right)[:8]
    assert len(set(DIGITS.target[rows])) >= 4
    return X[rows], DIGITS.target[rows]


def linear(weights):
    module = nn.Sequential(nn.Flatten(), nn.Linear(*weights.shape[::-1], bias=False))
    module[1].weight.data = torch.tensor(weights, dtype=torch.float32)
    return module.eval()


def by_hand(model, inputs, targets):
    """Shapley values of log P(target) for the four quarters of each image against its mean, shared by their pixels."""
    attributions = np.zeros(inputs.shape)
    quarters = [(slice(r, r + 4), slice(c, c + 4)) for r in (0, 4) for c in (0, 4)]
    sets = [frozenset(kept) for size in range(5) for kept in combinations(range(4), size)]
    for image, target, attribution in zip(inputs, targets, attributions, strict=True):
        rows = np.full((16, 1, 8, 8), image.mean(dtype=np.float64), np.float32)
        for row, kept in zip(rows, sets, strict=True):
            for unit in kept:
                row[0][quarters[unit]] = image[0][quarters[unit]]
        with torch.no_grad():
            values = dict(zip(sets, model(torch.tensor(rows)).double().log_softmax(1)[:, target].tolist(), strict=True))
        for unit, quarter in enumerate(quarters):
            for kept in [k for k in sets if unit not in k]:
                weight = factorial(len(kept)) * factorial(3 - len(kept)) / factorial(4)
                attribution[0][quarter] += weight * (values[kept | {unit}] - values[kept]) / 16
    return attributions


def test_each_input_is_explained_for_its_own_target(net, batch):
    x, y = batch
    np.testing.assert_allclose(explain_func(net, x, y, **SHAPLEY), by_hand(net, x, y), atol=1e-6)
    other_targets = (y + 1) % 10
    np.testing.assert_allclose(
        explain_func(net, x, other_targets, **SHAPLEY), by_hand(net, x, other_targets), atol=1e-6
    )


def test_max_sensitivity_is_that_of_the_same_scores_by_hand(net, batch):
    x, y = batch
    scores = []
    for function, options in [(explain_func, SHAPLEY), (by_hand, {})]:
        np.random.seed(0)  # noqa: NPY002 (Quantus draws from there)
        metric = quantus.MaxSensitivity(nr_samples=2, lower_bound=0.1, disable_warnings=True)
        scores.append(metric(model=net, x_batch=x, y_batch=y, explain_func=function, explain_func_kwargs=options))
    assert np.min(scores) > 0
    np.testing.assert_allclose(*scores, rtol=1e-3)


def test_sampled_methods_devices_and_evaluate(net, batch):
    x, y = batch
    metric = quantus.MaxSensitivity(nr_samples=1, disable_warnings=True)
    options = {"method": lc.RegressionCShapley(4), "patch": 4}
    scores = metric(
        model=net, x_batch=x, y_batch=y, explain_func=explain_func, explain_func_kwargs=options, device="cpu"
    )
    assert len(scores) == len(x)
    assert np.isfinite(scores).all()
    metrics = quantus.evaluate(
        metrics={"Sparseness": quantus.Sparseness(disable_warnings=True)},
        xai_methods={"shapley": explain_func},
        model=net,
        x_batch=x,
        y_batch=y,
        explain_func_kwargs={"patch": 4},
    )
    expected = quantus.Sparseness(disable_warnings=True)(model=net, x_batch=x, y_batch=y, a_batch=by_hand(net, x, y))
    np.testing.assert_allclose(metrics["shapley"]["Sparseness"], expected, atol=1e-4)


def test_pixel_flipping_finds_the_important_pixels_first(net, batch):
    x, y = batch
    metric = quantus.PixelFlipping(features_in_step=4, perturb_baseline="black", disable_warnings=True)
    options = {"masker": lc.maskers.Image(reference=0.0, channels="first"), "method": "feature-ablation"}
    a = explain_func(net, x, y, value="output", **options)
    curves = np.array(metric(model=net, x_batch=x, y_batch=y, a_batch=a))
    backwards = np.array(metric(model=net, x_batch=x, y_batch=y, a_batch=-a))
    assert curves.shape == (8, 16)
    assert (curves.mean(axis=1) < backwards.mean(axis=1)).all()


def test_faithfulness_correlation_of_a_linear_model_is_one(batch):
    x, y = batch
    module = linear(np.random.default_rng(0).normal(size=(10, 64)))
    options = {"masker": lc.maskers.Image(reference=0.0, channels="first"), "method": lc.FeatureAblation()}
    metric = quantus.FaithfulnessCorrelation(
        nr_runs=20, subset_size=16, perturb_baseline="black", return_aggregate=False, disable_warnings=True
    )
    np.random.seed(0)  # noqa: NPY002 (Quantus draws from there)
    scores = metric(
        model=module,
        x_batch=x,
        y_batch=y,
        explain_func=explain_func,
        explain_func_kwargs={**options, "value": "output"},
    )
    np.testing.assert_allclose(scores, 1, atol=1e-4)


def test_completeness():
    """Whole numbers in units of 16 pixels: all sums are exact, as the metric needs it."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(1, 9, size=(4, 1, 8, 8)).astype(np.float32), np.array([0, 1, 1, 0])
    x[:, :, 0, 0] = 0
    module = linear(rng.integers(-4, 5, size=(2, 64)).astype(float))
    options = {
        "masker": lc.maskers.Image(patch=4, reference=0.0, channels="first"),
        "method": lc.FeatureAblation(),
        "value": "output",
    }
    metric = quantus.Completeness(abs=False, normalise=False, disable_warnings=True)
    scores = metric(model=module, x_batch=x, y_batch=y, explain_func=explain_func, explain_func_kwargs=options)
    assert scores == [True] * 4


def test_scores_are_shared_by_the_numbers_of_a_unit():
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(2, 3, 4, 4)), np.array([[0, 0, 1, 1], [0, 2, 2, 2], [2] * 4, [2] * 4])
    weights = rng.normal(size=(2, 48))
    terms = weights.reshape(2, 3, 4, 4) * x
    masker = lc.maskers.Image(labels=labels, reference=0.0, channels="first")
    a = explain_func(linear(weights), x, [0, 1], masker=masker, method=lc.Shapley(), kind="output")
    for unit, size in [(0, 3), (1, 2), (2, 11)]:
        expected = terms[:, :, labels == unit].sum(axis=(1, 2)) / (3 * size)
        np.testing.assert_allclose(a[:, :, labels == unit], np.tile(expected[:, None, None], (3, size)), atol=1e-5)


def test_a_custom_masker_for_tables():
    weights = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 5.0]])
    x, y = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32), np.array([1, 0])
    masker = lc.maskers.Tabular(np.ones(3), pin=2)
    module = linear(weights)
    for model in (module, TorchModel(module, "output"), CallableModel(lambda rows: rows @ weights.T, "output")):
        kind = None if model is not module else "output"
        a = explain_func(model, x, y, masker=masker, method=lc.Shapley(), kind=kind)
        np.testing.assert_allclose(a, [[0, -1, 0], [3, 8, 0]], atol=1e-5)


def test_gradient_methods(net, batch):
    x, y = batch
    a = explain_func(net, x, y, method=lc.Saliency(), masker=lc.maskers.Image(reference=0.0, channels="first"))
    start = torch.tensor(x, requires_grad=True)
    net(start).log_softmax(1)[range(8), y].sum().backward()
    np.testing.assert_allclose(a, start.grad.abs().numpy(), atol=1e-5)


def test_what_is_refused(net, batch):
    x, y = batch
    for targets in (y[:3], y[:, None], y.astype(float), None):
        with pytest.raises(MetricError, match="one class number for each of the 8 inputs"):
            explain_func(net, x, targets)
    with pytest.raises(ModelError, match="Expected a target from 0 to 9, got 10"):
        explain_func(net, x, np.full(8, 10), patch=4)
    with pytest.raises(ModelError, match="Expected the kind of a model that seems to return probabilities, got none"):
        explain_func(nn.Sequential(net, nn.Softmax(1)), x, y, patch=4)
    with pytest.raises(MaskerError, match=r"Expected a masker for inputs of shape \(8, 64\), got none.*masker=Tabular"):
        explain_func(linear(np.ones((2, 64))), x.reshape(8, 64), y)
    with pytest.raises(MetricError, match=r"Expected patch or masker, got both.*masker=Image"):
        explain_func(net, x, y, masker=lc.maskers.Image(), patch=4)
    ids = np.ones((8, 3), int)
    with pytest.raises(MaskerError, match="Expected a masker that maps units to the numbers of an input, got Tokens"):
        explain_func(lambda rows: rows, ids, y, masker=lc.maskers.Tokens(), kind="output")
    with pytest.raises(MethodError, match="the name of a method, got 'saliency map'"):
        explain_func(net, x, y, method="saliency map")


def test_quantus_is_not_imported():
    code = "import sys, lcshap.metrics.quantus; print([m for m in ('quantus', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
