"""The game of SAGE, coalition by coalition, against predictions in plain NumPy."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.explainer.job import Job
from lcshap.explainer.loss_game import LossGame
from lcshap.explainer.row_sampling import RowBlocks

RNG = np.random.default_rng(0)
X, BACKGROUND = RNG.normal(size=(30, 4)), RNG.normal(size=(8, 4))
Y = X[:, 0] - X[:, 1] * X[:, 2]


def model(rows):
    return np.tanh(rows[:, 0]) - rows[:, 1] * rows[:, 2] + 0.2 * rows[:, 3]


def make_game(background_rows=8, size=30, **options):
    masker = lc.maskers.Tabular(BACKGROUND, **options)
    setup = lc.Explainer(model, masker, value=lc.values.Loss("squared")).setup
    job = Job(setup, lc.MemoryStore(), [None])
    blocks = RowBlocks(np.arange(30), size)
    return LossGame(job, lambda number: masker.mask(X[number]), Y.tolist(), blocks, background_rows, seed=0)


def loss(kept, rows=slice(None)):
    """The mean loss when some columns are known."""
    predictions = []
    for x in X[rows]:
        mixed = BACKGROUND.copy()
        mixed[:, kept] = x[kept]
        predictions.append(model(mixed).mean())
    return np.mean((np.array(predictions) - Y[rows]) ** 2)


SETS = [[], [0], [1, 2], [0, 3], [0, 1, 2, 3]]


def test_values_are_reductions_of_the_mean_loss():
    values = make_game().evaluate(lc.Coalitions.from_sets(4, SETS))
    np.testing.assert_allclose(values, [loss([]) - loss(kept) for kept in SETS], atol=1e-12)


def test_one_coalition_at_a_time_gives_the_same_values_and_asks_nothing_twice():
    together, alone = make_game(), make_game()
    values = together.evaluate(lc.Coalitions.from_sets(4, SETS))
    single = [float(alone.evaluate(lc.Coalitions.from_sets(4, [kept]))[0]) for kept in SETS]
    np.testing.assert_array_equal(single, values)
    assert together.row_counter.rows == alone.row_counter.rows == 3 * 30 * 8 + 30 + 8


def test_pinned_columns_are_known_in_all_coalitions():
    game = make_game(pin=[3])
    values = game.evaluate(lc.Coalitions.from_sets(3, [[], [0], [0, 1, 2]]))
    np.testing.assert_allclose(values, [0, loss([3]) - loss([0, 3]), loss([3]) - loss([0, 1, 2, 3])], atol=1e-12)


def test_few_background_rows_are_near_all_of_them():
    exact, drawn = (make_game(rows).evaluate(lc.Coalitions.from_sets(4, SETS)) for rows in (8, 4))
    assert drawn[0] == 0
    assert drawn[-1] == pytest.approx(exact[-1])
    assert 0 < np.abs(drawn - exact)[1:-1].max() < 0.3 * exact.max()


def test_some_of_the_rows_are_adjusted_by_the_losses_of_all_rows():
    game = make_game(size=10)
    values = game.evaluate(lc.Coalitions.from_sets(4, [[0], [1], [2], [0, 1, 2, 3]]))
    assert len(game.used) == 30
    assert values[-1] == pytest.approx(loss([]) - loss([0, 1, 2, 3]))
    plain = np.array([loss([], rows) - loss([k], rows) for k, rows in enumerate(np.arange(30).reshape(3, 10))])
    exact = np.array([loss([]) - loss([k]) for k in range(3)])
    assert np.abs(values[:3] - exact).mean() < np.abs(plain - exact).mean()
