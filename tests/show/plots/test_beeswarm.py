"""Beeswarms: each score is a point in the row of its unit, coloured by the value of the feature."""

import time

import numpy as np
import pytest
from many_explanations import by_hand, draw, rows
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import lcshap as lc
from lcshap.core.explanations.unit_keys import normalise_word
from lcshap.show.palette import find_palette
from lcshap.show.plots.beeswarm import beeswarm, swarm_offsets
from lcshap.show.plots.summary_plots import summary, summary_bars

pytestmark = pytest.mark.filterwarnings("ignore:No installed font")  # some names are Chinese


def test_every_score_is_a_point_in_its_row(reviews):
    ax = beeswarm(reviews, top=4)
    draw(ax)
    (points,) = ax.collections
    expected = by_hand(reviews, normalise_word)
    names = list(summary(reviews, 4)["name"])
    offsets = np.asarray(points.get_offsets())
    for row, name in enumerate(names):
        near = np.abs(offsets[:, 1] - row) < 0.45
        assert sorted(offsets[near, 0]) == pytest.approx(sorted(score for score, _ in expected[name]))
        hues = np.asarray(points.get_array())[near]
        assert sorted(hues) == pytest.approx(sorted(place for _, place in expected[name]))
    assert ax.figure.axes[-1].get_ylabel() == "place"


def test_tables_are_coloured_by_value(table):
    ax = beeswarm(table[1], dark=True, palette="paper")
    draw(ax)
    (points,) = ax.collections
    offsets, hues = np.asarray(points.get_offsets()), np.asarray(points.get_array())
    near = np.abs(offsets[:, 1]) < 0.45  # "two", whose score falls with its value
    assert hues[near][np.argmin(offsets[near, 0])] == 1
    assert hues[near][np.argmax(offsets[near, 0])] == 0
    np.testing.assert_allclose(sorted(hues[near]), np.arange(40) / 39)
    assert [t.get_text() for t in ax.figure.axes[-1].get_yticklabels()] == ["low", "high"]
    low, high = points.get_cmap()([0.0, 1.0])[:, :3] * 255
    assert low.round().tolist() == list(find_palette("paper").dark_values[0])
    assert high.round().tolist() == list(find_palette("paper").dark_values[-1])


def test_grey_where_a_unit_has_no_single_value(table):
    (points,) = beeswarm([e.group([0, 0, 1], ["both", "none"]) for e in table[1]]).collections
    unknown = np.ma.getmaskarray(points.get_array())
    assert unknown.sum() == 40
    FigureCanvasAgg(points.figure).draw()
    assert {tuple(c) for c in points.get_facecolor()[unknown]} == {(150 / 255, 150 / 255, 150 / 255, 1)}


def test_the_same_each_time_and_no_two_points_in_one_place():
    scores = np.repeat([0.0, 1.0, 5.0], [7, 1, 3])
    moved = swarm_offsets(scores, np.zeros(11, int))
    assert moved.tolist() == swarm_offsets(scores, np.zeros(11, int)).tolist()
    assert len(set(zip(scores, moved, strict=True))) == 11
    assert abs(swarm_offsets(np.zeros(500), np.zeros(500, int))).max() <= 0.43
    offsets = swarm_offsets(np.r_[np.zeros(500), np.arange(20.0), 5.0], np.r_[np.zeros(500, int), np.ones(21, int)])
    assert np.abs(offsets[500:]).max() == 0.15  # the crowded row does not press the points of the other one together
    assert swarm_offsets(np.array([0.0, 0.0]), np.array([0, 1])).tolist() == [0, 0]


def test_axes_given(reviews):
    for figure in (beeswarm, summary_bars):
        user_axes = Figure().add_subplot()
        assert figure(reviews, user_axes) is user_axes


def test_errors(reviews):
    with pytest.raises(lc.errors.ShowError, match="Expected top as an integer of at least 1, got"):
        beeswarm(reviews, top=1.5)
    with pytest.raises(lc.errors.ShowError, match="Expected a list of at least one explanation, got none"):
        beeswarm([None])


class TestLargeSets:
    @pytest.fixture(scope="class", name="large")
    @staticmethod
    def make_large():
        rng = np.random.default_rng(0)
        values = rng.normal(size=(100_000, 20))
        scores = values * np.linspace(2, 0.1, 20)
        names = [f"feature {i:02}" for i in range(20)]
        return lc.Explanations.from_arrays(scores, 0.0, scores.sum(axis=1), names=names, data=values, targets=["yes"])

    def test_a_sample_with_the_extremes_is_drawn_and_the_caption_says_so(self, large):
        start = time.perf_counter()
        ax = beeswarm(large, top=20)
        draw(ax)
        assert time.perf_counter() - start < 20  # about a second; a loop over inputs takes minutes
        (points,) = ax.collections
        offsets = np.asarray(points.get_offsets())
        assert 20 * 2000 < len(offsets) <= 20 * 2002
        assert points.get_rasterized()
        assert ax.get_xlabel() == "yes · 100,000 inputs · score · a sample of 2,000 inputs and the extremes are drawn"
        scores = large.scores
        assert rows(ax) == [f"feature {i:02}" for i in np.argsort(-np.abs(scores).mean(axis=0))]
        first = offsets[np.abs(offsets[:, 1]) < 0.45, 0]
        assert (first.min(), first.max()) == (scores[:, 0].min(), scores[:, 0].max())
        hues = np.asarray(points.get_array())[np.abs(offsets[:, 1]) < 0.45]
        assert hues[np.argmax(first)] == 1.0  # the rank among all inputs

    def test_max_inputs(self, large):
        few = beeswarm(large[:300], max_inputs=100)
        assert 100 * 20 < len(few.collections[0].get_offsets()) <= 102 * 20
        assert not few.collections[0].get_rasterized()
        assert len(beeswarm(large[:300], max_inputs=300).collections[0].get_offsets()) == 300 * 20
        with pytest.raises(lc.errors.ShowError, match="Expected max_inputs as an integer of at least 1, got 0"):
            beeswarm(large, max_inputs=0)

    def test_units_that_are_not_drawn_are_counted(self, large):
        assert "5 of 20 units" in beeswarm(large[:50], top=5).get_xlabel()
        assert "of 20 units" not in beeswarm(large[:50], top=20).get_xlabel()


class TestOddInput:
    def test_one_input_all_zero_and_missing_values(self):
        one = lc.Explanations.from_arrays([[1.0, -2.0]], 0.0, [-1.0], data=[[3.0, np.nan]])
        ax = beeswarm(one)
        draw(ax)
        assert len(ax.collections[0].get_offsets()) == 2
        assert "grey: no number" in ax.get_xlabel()
        zero = lc.Explanations.from_arrays(np.zeros((5, 2)), 0.0, np.zeros(5), data=np.zeros((5, 2)))
        draw(beeswarm(zero))
