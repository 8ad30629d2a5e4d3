"""What figures share: axes, colours, the line below the colour bar, files."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import lcshap as lc
from lcshap.core.views import ImageView, TextView
from lcshap.show.palette import DARK, LIGHT, find_palette, rgb_to_hex
from lcshap.show.plots.base import (
    choose_outputs,
    colour_bar,
    colour_map,
    flip_caption_inches,
    magnitude_map,
    one_output,
    prepare_axes,
    save,
    score_colours,
    theme_colours,
    value_map,
    view_of,
)

GRAPH = lc.Graph.chain(3, names=["$a", "b", "c"])
GAME = lc.Game(lambda kept: kept @ np.array([3.0, 0.0, 1.0]), 3)


def test_new_axes_have_the_size_that_is_asked_for():
    ax = prepare_axes(None, (3.0, 2.0), dark=False)
    assert ax.figure.get_size_inches().tolist() == [3, 2]


@pytest.mark.parametrize("dark", [False, True])
def test_axes_have_the_colours_of_the_theme(dark):
    user_axes = Figure().add_subplot()
    assert prepare_axes(user_axes, (1.0, 1.0), dark) is user_axes
    background = rgb_to_hex((DARK if dark else LIGHT).background)
    assert theme_colours(dark) is (DARK if dark else LIGHT)
    assert user_axes.get_facecolor() == Figure(facecolor=background).get_facecolor()
    assert [side for side, spine in user_axes.spines.items() if spine.get_visible()] == ["left", "bottom"]


def test_the_colour_map_is_the_palette():
    table = (np.array(colour_map("paper")([0.0, 0.5, 1.0]))[:, :3] * 255).round().astype(int)
    assert table.tolist() == [[255, 0, 0], [255, 255, 255], [0, 0, 255]]
    rgb = score_colours(np.array([1.0, -0.5]), 1.0, "shap", dark=True)
    assert rgb == [find_palette("shap").colour(score, 1.0, dark=True) for score in (1.0, -0.5)]


def test_one_output_of_several():
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ np.eye(3), 3), GRAPH)
    assert one_output(e, 2) == e.output(2)
    with pytest.raises(lc.errors.ShowError, match="Expected one output, got 3"):
        one_output(e)
    assert one_output(e.output(0)) == e.output(0)


def test_outputs_by_number_and_by_target():
    record = {"targets": ["cat", ["dog", "cow"], "cat"]}
    e = lc.Explanation(np.eye(3), np.zeros(3), np.ones(3), GRAPH, 8, record)
    assert [one.scores.tolist() for one in choose_outputs(e)] == np.eye(3).tolist()
    assert choose_outputs(e, -1)[0].scores.tolist() == [0, 0, 1]
    assert choose_outputs(e, target=("dog", "cow"))[0].scores.tolist() == [0, 1, 0]
    single = e.output(1)
    assert choose_outputs(single, target="dog rather than cow") == [single]
    with pytest.raises(lc.errors.ShowError, match="Expected target as one of 'dog rather than cow', got 'cat'"):
        choose_outputs(single, target="cat")
    with pytest.raises(lc.errors.ShowError, match="does not name its targets"):
        choose_outputs(lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2), target="cat")


@pytest.mark.parametrize("dark", [False, True])
def test_colour_maps_of_values_and_magnitudes(dark):
    palette = find_palette("default")
    colours = np.array(palette.dark_values if dark else palette.values) / 255
    theme = DARK if dark else LIGHT
    values, sizes = value_map("default", dark), magnitude_map("default", dark)
    np.testing.assert_allclose(values(np.linspace(0, 1, len(colours)))[:, :3], colours, atol=0.01)
    np.testing.assert_allclose(values(np.nan)[:3], np.array(theme.faint) / 255)
    np.testing.assert_allclose(sizes([0.0, 1.0])[:, :3], [np.array(theme.background) / 255, colours[0]], atol=0.01)


def test_views_of_another_kind_are_refused():
    view = TextView(text="a", spans=[[0, 1]], labels=[0])
    e = lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2, view=view)
    assert view_of(e, TextView) is view
    with pytest.raises(
        lc.errors.ShowError, match="Expected an input of kind 'image' for this figure, got an input of kind 'text'"
    ):
        view_of(e, ImageView)


@pytest.mark.parametrize(("size", "lines"), [(6.0, 3), (2.0, 5)])
def test_the_line_below_says_all_there_is(size, lines):
    e = lc.DeletionPath(8, flip_below=0.5).explain(GAME, GRAPH)
    ax = prepare_axes(None, (size, 2.0), dark=False)
    label = colour_bar(ax, e, 3.0, "default", False, note="a note").get_xlabel()
    caption = " ".join(label.split())
    assert caption.replace(" · ", " ").startswith("base value 0 full value 4 residual 0 a note")
    assert caption.endswith(f"Without *$a*, *c*, the decision changes. {lc.DeletionPath.caution}")
    assert label.count("\n") + 1 >= lines


def test_a_new_figure_has_room_for_what_a_path_says():
    path, other = lc.DeletionPath(8, flip_below=0.5).explain(GAME, GRAPH), lc.Shapley().explain(GAME, GRAPH)
    assert flip_caption_inches(other, 4.0) == 0 < flip_caption_inches(path, 4.0) < flip_caption_inches(path, 1.0)
    label = path.plot("network").child_axes[0].xaxis.label
    figure = label.figure
    FigureCanvasAgg(figure).draw()
    assert label.get_window_extent().y0 >= figure.bbox.y0


@pytest.mark.parametrize("name", ["a.png", "a.SVG", "a.pdf"])
def test_files(tmp_path, name):
    path = save(prepare_axes(None, (2.0, 1.0), dark=True), str(tmp_path / name))
    assert path == tmp_path / name
    assert path.stat().st_size > 300


def test_other_files_are_refused(tmp_path):
    with pytest.raises(
        lc.errors.ShowError, match=r"Expected a file name that ends in \.png, \.svg or \.pdf for a figure, got 'a\.txt'"
    ):
        save(prepare_axes(None, (2.0, 1.0), dark=False), tmp_path / "a.txt")
