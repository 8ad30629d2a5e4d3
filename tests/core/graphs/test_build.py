"""Edges of named graphs, against loops over all pairs."""

import time
from itertools import combinations, product

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.graphs.build import (
    MAX_EDGES,
    MAX_UNITS,
    adjacency_from_edges,
    check_size,
    check_unit_names,
    complete_edges,
    count_grid_edges,
    grid_edges,
    ring_edges,
    tree_edges,
)


@pytest.mark.parametrize("shape", [(1,), (4,), (2, 3), (3, 1, 2), (2, 2, 2)])
@pytest.mark.parametrize("diagonal", [False, True])
def test_grids(shape, diagonal):
    cells = list(product(*map(range, shape)))
    near = lambda a, b: [abs(x - y) for x, y in zip(a, b, strict=True)]  # noqa: E731
    expected = {
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(cells), 2)
        if (max(near(a, b)) == 1 if diagonal else sum(near(a, b)) == 1)
    }
    assert {tuple(sorted(edge)) for edge in grid_edges(shape, diagonal).tolist()} == expected
    assert count_grid_edges(shape, diagonal) == len(expected)


def test_rings_trees_and_complete_graphs():
    assert {tuple(sorted(e)) for e in ring_edges(4).tolist()} == {(0, 1), (1, 2), (2, 3), (0, 3)}
    assert len(ring_edges(2)) == 1
    assert {tuple(sorted(e)) for e in complete_edges(4).tolist()} == set(combinations(range(4), 2))
    assert {tuple(sorted(e)) for e in tree_edges([None, 0, 0, 2]).tolist()} == {(0, 1), (0, 2), (2, 3)}


def test_the_matrix_is_symmetric_and_counts_an_edge_once():
    matrix = adjacency_from_edges(3, np.array([[0, 1], [1, 0], [1, 2]]))
    assert matrix.toarray().astype(int).tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_sizes_and_names():
    assert check_size(np.int64(3)) == 3
    assert check_unit_names(None, 2) == ("0", "1")
    for bad in (0, -1, 2.5, "3", 10**12):
        with pytest.raises(lc.errors.GraphError):
            check_size(bad)
    with pytest.raises(lc.errors.GraphError, match="Expected 2 names, one for each unit, got 1"):
        check_unit_names(["a"], 2)


@pytest.mark.parametrize("diagonal", [False, True])
def test_axes_of_length_one_take_no_time(diagonal):
    start = time.perf_counter()
    graph = lc.Graph.grid((1,) * 15 + (3,), diagonal)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.shape == (1,) * 15 + (3,)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: lc.Graph.chain(MAX_UNITS + 1),
        lambda: lc.Graph.from_edges(10**9, []),
        lambda: lc.Graph.ring(10**9),
        lambda: lc.Graph.complete(10**4),
        lambda: lc.Graph.grid((10**5, 10**5)),
        lambda: lc.Graph.grid((2,) * 20, diagonal=True),
        lambda: lc.Graph.grid((1,) * 33),
        lambda: lc.Graph.grid((2**31,) * 32),
    ],
)
def test_graphs_beyond_memory_are_refused_at_once(make):
    start = time.perf_counter()
    with pytest.raises(lc.errors.GraphError, match="at most"):
        make()
    assert time.perf_counter() - start < 1
    assert MAX_EDGES < 10**8
