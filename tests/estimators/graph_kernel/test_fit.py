"""The fitted kernels: what they show about games that are known."""

import numpy as np
import pytest

from lcshap.estimators.graph_kernel.fit import fit_even_kernel, fit_odd_kernels
from lcshap.estimators.graph_kernel.hyperparameters import OddHyperparameters
from lcshap.estimators.graph_kernel.odd_kernel import KernelTerms
from lcshap.estimators.graph_kernel.tuning import SIZES
from support import random_pairs as pairs


def test_it_finds_the_units_that_interact():
    d = 20
    kept = pairs(d, 160)

    def v(kept):
        return (
            kept[:, 0] * kept[:, 1] * kept[:, 2] + kept[:, 2] * kept[:, 3] * kept[:, 4] + 0.1 * kept[:, 5:].sum(axis=1)
        )

    odd = (v(kept) - v(~kept)) / 2
    (kernel,) = fit_odd_kernels(OddHyperparameters(kept, KernelTerms(d)), odd)
    assert kernel.inverse_length[:5].min() > 5 * kernel.inverse_length[5:].max()
    assert np.ptp(fit_odd_kernels(OddHyperparameters(kept, KernelTerms(d)), odd, units=False)[0].inverse_length) == 0


def test_units_keep_equal_scales_without_evidence():
    """Of games drawn from a prior in which units are alike, few get length scales of their own."""
    hyperparameters = OddHyperparameters(pairs(12, 40), KernelTerms(12))
    K = hyperparameters.kernel(hyperparameters.mean, hyperparameters.equal_scales).covariance_matrix(
        hyperparameters.kept
    )
    draws = np.linalg.cholesky(K) @ np.random.default_rng(0).normal(size=(40, 10))
    assert sum(np.ptp(fit_odd_kernels(hyperparameters, odd)[0].inverse_length) > 0 for odd in draws.T) <= 3


def test_scale_does_not_matter():
    d = 10
    kept = pairs(d, 40)
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ np.linspace(-1, 1, d))
    hyperparameters = OddHyperparameters(kept, KernelTerms(d))
    (kernel,), (scaled_kernel,) = fit_odd_kernels(hyperparameters, odd), fit_odd_kernels(hyperparameters, 1000 * odd)
    np.testing.assert_allclose(scaled_kernel.low_order, 1e6 * kernel.low_order, rtol=1e-6)
    np.testing.assert_allclose(scaled_kernel.inverse_length, kernel.inverse_length, rtol=1e-6)
    assert scaled_kernel.white == pytest.approx(1e6 * kernel.white, rel=1e-6)


def test_few_values_of_many_units_leave_them_alike():
    d = SIZES.many_units + 1
    kept = pairs(d, 30)
    (kernel,) = fit_odd_kernels(OddHyperparameters(kept, KernelTerms(d)), np.random.default_rng(0).normal(size=30))
    assert np.ptp(kernel.inverse_length) == 0
    assert np.ptp(kernel.low_order) == 0


def test_many_units_differ_as_what_they_do_by_themselves():
    d = SIZES.many_units + 36
    kept = pairs(d, 200)
    odd = np.where(kept, 1.0, -1.0)[:, :5].sum(axis=1) + (kept[:, 0] & kept[:, 1] & kept[:, 2])
    (kernel,) = fit_odd_kernels(OddHyperparameters(kept, KernelTerms(d)), odd)
    assert kernel.low_order[:5].min() > 5 * kernel.low_order[5:].max()
    assert kernel.inverse_length[:5].min() > 5 * kernel.inverse_length[5:].max()


def test_effects_give_a_second_kernel_with_length_scales_of_its_own():
    d = 12
    kept = pairs(d, 30)
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ np.geomspace(0.01, 1, d))
    hyperparameters = OddHyperparameters(kept, KernelTerms(d))
    alike, apart = fit_odd_kernels(hyperparameters, odd, effects=np.geomspace(0.01, 1, d) ** 2)
    assert np.ptp(alike.inverse_length) == 0
    assert apart.inverse_length[-1] > 5 * apart.inverse_length[0]
    assert len(fit_odd_kernels(hyperparameters, odd, units=False, effects=np.ones(d))) == 1


def test_the_even_kernel_finds_the_units_that_interact_in_pairs():
    d = 12
    kept = pairs(d, 80)

    def v(kept):
        return 2.0 * (kept[:, 0] & kept[:, 1]) + kept[:, 5:].sum(axis=1)

    kernel = fit_even_kernel(kept, (v(kept) + v(~kept)) / 2)
    pair_variances = kernel.low_order**2 * 1.0
    assert pair_variances[:2].min() > 5 * pair_variances[2:].max()
    scaled_kernel = fit_even_kernel(kept, 1000 * (v(kept) + v(~kept)) / 2)
    np.testing.assert_allclose(scaled_kernel.low_order, 1000 * kernel.low_order, rtol=1e-6)
    assert scaled_kernel.white == pytest.approx(1e6 * kernel.white, rel=1e-6)
