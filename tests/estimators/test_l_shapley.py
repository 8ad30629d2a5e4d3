"""L-Shapley and its interactions against the definitions, with every option on every kind of graph."""

import pytest
from fuzz.plans import Case, measure
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from support import (
    NAMED_GRAPHS,
    check_against,
    edges_of,
    graphs,
    table_game,
)

CONTEXTS = ("absent", "present", "both")


def check_scores(graph, order, context, seed=0, outputs=None):
    def oracle(near, table):
        return oracles.l_shapley(graph.d, near, table, order, context)

    check_against(oracle, lc.LShapley(order, context), graph, seed, outputs)


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
        expected = oracles.interaction(graph.d, near, table, order, context, i, j)
        for matrix, number in zip(matrices, expected, strict=True):
            assert matrix[i, j] == matrix[j, i] == pytest.approx(number, abs=1e-10)


@pytest.mark.parametrize("name", NAMED_GRAPHS)
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("order", [0, 1, 2, 9])
def test_named_graphs(name, order, context):
    check_scores(NAMED_GRAPHS[name], order, context, seed=3)


@pytest.mark.parametrize("name", NAMED_GRAPHS)
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("order", [1, 2, 9])
def test_interactions(name, order, context):
    graph = NAMED_GRAPHS[name]
    if not len(graph.edges):
        assert lc.LShapley(order, context, True).explain(table_game(graph.d)[0], graph).interactions.nnz == 0
        return
    check_interactions(graph, order, context, seed=4, outputs=2)


@settings(max_examples=60, deadline=None)
@given(
    graphs(),
    st.integers(0, 4),
    st.sampled_from(CONTEXTS),
    st.sampled_from([None, 1, 3]),
    st.integers(0, 2**16),
)
def test_any_graph(graph, order, context, outputs, seed):
    check_scores(graph, order, context, seed, outputs)
    if order:
        check_interactions(graph, order, context, seed, outputs)


@pytest.mark.parametrize(
    "graph", [lc.Graph.chain(10), lc.Graph.grid((2, 5)), lc.Graph.tree([-1, 0, 0, 1, 1, 2, 2, 3, 3, 3])]
)
def test_ten_units(graph):
    check_scores(graph, 2, "both", seed=6)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"order": -1}, "Expected order as an integer of at least 0"),
        ({"order": 1.5}, r"Expected order as an integer of at least 0, got 1\.5"),
        ({"context": "gone"}, "Expected one of 'absent', 'present', 'both'.* as context"),
        ({"interactions": "all"}, "Expected interactions=True or False, got 'all'"),
        ({"order": 0, "interactions": True}, "Expected an order of at least 1 for interactions, got 0"),
    ],
)
def test_bad_parameters(options, says):
    with pytest.raises(lc.errors.MethodError, match=says):
        lc.LShapley(**options)


def test_interactions_of_many_neighbours_are_refused_before_the_memory_is_taken():
    measured = measure(Case(lc.Graph.complete(18), lc.LShapley(1, interactions=True), 1_000_000))
    assert measured["outcome"] == "refused"
    assert measured["bytes"] < 1e9
    assert measured["seconds"] < 10
