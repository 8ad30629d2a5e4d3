"""The search for the greatest evidence, and the linear algebra that it needs."""

import numpy as np
import pytest

from lcshap.estimators.graph_kernel.evidence import (
    EvidencePoint,
    cholesky,
    invert,
    maximize_evidence,
    update_spread,
)
from lcshap.estimators.graph_kernel.hyperparameters import OddHyperparameters
from lcshap.estimators.graph_kernel.odd_kernel import KernelTerms
from support import random_pairs


def test_the_least_of_a_quadratic_function_is_found_in_few_steps():
    """With the prior of the units' logarithms added, whose spread is learnt on the way."""
    goal, curvature = np.array([1.0, -0.5, 0.8]), np.diag([400.0, 900.0, 400.0])

    def evidence(theta, spread):
        off, units = theta - goal, np.array([0.0, 0.0, 1.0])
        objective = off @ curvature @ off / 2 + theta[2] ** 2 / spread**2 / 2
        slopes = curvature @ off + units * theta / spread**2, curvature + np.diag(units) / spread**2
        return EvidencePoint(theta, spread, objective, lambda: slopes)

    np.testing.assert_allclose(maximize_evidence(evidence, np.zeros(3), 2), goal, atol=0.02)


@pytest.mark.parametrize("spread_updates", [0, 1])
def test_a_curvature_that_cannot_be_factored_ends_the_search_where_it_is(spread_updates):
    start, points = np.array([0.5, -0.5, 0.1]), []

    def evidence(theta, spread):
        points.append(theta)
        return EvidencePoint(theta, spread, 1.0, lambda: (np.ones(3), np.diag([1.0, -1.0, 1.0])))

    np.testing.assert_array_equal(maximize_evidence(evidence, start, 2, spread_updates=spread_updates), start)
    assert len(points) == 1


def test_the_inverse_and_the_determinant():
    half = np.random.default_rng(0).normal(size=(9, 9))
    K = half @ half.T + np.eye(9)
    np.testing.assert_allclose(invert(K.copy()) @ K, np.eye(9), atol=1e-10)
    factor, logarithm = cholesky(K.copy())
    np.testing.assert_allclose(np.tril(factor) @ np.tril(factor).T, K, atol=1e-10)
    assert logarithm == pytest.approx(np.linalg.slogdet(K)[1] / 2)
    assert invert(-K) is None
    assert cholesky(-K)[0] is None


@pytest.mark.parametrize("spread_updates", [0, 3])
@pytest.mark.parametrize("apart", [0.0, 2.0])
def test_how_much_units_differ_is_learnt_from_them(apart, spread_updates):
    """Of a quadratic whose minimum is known for each spread, the minimum at the spread that EM comes to is found.

    The likelihood of a unit's logarithm is normal, with the same precision and a mean of +apart or -apart. The prior
    of all of them is normal with the spread, which starts at 0.5 and must shrink where units are alike and grow where
    they differ. By EM, its square is the expected mean square of the logarithms, with four units more that have 0.5.
    """
    precision, first, d = 50.0, 1, 30
    means = np.array([0.3, *np.where(np.arange(d) % 2, apart, -apart)])
    units = np.arange(d + 1) >= first
    spreads = []

    def evidence(theta, spread):
        spreads.append(spread)
        gradient = precision * (theta - means) + units * theta / spread**2
        curvature = np.diag(precision + units / spread**2)
        objective = precision * np.sum((theta - means) ** 2) / 2 + np.sum(theta[units] ** 2) / (2 * spread**2)
        return EvidencePoint(theta, spread, objective, lambda: (gradient, curvature))

    theta = maximize_evidence(evidence, np.zeros(d + 1), first, min_gain=1e-9, steps=60, spread_updates=spread_updates)
    expected = 0.5
    for _ in range(200):
        mean = precision * apart / (precision + expected**-2)
        square = d * mean**2 + d / (precision + expected**-2)
        expected = np.sqrt((square + 4 * 0.5**2) / (d + 4))
    np.testing.assert_allclose(spreads[-1], expected, rtol=0.1)  # the last steps gain too little to be taken
    np.testing.assert_allclose(theta, [0.3, *(means[1:] * precision / (precision + expected**-2))], atol=1e-3)
    assert spreads[0] == 0.5
    assert (spreads[1] == 0.5) == (spread_updates == 0)  # it is learnt before the first step, too


def test_another_spread_changes_the_point_as_computing_it_anew_would():
    d, n = 6, 20
    hyperparameters = OddHyperparameters(random_pairs(d, n), KernelTerms(d))
    y = np.random.default_rng(0).normal(size=n)
    first = hyperparameters.first_unit
    theta = np.concatenate([hyperparameters.mean, np.linspace(-1, 1, d)])
    theta[1] += 5  # enough noise for the curvature to be well conditioned
    changed = update_spread(hyperparameters.evidence(theta, 0.5, y), first)
    assert abs(changed.spread - 0.5) > 0.01
    anew = hyperparameters.evidence(theta, changed.spread, y)
    assert changed.objective == pytest.approx(anew.objective, rel=1e-10)
    np.testing.assert_allclose(changed.gradient, anew.gradient, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(changed.curvature, anew.curvature, rtol=1e-9, atol=1e-9)
