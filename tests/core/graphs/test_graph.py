import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lcshap as lc
import oracles
from support import edges_of, graphs


def nx_edges(graph):
    return sorted(tuple(sorted(e)) for e in graph.edges)


def test_known_shapes_against_networkx():
    assert edges_of(lc.Graph.chain(9)) == nx_edges(nx.path_graph(9))
    assert edges_of(lc.Graph.ring(9)) == nx_edges(nx.cycle_graph(9))
    assert edges_of(lc.Graph.complete(6)) == nx_edges(nx.complete_graph(6))
    for shape in [(4, 5), (1, 6), (3, 2, 4)]:
        grid = nx.grid_graph(shape[::-1])  # networkx takes the last axis first
        number = {cell: int(np.ravel_multi_index(cell, shape)) for cell in grid}
        assert edges_of(lc.Graph.grid(shape)) == nx_edges(nx.relabel_nodes(grid, number))


@pytest.mark.parametrize("shape", [(4, 5), (3, 3, 3)])
def test_diagonal_grid_joins_cells_that_touch(shape):
    cells = list(np.ndindex(*shape))
    expected = [
        (a, b)
        for a in range(len(cells))
        for b in range(a + 1, len(cells))
        if max(abs(x - y) for x, y in zip(cells[a], cells[b], strict=True)) == 1
    ]
    g = lc.Graph.grid(shape, diagonal=True)
    assert edges_of(g) == expected
    middle = len(cells) // 2
    assert lc.Graph.grid((3, 3, 3)).degrees[13] == 6
    assert lc.Graph.grid((3, 3, 3), diagonal=True).degrees[13] == 26
    assert len(g.neighbours(middle)) == g.degrees[middle]


@settings(max_examples=100, deadline=None)
@given(graphs(max_d=9), st.integers(0, 6))
def test_balls_components_and_edges(graph, order):
    near = oracles.neighbours(graph.d, edges_of(graph))
    balls = graph.balls(order).toarray()
    for i in range(graph.d):
        expected = oracles.ball(near, i, order)
        assert set(graph.ball(i, order)) == expected == set(np.flatnonzero(balls[i]).tolist())
        assert set(graph.neighbours(i)) == near[i]
    components = {frozenset(np.flatnonzero(graph.components == c).tolist()) for c in set(graph.components.tolist())}
    assert components == set(oracles.parts(near, range(graph.d)))


def test_the_ways_in_agree():
    G = nx.karate_club_graph()
    g = lc.Graph.from_networkx(G)
    assert g.d == 34
    assert g.names[5] == "5"
    A = nx.to_scipy_sparse_array(G)
    for other in (lc.Graph.from_sparse(A), lc.Graph.from_sparse(sparse.triu(A)), lc.Graph.from_sparse(A.toarray())):
        assert other.key == g.key
        assert other == g
    assert lc.Graph.from_edges(34, [(v, u) for u, v in G.edges] * 2).key == g.key
    directed = lc.Graph.from_networkx(nx.DiGraph([("b", "a"), ("a", "b"), ("b", "c")]))
    assert directed.names == ("b", "a", "c")
    assert edges_of(directed) == [(0, 1), (0, 2)]
    assert lc.Graph.from_networkx(nx.MultiGraph([(0, 1), (0, 1)]), names=["x", "y"]).names == ("x", "y")


def test_tree_and_forest():
    assert edges_of(lc.Graph.tree([None, 0, 0, 1, -1, 4])) == [(0, 1), (0, 2), (1, 3), (4, 5)]
    assert edges_of(lc.Graph.tree([2, 2, None])) == [(0, 2), (1, 2)]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_tiny_shapes(d):
    assert edges_of(lc.Graph.ring(d)) == {1: [], 2: [(0, 1)], 3: [(0, 1), (0, 2), (1, 2)]}[d]
    assert lc.Graph.chain(d).d == lc.Graph.grid((d,)).d == lc.Graph.grid((d, 1)).d == d
    assert len(lc.Graph.complete(d).edges) == d * (d - 1) // 2


def test_names_repeat_and_do_not_change_the_structure():
    g = lc.Graph.chain(3, names=["very", "very", "bad"])
    assert g.names == ("very", "very", "bad")
    assert g.key == lc.Graph.chain(3).key
    assert g != lc.Graph.chain(3)
    assert lc.Graph.chain(2).names == ("0", "1")
    assert hash(g) == hash(lc.Graph.chain(3, names=["very", "very", "bad"]))
    assert lc.Graph.chain(3) != lc.Graph.ring(3)


def test_a_graph_is_immutable():
    g = lc.Graph.chain(3)
    with pytest.raises(ValueError, match="read-only"):
        g.adjacency.indices[0] = 2
    with pytest.raises(AttributeError):
        g.names = ()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: lc.Graph.chain(0), "at least one unit"),
        (lambda: lc.Graph.chain(-3), "at least one unit"),
        (lambda: lc.Graph.chain(2.5), "as an integer"),
        (lambda: lc.Graph.chain(2**31), "at most"),
        (lambda: lc.Graph.grid((3, 0)), "at least one unit"),
        (lambda: lc.Graph.grid(()), "at least one side"),
        (lambda: lc.Graph.tree([]), "at least one unit"),
        (lambda: lc.Graph.tree([1, 0]), "its own ancestor"),
        (lambda: lc.Graph.tree([0]), "its own ancestor"),
        (lambda: lc.Graph.tree([1, 2, 3, 1]), "Expected a tree"),
        (lambda: lc.Graph.tree([None, 7]), "Expected a parent from 0 to 1, or -1 for a root, got 7 for unit 1"),
        (lambda: lc.Graph.from_edges(3, [(0, 3)]), r"between the units 0 to 2, got the edge \(0, 3\)"),
        (lambda: lc.Graph.from_edges(3, [(-1, 2)]), "Expected edges between the units"),
        (
            lambda: lc.Graph.from_edges(3, [(0, 1), (2, 2)]),
            "Expected edges between two different units, got an edge from unit 2 to itself",
        ),
        (lambda: lc.Graph.from_edges(3, [(0, 1, 2)]), "pairs of integers"),
        (lambda: lc.Graph.from_edges(3, [(0.5, 1)]), "pairs of integers"),
        (lambda: lc.Graph.from_sparse(np.eye(3)), "to itself"),
        (lambda: lc.Graph.from_sparse(np.ones((2, 3))), "square"),
        (lambda: lc.Graph.from_sparse(np.array([[0, np.nan], [0, 0]])), "NaN"),
        (lambda: lc.Graph.from_networkx(nx.Graph([("a", "a")])), "to itself"),
        (lambda: lc.Graph.chain(3, names=["a", "b"]), "Expected 3 names, one for each unit, got 2"),
        (lambda: lc.Graph.chain(3, names="abc"), "got one string"),
    ],
)
def test_bad_graphs(make, says):
    with pytest.raises(lc.errors.GraphError, match=says):
        make()


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (lc.Graph.chain(5), "Graph.chain(5): 5 units, 4 edges"),
        (lc.Graph.grid((2, 3)), "Graph.grid((2, 3)): 6 units, 7 edges"),
        (lc.Graph.from_edges(3, [(0, 1)]), "Graph.from_edges(3): 3 units, 1 edge"),
        (lc.Graph.tree([None, 0]), "Graph.tree(...): 2 units, 1 edge"),
    ],
)
def test_repr(graph, expected):
    assert repr(graph) == expected
    assert len(graph) == graph.d


def test_what_is_a_chain():
    assert lc.Graph.chain(5).is_chain
    assert lc.Graph.from_edges(4, [(2, 0), (0, 3), (3, 1)]).is_chain  # in another order
    assert lc.Graph.chain(1).is_chain
    assert not lc.Graph.ring(5).is_chain
    assert not lc.Graph.from_edges(4, [(0, 1), (0, 2), (0, 3)]).is_chain
    assert not lc.Graph.from_edges(5, [(0, 1), (2, 3), (3, 4), (4, 2)]).is_chain  # a pair and a ring: 4 edges too
