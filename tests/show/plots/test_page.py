"""Words on lines: what fits, what is torn, and that nothing gets lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcshap as lc
from lcshap.show.plots.page import Piece, cut, wrap


@given(
    st.lists(st.tuples(st.sampled_from(["", " ", "\n", " \n\n"]), st.floats(0.5, 30)), min_size=1, max_size=40),
    st.floats(20, 100),
)
def test_wrap(parts, width):
    pieces = [Piece("x", 0, gap) for gap, _ in parts]
    widths = [w for _, w in parts]
    places = wrap(pieces, widths, 4.0, width)
    for (x, _), own in zip(places, widths, strict=True):
        assert x + own <= width * (1 + 1e-6) or x == 0
    for i in range(1, len(places)):
        (x, line), (before, last) = places[i], places[i - 1]
        gap = parts[i][0]
        if line == last:
            assert x == pytest.approx(before + widths[i - 1] + (4.0 if gap else 0.0))
            assert "\n" not in gap
        else:
            assert x == 0
            assert line - last == max(1, min(2, gap.count("\n")))


def test_only_what_is_longer_than_a_line_is_torn():
    glued = [Piece("aa", 0, " "), Piece("bb", 1, " "), Piece("cc", 2, "")]
    assert wrap(glued, [10, 10, 10], 2, 25) == [(0, 0), (0, 1), (10, 1)]
    assert wrap(glued, [10, 10, 20], 2, 25) == [(0, 0), (0, 1), (0, 2)]
    chinese = [Piece("很", 0, ""), Piece("好", 1, ""), Piece("看", 2, "")]
    assert wrap(chinese, [10, 10, 10], 2, 25) == [(0, 0), (10, 0), (0, 1)]


def test_cut_keeps_every_character():
    x = "a  b\n" + "é" * 30 + " 👍🏽!"
    masked = lc.maskers.Text().mask(x)
    pieces = cut(masked.view)
    assert "".join(p.gap + p.text for p in pieces) == x
    assert max(len(p.text) for p in pieces) <= 25
