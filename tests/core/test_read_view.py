"""Views of files: everything that a picture relies on is checked."""

import pytest
from saved_views import VIEWS, array

import lcshap as lc
from lcshap.core.json_reader import JsonNode
from lcshap.core.read_view import read_view
from lcshap.core.views import KINDS


@pytest.mark.parametrize("kind", VIEWS)
def test_labels_of_units_that_are_not_there(kind):
    content = {"kind": kind, **VIEWS[kind]}
    assert read_view(JsonNode(content, "x"), 2).kind == kind
    for unit in (2, -2):
        labels = {**content["labels"], "array": [unit, 0]}
        with pytest.raises(lc.errors.FileFormatError, match=r"at view\.labels: expected integers from -1 to 1"):
            read_view(JsonNode({**content, "labels": labels}, "x", "view"), 2)
    with pytest.raises(lc.errors.FileFormatError, match=r"at view\.labels"):
        read_view(JsonNode({**content, "labels": array([0])}, "x", "view"), 2 if kind != "molecule" else 0)


def test_there_is_a_file_of_every_kind():
    assert set(VIEWS) == set(KINDS)


def test_no_view():
    assert read_view(JsonNode(None, "x"), 3) is None
