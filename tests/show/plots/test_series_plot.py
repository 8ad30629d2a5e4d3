"""Series: the lines that are drawn are the series, and the colours behind them the scores of their windows."""

from dataclasses import replace

import matplotlib.pyplot
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import lcshap as lc
from lcshap.core.explanation import Explanation
from lcshap.core.views import SeriesView
from lcshap.errors import ShowError
from lcshap.maskers import Series
from lcshap.show.plots.series_plot import series

WALK = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0])
TABLE = np.stack([WALK, 10 * WALK[::-1], np.full(7, 2.0)], axis=1)  # (time, channels)


def explain(x, masker, **options):
    weights = np.arange(1.0, np.size(x) + 1)
    weights[::3] *= -1

    def linear(rows):
        return np.asarray(rows, float).reshape(len(rows), -1) @ weights

    return lc.Explainer(linear, masker, lc.Shapley(), kind="output", **options)(x)


def by_hand(x, window, by_channel):
    """The score of each number of `(time, channels)`: that of its window, which sums weight * (value - mean)."""
    weights = np.arange(1.0, x.size + 1)
    weights[::3] *= -1
    parts = weights.reshape(x.shape) * (x - x.mean(axis=0))
    heat = np.empty(x.shape)
    for start in range(0, len(x), window):
        piece = parts[start : start + window]
        heat[start : start + window] = piece.sum(axis=0) if by_channel else piece.sum()
    return heat


def shapes(ax):
    return [line.get_ydata() for line in ax.lines]


def test_one_channel_keeps_its_values():
    ax = series(explain(WALK, Series(window=3)))
    assert [line.tolist() for line in shapes(ax)] == [WALK.tolist()]
    (heat,) = ax.images
    np.testing.assert_allclose(heat.get_array(), by_hand(WALK[:, None], 3, False).T, atol=1e-9)
    limit = np.abs(by_hand(WALK[:, None], 3, False)).max()
    assert heat.get_clim() == pytest.approx((-limit, limit))
    assert heat.get_extent()[:2] == [-0.5, 6.5]
    low, high = ax.get_ylim()
    assert low < 1
    assert high > 9
    assert ax.get_xlim() == (-0.5, 6.5)
    assert len(matplotlib.pyplot.get_fignums()) <= 10  # it keeps the last ones only


def test_windows_whose_interval_holds_zero_are_faint():
    e = explain(WALK, Series(window=3))
    e = replace(e, scores=np.array([4.0, 4.0, -4.0]), stderr=np.array([0.5, 3.0, 3.0]), dof=20)
    ax = series(e)
    np.testing.assert_allclose(ax.images[0].get_array()[0], np.repeat([4.0, 1.2, -1.2], [3, 3, 1]))
    assert ax.images[0].get_clim() == (-4, 4)
    assert "Faint: the 95 % interval includes zero (2 of 3 units)" in ax.child_axes[0].get_xlabel()
    assert "faint" not in series(replace(e, stderr=None)).child_axes[0].get_xlabel()


@pytest.mark.parametrize("channels", ["last", "first"])
@pytest.mark.parametrize("by_channel", [False, True])
def test_channels_are_bands_in_their_order(channels, by_channel):
    x = TABLE if channels == "last" else TABLE.T
    masker = Series(window=4, by_channel=by_channel, channels=channels, names=["$a$", "b", "flat"])
    weights = np.arange(1.0, TABLE.size + 1)
    weights[::3] *= -1

    def linear(rows):
        rows = np.asarray(rows, float)
        return (rows if channels == "last" else rows.transpose(0, 2, 1)).reshape(len(rows), -1) @ weights

    ax = series(lc.Explainer(linear, masker, lc.Shapley(), kind="output")(x))
    np.testing.assert_allclose(ax.images[0].get_array(), by_hand(TABLE, 4, by_channel).T, atol=1e-9)
    assert ax.images[0].get_extent() == [-0.5, 6.5, 0, 3]
    first, second, third = shapes(ax)
    np.testing.assert_allclose(first, 2.1 + 0.8 * (WALK - 1) / 8)  # the top band is from 2 to 3
    np.testing.assert_allclose(second, 1.1 + 0.8 * (WALK[::-1] - 1) / 8)
    assert third.tolist() == [0.5] * 7
    labels = ax.get_yticklabels()
    assert [label.get_text() for label in labels] == ["$a$\n1 to 9", "b\n10 to 90", "flat\n2 to 2"]
    assert ax.get_yticks().tolist() == [2.5, 1.5, 0.5]
    assert not any(label.get_parse_math() for label in labels)
    ax.figure.draw_without_rendering()


def test_many_channels_have_names_only():
    ax = series(explain(np.tile(WALK[:, None], 13), Series(window=7, channels="last")))
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"channel {c}" for c in range(13)]
    assert len(ax.lines) == 13


def test_axes_are_used_and_constant_series_drawn():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert series(explain(np.full(4, 3), Series(window=2)), left) is left
    assert left.get_ylim() == (2, 4)
    assert series(explain(TABLE, Series(window=2, channels="last")), right, dark=True, palette="shap") is right
    figure.draw_without_rendering()
    assert right.get_facecolor()[:3] == pytest.approx(np.array(lc.show.palette.DARK.background) / 255, abs=1e-3)


def test_bad_input_is_refused():
    def two_outputs(rows):
        return np.stack([np.sum(rows, axis=1), np.max(rows, axis=1)], axis=1)

    e = lc.Explainer(two_outputs, Series(window=2), lc.Shapley(), kind="output", target="all")(WALK)
    panels = series(e).child_axes
    assert [panel.get_title(loc="left") for panel in panels] == ["output 0", "output 1"]
    for k, panel in enumerate(panels):
        np.testing.assert_allclose(panel.images[0].get_array(), series(e, output=k).images[0].get_array())
    np.testing.assert_allclose(series(e, output=0).images[0].get_array()[0, :2], (WALK - WALK.mean())[:2].sum())
    text = lc.explain(lambda texts: [len(t) for t in texts], "a text", kind="output")
    with pytest.raises(
        ShowError, match="Expected an input of kind 'series' for this figure, got an input of kind 'text'"
    ):
        series(text)


def test_names_of_channels_are_drawn_as_they_can_be():
    view = SeriesView(series=np.eye(2), channels=("x" * 10**5, "\x1b\u202e$a$\ud800"), labels=[[0, 0], [1, 1]])
    e = Explanation(np.ones(2), 0.0, 2.0, lc.Graph.chain(2), 4, view=view)
    ax = series(e)
    names = [label.get_text().partition("\n")[0] for label in ax.get_yticklabels()]
    assert names == ["x" * 23 + "…", "$a$□"]
    FigureCanvasAgg(ax.figure).draw()
