"""Numbers and texts inside a page: small, exact as far as said, and harmless."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from showing import NASTY, unpack, unpack_order, unpack_spans

from lcshap.show.pack import (
    ContentPool,
    json_number,
    pack_array,
    pack_bfloat16,
    pack_order,
    pack_spans,
    to_safe_json,
    utf16_offsets,
)


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
    packed = pack_array(numbers)
    assert packed[:2] == kind
    assert unpack(packed).tolist() == numbers


def test_arrays_of_any_layout_are_little_endian():
    array = np.arange(6, dtype=">f8").reshape(2, 3).T
    assert unpack(pack_array(array)).tolist() == array.ravel().tolist()


@pytest.mark.parametrize(
    ("value", "expected"), [(1 / 3, 0.333333), (np.float32(2), 2.0), (np.nan, "NaN"), (np.inf, "Infinity")]
)
def test_numbers_as_javascript_reads_them(value, expected):
    assert json_number(value) == expected
    json.dumps(json_number(value), allow_nan=False)


@pytest.mark.parametrize("nasty", NASTY)
def test_embedded_texts_mean_nothing_in_html(nasty):
    text = to_safe_json({nasty: [nasty]})
    assert text.encode()  # no halves of characters
    assert not set(text) & set("<>&")
    assert json.loads(text) == {nasty: [nasty]}


def test_what_is_equal_is_stored_once():
    pool = ContentPool()
    assert [pool.add(c) for c in (["a"], ["b"], ["a"], "a")] == [0, 1, 0, 2]
    assert [json.loads(block) for block in pool.blocks] == [["a"], ["b"], "a"]


def test_numbers_beyond_those_of_the_page_stay_finite():
    unpacked = unpack(pack_array(np.array([1e300, -1e300, np.inf, 0.5])))
    largest = np.finfo(np.float32).max
    assert unpacked.tolist() == [largest, -largest, np.inf, 0.5]


@given(st.lists(st.tuples(st.integers(-3, 40), st.integers(0, 3000)), max_size=20))
def test_spans_come_back(steps):
    spans, at = [], 10
    for gap, length in steps:
        spans.append([at + gap, at + gap + length])
        at = spans[-1][1]
    assert unpack_spans(pack_spans(np.array(spans, np.int64).reshape(-1, 2))) == spans


def test_words_of_a_text_take_a_byte_each():
    spans = np.array([[6 * k, 6 * k + 5] for k in range(300)])
    assert len(pack_spans(spans)[2]) == 2 + 400


@given(st.permutations(range(9)))
def test_orders_come_back(order):
    assert unpack_order(pack_order(order, np.arange(9)), np.arange(9)) == list(order)


def test_standard_errors_keep_two_digits_and_what_is_finite_stays_so():
    numbers = np.array([0.0, 1e-30, 0.0123456, 7.77, 1e30, 1e300, np.inf, np.nan])
    unpacked = unpack(pack_bfloat16(numbers))
    np.testing.assert_allclose(unpacked[:5], numbers[:5], rtol=1 / 256)
    assert np.isfinite(unpacked[5])
    assert np.isinf(unpacked[6])
    assert np.isnan(unpacked[7])


def test_characters_beyond_the_basic_plane_count_twice_in_the_browser():
    text = "a😀b" + chr(0xD800)
    units = [len(text[:k].encode("utf-16-le", "surrogatepass")) // 2 for k in range(len(text) + 1)]
    assert utf16_offsets(text).tolist() == units
