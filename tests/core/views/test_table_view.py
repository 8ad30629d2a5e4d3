"""Views of rows of tables: values and texts of units, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from saved_views import array, read

import lcshap as lc
from lcshap.core.views import TableView


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: TableView(columns=["a"], values=[1.0, 2.0], labels=[0]), "Expected 1 values"),
        (lambda: TableView(columns=["a"], values=[1.0], labels=[0, 1]), "for each column"),
        (lambda: TableView(columns=["a"], values=[1.0], labels=[0], texts=["x", "y"]), "Expected 1 texts"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, says):
    with pytest.raises(lc.errors.OptionError, match=says):
        make()


def test_values_of_units_that_are_one_column():
    view = TableView(columns=["a", "b", "c"], values=[1.0, np.nan, 3.0], labels=[0, -1, 1])
    assert view.unit_values == {0: 1.0, 1: 3.0}
    assert view.grouped([0, 0]).unit_values == {}


def test_texts_of_a_table_are_kept_and_grouped():
    names, texts = ["sex", "city_Oslo", "city_New_York", "age"], ["female", "", "", "missing"]
    view = TableView(columns=names, values=[np.nan, 0, 1, np.nan], labels=[0, 1, 1, 2], texts=texts)
    assert view.unit_texts == {0: "female", 1: "New_York", 2: "missing"}
    assert view.grouped([0, 0, 1]).unit_texts == {1: "missing"}
    assert view == TableView(columns=names, values=[np.nan, 0, 1, np.nan], labels=[0, 1, 1, 2], texts=texts)
    assert view != TableView(columns=names, values=[np.nan, 0, 1, np.nan], labels=[0, 1, 1, 2])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"values": array([1.0], "float64")}, "a value for each column"),
        ({"values": {"array": ["inf", 1.0], "shape": [2], "type": "float64"}}, "at view.values: expected finite"),
        ({"values": array([1e301, 1.0], "float64")}, "view.values: expected finite"),
        ({"texts": ["Paris"]}, "at view.texts: expected a list of 2, got one of 1"),
        ({"texts": ["Paris", 5]}, r"at view.texts\[1\]: expected a text, got 5"),
    ],
)
def test_damaged_ones(change, says):
    with pytest.raises(lc.errors.FileFormatError, match=says):
        read("table", **change)


def test_tables_with_gaps_and_texts():
    gaps = {"array": ["nan", 7.0], "shape": [2], "type": "float64"}
    view = read("table", values=gaps, texts=["Paris", ""])
    assert view.unit_texts == {0: "Paris"}
    assert np.isnan(view.unit_values[0])
    assert read("table", texts=[]).texts == ()


def test_truth_values_are_numbers_that_have_a_text():
    frame = pd.DataFrame({"age": [30.0, 40.0, 50.0], "member": [True, False, True], "city": ["Oslo", "Rome", "Oslo"]})
    explainer = lc.Explainer(lambda rows: rows["age"] * rows["member"], lc.maskers.Tabular(frame), kind="output")
    numbers = lc.Explainer(explainer.model, lc.maskers.Tabular(frame[["age", "member"]]), kind="output")(
        frame[["age", "member"]]
    )
    np.testing.assert_array_equal(numbers.data, [[30.0, 1.0], [40.0, 0.0], [50.0, 1.0]])
    assert numbers.data.dtype == np.float64
    assert numbers[1].view.unit_texts == {1: "False"}
    assert numbers[1].to_dataframe()["value"].tolist() == [40.0, 0.0]
    mixed = explainer(frame)
    assert mixed.data[:, 1].tolist() == [1.0, 0.0, 1.0]
    assert mixed.data[:, 2].tolist() == ["Oslo", "Rome", "Oslo"]
