"""Columns of numbers and of categories, from arrays and frames of both kinds."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from lcshap.errors import MaskerError
from lcshap.maskers.dataframes import Frame
from lcshap.maskers.mixed import encode_columns, read_table

DAY = pd.to_datetime(["2020-01-01", None, "2020-01-03"])
PLAIN = {"n": [1, 2, 3], "x": [0.5, None, 1.5], "s": ["b", None, "a"], "t": [True, False, True], "d": DAY}


@pytest.mark.parametrize("frame", [pd.DataFrame(PLAIN), pl.from_pandas(pd.DataFrame(PLAIN))])
def test_columns(frame):
    table = read_table(frame, "the data")
    assert isinstance(table, Frame)
    n, x, s, t, d = encode_columns(table)
    np.testing.assert_array_equal(n, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(x, [0.5, np.nan, 1.5])
    assert s.tolist() == [0, -1, 1]
    assert t.tolist() == [0, 1, 0]
    assert np.isnan(d[1])
    assert d[2] > d[0]


def test_arrays_are_numbers():
    table = read_table([[1, 2], [3, 4]], "the data")
    assert [column.tolist() for column in encode_columns(table)] == [[1.0, 3.0], [2.0, 4.0]]
    odd = np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
    assert len(set(read_table(odd, "the data").view(np.uint64).tolist())) == 1
    with pytest.raises(
        MaskerError,
        match=r"Expected numbers in the data, got other values \(could not convert.*'a'\).*pandas or polars DataFrame",
    ):
        read_table(np.array([["a", 1]], object), "the data")


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (pl.DataFrame(PLAIN["n"]).lazy(), r"a LazyFrame of polars. Call its collect\(\)"),
        (pl.DataFrame(PLAIN["n"]).to_arrow(), r"a Table of pyarrow. Call its to_pandas\(\)"),
    ],
)
def test_other_tables_raise_with_advice(data, advice):
    with pytest.raises(MaskerError, match=advice):
        read_table(data, "the data")


def test_a_series_with_names_is_a_row_of_a_dataframe():
    table = read_table(pd.Series({"age": 30.5, "pay": 2.0}), "the data")
    assert isinstance(table, Frame)
    assert table.shape == (1, 2)
    assert table.data.dtypes.tolist() == [np.float64, np.float64]
    assert isinstance(read_table(pd.Series([1.0, 2.0]), "the data"), np.ndarray)
