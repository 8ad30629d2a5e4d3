"""What the columns of a table are for."""

import math

import pytest

import lcshap as lc
from lcshap.bulk.columns import Columns

COLUMNS = ["key", "text", "stars"]


def test_columns_without_a_role_are_explained():
    assert Columns().for_table(COLUMNS, "t").explained == COLUMNS
    assert Columns(id="key").for_table(COLUMNS, "t").explained == ["text", "stars"]
    assert Columns(id="key", label="stars").for_table(COLUMNS, "t").explained == "text"
    assert Columns("text", "key", "stars").for_table(COLUMNS, "t").names == ["text", "key", "stars"]
    assert Columns(["text", "stars"], label="stars").for_table(COLUMNS, "t").names == ["text", "stars"]


@pytest.mark.parametrize(
    ("cell", "label"),
    [
        ("good", "good"),
        (1, "positive"),
        (1.0, "positive"),
        ("1", "positive"),
        (0, "0"),
        (2.5, "2.5"),
        (True, "True"),
        (None, None),
        ("", None),
        (math.nan, None),
    ],
)
def test_labels_are_names_of_classes(cell, label):
    columns = Columns("text", label="stars", label_names={"1": "positive"}).for_table(COLUMNS, "t")
    assert columns.row({"text": "x", "stars": cell}, 3) == ("3", "x", None, label)
    assert columns.row({"text": None, "stars": cell}, 3).label == label
    assert columns.row({"text": "x"}, 3).label is None


def test_labels_are_part_of_the_manifest():
    plain = Columns("text").for_table(COLUMNS, "t").description
    assert plain == {"columns": "text", "id": None, "labels": None}
    marked = Columns("text", label="stars", label_names={"1": "bad"}).for_table(COLUMNS, "t").description
    assert marked["labels"] == ["stars", {"1": "bad"}]


def test_rows_without_a_name_have_none():
    """Neither "None" nor the number of the row, which may be the name of another one."""
    columns = Columns("text", "key").for_table(COLUMNS, "t")
    assert columns.row({"key": None, "text": "x"}, 3) == (None, "x", None, None)
    assert columns.row("a broken line", 3) == (None, None, "a broken line", None)
    assert columns.row({"key": 0, "text": "x"}, 3).id == "0"
    assert Columns("text").for_table(COLUMNS, "t").row("a broken line", 3).id == "3"


def test_duplicate_column_names_are_refused():
    """Which of them is meant, nobody knows."""
    for columns in (Columns("text"), Columns(), Columns("stars", "text"), Columns("stars", label="text")):
        with pytest.raises(lc.errors.OptionError, match=r"different names in t, got 'text' more than once"):
            columns.for_table(["text", "stars", "text"], "t")
    assert Columns("stars").for_table(["text", "stars", "text"], "t").names == ["stars"]


def test_missing_columns_are_refused():
    with pytest.raises(lc.errors.OptionError, match=r"It has no columns"):
        Columns("text").for_table([], "t")
    for columns in (Columns("txt"), Columns(id="txt"), Columns(label="txt"), Columns(["text", "txt"])):
        with pytest.raises(lc.errors.OptionError, match=r"Expected a column of t, got 'txt'. It has key, text, stars"):
            columns.for_table(COLUMNS, "t")
    with pytest.raises(lc.errors.OptionError, match=r"the column of the true classes as label="):
        Columns("text", label_names={"0": "bad"})
