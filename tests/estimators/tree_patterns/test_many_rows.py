import numpy as np
import pytest
from tree_oracles import index_of_game, random_game

from lcshap.estimators.tree_patterns.leaves import LeafTables, TableOptions
from lcshap.estimators.tree_patterns.many_rows import SubtreeTables
from lcshap.estimators.tree_patterns.paths import TreePaths
from lcshap.estimators.tree_patterns.subtrees import Subtrees


@pytest.mark.parametrize("max_bits", [1, 5, 12])
def test_tables_of_subtrees_add_up_to_the_scores(max_bits):
    game = random_game(10)
    paths = TreePaths.of(game.trees, game.units)
    subtrees = Subtrees.of(paths, 1_000_000, 5, max_bits)
    tables = LeafTables.of(paths, paths.leaves, np.ascontiguousarray(game.background.T), TableOptions())
    values = (game.trees.value @ game.weights.T)[paths.node]
    sums, leaf = np.zeros((3, 15)), 0
    for roots in (subtrees.root[:2], subtrees.root[2:]):
        end = leaf + int(paths.leaf_count[roots].sum())
        if len(roots):
            part = SubtreeTables.of(paths, roots, slice(leaf, end), tables, values, 5, 1)
            assert len(part.table) == (1 << part.bits.count).sum()
            part.add(sums, np.ascontiguousarray(game.rows.T))
        leaf = end
    expected = np.stack([index_of_game(game, row, "shapley", 1) for row in range(3)])
    np.testing.assert_allclose(sums.reshape(3, 5, 3), expected, rtol=0, atol=1e-12)
