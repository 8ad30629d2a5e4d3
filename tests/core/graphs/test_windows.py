from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.core.graphs.windows import min_set_counts, windows
from support import NAMED_GRAPHS, edges_of, graphs


def boxes(shape, max_size, square):
    """By loops: every corner, every choice of sides that fits. Axes of length one have no say in what is a square."""
    sets = set()
    for sides in product(*(range(1, min(max_size, side) + 1) for side in shape)):
        if square and len({n for n, side in zip(sides, shape, strict=True) if side > 1}) > 1:
            continue
        for corner in product(*(range(side - n + 1) for n, side in zip(sides, shape, strict=True))):
            cells = product(*(range(c, c + n) for c, n in zip(corner, sides, strict=True)))
            sets.add(frozenset(int(np.ravel_multi_index(cell, shape)) for cell in cells))
    return sets


def expected(graph, max_size, shape):
    if graph.kind in ("chain", "grid"):
        return boxes(graph.shape, max_size, shape == "square")
    near = oracles.neighbours(graph.d, edges_of(graph))
    return {S for S in oracles.subsets(range(graph.d)) if 1 <= len(S) <= max_size and oracles.connected(near, S)}


def check(graph, max_size, shape):
    coalitions = windows(graph, max_size, shape)
    assert len(set(coalitions)) == len(coalitions)
    assert {frozenset(U) for U in coalitions} == expected(graph, max_size, shape)
    assert all(list(U) == sorted(U) for U in coalitions)
    assert coalitions == windows(graph, max_size, shape)
    return coalitions


@pytest.mark.parametrize("shape", ["square", "rectangle"])
@pytest.mark.parametrize("max_size", [1, 2, 3, 20])
class TestAllWindows:
    @pytest.mark.parametrize("name", NAMED_GRAPHS)
    def test_of_named_graphs(self, name, max_size, shape):
        check(NAMED_GRAPHS[name], max_size, shape)

    @pytest.mark.parametrize(
        "sides", [(5,), (1, 6), (6, 1), (1, 1), (4, 7), (7, 4), (3, 4, 5), (3, 1, 4), (2, 3, 2, 3)]
    )
    def test_of_grids(self, sides, max_size, shape):
        for diagonal in (False, True):
            check(lc.Graph.grid(sides, diagonal), max_size, shape)

    @pytest.mark.parametrize("d", [1, 2, 9])
    def test_of_a_chain_come_by_length_and_start_as_on_the_general_path(self, d, max_size, shape):
        chain = lc.Graph.chain(d)
        ngrams = check(chain, max_size, shape)
        assert list(ngrams) == sorted(ngrams, key=lambda U: (len(U), U))
        assert ngrams == windows(lc.Graph.from_edges(d, chain.edges), max_size, shape)
        assert ngrams == windows(lc.Graph.grid((d,)), max_size, shape)
        assert ngrams == windows(lc.Graph.grid((1, d)), max_size, shape)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(1, 8))
def test_of_any_graph(graph, max_size):
    check(graph, max_size, "square")


def test_boxes_come_as_pairs_of_intervals():
    """The order that dividends rely on."""
    intervals = [range(a, a + n) for n in (1, 2) for a in range(3 - n + 1)]
    expected_boxes = [tuple(3 * r + c for r in rows for c in columns) for rows in intervals for columns in intervals]
    assert list(windows(lc.Graph.grid((3, 3)), 2, "rectangle")) == expected_boxes


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(1, 8))
def test_the_lower_bound_is_one_and_is_reached_by_chains(graph, max_size):
    coalitions = windows(graph, max_size)
    sets, indices = min_set_counts(graph, max_size)
    assert sets <= len(coalitions)
    assert indices <= len(coalitions.indices)
    chain = windows(lc.Graph.chain(graph.d), max_size)
    assert min_set_counts(lc.Graph.chain(graph.d), max_size) == (len(chain), len(chain.indices))


@pytest.mark.parametrize("shape", ["square", "rectangle"])
@pytest.mark.parametrize(
    "graph", [lc.Graph.chain(9), lc.Graph.grid((4, 6)), lc.Graph.grid((3, 4, 5)), lc.Graph.grid((5, 1))]
)
def test_the_limit_is_checked_once_with_the_exact_numbers(graph, shape):
    for max_size in (1, 3, 50):
        checked = []
        coalitions = windows(graph, max_size, shape, lambda *numbers: checked.append(numbers))  # noqa: B023
        assert checked == [(len(coalitions), len(coalitions.indices))]


@pytest.mark.parametrize(
    "graph", [lc.Graph.chain(10**6), lc.Graph.grid((1000, 1000)), lc.Graph.grid((60, 60, 60)), lc.Graph.ring(10**5)]
)
def test_the_limit_is_checked_before_anything_is_enumerated(graph):
    class StopError(Exception):
        pass

    def check(sets, indices):
        if sets > 500_000:
            raise StopError

    with pytest.raises(StopError):
        windows(graph, 10**9, "rectangle", check)


def test_an_image_of_imagenet_size():
    patches = windows(lc.Graph.grid((224, 224)), 4)
    assert len(patches) == sum((224 - n + 1) ** 2 for n in (1, 2, 3, 4)) == 198_030
    assert len(windows(lc.Graph.grid((10, 11, 12)), 3, "rectangle")) == prod(3 * s - 3 for s in (10, 11, 12))


def test_bad_arguments():
    with pytest.raises(
        lc.errors.GraphError, match="Expected 'square' or 'rectangle' as the shape of windows, got 'round'"
    ):
        windows(lc.Graph.chain(3), 2, "round")
    with pytest.raises(lc.errors.GraphError, match="Expected a window size of at least 1, got 0"):
        windows(lc.Graph.chain(3), 0)
