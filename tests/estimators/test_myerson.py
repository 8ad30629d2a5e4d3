"""The Myerson value against its definition."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from support import (
    NAMED_GRAPHS,
    check_against,
    graphs,
)


def oracle(near, table):
    return oracles.myerson(len(near), near, table)


@pytest.mark.parametrize("name", NAMED_GRAPHS)
def test_named_graphs(name):
    check_against(oracle, lc.Myerson(), NAMED_GRAPHS[name], 2, 3)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(0, 2**16))
def test_any_graph(graph, seed):
    check_against(oracle, lc.Myerson(), graph, seed, 2)


@pytest.mark.parametrize(
    "graph", [lc.Graph.chain(10), lc.Graph.grid((2, 5)), lc.Graph.tree([-1, 0, 0, 1, 1, 2, 2, 3, 3, 3])]
)
def test_ten_units(graph):
    check_against(oracle, lc.Myerson(), graph, 6)


def test_calls_on_a_chain_a_star_and_a_complete_graph():
    assert lc.Myerson().plan(lc.Graph.chain(30)).calls == 30 * 31 // 2 + 1
    assert lc.Myerson().plan(lc.Graph.tree([-1, *[0] * 7])).calls == 2**7 + 7 + 1
    assert lc.Myerson().plan(lc.Graph.complete(6)).calls == 2**6
