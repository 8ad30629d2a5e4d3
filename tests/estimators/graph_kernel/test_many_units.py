"""What takes the place of inverse matrices with many units, against these inverses."""

import math

import numpy as np
import pytest

import lcshap as lc
from lcshap.estimators.graph_kernel import exact, posterior, unit_variances
from lcshap.estimators.graph_kernel.design import choose_pairs
from lcshap.estimators.graph_kernel.many_units import (
    conjugate_gradients,
    effect_variances,
    fits_single_precision,
    gram_of_signs,
    matrix_sums_by_unit,
    matrix_sums_of_members,
    round_to_single_precision,
    sign_variances,
)
from lcshap.estimators.graph_kernel.odd_kernel import KernelTerms, OddKernel
from lcshap.estimators.graph_kernel.tuning import SIZES


def test_products_of_signs():
    kept = np.random.default_rng(0).random((5000, 30)) < 0.3
    signs = np.where(kept, 1, -1)
    np.testing.assert_array_equal(gram_of_signs(kept), signs.T @ signs)


def test_conjugate_gradients_solve_the_equations():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(50, 30))
    matrix, right = root.T @ root + np.diag(rng.random(30)), rng.normal(size=30)
    solution = conjugate_gradients(lambda x: matrix @ x, right, np.diag(matrix), 1e-12, 200)
    np.testing.assert_allclose(solution, np.linalg.solve(matrix, right), rtol=1e-8)
    assert not conjugate_gradients(lambda x: matrix @ x, np.zeros(30), np.diag(matrix), 1e-12, 200).any()


@pytest.mark.parametrize("n", [150, 800])
def test_variances_are_nearly_those_of_the_inverse(n):
    d, rng = 300, np.random.default_rng(1)
    kept, prior, noise = choose_pairs(d, n, seed=1), rng.standard_t(2, size=d) ** 2 + 0.01, 50.0
    signs = np.where(kept, 1.0, -1.0)
    expected = np.diag(np.linalg.inv(np.diag(1 / prior) + signs.T @ signs / noise))
    ratios = effect_variances(1 / prior, sign_variances(kept) / noise) / expected
    assert abs(np.mean(ratios) - 1) < 0.02
    assert np.std(ratios) < 0.1


def triples_game(d):
    worth = np.random.default_rng(1).standard_t(3, size=d - 2)
    truth = np.zeros(d)
    for offset in range(3):
        truth[offset : offset + d - 2] += worth / 3
    return lc.Game(lambda kept: (kept[:, :-2] & kept[:, 1:-1] & kept[:, 2:]) @ worth, d), truth


@pytest.mark.parametrize("calls", [3, 8])
def test_scores_are_nearly_those_with_inverses(monkeypatch, calls):
    """The same input with and without the approximations: nearly the same scores and standard errors."""
    d = 300
    game, truth = triples_game(d)
    many = lc.GraphKernelSHAP(calls * d).explain(game, lc.Graph.chain(d))
    lc.core.method.PLAN_CACHE.clear()
    sizes = type(SIZES)(inverted_units=d)
    for module in (unit_variances, posterior, exact):
        monkeypatch.setattr(module, "SIZES", sizes)
    inverted = lc.GraphKernelSHAP(calls * d).explain(game, lc.Graph.chain(d))
    lc.core.method.PLAN_CACHE.clear()
    assert not np.array_equal(many.scores, inverted.scores)
    assert np.mean((many.scores - inverted.scores) ** 2) < 0.01 * np.mean((inverted.scores - truth) ** 2)
    ratios = np.log(many.stderr / inverted.stderr)
    assert abs(ratios.mean()) < 0.03
    assert ratios.std() < 0.1


@pytest.mark.parametrize("calls", [2.6, 8])
def test_sums_over_many_units_are_recognised(calls):
    d = 300
    kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, int(calls * d / 2), 0)])
    worth = np.random.default_rng(0).standard_t(2, size=d)
    odd = np.where(kept, 0.5, -0.5) @ worth
    np.testing.assert_allclose(exact.additive_scores(kept, odd), worth, atol=1e-9 * np.abs(worth).max())
    odd[5] += 1e-6 * np.abs(odd).max()
    assert exact.additive_scores(kept, odd) is None
    assert exact.additive_scores(kept, np.tanh(odd)) is None


def test_hardly_more_pairs_than_units_prove_nothing():
    d = 300
    kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, d + 10, 0)])
    assert exact.additive_scores(kept, np.where(kept, 0.5, -0.5) @ np.arange(float(d))) is None


@pytest.mark.parametrize("scales", [np.full(1000, 0.3), np.random.default_rng(0).standard_t(1, size=4000) ** 2])
def test_sums_of_rounded_scales_are_exact_in_single_precision(scales):
    rounded = round_to_single_precision(scales)
    assert fits_single_precision(rounded)
    assert (rounded > 0).all()
    assert np.abs(rounded - scales).max() <= 2.0**-22 * scales.sum()
    signs = np.where(np.random.default_rng(1).random((20, len(scales))) < 0.5, -1.0, 1.0)
    single = (signs.astype(np.float32) * rounded.astype(np.float32)) @ signs.astype(np.float32).T
    np.testing.assert_array_equal(single, [[math.fsum(row * other * rounded) for other in signs] for row in signs])


def test_other_scales_do_not_fit_single_precision():
    assert not fits_single_precision(np.random.default_rng(0).random(1000))


def test_sums_of_several_columns():
    rng = np.random.default_rng(0)
    kept = rng.random((1200, 30)) < 0.3
    worth, values = rng.normal(size=(30, 3)), rng.normal(size=(1200, 2))
    np.testing.assert_allclose(matrix_sums_of_members(kept, worth), np.where(kept, 1.0, 0.0) @ worth, rtol=1e-12)
    np.testing.assert_allclose(matrix_sums_by_unit(kept, values), np.where(kept, 1.0, 0.0).T @ values, rtol=1e-10)


@pytest.mark.parametrize("is_clipped", [False, True])
def test_kernels_in_single_precision_have_nearly_the_same_covariances(is_clipped):
    """Whether own variances are proportional to inverse length scales or not, as where these reach their bounds."""
    d, rng = 300, np.random.default_rng(3)
    kept, lengths = rng.random((40, d)) < 0.5, rng.standard_t(2, size=d) ** 2 / d
    own = 0.2 * (lengths * rng.random(d) if is_clipped else lengths)
    exact = OddKernel(own, lengths, 0.1, np.empty(0), 1e-3, KernelTerms(d, wide=False))
    single = OddKernel(
        round_to_single_precision(own), round_to_single_precision(lengths), 0.1, np.empty(0), 1e-3, exact.terms
    )
    np.testing.assert_allclose(single.covariance(kept, kept), exact.covariance(kept, kept), atol=1e-5, rtol=1e-4)
