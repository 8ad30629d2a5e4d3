"""Checks of rows of tables; `test_tabular.py` and `test_dataframes.py` have those of whole maskers."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.errors import MaskerError
from lcshap.maskers.table_checks import check_missing, check_same_names, check_values, graph_names, read_row


def test_rows_are_numbers_in_the_order_of_the_background():
    row, names = read_row({"b": 2, "a": 1}, ("a", "b"))
    assert (row.tolist(), names) == ([1.0, 2.0], None)
    with pytest.raises(MaskerError, match="got a mapping, and the background has no names"):
        read_row({"a": 1}, None)
    with pytest.raises(MaskerError, match="Expected a row of numbers as x, got None"):
        read_row(None, None)


def test_values():
    check_values(np.array([[1.0, np.nan]]), None, "x")
    with pytest.raises(MaskerError, match="Expected finite numbers in x, got an infinite one in column 'b'"):
        check_values(np.array([[1.0, np.inf]]), ("a", "b"), "x")
    with pytest.raises(MaskerError, match="got none in column 1"):
        check_missing(np.array([[1.0, np.nan], [2.0, np.nan]]), None, np.arange(2))
    check_missing(np.array([[1.0, np.nan], [2.0, np.nan]]), None, np.arange(1))


def test_names():
    assert graph_names(lc.Graph.chain(2)) is None
    assert graph_names(lc.Graph.chain(2, ["a", "b"])) == ("a", "b")
    check_same_names(("a", "b"), None, "x", "the graph")
    with pytest.raises(MaskerError, match="got 'b' in x and 'c' in the graph as column 1"):
        check_same_names(("a", "b"), ("a", "c"), "x", "the graph")
