"""The values of games of structures, against masked rows that are made one by one."""

from types import SimpleNamespace

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.row_encoding import DROPPED, PINNED
from lcshap.core.structures import StructureGame
from support import every

RNG = np.random.default_rng(0)
ROWS, BACKGROUND = RNG.normal(size=(2, 5)), RNG.normal(size=(3, 5))
UNITS = np.array([1, 0, PINNED, DROPPED, 1])


def predict(rows):
    return np.stack([rows[:, 0] * rows[:, 1] + rows[:, 2], np.exp(rows[:, 3]) * rows[:, 4]], axis=1)


def game(weights, multi_output):
    return StructureGame(SimpleNamespace(predict=predict), ROWS, BACKGROUND, UNITS, 2, weights, multi_output)


@pytest.mark.parametrize("row", [0, 1])
def test_values_are_means_over_masked_rows(row):
    weights = np.array([[1.0, 0.0], [2.0, -3.0], [0.0, 0.5]])
    values = game(weights, True).values(lc.Coalitions.from_dense(every(2)), row)
    for kept, value in zip(every(2), values, strict=True):
        masked = BACKGROUND.copy()
        for column, unit in enumerate(UNITS):
            if unit == PINNED or (unit >= 0 and kept[unit]):
                masked[:, column] = ROWS[row, column]
        expected = predict(masked).mean(axis=0)
        np.testing.assert_allclose(value, [w @ expected for w in weights], rtol=0, atol=1e-12)


def test_one_value_is_a_number():
    single = game(np.array([[1.0, 0.0]]), False)
    assert single.values(lc.Coalitions.from_dense(every(2))).shape == (4,)
    assert single.read(np.ones((7, 2, 1))).shape == (7, 2)
