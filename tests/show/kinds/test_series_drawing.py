"""Series in the terminal, in HTML and on the page."""

import re

import numpy as np
import pytest
from showing import explain, made, runs, strengths, unpack
from showing import read_html as read

import lcshap as lc
from lcshap.core.views import SeriesView
from lcshap.maskers import Series
from lcshap.show.kinds.series_drawing import series_html
from lcshap.show.notebook import to_html
from lcshap.show.palette import find_palette
from lcshap.show.styling import ClassStyling
from lcshap.show.terminal import render_explanation


def test_a_series_is_a_line_of_bars():
    series = np.repeat([0.0, 7, 3], 4)
    e = explain(lambda rows: rows[:, 4:8].sum(axis=1), Series(window=4, reference=0.0), series)
    lines = render_explanation(e, 60).splitlines()
    at = next(i for i, line in enumerate(lines) if "█" in line)
    assert lines[at] == "▁▁▁▁████▄▄▄▄"
    assert lines[at + 1] == "    ####"
    coloured = next(line for line in render_explanation(e, 60, colour=True).splitlines() if "▁▁▁▁" in line)
    assert {text: ink for text, ink, _ in runs(coloured)}["████"] == find_palette("default").dark_positive


def test_series_of_several_channels_are_squeezed_to_the_width():
    series = np.random.default_rng(0).normal(size=(300, 3))
    masker = Series(window=50, by_channel=True, channels="last", names=["x\x1b", "yy", "z"])
    e = explain(lambda rows: rows[:, :, 0].mean(axis=1), masker, series)
    rows = [line for line in render_explanation(e, 40).splitlines() if re.match(r"(x␛|yy|z )  ", line)]
    assert [len(row) for row in rows] == [40] * 3


def test_a_series_is_drawn_over_its_windows():
    series = np.array([[0.0, 5], [1, 5], [2, 5], [3, 5], [4, 5]])
    masker = Series(window=2, channels="last", names=["up", "flat"])
    page = read(to_html(explain(lambda rows: rows[:, :2].sum(axis=(1, 2)), masker, series)))
    lines = [line["points"].split() for line in page.all("polyline")]
    heights = [[float(point.split(",")[1]) for point in line] for line in lines]
    assert heights[0] == [36, 28, 20, 12, 4]
    assert len(set(heights[1])) == 1
    boxes = [(float(box["x"]), int(box["width"])) for box in page.all("rect")]
    assert boxes == [(-0.5, 2), (1.5, 2), (3.5, 1)] * 2
    assert page.text.index("up") < page.text.index("flat")


def test_windows_whose_interval_holds_zero_are_faint():
    view = SeriesView(series=np.arange(6.0)[:, None], channels=("x",), labels=np.repeat([0, 1, -1], 2)[:, None])
    e = made([4.0, -4.0], view=view, stderr=np.array([0.5, 3.0]), dof=20)
    assert strengths(read(to_html(e)), "rect") == pytest.approx([0.65, 0.3 * 0.65, 0.0])
    page = series_html(e, view, ClassStyling(find_palette("default")))
    assert re.findall(r'<rect class="(\w+)"', page) == ["p10", "n3", "plain"]


def test_numbers_on_the_page(write):
    series = np.array([[0.5, 1.5, 2.5, 3.5], [9.0, 8.0, 7.0, 6.0]])
    view = lc.maskers.Series(window=2, by_channel=True, channels="first", names=["x", "y"]).mask(series).view
    page = write(made([1.0, 2.0, 3.0, 4.0], None, view))
    picture = page.sample()["picture"]
    assert unpack(picture["series"]).reshape(4, 2).T.tolist() == series.tolist()
    assert picture["channels"] == ["x", "y"]
    assert unpack(page.pool(picture["labels"])).reshape(4, 2).T.tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]
