"""The regression on sampled coalitions, against least squares written out."""

import numpy as np
import pytest

from lcshap.estimators.least_squares import WeightedLeastSquares


def make(rows=30, d=4, **options):
    """Differences of 12 values, of which the first is v(∅) and the last v(V), on a random design."""
    rng = np.random.default_rng(0)
    plus, minus = rng.integers(0, 12, size=(2, rows)).astype(np.int32)
    return WeightedLeastSquares(plus, minus, rng.normal(size=(rows, d)), rng.uniform(0.5, 2, rows), 12, **options)


VALUES = np.random.default_rng(1).normal(size=(12, 2))
VALUES[0] = 0


@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_without_a_constraint(ridge):
    fit = make(ridge=ridge, efficient=False)
    W = np.diag(fit.weight)
    normal = fit.design.T @ W @ fit.design + ridge * np.eye(4)
    expected = np.linalg.solve(normal, fit.design.T @ W @ (VALUES[fit.plus] - VALUES[fit.minus]))
    np.testing.assert_allclose(fit.estimate(VALUES).scores, expected, atol=1e-12)


def test_with_the_sum_as_a_constraint():
    """By a Lagrange multiplier."""
    fit = make()
    W = np.diag(fit.weight)
    system = np.block([[fit.design.T @ W @ fit.design, np.ones((4, 1))], [np.ones((1, 4)), np.zeros((1, 1))]])
    right = np.vstack([fit.design.T @ W @ (VALUES[fit.plus] - VALUES[fit.minus]), VALUES[-1]])
    np.testing.assert_allclose(fit.estimate(VALUES).scores, np.linalg.solve(system, right)[:4], atol=1e-10)
    np.testing.assert_allclose(fit.estimate(VALUES).scores.sum(axis=0), VALUES[-1], atol=1e-12)


def test_too_few_rows_give_the_solution_nearest_to_equal_shares():
    fit = make(rows=2)
    scores = fit.estimate(VALUES).scores
    np.testing.assert_allclose(scores.sum(axis=0), VALUES[-1], atol=1e-12)
    np.testing.assert_allclose(fit.design @ scores, VALUES[fit.plus] - VALUES[fit.minus], atol=1e-9)
    assert np.isinf(fit.estimate(VALUES).stderr).all()
    assert fit.estimate(VALUES).dof == 2 - 4 + 1


def test_the_first_rows_are_a_fit_of_their_own():
    fit = make()
    head = fit.head(20)
    assert (head.samples, head.d) == (20, 4)
    assert set(head.columns) == set(fit.plus[:20]) | set(fit.minus[:20])
    assert fit.head(30) is fit
    assert np.isfinite(head.estimate(VALUES).stderr).all()


def test_exact_rows_add_no_error():
    rows = np.ones(30, bool)
    assert not make(exact=rows).estimate(VALUES).stderr.any()
    half_exact = rows.copy()
    half_exact[::2] = False
    assert (make(exact=half_exact).estimate(VALUES).stderr < make().estimate(VALUES).stderr).all()
