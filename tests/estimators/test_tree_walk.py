from dataclasses import replace

import numpy as np
import pytest
from tree_oracles import index_of_game, random_game

from lcshap.estimators import tree_walk
from lcshap.estimators.tree_walk import walked_values


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_shapley_value_of_every_ensemble(seed):
    """Missing values, categories, columns of nobody, groups of columns, several values."""
    game = random_game(seed)
    expected = np.stack([index_of_game(game, row, "shapley", 1) for row in range(3)])
    np.testing.assert_allclose(walked_values(game), expected, rtol=0, atol=1e-12)


def test_walks_are_cut_into_parts(monkeypatch):
    game = random_game(1)
    game = replace(game, background=np.tile(game.background, (5, 1)))
    together = walked_values(game)
    monkeypatch.setattr(tree_walk, "_FIRST_WALKS", 4)
    monkeypatch.setattr(tree_walk, "_MAX_WALKS", 16)
    np.testing.assert_allclose(walked_values(game), together, rtol=0, atol=1e-14)
