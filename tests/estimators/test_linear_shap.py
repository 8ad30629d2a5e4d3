"""LinearSHAP on games of weights, against the enumeration of all coalitions."""

import numpy as np
import pytest
from scipy import sparse

import lcshap as lc
import oracles
from lcshap.core.row_encoding import DROPPED, PINNED
from lcshap.core.structures import StructureGame
from lcshap.core.weights import Weights
from support import every

RNG = np.random.default_rng(0)
COEFFICIENTS = RNG.normal(size=(2, 6))
ROWS, BACKGROUND = RNG.normal(size=(4, 6)), RNG.normal(size=(3, 6))
UNITS = {
    "columns": (np.arange(6), 6),
    "groups": (np.array([1, 0, 1, 2, 0, 2]), 3),
    "pinned and dropped": (np.array([0, PINNED, 1, DROPPED, 2, 3]), 4),
    "groups, pinned and dropped": (np.array([1, PINNED, 1, 0, DROPPED, 0]), 2),
    "in another order": (np.array([5, 4, 3, 2, 1, 0]), 6),
}


def brute_force(game, row):
    sets = [frozenset(np.flatnonzero(kept).tolist()) for kept in every(game.d)]
    table = {}
    for kept, members in zip(every(game.d), sets, strict=True):
        masked = game.background.copy()
        for column, unit in enumerate(game.units):
            if unit == PINNED or (unit >= 0 and kept[unit]):
                masked[:, column] = game.rows[row, column]
        table[members] = [
            sum(w @ c * r for c, r in zip(COEFFICIENTS.T, x, strict=True))
            for w in game.weights
            for x in [masked.mean(axis=0)]
        ]
    return np.array(oracles.shapley(game.d, table)), np.array(table[frozenset()])


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("weights", [np.eye(2), np.array([[1.0, -1.0]])], ids=["outputs", "contrast"])
def test_it_is_the_shapley_value(name, weights):
    units, d = UNITS[name]
    game = StructureGame(Weights(COEFFICIENTS), ROWS, BACKGROUND, units, d, weights, True)
    estimates = lc.LinearSHAP().estimate_rows(game)
    for row in range(len(ROWS)):
        scores, base = brute_force(game, row)
        np.testing.assert_allclose(estimates.scores[row], scores, rtol=0, atol=1e-12)
        np.testing.assert_allclose(estimates.base_values[row], base, rtol=0, atol=1e-12)
    sparse_game = StructureGame(
        Weights(COEFFICIENTS), sparse.csr_array(ROWS), sparse.csr_array(BACKGROUND), units, d, weights, True
    )
    of_sparse = lc.LinearSHAP().estimate_rows(sparse_game)
    np.testing.assert_allclose(of_sparse.scores, estimates.scores, rtol=0, atol=1e-12)
    np.testing.assert_allclose(of_sparse.base_values, estimates.base_values, rtol=0, atol=1e-12)


def test_large_columns_lose_no_digits():
    rows = np.array([[2024.0e9, 1.0]])
    game = StructureGame(Weights(np.ones((1, 2))), rows, rows - [[0.25, 0.5]], np.arange(2), 2, np.eye(1))
    assert lc.LinearSHAP().estimate_rows(game).scores[0, :, 0].tolist() == [0.25, 0.5]


def linear_game(error=0.0, outputs=1):
    weights = np.eye(2)[:outputs]
    game = StructureGame(Weights(COEFFICIENTS), ROWS[:1], BACKGROUND[:1], np.arange(6), 6, weights, outputs > 1)

    def values(kept):
        rows = np.where(kept, ROWS[0], BACKGROUND[0]) @ COEFFICIENTS.T + 7
        rows += error * np.exp(kept.sum(axis=1))[:, None]
        return rows if outputs > 1 else rows[:, 0]

    return lc.Game(values, 6, structures={"weights": lambda: game})


@pytest.mark.parametrize("outputs", [1, 2])
def test_as_a_method(outputs):
    graph = lc.Graph.complete(6)
    e = lc.LinearSHAP().explain(linear_game(outputs=outputs), graph)
    exact = lc.Shapley().explain(linear_game(outputs=outputs), graph)
    np.testing.assert_allclose(e.scores, exact.scores, rtol=0, atol=1e-12)
    np.testing.assert_allclose(e.residual, 0, atol=1e-12)
    assert e.stderr is None
    assert e.interactions is None
    assert e.calls == 16


def test_interactions_are_zero():
    e = lc.LinearSHAP(interactions="all").explain(linear_game(), lc.Graph.complete(6))
    assert e.interactions.shape == (6, 6)
    assert not e.interactions.toarray().any()


def test_weights_that_do_not_agree_with_the_model_are_refused():
    with pytest.raises(lc.errors.MethodError, match="outputs are those of its weights plus a constant, got one that"):
        lc.LinearSHAP().explain(linear_game(error=1e-3), lc.Graph.complete(6))


def test_a_game_without_weights():
    v = lc.Game(lambda kept: kept.sum(axis=1), 3)
    with pytest.raises(lc.errors.MethodError, match="with weights that can be read, got a game without weights"):
        lc.LinearSHAP().explain(v, lc.Graph.chain(3))
