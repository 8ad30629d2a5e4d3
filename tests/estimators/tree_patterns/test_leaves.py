import numpy as np
from tree_oracles import goes_left, random_game

from lcshap.core.row_encoding import DROPPED, PINNED
from lcshap.estimators.tree_patterns.leaves import LeafTables, TableOptions
from lcshap.estimators.tree_patterns.paths import TreePaths


def holds(paths, leaf, row, unit):
    """Whether a row satisfies the conditions of one unit on the way to a leaf."""
    place = leaf
    while paths.parent[place] >= 0:
        above = paths.parent[place]
        node = paths.node[above]
        if paths.unit[above] == unit:
            left = goes_left(paths.trees, node, row[paths.trees.feature[node]])
            if left == paths.goes_right[place]:
                return False
        place = above
    return True


def test_the_pattern_of_a_row():
    game = random_game(7, rows=6)
    paths = TreePaths.of(game.trees, game.units)
    tables = LeafTables.of(paths, paths.leaves, game.background.T, TableOptions())
    outcomes = tables.literals.outcomes(np.ascontiguousarray(game.rows.T), 8)
    assert sorted(np.concatenate(tables.members).tolist()) == list(range(len(paths.leaves)))
    for leaf_class, members in zip(tables.classes, tables.members, strict=True):
        assert (paths.leaves[members] == leaf_class.place).all()
        patterns = leaf_class.patterns
        codes = patterns.coder.codes(outcomes)
        for number, leaf in enumerate(leaf_class.place.tolist()):
            for row in range(6):
                bits = [holds(paths, leaf, game.rows[row], unit) for unit in patterns.units[number].tolist()]
                assert codes[number, row] == sum(2 ** (len(bits) - 1 - k) for k, bit in enumerate(bits) if bit)
                for coder, kind in ((patterns.pinned, PINNED), (patterns.dropped, DROPPED)):
                    assert coder is None or coder.codes(outcomes)[number, row] == holds(
                        paths, leaf, game.rows[row], kind
                    )
        reach = [
            np.mean([all(holds(paths, leaf, b, unit) for unit in [*range(5), DROPPED]) for b in game.background])
            for leaf in leaf_class.place.tolist()
        ]
        np.testing.assert_allclose(leaf_class.reach, reach, rtol=0, atol=1e-15)
