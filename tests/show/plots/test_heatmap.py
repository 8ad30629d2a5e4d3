"""The heat map of several outputs: its cells are the scores, its labels the outputs and the units."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from showing import answer, made

import lcshap as lc
from lcshap.plots import heatmap


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


@pytest.mark.parametrize("dark", [False, True])
def test_cells_and_labels(dark):
    e = answer()
    ax = heatmap(e, dark=dark)
    FigureCanvasAgg(ax.figure).draw()
    (image,) = ax.images
    np.testing.assert_array_equal(image.get_array(), e.scores.T)
    assert image.get_clim() == (-np.abs(e.scores).max(), np.abs(e.scores).max())
    assert labels(ax.yaxis) == ["It", "lives", "in (1)", "Primorye", "in (2)", "a", "wood"]
    assert labels(ax.xaxis) == list(e.names)
    zero = image.cmap(0.5)[:3]
    assert np.allclose(zero, np.array([22, 24, 28] if dark else [255, 255, 255]) / 255, atol=0.01)


def test_several_outputs_are_drawn_so_unless_one_is_named():
    e = answer()
    assert len(e.plot().images) == 1
    assert not e.plot(output=3).images  # the text


def test_limit_and_top():
    e = answer()
    ax = heatmap(e, limit=5.0, top=3)
    assert ax.images[0].get_clim() == (-5, 5)
    assert len(labels(ax.xaxis)) == 3
    caption = ax.child_axes[0].get_xlabel()
    assert caption == f"7 calls · {len(e.names) - 3} units with smaller scores left out"


def test_the_ends_of_the_colour_bar_do_not_overlap_and_the_most_probable_class_is_said():
    record = {"kind": "multilabel", "value": "log_odds", "targets": ["dog", "cat"]}
    e = made(np.array([[0.0, 0.0], [-1.5, 4.394]]), ["a", "cat"], provenance=record)
    ax = e.plot()
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.child_axes[0].get_xticklabels()]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
    title = " ".join(ax.figure.get_suptitle().split())
    assert title == "The model predicts “cat” (98.8 %). “cat” counts most for it (+4.39), in log odds."


def test_one_output_and_bad_options_are_refused():
    with pytest.raises(lc.errors.ShowError, match="several outputs"):
        heatmap(made([1.0]))
    with pytest.raises(
        lc.errors.ShowError, match="Expected limit as a number above 0, the score of the full colour, got 0"
    ):
        heatmap(answer(), limit=0)
