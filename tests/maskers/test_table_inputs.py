import numpy as np
import pytest

import lcshap as lc
from lcshap.core.row_encoding import DROPPED, PINNED
from lcshap.maskers.table_inputs import table_of_masked

X = np.arange(12.0).reshape(4, 3)


def test_rows_of_an_array():
    masker = lc.maskers.Tabular(X, names=["a", "b", "c"], pin=["b"], drop=["c"])
    table = masker.table(X[:2])
    assert len(table) == 2
    assert table.column_units.tolist() == [0, PINNED, DROPPED]
    assert table.graph.names == ("a",)
    assert table.views.get(1) == masker.mask(X[1]).view or (
        table.views.get(1).values.tolist() == masker.mask(X[1]).view.values.tolist()
    )
    assert table.mask(1).x.tolist() == X[1].tolist()


def test_views_are_those_of_single_rows():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "n": [1.5, np.nan, 3.0],
            "city": pandas.Categorical(["Rome", None, "Oslo"]),
            "date": pandas.to_datetime(["2021-05-06", "2022-01-01", None]),
            "whole": [1, 2, 3],
        }
    )
    masker = lc.maskers.Tabular(frame)
    table = masker.table(frame)
    for row in range(3):
        view, expected = table.views.get(row), masker.mask(frame[row : row + 1]).view
        assert (view.columns, view.texts) == (expected.columns, expected.texts)
        np.testing.assert_array_equal(view.values, expected.values)


def test_one_row_is_a_table_of_one_row():
    masker = lc.maskers.Tabular(X)
    table = table_of_masked(masker.mask(X[2]))
    assert len(table) == 1
    assert table.rows.tolist() == [X[2].tolist()]


def test_other_inputs_are_no_table():
    pandas = pytest.importorskip("pandas")
    masker = lc.maskers.Tabular(X)
    assert masker.table([[1.0, 2.0, 3.0]]) is None
    assert masker.table(X[:, :2]) is None
    assert masker.table(np.full((2, 3), np.inf)) is None
    assert masker.table(X[:0]) is None
    assert lc.maskers.Text().table(["a b"]) is None
    frame = pandas.DataFrame(X, columns=list("abc"))
    assert lc.maskers.Tabular(frame).table(frame.astype({"a": "int64"})) is None
    assert lc.maskers.Tabular(frame).table(X) is None
