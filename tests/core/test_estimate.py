"""Estimates, and the linear estimator."""

import numpy as np
from scipy import sparse

import lcshap as lc
from lcshap.core.estimate import Estimate, LinearEstimator


def test_a_linear_estimator_multiplies_each_output():
    rng = np.random.default_rng(0)
    operator, edges, values = rng.normal(size=(3, 8)), rng.normal(size=(2, 8)), rng.normal(size=(8, 4))
    estimate = LinearEstimator(operator, sparse.csr_array(edges)).estimate(values)
    np.testing.assert_allclose(estimate.scores, operator @ values)
    np.testing.assert_allclose(estimate.interactions, edges @ values)
    assert estimate.stderr is estimate.dof is estimate.interaction_stderr is estimate.predict is None


def test_memory_of_dense_and_sparse_matrices():
    dense, thin = np.ones((3, 8)), sparse.csr_array(np.eye(3, 8))
    assert LinearEstimator(dense).nbytes == 8 * 24
    assert 3 * 8 < LinearEstimator(thin).nbytes < LinearEstimator(dense, thin).nbytes


def test_a_method_without_a_plan_returns_its_estimate_directly():
    game = lc.Game(lambda kept: kept @ np.arange(1.0, 5), 4)
    from lcshap.core.run_plan import explain_estimate

    base, full = game.evaluate(lc.Coalitions.from_sets(4, [[], range(4)]))
    estimate = Estimate(np.arange(1.0, 5), np.full(4, 0.5), 7)
    e = explain_estimate(lc.Shapley(), lc.Graph.chain(4), game, estimate, base, full, calls=2)
    assert (e.calls, e.residual, e.dof) == (2, 0, 7)
    np.testing.assert_array_equal(e.stderr, 0.5)
