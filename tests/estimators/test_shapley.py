"""The Shapley value against its definition."""

import numpy as np
import pytest

import lcshap as lc
import oracles
from support import (
    NAMED_GRAPHS,
    check_against,
    table_game,
)


def oracle(near, table):
    return oracles.shapley(len(near), table)


@pytest.mark.parametrize("name", NAMED_GRAPHS)
def test_named_graphs(name):
    check_against(oracle, lc.Shapley(), NAMED_GRAPHS[name], 1, 2)


@pytest.mark.parametrize(
    "graph", [lc.Graph.chain(10), lc.Graph.grid((2, 5)), lc.Graph.tree([-1, 0, 0, 1, 1, 2, 2, 3, 3, 3])]
)
def test_ten_units(graph):
    check_against(oracle, lc.Shapley(), graph, 6)


def test_shapley_is_the_mean_over_all_orders_of_arrival():
    """The oracle itself, against the other definition of the Shapley value."""
    _, table = table_game(5, seed=7, outputs=2)
    np.testing.assert_allclose(oracles.shapley(5, table), oracles.shapley_by_permutations(5, table), atol=1e-14)


def test_too_many_units_are_refused_with_what_would_fit():
    with pytest.raises(lc.errors.PlanTooLargeError, match=r"2\^50 calls.*Cheaper: LShapley.*CShapley") as refused:
        lc.Shapley().plan(lc.Graph.chain(50))
    assert refused.value.calls == 2**50
    assert refused.value.exact
