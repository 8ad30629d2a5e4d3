"""C-Shapley against its definition, with every option on every kind of graph."""

from itertools import product

import pytest
from fuzz.plans import Case, measure
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from support import (
    NAMED_GRAPHS,
    check_against,
    graphs,
)

CONTEXTS = ("absent", "present", "both")


def check_scores(graph, order, context, weights, marginals, max_size, seed=0, outputs=None):
    def oracle(near, table):
        return oracles.c_shapley(graph.d, near, table, order, context, weights, marginals, max_size)

    check_against(oracle, lc.CShapley(order, context, weights, marginals, max_size), graph, seed, outputs)


@pytest.mark.parametrize("name", NAMED_GRAPHS)
@pytest.mark.parametrize(
    ("order", "max_size"), [(0, None), (1, None), (2, None), (9, None), (None, 1), (None, 3), (2, 2), (9, 4)]
)
def test_named_graphs(name, order, max_size):
    for options in product(CONTEXTS, ("paper", "myerson"), ("direct", "decomposed")):
        check_scores(NAMED_GRAPHS[name], order, *options, max_size, seed=5)


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
def test_any_graph(graph, order, context, weights, marginals, max_size, outputs, seed):
    check_scores(graph, order, context, weights, marginals, max_size, seed, outputs)


@pytest.mark.parametrize(
    "graph", [lc.Graph.chain(10), lc.Graph.grid((2, 5)), lc.Graph.tree([-1, 0, 0, 1, 1, 2, 2, 3, 3, 3])]
)
def test_ten_units(graph):
    check_scores(graph, 2, "both", "myerson", "decomposed", None, seed=6)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"order": -1}, "order must be an integer of at least 0"),
        ({"order": None}, "give an order, a max_size, or both"),
        ({"max_size": 0}, "max_size must be an integer of at least 1"),
        ({"context": "gone"}, "context must be one of"),
        ({"weights": "heavy"}, "weights must be one of 'paper', 'myerson'"),
        ({"marginals": "none"}, "marginals must be one of 'direct', 'decomposed'"),
    ],
)
def test_bad_parameters(options, says):
    with pytest.raises(lc.MethodError, match=says):
        lc.CShapley(**options)


@pytest.mark.parametrize("order", [10, 10**30])
def test_a_huge_order_on_a_grid_is_refused_soon(order):
    said = measure(Case(lc.Graph.grid((30, 30)), lc.CShapley(order), 1_000_000))
    assert said["outcome"] == "refused"
    assert said["seconds"] < 8  # 13 before connected sets were counted first; about 2 now
    assert said["bytes"] < 1e9
