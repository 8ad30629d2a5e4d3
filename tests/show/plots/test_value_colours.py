"""Colours of points by values: their ends, legends of categories, and grey for missing values."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from lcshap.show.plots.base import value_map
from lcshap.show.plots.score_table import ValueColumn
from lcshap.show.plots.value_colours import colour_ends, draw_coloured


def draw(values, **style):
    ax = Figure().subplots()
    count = len(values.numbers)
    draw_coloured(ax, np.arange(count), np.arange(count), values, "dose", value_map("default"), style)
    return ax


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([0.0, 1.0], (0.05, 0.95, ("≤ 0.05", "≥ 0.95"))),
        ([7.0] * 5, (7.0, 7.0, ("7", "7"))),
        ([0.0] * 99 + [9.0], (0.0, 9.0, ("0", "9"))),
        ([np.nan], (0.0, 1.0, ("", ""))),
    ],
)
def test_ends(numbers, expected):
    low, high, texts = colour_ends(ValueColumn(np.array(numbers)))
    assert (low, high) == pytest.approx(expected[:2])
    assert texts == expected[2]


def test_numbers_have_a_colour_bar():
    ax = draw(ValueColumn(np.array([1.0, 2.0, np.nan, 4.0])))
    (points,) = ax.collections
    FigureCanvasAgg(ax.figure).draw()
    low, high, texts = colour_ends(ValueColumn(np.array([1.0, 2.0, 4.0])))
    assert points.get_clim() == (low, high)
    bar = ax.figure.axes[-1]
    assert bar.get_ylabel() == "dose"
    assert tuple(t.get_text() for t in bar.get_yticklabels()) == texts
    assert points.get_facecolor()[2].tolist() == pytest.approx(to_rgba("#969696"))


def test_categories_have_a_legend():
    ax = draw(ValueColumn(np.array([0.0, 1.0, np.nan, 0.0]), ("Oslo", "Rome")))
    legend = ax.get_legend()
    assert legend.get_title().get_text() == "dose"
    assert [t.get_text() for t in legend.get_texts()] == ["Oslo", "Rome", "missing"]
    oslo, rome, missing = (c.get_facecolor()[0].tolist() for c in ax.collections)
    assert oslo == pytest.approx(value_map("default")(0.0))
    assert rome == pytest.approx(value_map("default")(1.0))
    assert missing == pytest.approx(to_rgba("#969696"))
    assert [len(c.get_offsets()) for c in ax.collections] == [2, 1, 1]


def test_many_categories_have_a_colour_bar_with_the_first_and_the_last():
    ax = draw(ValueColumn(np.arange(20.0), tuple(f"city {i:02}" for i in range(20))))
    FigureCanvasAgg(ax.figure).draw()
    assert [t.get_text() for t in ax.figure.axes[-1].get_yticklabels()] == ["city 00", "city 19"]
    assert ax.get_legend() is None
