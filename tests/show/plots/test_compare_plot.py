"""Several methods on one input."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

import lcshap as lc
from lcshap.show.faded_scores import faded_scores
from lcshap.show.plots.compare_plot import compare
from lcshap.show.words import cost_text

pytestmark = pytest.mark.filterwarnings("ignore:No installed font")  # some names are Chinese

SENTENCE = "It is not heartwarming or entertaining."
METHODS = (lc.Shapley(), lc.LShapley(1), lc.LIME(20))


def model(texts):
    return [t.count("t") * (1.0 if "not" in t else -0.5) + len(t) / 50 for t in texts]


def make_explanation(method, x=SENTENCE):
    return lc.Explainer(model, lc.maskers.Text(), method, kind="output")(x)


def draw(ax):
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def expected(score, limit):
    share = abs(score) / limit
    return (1 - share, 1 - share, 1) if score > 0 else (1, 1 - share, 1 - share)


class TestTexts:
    @pytest.mark.parametrize("shared", [False, True])
    def test_a_row_each_with_its_own_colours(self, shared):
        explanations = [make_explanation(m) for m in METHODS]
        ax = compare(explanations, palette="paper", shared=shared)
        draw(ax)
        boxes = [c for c in ax.collections if isinstance(c, PolyCollection)][:3]
        shared_limit = max(abs(e.scores).max() for e in explanations)
        tops = []
        for e, row in zip(explanations, boxes, strict=True):
            limit = shared_limit if shared else abs(e.scores).max()
            colours = [expected(score, limit) for score in faded_scores(e)]
            np.testing.assert_allclose(row.get_facecolor()[:, :3], colours, atol=0.003)
            tops.append(row.get_paths()[0].vertices[:, 1].max())
        assert tops == sorted(tops, reverse=True)
        assert any("each row has its own scale" in t.get_text() for t in ax.texts) != shared
        words = [t.get_text() for t in ax.texts]
        assert words[:6] == SENTENCE.split()
        assert words[6] == "shapley"
        assert words.count("It") == 3
        for e in explanations:
            residual = "0" if abs(e.residual) < 1e-9 else f"{e.residual:.4g}".replace("-", "−")
            note = f"residual {residual} · {cost_text(e)}"
            assert any(w == note if shared else w.startswith(f"{note} · full colour: ±") for w in words)

    def test_words_stand_right_of_all_names_and_inside(self):
        ax = compare([make_explanation(m) for m in METHODS], ["a" * 90, "$x_$", "b\nc"])
        draw(ax)
        names = [t for t in ax.texts if t.get_text() in ("a" * 23 + "…", "$x_$", "b c")]
        assert len(names) == 3
        right = max(t.get_window_extent().x1 for t in names)
        first = [t for t in ax.texts if t.get_text() == "It"]
        assert len(first) == 3
        assert min(t.get_window_extent().x0 for t in first) > right
        assert max(t.get_window_extent().x1 for t in ax.texts) <= ax.figure.bbox.x1

    def test_names_tell_parameters_that_differ(self):
        ax = compare([make_explanation(m) for m in (lc.LShapley(1), lc.LShapley(2), lc.Shapley())])
        words = {t.get_text() for t in ax.texts}
        assert {"l-shapley, order 1", "l-shapley, order 2", "shapley"} <= words

    def test_axes_given(self):
        user_axes = Figure(figsize=(5, 3), layout="constrained").add_subplot()
        assert compare([make_explanation(METHODS[0])], ax=user_axes, dark=True) is user_axes
        draw(user_axes)
        frame = user_axes.get_window_extent()
        assert all(t.get_window_extent().x1 <= frame.x1 + 2 for t in user_axes.texts)


class TestOthers:
    def test_a_table_of_units_and_methods(self):
        graph = lc.Graph.chain(4, names=["a", "$b", "c", "文"])
        game = lc.Game(lambda k: k @ np.array([1.0, -2.0, 3.0, 0.0]) + k[:, 0] * k[:, 1], 4)
        explanations = [m.explain(game, graph) for m in (lc.Shapley(), lc.LShapley(0))]
        ax = compare(explanations, names=["one", "two"])
        draw(ax)
        shares = np.stack([e.scores / abs(e.scores).max() for e in explanations], axis=1)
        np.testing.assert_allclose(ax.images[0].get_array(), shares)
        assert [t.get_text() for t in ax.get_yticklabels()][:3] == ["a", "$b", "c"]
        assert [t.get_text().split("\n")[0] for t in ax.get_xticklabels()] == ["one", "two"]
        assert ax.get_xticklabels()[0].get_text() == "one\nresidual 0\n16 calls"
        assert [t.get_text() for t in ax.texts] == [
            f"{s:.4g}".replace("-", "−") for s in np.stack([e.scores for e in explanations], 1).ravel()
        ]
        both = compare(explanations, shared=True).images[0].get_array()
        np.testing.assert_allclose(both, np.stack([e.scores for e in explanations], axis=1) / 3)
        assert ax.get_xlabel() == "each column has its own scale: its largest |score| has the full colour"
        assert compare(explanations, shared=True).get_xlabel() == "one scale: the full colour is ±3"

    def test_of_many_units_the_strongest(self):
        weights = np.arange(60.0) - 20
        game = lc.Game(lambda k: k @ weights, 60)
        ax = compare([lc.LShapley(0).explain(game, lc.Graph.chain(60))])
        order = sorted(range(60), key=lambda i: (-abs(weights[i]), i))[:40]
        assert [t.get_text() for t in ax.get_yticklabels()] == [str(i) for i in order]
        assert ax.get_xlabel() == "the strongest 40 of 60 units"

    def test_images_side_by_side(self):
        picture = np.arange(16.0).reshape(4, 4)
        masker = lc.maskers.Image(patch=2)
        explanations = [
            lc.Explainer(lambda x: x[:, 0, 0] - x[:, 3, 3], masker, m, kind="output")(picture)
            for m in (lc.Shapley(), lc.FeatureAblation())
        ]
        ax = compare(explanations)
        draw(ax)
        insets = [a for a in ax.child_axes if a.images]
        assert [a.get_title().split("\n")[0] for a in insets] == ["shapley", "feature-ablation"]
        assert insets[0].get_position().x1 < insets[1].get_position().x0
        scales = [a.images[1].get_clim()[1] for a in compare(explanations, shared=True).child_axes if a.images]
        assert scales == [max(np.abs(e.scores).max() for e in explanations)] * 2


class TestErrors:
    def test_different_inputs(self):
        with pytest.raises(
            lc.errors.ShowError, match="Expected explanations of one input, got explanations of different texts"
        ):
            compare([make_explanation(lc.Shapley()), make_explanation(lc.Shapley(), "It is good.")])
        game = lc.Game(lambda k: 1.0 * k.sum(axis=1), 2)
        plain = [lc.Shapley().explain(game, lc.Graph.chain(2, names=n)) for n in (["a", "b"], ["c", "d"])]
        with pytest.raises(lc.errors.ShowError, match="different units"):
            compare(plain)

    def test_names(self):
        with pytest.raises(lc.errors.ShowError, match="Expected 2 names, one for each explanation, got 1"):
            compare([make_explanation(lc.Shapley())] * 2, ["one"])

    @pytest.mark.parametrize("no_explanations", [[], [1, 2]])
    def test_no_explanations(self, no_explanations):
        with pytest.raises(lc.errors.ShowError, match="Expected a list of at least one explanation, got none"):
            compare(no_explanations)
