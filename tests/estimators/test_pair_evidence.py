"""The evidence: what it finds out about games that are known."""

import numpy as np
import pytest

from lcshap.estimators.pair_evidence import climb, fit
from lcshap.estimators.pair_shape import Terms
from lcshap.estimators.pair_space import UNITS, Point, Space
from support import random_pairs as pairs


def test_it_finds_the_units_that_interact():
    d = 20
    kept = pairs(d, 160)

    def v(kept):
        return (
            kept[:, 0] * kept[:, 1] * kept[:, 2] + kept[:, 2] * kept[:, 3] * kept[:, 4] + 0.1 * kept[:, 5:].sum(axis=1)
        )

    odd = (v(kept) - v(~kept)) / 2
    (shape,) = fit(Space(kept, Terms(d)), odd)
    assert shape.reach[:5].min() > 5 * shape.reach[5:].max()
    assert np.ptp(fit(Space(kept, Terms(d)), odd, units=False)[0].reach) == 0


def test_units_stay_alike_where_nothing_tells_them_apart():
    """Of games drawn from a prior in which units are alike, few get reaches of their own."""
    space = Space(pairs(12, 40), Terms(12))
    K = space.shape(space.mean, space.alike).among(space.kept)
    draws = np.linalg.cholesky(K) @ np.random.default_rng(0).normal(size=(40, 10))
    assert sum(np.ptp(fit(space, odd)[0].reach) > 0 for odd in draws.T) <= 3


def test_scale_does_not_matter():
    d = 10
    kept = pairs(d, 40)
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ np.linspace(-1, 1, d))
    space = Space(kept, Terms(d))
    (one,), (thousand,) = fit(space, odd), fit(space, 1000 * odd)
    np.testing.assert_allclose(thousand.own, 1e6 * one.own, rtol=1e-6)
    np.testing.assert_allclose(thousand.reach, one.reach, rtol=1e-6)
    assert thousand.white == pytest.approx(1e6 * one.white, rel=1e-6)


def test_few_values_of_many_units_leave_them_alike():
    d = UNITS + 1
    kept = pairs(d, 30)
    (shape,) = fit(Space(kept, Terms(d)), np.random.default_rng(0).normal(size=30))
    assert np.ptp(shape.reach) == 0
    assert np.ptp(shape.own) == 0


def test_many_units_differ_as_what_they_do_by_themselves():
    d = UNITS + 36
    kept = pairs(d, 200)
    odd = np.where(kept, 1.0, -1.0)[:, :5].sum(axis=1) + (kept[:, 0] & kept[:, 1] & kept[:, 2])
    (shape,) = fit(Space(kept, Terms(d)), odd)
    assert shape.own[:5].min() > 5 * shape.own[5:].max()
    assert shape.reach[:5].min() > 5 * shape.reach[5:].max()


def test_effects_give_a_second_shape_with_reaches_of_its_own():
    d = 12
    kept = pairs(d, 30)
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ np.geomspace(0.01, 1, d))
    space = Space(kept, Terms(d))
    alike, apart = fit(space, odd, effects=np.geomspace(0.01, 1, d) ** 2)
    assert np.ptp(alike.reach) == 0
    assert apart.reach[-1] > 5 * apart.reach[0]
    assert len(fit(space, odd, units=False, effects=np.ones(d))) == 1


@pytest.mark.parametrize("turns", [0, 1])
def test_a_curvature_that_cannot_be_factored_ends_the_climb_where_it_is(turns):
    start, looks = np.array([0.5, -0.5, 0.1]), []

    def look(at, spread):
        looks.append(at)
        return Point(at, spread, 1.0, lambda: (np.ones(3), np.diag([1.0, -1.0, 1.0])))

    np.testing.assert_array_equal(climb(look, start, first=2, turns=turns), start)
    assert len(looks) == 1
