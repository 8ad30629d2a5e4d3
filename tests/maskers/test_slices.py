import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcshap.maskers.slices import RangeMaximum, SliceJoiner


@given(st.lists(st.integers(0, 9), min_size=1, max_size=70), st.data())
def test_the_largest_of_any_run(numbers, data):
    starts = data.draw(st.lists(st.integers(0, len(numbers) - 1), min_size=1, max_size=20))
    ends = [data.draw(st.integers(start + 1, len(numbers))) for start in starts]
    expected = [max(numbers[start:end]) for start, end in zip(starts, ends, strict=True)]
    assert RangeMaximum(numbers).maxima(np.array(starts), np.array(ends)).tolist() == expected


@pytest.mark.parametrize("text", ["plain words", "naïve \xff", "a 电影 \U0001f600 \ud800 z", "\ufeff\x00 b"])
def test_slices_of_any_letters_are_those_of_python(text):
    between = ["", " ", "\n\n", "\u3000"]
    rng = np.random.default_rng(0)
    ends = rng.integers(1, len(text) + 1, 30)
    starts, glue = rng.integers(0, ends), rng.integers(0, 4, 30)
    bounds = np.array([0, 0, 4, 29, 30])
    for separators in (between, between[:3]):  # with and without a letter beyond Latin-1 in what comes between
        kept = np.minimum(glue, len(separators) - 1)
        parts = [separators[g] + text[a:b] for g, a, b in zip(kept, starts, ends, strict=True)]
        expected = ["".join(parts[a:b]) for a, b in ((0, 0), (0, 4), (4, 29), (29, 30))]
        assert SliceJoiner(text, separators).join(kept, starts, ends, bounds) == expected
