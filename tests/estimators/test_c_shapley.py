"""C-Shapley against its definition, with every option on every kind of graph."""

from itertools import product

import numpy as np
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
    table_game,
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


CHAINS = {
    "one unit": lc.Graph.chain(1),
    "two units": lc.Graph.complete(2),
    "chain": lc.Graph.chain(7),
    "shuffled": lc.Graph.from_edges(5, [(4, 0), (0, 2), (2, 1), (1, 3)]),
    "tree": lc.Graph.tree([-1, 0, 1, 2]),
    "row": lc.Graph.grid((1, 6)),
}
OTHERS = {
    "ring": lc.Graph.ring(6),
    "grid": lc.Graph.grid((2, 3)),
    "star": lc.Graph.tree([-1, 0, 0, 0]),
    "two chains": lc.Graph.from_edges(6, [(0, 1), (1, 2), (3, 4), (4, 5)]),
    "ring and unit": lc.Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 0)]),
    "no edges": lc.Graph.from_edges(3, []),
}


@pytest.mark.parametrize(
    ("graph", "weights"),
    [
        *(pytest.param(graph, "paper", id=name) for name, graph in CHAINS.items()),
        *(pytest.param(graph, "myerson", id=name) for name, graph in OTHERS.items()),
    ],
)
def test_by_default_the_weights_are_the_papers_on_chains_alone(graph, weights):
    """The scores are those of the weights, and plan, preview, axioms and record all name them."""
    game, _ = table_game(graph.d, seed=3)
    method, named = lc.CShapley(2), lc.CShapley(2, weights=weights)
    e = method.explain(game, graph)
    assert e.scores.tobytes() == named.explain(game, graph).scores.tobytes()
    assert method.for_graph(graph) == named == method.plan(graph).method
    assert named.for_graph(graph) is named
    assert e.provenance["parameters"]["weights"] == weights
    assert e.provenance["method"] == str(named) == str(method.cost(graph)).splitlines()[0]
    assert method.axioms(graph).unit_mass == (weights == "myerson")


def test_no_unit_of_a_grid_scores_more_than_there_is():
    """The printed weights did so on 7x7 at order 2, in 34,235 calls, which the preview says."""
    graph = lc.Graph.grid((7, 7))
    worth = np.linspace(0.0, 0.08, 49)
    game = lc.Game(lambda kept: kept @ worth, 49)
    cost = lc.CShapley(2).cost(graph)
    assert cost.calls == 34_235
    assert "weights='myerson'" in str(cost)
    assert "34,235" in str(cost)
    e = lc.CShapley(2).explain(game, graph)
    np.testing.assert_allclose(e.scores, worth, atol=1e-12)
    printed = lc.CShapley(2, weights="paper").explain(game, graph)
    assert printed.scores.sum() > 2 * worth.sum()


def test_records_of_earlier_versions_still_make_the_same_method():
    """They have the weights "paper" on grids too, where that was the default."""
    recorded = {"order": 2, "context": "absent", "weights": "paper", "marginals": "direct", "max_size": None}
    method = lc.get_method("c-shapley")(**recorded)
    assert method.for_graph(lc.Graph.grid((3, 3))).weights == "paper"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"order": -1}, "Expected order as an integer of at least 0"),
        ({"order": None}, "Expected an order, a max_size or both, got neither"),
        ({"max_size": 0}, "Expected max_size as an integer of at least 1"),
        ({"context": "gone"}, "Expected one of .* as context"),
        ({"weights": "heavy"}, "Expected one of 'auto', 'paper', 'myerson'.* as weights"),
        ({"marginals": "none"}, "Expected one of 'direct', 'decomposed'.* as marginals"),
    ],
)
def test_bad_parameters(options, says):
    with pytest.raises(lc.errors.MethodError, match=says):
        lc.CShapley(**options)


@pytest.mark.parametrize("order", [10, 10**30])
def test_a_huge_order_on_a_grid_is_refused_soon(order):
    measured = measure(Case(lc.Graph.grid((30, 30)), lc.CShapley(order), 1_000_000))
    assert measured["outcome"] == "refused"
    assert measured["seconds"] < 8  # 13 before connected sets were counted first; about 2 now
    assert measured["bytes"] < 1e9
