"""Games of counts, by adding up the counts of the units of each coalition."""

import numpy as np
from scipy import sparse

from lcshap.core.coalitions import Coalitions
from lcshap.core.count_games import CountGame
from support import every

UNIT_COUNTS = np.array([[1, 0, 0, 2, 0], [0, 0, -1, 2, 0], [3, 0, 1, 2, 0]])
EMPTY = np.array([[0, 4, 1, 0, 0]])


class Squares:
    """A word with number w that occurs c times adds w + c² to the first value, and c to the second."""

    def count_functions(self, words, counts, weights):
        assert words.tolist() == [0, 1, 2, 3]  # the last word is not in the text
        first = words + counts[:, None] ** 2.0
        return np.stack([first, counts[:, None] + 0.0 * words], axis=-1)


def test_values_are_sums_over_words():
    game = CountGame.of_counts(Squares(), sparse.csr_array(UNIT_COUNTS), sparse.csr_array(EMPTY), np.eye(2), True)
    masks = np.array(every(3), bool)
    values = game.values(Coalitions.from_dense(masks))
    for mask, value in zip(masks, values, strict=True):
        counts = (EMPTY[0] + UNIT_COUNTS[mask].sum(axis=0))[:4]
        assert value.tolist() == [sum(range(4)) + (counts**2).sum(), counts.sum()]
    assert game.lowest == 0
    assert game.rows.tolist() == [[4, 4, 1, 6]]
    assert game.d == 3
