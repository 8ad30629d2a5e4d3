import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.core.graphs import connected, connected_sets
from support import edges_of, graphs


def all_connected(near, units):
    return {S for S in oracles.subsets(units) if S and oracles.connected(near, S)}


@settings(max_examples=80, deadline=None)
@given(graphs(max_d=8), st.one_of(st.none(), st.integers(1, 8)))
def test_every_connected_set_once_with_its_boundary(graph, max_size):
    near = oracles.neighbours(graph.d, edges_of(graph))
    sets = []
    for level in connected_sets(graph, max_size=max_size):
        assert level.roots is None
        for row, members in enumerate(level.members.tolist()):
            assert members == sorted(members)
            border = {j for i in members for j in near[i]} - set(members)
            assert set(level.boundary[[row]].indices.tolist()) == border
            sets.append(frozenset(members))
    assert len(sets) == len(set(sets))
    assert set(sets) == {S for S in all_connected(near, range(graph.d)) if len(S) <= (max_size or 99)}


@settings(max_examples=80, deadline=None)
@given(graphs(max_d=7), st.integers(0, 5))
def test_rooted_sets_lie_around_their_root(graph, order):
    near = oracles.neighbours(graph.d, edges_of(graph))
    rooted_sets = []
    for level in connected_sets(graph, order):
        for row, (root, members) in enumerate(zip(level.centres.tolist(), level.members.tolist(), strict=True)):
            N = oracles.ball(near, root, order)
            border = ({j for i in members for j in near[i]} - set(members)) & N
            assert set(level.boundary[[row]].indices.tolist()) == border
            rooted_sets.append((root, frozenset(members)))
    assert len(rooted_sets) == len(set(rooted_sets))
    expected = {(i, S) for i in range(graph.d) for S in all_connected(near, oracles.ball(near, i, order)) if i in S}
    assert set(rooted_sets) == expected


def test_small_steps_change_nothing(monkeypatch):
    graph = lc.Graph.grid((3, 4))
    expected = [level.members.tolist() for level in connected_sets(graph, 2)]
    monkeypatch.setattr(connected, "_NEIGHBOURS_PER_STEP", 7)
    assert [level.members.tolist() for level in connected_sets(graph, 2)] == expected


@pytest.mark.parametrize("order", [None, 3])
def test_the_running_count_is_a_lower_bound(order):
    for graph in (lc.Graph.chain(9), lc.Graph.grid((3, 4)), lc.Graph.complete(8), lc.Graph.tree([-1] + [0] * 8)):
        counts = []
        levels = list(connected_sets(graph, order, check=lambda sets, _: counts.append(sets)))  # noqa: B023
        distinct = {tuple(m) for level in levels for m in level.members.tolist()}
        assert 0 < max(counts) <= len(distinct)
        assert counts == sorted(counts)


def test_numbers_do_not_wrap_around():
    """A unit reached in 256 ways must not count as reached in none (8-bit arithmetic would say so)."""
    hub = lc.Graph.from_edges(258, [(0, j) for j in range(1, 257)] + [(257, j) for j in range(1, 257)])
    assert hub.balls(2)[[0]].nnz == 258
    level = next(iter(connected_sets(hub)))
    assert np.diff(level.boundary.indptr)[[0, 1]].tolist() == [256, 2]


def test_memory_is_checked_before_it_is_allocated():
    requests = []
    list(connected_sets(lc.Graph.grid((3, 3)), room=lambda sets, nbytes: requests.append((sets, nbytes))))
    assert len(requests) == 9
    assert max(nbytes for _, nbytes in requests) > 1000
    assert requests[0][0] == 9  # the single units
