"""Weights over all subsets of a neighbourhood."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.estimators.subsets import (
    all_subsets,
    balls_within,
    group_by_shape,
    interaction_weights,
    shapley_weights,
    subset_terms,
)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_weights_are_probabilities(n):
    """Over all subsets of the others: of the Shapley value, and of the interaction index."""
    sizes = all_subsets(n - 1).sum(axis=1) if n > 1 else np.zeros(1, int)
    assert shapley_weights(n)[sizes].sum() == pytest.approx(1)
    if n > 1:
        sizes = all_subsets(n - 2).sum(axis=1) if n > 2 else np.zeros(1, int)
        assert interaction_weights(n)[sizes].sum() == pytest.approx(1)


def test_masks_are_all_subsets_and_mirrored_ones_complements():
    subsets = all_subsets(4)
    assert len({bytes(row) for row in subsets}) == 16
    assert np.array_equal(subsets, ~subsets[::-1])


def test_neighbourhoods_are_grouped_by_size_and_place():
    graph = lc.Graph.chain(6)
    balls = graph.balls(1)
    groups = {shape: units.tolist() for units, shape in group_by_shape(balls, np.arange(6))}
    assert groups == {(2, 0): [0], (2, 1): [5], (3, 1): [1, 2, 3, 4]}


@pytest.mark.parametrize("context", ["absent", "present", "both"])
def test_terms_are_the_subsets_in_their_context(context):
    members = np.array([[0, 2], [1, 3]], np.int32)
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    weights_by_set = {}
    for terms in subset_terms(5, np.array([0, 1]), members, weights, context):
        for row, weight, kept in zip(terms.rows, terms.weights, terms.coalitions.dense(), strict=True):
            weights_by_set[row, tuple(np.flatnonzero(kept).tolist())] = weight
    expected = {}
    for row, (a, b) in enumerate(members.tolist()):
        outside = {0, 1, 2, 3, 4} - {a, b}
        for weight, kept in zip(weights, (set(), {a}, {b}, {a, b}), strict=True):
            for kind, added_units in (("absent", set()), ("present", outside)):
                if context in (kind, "both"):
                    expected[row, tuple(sorted(kept | added_units))] = weight / (2 if context == "both" else 1)
    assert weights_by_set == pytest.approx(expected)


def test_balls_that_do_not_fit_are_refused_while_they_grow():
    graph = lc.Graph.grid((60, 60))
    assert balls_within(graph, 3, 1000, 100).nnz == graph.balls(3).nnz
    with pytest.raises(lc.errors.PlanTooLargeError, match="of memory"):
        balls_within(graph, 10**30, 1000, 1000)
    assert balls_within(lc.Graph.grid((6, 6)), 10**30, None, 10**9).nnz == 36**2


def test_shared_neighbourhoods_make_the_same_plan(monkeypatch):
    for context in ("absent", "present", "both"):
        method = lc.LShapley(1, context, interactions=True)
        monkeypatch.setattr("lcshap.estimators.subsets._LARGE_NEIGHBOURHOOD", 8)
        shared = method._plan(lc.Graph.complete(9), None)
        monkeypatch.setattr("lcshap.estimators.subsets._LARGE_NEIGHBOURHOOD", 99)
        apart = method._plan(lc.Graph.complete(9), None)
        assert shared.coalitions == apart.coalitions
        for name in ("operator", "edge_operator"):
            shared_matrix, separate_matrix = (getattr(plan.estimator, name) for plan in (shared, apart))
            np.testing.assert_array_equal(shared_matrix.toarray(), separate_matrix.toarray())


def test_orders_beyond_the_graph_need_no_growing():
    for graph in (lc.Graph.chain(9), lc.Graph.from_edges(7, [(0, 3), (3, 5), (1, 2)]), lc.Graph.chain(1)):
        balls, expected = balls_within(graph, 10**30, 1000, 1), graph.balls(graph.d)
        np.testing.assert_array_equal(balls.indices, expected.indices)
        np.testing.assert_array_equal(balls.indptr, expected.indptr)
        assert balls.dtype == expected.dtype
