"""One-hot blocks: found where encoders made them, and nowhere else."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.preprocessing import OneHotEncoder
from tables import people

from lcshap.errors import MaskerError
from lcshap.maskers.one_hot import one_hot_groups

DATA = people(60)[["age", "city", "job", "member"]].dropna()
CITY = ["city_Oslo", "city_Paris", "city_Rome"]


def test_blocks_of_pandas_and_polars():
    wide = pd.get_dummies(DATA)
    expected = {"city": CITY, "job": ["job_cook", "job_nurse", "job_pilot"]}
    assert one_hot_groups(wide) == expected
    assert one_hot_groups(wide.astype(float)) == expected
    assert one_hot_groups(wide.astype(float).to_numpy(), wide.columns) == expected
    narrow = pl.from_pandas(DATA.astype({"job": str})).to_dummies(["city", "job"])
    assert one_hot_groups(narrow) == {"city": CITY, "job": ["job_cook", "job_nurse"]}


def test_blocks_of_scikit_learn_without_names():
    encoded = OneHotEncoder(sparse_output=False).fit_transform(DATA[["city", "job"]])
    table = np.column_stack([DATA["age"], encoded, DATA["age"] % 7])
    assert one_hot_groups(table) == {"1-3": ["1", "2", "3"], "4-5": ["4", "5"]}


@pytest.mark.parametrize("drop_first", [False, True])
def test_categories_with_separators_in_them(drop_first):
    home = pd.Series(["New_York", "Oslo", "New_Orleans", "Rome"] * 9)
    kind = pd.Series(["flat", "house", "tent"] * 12)
    wide = pd.get_dummies(pd.DataFrame({"home_city": home, "home_type": kind}), drop_first=drop_first)
    assert {name: len(columns) for name, columns in one_hot_groups(wide).items()} == {
        "home_city": 4 - drop_first, "home_type": 3 - drop_first
    }  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"sex_m": [0, 1, 1], "sex_x": [1, 1, 0]}),  # two ones in a row
        pd.DataFrame({"a": [0, 1, 1], "b": [1, 0, 0]}),  # names that have nothing in common
        pd.DataFrame({"q_1": [0, 2, 1], "q_2": [1, 0, 0]}),  # a two
        pd.DataFrame({"q_1": [0, None, 1], "q_2": [1, 0, 0]}),
        pd.DataFrame({"q_1": [0], "q_2": [1]}),  # one row says nothing
        np.array([[0.0, 1.0], [0.0, 0.0]]),
        np.random.default_rng(0).normal(size=(9, 4)),
    ],
)
def test_what_is_no_block(data):
    assert one_hot_groups(data) == {}


def test_a_row_is_no_table():
    with pytest.raises(MaskerError, match="rows and columns to find one-hot blocks in"):
        one_hot_groups([1.0, 0.0])
