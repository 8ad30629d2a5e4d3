"""Rows of units: which ones, their colours, and notes below."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import lcshap as lc
from lcshap.show.faded_scores import FADED_STRENGTH
from lcshap.show.palette import find_palette, rgb_to_hex
from lcshap.show.plots.score_rows import add_note_below, bar_colours, select_unit_rows


def test_rows_and_others():
    e = lc.Explanation(np.array([1.0, -5.0, 2.0, 0.5]), 0.0, -1.5, lc.Graph.chain(4, names=list("abcd")), 2)
    order, others, names = select_unit_rows(e, 2)
    assert (order.tolist(), others.tolist(), names) == ([1, 2], [0, 3], ["b", "c", "and 2 others"])
    order, others, names = select_unit_rows(e, 3)  # the fourth takes the place of "and 1 other"
    assert (order.tolist(), others.tolist(), names) == ([1, 2, 0, 3], [], ["b", "c", "a", "d"])


def test_colours_are_paler_where_scores_are_uncertain_and_for_the_sum_of_others():
    palette = find_palette("default")
    colours = bar_colours(np.array([2.0, -2.0, 3.0]), np.array([False, True]), "default", False)
    expected = [palette.colour(1.0, 1.0), palette.colour(-FADED_STRENGTH, 1.0), palette.colour(0.5, 1.0)]
    assert colours == [rgb_to_hex(colour) for colour in expected]


def test_a_note_stands_below_the_name_of_the_axis():
    ax = Figure(layout="constrained").subplots()
    ax.set_xlabel("dose")
    note = add_note_below(ax, ["120 inputs", "colour: age " * 12])
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    box, name = (text.get_window_extent(canvas.get_renderer()) for text in (note, ax.xaxis.label))
    assert box.y1 <= name.y0
    assert len(note.get_text().splitlines()) > 1
