"""The estimator: values of a plan become scores, standard errors and interactions in one call."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.estimators.graph_kernel.estimator import GraphKernelEstimator


def plan_of(budget, d=8, **options):
    return lc.GraphKernelSHAP(budget, **options).plan(lc.Graph.chain(d))


def values_of(plan, outputs):
    weights = np.random.default_rng(0).normal(size=(plan.graph.d, outputs))
    values = np.tanh(plan.coalitions.dense() @ weights)
    return values - values[0]


@pytest.mark.parametrize("budget", [40, 256])
def test_each_output_is_estimated_by_itself(budget):
    plan = plan_of(budget, interactions="all")
    values = values_of(plan, 2)
    estimate = plan.estimator.estimate(values)
    assert estimate.scores.shape == estimate.stderr.shape == (8, 2)
    assert estimate.interactions.shape == estimate.interaction_stderr.shape == (28, 2)
    assert estimate.pairs.shape == (28, 2)
    for k in range(2):
        single = plan.estimator.estimate(values[:, k])
        for name in ("scores", "stderr", "interactions", "interaction_stderr"):
            assert getattr(single, name).tobytes() == getattr(estimate, name)[:, k].tobytes()


def test_scores_alone_have_no_interactions():
    plan = plan_of(40)
    estimate = plan.estimator.estimate(values_of(plan, 1)[:, 0])
    assert estimate.interactions is estimate.interaction_stderr is estimate.pairs is None
    assert estimate.dof == plan.estimator.samples - 8


def test_the_first_pairs_are_an_estimator_of_their_own():
    plan = plan_of(60, interactions=True)
    head = plan.estimator.head(12)
    assert isinstance(head, GraphKernelEstimator)
    assert head.samples == 12
    values = values_of(plan, 1)[:, 0]
    unseen = np.setdiff1d(np.arange(plan.calls), head.columns)
    changed = values.copy()
    changed[unseen] = 1e9
    estimate, changed_estimate = head.estimate(values), head.estimate(changed)
    assert estimate.scores.tobytes() == changed_estimate.scores.tobytes()
    assert estimate.interactions.tobytes() == changed_estimate.interactions.tobytes()
    assert plan.estimator.head(plan.estimator.samples) is plan.estimator


def test_with_about_one_pair_per_unit_there_is_no_standard_error():
    plan = plan_of(16)
    estimate = plan.estimator.estimate(values_of(plan, 1)[:, 0])
    assert estimate.dof == 0
    assert np.isinf(estimate.stderr).all()
