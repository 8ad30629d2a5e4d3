"""The evidence at some logarithms: its derivatives against differences, its value against a normal density."""

import numpy as np
import pytest

from lcshap.estimators.pair_shape import Terms
from lcshap.estimators.pair_space import Space, inverse_of
from support import random_pairs as pairs


@pytest.mark.parametrize("units", ["alike", "pattern", "each"])
@pytest.mark.parametrize(("d", "n"), [(6, 20), (12, 30), (30, 20)])
def test_derivatives_against_differences(d, n, units):
    rng = np.random.default_rng(d)
    triples = np.array([[0, 1, 2], [1, 2, 3]], np.int32)
    space = Space(pairs(d, n), Terms(d, triples))
    assert space.free == (d <= n)
    y = rng.normal(size=n)
    given = {"alike": space.alike, "pattern": space.pattern(rng.normal(size=d)), "each": None}[units]
    at = np.concatenate([space.mean, np.zeros(0 if given else d)])
    at += rng.normal(size=len(at)) * 0.3
    at[1] += 5  # enough noise for differences to be exact
    point = space.look(at, 0.6, y, given)
    for k in range(len(at)):
        step = np.zeros(len(at))
        step[k] = 1e-5
        slope = (space.look(at + step, 0.6, y, given).value - space.look(at - step, 0.6, y, given).value) / 2e-5
        assert point.gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_the_value_is_the_density_of_a_normal_distribution():
    """Against SciPy's, but for the constant; and the logarithms have their normal priors."""
    from scipy.stats import multivariate_normal

    d, n = 5, 14
    space, y = Space(pairs(d, n), Terms(d)), np.random.default_rng(3).normal(size=n)
    values, densities = [], []
    for shift in (0.0, 0.7):
        at = space.mean.copy()
        at[1:3] += 5, shift
        shape = space.shape(at, space.alike)
        K = shape.covariance(space.kept, space.kept) + shape.white * np.eye(n)
        prior = (5 / space.deviation(0.5)[1]) ** 2 / 2 + (shift / space.deviation(0.5)[2]) ** 2 / 2
        densities.append(multivariate_normal(np.zeros(n), K).logpdf(y) - prior)
        values.append(space.look(at, 0.5, y, space.alike).value)
    assert values[0] - values[1] == pytest.approx(densities[1] - densities[0], abs=1e-8)


def test_a_pattern_is_what_each_unit_may_be_given():
    """The evidence does not depend on whether the logarithms of units are given or are to be found."""
    d, n = 7, 20
    space, y = Space(pairs(d, n), Terms(d)), np.random.default_rng(1).normal(size=n)
    units = np.linspace(-1, 1, d)
    at = space.mean + 0.1
    at[space.first - 1] = 1.0  # a pattern ties what a unit does by itself to its reach
    given, each = space.look(at, 1e9, y, space.pattern(units)), space.look(np.concatenate([at, units]), 1e9, y)
    assert given.value == pytest.approx(each.value, abs=1e-9)
    np.testing.assert_allclose(given.gradient[:-1], each.gradient[: space.first - 1], rtol=1e-7, atol=1e-9)


def test_rows_are_spread_evenly_and_a_coarse_space_has_fewer():
    kept = pairs(10, 400)
    space = Space(kept, Terms(10))
    assert len(space.kept) == 400
    assert space.coarse.rows[[0, -1]].tolist() == [0, 399]
    assert len(space.coarse.kept) < 200
    assert space.coarse.coarse is space.coarse
    np.testing.assert_array_equal(space.coarse.kept, kept[space.coarse.rows])


def test_the_inverse_and_the_determinant():
    half = np.random.default_rng(0).normal(size=(9, 9))
    K = half @ half.T + np.eye(9)
    inverse, logarithm = inverse_of(K.copy())
    np.testing.assert_allclose(inverse @ K, np.eye(9), atol=1e-10)
    assert logarithm == pytest.approx(np.linalg.slogdet(K)[1] / 2)
    assert inverse_of(-K)[0] is None


@pytest.mark.parametrize("triples", [[], [(0, 1, 2), (2, 3, 5)]])
def test_the_covariance_of_its_coalitions_is_that_of_the_shape(triples):
    terms = Terms(7, np.array(triples, np.int32).reshape(-1, 3))
    space = Space(pairs(7, 20), terms)
    at = np.random.default_rng(2).normal(space.mean, 0.5)
    shape = space.shape(np.concatenate([at, np.linspace(-1, 1, 7)]))
    np.testing.assert_allclose(space.among(shape), shape.among(space.kept), rtol=1e-12, atol=1e-15)


def test_a_space_without_terms():
    space = Space(pairs(7, 20), Terms(7, wide=False))
    shape = space.shape(np.concatenate([space.mean, np.zeros(7)]))
    np.testing.assert_allclose(space.among(shape), shape.among(space.kept), rtol=1e-12, atol=1e-15)
    assert space.look(space.mean, 0.5, np.ones(20), space.alike).gradient.shape == space.mean.shape
