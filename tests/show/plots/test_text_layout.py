"""Words on lines: what fits, what is torn, and that nothing gets lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcshap as lc
from lcshap.core.views import TextView
from lcshap.show.plots.text_layout import Piece, split_into_pieces, wrap_pieces


@given(
    st.lists(st.tuples(st.sampled_from(["", " ", "\n", " \n\n"]), st.floats(0.5, 30)), min_size=1, max_size=40),
    st.floats(20, 100),
)
def test_wrap(parts, width):
    pieces = [Piece("x", 0, gap) for gap, _ in parts]
    widths = [w for _, w in parts]
    places = wrap_pieces(pieces, widths, 4.0, width)
    for (x, _), piece_width in zip(places, widths, strict=True):
        assert x + piece_width <= width * (1 + 1e-6) or x == 0
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
    assert wrap_pieces(glued, [10, 10, 10], 2, 25) == [(0, 0), (0, 1), (10, 1)]
    assert wrap_pieces(glued, [10, 10, 20], 2, 25) == [(0, 0), (0, 1), (0, 2)]
    chinese = [Piece("很", 0, ""), Piece("好", 1, ""), Piece("看", 2, "")]
    assert wrap_pieces(chinese, [10, 10, 10], 2, 25) == [(0, 0), (10, 0), (0, 1)]


def test_cut_keeps_every_character():
    x = "a  b\n" + "é" * 30 + " 👍🏽!"
    masked = lc.maskers.Text().mask(x)
    pieces = split_into_pieces(masked.view)
    assert "".join(p.gap + p.text for p in pieces) == x
    assert max(len(p.text) for p in pieces) <= 25


@pytest.mark.parametrize("about", ["x" * 20_000, "👩\u200d👧" * 300])
def test_facts_of_any_length_leave_a_figure_that_can_be_drawn(about):
    view = TextView(text=f"a {about}", spans=[[0, 1], [2, 5]], labels=[0, 1])
    e = lc.Explanation(np.ones(2), 0.0, 2.0, lc.Graph.chain(2), 4, {"value": about, "targets": [about]}, view=view)
    figure = e.plot().figure
    assert 0 < figure.get_size_inches()[1] <= 200


def test_of_a_very_long_text_the_beginning_is_drawn():
    words = [f"w{i}" for i in range(3000)]
    text = " ".join(words)
    starts = np.cumsum([0, *(len(w) + 1 for w in words)])[:-1]
    view = TextView(
        text=text, spans=np.stack([starts, starts + [len(w) for w in words]], axis=1), labels=np.arange(3000)
    )
    pieces = split_into_pieces(view)
    assert [piece.text for piece in pieces[:1000]] == words[:1000]
    (last,) = pieces[1000:]
    assert last.unit == -1
    assert last.text == f"… {len(text) - starts[1000]:,} more characters"
    one = split_into_pieces(TextView(text="x" * 100_000, spans=[[0, 100_000]], labels=[0]))
    assert len(one) == 1001
    assert one[-1].text == "… 80,000 more characters"
