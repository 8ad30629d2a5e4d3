"""What leave-one-out residuals say about the scores."""

import numpy as np
import pytest
from residual_oracles import scale_by_search

from lcshap.estimators.graph_kernel.design import choose_pairs
from lcshap.estimators.graph_kernel.left_out import compare_effects, end_residuals, regress_left_out, residual_scale
from lcshap.estimators.graph_kernel.tuning import ERRORS


@pytest.mark.parametrize("slope", [-3.0, 0.0, 1.0, 4.0])
def test_errors_that_depend_on_the_size(slope):
    d, n = 9, 40
    kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, n - 1, seed=2)])
    size = kept[1:].sum(axis=1)
    ratios = np.random.default_rng(5).normal(size=len(size)) ** 2 * (np.minimum(size, d - size) / d) ** -slope
    scale = residual_scale(kept, np.arange(1, len(kept)), ratios)
    assert scale == pytest.approx(scale_by_search(kept, ratios), rel=1e-3)
    assert residual_scale(kept, np.arange(1, len(kept)), 0 * ratios) < 1e-100


def test_the_contrast_of_residuals_is_the_log_ratio_of_their_sizes():
    d = 12
    kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, 96, seed=1)])
    size = kept.sum(axis=1)
    near_an_end = np.minimum(size, d - size) <= 2
    checked = np.arange(1, len(kept))
    variance, contrast = end_residuals(kept, checked, np.where(near_an_end, 100.0, 1.0)[checked])
    assert contrast == pytest.approx(np.log(10))
    assert variance > 0
    assert end_residuals(kept, checked, np.ones(len(checked))) == (0.0, pytest.approx(0.0))


def kernel_regression(kept, residuals):
    """Weighted least squares by a constrained problem: the change and its sandwich variance."""
    d = kept.shape[1]
    size = kept.sum(axis=1)
    weight = np.array([1.0 / (s * (d - s)) / np.sum(np.isin(size, [s, d - s])) for s in size])
    weight[2 * size != d] *= 2
    basis = np.linalg.qr(np.eye(d)[:, : d - 1] - 1 / d)[0]  # changes that sum to zero
    design = (kept - 0.5) @ basis * np.sqrt(weight)[:, None]
    influence = basis @ np.linalg.pinv(design) * np.sqrt(weight)
    return influence @ residuals, (influence**2) @ residuals**2


def test_systematic_residuals_are_corrected_and_noise_is_not():
    d, rng = 22, np.random.default_rng(3)
    kept = rng.permuted(np.tile(np.arange(d), (400, 1)), axis=1) < rng.integers(4, d - 3, size=400)[:, None]
    noise, effects = rng.normal(size=400), rng.normal(size=d)
    effects -= effects.mean()
    nothing = regress_left_out(kept, noise)
    assert not nothing.change.any()
    np.testing.assert_allclose(
        nothing.variance, kernel_regression(kept, noise)[1], rtol=0.05
    )  # hardly any coalitions of a size were evaluated
    residuals = (kept - 0.5) @ effects + 0.1 * noise
    some = regress_left_out(kept, residuals)
    expected, variance = kernel_regression(kept, residuals)
    share = 1 - ERRORS.correction_caution * variance.sum() / (expected @ expected)
    assert 0.5 < share < 1
    np.testing.assert_allclose(some.change, share * expected, atol=0.03)
    assert some.change.sum() == pytest.approx(0)


def test_sizes_that_were_evaluated_completely_have_no_error():
    d = 6
    every = (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1
    kept = every[every[:, 0] & ~every.all(axis=1)]
    correction = regress_left_out(kept, np.random.default_rng(1).normal(size=len(kept)))
    assert not correction.change.any()
    assert not correction.variance.any()


@pytest.mark.parametrize("calls", [4, 8])
def test_effects_at_both_ends_are_compared_with_those_in_the_middle(calls):
    """A sum whose strength differs for about half of the units: at which size it changes is not in the values."""
    d, rng = 10, np.random.default_rng(1)
    kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, calls // 2 * d - 1, seed=1)])
    effects, size = np.linspace(-1, 2, d), kept.sum(axis=1)
    odd = np.where(kept, 0.5, -0.5) @ effects
    at_ends = np.minimum(size, d - size) <= 1
    same, smaller, zero = (compare_effects(kept, np.where(at_ends, odd, q * odd)) for q in (1.0, 0.3, 0.0))
    assert (same.variance, same.is_doubtful) == (0.0, False)
    assert smaller.is_doubtful
    assert zero.is_doubtful
    assert 0 < smaller.variance < zero.variance
    assert zero.variance == pytest.approx(np.var(effects) / 12)  # of a uniform share of the effects
    by_degrees = compare_effects(kept, np.where(at_ends, odd, 0.3 * odd + 0.05 * rng.normal(size=len(kept))))
    assert (by_degrees.variance, by_degrees.is_doubtful) == (0.0, False)
    without_a_unit = np.delete(np.arange(len(kept)), np.flatnonzero(at_ends)[1])
    assert not compare_effects(kept[without_a_unit], 0 * odd[without_a_unit]).is_doubtful
