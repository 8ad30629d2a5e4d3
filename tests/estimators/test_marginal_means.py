"""Means of marginal contributions, written out, and samples drawn within a budget."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.estimators.marginal_means import MarginalMeans, draw_within


def test_means_and_errors_over_pairs():
    rng = np.random.default_rng(0)
    plus, minus = rng.integers(0, 9, size=(2, 5, 2, 3)).astype(np.int32)
    weight, values = rng.uniform(size=(5, 2, 3)), rng.normal(size=(9, 2))
    for estimator, w in (
        (MarginalMeans(plus, minus, 9), 1.0),
        (MarginalMeans(plus, minus, 9, weight), weight[..., None]),
    ):
        pairs = (w * (values[plus] - values[minus])).mean(axis=1)
        np.testing.assert_allclose(estimator.estimate(values).scores, pairs.mean(axis=0))
        np.testing.assert_allclose(estimator.estimate(values).stderr, pairs.std(axis=0, ddof=1) / np.sqrt(5))
        np.testing.assert_allclose(estimator.head(2).estimate(values).scores, pairs[:2].mean(axis=0))
        assert np.isinf(estimator.head(1).estimate(values).stderr).all()
        assert (estimator.samples, estimator.estimate(values).dof) == (5, 4)
        assert estimator.columns.tolist() == sorted(set(plus.ravel()) | set(minus.ravel()))


def draws(d):
    """Each sample is one unit and its complement."""
    for i in range(10**6):
        yield np.array([i]), lc.Coalitions.from_sets(d, [[i % d], [j for j in range(d) if j != i % d]])


def test_samples_are_drawn_while_they_fit():
    chain = lc.Graph.chain(6)
    coalitions, notes, columns = draw_within(chain, 9, 2, draws(6))
    assert len(coalitions) <= 9
    assert notes.ravel().tolist() == [0, 1, 2]
    kept = coalitions.dense()[columns]  # (samples, 2, units)
    assert kept[:, 0].nonzero()[1].tolist() == [0, 1, 2]
    assert (kept[:, 0] ^ kept[:, 1]).all()
    larger = draw_within(chain, 13, 2, draws(6))[1]
    assert larger.ravel().tolist() == [0, 1, 2, 3, 4]


def test_a_budget_below_one_sample_is_refused():
    with pytest.raises(
        lc.errors.OptionError, match="Expected a budget of at least 4 calls, which one sample may take, got 3"
    ):
        draw_within(lc.Graph.chain(6), 3, 2, draws(6))
