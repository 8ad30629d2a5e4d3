import numpy as np
from tree_oracles import index_of_game, random_game

from lcshap.estimators.tree_patterns.few_rows import add_few_rows, set_columns
from lcshap.estimators.tree_patterns.leaves import LeafTables, TableOptions
from lcshap.estimators.tree_patterns.paths import TreePaths


def test_contributions_of_some_leaves_are_added():
    game = random_game(8)
    paths = TreePaths.of(game.trees, game.units)
    sums = np.ones((15, 3))
    for leaves in (paths.leaves[:9], paths.leaves[9:]):
        tables = LeafTables.of(paths, leaves, np.ascontiguousarray(game.background.T), TableOptions())
        values = (game.trees.value @ game.weights.T)[paths.node]
        add_few_rows(sums, tables, values, np.ascontiguousarray(game.rows.T), 5, 1)
    expected = np.stack([index_of_game(game, row, "shapley", 1) for row in range(3)])
    np.testing.assert_allclose(sums.T.reshape(3, 5, 3) - 1, expected, rtol=0, atol=1e-12)


def test_columns_of_pairs():
    assert set_columns(np.array([[1, 4]]), 5, 1).tolist() == [[1, 4]]
    assert set_columns(np.array([[1, 3, 4]]), 5, 2).tolist() == [[8, 9, 19]]
    assert set_columns(np.zeros((2, 0), int), 5, 0).tolist() == [[0], [0]]
