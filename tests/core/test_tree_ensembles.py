import numpy as np
import pytest

import lcshap as lc
from lcshap.core.tree_ensembles import TreeGame, Trees
from support import as_trees, every

# Two trees: column 0 at 0.1 (NaN goes right), then column 1 at 2; and a tree that is a leaf alone.
PAIR = Trees(
    np.array([0, 5]),
    np.array([1, 3, -1, -1, -1, -1]),
    np.array([2, 4, -1, -1, -1, -1]),
    np.array([2, 3, -1, -1, -1, -1]),
    np.array([0, 1, 0, 0, 0, 0]),
    np.array([0.1, 2.0, 0, 0, 0, 0]),
    np.array([[9.0, 9], [9, 9], [1, 10], [2, 20], [3, 30], [0.5, 0.25]]),
)


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        ([0.1, 2.0], [2.5, 20.25]),  # at most the threshold: left
        ([0.1, 2.0000001], [3.5, 30.25]),
        ([0.2, 0.0], [1.5, 10.25]),
        ([np.nan, 0.0], [1.5, 10.25]),
        ([0.0, np.nan], [2.5, 20.25]),
    ],
)
def test_rows_follow_the_thresholds_and_nan_the_default(row, answer):
    assert PAIR.predict(np.array([row])).tolist() == [answer]


def test_which_rows_go_left():
    nodes, numbers = np.array([0, 0, 0, 1, 1]), np.array([0.1, 0.2, np.nan, np.nan, np.inf])
    assert PAIR.goes_left(nodes, numbers).tolist() == [True, False, False, True, False]
    assert PAIR.child(nodes, numbers).tolist() == [1, 2, 2, 3, 4]


def test_single_precision_is_that_of_the_library():
    row = np.array([[0.1, 0.0]])
    single = Trees(
        **{**vars(PAIR), "threshold": PAIR.threshold.astype(np.float32).astype(float), "single_precision": True}
    )
    assert single.predict(row).tolist() == [[2.5, 20.25]]
    above = Trees(**{**vars(PAIR), "single_precision": True})
    assert float(np.float32(0.1)) > 0.1
    assert above.predict(row).tolist() == [[1.5, 10.25]]


def test_many_rows_are_predicted_in_parts(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(50, 2))
    together = PAIR.predict(rows)
    monkeypatch.setattr("lcshap.core.tree_ensembles._PAIRS_PER_STEP", 7)
    assert PAIR.predict(rows).tobytes() == together.tobytes()


def test_a_table_as_trees_has_its_values():
    values = np.random.default_rng(1).normal(size=(32, 3))
    game = as_trees(values, 5, copies=4)
    np.testing.assert_allclose(game.values(lc.Coalitions.from_dense(every(5))), values, rtol=0, atol=1e-15)


def test_columns_without_a_unit_and_groups():
    """Column 1 belongs to nobody, so x and background agree there; columns 0 and 2 are one unit."""
    x, background = np.array([[0.0, 5.0, 0.0]]), np.array([[1.0, 5.0, 1.0]])
    game = TreeGame(PAIR, x, background, np.array([0, -1, 0]), 1, np.array([[1.0, 0.0], [0.0, 2.0]]), True)
    assert game.values(lc.Coalitions.from_sets(1, [[], [0]])).tolist() == [[1.5, 20.5], [3.5, 60.5]]
