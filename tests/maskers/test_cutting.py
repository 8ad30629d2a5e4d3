"""Texts cut into words, sentences and characters: every character is in one piece at the most, and none is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcshap.errors import MaskerError
from lcshap.maskers.cutting import CUTTERS, is_pattern, split_text, text_view


@given(st.text(max_size=60))
@pytest.mark.parametrize("unit", sorted(CUTTERS))
def test_pieces_are_in_order_and_do_not_overlap(unit, text):
    end = 0
    for start, stop in CUTTERS[unit](text):
        assert end <= start < stop <= len(text)
        end = stop


@given(st.text(st.characters(categories=["L", "Zs"]), max_size=40))
def test_words_hold_all_that_is_no_space(text):
    kept = "".join(text[a:b] for a, b in CUTTERS["word"](text))
    assert re.sub(r"\s", "", kept) == re.sub(r"\s", "", text)


def test_sentences_and_characters():
    text = "One. Two!  Three"
    assert [text[a:b].strip() for a, b in CUTTERS["sentence"](text)] == ["One.", "Two!", "Three"]
    family = "a\u0301b👨‍👩‍👧"  # an accent and a family are one character each
    assert [family[a:b] for a, b in CUTTERS["character"](family)] == ["a\u0301", "b", "👨‍👩‍👧"]


def test_custom_splitters():
    assert is_pattern(re.compile("a"))
    assert not is_pattern(re.compile(b"a"))
    assert not is_pattern(str.split)
    assert [tuple(span) for span in split_text(re.compile(r"[a-z]+"), "ab 12 c")] == [(0, 2), (6, 7)]
    with pytest.raises(MaskerError):
        split_text(lambda text: [(0, 99)], "short")


def test_the_view_has_sentences():
    import numpy as np

    view = text_view("One two. Three.", np.array([[0, 3], [4, 8], [9, 15]]))
    assert view.text == "One two. Three."
    assert view.spans.tolist() == [[0, 3], [4, 8], [9, 15]]
