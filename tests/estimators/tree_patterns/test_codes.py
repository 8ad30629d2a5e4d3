import numpy as np
from tree_oracles import random_game

from lcshap.estimators.tree_patterns.codes import Literals, PatternCoder, code_outcomes, code_type


def test_a_bit_is_the_conjunction_of_its_literals():
    outcomes = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0], [1, 1, 1]], np.uint16)  # the last two are the constants
    coder = PatternCoder.of(np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([0, 1, 1]), (2, 2), 2)
    assert coder.codes(outcomes).tolist() == [[1, 0, 0], [2, 0, 2]]


def test_outcomes_of_codes():
    outcomes = code_outcomes(3)
    coder = PatternCoder.of(np.zeros(3, int), np.arange(3), 2 * np.arange(3), (1, 3), 6)
    assert coder.codes(outcomes).tolist() == [list(range(8))]
    assert (outcomes[1::2][:3] == 1 - outcomes[:6:2]).all()
    assert [code_type(bits) for bits in (3, 17, 40)] == [np.uint16, np.uint32, np.uint64]


def test_literals_are_the_outcomes_of_splits():
    game = random_game(5)
    inner = np.flatnonzero(game.trees.left >= 0)
    literals, place = Literals.of(game.trees, inner, np.array([3, 0, 3, 2]))
    rows = np.ascontiguousarray(game.rows.T)
    outcomes = literals.outcomes(rows, 3)
    left = game.trees.decide(inner[:2], rows)
    assert (outcomes[place] == np.stack([~left[1], left[0], ~left[1], left[1]])).all()
    assert (outcomes[literals.zero] == 0).all()
    assert (outcomes[literals.zero + 1] == 1).all()
