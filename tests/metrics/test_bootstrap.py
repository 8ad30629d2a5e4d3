"""Paired bootstrap against SciPy's and closed forms, and its coverage."""

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
        interval = paired_bootstrap(a, b, statistic, resamples=20_000)
        theirs = stats.bootstrap(
            (a, b),
            lambda x, y, axis, f=statistic: f(x, axis=axis) - f(y, axis=axis),
            paired=True,
            n_resamples=20_000,
            method="percentile",
            rng=1,
        ).confidence_interval
        assert interval[0] == pytest.approx(statistic(a) - statistic(b))
        assert interval[1:] == pytest.approx(tuple(theirs), abs=0.01)


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
    intervals = [paired_bootstrap(a, b, resamples=200, seed=s) for s in (0, 0, 1)]
    assert intervals[0] == intervals[1] != intervals[2]
    _, low, high = intervals[0]
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(2 / 12 / 50_000), rel=0.25)


def test_the_interval_is_that_of_scipy_from_the_same_seed():
    a, b = np.random.default_rng(4).random((2, 25))
    theirs = stats.bootstrap(
        (a, b),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        paired=True,
        n_resamples=500,
        confidence_level=0.9,
        method="percentile",
        rng=np.random.default_rng(7),
    ).confidence_interval
    assert paired_bootstrap(a, b, resamples=500, confidence=0.9, seed=7)[1:] == pytest.approx(tuple(theirs), abs=1e-12)


def test_scipy_before_1_15_calls_its_generator_otherwise(monkeypatch):
    a, b = np.random.default_rng(5).random((2, 20))
    modern, methods = stats.bootstrap, []

    def older(data, statistic, *, random_state=None, **options):
        methods.append(options["method"])
        return modern(data, statistic, rng=random_state, **options)

    expected = paired_bootstrap(a, b, resamples=50)
    monkeypatch.setattr(stats, "bootstrap", older)
    assert paired_bootstrap(a, b, resamples=50) == expected
    assert methods == ["percentile"]


def test_large_samples_are_drawn_piece_by_piece(monkeypatch):
    monkeypatch.setattr("lcshap.metrics.bootstrap._NUMBERS_PER_BATCH", 100)
    shapes = []

    def mean(x, axis):
        shapes.append(x.shape)
        return x.mean(axis)

    paired_bootstrap(np.arange(30.0), np.ones(30), mean, resamples=10)
    assert max(int(np.prod(shape)) for shape in shapes) == 90
    assert sum(shape[0] for shape in shapes if len(shape) == 2 and shape[-1] == 30) == 2 * 10


def test_one_sample_has_no_spread():
    assert paired_bootstrap([3.0], [1.0]) == (2.0, 2.0, 2.0)


def test_bad_input():
    with pytest.raises(lc.errors.MetricError, match=r"shapes \(2,\) and \(3,\)"):
        paired_bootstrap([1, 2], [1, 2, 3])
    with pytest.raises(lc.errors.MetricError, match="NaN"):
        paired_bootstrap([1, np.nan], [1, 2])
    with pytest.raises(lc.errors.MetricError, match="confidence"):
        paired_bootstrap([1, 2], [1, 2], confidence=95)
    for resamples in (0, 1):
        with pytest.raises(lc.errors.MetricError, match="Expected resamples as a number of at least 2, got"):
            paired_bootstrap([1, 2], [1, 2], resamples=resamples)
    with pytest.raises(lc.errors.MetricError, match="shapes"):
        paired_bootstrap([], [])
