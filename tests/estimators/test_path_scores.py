"""Scores of a path: pooled as isotonic regression does, and sorting into the order whatever the ties."""

from itertools import pairwise

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from lcshap.estimators.path_scores import block_means, path_scores

NUMBERS = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.1, 0.3, 1.0, 1.0 + 1e-12, 7.0])  # many ties, and near ties


@st.composite
def paths(draw):
    """An order of the units, marginals for the first of them, descending estimates for the others."""
    d = draw(st.integers(1, 12))
    moved = draw(st.integers(0, d))
    order = np.array(draw(st.permutations(range(d))), np.intp)
    numbers = np.array(draw(st.lists(NUMBERS, min_size=d, max_size=d)))
    by_estimate = np.lexsort((order[moved:], -numbers[moved:]))  # as the search orders them: ties by index
    order[moved:] = order[moved:][by_estimate]
    return order, numbers[:moved], numbers[moved:][by_estimate]


def least_concave_majorant(marginals):
    """The slopes of the smallest concave curve above the sums: another way to write isotonic regression."""
    sums, n = np.concatenate([[0], np.cumsum(marginals)]), len(marginals)

    def chords(t):
        return [sums[a] + (sums[b] - sums[a]) * (t - a) / (b - a) for a in range(t) for b in range(t + 1, n + 1)]

    above = [max([sums[t], *chords(t)]) for t in range(n + 1)]
    return np.diff(above)


@given(paths())
def test_scores_sort_into_the_order(path):
    order, marginals, estimates = path
    assume(np.any(marginals) or np.any(estimates))  # where nothing matters all scores are 0, and tell no order
    along, _ = path_scores(order, marginals, estimates)
    for number in (np.float64, np.float32) if len(marginals) else (np.float64,):
        scores = np.empty(len(order), number)
        scores[order] = along
        assert np.argsort(-scores, kind="stable").tolist() == order.tolist()


@given(paths())
def test_scores_of_the_path_are_the_marginals_pooled(path):
    order, marginals, estimates = path
    along, blocks = path_scores(order, marginals, estimates)
    n, room = len(marginals), 1e-5 * max(1, np.abs(marginals).max(initial=0))
    np.testing.assert_allclose(along[:n], least_concave_majorant(marginals), rtol=0, atol=room)
    assert blocks[0] == 0
    assert blocks[-1] == n
    for start, stop in pairwise(blocks):  # each block has its joint effect
        np.testing.assert_allclose(along[start:stop].sum(), marginals[start:stop].sum(), rtol=0, atol=1e-12)


@given(paths())
def test_other_units_have_their_estimates_up_to_the_last_score(path):
    order, marginals, estimates = path
    along, _ = path_scores(order, marginals, estimates)
    n = len(marginals)
    cut = np.minimum(estimates, along[n - 1]) if n else estimates
    np.testing.assert_allclose(along[n:], cut, rtol=0, atol=1e-5 * max(1, np.abs(along[:n]).max(initial=0)))


def test_marginals_that_decrease_are_left_as_they_are():
    marginals = np.array([3.0, 1.1, 0.7, 0.1, -0.2])
    along, blocks = path_scores(np.array([4, 2, 0, 1, 3, 5]), marginals, np.array([-0.3]))
    assert along.tolist() == [*marginals.tolist(), -0.3]
    assert blocks.tolist() == [0, 1, 2, 3, 4, 5]


def test_equal_units_in_the_order_of_their_index_stay_equal():
    along, _ = path_scores(np.arange(4), np.ones(3), np.ones(1))
    assert along.tolist() == [1, 1, 1, 1]
    along, _ = path_scores(np.array([3, 0, 1, 2]), np.ones(3), np.ones(1))
    assert along[0] > along[1] == along[2]
    np.testing.assert_allclose(along, 1, rtol=1e-6)


def test_the_steps_stay_small_where_there_are_many_units():
    d = 50_000
    along, _ = path_scores(np.arange(d)[::-1], np.ones(d), np.empty(0))
    assert (np.diff(along) < 0).all()
    np.testing.assert_allclose(along, 1, rtol=1e-3)


def test_other_outputs_have_the_means_of_the_blocks():
    values = np.random.default_rng(0).normal(size=(6, 2))
    means = block_means(values, np.array([0, 1, 4, 6]))
    np.testing.assert_allclose(means[0], values[0])
    np.testing.assert_allclose(means[1:4], values[1:4].mean(axis=0, keepdims=True).repeat(3, axis=0))
    np.testing.assert_allclose(means[4:], values[4:].mean(axis=0, keepdims=True).repeat(2, axis=0))
