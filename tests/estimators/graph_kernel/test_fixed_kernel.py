"""The kernel by which pairs are chosen: its covariances against brute force over all coalitions."""

import numpy as np
import pytest

from lcshap.estimators.graph_kernel.fixed_kernel import fixed_kernel
from support import every, pair_kernel, shapley_operator


@pytest.mark.parametrize("d", [1, 2, 3, 4, 6])
def test_covariances_against_brute_force(d):
    linear, smooth, pool, white = 0.7, 0.3, 0.2, 0.1
    kernel = fixed_kernel(d, linear, smooth, pool, white)
    K, A = pair_kernel(d, linear, smooth, pool, white), shapley_operator(d)
    kept = every(d)
    np.testing.assert_allclose(kernel.covariance(kept, kept), pair_kernel(d, linear, smooth, pool, 0), atol=1e-12)
    np.testing.assert_allclose(kernel.score_covariances(kept), A @ K, atol=1e-12)
    np.testing.assert_allclose(np.diag(A @ K @ A.T), kernel.variance, atol=1e-12)


def test_covariances_with_many_units_against_sampling():
    """At d = 300 brute force is out of reach: the covariance with a Shapley value as a mean over permutations."""
    d, rng = 300, np.random.default_rng(0)
    kernel = fixed_kernel(d, 1.0, 0.1, 0.1, 0.0)
    A = rng.random((3, d)) < np.array([[0.1], [0.5], [0.9]])
    total = np.zeros((d, 3))
    rounds = 150
    for _ in range(rounds):
        order = rng.permutation(d)
        for permutation in (order, order[::-1]):
            prefixes = np.argsort(permutation) < np.arange(d + 1)[:, None]
            steps = np.diff(kernel.covariance(prefixes, A), axis=0)
            total[permutation] += steps / (2 * rounds)
    np.testing.assert_allclose(total, kernel.score_covariances(A), atol=2e-4)
