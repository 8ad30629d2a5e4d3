"""Numbers and texts inside a page: small, exact as far as said, and harmless."""

import json

import numpy as np
import pytest
from showing import NASTY, unpack

from lcshap.show.html_report.pack import Pool, embed, number, pack


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([0, 255], "u1"),
        ([0, 256], "u2"),
        ([-1, 7], "i2"),
        ([0, 70_000], "u4"),
        ([-1, 70_000], "i4"),
        ([True, False], "u1"),
        ([0.5, -1.25], "f4"),
        ([], "f4"),
    ],
)
def test_arrays_come_back(numbers, kind):
    packed = pack(numbers)
    assert packed[:2] == kind
    assert unpack(packed).tolist() == numbers


def test_arrays_of_any_layout_are_little_endian():
    array = np.arange(6, dtype=">f8").reshape(2, 3).T
    assert unpack(pack(array)).tolist() == array.ravel().tolist()


@pytest.mark.parametrize(
    ("value", "expected"), [(1 / 3, 0.333333), (np.float32(2), 2.0), (np.nan, "NaN"), (np.inf, "Infinity")]
)
def test_numbers_as_javascript_reads_them(value, expected):
    assert number(value) == expected
    json.dumps(number(value), allow_nan=False)


@pytest.mark.parametrize("nasty", NASTY)
def test_embedded_texts_mean_nothing_in_html(nasty):
    text = embed({nasty: [nasty]})
    assert text.isascii()
    assert not set(text) & set("<>&")
    assert json.loads(text) == {nasty: [nasty]}


def test_what_is_equal_is_stored_once():
    pool = Pool()
    assert [pool.add(c) for c in (["a"], ["b"], ["a"], "a")] == [0, 1, 0, 2]
    assert [json.loads(block) for block in pool.blocks] == [["a"], ["b"], "a"]


def test_numbers_beyond_those_of_the_page_stay_finite():
    found = unpack(pack(np.array([1e300, -1e300, np.inf, 0.5])))
    most = np.finfo(np.float32).max
    assert found.tolist() == [most, -most, np.inf, 0.5]
