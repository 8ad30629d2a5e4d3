"""Shapley values that need no process, against what is known of the games."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.estimators.graph_kernel.exact import additive_scores, scores_from_all_pairs
from support import every
from support import random_pairs as pairs


def test_all_pairs_give_the_exact_value():
    d = 6
    values, kept = np.random.default_rng(0).normal(size=2**d), every(d)
    game = lc.Game(lambda kept: values[kept @ (1 << np.arange(d))], d)
    half = kept[: 2 ** (d - 1)]  # one coalition of each pair
    odd = (game.fn(half) - game.fn(~half)) / 2
    exact = lc.Shapley().explain(game, lc.Graph.complete(d)).scores
    np.testing.assert_allclose(scores_from_all_pairs(half, odd), exact, atol=1e-12)


@pytest.mark.parametrize("n", [13, 14, 40])
def test_sums_over_units_are_recognised(n):
    d = 12
    kept, worth = pairs(d, n), np.linspace(-1, 1, d)
    odd = np.where(kept, 0.5, -0.5) @ worth
    np.testing.assert_allclose(additive_scores(kept, odd), worth, atol=1e-9)
    if n == 40:  # with hardly more pairs than units, one of them may be all that is known of a unit
        odd[3] += 1e-6
        assert additive_scores(kept, odd) is None


def test_too_few_pairs_prove_nothing():
    d = 12
    assert additive_scores(pairs(d, d), np.random.default_rng(0).normal(size=d)) is None
    assert not additive_scores(pairs(d, d), np.zeros(d)).any()
