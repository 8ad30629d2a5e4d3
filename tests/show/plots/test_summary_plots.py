"""Many explanations at once, against sums in plain Python."""

import statistics
import sys

import numpy as np
import pytest
from many_explanations import TEXTS, by_hand, draw, model, rows

import lcshap as lc
from lcshap.core.explanations.unit_keys import normalise_word
from lcshap.show.plots.beeswarm import beeswarm
from lcshap.show.plots.summary_plots import summary, summary_bars

pytestmark = pytest.mark.filterwarnings("ignore:No installed font")  # some names are Chinese


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
        both = summary(several_outputs, None)
        assert list(dict.fromkeys(both["target"])) == ["output 0", "output 1"]
        first = both[both["target"] == "output 0"].drop(columns="target").reset_index(drop=True)
        assert first.equals(summary(several_outputs, None, output=0))
        panels = summary_bars(several_outputs).child_axes
        assert [panel.get_title(loc="left") for panel in panels] == ["output 0", "output 1"]


class TestBars:
    def test_the_parts_of_a_bar_are_the_positive_and_the_negative_scores(self, reviews):
        ax = summary_bars(reviews, top=3, palette="paper")
        draw(ax)
        table = summary(reviews, 3)
        expected = by_hand(reviews, normalise_word)
        above, below = ax.patches[:3], ax.patches[3:]
        for name, positive, negative in zip(table["name"], above, below, strict=True):
            scores = [score for score, _ in expected[name]]
            assert positive.get_width() == pytest.approx(sum(s for s in scores if s > 0) / 4)
            assert negative.get_width() == pytest.approx(-sum(s for s in scores if s < 0) / 4)
            assert negative.get_x() == pytest.approx(positive.get_width())
        ends = [p.get_x() + p.get_width() for p in below]
        np.testing.assert_allclose(ends, table["per_input"])
        assert rows(ax) == [f"{n} ({c})" if c != 4 else n for n, c in zip(table["name"], table["count"], strict=True)]
        assert {p.get_facecolor()[:3] for p in above} == {(0, 0, 1)}
        assert {p.get_facecolor()[:3] for p in below} == {(1, 0, 0)}
        assert [t.get_text() for t in ax.texts] == [f"{length:.4g}" for length in table["per_input"]]

    def test_a_legend_names_both_colours(self, table):
        ax = summary_bars(table[1], palette="paper")
        draw(ax)
        assert rows(ax) == ["two", "one", "none"]
        legend = ax.get_legend()
        assert [t.get_text() for t in legend.get_texts()] == ["raises (scores > 0)", "lowers (scores < 0)"]
        assert [p.get_facecolor()[:3] for p in legend.get_patches()] == [(0, 0, 1), (1, 0, 0)]
        assert legend.get_window_extent().y0 >= ax.get_window_extent().y1 - 1  # above the bars, whatever their length


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
    def test_one_class_is_chosen_by_its_name(self, mixed, plot):
        ax = plot(mixed, target="neg")
        assert not [child for child in ax.child_axes if child.get_title(loc="left")]
        assert ax.get_xlabel().startswith("log_prob of neg")
        assert "1 input" in ax.get_xlabel()
        with pytest.raises(lc.errors.ShowError, match="Expected target as one of 'neg', 'pos', got 'neutral'"):
            plot(mixed, target="neutral")

    @pytest.mark.parametrize("plot", [summary_bars, beeswarm])
    def test_one_class_for_all_is_named(self, mixed, plot):
        ax = plot(mixed[2:])
        draw(ax)
        assert ax.get_xlabel().startswith("log_prob of pos · ")
