"""Text in a terminal: as wide as it is said to be."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcshap.show.terminal_text import display_width, fit_to_width, wrap_lines, wrap_spans


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("电影", 4), ("👍", 2), ("e\u0301", 1), ("ｆｕｌｌ", 8), ("ｶﾅ", 2), ("", 0), ("a\u200bb", 2)],
)
def test_display_width(text, width):
    assert display_width(text) == width


@settings(deadline=None)
@given(st.text(alphabet="ab 电👍\n", max_size=60), st.integers(2, 12))
def test_wrapped_lines_fit_and_lose_nothing(text, width):
    lines = [text[a:b] for a, b in wrap_spans(text, width)]
    assert all(display_width(line.rstrip(" ")) <= width for line in lines)
    spans = list(wrap_spans(text, width))
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for (_, end), (start, _) in pairwise(spans):
        assert text[end:start] in ("", "\n")


@settings(deadline=None)
@given(st.text(alphabet="ab电👍", max_size=20), st.integers(2, 12), st.booleans())
def test_fit_fills_exactly(text, width, right):
    assert display_width(fit_to_width(text, width, right)) == width


def test_wrapped_lines_are_texts():
    assert wrap_lines("not very heartwarming", 9) == ["not very", "heartwarm", "ing"]
    assert wrap_lines("", 9) == [""]


@pytest.mark.parametrize("letter", ["a", "电", "e\u0301"])
def test_long_words_are_cut_and_wrapped_in_linear_time(letter):
    start = time.perf_counter()
    assert display_width(fit_to_width(letter * 300_000, 20)) == 20
    assert len(wrap_lines(letter * 100_000, 40)) >= 100_000 // 40
    assert time.perf_counter() - start < 5
