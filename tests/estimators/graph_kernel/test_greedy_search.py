"""The greedy search for pairs, against direct computations in floating-point numbers."""

import numpy as np
import pytest

from lcshap.estimators.graph_kernel.fixed_kernel import fixed_kernel
from lcshap.estimators.graph_kernel.greedy_search import GreedySearch, round_to_bits
from lcshap.estimators.graph_kernel.tuning import DESIGN


def joint_prior(d, smooth, rows):
    """The prior covariance of f at coalitions, of Shapley values with f, and of linear effects with f."""
    kernel, signs = fixed_kernel(d, 0.0, smooth, 0.0, DESIGN.white), np.where(rows, 1.0, -1.0)
    linear = DESIGN.linear / d
    K = kernel.covariance(rows, rows) + linear * signs @ signs.T + kernel.white * np.eye(len(rows))
    return K, kernel.score_covariances(rows) + 2 * linear * signs.T, linear * signs.T


@pytest.mark.parametrize(("d", "smooth"), [(6, DESIGN.smooth), (10, DESIGN.smooth_few), (30, DESIGN.smooth_few)])
def test_each_pair_lowers_the_variance_of_the_scores_most(d, smooth):
    """After the pairs that were chosen before it, by conditioning on them directly."""
    pool = np.unique(np.random.default_rng(d).random((60, d)) < 0.5, axis=0)
    chosen, _ = GreedySearch.for_units(d, smooth).select(pool, 12)
    rows = np.concatenate([np.ones((1, d), bool), pool])
    K, C, _ = joint_prior(d, smooth, rows)
    known = [0]
    for pair in chosen:
        number = 1 + int(np.flatnonzero((pool == pair).all(axis=1))[0])
        explained = [
            np.trace(C[:, tried] @ np.linalg.solve(K[np.ix_(tried, tried)], C[:, tried].T))
            for tried in ([*known, other] for other in range(1, len(rows)) if other not in known)
        ]
        tried = [*known, number]
        reached = np.trace(C[:, tried] @ np.linalg.solve(K[np.ix_(tried, tried)], C[:, tried].T))
        assert reached >= max(explained) * (1 - 1e-5)
        known = tried


def test_the_next_search_starts_from_the_posterior_of_the_linear_effects():
    d, count = 12, 20
    pool = np.unique(np.random.default_rng(1).random((80, d)) < 0.5, axis=0)
    chosen, after = GreedySearch.for_units(d, DESIGN.smooth).select(pool, count)
    assert len(chosen) == count
    rows = np.concatenate([np.ones((1, d), bool), chosen])
    K, _, E = joint_prior(d, DESIGN.smooth, rows)
    posterior = np.eye(d) * DESIGN.linear / d - E @ np.linalg.solve(K, E.T)
    np.testing.assert_allclose(after.linear, posterior, atol=2e-5)


def test_no_number_of_the_prior_is_near_the_middle_between_two_fixed_point_numbers():
    """Exponentials and sums differ by some 1e-16 between processors. Rounding removes this unless it is near a tie."""
    for d in range(2, 65):
        for smooth in (DESIGN.smooth, DESIGN.smooth_few):
            kernel = fixed_kernel(d, 0.0, smooth, 0.0, DESIGN.white)
            for numbers, bits in ((kernel.by_agreement, 32), (kernel.inside, 22), (kernel.outside, 22)):
                scaled = np.ldexp(numbers, bits)
                distance_to_tie = np.abs(np.abs(scaled - np.rint(scaled)) - 0.5)
                assert np.ldexp(distance_to_tie, -bits).min() > 3e-15, (d, smooth)


def test_rounding():
    numbers = np.array([0.3, -0.3, 1.0, 2.0**-21, 2.0**-20])
    assert round_to_bits(numbers, 20).tolist() == [314573 / 2**20, -314573 / 2**20, 1.0, 0.0, 2.0**-20]
    assert numbers[0] == 0.3  # the argument is not changed
