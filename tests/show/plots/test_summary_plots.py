"""Many explanations at once, against sums in plain Python."""

import statistics
import sys

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.linear_model import LinearRegression

import lcshap as lc
from lcshap.show.plots.summary_plots import beeswarm, normalise_word, summary, summary_bars, swarm_offsets

pytestmark = pytest.mark.filterwarnings("ignore:No installed font")  # some names are Chinese

TEXTS = ["A good film, good fun.", "Bad; a BAD film!", "good", "-- “Good” -- $x_"]


def model(texts):
    low = [t.lower() for t in texts]
    return [t.count("good") * 1.5 - t.count("bad") * (2.0 + t.count("film")) for t in low]


@pytest.fixture(scope="module")
def reviews():
    return lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output")(TEXTS)


@pytest.fixture(scope="module")
def table():
    x = np.random.default_rng(0).normal(size=(40, 3))
    net = LinearRegression().fit(x, x @ [1.0, -3.0, 0.0])
    masker = lc.maskers.Tabular(x[:5], names=["one", "two", "none"])
    return x, lc.Explainer(net, masker, lc.Shapley())(list(x))


def by_hand(explanations, clean):
    scores_by_word = {}
    for e in explanations:
        for i, (name, score) in enumerate(zip(e.names, e.scores, strict=True)):
            scores_by_word.setdefault(clean(name), []).append((score, i / max(1, len(e.names) - 1)))
    return scores_by_word


def draw(ax):
    FigureCanvasAgg(ax.figure).draw()


def rows(ax):
    return [t.get_text() for t in ax.get_yticklabels()]


class TestSummary:
    def test_by_hand(self, reviews):
        table = summary(reviews, None)
        expected = by_hand(reviews, lambda name: name.lower().strip(".,;!“”") if name != "--" else name)
        expected["$x"] = expected.pop("$x_")
        assert set(table["name"]) == set(expected)
        for row in table.itertuples():
            scores, places = zip(*expected[row.name], strict=True)
            assert row.count == len(scores)
            assert row.mean == pytest.approx(statistics.mean(scores))
            assert row.mean_abs == pytest.approx(statistics.mean(map(abs, scores)))
            assert row.where == pytest.approx(statistics.mean(places))
            assert row.per_input == pytest.approx(sum(map(abs, scores)) / 4)
            if len(scores) > 1:
                assert row.std == pytest.approx(statistics.stdev(scores))
            else:
                assert np.isnan(row.std)
        assert table["per_input"].is_monotonic_decreasing
        assert list(table.columns) == ["name", "count", "mean", "mean_abs", "std", "where", "per_input"]

    def test_top_and_key(self, reviews):
        assert list(summary(reviews, 2)["name"]) == list(summary(reviews, None)["name"])[:2]
        assert set(summary(reviews, None, key=str)["name"]) == {name for e in reviews for name in e.names}
        assert list(summary(reviews, key=lambda name: "all")["count"]) == [sum(e.graph.d for e in reviews)]

    def test_features_of_tables_keep_their_names(self, table):
        by_name = summary(table[1]).set_index("name")
        assert list(by_name.index) == ["two", "one", "none"]
        assert (by_name["count"] == 40).all()
        scores = np.stack([e.scores for e in table[1]])
        np.testing.assert_allclose(by_name["mean"], scores.mean(axis=0)[[1, 0, 2]], atol=1e-12)
        np.testing.assert_allclose(by_name["per_input"], abs(scores).mean(axis=0)[[1, 0, 2]], atol=1e-12)

    @pytest.mark.parametrize(("name", "key"), [("(Straße)", "strasse"), ("...", "..."), ("U.S.", "u.s"), ("👍", "👍")])
    def test_words(self, name, key):
        assert normalise_word(name) == key

    def test_errors(self, reviews, monkeypatch):
        with pytest.raises(lc.errors.ShowError, match="Expected a list of at least one explanation, got none"):
            summary([])
        with pytest.raises(lc.errors.ShowError, match="Expected top as an integer of at least 1, got"):
            summary(reviews, 0)
        with pytest.raises(lc.errors.ShowError, match="Expected key to return a str for each name, got something else"):
            summary(reviews, key=len)
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(lc.errors.MissingExtraError, match="lcshap\\[pandas\\]"):
            summary(reviews)

    def test_outputs(self):
        def two_outputs(texts):
            return np.array([model(texts), np.zeros(len(texts))]).T

        several_outputs = lc.Explainer(two_outputs, lc.maskers.Text(), lc.Shapley(), kind="output", target="all")(
            TEXTS[:2]
        )
        assert summary(several_outputs, output=1)["per_input"].sum() == 0
        with pytest.raises(lc.errors.ShowError, match="Choose one, such as output=0"):
            summary(several_outputs)


class TestBars:
    def test_lengths_order_and_colours(self, reviews):
        ax = summary_bars(reviews, top=3, palette="paper")
        draw(ax)
        table = summary(reviews, 3)
        np.testing.assert_allclose([p.get_width() for p in ax.patches], table["per_input"])
        assert rows(ax) == [f"{n} ({c})" if c != 4 else n for n, c in zip(table["name"], table["count"], strict=True)]
        colours = dict(zip(table["name"], [p.get_facecolor()[:3] for p in ax.patches], strict=True))
        assert colours["good"] == (0, 0, 1)
        assert colours["bad"] == (1, 0, 0)

    def test_pale_where_signs_cancel(self, table):
        ax = summary_bars(table[1], palette="paper")
        scores = np.stack([e.scores for e in table[1]])[:, 1]
        share = abs(scores.mean()) / abs(scores).mean()
        assert min(ax.patches[0].get_facecolor()[:3]) == pytest.approx(1 - share, abs=0.003)
        assert rows(ax) == ["two", "one", "none"]


class TestBeeswarm:
    def test_every_score_is_a_point_in_its_row(self, reviews):
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

    def test_tables_are_coloured_by_value(self, table):
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
        assert low.round().tolist() == [255, 70, 70]
        assert high.round().tolist() == [90, 110, 255]

    def test_grey_where_a_unit_has_no_single_value(self, table):
        (points,) = beeswarm([e.group([0, 0, 1], ["both", "none"]) for e in table[1]]).collections
        unknown = np.ma.getmaskarray(points.get_array())
        assert unknown.sum() == 40
        FigureCanvasAgg(points.figure).draw()
        assert {tuple(c) for c in points.get_facecolor()[unknown]} == {(150 / 255, 150 / 255, 150 / 255, 1)}

    def test_the_same_each_time_and_no_two_points_in_one_place(self):
        scores = np.repeat([0.0, 1.0, 5.0], [7, 1, 3])
        moved = swarm_offsets(scores, np.zeros(11, int))
        assert moved.tolist() == swarm_offsets(scores, np.zeros(11, int)).tolist()
        assert len(set(zip(scores, moved, strict=True))) == 11
        assert abs(swarm_offsets(np.zeros(500), np.zeros(500, int))).max() <= 0.43
        assert swarm_offsets(np.array([0.0, 0.0]), np.array([0, 1])).tolist() == [0, 0]

    def test_axes_given(self, reviews):
        for figure in (beeswarm, summary_bars):
            user_axes = Figure().add_subplot()
            assert figure(reviews, user_axes) is user_axes

    def test_errors(self, reviews):
        with pytest.raises(lc.errors.ShowError, match="Expected top as an integer of at least 1, got"):
            beeswarm(reviews, top=1.5)
        with pytest.raises(lc.errors.ShowError, match="Expected a list of at least one explanation, got none"):
            beeswarm([None])


class TestSeveralClasses:
    """Scores for one class say nothing about another: they are never mixed."""

    @pytest.fixture
    def mixed(self):
        def logits(texts):
            return [[1.0 * t.lower().count("bad"), 1.5 * t.lower().count("good")] for t in texts]

        options = {"kind": "logits", "classes": ["neg", "pos"]}
        return lc.Explainer(logits, lc.maskers.Text(), lc.Shapley(), **options)(TEXTS)

    def test_a_table_has_rows_for_each_class(self, mixed):
        assert [e.provenance["targets"] for e in mixed] == [["pos"], ["neg"], ["pos"], ["pos"]]
        combined = summary(mixed, None)
        assert list(dict.fromkeys(combined["target"])) == ["log_prob of pos", "log_prob of neg"]
        for name, group in (("log_prob of pos", [mixed[0], *mixed[2:]]), ("log_prob of neg", mixed[1:2])):
            rows = combined[combined["target"] == name].drop(columns="target").reset_index(drop=True)
            assert rows.equals(summary(group, None))
        assert "target" not in summary(mixed[2:]).columns

    @pytest.mark.parametrize("plot", [summary_bars, beeswarm])
    def test_a_picture_has_a_panel_for_each_class(self, mixed, plot):
        ax = plot(mixed, top=3)
        draw(ax)
        panels = ax.child_axes
        assert [panel.get_title(loc="left") for panel in panels] == ["log_prob of pos", "log_prob of neg"]
        assert rows(panels[0])[0].startswith("good")
        assert rows(panels[1])[0].startswith("bad")
        assert "3 inputs" in panels[0].get_xlabel()
        assert "1 input" in panels[1].get_xlabel()

    @pytest.mark.parametrize("plot", [summary_bars, beeswarm])
    def test_one_class_for_all_is_named(self, mixed, plot):
        ax = plot(mixed[2:])
        draw(ax)
        assert ax.get_xlabel().startswith("log_prob of pos · ")
