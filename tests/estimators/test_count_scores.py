"""The scores of counts, against the enumeration of all coalitions."""

import numpy as np
import pytest
from scipy import sparse

import lcshap as lc
import oracles
from lcshap.core.count_games import CountGame
from lcshap.estimators.count_scores import count_scores
from support import every

FUNCTIONS = {
    "counts": lambda n: 3.0 * n,
    "presence": lambda n: float(n != 0),
    "sublinear": lambda n: 1 + np.log(n) if n > 0 else -float(n),
    "any": lambda n: float(np.sin(7 * n)),
}


class Words:
    def __init__(self, function):
        self.function = function

    def count_functions(self, words, counts, weights):
        table = np.array([[self.function(int(count)) * (word + 1) for word in words] for count in counts])
        return table[..., None] * weights[:, 0]


def make_game(function, seed, weights=((1.0,), (-0.5,))):
    rng = np.random.default_rng(seed)
    d = 2 + seed % 5
    unit_counts = rng.integers(-1, 4, size=(d, 6)) * (rng.random((d, 6)) < 0.7)
    unit_counts[:, 0] = 2  # all units have the same count
    unit_counts[:, 1] = np.arange(d) == 0  # one unit has the word
    unit_counts[:, 2] = 0
    empty = rng.integers(0, 3, size=(1, 6))
    args = Words(function), sparse.csr_array(unit_counts), sparse.csr_array(empty), np.array(weights), True
    return CountGame.of_counts(*args), unit_counts, empty[0]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_shapley_value(name, seed):
    function = FUNCTIONS[name]
    game, unit_counts, empty = make_game(function, seed)
    table = {}
    for kept in every(game.d):
        counts = empty + unit_counts[np.array(kept, bool)].sum(axis=0)
        value = sum((word + 1) * function(int(count)) for word, count in enumerate(counts))
        table[frozenset(np.flatnonzero(kept).tolist())] = [value, -0.5 * value]
    expected = np.array(oracles.shapley(game.d, table))
    np.testing.assert_allclose(count_scores(game), expected, rtol=0, atol=1e-12 * (1 + np.abs(expected).max()))


def test_many_units_with_different_counts():
    """Sums of 200 counts: the scores add up, and units with the same count have the same score."""
    counts = 1 + np.arange(200)[:, None] % 3
    args = Words(np.sqrt), sparse.csr_array(counts), sparse.csr_array((1, 1), dtype=np.int64), np.eye(1), True
    scores = count_scores(CountGame.of_counts(*args))[:, 0]
    np.testing.assert_allclose(scores.sum(), np.sqrt(counts.sum()), rtol=1e-12)
    assert np.ptp(scores[::3]) == np.ptp(scores[1::3]) == 0
    assert scores[0] < scores[1] < scores[2]


def test_too_many_units_are_refused():
    counts = 1 + np.arange(3000)[:, None] % 3
    args = Words(np.sqrt), sparse.csr_array(counts), sparse.csr_array((1, 1), dtype=np.int64), np.eye(1), True
    with pytest.raises(lc.errors.MethodError, match="got one in 3,000 units with different counts"):
        count_scores(CountGame.of_counts(*args))
