"""Starts and ends of parts."""

import numpy as np
import pytest
from saved_views import array

import lcshap as lc
from lcshap.core.json_reader import JsonNode
from lcshap.core.views.spans import as_spans, owners_of, read_spans


def test_later_parts_own_what_overlaps():
    assert owners_of(as_spans([[0, 3], [2, 5], [6, 6]]), np.array([0, 1, 2]), 7).tolist() == [0, 0, 1, 1, 1, -1, -1]


def test_spans_of_files():
    assert read_spans(JsonNode(array([[0, 2], [3, 7]]), "x"), 7).tolist() == [[0, 2], [3, 7]]
    assert read_spans(JsonNode(array([]), "x"), 7).shape == (0, 2)
    with pytest.raises(lc.errors.FileFormatError, match="hardly overlap"):
        read_spans(JsonNode(array([[0, 7]] * 9), "x", "spans"), 7)
    assert len(read_spans(JsonNode(array([[0, 7]] * 8), "x", "spans"), 7)) == 8
