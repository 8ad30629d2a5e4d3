"""The prior of GraphKernelSHAP: its covariances against brute force over all coalitions."""

import numpy as np
import pytest

import oracles
from lcshap.estimators.pair_prior import prior
from support import (
    every,
)


def shapley_operator(d):
    """The Shapley value as a matrix over all coalitions, from the oracle applied to each indicator game."""
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in every(d)]
    games = {s: np.eye(2**d)[c].tolist() for c, s in enumerate(sets)}
    return np.array(oracles.shapley(d, games))


def naive_kernel(d, linear, smooth, pool, white):
    """K over all coalitions, term by term, as the docstring of `Prior` prints it."""
    kept = every(d)
    signs = np.where(kept, 1.0, -1.0)
    r = min(4 / d, 0.9)
    product = np.prod(1 + r * signs[:, None] * signs[None], axis=2)
    odd = product - product[:, ::-1]  # the complement of number c is 2^d - 1 - c
    odd /= odd[0, 0]

    def jaccard(S, T):
        return len(S & T) / len(S | T) if S | T else 1.0

    sets = [frozenset(np.flatnonzero(row).tolist()) for row in kept]
    whole = frozenset(range(d))
    j = np.array([[jaccard(S, T) for T in sets] for S in sets])
    other = np.array([[jaccard(S, whole - T) for T in sets] for S in sets])
    J = (j + j[::-1, ::-1] - other - other[::-1, ::-1]) / 2
    # White noise of an odd function: f(S) = -f(S') is the same noise with the other sign.
    W = np.eye(2**d) - np.eye(2**d)[::-1]
    return linear * signs @ signs.T / d + smooth * odd + pool * J + white / d * W


@pytest.mark.parametrize("d", [1, 2, 3, 4, 6])
def test_covariances_against_brute_force(d):
    linear, smooth, pool, white = 0.7, 0.3, 0.2, 0.1
    p = prior(d, linear, smooth, pool, white)
    K, A = naive_kernel(d, linear, smooth, pool, white), shapley_operator(d)
    kept = every(d)
    np.testing.assert_allclose(p.covariance(kept, kept), naive_kernel(d, linear, smooth, pool, 0), atol=1e-12)
    np.testing.assert_allclose(p.of_scores(kept), A @ K, atol=1e-12)
    np.testing.assert_allclose(np.diag(A @ K @ A.T), p.variance, atol=1e-12)


def test_covariances_with_many_units_against_sampling():
    """At d = 300 brute force is out of reach: the covariance with a Shapley value as a mean over permutations."""
    d, rng = 300, np.random.default_rng(0)
    p = prior(d, 1.0, 0.1, 0.1, 0.0)
    A = rng.random((3, d)) < np.array([[0.1], [0.5], [0.9]])
    total = np.zeros((d, 3))
    rounds = 150
    for _ in range(rounds):
        order = rng.permutation(d)
        for way in (order, order[::-1]):
            prefixes = np.argsort(way) < np.arange(d + 1)[:, None]
            steps = np.diff(p.covariance(prefixes, A), axis=0)
            total[way] += steps / (2 * rounds)
    np.testing.assert_allclose(total, p.of_scores(A), atol=2e-4)
