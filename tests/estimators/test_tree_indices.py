from dataclasses import replace

import numpy as np
import pytest
from tree_oracles import index_of_game, random_game

from lcshap.estimators.tree_indices import tree_scores
from lcshap.estimators.tree_patterns import values
from lcshap.estimators.tree_patterns.leaves import TableOptions


@pytest.mark.parametrize("limit", [2, 16])
@pytest.mark.parametrize("uses_cover", [False, True])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("index", ["shapley", "banzhaf"])
def test_paths_with_few_and_with_many_units(index, order, uses_cover, limit, monkeypatch):
    monkeypatch.setattr(values, "_MAX_TABLE_UNITS", limit)
    monkeypatch.setattr(values, "MAX_UNITS", min(limit, 63))  # with 2, some trees are walked
    for seed in range(6):
        game = random_game(seed)
        game = replace(game, structure=replace(game.trees))  # nothing is kept
        expected = np.stack([index_of_game(game, row, index, order, uses_cover) for row in range(3)])
        scores = tree_scores(game, TableOptions(index, order), uses_cover)
        np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)
