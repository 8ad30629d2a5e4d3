"""The pairs that GraphKernelSHAP evaluates."""

import numpy as np
import pytest

from lcshap.estimators.graph_kernel.design import choose_pairs
from lcshap.estimators.graph_kernel.fixed_kernel import fixed_kernel


@pytest.mark.parametrize(
    ("d", "pairs"), [(2, 1), (3, 2), (6, 20), (6, 31), (10, 30), (10, 500), (50, 40), (50, 900), (200, 300)]
)
def test_pairs_are_distinct(d, pairs):
    kept = choose_pairs(d, pairs, seed=3)
    assert kept.shape == (pairs, d)
    keys = {frozenset({bytes(row), bytes(~row)}) for row in kept}
    assert len(keys) == pairs
    assert frozenset({b"\0" * d, b"\1" * d}) not in keys


def test_seeds():
    assert np.array_equal(choose_pairs(30, 100, 1), choose_pairs(30, 100, 1))
    assert not np.array_equal(choose_pairs(30, 100, 1), choose_pairs(30, 100, 2))


def smaller_halves(kept):
    """How many units the smaller coalition of each pair has."""
    return np.minimum(kept.sum(axis=1), (~kept).sum(axis=1))


@pytest.mark.parametrize(
    ("d", "pairs", "all_of_them"), [(12, 13, True), (12, 48, True), (30, 60, True), (30, 121, False)]
)
def test_single_units_are_among_few_pairs(d, pairs, all_of_them):
    kept = choose_pairs(d, pairs, seed=3)
    smaller = smaller_halves(kept)
    assert kept.shape == (pairs, d)
    assert len({frozenset({bytes(row), bytes(~row)}) for row in kept}) == pairs
    assert ((smaller == 1).sum() == d) == all_of_them


@pytest.mark.parametrize(("pairs", "all_of_them"), [(19, False), (34, False), (35, True), (80, True), (81, False)])
def test_on_a_chain_single_units_need_other_pairs_beside_them(pairs, all_of_them):
    kept = choose_pairs(20, pairs, seed=3, chain=True)
    smaller = smaller_halves(kept)
    assert len({frozenset({bytes(row), bytes(~row)}) for row in kept}) == pairs
    assert ((smaller == 1).sum() == 20) == all_of_them


def test_the_first_pairs_of_many_hold_single_units_and_others():
    """An estimate that stops early has both."""
    smaller = smaller_halves(choose_pairs(20, 60, seed=3)[:40])
    assert (smaller == 1).sum() == 20
    assert (smaller > 1).sum() == 20


def test_chosen_pairs_have_a_smaller_posterior_variance_than_random_ones():
    """The greedy design's own measure: the posterior variance of the Shapley values under the design's prior."""
    d, pairs = 16, 60
    p = fixed_kernel(d, 1.0, 0.15, 0.0, 0.2)

    def unknown(kept):
        rows = np.concatenate([np.ones((1, d), bool), kept])
        K = p.covariance(rows, rows) + p.white * np.eye(len(rows))
        C = p.score_covariances(rows)
        return d * p.variance - np.trace(C @ np.linalg.solve(K, C.T))

    rng = np.random.default_rng(4)
    random = np.mean([unknown(rng.random((pairs, d)) < 0.5) for _ in range(5)])
    assert unknown(choose_pairs(d, pairs, 0)) < 0.8 * random
