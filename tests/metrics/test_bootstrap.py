"""Paired bootstrap against SciPy's, closed forms, and its own promise of coverage."""

import numpy as np
import pytest
from scipy import stats

import lcshap as lc
from lcshap.metrics import paired_bootstrap


def test_against_scipy():
    rng = np.random.default_rng(0)
    a = rng.gamma(2.0, size=60)
    b = a * 0.8 + rng.normal(0, 0.2, 60)
    for statistic in (np.mean, np.median):
        found = paired_bootstrap(a, b, statistic, resamples=20_000)
        theirs = stats.bootstrap(
            (a, b),
            lambda x, y, axis, f=statistic: f(x, axis=axis) - f(y, axis=axis),
            paired=True,
            n_resamples=20_000,
            method="percentile",
            rng=1,
        ).confidence_interval
        assert found[0] == pytest.approx(statistic(a) - statistic(b))
        assert found[1:] == pytest.approx(tuple(theirs), abs=0.01)


def test_of_the_mean_it_is_about_normal_and_pairs_count():
    rng = np.random.default_rng(1)
    a = rng.normal(0, 5, 400)
    b = a - 1 + rng.normal(0, 0.5, 400)
    difference, low, high = paired_bootstrap(a, b, confidence=0.9)
    width = 1.645 * (a - b).std() / 20  # the spread of a itself, ten times as large, is not in it
    assert (low, high) == pytest.approx((difference - width, difference + width), abs=0.01)


def test_coverage():
    rng = np.random.default_rng(2)
    inside = 0
    for trial in range(300):
        a, b = rng.normal(0.3, 1, 30), rng.normal(0, 1, 30)
        _, low, high = paired_bootstrap(a, b, resamples=400, confidence=0.8, seed=trial)
        inside += low <= 0.3 <= high
    assert 0.7 < inside / 300 < 0.86


def test_pieces_and_seeds():
    a, b = np.random.default_rng(3).random((2, 50_000))
    found = [paired_bootstrap(a, b, resamples=200, seed=s) for s in (0, 0, 1)]
    assert found[0] == found[1] != found[2]
    _, low, high = found[0]
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(2 / 12 / 50_000), rel=0.25)


def test_bad_input():
    with pytest.raises(lc.MethodError, match=r"shapes \(2,\) and \(3,\)"):
        paired_bootstrap([1, 2], [1, 2, 3])
    with pytest.raises(lc.MethodError, match="NaN"):
        paired_bootstrap([1, np.nan], [1, 2])
    with pytest.raises(lc.MethodError, match="confidence"):
        paired_bootstrap([1, 2], [1, 2], confidence=95)
    with pytest.raises(lc.MethodError, match="resamples"):
        paired_bootstrap([1, 2], [1, 2], resamples=0)
