from dataclasses import replace

import numpy as np
import pytest
from tree_oracles import coalition_value, index_of_game, random_game

import lcshap as lc
from lcshap.core.row_encoding import DROPPED
from support import as_trees


def game_with(trees, values, d):
    return lc.Game(lambda kept: values[kept @ (2 ** np.arange(d))], d, structures={"trees": lambda: trees})


def test_it_is_the_shapley_value_of_all_rows():
    game = random_game(3)
    estimates = lc.TreeSHAP().estimate_rows(game)
    for order, numbers in ((1, estimates.scores), (0, estimates.base_values)):
        expected = np.stack([index_of_game(game, row, "shapley", order) for row in range(3)])
        np.testing.assert_allclose(numbers, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("index", ["shapley", "banzhaf"])
@pytest.mark.parametrize("background", ["masker", None])
def test_other_values_of_all_rows(background, index):
    game = random_game(3)
    estimates = lc.TreeSHAP(background, index, interactions=True).estimate_rows(game)
    assert (game.units == DROPPED).any()
    for order, numbers in ((0, estimates.base_values), (1, estimates.scores), (2, estimates.interactions)):
        expected = np.stack([index_of_game(game, row, index, order, background is None) for row in range(3)])
        np.testing.assert_allclose(numbers, expected, rtol=0, atol=1e-12)
    if background is None:
        full = [coalition_value(game, row, range(game.d), True) for row in range(3)]
        np.testing.assert_allclose(estimates.full_values, full, rtol=0, atol=1e-12)


def test_options_that_do_not_exist():
    with pytest.raises(lc.errors.OptionError, match="Give background rows to the masker"):
        lc.TreeSHAP(np.zeros((2, 2)))
    with pytest.raises(lc.errors.OptionError, match="Expected index='shapley' or index='banzhaf'"):
        lc.TreeSHAP(index="owen")


def test_trees_without_cover_have_no_path_dependent_values():
    game = random_game(3)
    game = replace(game, structure=replace(game.trees, cover=np.empty(0)))
    with pytest.raises(lc.errors.MethodError, match="how many training rows reached each node"):
        lc.TreeSHAP(background=None).estimate_rows(game)


@pytest.mark.parametrize("outputs", [1, 3])
def test_as_a_method(outputs):
    values = np.random.default_rng(2).normal(size=(64, outputs))[:, 0 if outputs == 1 else slice(None)]
    game = game_with(as_trees(values, 6), values, 6)
    graph = lc.Graph.chain(6)
    e = lc.TreeSHAP().explain(game, graph)
    exact = lc.Shapley().explain(game, graph)
    np.testing.assert_allclose(e.scores, exact.scores, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(e.full_value, exact.full_value)
    np.testing.assert_allclose(e.residual, 0, atol=1e-12)
    assert e.stderr is None
    assert e.calls == lc.TreeSHAP().cost(graph).calls == 16
    assert e.provenance["name"] == "tree-shap"


def test_few_units_need_few_calls_and_many_no_more():
    assert [lc.TreeSHAP().cost(lc.Graph.complete(d)).calls for d in (1, 3, 4, 5, 70)] == [2, 8, 16, 16, 16]
    with pytest.raises(lc.errors.PlanTooLargeError):
        lc.TreeSHAP().cost(lc.Graph.complete(5), max_calls=10)


def test_a_game_without_trees():
    v = lc.Game(lambda kept: kept.sum(axis=1), 3)
    with pytest.raises(
        lc.errors.MethodError, match="Expected a model of a table with trees that can be read, got a game without trees"
    ):
        lc.TreeSHAP().explain(v, lc.Graph.chain(3))


@pytest.mark.parametrize("error", [1e-3, 3e-6, np.nan])
def test_trees_that_do_not_agree_with_the_model_are_refused(error):
    """One coalition of the sixteen is enough, and so is a difference of more than 1e-6."""
    values = np.random.default_rng(3).uniform(-1, 1, size=16)
    trees = as_trees(values, 4)
    values[5] += 0 if np.isnan(error) else error
    if np.isnan(error):
        trees.trees.value[-3] = np.nan
    with pytest.raises(
        lc.errors.MethodError,
        match="Expected a model whose outputs are those of its trees plus a constant, got one that differs",
    ):
        lc.TreeSHAP().explain(game_with(trees, values, 4), lc.Graph.chain(4))
    with pytest.raises(
        lc.errors.MethodError,
        match="Expected a model whose outputs are those of its trees plus a constant, got one that differs",
    ):
        lc.TreeSHAP().checked_game(game_with(trees, values, 4))


def test_a_constant_and_rounding_do_not_matter():
    values = np.random.default_rng(4).uniform(-1, 1, size=16)
    noisy = values + 100 + np.random.default_rng(5).uniform(-3e-7, 3e-7, size=16)
    e = lc.TreeSHAP().explain(game_with(as_trees(values, 4), noisy, 4), lc.Graph.chain(4))
    assert e.base_value == noisy[0]
    assert abs(e.residual) < 1e-6


def test_it_stops_for_nothing():
    values = np.zeros(8)
    with pytest.raises(lc.errors.MethodError, match="fixed number of calls"):
        lc.TreeSHAP().explain(game_with(as_trees(values, 3), values, 3), lc.Graph.chain(3), tolerance=0.1)
