from dataclasses import replace

import numpy as np
import pytest
from tree_oracles import index_of_game, random_game

from lcshap.estimators.tree_patterns import cover_pass
from lcshap.estimators.tree_patterns.cover_pass import CoverPass
from lcshap.estimators.tree_patterns.paths import TreePaths


def scores_of(game, index):
    paths = TreePaths.of(game.trees, game.units)
    sums = np.zeros((game.d * len(game.weights), len(game.rows)))
    rows = np.ascontiguousarray(game.trees.rounded(game.rows).T)
    CoverPass.of(paths, index).add(sums, rows, (game.trees.value @ game.weights.T)[paths.node], game.d)
    return sums.T.reshape(len(game.rows), game.d, -1)


@pytest.mark.parametrize("index", ["shapley", "banzhaf"])
@pytest.mark.parametrize("seed", range(30))
def test_it_is_the_index_of_the_definition(seed, index, monkeypatch):
    game = random_game(seed)
    expected = np.stack([index_of_game(game, row, index, 1, True) for row in range(3)])
    np.testing.assert_allclose(scores_of(game, index), expected, rtol=0, atol=1e-12)
    monkeypatch.setattr(cover_pass, "_NUMBERS_PER_BLOCK", 1)  # row by row
    np.testing.assert_allclose(scores_of(game, index), expected, rtol=0, atol=1e-12)


def test_nodes_that_no_training_row_reached():
    game = random_game(3)
    leaves = np.flatnonzero(game.trees.left < 0)[::3]
    small, zero = game.trees.cover.copy(), game.trees.cover.copy()
    small[leaves], zero[leaves] = 1e-12, 0
    for cover in (small, zero):
        for node in np.flatnonzero(game.trees.left >= 0)[::-1]:  # children have larger numbers
            cover[node] = cover[game.trees.left[node]] + cover[game.trees.right[node]]
    expected = scores_of(replace(game, structure=replace(game.trees, cover=small)), "shapley")
    scores = scores_of(replace(game, structure=replace(game.trees, cover=zero)), "shapley")
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-8)
