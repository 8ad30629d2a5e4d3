"""Words from right to left: letters in the order in which they are seen, on lines that run the way they are read."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from showing import explain, text_view

import lcshap as lc
from lcshap.show.plots.text_plot import text
from lcshap.show.plots.wording import drawable_lines


def pixels(string, fonts):
    """What matplotlib draws for a string."""
    figure = Figure(figsize=(4, 0.5))
    figure.text(0.02, 0.3, string, fontfamily=fonts, size=16)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


@pytest.mark.parametrize(
    ("stored", "seen"),
    [
        ("good", "good"),
        ("naïve", "naïve"),
        ("שלום", "םולש"),
        ("שלום!", "!םולש"),
        ("(שלום)", "(םולש)"),
        ("שלום 123", "123 םולש"),
        ("the word שלום here", "the word םולש here"),
        ("שָׁלוֹם", "םוֹלשָׁ"),  # points stay with their letters
        ("رائع", "\ufeca\ufe8b\ufe8d\ufead"),  # ra and alef join nothing after them; the ends are joined forms
        ("بيت", "\ufe96\ufef4\ufe91"),  # initial, medial, final
    ],
)
def test_letters_are_drawn_in_the_order_in_which_they_are_seen(stored, seen):
    (string,), fonts = drawable_lines(stored)
    from_left = f"\N{LEFT-TO-RIGHT OVERRIDE}{seen}\N{POP DIRECTIONAL FORMATTING}"
    drawing = pixels(string, fonts)
    assert drawing.min() == 0
    assert np.array_equal(drawing, pixels(from_left, fonts))


def drawn(string):
    """The words of a figure, line by line from left to right."""
    ax = text(explain(lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), string))
    ax.figure.draw_without_rendering()
    words = [t for t in ax.texts if t.get_text() in string.split()]
    rows = {round(t.get_position()[1]) for t in words}
    lines = [[t for t in words if round(t.get_position()[1]) == row] for row in sorted(rows, reverse=True)]
    return [[t.get_text() for t in sorted(line, key=lambda t: t.get_position()[0])] for line in lines]


def test_lines_run_the_way_they_are_read():
    assert drawn("a good film") == [["a", "good", "film"]]
    assert drawn("אחת שתים שלוש") == [["שלוש", "שתים", "אחת"]]
    assert drawn("so אחת שתים good") == [["so", "שתים", "אחת", "good"]]
    assert drawn("אחת so good שתים") == [["שתים", "so", "good", "אחת"]]
    long = " ".join(["אחת", "שתים", "שלוש"] * 20)
    lines = drawn(long)
    assert len(lines) > 1
    assert [word for line in lines for word in line[::-1]] == long.split()


def test_words_and_their_boxes_stay_on_the_page():
    string = " ".join(["אחת", "so", "good", "שתים"] * 15)
    e = lc.Explanation(np.ones(60), 0.0, 60.0, lc.Graph.chain(60), 9, {}, view=text_view(string))
    ax = text(e)
    ax.figure.draw_without_rendering()
    boxes = next(c for c in ax.collections if len(c.get_paths()) == 60).get_paths()
    width = 72 * ax.get_window_extent().width / ax.figure.dpi
    assert all(-1 <= box.vertices[:, 0].min() < box.vertices[:, 0].max() <= width + 1 for box in boxes)
    lines = {}
    for box in boxes:
        lines.setdefault(round(box.vertices[:, 1].min()), []).append(
            (box.vertices[:, 0].min(), box.vertices[:, 0].max())
        )
    for line in lines.values():
        line.sort()
        assert all(right <= left + 1e-6 for (_, right), (left, _) in pairwise(line))
