"""The prior that is fitted to an input: its covariances against brute force over all coalitions."""

import numpy as np
import pytest

from lcshap.estimators.pair_shape import Shape, Terms
from support import every, pair_kernel, shapley_operator


def naive(d, shape):
    """K over all coalitions, term by term, as the docstrings print it."""
    kept = every(d)
    c = np.where(kept, 1.0, -1.0)
    found = np.zeros((2**d, 2**d))
    product = np.ones((2**d, 2**d))
    for j in range(d):
        found += shape.own[j] * np.outer(c[:, j], c[:, j])
        product *= np.exp(-shape.reach[j] * (c[:, j][:, None] != c[:, j]))
    odd = product - product[:, ::-1]  # the complement of number c is 2^d - 1 - c
    found += shape.product * odd / odd[0, 0]
    found += shape.shares[0] * pair_kernel(d, 0, 1, 0, 0) + shape.shares[1] * pair_kernel(d, 0, 0, 1, 0)
    size = kept.sum(axis=1)
    x = np.abs(np.log((size + 0.5) / (d - size + 0.5)))
    sign = np.sign(2 * size - d)
    found += shape.shares[2] * np.outer(sign, sign) * np.exp(-np.abs(x[:, None] - x))
    for i, j, k in shape.terms.triples:
        three = c[:, i] * c[:, j] * c[:, k]
        found += shape.shares[3] / len(shape.terms.triples) * np.outer(three, three)
    return found, found + shape.white * (np.eye(2**d) - np.eye(2**d)[::-1])


def shapes(d, triples, alike):
    rng = np.random.default_rng(d)
    own, reach = rng.random(d), rng.random(d)
    if alike:
        own, reach = np.full(d, 0.4), np.full(d, 0.3)
    terms = Terms(d, np.array(triples, np.int32).reshape(-1, 3))
    return Shape(own, reach, 0.7, rng.random(len(terms)), 0.3, terms)


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize(
    ("d", "triples"), [(1, []), (2, []), (3, [(0, 1, 2)]), (5, []), (6, [(0, 1, 2), (1, 2, 3), (0, 4, 5)])]
)
def test_covariances_against_brute_force(d, triples, alike):
    shape = shapes(d, triples, alike)
    kept, A = every(d), shapley_operator(d)
    without, K = naive(d, shape)
    np.testing.assert_allclose(shape.covariance(kept, kept), without, atol=1e-12)
    np.testing.assert_allclose(shape.of_scores(kept), A @ K, atol=1e-12)
    np.testing.assert_allclose(shape.variances, np.diag(A @ K @ A.T), atol=1e-12)


def test_what_white_noise_leaves_unknown():
    """The variance that is left where white noise is all there is, by conditioning a normal distribution."""
    d, white = 6, 0.3
    kept, A = every(d), shapley_operator(d)
    K = white * (np.eye(2**d) - np.eye(2**d)[::-1])
    seen = np.array([2**d - 1, 1, 6, 20, 37])
    C = (A @ K)[:, seen]
    left = np.diag(A @ K @ A.T - C @ np.linalg.solve(K[np.ix_(seen, seen)], C.T))
    shape = Shape(np.ones(d), np.ones(d), 1.0, np.zeros(3), white, Terms(d))
    np.testing.assert_allclose(shape.unseen(kept[seen]), left, atol=1e-12)
    np.testing.assert_allclose(shape.unseen(kept[2 ** (d - 1) :]), 0, atol=1e-12)


def test_the_integral_is_exact_for_many_units_that_reach_far():
    """At d = 200 by the mean over permutations; its standard error is below a hundredth of what is compared."""
    d, rng = 200, np.random.default_rng(1)
    shape = Shape(np.zeros(d), rng.random(d) ** 4 / 4, 1.0, np.zeros(3), 0.0, Terms(d))
    kept = rng.random((2, d)) < np.array([[0.2], [0.7]])
    total, rounds = np.zeros((d, 2)), 200
    for _ in range(rounds):
        order = rng.permutation(d)
        for way in (order, order[::-1]):
            prefixes = np.argsort(way) < np.arange(d + 1)[:, None]
            total[way] += np.diff(shape.covariance(prefixes, kept), axis=0) / (2 * rounds)
    found = shape.of_scores(kept)
    assert np.abs(total - found).max() < 0.1 * np.abs(found).max()
    np.testing.assert_allclose(found.sum(axis=0), 2 * shape.covariance(np.ones((1, d), bool), kept)[0], atol=1e-12)
