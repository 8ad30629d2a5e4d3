"""Views of files: everything that a picture relies on is checked."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.parse import Place
from lcshap.core.read_view import read_view


def array(values, kind="int64"):
    found = np.array(values, kind)
    return {"array": found.ravel().tolist(), "shape": list(found.shape), "type": found.dtype.name}


VIEWS = {
    "text": {"text": "so good", "spans": array([[0, 2], [3, 7]]), "labels": array([0, 1])},
    "bytes": {"bytes": array([1, 2, 255], "uint8"), "spans": array([[0, 2], [2, 3]]), "labels": array([0, 1])},
    "image": {
        "image": array([[[0], [255]]], "uint8"),
        "reference": array([[[9], [9]]], "uint8"),
        "labels": array([[0, 1]]),
    },
    "series": {"series": array([[0.5], [1.5]], "float64"), "channels": ["x"], "labels": array([[0], [1]])},
    "table": {"columns": ["age", "id"], "values": array([70.5, 7], "float64"), "labels": array([0, -1])},
    "molecule": {"block": "no real block", "labels": array([0, 1])},
}


@pytest.mark.parametrize("kind", VIEWS)
def test_labels_of_units_that_are_not_there(kind):
    content = {"kind": kind, **VIEWS[kind]}
    assert read_view(Place(content, "x"), 2).kind == kind
    for unit in (2, -2):
        labels = {**content["labels"], "array": [unit, 0]}
        with pytest.raises(lc.FileFormatError, match=r"at view\.labels: expected integers from -1 to 1"):
            read_view(Place({**content, "labels": labels}, "x", "view"), 2)
    with pytest.raises(lc.FileFormatError, match=r"at view\.labels"):
        read_view(Place({**content, "labels": array([0])}, "x", "view"), 2 if kind != "molecule" else 0)


@pytest.mark.parametrize(
    ("kind", "change", "says"),
    [
        ("text", {"spans": array([[0, 2], [3, 8]])}, "at view.spans: expected integers from 0 to 7, got 0 to 8"),
        ("text", {"spans": array([[2, 0], [3, 7]])}, "end after they start"),
        ("text", {"spans": array([[0, 7]] * 20), "labels": array([0] * 20)}, "hardly overlap"),
        ("text", {"sentences": array([[0, 9]])}, "at view.sentences"),
        ("text", {"sentences": "x"}, "at view.sentences: expected an array"),
        ("text", {"text": 5}, "at view.text: expected a text, got 5"),
        ("bytes", {"bytes": array([1, 2, 3])}, "at view.bytes"),
        ("bytes", {"bytes": array([], "uint8")}, "at view.bytes"),
        ("image", {"image": array([[0]], "uint8")}, "at view.image"),
        ("image", {"reference": array([[[9]]], "uint8")}, "at view.reference: expected an array of shape"),
        ("image", {"image": {"array": ["nan", 1.0], "shape": [1, 2, 1], "type": "float64"}}, "finite numbers"),
        ("series", {"channels": ["x", "y"]}, "at view.channels: expected a list of 1, got one of 2"),
        ("series", {"channels": [1]}, r"at view.channels\[0\]: expected a text, got 1"),
        ("series", {"series": array([0.5], "float64")}, "at view.series"),
        ("table", {"values": array([1.0], "float64")}, "a value for each column"),
        (
            "table",
            {"values": {"array": ["inf", 1.0], "shape": [2], "type": "float64"}},
            "at view.values: expected finite",
        ),
        ("table", {"values": array([1e301, 1.0], "float64")}, "view.values: expected finite"),
        ("table", {"texts": ["Paris"]}, "at view.texts: expected a list of 2, got one of 1"),
        ("table", {"texts": ["Paris", 5]}, r"at view.texts\[1\]: expected a text, got 5"),
        ("molecule", {"block": None}, "at view.block: expected a text, got nothing"),
    ],
)
def test_damaged_ones(kind, change, says):
    with pytest.raises(lc.FileFormatError, match=says):
        read_view(Place({"kind": kind, **VIEWS[kind], **change}, "x", "view"), 2)


def test_tables_with_gaps_and_texts():
    gaps = {"array": ["nan", 7.0], "shape": [2], "type": "float64"}
    view = read_view(Place({"kind": "table", **VIEWS["table"], "values": gaps, "texts": ["Paris", ""]}, "x"), 2)
    assert view.unit_texts == {0: "Paris"}
    assert np.isnan(view.unit_values[0])
    assert read_view(Place({"kind": "table", **VIEWS["table"], "texts": []}, "x"), 2).texts == ()


def test_no_view():
    assert read_view(Place(None, "x"), 3) is None
