"""The fit, against `numpy.linalg.lstsq` on a design written down by loops."""

import pickle
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.estimators import regression_c_shapley
from lcshap.estimators.regression_c_shapley import Banded, RegressionCShapley, SparseLU
from support import NAMED_GRAPHS, edges_of, graphs, table_game

OPTIONS = list(product(("uniform", "kernel"), ("kept", "removed"), (0.0, 0.7)))
LARGER = {
    "chain": lc.Graph.chain(40),
    "ring": lc.Graph.ring(15),
    "grid": lc.Graph.grid((4, 9)),
    "wide grid": lc.Graph.grid((9, 4), diagonal=True),
    "cuboid": lc.Graph.grid((3, 5, 4)),
    "flat cuboid": lc.Graph.grid((6, 1, 5)),
    "tree": lc.Graph.tree([None] + [(i - 1) // 2 for i in range(1, 14)]),
}


def family(graph, max_size):
    """N-grams, n×n(×n) patches, or connected sets of up to max_size units."""
    if graph.kind not in ("chain", "grid"):
        near = oracles.neighbours(graph.d, edges_of(graph))
        return [S for S in oracles.subsets(range(graph.d)) if 1 <= len(S) <= max_size and oracles.connected(near, S)]
    windows = []
    long = [s for s in graph.shape if s > 1] or [1]
    for n in range(1, min(max_size, *long) + 1):
        for corner in product(*(range(s - n + 1) for s in long)):
            cells = product(*(range(c, c + n) for c in corner))
            windows.append(frozenset(int(np.ravel_multi_index(cell, long)) for cell in cells))
    return windows


def least_squares(graph, method, value):
    """Square roots of the weights on the rows; the penalty as more rows; a fixed sum by eliminating the last unit."""
    d, everything = graph.d, frozenset(range(graph.d))
    base, full = np.array(value(frozenset())), np.array(value(everything))
    rows, right, total = [], [], None
    for U in family(graph, method.max_size):
        gain = np.array(value(U)) - base if method.windows == "kept" else full - np.array(value(everything - U))
        n, weight = len(U), 1.0
        if method.weights == "kernel":
            if n == d:
                total = gain
                continue
            weight = float(d * Fraction(d - 1, comb(d, n) * n * (d - n)))
        rows.append([weight**0.5 * (i in U) for i in range(d)])
        right.append(weight**0.5 * gain)
    for i in range(d):
        rows.append([method.ridge**0.5 * (i == j) for j in range(d)])
        right.append(0 * base)
    X, F = np.array(rows, float), np.array(right, float)
    if total is None:
        return np.linalg.lstsq(X, F, rcond=None)[0]
    if d == 1:
        return total[None]
    free = np.linalg.lstsq(X[:, :-1] - X[:, -1:], F - X[:, -1:] * total, rcond=None)[0]
    return np.vstack([free, total - free.sum(axis=0)])


def check(graph, method, seed=0, outputs=2):
    game, table = table_game(graph.d, seed, outputs)
    e = method.explain(game, graph)
    expected = least_squares(graph, method, table.__getitem__)
    np.testing.assert_allclose(e.scores, expected if outputs else expected[:, 0], rtol=0, atol=1e-10)
    everything = frozenset(range(graph.d))
    sets = {U if method.windows == "kept" else everything - U for U in family(graph, method.max_size)}
    assert e.calls == len(sets | {frozenset(), everything})


@pytest.mark.parametrize("name", NAMED_GRAPHS)
@pytest.mark.parametrize("max_size", [1, 2, 3, 20])
def test_the_fit_on_named_graphs(name, max_size):
    for options in OPTIONS:
        check(NAMED_GRAPHS[name], RegressionCShapley(max_size, *options))


@settings(max_examples=120, deadline=None)
@given(graphs(), st.integers(1, 8), st.sampled_from(OPTIONS), st.integers(0, 2**16), st.sampled_from([None, 1, 3]))
def test_the_fit_on_any_graph(graph, max_size, options, seed, outputs):
    check(graph, RegressionCShapley(max_size, *options), seed, outputs)


@pytest.mark.parametrize("factor", [Banded, SparseLU])
@pytest.mark.parametrize("name", LARGER)
def test_the_fit_on_larger_graphs_with_both_factors(name, factor, monkeypatch):
    graph = LARGER[name]
    if factor is SparseLU:
        monkeypatch.setattr(regression_c_shapley, "_SMALL_BAND_NUMBERS", 0)
    weights = np.random.default_rng(1).normal(size=(graph.d, 2))
    fn = lambda kept: np.sin(kept @ weights) + 5  # noqa: E731
    value = lambda S: fn(np.isin(np.arange(graph.d), list(S))[None])[0]  # noqa: E731
    for max_size, options in product((2, 4), OPTIONS):
        method = RegressionCShapley(max_size, *options)
        plan = method._plan(graph, None)
        assert isinstance(plan.estimator.operator.inverse, Banded if graph.kind in ("chain", "grid") else factor)
        scores = lc.run(plan, lc.Game(fn, graph.d)).scores
        np.testing.assert_allclose(scores, least_squares(graph, method, value), rtol=0, atol=1e-10)
        unpickled = pickle.loads(pickle.dumps(plan))
        assert lc.run(unpickled, lc.Game(fn, graph.d)).scores.tobytes() == scores.tobytes()
        assert unpickled.nbytes == plan.nbytes > 0


def test_the_kernel_on_all_subsets_is_the_shapley_value():
    """Lundberg and Lee's theorem, with every subset a window; kept or removed, for the kernel is the same."""
    graph = lc.Graph.complete(7)
    game, _ = table_game(7, seed=2, outputs=2)
    expected = lc.Shapley().explain(game, graph).scores
    for side in ("kept", "removed"):
        scores = RegressionCShapley(7, "kernel", side).explain(game, graph).scores
        np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_an_infinite_weight_is_an_exact_sum():
    for graph in NAMED_GRAPHS.values():
        game, _ = table_game(graph.d, seed=3, outputs=2)
        has_full_window = any(len(U) == graph.d for U in family(graph, 20))
        for ridge in (0.0, 0.7):
            e = RegressionCShapley(20, "kernel", ridge=ridge).explain(game, graph)
            assert (abs(e.residual).max() < 1e-12) == has_full_window


def test_the_printed_kernel_sees_single_units_only():
    """At d = 400 the weights of n = 1..4 fall so fast that the fit is v of single units."""
    graph, rng = lc.Graph.chain(400), np.random.default_rng(4)
    worth, pairs, triples = rng.normal(size=400), rng.normal(size=399), rng.normal(size=398)

    def fn(kept):
        neighbours_kept = kept[:, 1:] & kept[:, :-1]
        return kept @ worth + neighbours_kept @ pairs + (neighbours_kept[:, 1:] & neighbours_kept[:, :-1]) @ triples

    kernel = RegressionCShapley(4, "kernel").explain(lc.Game(fn, 400), graph).scores
    uniform = RegressionCShapley(4).explain(lc.Game(fn, 400), graph).scores
    single = RegressionCShapley(1).explain(lc.Game(fn, 400), graph).scores
    np.testing.assert_allclose(single, worth, atol=1e-12)
    assert np.corrcoef(kernel, single)[0, 1] > 0.99998
    assert np.corrcoef(uniform, single)[0, 1] < 0.9


def test_kernel_weights():
    weights = regression_c_shapley._shapley_kernel(400, np.array([1, 2, 3, 4]))
    np.testing.assert_allclose(weights, [1, 2.5e-3, 1.3e-5, 9.6e-8], rtol=0.03)
    huge = regression_c_shapley._shapley_kernel(2000, np.array([1000, 1, 1999, 2, 1998, 2000]))  # C(2000, 1000) > 1e600
    assert huge[[0, 1, 2, 5]].tolist() == [0, 1, 1, 1]
    assert huge[3] == huge[4] == 1 / 1998


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", NAMED_GRAPHS)
def test_linear_and_blind_to_constants(name, options):
    graph = NAMED_GRAPHS[name]
    plan = RegressionCShapley(3, *options).plan(graph)
    assert plan.estimator.operator.shape == (graph.d, plan.calls)
    x, y = np.random.default_rng(5).normal(size=(2, plan.calls, 3))
    combined = plan.estimator.operator @ (2 * x - 3 * y + 100)
    np.testing.assert_allclose(
        combined, 2 * (plan.estimator.operator @ x) - 3 * (plan.estimator.operator @ y), atol=1e-11
    )
    np.testing.assert_allclose(combined[:, 1], plan.estimator.operator @ (2 * x - 3 * y)[:, 1], atol=1e-11)
    if options[2] == 0:
        worth = np.arange(1.0, graph.d + 1)
        e = lc.run(plan, lc.Game(lambda kept: kept @ worth, graph.d))
        np.testing.assert_allclose(e.scores, worth, atol=1e-12)


@pytest.mark.parametrize("options", OPTIONS)
def test_symmetry(options):
    method = RegressionCShapley(3, *options)
    ring = method.explain(lc.Game(lambda kept: kept.sum(axis=1) ** 2.0, 8), lc.Graph.ring(8)).scores
    np.testing.assert_allclose(ring, ring[0], atol=1e-12)
    game = lc.Game(lambda kept: np.sqrt(kept.sum(axis=1)), 16)
    scores = method.explain(game, lc.Graph.grid((4, 4))).scores.reshape(4, 4)
    for mirrored in (scores.T, scores[::-1], scores[:, ::-1]):
        np.testing.assert_allclose(scores, mirrored, atol=1e-12)


def test_calls_and_the_general_path():
    assert RegressionCShapley(4).plan(lc.Graph.chain(100)).calls == 100 + 99 + 98 + 97 + 2
    assert RegressionCShapley(4).plan(lc.Graph.grid((28, 28))).calls == 28**2 + 27**2 + 26**2 + 25**2 + 2
    for graph in (lc.Graph.chain(9), lc.Graph.ring(9), NAMED_GRAPHS["tree"]):
        grid_plan, general_plan = (
            RegressionCShapley(3).plan(g) for g in (graph, lc.Graph.from_edges(graph.d, graph.edges))
        )
        assert grid_plan.coalitions == general_plan.coalitions
        assert (grid_plan.estimator.operator @ np.eye(grid_plan.calls)).tobytes() == (
            general_plan.estimator.operator @ np.eye(grid_plan.calls)
        ).tobytes()


def test_the_longest_axis_goes_outermost():
    for shape in ((3, 50), (50, 3), (2, 50, 3)):
        factor = RegressionCShapley(3).plan(lc.Graph.grid(shape)).estimator.operator.inverse.factor
        assert len(factor) <= 2 * 6 + 3


def test_too_large_is_refused_with_advice():
    with pytest.raises(lc.errors.PlanTooLargeError, match=r"RegressionCShapley\(max_size=1, .* takes 102"):
        RegressionCShapley(2).plan(lc.Graph.grid((10, 10)), max_calls=150)
    with pytest.raises(lc.errors.PlanTooLargeError, match="unit indices"):
        RegressionCShapley(10**9).plan(lc.Graph.chain(1000))
    with pytest.raises(lc.errors.PlanTooLargeError, match="at least 25,604 calls and"):  # the band, not the windows
        RegressionCShapley(4).plan(lc.Graph.grid((20, 20, 20)), max_calls=30_000)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *(({"max_size": m}, "Expected max_size as an integer of at least 1") for m in (0, -1, 2.5, "3", None, True)),
        ({"weights": "paper"}, "Expected one of 'uniform', 'kernel'.* as weights"),
        ({"windows": "both"}, "Expected one of 'kept', 'removed'.* as windows"),
        *(
            ({"ridge": r}, "Expected ridge as a finite number of at least 0")
            for r in (-1, np.nan, np.inf, "1", None, True)
        ),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(lc.errors.MethodError, match=message):
        RegressionCShapley(**parameters)
