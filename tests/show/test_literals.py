"""Literals: what they are read back to, and what is none."""

import ast

import numpy as np
import pytest

from lcshap.show.literals import is_plain, literal


@pytest.mark.parametrize(
    "value", [np.zeros(2), float("nan"), {"a": {1}}, [object()], np.float64(1), b"x", {(): np.nan}]
)
def test_what_is_not_plain(value):
    assert not is_plain(value)


@pytest.mark.parametrize(
    "value", [None, True, -3, 2.5, "it's\n\u2028", (), (1,), (1, ("a", None)), {"a": (1, {"b": ()}), "": 1e-300}]
)
def test_plain_values_are_read_back(value):
    assert is_plain(value)
    assert ast.literal_eval(literal(value)) == value
    assert "\n" not in literal(value)


def test_lists_and_tuples_are_written_alike():
    assert literal([1, [2]]) == literal((1, (2,))) == "(1, (2,))"
