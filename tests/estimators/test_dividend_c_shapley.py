"""Dividends by the recursion that defines them, over windows found by loops."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.estimators.dividend_c_shapley import DividendCShapley
from support import NAMED_GRAPHS, edges_of, graphs, table_game

SIZES = [1, 2, 3, 4, 20]


def family(graph, max_size):
    """Boxes with no side above max_size on a grid, elsewhere connected sets of up to max_size units."""
    if graph.kind != "grid":
        near = oracles.neighbours(graph.d, edges_of(graph))
        return [S for S in oracles.subsets(range(graph.d)) if 1 <= len(S) <= max_size and oracles.connected(near, S)]
    spans = [[range(a, b) for a in range(s) for b in range(a + 1, s + 1) if b - a <= max_size] for s in graph.shape]
    return [frozenset(int(np.ravel_multi_index(c, graph.shape)) for c in product(*box)) for box in product(*spans)]


def by_recursion(graph, max_size, value):
    """D(U) = value(U) - value(∅) - sum of D(W) over the windows W within U; each unit of U gets D(U)/|U|."""
    dividends = {}
    scores = np.zeros((graph.d, len(value(frozenset()))))
    for U in sorted(family(graph, max_size), key=len):
        inside = [D for W, D in dividends.items() if W < U]
        dividends[U] = np.array(value(U)) - np.array(value(frozenset())) - sum(inside)
        scores[sorted(U)] += dividends[U] / len(U)
    return scores


def check(graph, max_size, seed=0, outputs=2):
    game, table = table_game(graph.d, seed, outputs)
    e = DividendCShapley(max_size).explain(game, graph)
    expected = by_recursion(graph, max_size, table.__getitem__)
    np.testing.assert_allclose(e.scores, expected if outputs else expected[:, 0], rtol=0, atol=1e-10)
    assert e.calls == len(set(family(graph, max_size)) | {frozenset(), frozenset(range(graph.d))})


@pytest.mark.parametrize("name", NAMED_GRAPHS)
@pytest.mark.parametrize("max_size", SIZES)
def test_dividends_of_named_graphs(name, max_size):
    check(NAMED_GRAPHS[name], max_size)


@settings(max_examples=80, deadline=None)
@given(graphs(), st.integers(1, 8), st.integers(0, 2**16), st.sampled_from([None, 1, 3]))
def test_dividends_of_any_graph(graph, max_size, seed, outputs):
    check(graph, max_size, seed, outputs)


@pytest.mark.parametrize(
    "graph",
    [
        lc.Graph.grid((5, 6)),
        lc.Graph.grid((7, 3), diagonal=True),
        lc.Graph.grid((3, 4, 2)),
        lc.Graph.grid((3, 1, 4)),
        lc.Graph.grid((1, 9)),
        lc.Graph.grid((12,)),
    ],
)
@pytest.mark.parametrize("max_size", SIZES)
def test_dividends_of_larger_grids(graph, max_size):
    weights = np.random.default_rng(1).normal(size=(graph.d, 2))
    fn = lambda kept: np.sin(kept @ weights) + (kept @ weights) ** 2 + 5  # noqa: E731
    value = lambda S: fn(np.isin(np.arange(graph.d), list(S))[None])[0]  # noqa: E731
    scores = DividendCShapley(max_size).explain(lc.Game(fn, graph.d), graph).scores
    np.testing.assert_allclose(scores, by_recursion(graph, max_size, value), rtol=0, atol=1e-9)


def test_dividends_of_a_chain_in_closed_form():
    """D[a,b] = v[a,b] - v[a+1,b] - v[a,b-1] + v[a+1,b-1]."""
    d, longest = 9, 4
    game, table = table_game(d, seed=2)
    v = lambda a, b: table[frozenset(range(a, b + 1))][0]  # noqa: E731
    expected = np.zeros(d)
    for a in range(d):
        for b in range(a, min(a + longest, d)):
            expected[a : b + 1] += (v(a, b) - v(a + 1, b) - v(a, b - 1) + v(a + 1, b - 1)) / (b - a + 1)
    scores = DividendCShapley(longest).explain(game, lc.Graph.chain(d)).scores
    np.testing.assert_allclose(scores, expected, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(0, 2**16))
def test_large_enough_it_is_the_myerson_value(graph, seed):
    game, table = table_game(graph.d, seed, 2)
    scores = DividendCShapley(graph.d).explain(game, graph).scores
    np.testing.assert_allclose(scores, lc.Myerson().explain(game, graph).scores, rtol=0, atol=1e-12)
    near = oracles.neighbours(graph.d, edges_of(graph))
    np.testing.assert_allclose(scores, oracles.myerson(graph.d, near, table), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", NAMED_GRAPHS)
def test_large_enough_it_sums_to_what_each_component_is_worth(name):
    graph = NAMED_GRAPHS[name]
    game, table = table_game(graph.d, 3, 2)
    scores = DividendCShapley(20).explain(game, graph).scores
    for component in range(graph.components.max() + 1):
        members = np.flatnonzero(graph.components == component)
        worth = np.array(table[frozenset(members.tolist())]) - np.array(table[frozenset()])
        np.testing.assert_allclose(scores[members].sum(axis=0), worth, atol=1e-12)


def test_on_a_grid_it_is_not_the_myerson_value():
    graph = lc.Graph.grid((2, 3))
    game, _ = table_game(6, seed=4)
    boxes, myerson = DividendCShapley(3).explain(game, graph), lc.Myerson().explain(game, graph)
    assert abs(boxes.residual) < 1e-12
    assert abs(boxes.scores - myerson.scores).max() > 0.1
    general = DividendCShapley(6).explain(game, lc.Graph.from_edges(6, graph.edges))
    np.testing.assert_allclose(general.scores, myerson.scores, atol=1e-12)


@pytest.mark.parametrize("max_size", SIZES)
def test_additive_games_are_read_off_and_constants_do_not_matter(max_size):
    for graph in NAMED_GRAPHS.values():
        worth = np.arange(1.0, graph.d + 1)
        plan = DividendCShapley(max_size).plan(graph)
        scores = lc.run(plan, lc.Game(lambda kept: kept @ worth + 7, graph.d)).scores  # noqa: B023
        np.testing.assert_allclose(scores, worth, atol=1e-12)
        np.testing.assert_allclose(plan.estimator.operator @ np.ones(plan.calls), 0, atol=1e-12)


def test_symmetry():
    ring = DividendCShapley(3).explain(lc.Game(lambda kept: kept.sum(axis=1) ** 2.0, 8), lc.Graph.ring(8)).scores
    np.testing.assert_allclose(ring, ring[0], atol=1e-12)
    square = lc.Game(lambda kept: np.sqrt(kept.sum(axis=1)), 16)
    scores = DividendCShapley(3).explain(square, lc.Graph.grid((4, 4))).scores.reshape(4, 4)
    for mirrored in (scores.T, scores[::-1], scores[:, ::-1]):
        np.testing.assert_allclose(scores, mirrored, atol=1e-12)


def test_calls_and_the_general_path():
    assert DividendCShapley(4).plan(lc.Graph.chain(100)).calls == 100 + 99 + 98 + 97 + 2
    image = DividendCShapley(4).plan(lc.Graph.grid((28, 28)))
    assert image.calls == (28 + 27 + 26 + 25) ** 2 + 2
    assert image.nbytes < 3_000_000
    for name in ("chain", "ring", "tree", "complete"):
        graph = NAMED_GRAPHS[name]
        chain_plan, general_plan = (
            DividendCShapley(3).plan(g) for g in (graph, lc.Graph.from_edges(graph.d, graph.edges))
        )
        assert chain_plan.coalitions == general_plan.coalitions
        assert (chain_plan.estimator.operator != general_plan.estimator.operator).nnz == 0


def test_weights_grow_around_a_hub():
    """Why the docstring warns of hubs: v(hub) is in the dividend of every set around it."""
    plan = DividendCShapley(4).plan(lc.Graph.tree([-1] + [0] * 30))
    assert abs(plan.estimator.operator).max() > 500


def test_too_large_is_refused_with_advice():
    with pytest.raises(lc.errors.PlanTooLargeError, match=r"DividendCShapley\(max_size=1\) takes 102"):
        DividendCShapley(2).plan(lc.Graph.grid((10, 10)), max_calls=200)
    with pytest.raises(lc.errors.PlanTooLargeError, match="unit indices"):
        DividendCShapley(10**9).plan(lc.Graph.chain(1000))
    with pytest.raises(lc.errors.PlanTooLargeError):
        DividendCShapley(60).plan(lc.Graph.complete(60))


@pytest.mark.parametrize("max_size", [0, -1, 2.5, "3", None, True])
def test_bad_parameters(max_size):
    with pytest.raises(lc.errors.MethodError, match="Expected max_size as an integer of at least 1"):
        DividendCShapley(max_size)
