import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcshap as lc
from lcshap.estimators.covering_array import covering, subset_codes
from support import NAMED_GRAPHS, graphs


def shown(sets, ball):
    """The subsets of a ball that some set has of it, slowly."""
    return {frozenset(ball) & frozenset(np.flatnonzero(kept).tolist()) for kept in sets}


@given(graphs(max_d=9), st.integers(0, 4))
def test_every_subset_of_every_ball_is_shown(graph, order):
    balls = graph.balls(order)
    sets = covering(balls)
    sizes = np.diff(balls.indptr)
    for i in range(graph.d):
        assert len(shown(sets, balls[[i]].indices.tolist())) == 2 ** sizes[i]
    assert len(sets) >= 2 ** sizes.max()


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("graph", [lc.Graph.chain(400), lc.Graph.tree([-1, *(i // 2 for i in range(60))])], ids=str)
def test_trees_need_no_more_than_their_largest_ball(graph, order):
    balls = graph.balls(order)
    n = int(np.diff(balls.indptr).max())
    if n <= 14:
        assert len(covering(balls)) == 2**n


def test_a_grid_needs_few_more_than_its_largest_ball():
    assert 32 <= len(covering(lc.Graph.grid((8, 8)).balls(1))) <= 3 * 32


@pytest.mark.parametrize("graph", NAMED_GRAPHS.values(), ids=NAMED_GRAPHS)
def test_it_is_the_same_every_time(graph):
    np.testing.assert_array_equal(covering(graph.balls(1)), covering(graph.balls(1)))


def test_a_limit():
    balls = lc.Graph.ring(30).balls(2)
    count = len(covering(balls))
    assert len(covering(balls, limit=count)) == count
    with pytest.raises(lc.errors.PlanTooLargeError, match="calls, above max_calls=40"):
        covering(balls, limit=40)


def test_codes_are_bits():
    kept = np.array([[True, False, True, True], [False, False, False, False]])
    assert subset_codes(kept, np.array([3, 1, 0])).tolist() == [5, 0]
    assert subset_codes(kept, np.array([], int)).tolist() == [0, 0]
