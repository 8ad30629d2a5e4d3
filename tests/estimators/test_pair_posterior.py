"""From pairs to Shapley values, against a process written down anew and against exact values."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.estimators import pair_posterior
from lcshap.estimators.pair_evidence import fit
from lcshap.estimators.pair_posterior import additive, posterior
from lcshap.estimators.pair_shape import Terms
from lcshap.estimators.pair_space import Space
from support import random_pairs as pairs


def test_the_mean_and_the_deviation_are_those_of_a_normal_distribution():
    d, n = 9, 30
    kept = pairs(d, n)
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ np.linspace(-1, 2, d))
    space = Space(kept, Terms(d))
    shape = fit(space, odd)
    K, C = shape.covariance(kept, kept) + shape.white * np.eye(n), shape.of_scores(kept)
    inverse = np.linalg.inv(K)
    scores, error = posterior(kept, odd, space)
    np.testing.assert_allclose(scores, C @ inverse @ odd, atol=1e-6)
    left = []
    for i in range(1, n):  # leave one out, by leaving it out
        others = np.arange(n) != i
        weights = np.linalg.solve(K[np.ix_(others, others)], K[others, i])
        left.append((odd[i] - weights @ odd[others]) ** 2 / (K[i, i] - weights @ K[others, i]))
    variance = np.mean(left) * (shape.variances - np.diag(C @ inverse @ C.T))
    np.testing.assert_allclose(error, 1.25 * np.sqrt(variance), rtol=1e-4)


@pytest.mark.parametrize("n", [13, 14, 40])
def test_sums_over_units_are_recognised(n):
    d = 12
    kept, worth = pairs(d, n), np.linspace(-1, 1, d)
    odd = np.where(kept, 0.5, -0.5) @ worth
    np.testing.assert_allclose(additive(kept, odd), worth, atol=1e-9)
    if n == 40:  # with hardly more pairs than units, one of them may be all that is known of a unit
        odd[3] += 1e-6
        assert additive(kept, odd) is None


def test_too_few_pairs_prove_nothing():
    d = 12
    assert additive(pairs(d, d), np.random.default_rng(0).normal(size=d)) is None
    assert not additive(pairs(d, d), np.zeros(d)).any()


def test_more_pairs_than_the_process_takes_only_add(monkeypatch):
    """The error falls on and does not jump where the process ends and least squares go on."""
    d = 16
    chain = lc.Graph.chain(d)
    monkeypatch.setattr(pair_posterior, "MOST_PAIRS", 64)
    errors = {}
    for calls in (100, 128, 132, 200, 500, 2000, 8000):
        found = []
        for seed in range(6):
            rng = np.random.default_rng(seed)
            hidden, out = rng.normal(size=(d, 8)), rng.normal(size=8)
            v = lc.Game(lambda kept, h=hidden, o=out: np.maximum(kept @ h, 0) @ o, d)
            truth = lc.Shapley().explain(v, chain).scores
            e = lc.GraphKernelSHAP(calls, seed=100 + seed).explain(v, chain)
            assert abs(e.residual) < 1e-9
            found.append(np.mean((e.scores - truth) ** 2))
        errors[calls] = np.sqrt(np.mean(found))
    assert errors[132] < 1.1 * errors[128]
    assert errors[500] < errors[132]
    assert errors[2000] < 0.7 * errors[500]
    assert errors[8000] < 0.7 * errors[2000]


@pytest.mark.parametrize(("d", "calls"), [(10, 40), (70, 140), (70, 280)])
@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_values_whose_squares_are_no_numbers(d, calls, size):
    worth = np.random.default_rng(0).normal(size=d)
    one, other = (
        lc.GraphKernelSHAP(calls).explain(lc.Game(lambda kept, s=s: s * np.tanh(kept @ worth), d), lc.Graph.chain(d))
        for s in (1.0, size)
    )
    np.testing.assert_allclose(other.scores / size, one.scores, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("d", [65, 130])
def test_sums_of_many_units_from_about_as_many_pairs(d):
    """Nothing is left to be noise, and least squares are not determined: the process still gives scores that add up."""
    worth = np.random.default_rng(1).normal(size=d)
    e = lc.GraphKernelSHAP(2 * d).explain(lc.Game(lambda kept: kept @ worth, d), lc.Graph.chain(d))
    assert e.scores.sum() == pytest.approx(worth.sum())
    assert np.corrcoef(e.scores, worth)[0, 1] > 0.7
