"""Bars and waterfalls: their lengths are the scores, in order, and nothing is left out."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.linear_model import LinearRegression

import lcshap as lc
from lcshap.show.plots.bars import bars
from lcshap.show.plots.waterfall import waterfall
from support import table_game

pytestmark = pytest.mark.filterwarnings("ignore:No installed font")  # some names are Chinese

NAMES = ["It", "costs", "$5_$6", "", "x" * 60, "电影", "It", "a\nb", "50%", "ok", "zero", "last"]
GRAPH = lc.Graph.chain(12, names=NAMES)
WEIGHTS = np.array([3.0, -7.0, 1.0, 0.5, 2.0, -4.0, -3.5, 0.25, 6.0, -0.125, 0.0, 5.0])


def additive():
    return lc.Shapley().explain(lc.Game(lambda k: 2.0 + k @ WEIGHTS, 12), GRAPH)


def draw(ax):
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    return canvas


def rows(ax):
    return [t.get_text() for t in ax.get_yticklabels()]


def fill(patch):
    return tuple(round(255 * c) for c in patch.get_facecolor()[:3])


class TestBars:
    def test_lengths_order_and_others(self):
        ax = bars(additive(), top=4, palette="paper")
        order = sorted(range(12), key=lambda i: (-abs(WEIGHTS[i]), i))
        lengths = [p.get_width() for p in ax.patches]
        np.testing.assert_allclose(lengths[:4], WEIGHTS[order[:4]])
        assert lengths[4] == pytest.approx(WEIGHTS[order[4:]].sum())
        assert rows(ax) == ["costs", "50%", "last", "□□" if rows(ax)[3] == "□□" else "电影", "and 8 others"]
        assert [p.get_y() + p.get_height() / 2 for p in ax.patches] == pytest.approx(range(5))
        assert ax.get_ylim()[0] > ax.get_ylim()[1]
        blue, red, pale = (0, 0, 255), (255, 0, 0), (128, 128, 255)
        assert [fill(p) for p in ax.patches] == [red, blue, blue, red, pale]

    def test_all_of_them_and_one_other(self):
        assert len(bars(additive(), top=12).patches) == 12
        eleven = bars(additive(), top=11)
        assert len(eleven.patches) == 12
        assert not any("others" in name for name in rows(eleven))

    def test_names_are_drawn_as_they_are(self):
        ax = bars(additive(), top=12)
        draw(ax)
        assert {"$5_$6", "It (1)", "It (2)", "a b", "50%", "", "x" * 23 + "…"} <= set(rows(ax))
        assert not any(t.get_parse_math() for t in ax.get_yticklabels())

    def test_numbers_beside_and_below(self):
        ax = bars(additive(), top=2)
        assert [t.get_text() for t in ax.texts] == ["−7", "6", "4.125"]
        assert ax.get_xlabel() == f"base value 2 → full value {2 + WEIGHTS.sum():.4g}\nresidual 0 · 4,096 calls"
        draw(ax)
        frame, figure = ax.get_window_extent(), ax.figure.bbox
        for written in ax.texts:
            assert frame.x0 < written.get_window_extent().x0
            assert written.get_window_extent().x1 < figure.x1

    def test_error_bars_are_the_intervals(self):
        e = lc.SampleShapley(200).explain(table_game(12, seed=1)[0], GRAPH)
        ax = bars(e, top=5)
        order = np.argsort(-np.abs(e.scores))[:5]
        low, high = e.interval()
        (lines,) = [c for c in ax.collections if hasattr(c, "get_segments")]
        segments = np.array(lines.get_segments())
        assert segments.shape == (5, 2, 2)
        np.testing.assert_allclose(segments[:, 0, 0], low[order])
        np.testing.assert_allclose(segments[:, 1, 0], high[order])
        assert "95 % intervals" in ax.get_xlabel()

    def test_no_error_bars_where_there_are_too_few_samples(self):
        e = additive()
        unknown = lc.Explanation(e.scores, 2.0, 3.0, GRAPH, 9, stderr=np.full(12, np.inf), dof=0)
        ax = bars(unknown)
        draw(ax)
        assert not ax.collections
        assert "intervals" not in ax.get_xlabel()
        some = lc.Explanation(e.scores, 2.0, 3.0, GRAPH, 9, stderr=np.where(WEIGHTS < 0, np.inf, 1.0), dof=5)
        (lines,) = bars(some, top=12).collections
        assert len(lines.get_segments()) == (WEIGHTS >= 0).sum()

    def test_tables_show_values(self):
        x = np.random.default_rng(0).normal(size=(30, 3)) * [1, 1000, 1]
        model = LinearRegression().fit(x, x @ [1.0, 2.0, 3.0])
        masker = lc.maskers.Tabular(x, names=["age", "income", "id"], drop=["id"])
        e = lc.Explainer(model, masker, lc.Shapley())(np.array([1.5, 2500.0, 7.0]))
        assert rows(bars(e)) == ["income = 2,500", "age = 1.5"]

    def test_a_path_says_what_flips_the_decision(self):
        game = lc.Game(lambda k: k @ np.array([3.0, 0.0, 1.0]), 3)
        e = lc.DeletionPath(8, flip_below=0.5).explain(game, lc.Graph.chain(3, names=["$a", "b", "c"]))
        for ax in (bars(e), waterfall(e)):
            caption = " ".join(ax.get_xlabel().split())
            assert caption.endswith(f"Without *$a*, *c*, the decision changes. {lc.DeletionPath.caution}")
            draw(ax)

    def test_axes_given_and_dark(self):
        user_axes = Figure().add_subplot()
        assert bars(additive(), user_axes, dark=True) is user_axes
        assert max(to_rgb(user_axes.figure.get_facecolor())) < 0.2
        assert min(to_rgb(user_axes.get_yticklabels()[0].get_color())) > 0.8

    def test_nothing_at_all(self):
        zero = lc.Shapley().explain(lc.Game(lambda k: np.zeros(len(k)), 2), lc.Graph.chain(2))
        for ax in (bars(zero), waterfall(zero)):
            draw(ax)
            assert {p.get_width() for p in ax.patches} == {0.0}


@pytest.mark.parametrize("figure", [bars, waterfall])
class TestErrors:
    @pytest.mark.parametrize("top", [0, -1, 2.5, True, "all"])
    def test_top(self, figure, top):
        with pytest.raises(lc.errors.ShowError, match="Expected top as an integer of at least 1, got"):
            figure(additive(), top=top)

    def test_outputs(self, figure):
        several_outputs = lc.LShapley(1).explain(table_game(6, outputs=3)[0], lc.Graph.chain(6))
        ax = figure(several_outputs, output=1)
        assert ax.patches[0].get_width() == pytest.approx(max(several_outputs.scores[:, 1], key=abs))
        all_outputs = figure(several_outputs)
        draw(all_outputs)
        panels = all_outputs.child_axes
        assert [panel.get_title(loc="left") for panel in panels] == ["output 0", "output 1", "output 2"]
        for k, panel in enumerate(panels):
            assert panel.patches[0].get_width() == pytest.approx(max(several_outputs.scores[:, k], key=abs))
        tops = [panel.get_window_extent().y1 for panel in panels]
        assert tops == sorted(tops, reverse=True)

    def test_targets(self, figure):
        e = replace(
            lc.LShapley(1).explain(table_game(6, outputs=2)[0], lc.Graph.chain(6)),
            provenance={"targets": ["cat", "dog"]},
        )
        (panel_titles,) = {tuple(panel.get_title(loc="left") for panel in figure(e).child_axes)}
        assert panel_titles == ("cat", "dog")
        assert figure(e, target="dog").patches[0].get_width() == pytest.approx(max(e.scores[:, 1], key=abs))
        with pytest.raises(lc.errors.ShowError, match="Expected target as one of 'cat', 'dog', got 'cow'"):
            figure(e, target="cow")
        with pytest.raises(lc.errors.ShowError, match="Expected output= or target=, got both"):
            figure(e, target="dog", output=1)
        with pytest.raises(lc.errors.ShowError, match="Expected output as a number from 0 to 1, got 2"):
            figure(e, output=2)

    def test_too_many_outputs(self, figure):
        e = lc.LShapley(0).explain(table_game(4, outputs=9)[0], lc.Graph.chain(4))
        with pytest.raises(lc.errors.ShowError, match=r"Expected at most 8 targets or outputs.*got 9\. Choose one"):
            figure(e)

    def test_palette(self, figure):
        with pytest.raises(lc.errors.ShowError, match="Expected one of the palettes default, paper, shap, got 'none'"):
            figure(additive(), palette="none")
