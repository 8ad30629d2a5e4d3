"""The evidence at some logarithms: its derivatives against differences, its value against a normal density."""

import numpy as np
import pytest

from lcshap.estimators.graph_kernel.hyperparameters import EvenHyperparameters, OddHyperparameters
from lcshap.estimators.graph_kernel.odd_kernel import KernelTerms
from support import random_pairs as pairs


@pytest.mark.parametrize("units", ["alike", "given", "each"])
@pytest.mark.parametrize(("d", "n"), [(6, 20), (12, 30), (30, 20)])
def test_derivatives_against_differences(d, n, units):
    rng = np.random.default_rng(d)
    triples = np.array([[0, 1, 2], [1, 2, 3]], np.int32)
    hyperparameters = OddHyperparameters(pairs(d, n), KernelTerms(d, triples))
    assert hyperparameters.may_differ == (d <= n)
    y = rng.normal(size=n)
    scales = {
        "alike": hyperparameters.equal_scales,
        "given": hyperparameters.unit_scales(rng.normal(size=d)),
        "each": None,
    }[units]
    theta = np.concatenate([hyperparameters.mean, np.zeros(0 if scales else d)])
    theta += rng.normal(size=len(theta)) * 0.3
    theta[1] += 5  # enough noise for differences to be exact
    point = hyperparameters.evidence(theta, 0.6, y, scales)
    for k in range(len(theta)):
        step = np.zeros(len(theta))
        step[k] = 1e-5
        slope = (
            hyperparameters.evidence(theta + step, 0.6, y, scales).objective
            - hyperparameters.evidence(theta - step, 0.6, y, scales).objective
        ) / 2e-5
        assert point.gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_the_value_is_the_density_of_a_normal_distribution():
    """Against SciPy's, but for the constant; and the logarithms have their normal priors."""
    from scipy.stats import multivariate_normal

    d, n = 5, 14
    hyperparameters, y = OddHyperparameters(pairs(d, n), KernelTerms(d)), np.random.default_rng(3).normal(size=n)
    values, densities = [], []
    for shift in (0.0, 0.7):
        theta = hyperparameters.mean.copy()
        theta[1:3] += 5, shift
        kernel = hyperparameters.kernel(theta, hyperparameters.equal_scales)
        K = kernel.covariance(hyperparameters.kept, hyperparameters.kept) + kernel.white * np.eye(n)
        prior = (5 / hyperparameters.deviation(0.5)[1]) ** 2 / 2 + (shift / hyperparameters.deviation(0.5)[2]) ** 2 / 2
        densities.append(multivariate_normal(np.zeros(n), K).logpdf(y) - prior)
        values.append(hyperparameters.evidence(theta, 0.5, y, hyperparameters.equal_scales).objective)
    assert values[0] - values[1] == pytest.approx(densities[1] - densities[0], abs=1e-8)


def test_a_pattern_is_what_each_unit_may_be_given():
    """The evidence does not depend on whether the logarithms of units are given or are to be found."""
    d, n = 7, 20
    hyperparameters, y = OddHyperparameters(pairs(d, n), KernelTerms(d)), np.random.default_rng(1).normal(size=n)
    units = np.linspace(-1, 1, d)
    theta = hyperparameters.mean + 0.1
    theta[hyperparameters.first_unit - 1] = 1.0  # a pattern ties what a unit does by itself to its reach
    shared, by_unit = (
        hyperparameters.evidence(theta, 1e9, y, hyperparameters.unit_scales(units)),
        hyperparameters.evidence(np.concatenate([theta, units]), 1e9, y),
    )
    assert shared.objective == pytest.approx(by_unit.objective, abs=1e-9)
    np.testing.assert_allclose(
        shared.gradient[:-1], by_unit.gradient[: hyperparameters.first_unit - 1], rtol=1e-7, atol=1e-9
    )


def test_rows_are_spread_evenly_and_a_coarse_space_has_fewer():
    kept = pairs(10, 400)
    hyperparameters = OddHyperparameters(kept, KernelTerms(10))
    assert len(hyperparameters.kept) == 400
    assert hyperparameters.coarse.rows[[0, -1]].tolist() == [0, 399]
    assert len(hyperparameters.coarse.kept) < 200
    assert hyperparameters.coarse.coarse is hyperparameters.coarse
    np.testing.assert_array_equal(hyperparameters.coarse.kept, kept[hyperparameters.coarse.rows])


@pytest.mark.parametrize("triples", [[], [(0, 1, 2), (2, 3, 5)]])
def test_the_covariance_of_its_coalitions_is_that_of_the_shape(triples):
    terms = KernelTerms(7, np.array(triples, np.int32).reshape(-1, 3))
    hyperparameters = OddHyperparameters(pairs(7, 20), terms)
    theta = np.random.default_rng(2).normal(hyperparameters.mean, 0.5)
    kernel = hyperparameters.kernel(np.concatenate([theta, np.linspace(-1, 1, 7)]))
    np.testing.assert_allclose(
        hyperparameters.covariance_matrix(kernel),
        kernel.covariance_matrix(hyperparameters.kept),
        rtol=1e-12,
        atol=1e-15,
    )


def test_a_space_without_terms():
    hyperparameters = OddHyperparameters(pairs(7, 20), KernelTerms(7, wide=False))
    kernel = hyperparameters.kernel(np.concatenate([hyperparameters.mean, np.zeros(7)]))
    np.testing.assert_allclose(
        hyperparameters.covariance_matrix(kernel),
        kernel.covariance_matrix(hyperparameters.kept),
        rtol=1e-12,
        atol=1e-15,
    )
    assert (
        hyperparameters.evidence(hyperparameters.mean, 0.5, np.ones(20), hyperparameters.equal_scales).gradient.shape
        == hyperparameters.mean.shape
    )


@pytest.mark.parametrize(("d", "n"), [(6, 20), (12, 30)])
def test_derivatives_of_the_even_half_against_differences(d, n):
    rng = np.random.default_rng(d)
    hyperparameters, y = EvenHyperparameters(pairs(d, n)), rng.normal(size=n)
    theta = np.concatenate([hyperparameters.mean, np.zeros(d)])
    theta += rng.normal(size=len(theta)) * 0.3
    theta[1] += 5  # enough noise for differences to be exact
    point = hyperparameters.evidence(theta, 0.6, y)
    for k in range(len(theta)):
        step = np.zeros(len(theta))
        step[k] = 1e-5
        up, down = (hyperparameters.evidence(theta + sign * step, 0.6, y).objective for sign in (1, -1))
        assert point.gradient[k] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6)
    assert np.linalg.eigvalsh(point.curvature).min() > 0


def test_the_mean_of_the_even_half_is_fitted_freely():
    """The evidence is that of a normal distribution whose mean has a flat prior: a constant changes nothing."""
    d, n = 5, 14
    hyperparameters, y = EvenHyperparameters(pairs(d, n)), np.random.default_rng(3).normal(size=n)
    theta = hyperparameters.mean
    kernel, point = hyperparameters.kernel(theta), hyperparameters.evidence(theta, 0.5, y)
    assert hyperparameters.evidence(theta, 0.5, y + 7).objective == pytest.approx(point.objective, abs=1e-6)
    K = kernel.covariance(hyperparameters.kept, hyperparameters.kept) + kernel.white * np.eye(n)
    inverse, ones = np.linalg.inv(K), np.ones(n)
    mean = ones @ inverse @ y / inverse.sum()
    misfit = (y - mean) @ inverse @ (y - mean)
    expected = (np.linalg.slogdet(K)[1] + np.log(inverse.sum()) + misfit) / 2
    assert point.objective == pytest.approx(expected, rel=1e-8)
