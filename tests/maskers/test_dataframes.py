"""DataFrames as tables: how rows are read into the background's types, and what is refused, in one line each."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tables import people, polars_people

from lcshap.errors import MaskerError
from lcshap.maskers import Tabular
from lcshap.maskers.cell_values import is_missing
from lcshap.maskers.dataframes import Frame, first_row, join_frames

DATA, POLARS = people(20), polars_people(20)
ROW = {"age": 30, "income": 1.5, "city": "Rome", "job": "cook", "member": True, "since": datetime.datetime(2021, 5, 6)}


@pytest.mark.parametrize("data", [DATA, POLARS], ids=["pandas", "polars"])
def test_a_row_has_the_types_of_the_background(data):
    row = Frame.from_dataframe(data, "the background").row(ROW)
    assert list(row.data.dtypes) == list(data.dtypes)
    assert [row.values(c)[0] for c in range(6)] == list(ROW.values())
    gaps = Frame.from_dataframe(data, "the background").row(ROW | dict.fromkeys(["income", "city", "job", "since"]))
    assert list(gaps.data.dtypes) == list(data.dtypes)
    assert [is_missing(gaps.values(c)[0]) for c in range(6)] == [False, True, True, True, False, True]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"job": "judge"},
            r"of the categories 'cook', 'nurse', 'pilot' in column 'job' of x, got 'judge', which is",
        ),
        ({"age": "old"}, "Expected a finite number in column 'age' of x, as in the background, got 'old'"),
        ({"age": "30"}, "Expected a finite number in column 'age' of x, as in the background, got '30'"),
        ({"income": "much"}, "Expected a finite number in column 'income'"),
        ({"income": float("inf")}, "Expected a finite number in column 'income' of x, as in the background, got inf"),
        ({"city": 5}, "in column 'city' of x, as in the background, got 5"),
        ({"member": "yes"}, "in column 'member' of x, as in the background, got 'yes'"),
        ({"since": "2020-01-01"}, "'since' of x, as in the background, got '2020-01-01'. Give a "),
    ],
)
@pytest.mark.parametrize("data", [DATA, POLARS], ids=["pandas", "polars"])
def test_values_that_a_column_cannot_hold(data, change, says):
    if "city" in change and str(data["city"].dtype) == "object":
        pytest.skip("texts are columns of objects before pandas 3, which hold anything")
    with pytest.raises(MaskerError, match=says) as caught:
        Tabular(data).mask(ROW | change)
    assert "\n" not in str(caught.value)


def strange(data):
    """What is no row of the data, and what is said about it."""
    first_columns = list(data.columns)[:3]
    return [
        (data[first_columns][:1], "got one without 'job', 'member', 'since'"),
        (data[:2], "Expected x to be one row, got a DataFrame of 2 rows"),
        (data[:0], "Expected x to be one row, got a DataFrame of 0 rows"),
        ({"age": 3}, "got one without 'income', 'city'"),
        ([1, 2], "Expected 6 columns in x, as in the background, got 2"),
        ("Rome", "to be a row of 6 columns, got str"),
        (None, "to be a row of 6 columns, got NoneType"),
        (np.zeros((2, 6)), r"Expected x as one row of 6 values, got shape \(2, 6\)"),
    ]


@pytest.mark.parametrize(("data", "x", "says"), [(data, *case) for data in (DATA, POLARS) for case in strange(data)])
def test_what_is_no_row(data, x, says):
    with pytest.raises(MaskerError, match=says):
        Tabular(data).mask(x)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (DATA[:0], r"Expected a background with values, got shape \(0, 6\)"),
        (POLARS[:0], r"Expected a background with values, got shape \(0, 6\)"),
        (pd.DataFrame(), r"Expected a background with values, got shape \(0, 0\)"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "one column of each name, got several named 'a'"),
        (
            DATA.assign(income=np.nan),
            r"Expected a value in at least one row of every column of the background, got none in.*income",
        ),
        (DATA.assign(city=None), "got none in column 'city'. Drop or pin the column, or give one reference row"),
        (POLARS.with_columns(city=pl.lit(None, pl.String)), "got none in column 'city'"),
        (
            DATA.assign(income=np.inf),
            "Expected finite numbers in the background, got an infinite one in column 'income'",
        ),
    ],
)
def test_what_is_no_background(data, says):
    with pytest.raises(MaskerError, match=says):
        Tabular(data)


def test_a_reference_row_may_be_missing():
    gaps = pd.DataFrame({"a": [np.nan], "b": [None]}).astype({"b": "str"})
    masked = Tabular(gaps).mask({"a": 1.0, "b": "x"})
    assert masked.rows_per_call == 1
    assert Tabular(np.full(3, np.nan)).mask([1.0, 2.0, np.nan])._idle_units.tolist() == [False, False, True]
    assert Tabular(DATA.assign(income=np.nan), drop="income").mask(ROW).graph.d == 5


@pytest.mark.parametrize("data", [DATA, POLARS], ids=["pandas", "polars"])
def test_columns_of_rows_are_aligned_by_name(data):
    masker, backwards = Tabular(data), data[list(data.columns)[::-1]]
    expected = masker.table(data)
    more = data.assign(zip=1) if isinstance(data, pd.DataFrame) else data.with_columns(zip=pl.lit(1))
    first = masker.mask(data[:1]).row.data
    assert masker.mask(backwards[:1]).row.data.equals(first)
    assert masker.table(backwards).rows.equals(expected.rows)
    assert all(row.equals(data[i : i + 1]) for i, row in enumerate(masker.inputs(backwards)))
    left_out = "Columns of x that the background does not have are left out: 'zip'"
    for read in (masker.table, masker.inputs, lambda x: masker.mask(x[:1])):
        with pytest.warns(UserWarning, match=left_out):
            read(more)
    with pytest.warns(UserWarning, match=left_out):
        masked = masker.mask({"zip": 5} | ROW)
    assert masked.row.data.equals(masker.mask(ROW).row.data)
    with pytest.raises(MaskerError, match="Expected x to have the columns of the background, got one without 'age'"):
        masker.inputs(data[list(data.columns)[1:]])


def test_the_first_row_of_a_frame():
    assert first_row(DATA)["age"] == DATA["age"][0]
    assert first_row(POLARS) == POLARS.row(0, named=True)


def test_frames_are_joined_where_they_are_alike():
    assert len(join_frames([DATA[:2], DATA[4:5]])) == 1
    assert join_frames([DATA[:2], DATA[4:5]])[0].dtypes.equals(DATA.dtypes)
    assert len(join_frames([DATA[:2], DATA[4:5].astype({"age": float})])) == 2
    assert len(join_frames([POLARS[:2], POLARS[4:5]])[0]) == 3
    assert len(join_frames([POLARS[:2], POLARS[4:5].cast({"age": pl.Float64})])) == 2


def test_nullable_and_arrow_types():
    data = pd.DataFrame(
        {
            "count": pd.array([1, 2, None], dtype="Int64"),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "day": pd.period_range("2020-01", periods=3, freq="M"),
            "when": pd.date_range("2020-01-01", periods=3, tz="Europe/Paris"),
            "word": pd.array(["a", None, "c"], dtype="string[pyarrow]"),
        }
    )
    table = Frame.from_dataframe(data, "the background")
    for i in range(3):
        row = table.row(data.iloc[i])
        assert row.data.dtypes.equals(data.dtypes)
        values = table.value_codes(row)
        assert (values[0] == values[1 + i]).all()
        assert (values[0] != values[1 + (i + 1) % 3]).all()
