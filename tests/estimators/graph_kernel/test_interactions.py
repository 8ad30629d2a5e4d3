"""Interaction indices from the even half: against brute force, and a process written down anew."""

from itertools import combinations

import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.estimators.graph_kernel.fit import fit_even_kernel
from lcshap.estimators.graph_kernel.interactions import interaction_posterior
from support import exact_table, random_pairs, table_game


def index(d, table, i, j):
    """The interaction index of two units among all, by the oracle."""
    near = {u: set(range(d)) - {u} for u in range(d)}
    return oracles.interaction(d, near, table, 1, "absent", i, j)


def indices(d, table):
    """All of them, in the order of combinations."""
    return np.array([index(d, table, i, j)[0] for i, j in combinations(range(d), 2)])


def test_the_mean_is_that_of_a_normal_distribution_with_an_unknown_constant():
    d, n = 8, 40
    kept = random_pairs(d, n)
    even = np.cos(np.where(kept, 1.0, -1.0) @ np.linspace(0.1, 0.5, d)) + 7
    kernel = fit_even_kernel(kept, even)
    constant = 1e6 * np.mean(even**2)
    K = kernel.covariance(kept, kept) + kernel.white * np.eye(n) + constant
    edges = np.array(list(combinations(range(d), 2)))
    expected = kernel.interaction_covariances(kept, edges) @ np.linalg.solve(K, even)
    indices, error = interaction_posterior(kept, even, edges)
    np.testing.assert_allclose(indices, expected, atol=1e-3 * np.abs(expected).max())
    # The deviation, by leaving out: one row after the other, with a mean that is fitted freely.
    K, ones = K - constant, np.ones(n)
    inverse = np.linalg.inv(K)
    free = inverse - np.outer(inverse @ ones, inverse @ ones) / inverse.sum()
    y = even - even.mean()
    squared_residuals = []
    for i in range(n):
        is_other = np.arange(n) != i
        inverse_without_i = np.linalg.inv(K[np.ix_(is_other, is_other)])
        weights = inverse_without_i @ K[is_other, i]
        slack = 1 - weights.sum()
        mean = inverse_without_i.sum(axis=0) @ y[is_other] / inverse_without_i.sum()
        variance = K[i, i] - weights @ K[is_other, i] + slack**2 / inverse_without_i.sum()
        squared_residuals.append((y[i] - mean - weights @ (y[is_other] - mean)) ** 2 / variance)
    C = kernel.interaction_covariances(kept, edges)
    deviation = 1.25 * np.sqrt(
        np.mean(squared_residuals) * (kernel.interaction_variances(edges) - np.diag(C @ free @ C.T))
    )
    np.testing.assert_allclose(error, deviation, rtol=1e-2)


@pytest.mark.parametrize("outputs", [1, 2])
def test_exact_with_all_coalitions(outputs):
    d = 6
    graph = lc.Graph.complete(d)
    game, table = table_game(d, 3, outputs=outputs)
    e = lc.GraphKernelSHAP(2**d, interactions=True).explain(game, graph)
    matrices = e.interactions if isinstance(e.interactions, tuple) else (e.interactions,)
    for k, matrix in enumerate(matrices):
        for i, j in combinations(range(d), 2):
            assert matrix[i, j] == pytest.approx(index(d, table, i, j)[k], abs=1e-12)
            assert matrix[i, j] == matrix[j, i]


def test_pairs_that_interact_are_found_at_the_calls_of_the_scores():
    d = 12
    v = lc.Game(lambda kept: 2.0 * (kept[:, 1] & kept[:, 7]) - 1.0 * (kept[:, 3] & kept[:, 4]) + kept[:, 0], d)
    e = lc.GraphKernelSHAP(12 * d, interactions=True).explain(v, lc.Graph.complete(d))
    assert e.calls == lc.GraphKernelSHAP(12 * d).explain(v, lc.Graph.complete(d)).calls
    interactions = e.interactions.toarray()
    expected = np.zeros((d, d))
    expected[1, 7] = expected[7, 1] = 2
    expected[3, 4] = expected[4, 3] = -1
    np.testing.assert_allclose(interactions, expected, atol=0.05)


def test_only_edges_of_the_graph():
    d = 9
    v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & kept[:, 3]) + (kept[:, 0] & kept[:, 8]), d)
    e = lc.GraphKernelSHAP(100, interactions=True).explain(v, lc.Graph.chain(d))
    assert e.interactions.nnz <= 2 * (d - 1)
    assert e.interactions[2, 3] == pytest.approx(1, abs=0.1)


def test_all_pairs_on_request(tmp_path):
    """Also those that are no edges; they are kept in files with their standard errors."""
    d = 9
    v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & kept[:, 3]) + (kept[:, 0] & kept[:, 8]) * kept[:, 4], d)
    e = lc.GraphKernelSHAP(100, interactions="all").explain(v, lc.Graph.chain(d))
    assert e.interactions.nnz == e.interaction_stderr.nnz == d * (d - 1)
    assert e.interactions[0, 8] == pytest.approx(0.5, abs=0.2)
    loaded = lc.load(e.save(tmp_path / "e.json"))
    assert loaded == e
    assert (loaded.interaction_stderr != e.interaction_stderr).nnz == 0
    with pytest.raises(lc.errors.MethodError, match="Expected interactions=True, False or 'all'"):
        lc.GraphKernelSHAP(100, interactions="some")


def test_less_error_than_chance_at_few_calls():
    """Against the exact indices of networks, at 8 and 24 calls a unit: the error falls, and zero would be worse."""
    d = 8
    graph, errors = lc.Graph.complete(d), {8: [], 24: [], 0: []}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        hidden, readout = rng.normal(size=(d, 5)), rng.normal(size=5)
        v = lc.Game(lambda kept, h=hidden, o=readout: np.tanh(kept @ h) @ o, d)
        truth = indices(d, exact_table(v))
        errors[0].append(np.mean(truth**2))
        for calls in (8, 24):
            e = lc.GraphKernelSHAP(calls * d, seed=seed, interactions=True).explain(v, graph)
            interactions = np.array([e.interactions[i, j] for i, j in combinations(range(d), 2)])
            errors[calls].append(np.mean((interactions - truth) ** 2))
    assert np.mean(errors[8]) < 0.5 * np.mean(errors[0])
    assert np.mean(errors[24]) < 0.5 * np.mean(errors[8])


def test_what_is_streamed_looks_at_known_values_only():
    d = 8
    v = lc.Game(lambda kept: 5.0 + (kept[:, 2] & kept[:, 3]), d)
    every_one = list(lc.GraphKernelSHAP(80, interactions=True).stream(v, lc.Graph.chain(d)))
    last = lc.GraphKernelSHAP(80, interactions=True).explain(v, lc.Graph.chain(d))
    assert (every_one[-1].interactions != last.interactions).nnz == 0
    assert all(abs(e.interactions[5, 6]) < 1 for e in every_one)


def test_standard_errors_of_interactions_are_calibrated():
    """The intervals of networks cover the truth; where all coalitions are known nothing is left unsure."""
    d, graph = 10, lc.Graph.complete(10)
    covered = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        hidden, readout = rng.normal(size=(d, 5)), rng.normal(size=5)
        v = lc.Game(lambda kept, h=hidden, o=readout: np.tanh(kept @ h) @ o, d)
        exact = lc.GraphKernelSHAP(2**d, interactions=True).explain(v, graph)
        assert exact.interaction_stderr.nnz == 0 or not exact.interaction_stderr.data.any()
        e = lc.GraphKernelSHAP(16 * d, interactions=True).explain(v, graph)
        off = np.abs((e.interactions - exact.interactions).toarray())[np.triu_indices(d, 1)]
        covered.append(off <= 2 * e.interaction_stderr.toarray()[np.triu_indices(d, 1)])
    assert 0.85 < np.mean(covered) <= 1
    explanation = lc.GraphKernelSHAP(2 * d, interactions=True).explain(v, graph)
    assert np.isinf(explanation.interaction_stderr.data).all()
