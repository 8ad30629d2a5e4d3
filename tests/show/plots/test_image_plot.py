"""Heat maps and masked images: the arrays that are drawn against closed forms and pixels coloured by hand."""

from dataclasses import replace

import matplotlib.pyplot
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import lcshap as lc
from lcshap.core.views import ImageView
from lcshap.errors import ShowError
from lcshap.maskers import Image
from lcshap.show.plots.image_plot import image, masked_image

X = np.array([[0.0, 1.0, 2.0, 9.0], [4.0, 0.0, 6.0, 7.0]])
W = np.array([[1.0, -2.0, 0.5, 0.1], [3.0, -0.3, -1.0, 0.25]])
RED, BLUE = (255, 0, 0), (0, 0, 255)


def linear(rows):
    return np.asarray(rows, float).reshape(len(rows), -1) @ np.resize(W, rows[0].size)


def explain(x=X, masker=None, **options):
    return lc.Explainer(linear, masker or Image(), lc.Shapley(), kind="output", **options)(x)


def composed(ax):
    """The colours of the pixels, the heat map laid over the image, from 0 to 255."""
    under, heat = ax.images
    ends, share = heat.cmap(heat.norm(heat.get_array()))[..., :3], np.asarray(heat.get_alpha())[..., None]
    return np.rint(255 * (np.asarray(under.get_array()) * (1 - share) + ends * share)).astype(int)


def pale(x, alpha=0.75):
    """An image in grey, from its darkest to its brightest pixel, so pale on white."""
    shade = (x - x.min()) / np.ptp(x)
    return np.repeat((1 + (1 - alpha) * (shade - 1))[..., None], 3, axis=2)


def borders_of(ax):
    return [c for c in ax.collections if isinstance(c, LineCollection)]


def label_of(ax):
    return ax.child_axes[0].get_xlabel()


def test_the_heat_map_is_the_closed_form_of_a_linear_model_over_the_image():
    e = explain()
    ax = image(e)
    under, heat = ax.images
    expected = W * (X - X.mean())
    np.testing.assert_allclose(under.get_array(), pale(X))
    np.testing.assert_allclose(heat.get_array(), expected, atol=1e-9)
    limit = np.abs(expected).max()
    assert heat.get_clim() == pytest.approx((-limit, limit))
    assert not borders_of(ax)
    assert len(matplotlib.pyplot.get_fignums()) <= 10  # it keeps the last ones only


def test_photographs_stay_visible_under_their_colours():
    photo = np.random.default_rng(0).random((70, 80))
    e = lc.explain(lambda x: x[:, :35].mean(axis=(1, 2)), photo, Image(patch=40), kind="output", method=lc.Shapley())
    under, heat = image(e).images
    np.testing.assert_allclose(under.get_array(), pale(photo, 0.4))
    assert np.asarray(heat.get_alpha()).max() == 0.75
    np.testing.assert_allclose(image(e, alpha=0.9).images[0].get_array(), pale(photo, 0.9))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("palette", ["default", "paper", "shap"])
def test_the_largest_score_has_the_full_colour_and_zero_the_background(palette, dark):
    e = explain()
    e = replace(e, scores=np.array([-2.0, 1.0, 0, 0, 0, 0, 0, 2.0]))
    ax = image(e, palette=palette, dark=dark, alpha=1)
    rgb = composed(ax)
    bar = ax.child_axes[0].collections[-1]  # its mesh
    for score, place in ((-2.0, (0, 0)), (1.0, (0, 1)), (0.0, (0, 2)), (2.0, (1, 3))):
        np.testing.assert_allclose(rgb[place], 255 * np.array(bar.to_rgba(score))[:3], atol=2)
    assert tuple(composed(image(e, palette=palette, dark=dark))[1, 3]) == tuple(rgb[1, 3])  # however pale the image is
    colour_scale = lc.show.palette.PALETTES[palette]
    assert tuple(rgb[1, 3]) == (colour_scale.dark_positive if dark else colour_scale.positive)
    assert tuple(rgb[0, 0]) == (colour_scale.dark_negative if dark else colour_scale.negative)
    assert tuple(rgb[0, 2]) == (lc.show.palette.DARK if dark else lc.show.palette.LIGHT).background


def test_one_pixel_that_stands_out_leaves_the_others_their_colours():
    view = Image().mask(np.zeros((20, 20))).view
    scores = np.linspace(-1, 1, 400)
    scores[7] = 60.0
    e = lc.Explanation(scores, 0.0, float(scores.sum()), lc.Graph.grid((20, 20)), 9, {}, view=view)
    ax = image(e)
    limit = np.percentile(np.abs(scores), 99)
    assert limit < 1.0
    assert ax.images[1].get_clim() == pytest.approx((-limit, limit))
    assert ax.images[1].get_alpha().max() == 1.0
    assert "the colours end at the 99th percentile of |score|" in label_of(ax)
    ticks = [label.get_text() for label in ax.child_axes[0].get_xticklabels()]
    assert ticks[0].startswith("lowers ≤ −0.9")
    assert ticks[2].startswith("raises ≥ +0.9")
    assert image(e, limit=60.0).images[1].get_clim() == (-60.0, 60.0)
    assert "percentile" not in label_of(image(e, limit=60.0))


def test_patches_and_regions_have_borders_between_units_only():
    ax = image(explain(np.arange(16.0).reshape(4, 4), Image(patch=2)))
    sides = {tuple(map(tuple, line)) for line in np.asarray(borders_of(ax)[0].get_segments()).tolist()}
    upright = {((1.5, y - 0.5), (1.5, y + 0.5)) for y in range(4)}
    assert sides == upright | {((x - 0.5, 1.5), (x + 0.5, 1.5)) for x in range(4)}
    e = explain(X, Image(labels=np.array([[5, 5, 5, 9], [5, 9, 9, 9]])))
    ax = image(e)
    np.testing.assert_array_equal(ax.images[1].get_array(), e.scores[[[0, 0, 0, 1], [0, 1, 1, 1]]])
    assert len(borders_of(ax)[0].get_segments()) == 4
    blank = np.zeros((20, 30, 1))
    view = ImageView(image=blank, reference=blank, labels=np.arange(600).reshape(20, 30) // 2 % 301)
    crowded = replace(e, graph=lc.Graph.chain(301), scores=np.ones(301), view=view)
    assert not borders_of(image(crowded))


def test_pixels_of_no_unit_have_no_colour():
    e = explain()
    labels = e.view.labels.copy()
    labels[0, :2] = -1
    ax = image(replace(e, view=replace(e.view, labels=labels)))
    np.testing.assert_array_equal(composed(ax)[0, :2], np.rint(255 * pale(X))[0, :2])
    assert (composed(ax)[0, 2:] != np.rint(255 * pale(X))[0, 2:]).any()


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("channels", [3, 4])
def test_colours_are_shown_by_their_brightness(dtype, channels):
    x = np.random.default_rng(0).integers(0, 200, (2, 3, channels)).astype(dtype)
    under = image(explain(x, Image(channels="last"))).images[0].get_array()
    expected = np.array([[0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2] for p in row.astype(float)] for row in x])
    np.testing.assert_allclose(under, pale(expected))
    two = image(explain(x[..., :2], Image(channels="last"))).images[0].get_array()
    np.testing.assert_allclose(two, pale((x[..., 0].astype(float) + x[..., 1]) / 2))


def test_the_colour_bar_says_what_the_scores_sum_to():
    e = replace(explain(), base_value=-1.5, full_value=2.25, scores=np.full(8, 0.25))
    ax = image(e)
    assert [fact.strip() for fact in label_of(ax).split(" · ")] == [
        "base value −1.5",
        "prediction 2.25",
        "residual 1.75",
    ]
    ticks = [label.get_text() for label in ax.child_axes[0].get_xticklabels()]
    assert ticks == ["lowers −0.25", "0", "raises +0.25"]
    says = replace(e, provenance={**e.provenance, "value": "log_prob"})
    ticks = [label.get_text() for label in image(says).child_axes[0].get_xticklabels()]
    assert ticks == ["against −0.25", "0", "for +0.25"]
    assert "residual 0" in label_of(image(replace(e, full_value=0.5 + 1e-15)))
    dark = image(e, dark=True).child_axes[0].get_facecolor()[:3]  # it shines through
    assert dark == pytest.approx(np.array(lc.show.palette.DARK.background) / 255, abs=1e-3)
    small = Figure(figsize=(2, 2)).subplots()
    assert label_of(image(e, small)).count("\n") == 2


def test_axes_are_used_and_returned_and_all_zero_scores_drawn():
    figure = Figure(figsize=(4, 2))
    left, right = figure.subplots(1, 2)
    e = explain()
    assert image(e, left) is left
    assert masked_image(e, right) is right
    assert image(replace(e, scores=np.zeros(8)), left).images[-1].get_clim() == (-1, 1)
    figure.draw_without_rendering()


@pytest.mark.parametrize(("percent", "count"), [(0, 0), (1, 1), (20, 2), (25, 2), (50, 4), (100, 8)])
def test_the_units_that_rank_first_are_red_where_active_and_blue_elsewhere(percent, count):
    e = explain()
    picture = masked_image(e, percent=percent, palette="paper").images[0].get_array()
    expected = W * (X - X.mean())
    top = sorted(range(8), key=lambda i: (-expected.flat[i].round(9), i))[:count]
    for i in range(8):
        row, column = divmod(i, 4)
        level = round(255 * X[row, column] / 9)
        colour = (RED if X[row, column] > X.mean() else BLUE) if i in top else (level,) * 3
        assert tuple(picture[row, column].tolist()) == colour


def test_active_pixels_by_a_threshold_and_by_an_array():
    e = explain()
    picture = masked_image(e, percent=100, active=6, palette="paper").images[0].get_array()
    assert (picture == RED).all(axis=2).tolist() == (X > 6).tolist()
    mine = np.arange(8).reshape(2, 4) % 3 == 0
    picture = masked_image(e, percent=100, active=mine, dark=True, palette="paper").images[0].get_array()
    assert (picture == lc.show.palette.PALETTES["paper"].dark_negative).all(axis=2).tolist() == mine.tolist()


def test_whole_units_are_coloured_and_flat_images_drawn():
    e = explain(np.arange(16.0).reshape(4, 4) - 40, Image(patch=2))
    picture = masked_image(e, percent=25).images[0].get_array()
    grey = (picture == picture[..., :1]).all(axis=2)
    row, column = divmod(int(np.argmax(e.scores)), 2)
    expected = np.ones((4, 4), bool)
    expected[2 * row : 2 * row + 2, 2 * column : 2 * column + 2] = False
    assert grey.tolist() == expected.tolist()
    flat = masked_image(explain(np.full((2, 2), 7, np.uint8)), percent=0).images[0].get_array()
    assert flat.tolist() == np.zeros((2, 2, 3)).tolist()


def test_a_real_digit():
    digits = load_digits()
    flat = digits.data / 16
    model = LogisticRegression(max_iter=300).fit(flat[:1000], digits.target[:1000])

    def chances(images):
        return model.predict_proba(np.reshape(images, (len(images), -1)))

    x = flat[1500].reshape(8, 8)
    e = lc.Explainer(chances, Image(), lc.LShapley(1), kind="probabilities")(x)
    picture = masked_image(e, percent=20, palette="paper").images[0].get_array()
    red, blue = ((picture == colour).all(axis=2) for colour in (RED, BLUE))
    assert red.sum() + blue.sum() == 13  # round(12.8)
    assert (x[red] > x.mean()).all()
    assert (x[blue] <= x.mean()).all()
    assert set(np.flatnonzero(red | blue)) == set(np.argsort(-e.scores, kind="stable")[:13])


def test_what_the_colours_of_masked_units_mean_is_said_below_a_new_figure():
    e = explain()
    ax = masked_image(e, percent=50)
    legend = ax.get_legend()
    assert legend.get_title().get_text() == "masked first: the 50 % of the pixels with the largest scores"
    assert [text.get_text() for text in legend.get_texts()] == ["brighter than the mean", "not brighter than the mean"]
    marks = [tuple(round(255 * channel) for channel in mark.get_facecolor()[:3]) for mark in legend.get_patches()]
    picture = np.asarray(ax.images[0].get_array())
    top = np.isin(np.arange(8).reshape(2, 4), e.ranking[:4])
    assert {tuple(c) for c in picture[top & (X.mean() < X)].tolist()} == {marks[0]}
    assert {tuple(c) for c in picture[top & (X.mean() >= X)].tolist()} == {marks[1]}
    assert masked_image(e, percent=0).get_legend() is None
    assert masked_image(e, Figure().subplots()).get_legend() is None  # one of many, as in the paper
    by_number = masked_image(e, active=2.5).get_legend()
    assert by_number.get_texts()[0].get_text() == "brighter than 2.5"
    patches = masked_image(explain(np.arange(16.0).reshape(4, 4), Image(patch=2)), active=np.eye(4, dtype=bool))
    assert patches.get_legend().get_title().get_text() == "masked first: the 25 % of the units with the largest scores"
    assert [text.get_text() for text in patches.get_legend().get_texts()] == ["active", "not active"]
    patches.figure.canvas.draw()
    box = patches.get_legend().get_window_extent()
    assert min(box.x0, box.y0, patches.figure.bbox.x1 - box.x1) > -1


@pytest.fixture(scope="module")
def photo():
    picture = np.random.default_rng(0).integers(0, 256, (70, 80, 3)).astype(np.uint8)
    masker = Image(patch=40, channels="last")
    return picture, lc.explain(lambda x: x[:, :35].mean(axis=(1, 2, 3)), picture, masker, kind="output")


class TestOriginal:
    def test_a_colourful_photograph_stands_beside_its_scores(self, photo):
        picture, e = photo
        under, heat, original = image(e).images
        np.testing.assert_array_equal(original.get_array(), picture)
        left, right, bottom, top = original.get_extent()
        assert (right - left, bottom - top) == (80, 70)
        assert right < under.get_extent()[0]
        assert heat.get_extent() == under.get_extent()
        assert image(e).get_xlim()[0] == left
        shade = picture @ np.array([0.299, 0.587, 0.114])
        np.testing.assert_allclose(under.get_array(), pale(shade, 0.65))  # paler, as the photograph is on the left
        assert np.asarray(heat.get_alpha()).max() == 0.9

    def test_only_where_it_is_of_use_or_asked_for(self, photo):
        _, e = photo
        assert len(image(e, original=False).images) == 2
        assert len(image(e, Figure().subplots()).images) == 2  # axes of the caller have room for one image
        assert len(image(e, Figure().subplots(), original=True).images) == 3
        small = explain()
        assert len(image(small).images) == 2
        assert np.ptp(np.asarray(image(small, original=True).images[2].get_array()), axis=2).max() == 0

    def test_floats_of_any_range(self, photo):
        picture, e = photo
        scaled = replace(e, view=replace(e.view, image=picture / 127.5 - 1))
        np.testing.assert_allclose(image(scaled).images[2].get_array(), picture, atol=1)


def test_several_outputs_have_a_panel_each():
    def two_outputs(rows):
        return np.stack([linear(rows), -linear(rows)], axis=1)

    e = lc.Explainer(two_outputs, Image(), lc.Shapley(), kind="output", target="all")(X)
    for figure in (image, masked_image):
        panels = figure(e).child_axes
        assert [panel.get_title(loc="left") for panel in panels] == ["output 0", "output 1"]
        for k, panel in enumerate(panels):
            np.testing.assert_allclose(panel.images[-1].get_array(), figure(e, output=k).images[-1].get_array())
    np.testing.assert_allclose(image(e, output=1).images[1].get_array(), -W * (X - X.mean()), atol=1e-9)
    best = masked_image(e, output=1, percent=1, palette="paper").images[0].get_array()
    assert (best == BLUE).all(axis=2).sum() == 1


@pytest.mark.parametrize("percent", [-1, 100.5, np.nan])
def test_percent_outside_0_to_100_is_refused(percent):
    with pytest.raises(ShowError, match="Expected percent from 0 to 100, got"):
        masked_image(explain(), percent=percent)


@pytest.mark.parametrize("active", [np.zeros((2, 3), bool), np.zeros((2, 4)), "bright", True])
def test_what_says_nothing_about_active_pixels_is_refused(active):
    with pytest.raises(ShowError, match=r"Expected active as a number or a boolean array of shape \(2, 4\), got"):
        masked_image(explain(), active=active)


def test_other_bad_input_is_refused():
    with pytest.raises(ShowError, match=r"Expected alpha from 0 to 1, got 1\.5"):
        image(explain(), alpha=1.5)
    with pytest.raises(ShowError, match="Expected one of the palettes default, paper, shap, got 'rainbow'"):
        image(explain(), palette="rainbow")
    text = lc.explain(lambda texts: [len(t) for t in texts], "a text", kind="output")
    for figure in (image, masked_image):
        with pytest.raises(
            ShowError, match="Expected an input of kind 'image' for this figure, got an input of kind 'text'"
        ):
            figure(text)
        with pytest.raises(
            ShowError, match="Expected an input of kind 'image' for this figure, got an explanation without a picture"
        ):
            figure(lc.Shapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 3), lc.Graph.chain(3)))
