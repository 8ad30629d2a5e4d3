"""Stability against explanations made one by one, and against Quantus."""

from statistics import stdev

import numpy as np
import pytest
import quantus
from scipy.stats import spearmanr
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import lcshap as lc
from lcshap.metrics import max_sensitivity, seed_stability

IRIS = load_iris()
MODEL = LogisticRegression(max_iter=1000).fit(IRIS.data, IRIS.target)
MASKER = lc.maskers.Tabular(IRIS.data.mean(axis=0))
WORDS = "the plot is thin but the two leads are very good and never dull"


def longest(texts):
    return [max(map(len, t.split()), default=0) + 0.1 * t.count("good") * t.count("never") for t in texts]


@pytest.mark.parametrize("method", [lc.SampleShapley(28), "kernel-shap", "auto"])
def test_seeds_by_hand(method):
    options = {"budget": "4d"} if isinstance(method, str) else {}  # without one, fourteen words are explained exactly
    explainer = lc.Explainer(longest, lc.maskers.Text(), method, kind="output", **options)
    stability = seed_stability(explainer, WORDS, seeds=(3, 5, 8))
    kind = {"kernel-shap": lc.KernelSHAP, "auto": lc.GraphKernelSHAP}.get(method, lc.SampleShapley)
    budget = 28 if kind is lc.SampleShapley else 4 * len(WORDS.split())
    scores = [
        lc.Explainer(longest, lc.maskers.Text(), kind(budget, seed=s), kind="output")(WORDS).scores for s in (3, 5, 8)
    ]
    assert stability.std.tolist() == pytest.approx([stdev(column) for column in zip(*scores, strict=True)], abs=1e-12)
    pairs = [spearmanr(scores[i], scores[j]).statistic for i, j in [(0, 1), (0, 2), (1, 2)]]
    assert stability.rank_correlation == pytest.approx(sum(pairs) / 3)
    assert stability.std.max() > 0


def test_sensitivity_by_hand():
    explainer = lc.Explainer(MODEL, MASKER, lc.Shapley())
    x = IRIS.data[70]  # close to another class
    changes = np.array([[-0.4, 0, -0.6, -0.3], [0, 0.1, 0, 0], [0.3, 0, 0.2, 0]])
    queue = iter(changes)
    sensitivity = max_sensitivity(explainer, x, lambda x, rng: x + next(queue), samples=3)
    label = int(MODEL.predict([x])[0])
    at_label = lc.Explainer(MODEL, MASKER, lc.Shapley(), target=label)
    first = at_label(x).scores
    distances = [np.sqrt(((at_label(x + c).scores - first) ** 2).sum()) for c in changes]
    assert sensitivity == pytest.approx(max(distances) / np.sqrt((first**2).sum()))
    assert MODEL.predict([x + changes[0]])[0] != label


def test_sensitivity_is_that_of_quantus():
    x = IRIS.data[[10, 60, 120]].astype(np.float32)
    labels = MODEL.predict(x)
    explainers = [lc.Explainer(MODEL, MASKER, lc.Shapley(), target=int(label)) for label in labels]
    noise = np.random.default_rng(4).normal(0, 0.05, (5, 3, 4)).astype(np.float32)
    steps = iter(noise)

    def explain(model, inputs, targets, **_):
        return np.array([e(row).scores for e, row in zip(explainers, np.asarray(inputs), strict=True)])

    def perturb(arr, indices, **_):
        return arr + next(steps)

    metric = quantus.MaxSensitivity(
        nr_samples=5,
        perturb_func=perturb,
        similarity_func=quantus.similarity_func.difference,
        normalise=False,
        abs=False,
        disable_warnings=True,
    )
    scores = explain(None, x, labels)
    theirs = metric(model=_Linear(), x_batch=x, y_batch=labels, a_batch=scores, explain_func=explain)
    for k, explainer in enumerate(explainers):
        changes = iter(noise[:, k])
        ours = max_sensitivity(explainer, x[k], lambda x, rng, changes=changes: x + next(changes), samples=5)
        assert ours == pytest.approx(theirs[k], rel=1e-4)


def _Linear():  # noqa: N802 - a module as Quantus wants it, with the same weights
    import torch

    layer = torch.nn.Linear(4, 3)
    layer.weight.data = torch.tensor(MODEL.coef_, dtype=torch.float32)
    layer.bias.data = torch.tensor(MODEL.intercept_, dtype=torch.float32)
    return torch.nn.Sequential(layer)


def test_random_changes_come_from_the_seed():
    explainer = lc.Explainer(MODEL, MASKER, lc.Shapley(), value="expected_log_prob")

    def jitter(x, rng):
        return x + rng.normal(0, 0.1, 4)

    sensitivities = [max_sensitivity(explainer, IRIS.data[70], jitter, seed=s) for s in (0, 0, 1)]
    assert sensitivities[0] == sensitivities[1] != sensitivities[2]
    assert max_sensitivity(explainer, IRIS.data[70], lambda x, rng: x) == 0.0


@pytest.mark.parametrize("method", [lc.LShapley(1), "feature-ablation"])
def test_a_method_without_a_seed(method):
    explainer = lc.Explainer(longest, lc.maskers.Text(), method, kind="output")
    with pytest.raises(
        lc.errors.MetricError, match=r"Expected a method that samples.*, got .*, which is deterministic"
    ):
        seed_stability(explainer, WORDS)


def test_bad_input():
    sampled = lc.Explainer(longest, lc.maskers.Text(), lc.SampleShapley(28), kind="output")
    with pytest.raises(lc.errors.MetricError, match="at least two seeds"):
        seed_stability(sampled, WORDS, [1])
    with pytest.raises(lc.errors.MetricError, match="one input"):
        seed_stability(sampled, [WORDS, WORDS])
    with pytest.raises(lc.errors.MetricError, match="keep the 14 units of the input, got 2"):
        max_sensitivity(sampled, WORDS, lambda x, rng: "two words")
    with pytest.raises(lc.errors.MetricError, match="Expected samples as a number of at least 1, got 0"):
        max_sensitivity(sampled, WORDS, lambda x, rng: x, samples=0)
    with pytest.raises(lc.errors.MetricError, match="one output"):
        max_sensitivity(lc.Explainer(MODEL, MASKER, lc.Shapley(), target="all"), IRIS.data[0], lambda x, rng: x)
    nothing = lc.Explainer(lambda texts: [1.0] * len(texts), lc.maskers.Text(), lc.Shapley(), kind="output")
    with pytest.raises(lc.errors.MetricError, match="Expected scores that are not all zero, got only zeros"):
        max_sensitivity(nothing, "a b", lambda x, rng: x)
