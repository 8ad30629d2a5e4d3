"""What other implementations compute, against loops that follow their code."""

from itertools import product

import numpy as np
import pytest

import lcshap as lc
import oracles
from support import table_game


@pytest.mark.parametrize("kind", ["L", "C"])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_what_the_authors_code_computes(kind, d):
    for num_neighbors, max_order in product([0, 1, 2, 3, 4, 6, 12], [None] if kind == "L" else [None, 1, 2, 4]):
        game, table = table_game(d, seed=8, outputs=2)
        if d == 1 and num_neighbors % 2:
            with pytest.raises(lc.errors.MethodError, match="even"):
                lc.paper.compat.authors(game, kind, num_neighbors, max_order)
            continue
        e = lc.paper.compat.authors(game, kind, num_neighbors, max_order)
        expected = oracles.authors(d, table, kind, num_neighbors, max_order)
        np.testing.assert_allclose(e.scores, expected, rtol=0, atol=1e-10)


def test_the_value_function_of_the_authors():
    def predict(kept):
        p = 1 / (1 + np.exp(-(kept @ np.array([2.0, -1.0, 0.5]) - 0.2)))
        return np.stack([1 - p, p], axis=1)

    game = lc.paper.compat.authors_game(predict, 3)
    kept = np.array([[True, True, True], [False, True, False], [False, False, False]])
    np.testing.assert_allclose(game.fn(kept), np.log(predict(kept)[:, 1] + 1e-15), rtol=1e-12)
    never = lc.paper.compat.authors_game(lambda kept: np.stack([kept[:, 0] * 1.0, kept[:, 0] * 0.0], axis=1), 1)
    assert never.fn(np.array([[False]]))[0] == pytest.approx(np.log(1e-15))


def test_bad_input():
    with pytest.raises(
        lc.errors.GameError, match=r"Expected class probabilities of shape \(1, classes\) for one row, got \(1,\)"
    ):
        lc.paper.compat.authors_game(lambda kept: np.ones(len(kept)), 3)
    game = lc.Game(lambda kept: kept.sum(axis=1), 3)
    with pytest.raises(lc.errors.MethodError, match=r"Expected one of 'L', 'C'.* as kind"):
        lc.paper.compat.authors(game, "M")
    with pytest.raises(lc.errors.MethodError, match="num_neighbors"):
        lc.paper.compat.authors(game, "L", -1)
    with pytest.raises(lc.errors.MethodError, match="max_order"):
        lc.paper.compat.authors(game, "C", 2, 0)
