from dataclasses import replace

import numpy as np
import pytest
from tree_oracles import index_of_game, random_game

from lcshap.estimators.tree_patterns import values
from lcshap.estimators.tree_patterns.leaves import TableOptions
from lcshap.estimators.tree_patterns.values import has_small_patterns, pattern_scores


@pytest.mark.parametrize("uses_cover", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_every_index_is_that_of_the_definition(seed, uses_cover, monkeypatch):
    """By leaves, by subtrees of all sizes, and with tables that are computed part by part."""
    game = random_game(seed)
    for index in ("shapley", "banzhaf"):
        for order in (0, 1, 2):
            options = TableOptions(index, order)
            expected = np.stack([index_of_game(game, row, index, order, uses_cover) for row in range(3)])
            for lookup, bits, numbers in ((0.0, 13, 1 << 22), (1e9, 2, 64), (1e9, 6, 1 << 22), (1e9, 13, 300)):
                monkeypatch.setattr(values, "_NANOSECONDS_PER_LOOKUP", lookup)
                monkeypatch.setattr(values, "_MAX_BITS", bits)
                monkeypatch.setattr(values, "_LEAF_NUMBERS", numbers)
                monkeypatch.setattr(values, "_SUBTREE_NUMBERS", numbers)
                for other in ("NANOSECONDS_PER_POINT", "NANOSECONDS_PER_PAIR", "NANOSECONDS_PER_ENTRY"):
                    monkeypatch.setattr(values, other, 1e12 if other != "NANOSECONDS_PER_ENTRY" else 0.0)
                scores = pattern_scores(fresh(game), options, uses_cover)
                np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)


def fresh(game):
    """The game of trees for which nothing is kept."""
    return replace(game, structure=replace(game.trees))


def test_many_rows_are_those_of_few():
    game = random_game(3)
    many = pattern_scores(replace(game, rows=np.tile(game.rows, (3000, 1))), TableOptions())
    np.testing.assert_allclose(many[-3:], pattern_scores(fresh(game), TableOptions()), rtol=0, atol=1e-13)


def test_what_is_kept_is_for_the_same_units_background_and_values():
    game = random_game(4)
    others = [
        replace(game, units=np.roll(game.units, 1)),
        replace(game, background=game.background + 1),
        replace(game, weights=game.weights[:1]),
        game,
    ]
    for other in [*others, *others]:
        expected = pattern_scores(fresh(other), TableOptions())
        np.testing.assert_array_equal(pattern_scores(other, TableOptions()), expected)
    assert len(game.trees.memory) <= 6


def test_trees_of_other_outputs_are_left_out():
    game = random_game(6)
    first = game.trees.roots[0]
    leaf_values = game.trees.value.copy()
    leaf_values[first : game.trees.roots[1], 0] = 0  # the first tree adds to the second output only
    game = replace(game, structure=replace(game.trees, value=leaf_values), weights=np.array([[1.0, 0.0]]))
    expected = np.stack([index_of_game(game, row, "shapley", 1) for row in range(3)])
    np.testing.assert_allclose(pattern_scores(game, TableOptions()), expected, rtol=0, atol=1e-12)


def test_no_value_at_all():
    game = replace(random_game(6), weights=np.zeros((2, 2)))
    np.testing.assert_array_equal(pattern_scores(game, TableOptions()), np.zeros((3, 5, 2)))
    assert has_small_patterns(game, TableOptions(order=2), False)
