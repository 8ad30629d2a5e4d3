import numpy as np
import pytest
from tree_oracles import index_of_game, random_game

from lcshap.estimators.tree_patterns import row_pairs
from lcshap.estimators.tree_patterns.paths import TreePaths
from lcshap.estimators.tree_patterns.row_pairs import RowPairs


@pytest.mark.parametrize("index", ["shapley", "banzhaf"])
@pytest.mark.parametrize("seed", range(30))
def test_they_are_the_index_of_the_definition(seed, index, monkeypatch):
    """Pinned and dropped columns, groups, missing values and categories; also leaf by leaf."""
    game = random_game(seed)
    paths = TreePaths.of(game.trees, game.units)
    rows, background = (np.ascontiguousarray(game.trees.rounded(numbers).T) for numbers in (game.rows, game.background))
    expected = np.stack([index_of_game(game, row, index, 1) for row in range(3)])
    for leaves, pairs in ((1 << 14, 1 << 18), (5, 1)):
        monkeypatch.setattr(row_pairs, "_LEAVES_PER_PART", leaves)
        monkeypatch.setattr(row_pairs, "_PAIRS_PER_STEP", pairs)
        sums = np.zeros((game.d * len(game.weights), 3))
        RowPairs.of(paths, background).add(sums, rows, (game.trees.value @ game.weights.T)[paths.node], index)
        np.testing.assert_allclose(sums.T.reshape(3, game.d, -1), expected, rtol=0, atol=1e-12)
