"""GraphKernelSHAP: its covariances against brute force over all coalitions, and what it promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.errors import BudgetError
from lcshap.estimators.graph_kernel_shap import MOST_PAIRS, near_triples
from lcshap.estimators.pair_design import design
from lcshap.estimators.pair_prior import prior
from support import edges_of, graphs, table_game


def every(d):
    return (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1


def shapley_operator(d):
    """The Shapley value as a matrix over all coalitions, from the oracle applied to each indicator game."""
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in every(d)]
    games = {s: np.eye(2**d)[c].tolist() for c, s in enumerate(sets)}
    return np.array(oracles.shapley(d, games))


def naive_kernel(d, linear, smooth, pool, white):
    """K over all coalitions, term by term, as the docstring of `Prior` prints it."""
    kept = every(d)
    signs = np.where(kept, 1.0, -1.0)
    r = min(4 / d, 0.9)
    product = np.prod(1 + r * signs[:, None] * signs[None], axis=2)
    odd = product - product[:, ::-1]  # the complement of number c is 2^d - 1 - c
    odd /= odd[0, 0]

    def jaccard(S, T):
        return len(S & T) / len(S | T) if S | T else 1.0

    sets = [frozenset(np.flatnonzero(row).tolist()) for row in kept]
    whole = frozenset(range(d))
    j = np.array([[jaccard(S, T) for T in sets] for S in sets])
    other = np.array([[jaccard(S, whole - T) for T in sets] for S in sets])
    J = (j + j[::-1, ::-1] - other - other[::-1, ::-1]) / 2
    # White noise of an odd function: f(S) = -f(S') is the same noise with the other sign.
    W = np.eye(2**d) - np.eye(2**d)[::-1]
    return linear * signs @ signs.T / d + smooth * odd + pool * J + white / d * W


@pytest.mark.parametrize("d", [1, 2, 3, 4, 6])
def test_covariances_against_brute_force(d):
    linear, smooth, pool, white = 0.7, 0.3, 0.2, 0.1
    p = prior(d, linear, smooth, pool, white)
    K, A = naive_kernel(d, linear, smooth, pool, white), shapley_operator(d)
    kept = every(d)
    np.testing.assert_allclose(p.covariance(kept, kept), naive_kernel(d, linear, smooth, pool, 0), atol=1e-12)
    np.testing.assert_allclose(p.of_scores(kept), A @ K, atol=1e-12)
    np.testing.assert_allclose(np.diag(A @ K @ A.T), p.variance, atol=1e-12)


def test_covariances_with_many_units_against_sampling():
    """At d = 300 brute force is out of reach: the covariance with a Shapley value as a mean over permutations."""
    d, rng = 300, np.random.default_rng(0)
    p = prior(d, 1.0, 0.1, 0.1, 0.0)
    A = rng.random((3, d)) < np.array([[0.1], [0.5], [0.9]])
    total = np.zeros((d, 3))
    rounds = 150
    for _ in range(rounds):
        order = rng.permutation(d)
        for way in (order, order[::-1]):
            prefixes = np.argsort(way) < np.arange(d + 1)[:, None]
            steps = np.diff(p.covariance(prefixes, A), axis=0)
            total[way] += steps / (2 * rounds)
    np.testing.assert_allclose(total, p.of_scores(A), atol=2e-4)


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
        hidden, out = rng.normal(size=(d, 6)), rng.normal(size=6)
        v = lc.Game(lambda kept, h=hidden, o=out: np.tanh(kept @ h / 2) @ o, d)
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


def test_too_few_pairs_say_so():
    v = lc.Game(lambda kept: np.tanh(kept.sum(axis=1) / 9.0), 20)
    e = lc.GraphKernelSHAP(40).explain(v, lc.Graph.chain(20))
    assert np.isinf(e.stderr).all()
    assert np.isfinite(lc.GraphKernelSHAP(60).explain(v, lc.Graph.chain(20)).stderr).all()


@pytest.mark.parametrize("calls_a_unit", [2, 8])
def test_the_seed_chooses_the_pairs(calls_a_unit):
    """At few calls the pairs are prefixes of permutations, at more they are chosen one by one: both from the seed."""
    v, chain = lc.Game(lambda kept: np.tanh(kept @ np.linspace(-1, 1, 20)) * kept[:, 3], 20), lc.Graph.chain(20)
    one, same, other = (lc.GraphKernelSHAP(20 * calls_a_unit, seed=s) for s in (0, 0, 1))
    assert one.plan(chain).coalitions.keys() == same.plan(chain).coalitions.keys()
    assert set(one.plan(chain).coalitions.keys()) != set(other.plan(chain).coalitions.keys())
    assert one.explain(v, chain).scores.tobytes() == same.explain(v, chain).scores.tobytes()
    assert one.explain(v, chain).scores.tobytes() != other.explain(v, chain).scores.tobytes()


class TestDesign:
    @pytest.mark.parametrize(
        ("d", "pairs"), [(2, 1), (3, 2), (6, 20), (6, 31), (10, 30), (10, 500), (50, 40), (50, 900), (200, 300)]
    )
    def test_pairs_are_distinct(self, d, pairs):
        kept = design(d, pairs, seed=3)
        assert kept.shape == (pairs, d)
        keys = {frozenset({bytes(row), bytes(~row)}) for row in kept}
        assert len(keys) == pairs
        assert frozenset({b"\0" * d, b"\1" * d}) not in keys

    def test_seeds(self):
        assert np.array_equal(design(30, 100, 1), design(30, 100, 1))
        assert not np.array_equal(design(30, 100, 1), design(30, 100, 2))

    def test_chosen_pairs_leave_less_unknown_than_random_ones(self):
        """The greedy design's own measure: the posterior variance of the Shapley values under the design's prior."""
        d, pairs = 16, 60
        p = prior(d, 1.0, 0.15, 0.0, 0.2)

        def unknown(kept):
            rows = np.concatenate([np.ones((1, d), bool), kept])
            K = p.covariance(rows, rows) + p.white * np.eye(len(rows))
            C = p.of_scores(rows)
            return d * p.variance - np.trace(C @ np.linalg.solve(K, C.T))

        rng = np.random.default_rng(4)
        random = np.mean([unknown(rng.random((pairs, d)) < 0.5) for _ in range(5)])
        assert unknown(design(d, pairs, 0)) < 0.8 * random


class TestTriples:
    @settings(max_examples=40, deadline=None)
    @given(graphs(max_d=8), st.integers(0, 3))
    def test_all_within_reach(self, graph, reach):
        near = oracles.neighbours(graph.d, edges_of(graph))
        ball = [oracles.ball(near, i, reach) for i in range(graph.d)]
        wanted = [
            (i, j, k)
            for i in range(graph.d)
            for j in range(i + 1, graph.d)
            for k in range(j + 1, graph.d)
            if j in ball[i] and k in ball[i] and k in ball[j]
        ]
        found = [tuple(t) for t in near_triples(graph, reach).tolist()]
        assert found == wanted

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
            for reach in errors:
                e = lc.GraphKernelSHAP(16 * d, reach=reach, seed=seed).explain(v, chain)
                errors[reach].append(np.abs(e.scores - truth).mean())
        assert np.mean(errors[2]) < 0.9 * np.mean(errors[0])


def test_bad_input():
    with pytest.raises(lc.MethodError, match="reach must be"):
        lc.GraphKernelSHAP(100, reach=-1)
    with pytest.raises(lc.MethodError, match=rf"at most {2 * MOST_PAIRS + 2:,} calls, not 20,000: .*SampleShapley"):
        lc.GraphKernelSHAP(20_000).plan(lc.Graph.chain(50))
    with pytest.raises(BudgetError, match="at least 100 calls for 50 units, not 99"):
        lc.GraphKernelSHAP(99).plan(lc.Graph.chain(50))
