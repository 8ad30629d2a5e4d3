"""The kernel of the even half: its covariances against brute force over all coalitions."""

from itertools import combinations

import numpy as np
import pytest

import oracles
from lcshap.estimators.graph_kernel.even_kernel import EvenKernel
from support import every


def index(d, table, i, j):
    """The interaction index of two units among all, by the oracle."""
    near = {u: set(range(d)) - {u} for u in range(d)}
    return oracles.interaction(d, near, table, 1, "absent", i, j)


def indices(d, table):
    """All of them, in the order of combinations."""
    return np.array([index(d, table, i, j)[0] for i, j in combinations(range(d), 2)])


@pytest.mark.parametrize("d", [2, 3, 6])
def test_covariances_against_brute_force(d):
    rng = np.random.default_rng(d)
    kernel = EvenKernel(rng.random(d), rng.random(d), 0.7, 0.4, 0.3)
    kept = every(d)
    c = np.where(kept, 1.0, -1.0)
    product, K = np.ones((2**d, 2**d)), np.zeros((2**d, 2**d))
    for i in range(d):
        product *= np.exp(-kernel.inverse_length[i] * (c[:, i][:, None] != c[:, i]))
        for j in range(i):
            K += kernel.low_order[i] * kernel.low_order[j] * np.outer(c[:, i] * c[:, j], c[:, i] * c[:, j])
    even = product + product[:, ::-1]
    x = np.abs(np.log((kept.sum(axis=1) + 0.5) / (d - kept.sum(axis=1) + 0.5)))
    K += kernel.product * even / even[0, 0] + kernel.size * np.exp(-np.abs(x[:, None] - x))
    np.testing.assert_allclose(kernel.covariance(kept, kept), K, atol=1e-12)
    K += kernel.white * (np.eye(2**d) + np.eye(2**d)[::-1])
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in kept]
    A = np.array([indices(d, {s: [float(k == c)] for k, s in enumerate(sets)}) for c in range(2**d)]).T
    edges = np.array(list(combinations(range(d), 2)))
    np.testing.assert_allclose(kernel.interaction_covariances(kept, edges), A @ K, atol=1e-12)
    np.testing.assert_allclose(kernel.interaction_variances(edges), np.diag(A @ K @ A.T), atol=1e-12)


def test_values_that_are_larger_have_a_kernel_that_is_larger():
    kernel, kept = EvenKernel(np.array([0.5, 1.0, 2.0]), np.ones(3), 0.7, 0.4, 0.3), every(3)
    np.testing.assert_allclose(kernel.scaled(3.0).covariance(kept, kept), 9 * kernel.covariance(kept, kept), rtol=1e-12)
    assert kernel.scaled(3.0).white == pytest.approx(9 * 0.3)
