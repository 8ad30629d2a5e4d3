"""Scatter plots: points are values and scores, colours the values of the unit that interacts most."""

import numpy as np
import pandas as pd
import pytest
from explanation_sets import array_set, row_explanations, text_explanations
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.plots import scatter


def product_set(n=200, outputs=None, **options):
    values = np.random.default_rng(0).normal(size=(n, 4))
    scores = values * [0.1, 3.0, 0.2, 0.3]
    scores[:, 1] *= values[:, 3]
    if outputs:
        scores = np.stack([scores * (k + 1) for k in range(outputs)], axis=2)
    names = ["a", "b", "c", "d"]
    predictions = scores.sum(axis=1)
    return lc.Explanations.from_arrays(scores, 0.0 * predictions, predictions, names=names, data=values, **options)


def draw(ax):
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    return canvas


def points_of(ax):
    return [c for c in ax.collections if isinstance(c, PathCollection)]


def note_of(ax):
    return " ".join(ax.texts[-1].get_text().split())


@pytest.mark.parametrize("dark", [False, True])
def test_values_scores_and_colours(dark):
    xs = product_set()
    ax = scatter(xs, dark=dark)
    draw(ax)
    (points,) = points_of(ax)
    np.testing.assert_array_equal(points.get_offsets(), np.stack([xs.data[:, 1], xs.scores[:, 1]], axis=1))
    np.testing.assert_array_equal(points.get_array(), xs.data[:, 3])
    assert ax.get_xlabel() == "b"
    assert ax.get_ylabel() == "score of b"
    assert ax.figure.axes[-1].get_ylabel() == "d"
    assert note_of(ax) == "200 inputs · colour: d, which changes the score most at similar values"


def test_the_unit_and_the_colour_are_chosen():
    xs = product_set()
    (points,) = points_of(scatter(xs, "c", colour_by="a"))
    np.testing.assert_array_equal(points.get_offsets()[:, 1], xs.scores[:, 2])
    np.testing.assert_array_equal(points.get_array(), xs.data[:, 0])
    plain = scatter(xs, 2, colour_by=False)
    assert points_of(plain)[0].get_array() is None
    assert note_of(plain) == "200 inputs"
    with pytest.raises(ShowError, match="Expected the name of a unit, one of 'a', 'b', 'c', 'd', got 'e'"):
        scatter(xs, "e")
    with pytest.raises(ShowError, match="Expected a unit by its name or by a number from 0 to 3, got 4"):
        scatter(xs, "a", colour_by=4)


def test_interactions_choose_the_colour():
    pairs = np.zeros((200, 4, 4))
    pairs[:, 1, 2] = pairs[:, 2, 1] = 1.0
    ax = scatter(product_set(interactions=pairs))
    assert note_of(ax) == "200 inputs · colour: c, which has the largest mean |interaction|"


def test_categories_and_missing_values():
    frame = pd.DataFrame(
        {"city": ["Oslo", "Rome", None, "Oslo"] * 5, "dose": [1.0, np.nan, 2.0, 4.5] * 5, "age": np.arange(20.0)}
    )
    scores = np.random.default_rng(0).normal(size=(20, 3))
    xs = lc.Explanations.from_arrays(scores, 0.0, scores.sum(axis=1), data=frame)
    ax = scatter(xs, "city", colour_by="dose")
    draw(ax)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["Oslo", "Rome", "missing"]
    (points,) = points_of(ax)
    columns = np.rint(np.asarray(points.get_offsets())[:, 0]).astype(int)
    assert columns.tolist() == [0, 1, 2, 0] * 5
    assert "grey: missing" in note_of(ax)
    by_city = scatter(xs, "age", colour_by="city")
    draw(by_city)
    assert [t.get_text() for t in by_city.get_legend().get_texts()] == ["Oslo", "Rome", "missing"]
    gaps = scatter(xs, "dose", colour_by=False)
    assert [t.get_text() for t in gaps.get_xticklabels()][-1] == "missing"


def test_several_outputs_and_targets():
    xs = product_set(outputs=2, targets=["cat", "dog"])
    ax = scatter(xs, "b")
    draw(ax)
    assert [panel.get_title(loc="left") for panel in ax.child_axes] == ["cat", "dog"]
    for k, panel in enumerate(ax.child_axes):
        np.testing.assert_array_equal(points_of(panel)[0].get_offsets()[:, 1], xs.scores[:, 1, k])
    (points,) = points_of(scatter(xs, "b", target="dog"))
    np.testing.assert_array_equal(points.get_offsets()[:, 1], xs.scores[:, 1, 1])


def test_large_sets_are_sampled():
    ax = scatter(product_set(500), max_inputs=100)
    assert len(points_of(ax)[0].get_offsets()) == 100
    assert "500 inputs · a sample of 100 is drawn" in note_of(ax)


def test_lists_axes_and_all_that_is_written_is_on_the_figure():
    user_axes = Figure().subplots()
    assert scatter(list(row_explanations(6)), "age", user_axes, target="no") is user_axes
    ax = scatter(product_set())
    canvas = draw(ax)
    for text in (ax.xaxis.label, ax.yaxis.label, *ax.texts, *ax.figure.axes[-1].get_yticklabels()):
        box = text.get_window_extent(canvas.get_renderer())
        assert min(box.x0, box.y0, ax.figure.bbox.x1 - box.x1, ax.figure.bbox.y1 - box.y1) > -2


def test_odd_input():
    for xs in (product_set(1), product_set(2)):
        draw(scatter(xs))
    one_unit = lc.Explanations.from_arrays(np.ones((5, 1)), 0.0, np.ones(5), data=np.arange(5.0)[:, None])
    assert points_of(scatter(one_unit))[0].get_array() is None
    missing = lc.Explanations.from_arrays(np.zeros((5, 2)), 0.0, np.zeros(5), data=np.full((5, 2), np.nan))
    draw(scatter(missing))
    with pytest.raises(ShowError, match="Expected explanations of rows of a table"):
        scatter(array_set()[0])
    with pytest.raises(ShowError, match="Expected the same units in all inputs"):
        scatter(text_explanations())
    with pytest.raises(ShowError, match="Expected a list of at least one explanation, got none"):
        scatter([])
