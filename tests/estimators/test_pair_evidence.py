"""The evidence: its derivatives against differences, and what it finds out about games that are known."""

import numpy as np
import pytest

from lcshap.estimators.pair_evidence import UNITS, _Space, fit
from lcshap.estimators.pair_shape import Terms
from support import random_pairs as pairs


@pytest.mark.parametrize(("d", "n"), [(6, 20), (12, 30), (30, 20)])
def test_derivatives_against_differences(d, n):
    rng = np.random.default_rng(d)
    triples = np.array([[0, 1, 2], [1, 2, 3]], np.int32)
    space = _Space(pairs(d, n), Terms(d, triples))
    assert space.free == (d <= n)
    y = rng.normal(size=n)
    at = space.mean + rng.normal(size=len(space.mean)) * 0.3
    at[1] += 5  # enough noise for differences to be exact
    point = space.look(at, 0.6, y)
    for k in range(len(at)):
        step = np.zeros(len(at))
        step[k] = 1e-5
        slope = (space.look(at + step, 0.6, y).value - space.look(at - step, 0.6, y).value) / 2e-5
        assert point.gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_the_value_is_the_density_of_a_normal_distribution():
    """Against SciPy's, but for the constant; and the logarithms have their normal priors."""
    from scipy.stats import multivariate_normal

    d, n = 5, 14
    space, y = _Space(pairs(d, n), Terms(d)), np.random.default_rng(3).normal(size=n)
    values, densities = [], []
    for shift in (0.0, 0.7):
        at = space.mean.copy()
        at[1:3] += 5, shift
        shape = space.shape(at)
        K = shape.covariance(space.kept, space.kept) + shape.white * np.eye(n)
        prior = (5 / space.deviation(0.5)[1]) ** 2 / 2 + (shift / space.deviation(0.5)[2]) ** 2 / 2
        densities.append(multivariate_normal(np.zeros(n), K).logpdf(y) - prior)
        values.append(space.look(at, 0.5, y).value)
    assert values[0] - values[1] == pytest.approx(densities[1] - densities[0], abs=1e-8)


def test_it_finds_the_units_that_interact():
    d = 20
    kept = pairs(d, 160)

    def v(kept):
        return (
            kept[:, 0] * kept[:, 1] * kept[:, 2] + kept[:, 2] * kept[:, 3] * kept[:, 4] + 0.1 * kept[:, 5:].sum(axis=1)
        )

    shape = fit(kept, (v(kept) - v(~kept)) / 2, Terms(d))
    assert shape.reach[:5].min() > 5 * shape.reach[5:].max()


def test_scale_does_not_matter():
    d = 10
    kept = pairs(d, 40)
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ np.linspace(-1, 1, d))
    one, thousand = fit(kept, odd, Terms(d)), fit(kept, 1000 * odd, Terms(d))
    np.testing.assert_allclose(thousand.own, 1e6 * one.own, rtol=1e-6)
    np.testing.assert_allclose(thousand.reach, one.reach, rtol=1e-6)
    assert thousand.white == pytest.approx(1e6 * one.white, rel=1e-6)


def test_many_units_are_alike():
    d = UNITS + 1
    kept = pairs(d, 30)
    shape = fit(kept, np.random.default_rng(0).normal(size=30), Terms(d))
    assert np.ptp(shape.reach) == 0
    assert np.ptp(shape.own) == 0
