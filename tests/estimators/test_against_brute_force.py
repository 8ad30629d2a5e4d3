"""Every method, every option, on every kind of graph, against the definitions. The oracles share no code with src/."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from support import NAMED_GRAPHS, edges_of, graphs, table_game

CONTEXTS = ("absent", "present", "both")
TOLERANCE = 1e-10


def check(method, graph, seed, outputs, expected):
    game, table = table_game(graph.d, seed, outputs)
    e = method.explain(game, graph)
    wanted = np.array(expected(oracles.neighbours(graph.d, edges_of(graph)), table))
    wanted = wanted if outputs else wanted[:, 0]
    assert e.scores.shape == wanted.shape
    np.testing.assert_allclose(e.scores, wanted, rtol=0, atol=TOLERANCE)
    full, empty = table[frozenset(range(graph.d))], table[frozenset()]
    np.testing.assert_array_equal(e.full_value, full if outputs else full[0])
    np.testing.assert_array_equal(e.base_value, empty if outputs else empty[0])
    missing = np.array(full) - np.array(empty) - np.array(wanted).reshape(graph.d, -1).sum(axis=0)
    np.testing.assert_allclose(e.residual, missing if outputs else missing[0], atol=TOLERANCE)
    return e


def check_l(graph, order, context, seed=0, outputs=None):
    check(
        lc.LShapley(order, context),
        graph,
        seed,
        outputs,
        lambda near, table: oracles.l_shapley(graph.d, near, table, order, context),
    )


def check_c(graph, order, context, weights, marginals, max_size, seed=0, outputs=None):
    check(
        lc.CShapley(order, context, weights, marginals, max_size),
        graph,
        seed,
        outputs,
        lambda near, table: oracles.c_shapley(graph.d, near, table, order, context, weights, marginals, max_size),
    )


def check_interactions(graph, order, context, seed=0, outputs=None):
    game, table = table_game(graph.d, seed, outputs)
    e = lc.LShapley(order, context, interactions=True).explain(game, graph)
    plain = lc.LShapley(order, context).plan(graph)
    assert e.calls == plain.calls
    matrices = e.interactions if outputs else (e.interactions,)
    near = oracles.neighbours(graph.d, edges_of(graph))
    assert len(matrices) == (outputs or 1)
    for matrix in matrices:
        assert matrix.nnz == 2 * len(graph.edges)
    for i, j in edges_of(graph):
        wanted = oracles.interaction(graph.d, near, table, order, context, i, j)
        for matrix, number in zip(matrices, wanted, strict=True):
            assert matrix[i, j] == matrix[j, i] == pytest.approx(number, abs=TOLERANCE)


@pytest.mark.parametrize("name", NAMED_GRAPHS)
class TestNamedGraphs:
    def test_shapley(self, name):
        graph = NAMED_GRAPHS[name]
        check(lc.Shapley(), graph, 1, 2, lambda near, table: oracles.shapley(graph.d, table))

    def test_myerson(self, name):
        graph = NAMED_GRAPHS[name]
        check(lc.Myerson(), graph, 2, 3, lambda near, table: oracles.myerson(graph.d, near, table))

    @pytest.mark.parametrize("context", CONTEXTS)
    @pytest.mark.parametrize("order", [0, 1, 2, 9])
    def test_l_shapley(self, name, order, context):
        check_l(NAMED_GRAPHS[name], order, context, seed=3)

    @pytest.mark.parametrize("context", CONTEXTS)
    @pytest.mark.parametrize("order", [1, 2, 9])
    def test_interactions(self, name, order, context):
        graph = NAMED_GRAPHS[name]
        if not len(graph.edges):
            assert lc.LShapley(order, context, True).explain(table_game(graph.d)[0], graph).interactions.nnz == 0
            return
        check_interactions(graph, order, context, seed=4, outputs=2)

    @pytest.mark.parametrize(
        ("order", "max_size"), [(0, None), (1, None), (2, None), (9, None), (None, 1), (None, 3), (2, 2), (9, 4)]
    )
    def test_c_shapley(self, name, order, max_size):
        for options in product(CONTEXTS, ("paper", "myerson"), ("direct", "decomposed")):
            check_c(NAMED_GRAPHS[name], order, *options, max_size, seed=5)


@settings(max_examples=60, deadline=None)
@given(
    graphs(),
    st.integers(0, 4),
    st.sampled_from(CONTEXTS),
    st.sampled_from([None, 1, 3]),
    st.integers(0, 2**16),
)
def test_l_shapley_on_any_graph(graph, order, context, outputs, seed):
    check_l(graph, order, context, seed, outputs)
    if order:
        check_interactions(graph, order, context, seed, outputs)


@settings(max_examples=150, deadline=None)
@given(
    graphs(),
    st.integers(0, 4),
    st.sampled_from(CONTEXTS),
    st.sampled_from(["paper", "myerson"]),
    st.sampled_from(["direct", "decomposed"]),
    st.one_of(st.none(), st.integers(1, 5)),
    st.sampled_from([None, 2]),
    st.integers(0, 2**16),
)
def test_c_shapley_on_any_graph(graph, order, context, weights, marginals, max_size, outputs, seed):
    check_c(graph, order, context, weights, marginals, max_size, seed, outputs)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(0, 2**16))
def test_myerson_on_any_graph(graph, seed):
    check(lc.Myerson(), graph, seed, 2, lambda near, table: oracles.myerson(graph.d, near, table))


@pytest.mark.parametrize(
    "graph", [lc.Graph.chain(10), lc.Graph.grid((2, 5)), lc.Graph.tree([-1, 0, 0, 1, 1, 2, 2, 3, 3, 3])]
)
def test_ten_units(graph):
    check(lc.Shapley(), graph, 6, None, lambda near, table: oracles.shapley(10, table))
    check(lc.Myerson(), graph, 6, None, lambda near, table: oracles.myerson(10, near, table))
    check_l(graph, 2, "both", seed=6)
    check_c(graph, 2, "both", "myerson", "decomposed", None, seed=6)


def test_shapley_is_the_mean_over_all_orders_of_arrival():
    """The oracle itself, against the other definition of the Shapley value."""
    _, table = table_game(5, seed=7, outputs=2)
    np.testing.assert_allclose(oracles.shapley(5, table), oracles.shapley_by_permutations(5, table), atol=1e-14)


@pytest.mark.parametrize("kind", ["L", "C"])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_what_the_authors_code_computes(kind, d):
    for num_neighbors, max_order in product([0, 1, 2, 3, 4, 6, 12], [None] if kind == "L" else [None, 1, 2, 4]):
        game, table = table_game(d, seed=8, outputs=2)
        if d == 1 and num_neighbors % 2:
            with pytest.raises(lc.MethodError, match="even"):
                lc.compat.authors(game, kind, num_neighbors, max_order)
            continue
        e = lc.compat.authors(game, kind, num_neighbors, max_order)
        wanted = oracles.authors(d, table, kind, num_neighbors, max_order)
        np.testing.assert_allclose(e.scores, wanted, rtol=0, atol=TOLERANCE)
