import numpy as np
import pytest
from tree_oracles import random_game

from lcshap.estimators.tree_patterns.paths import TreePaths
from lcshap.estimators.tree_patterns.subtrees import Subtrees
from support import as_trees


@pytest.mark.parametrize("max_bits", [1, 4, 8, 13])
def test_every_leaf_is_in_one_subtree(max_bits):
    game = random_game(9)
    paths = TreePaths.of(game.trees, game.units)
    subtrees = Subtrees.of(paths, 100_000, 5, max_bits)
    assert paths.leaf_count[subtrees.root].sum() == len(paths.leaves)
    assert len(np.unique(subtrees.root)) == len(subtrees.root)
    small = ~paths.is_leaf[subtrees.root]
    assert (subtrees.bits[small] <= max_bits).all()


def test_more_rows_pay_for_larger_subtrees():
    game = random_game(9)
    paths = TreePaths.of(game.trees, game.units)
    counts = [len(Subtrees.of(paths, rows, 5, 13).root) for rows in (1, 1000, 1_000_000)]
    assert counts[0] >= counts[1] >= counts[2]
    assert counts[0] > counts[2]


def test_a_tree_with_one_split_in_each_level_needs_a_bit_for_each_level():
    game = as_trees(np.arange(64.0), 6)
    paths = TreePaths.of(game.trees, game.units)
    subtrees = Subtrees.of(paths, 1_000_000, 6, 13)
    assert subtrees.root.tolist() == [0]
    assert subtrees.bits.tolist() == [6]
