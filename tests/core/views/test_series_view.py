"""Views of series: what is refused."""

import numpy as np
import pytest
from saved_views import array, read

import lcshap as lc
from lcshap.core.views import SeriesView


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: SeriesView(series=np.ones((2, 2)), channels=["x"], labels=[[0], [1]]), "steps, channels"),
        (lambda: SeriesView(series=np.ones((2, 1)), channels=["x"], labels=[0, 1]), "for each number"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, says):
    with pytest.raises(lc.errors.OptionError, match=says):
        make()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"channels": ["x", "y"]}, "at view.channels: expected a list of 1, got one of 2"),
        ({"channels": [1]}, r"at view.channels\[0\]: expected a text, got 1"),
        ({"series": array([0.5], "float64")}, "at view.series"),
    ],
)
def test_damaged_ones(change, says):
    with pytest.raises(lc.errors.FileFormatError, match=says):
        read("series", **change)
