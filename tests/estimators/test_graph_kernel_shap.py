"""GraphKernelSHAP: its properties, and its triples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.errors import BudgetError
from lcshap.estimators.graph_kernel_shap import largest_budget, near_triples
from support import edges_of, graphs, table_game


@settings(max_examples=25, deadline=None)
@given(graphs(max_d=7), st.integers(0, 999))
def test_exact_with_all_coalitions(graph, seed):
    game, table = table_game(graph.d, seed, outputs=2)
    e = lc.GraphKernelSHAP(2**graph.d).explain(game, graph)
    np.testing.assert_allclose(e.scores, oracles.shapley(graph.d, table), atol=1e-8)
    assert not e.stderr.any()
    assert e.calls == 2**graph.d


@pytest.mark.parametrize("d", [3, 8, 30, 90])
def test_sums_to_the_whole_at_every_budget(d):
    rng = np.random.default_rng(d)
    w = rng.normal(size=d)
    v = lc.Game(lambda kept: np.tanh(kept @ w) + 5, d)
    for budget in (2 * d, 3 * d + 1, 8 * d):
        e = lc.GraphKernelSHAP(budget, seed=1).explain(v, lc.Graph.chain(d))
        assert abs(e.residual) < 1e-9
        assert e.calls <= budget


@pytest.mark.parametrize("budget", [3, 4, 16])
def test_exact_where_only_pairs_interact(budget):
    d = 30
    rng = np.random.default_rng(2)
    unary, pairs = rng.normal(size=d), np.triu(rng.normal(size=(d, d)), 1)
    v = lc.Game(lambda kept: kept @ unary + np.einsum("ni,nj,ij->n", kept, kept, pairs), d)
    e = lc.GraphKernelSHAP(budget * d).explain(v, lc.Graph.chain(d))
    np.testing.assert_allclose(e.scores, unary + (pairs + pairs.T).sum(axis=1) / 2, atol=1e-9)
    assert e.stderr.max() < 1e-6


def test_less_error_than_the_others_on_a_smooth_game():
    """The claim of the docstring, on games that were not used to tune it."""
    d, errors = 14, {"gks": [], "kernel": [], "permutations": []}
    chain = lc.Graph.chain(d)
    for seed in range(8):
        rng = np.random.default_rng(100 + seed)
        hidden, readout = rng.normal(size=(d, 6)), rng.normal(size=6)
        v = lc.Game(lambda kept, h=hidden, o=readout: np.tanh(kept @ h / 2) @ o, d)
        truth = lc.Shapley().explain(v, chain).scores
        for name, method in (
            ("gks", lc.GraphKernelSHAP(8 * d, seed=seed)),
            ("kernel", lc.KernelSHAP(8 * d, seed=seed)),
            ("permutations", lc.SampleShapley(8 * d, seed=seed)),
        ):
            errors[name].append(np.abs(method.explain(v, chain).scores - truth).mean())
    assert np.mean(errors["gks"]) < 0.8 * np.mean(errors["kernel"])
    assert np.mean(errors["gks"]) < 0.8 * np.mean(errors["permutations"])


def test_intervals_cover():
    d, inside = 12, []
    chain = lc.Graph.chain(d)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        w, u = rng.normal(size=d), rng.normal(size=d - 1)
        v = lc.Game(lambda kept, w=w, u=u: -np.logaddexp(0, -(kept @ w + (kept[:, 1:] & kept[:, :-1]) @ u)), d)
        truth = lc.Shapley().explain(v, chain).scores
        low, high = lc.GraphKernelSHAP(6 * d, seed=seed).explain(v, chain).interval()
        inside.append(((low <= truth) & (truth <= high)).mean())
    assert 0.88 <= np.mean(inside) <= 0.995


def test_too_few_pairs_are_reported():
    v = lc.Game(lambda kept: np.tanh(kept.sum(axis=1) / 9.0), 20)
    e = lc.GraphKernelSHAP(40).explain(v, lc.Graph.chain(20))
    assert np.isinf(e.stderr).all()
    assert np.isfinite(lc.GraphKernelSHAP(60).explain(v, lc.Graph.chain(20)).stderr).all()


@pytest.mark.parametrize("calls_a_unit", [2, 8])
def test_the_seed_chooses_the_pairs(calls_a_unit):
    """For many units the pairs are random, for fewer they are chosen one by one: both from the seed."""
    v, chain = lc.Game(lambda kept: np.tanh(kept @ np.linspace(-1, 1, 20)) * kept[:, 3], 20), lc.Graph.chain(20)
    first, repeated, reseeded = (lc.GraphKernelSHAP(20 * calls_a_unit, seed=s) for s in (0, 0, 1))
    assert first.plan(chain).coalitions == repeated.plan(chain).coalitions
    assert set(first.plan(chain).coalitions) != set(reseeded.plan(chain).coalitions)
    assert first.explain(v, chain).scores.tobytes() == repeated.explain(v, chain).scores.tobytes()
    assert first.explain(v, chain).scores.tobytes() != reseeded.explain(v, chain).scores.tobytes()


class TestTriples:
    @settings(max_examples=40, deadline=None)
    @given(graphs(max_d=8), st.integers(0, 3))
    def test_all_within_an_order(self, graph, order):
        near = oracles.neighbours(graph.d, edges_of(graph))
        ball = [oracles.ball(near, i, order) for i in range(graph.d)]
        expected = [
            (i, j, k)
            for i in range(graph.d)
            for j in range(i + 1, graph.d)
            for k in range(j + 1, graph.d)
            if j in ball[i] and k in ball[i] and k in ball[j]
        ]
        triples = [tuple(t) for t in near_triples(graph, order).tolist()]
        assert triples == expected

    def test_a_crowd_is_left_out(self):
        assert len(near_triples(lc.Graph.complete(60), 1)) == 0
        assert len(near_triples(lc.Graph.chain(1000), 2)) == 998

    def test_the_graph_matters_where_neighbours_interact_in_threes(self):
        d, errors = 16, {0: [], 2: []}
        chain = lc.Graph.chain(d)
        for seed in range(6):
            w = np.random.default_rng(seed).normal(size=d - 2)
            v = lc.Game(lambda kept, w=w: (kept[:, 2:] & kept[:, 1:-1] & kept[:, :-2]) @ w, d)
            truth = lc.Shapley().explain(v, chain).scores
            for order in errors:
                e = lc.GraphKernelSHAP(16 * d, order=order, seed=seed).explain(v, chain)
                errors[order].append(np.abs(e.scores - truth).mean())
        assert np.mean(errors[2]) < 0.9 * np.mean(errors[0])


def test_bad_input():
    with pytest.raises(lc.errors.MethodError, match="Expected order as an integer of at least 0, got -1"):
        lc.GraphKernelSHAP(100, order=-1)
    with pytest.raises(
        lc.errors.MethodError, match=r"at most 4,096 units for GraphKernelSHAP, got 5,000. .*SampleShapley"
    ):
        lc.GraphKernelSHAP(10_000).plan(lc.Graph.chain(5_000))
    with pytest.raises(
        lc.errors.MethodError, match=rf"at most {largest_budget(4000):,} calls .* for 4,000 units, got 100,000"
    ):
        lc.GraphKernelSHAP(100_000).plan(lc.Graph.chain(4_000))
    with pytest.raises(BudgetError, match="at least 100 calls"):
        lc.GraphKernelSHAP(99).plan(lc.Graph.chain(50))
