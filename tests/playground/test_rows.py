from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lcshap as lc
from lcshap.errors import MaskerError
from lcshap.playground import Limits
from lcshap.playground.edits import replace_units
from lcshap.playground.input_readers import find_reader
from lcshap.playground.rows import cell_kinds, read_cell, write_cell

COLUMNS = {
    "number": [1.5, None, 3.0],
    "count": [1, 2, 3],
    "truth": [True, False, True],
    "moment": [datetime(2020, 1, 2), None, datetime(2021, 5, 6, 7, 8)],
    "text": ["x", None, ""],
}
KINDS = ["number", "number", "truth", "moment", "text"]


def frames():
    with_categories = pd.DataFrame(COLUMNS).assign(category=pd.Categorical(["a", None, "b"]))
    return [
        (with_categories, [*KINDS, "text"]),
        (pl.DataFrame(COLUMNS).with_columns(pl.col("moment").dt.date().alias("day")), [*KINDS, "day"]),
    ]


@pytest.mark.parametrize(("frame", "kinds"), frames(), ids=["pandas", "polars"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_row_that_is_only_looked_at_stays_the_same(frame, kinds, number):
    """What the page shows of a row and sends back is the row itself, with gaps, dates and empty texts."""
    masker = lc.maskers.Tabular(frame)
    row = frame.iloc[[number]] if isinstance(frame, pd.DataFrame) else frame[number]
    reader = find_reader(masker, [row], Limits())
    assert cell_kinds(masker.mask(row)) == kinds
    about = reader.describe()
    assert about["numeric"] == [kind == "number" for kind in kinds]
    sent = about["examples"][0]["content"]
    assert not any(cell in ("missing", "nan", "NaT", "None") for cell in sent)
    full = lc.Coalitions.from_sets(len(kinds), [range(len(kinds))])
    again, expected = (masker.mask(x).rows(full) for x in (reader.read({"table": sent}), row))
    assert again.equals(expected)
    changed = replace_units(masker.mask(row), masker, {0: "7", 2: "false", 3: "2022-02-02", 4: "new"}).rows(full)
    values = list(changed.iloc[0]) if isinstance(changed, pd.DataFrame) else list(changed.row(0))
    assert values[:5] == [7.0, COLUMNS["count"][number], False, datetime(2022, 2, 2), "new"]


def test_what_is_offered():
    (frame, _), _ = frames()
    offered = find_reader(lc.maskers.Tabular(frame), [], Limits()).describe()["offered"]
    assert offered == [[], [], ["False", "True"], ["2020-01-02", "2021-05-06 07:08:00"], ["''", "x"], ["a", "b"]]


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("x", "number", "Expected a number for the column 'c', got 'x'"),
        ([1], "number", "Expected a number"),
        ("maybe", "truth", "Expected True or False"),
        ("31.1.2020", "day", "Expected a date such as 2020-01-31"),
        (3, "text", "Expected a text"),
    ],
)
def test_what_does_not_fit_is_refused(value, kind, message):
    with pytest.raises(MaskerError, match=message):
        read_cell(value, kind, "c")


def test_missing_values():
    assert write_cell(np.datetime64("NaT"), "moment") is None
    assert write_cell(float("nan"), "number") is None
    assert read_cell(None, "number", "c") is None
    assert read_cell(" ", "day", "c") is None
    assert read_cell("2020-01-02", "day", "c") == date(2020, 1, 2)
