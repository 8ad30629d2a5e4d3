"""Where values are drawn, and how the axis is labelled."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from lcshap.show.plots.score_table import ValueColumn
from lcshap.show.plots.value_axis import draw_histogram, label_values, missing_place, place_values


def ticks(ax):
    return dict(zip([t.get_text() for t in ax.get_xticklabels()], ax.get_xticks().tolist(), strict=True))


def test_many_numbers_stay_where_they_are():
    numbers = np.linspace(-3, 9, 50)
    np.testing.assert_array_equal(place_values(ValueColumn(numbers)), numbers)


def test_few_numbers_and_categories_spread_within_their_columns():
    for column, gap in (
        (ValueColumn(np.repeat([1.0, 2.0, 4.0], 20)), 1.0),
        (ValueColumn(np.repeat([0.0, 1.0], 20), ("a", "b")), 1.0),
        (ValueColumn(np.full(9, 5.0)), 1.0),
    ):
        x = place_values(column)
        assert len(set(x)) == len(x)
        assert np.abs(x - column.numbers).max() < 0.25 * gap
        np.testing.assert_array_equal(x, place_values(column))


def test_missing_values_have_a_column_right_of_all_others():
    numbers = np.linspace(0, 10, 40)
    numbers[::4] = np.nan
    column = ValueColumn(numbers)
    x, missing = place_values(column), np.isnan(numbers)
    np.testing.assert_array_equal(x[~missing], numbers[~missing])
    assert x[missing].min() > np.nanmax(numbers)
    ax = Figure().subplots()
    label_values(ax, column, "grey")
    assert ticks(ax)["missing"] == pytest.approx(missing_place(column)[0])
    assert max(place for name, place in ticks(ax).items() if name != "missing") <= np.nanmax(numbers)
    (line,) = ax.lines
    assert np.nanmax(numbers) < line.get_xdata()[0] < x[missing].min()


def test_categories_are_named():
    column = ValueColumn(np.array([0.0, 1.0, np.nan]), ("Oslo", "Rome"))
    ax = Figure().subplots()
    label_values(ax, column, "grey")
    assert ticks(ax) == {"Oslo": 0, "Rome": 1, "missing": 2}
    everything_missing = Figure().subplots()
    label_values(everything_missing, ValueColumn(np.full(3, np.nan)), "grey")
    assert list(ticks(everything_missing)) == ["missing"]


def test_jittered_numbers_are_the_ticks():
    ax = Figure().subplots()
    label_values(ax, ValueColumn(np.repeat([1.0, 2.5], 10)), "grey")
    assert ticks(ax) == {"1": 1.0, "2.5": 2.5}


def test_the_histogram_counts():
    numbers = np.random.default_rng(0).normal(size=300)
    ax = Figure().subplots()
    draw_histogram(ax, ValueColumn(numbers), "grey")
    counts, edges = np.histogram(numbers, 24)
    heights = [patch.get_height() for patch in ax.patches]
    np.testing.assert_allclose(heights, 0.12 * counts / counts.max())
    np.testing.assert_allclose([patch.get_x() for patch in ax.patches], edges[:-1])
    for column in (ValueColumn(numbers[:20]), ValueColumn(np.repeat([0.0, 1.0], 99)), ValueColumn(numbers, ("a",))):
        empty = Figure().subplots()
        draw_histogram(empty, column, "grey")
        assert not empty.patches
