import numpy as np
from tree_oracles import random_game

from lcshap.estimators.tree_patterns.paths import TreePaths


def test_leaves_are_in_order_and_their_conditions_hold():
    """A row that reaches a leaf satisfies all of its conditions, and of no other leaf of the tree."""
    game = random_game(2)
    trees, rows = game.trees, game.rows
    paths = TreePaths.of(trees, game.units)
    assert (np.diff(paths.tree[paths.leaves]) >= 0).all()
    assert [paths.position[paths.leaves[paths.tree[paths.leaves] == t]].tolist() for t in range(4)] == [
        list(range(paths.leaf_count[t])) for t in range(4)
    ]
    entries = paths.conditions(paths.leaves)
    left = trees.decide(paths.split_node[entries.literal >> 1], np.ascontiguousarray(rows.T))
    holds = left != (entries.literal & 1 == 1)[:, None]
    failures = np.stack([np.bincount(entries.owner, ~column, len(paths.leaves)) for column in holds.T], axis=1)
    reached = failures == 0
    for tree in range(4):
        assert (reached[paths.tree[paths.leaves] == tree].sum(axis=0) == 1).all()
    outputs = reached.T.astype(float) @ trees.value[paths.node[paths.leaves]]
    np.testing.assert_allclose(outputs, trees.predict(rows), rtol=0, atol=1e-12)


def test_equal_splits_have_one_number():
    game = random_game(3)
    paths = TreePaths.of(game.trees, game.units)
    inner = np.flatnonzero(~paths.is_leaf)
    trees, node = game.trees, paths.node[inner]
    by_category = trees.choice[node] >= 0
    keys = list(
        zip(
            trees.feature[node],
            np.where(by_category, trees.choice[node], -1),
            np.where(by_category, 0, trees.threshold[node]),
            trees.default[node] == trees.left[node],
            strict=True,
        )
    )
    assert len(set(keys)) == len(set(paths.split[inner].tolist()))
    assert len(set(zip(keys, paths.split[inner].tolist(), strict=True))) == len(set(keys))
