"""How much units differ, against a regression that is written down anew."""

from dataclasses import replace

import numpy as np
from scipy import optimize, stats

import lcshap as lc
from lcshap.estimators.graph_kernel import unit_variances as module
from lcshap.estimators.graph_kernel.tuning import UNIT_VARIANCES
from lcshap.estimators.graph_kernel.unit_variances import unit_variances
from support import random_pairs as pairs


def test_units_that_matter_are_found():
    d, n = 40, 90
    kept = pairs(d, n)
    worth = np.zeros(d)
    worth[[3, 17, 30]] = 2.0, -1.0, 1.5
    odd = np.where(kept, 1.0, -1.0) @ worth + 0.2 * np.random.default_rng(0).normal(size=n)
    variances = unit_variances(kept, odd)
    assert np.sort(variances)[-4] < 0.1 * variances[[3, 17, 30]].min()
    assert abs(variances.mean() - 1) < 1e-12


def test_neither_scale_nor_the_order_of_units_matters():
    kept = pairs(12, 40)
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ np.linspace(-1, 1, 12))
    variances = unit_variances(kept, odd)
    np.testing.assert_allclose(unit_variances(kept, 1e6 * odd), variances, rtol=1e-6)
    np.testing.assert_allclose(unit_variances(kept[:, ::-1], odd), variances[::-1], rtol=1e-6)


def test_it_climbs_to_the_greatest_posterior_density(monkeypatch):
    """Of the regression with Student's t distribution, written down anew: no share is likelier a little off."""
    monkeypatch.setattr(module, "UNIT_VARIANCES", replace(UNIT_VARIANCES, steps=500))
    d, n = 6, 60
    kept = pairs(d, n)
    signs = np.where(kept, 1.0, -1.0)
    odd = signs @ np.array([2.0, 0, 0, 0, 0, 1.0]) + 0.3 * np.random.default_rng(2).normal(size=n)
    variances = unit_variances(kept, odd)

    def density(logs, scale, noise):
        """Of the values, and of the logarithms of the variances where these have an inverse gamma distribution."""
        K = (signs * np.exp(logs)) @ signs.T + np.exp(noise) * np.eye(n)
        half = UNIT_VARIANCES.dof / 2
        prior = stats.invgamma(half, scale=half * np.exp(scale)).logpdf(np.exp(logs)) + logs
        return stats.multivariate_normal(np.zeros(n), K).logpdf(odd) + prior.sum()

    def unlikely(logarithms):
        return -density(np.log(variances) + logarithms[0], logarithms[1], logarithms[2])

    common, scale, noise = optimize.minimize(unlikely, [0.0, -2.0, -2.0], method="Nelder-Mead", tol=1e-10).x
    best = density(np.log(variances) + common, scale, noise)
    for unit in np.eye(d):
        for step in (-0.1, 0.1):
            assert density(np.log(variances) + common + step * unit, scale, noise) < best


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


def test_a_few_units_among_many_are_found_from_few_calls():
    """Three of 200 words decide; four calls a unit leave a hundredth of the variance of the true scores."""
    d = 200

    def v(kept):
        return np.where(kept[:, 7] & ~kept[:, 90], 3.0, 0.0) + 2.0 * kept[:, 150]

    truth = np.zeros(d)
    truth[[7, 90, 150]] = 1.5, -1.5, 2.0
    e = lc.GraphKernelSHAP(4 * d).explain(lc.Game(v, d), lc.Graph.chain(d))
    assert np.mean((e.scores - truth) ** 2) < 0.01 * np.var(truth)


def test_results_do_not_depend_on_the_other_inputs_of_a_list():
    d, graph = 100, lc.Graph.chain(100)
    worth = np.random.default_rng(0).normal(size=(3, d))
    games = [lc.Game(lambda kept, w=w: np.tanh(kept @ w / 5), d) for w in worth]
    method = lc.GraphKernelSHAP(4 * d)
    alone = [method.explain(game, graph).scores for game in games]
    lc.core.method.PLAN_CACHE.clear()
    for k in (2, 0, 1):
        np.testing.assert_array_equal(method.explain(games[k], graph).scores, alone[k])
