"""The kernel that is fitted to an input: its covariances against brute force over all coalitions."""

import numpy as np
import pytest

from lcshap.estimators.graph_kernel.odd_kernel import KernelTerms, OddKernel
from support import every, pair_kernel, shapley_operator


def naive(d, kernel):
    """K over all coalitions, term by term, as the docstrings print it."""
    kept = every(d)
    c = np.where(kept, 1.0, -1.0)
    K = np.zeros((2**d, 2**d))
    product = np.ones((2**d, 2**d))
    for j in range(d):
        K += kernel.low_order[j] * np.outer(c[:, j], c[:, j])
        product *= np.exp(-kernel.inverse_length[j] * (c[:, j][:, None] != c[:, j]))
    odd = product - product[:, ::-1]  # the complement of number c is 2^d - 1 - c
    K += kernel.product * odd / odd[0, 0]
    K += kernel.term_variances[0] * pair_kernel(d, 0, 1, 0, 0) + kernel.term_variances[1] * pair_kernel(d, 0, 0, 1, 0)
    size = kept.sum(axis=1)
    x = np.abs(np.log((size + 0.5) / (d - size + 0.5)))
    sign = np.sign(2 * size - d)
    K += kernel.term_variances[2] * np.outer(sign, sign) * np.exp(-np.abs(x[:, None] - x))
    if kernel.terms.effects_by_size:
        K += kernel.term_variances[3] * (c @ c.T) / d * np.exp(-np.abs(x[:, None] - x))
    for i, j, k in kernel.terms.triples:
        three = c[:, i] * c[:, j] * c[:, k]
        K += kernel.term_variances[-1] / len(kernel.terms.triples) * np.outer(three, three)
    return K, K + kernel.white * (np.eye(2**d) - np.eye(2**d)[::-1])


def make_kernel(d, triples, alike, effects_by_size):
    rng = np.random.default_rng(d)
    variances, inverse_length = rng.random(d), rng.random(d)
    if alike:
        variances, inverse_length = np.full(d, 0.4), np.full(d, 0.3)
    terms = KernelTerms(d, np.array(triples, np.int32).reshape(-1, 3), effects_by_size=effects_by_size)
    return OddKernel(variances, inverse_length, 0.7, rng.random(len(terms)), 0.3, terms)


@pytest.mark.parametrize("effects_by_size", [False, True])
@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize(
    ("d", "triples"), [(1, []), (2, []), (3, [(0, 1, 2)]), (5, []), (6, [(0, 1, 2), (1, 2, 3), (0, 4, 5)])]
)
def test_covariances_against_brute_force(d, triples, alike, effects_by_size):
    kernel = make_kernel(d, triples, alike, effects_by_size)
    kept, A = every(d), shapley_operator(d)
    without, K = naive(d, kernel)
    np.testing.assert_allclose(kernel.covariance(kept, kept), without, atol=1e-12)
    np.testing.assert_allclose(kernel.score_covariances(kept), A @ K, atol=1e-12)
    np.testing.assert_allclose(kernel.score_variances, np.diag(A @ K @ A.T), atol=1e-12)


def test_what_white_noise_leaves_unknown():
    """The variance that is left where white noise is all there is, by conditioning a normal distribution."""
    d, white = 6, 0.3
    kept, A = every(d), shapley_operator(d)
    K = white * (np.eye(2**d) - np.eye(2**d)[::-1])
    rows = np.array([2**d - 1, 1, 6, 20, 37])
    C = (A @ K)[:, rows]
    posterior_variances = np.diag(A @ K @ A.T - C @ np.linalg.solve(K[np.ix_(rows, rows)], C.T))
    kernel = OddKernel(np.ones(d), np.ones(d), 1.0, np.zeros(3), white, KernelTerms(d))
    np.testing.assert_allclose(kernel.noise_variances(kept[rows]), posterior_variances, atol=1e-12)
    np.testing.assert_allclose(kernel.noise_variances(kept[2 ** (d - 1) :]), 0, atol=1e-12)


def test_the_integral_is_exact_for_many_units_with_short_length_scales():
    """At d = 200 by the mean over permutations; its standard error is below a hundredth of what is compared."""
    d, rng = 200, np.random.default_rng(1)
    kernel = OddKernel(np.zeros(d), rng.random(d) ** 4 / 4, 1.0, np.zeros(3), 0.0, KernelTerms(d))
    kept = rng.random((2, d)) < np.array([[0.2], [0.7]])
    total, rounds = np.zeros((d, 2)), 200
    for _ in range(rounds):
        order = rng.permutation(d)
        for permutation in (order, order[::-1]):
            prefixes = np.argsort(permutation) < np.arange(d + 1)[:, None]
            total[permutation] += np.diff(kernel.covariance(prefixes, kept), axis=0) / (2 * rounds)
    covariances = kernel.score_covariances(kept)
    assert np.abs(total - covariances).max() < 0.1 * np.abs(covariances).max()
    np.testing.assert_allclose(
        covariances.sum(axis=0), 2 * kernel.covariance(np.ones((1, d), bool), kept)[0], atol=1e-12
    )
