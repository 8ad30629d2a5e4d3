import numpy as np
import pandas as pd
import polars as pl
import pytest
from explanation_sets import array_set, failed, odd_explanations, row_explanations, text_explanations

import lcshap as lc
from lcshap.errors import OptionError

COLUMNS = ["input", "unit", "name", "value", "score", "stderr", "rank"]


def test_a_row_for_each_unit_equals_the_tables_of_the_explanations():
    explanations = [e for e in odd_explanations() if e.scores.ndim == 1]
    xs = lc.Explanations([failed(), *explanations])
    table = xs.to_dataframe()
    assert table.columns.tolist() == COLUMNS
    for number, e in enumerate(explanations, 1):
        rows = table[table["input"] == number].reset_index(drop=True)
        expected = e.to_dataframe()
        assert rows["unit"].tolist() == list(range(e.graph.d))
        for column in ("name", "value", "score", "stderr", "rank"):
            ours, theirs = rows[column].astype(object), expected[column].astype(object)
            pd.testing.assert_series_equal(ours, theirs, check_names=False)
    assert 0 not in table["input"].tolist()


def test_rounding_errors_have_the_rank_of_zero():
    xs = lc.Explanations.from_arrays([[1e-18, 0.0, 2.0], [1e-17, 1.0, -3.0]], 0.0, [2.0, -2.0])
    assert xs.to_dataframe()["rank"].tolist() == [1, 2, 0, 2, 1, 0]


def test_several_outputs_have_a_row_each():
    xs, scores, _ = array_set(2, outputs=2, targets=["a", "b"])
    table = xs.to_dataframe()
    assert table.columns.tolist() == [*COLUMNS[:4], "output", "target", *COLUMNS[4:]]
    assert table["score"].tolist() == scores.ravel().tolist()
    assert table["target"].tolist() == ["a", "b"] * 6
    assert table["unit"].tolist() == [0, 0, 1, 1, 2, 2] * 2
    for (number, output), rows in table.groupby(["input", "output"]):
        expected = np.argsort(np.argsort(-np.abs(scores[number, :, output])))
        assert rows["rank"].tolist() == expected.tolist()


def test_different_numbers_of_outputs():
    xs = lc.Explanations([*row_explanations(1), *row_explanations(1, 2)])
    table = xs.to_dataframe()
    assert table["output"].tolist() == [0, 0, 0, 0, 1, 0, 1, 0, 1]
    assert len(table) == 9


@pytest.mark.parametrize("wide", [False, True])
def test_an_empty_set(wide):
    table = lc.Explanations().to_dataframe(wide=wide)
    assert len(table) == 0
    assert table.columns.tolist() == ([] if wide else COLUMNS)


def test_a_column_for_each_unit():
    xs, scores, _ = array_set(4, names=["a", "b", "c"])
    table = xs.to_dataframe(wide=True)
    assert table.columns.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(table, scores)
    several, scores, _ = array_set(4, outputs=2)
    table = several.to_dataframe(wide=True)
    np.testing.assert_array_equal(table.loc[(3, 1)], scores[3, :, 1])
    with pytest.raises(OptionError, match="same units"):
        lc.Explanations(text_explanations()).to_dataframe(wide=True)


def test_polars_has_the_same_table():
    for xs in (array_set(4, data=np.ones((4, 3)))[0], lc.Explanations(text_explanations()), lc.Explanations()):
        table = xs.to_polars()
        assert isinstance(table, pl.DataFrame)
        assert table.columns == COLUMNS
        expected = xs.to_dataframe()
        for column in ("input", "name", "value", "score", "rank"):
            assert table[column].to_list() == expected[column].tolist()
    values = lc.Explanations(list(row_explanations(2))).to_polars()["value"].to_list()
    assert values[2] == "Oslo"
    assert values[4] is None
    assert float(values[0]) == next(row_explanations(1)).view.values[0]
