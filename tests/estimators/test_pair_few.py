"""A mixture of priors from a table, against normal distributions written down anew."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import lcshap as lc
from lcshap.estimators.pair_few import FewPairs
from support import random_pairs as pairs


@pytest.fixture
def few():
    return FewPairs(pairs(20, 60))


@pytest.fixture
def odd(few):
    return np.tanh(np.where(few.kept, 1.0, -1.0) @ np.linspace(-1, 2, 20) / 3)


def test_the_evidence_is_the_density_at_the_best_scale(few, odd):
    n, found = len(odd), []
    for shape in few.shapes:
        K = shape.covariance(few.kept, few.kept) + shape.white * np.eye(n)
        best = odd @ np.linalg.solve(K, odd) / n
        found.append(multivariate_normal(np.zeros(n), best * K).logpdf(odd))
    evidence, _ = few._evidence(odd)
    np.testing.assert_allclose(evidence - evidence[0], np.array(found) - found[0], atol=0.05)  # single precision


def test_mean_and_variance_are_those_of_the_mixture(few, odd):
    evidence, scales = few._evidence(odd)
    weight = np.exp(evidence - evidence.max())
    weight[np.argsort(-weight)[3:]] = 0
    weight[weight < 0.01 * weight.sum()] = 0
    weight /= weight.sum()
    means, variances = [], []
    for shape in few.shapes:
        K = shape.covariance(few.kept, few.kept) + shape.white * np.eye(len(odd))
        C = shape.of_scores(few.kept)
        means.append(C @ np.linalg.solve(K, odd))
        variances.append(shape.variances - np.diag(C @ np.linalg.solve(K, C.T)))
    mean = weight @ np.array(means)
    second = weight @ (scales[:, None] * np.array(variances) + np.array(means) ** 2)
    scores, variance = few.posterior(odd)
    np.testing.assert_allclose(scores, mean, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(variance, second - mean**2, rtol=2e-3, atol=1e-9)


def test_results_do_not_depend_on_the_other_inputs_of_a_list():
    d, graph = 100, lc.Graph.chain(100)
    worth = np.random.default_rng(0).normal(size=(3, d))
    games = [lc.Game(lambda kept, w=w: np.tanh(kept @ w / 5), d) for w in worth]
    method = lc.GraphKernelSHAP(4 * d)
    alone = [method.explain(game, graph).scores for game in games]
    lc.core.method.plans.clear()
    for k in (2, 0, 1):
        np.testing.assert_array_equal(method.explain(games[k], graph).scores, alone[k])


def test_many_units_and_few_calls_are_near_the_truth():
    """Sums of products of neighbours, whose Shapley values are known: less error than that of equal shares."""
    d = 120
    worth = np.random.default_rng(1).normal(size=d - 2)

    def v(kept):
        return (kept[:, :-2] & kept[:, 1:-1] & kept[:, 2:]) @ worth

    truth = np.convolve(worth, np.ones(3)) / 3
    e = lc.GraphKernelSHAP(4 * d).explain(lc.Game(v, d), lc.Graph.chain(d))
    assert np.mean((e.scores - truth) ** 2) < 0.5 * np.mean((truth - truth.mean()) ** 2)
    lower, upper = e.interval()
    assert np.mean((lower <= truth) & (truth <= upper)) > 0.85
