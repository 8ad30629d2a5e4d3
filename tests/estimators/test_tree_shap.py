import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.core.row_encoding import DROPPED, PINNED
from lcshap.core.tree_ensembles import TreeGame, Trees
from lcshap.estimators import tree_shap
from lcshap.estimators.tree_shap import tree_shapley_values
from support import as_trees, every


def game_with(trees, values, d):
    return lc.Game(lambda kept: values[kept @ (2 ** np.arange(d))], d, structures={"trees": lambda: trees})


def random_trees(rng, columns, count=4, depth=5, outputs=2):
    """Trees of random shape with random splits, on columns that come up again on a path."""
    arrays, first = {name: [] for name in ("left", "right", "default", "feature", "threshold", "value")}, []

    def grow(level):
        node = len(arrays["left"])
        for array in arrays.values():
            array.append(-1)
        arrays["value"][node] = rng.normal(size=outputs)
        arrays["feature"][node], arrays["threshold"][node] = rng.integers(columns), float(rng.integers(3))
        if level < depth and rng.random() < 0.85:
            left, right = grow(level + 1), grow(level + 1)
            arrays["left"][node], arrays["right"][node] = left, right
            arrays["default"][node] = left if rng.random() < 0.5 else right
        return node

    for _ in range(count):
        first.append(grow(0))
    return Trees(np.array(first), **{name: np.array(array) for name, array in arrays.items()})


def brute_force(game):
    table = game.values(lc.Coalitions.from_dense(every(game.d)))
    sets = [frozenset(np.flatnonzero(kept).tolist()) for kept in every(game.d)]
    return np.array(oracles.shapley(game.d, {s: v.tolist() for s, v in zip(sets, table, strict=True)}))


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_shapley_value_of_every_ensemble(seed):
    """Missing values, columns of nobody, groups of columns, several outputs, rows that differ in dropped columns."""
    rng = np.random.default_rng(seed)
    columns, rows = 8, [1, 3, 7][seed % 3]
    owners = rng.permutation([0, 1, 2, 3, 4, *rng.integers(-1, 5, size=3)])
    background = rng.integers(4, size=(rows, columns)).astype(float)
    background[rng.random(background.shape) < 0.2] = np.nan
    x = rng.integers(4, size=(1, columns)).astype(float)
    units = np.where(owners < 0, rng.choice([PINNED, DROPPED], size=columns), owners)
    game = TreeGame(random_trees(rng, columns), x, background, units, 5, np.eye(2), True)
    np.testing.assert_allclose(tree_shapley_values(game)[0], brute_force(game), rtol=0, atol=1e-12)


def test_walks_are_cut_into_parts(monkeypatch):
    game = as_trees(np.random.default_rng(0).normal(size=64), 6, copies=9)
    together = tree_shapley_values(game)
    monkeypatch.setattr(tree_shap, "_FIRST_WALKS", 4)
    monkeypatch.setattr(tree_shap, "_MAX_WALKS", 16)
    np.testing.assert_allclose(tree_shapley_values(game), together, rtol=0, atol=1e-14)


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
