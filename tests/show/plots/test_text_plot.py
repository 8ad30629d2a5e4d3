"""The text figure: what is on it, and where, by the artists that it draws."""

import io
import os
import pickle
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import lcshap as lc
from lcshap.show.plots.text_plot import text
from lcshap.show.plots.waterfall import waterfall
from lcshap.show.plots.wording import figure_number
from lcshap.show.words import cost_text

pytestmark = pytest.mark.filterwarnings("ignore:No installed font")  # some names are Chinese

SENTENCE = "It is not heartwarming or entertaining. It just sucks."
LONG = " ".join(f"{SENTENCE[:39]} {i}" for i in range(43))
MIDDLE = LONG[: LONG.index(" 9 ")]


def model(texts):
    """Short words speak for, long ones against, and neighbours change that."""
    outputs = []
    for words in map(str.split, texts):
        pairs = [(len(a) - 3.0) * (4 - len(b)) / 8 for a, b in pairwise(words)]
        outputs.append(sum(5.0 - len(w) for w in words) + sum(pairs))
    return outputs


@cache
def make_explanation(x=SENTENCE, masker=None, method=None):
    method = method or lc.LShapley(1, interactions=True)
    return lc.Explainer(model, masker or lc.maskers.Text(), method, kind="output")(x)


def drawn(ax):
    """The figure drawn by Agg: the words, their boxes in pixels and their colours, and the arcs."""
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    boxes = next(c for c in ax.collections if isinstance(c, PolyCollection))
    arcs = [c for c in ax.collections if isinstance(c, PathCollection)]
    to_pixels = boxes.get_transform()
    corners = [to_pixels.transform(path.vertices[:4]) for path in boxes.get_paths()]
    return ax.texts, corners, boxes.get_facecolor()[:, :3], arcs[0] if arcs else None


def inside(inner, outer, slack=1.5):
    return bool((inner.min >= outer.min - slack).all() and (inner.max <= outer.max + slack).all())


class TestWords:
    def test_every_unit_has_a_box_of_its_colour(self):
        e = make_explanation()
        words, boxes, fills, _ = drawn(text(e, palette="paper"))
        assert [w.get_text() for w in words[:9]] == SENTENCE.split()
        assert len(boxes) == 9
        limit = max(abs(e.scores))
        for score, fill, word in zip(e.scores, fills, words, strict=False):
            share = abs(score) / limit
            expected = (1 - share, 1 - share, 1) if score > 0 else (1, 1 - share, 1 - share)
            np.testing.assert_allclose(fill, expected, atol=0.003)
            bright = 0.2126 * fill[0] ** 2.2 + 0.7152 * fill[1] ** 2.2 + 0.0722 * fill[2] ** 2.2
            assert (bright + 0.05) / 0.05 > 4 or to_rgb(word.get_color()) == (1, 1, 1)
            assert 1.05 / (bright + 0.05) > 4 or to_rgb(word.get_color()) == (0, 0, 0)

    def test_a_limit_makes_colours_paler(self):
        e = make_explanation()
        limit = max(abs(e.scores))
        _, _, fills, _ = drawn(text(e, limit=2 * limit, palette="paper"))
        np.testing.assert_allclose(fills[np.argmax(abs(e.scores))].min(), 0.5, atol=0.003)

    def test_dark(self):
        ax = text(make_explanation(), dark=True)
        words, _, fills, _ = drawn(ax)
        assert max(to_rgb(ax.figure.get_facecolor())) < 0.2
        assert fills.min() < 0.2
        assert to_rgb(words[-1].get_color()) > (0.8, 0.8, 0.8)

    def test_the_line_below(self):
        e = make_explanation()
        words = [w.get_text() for w in text(e).texts[9:]]
        largest = abs(e.interactions).max()
        assert words[:2] == [f"lowers −{max(abs(e.scores)):.4g}", f"raises +{max(abs(e.scores)):.4g}"]
        assert words[2:4] == ["output 0", f"base value 0 → prediction {model([SENTENCE])[0]:.4g}".replace("-", "−")]
        assert words[4].removeprefix("residual ") == figure_number(e.residual, e)
        assert words[5:] == [cost_text(e), f"arcs: interactions, ±{largest:.4g}"]

    def test_a_path_says_what_flips_the_decision(self):
        e = make_explanation(method=lc.DeletionPath(60, flip_below=-3.0))
        assert e.flipped
        caption = " ".join(w.get_text() for w in drawn(text(e))[0][9:])
        assert "Without *" in caption
        assert caption.endswith(f"the decision changes. {lc.DeletionPath.caution}")
        assert "the model would" not in " ".join(w.get_text() for w in text(make_explanation()).texts)

    def test_what_is_no_unit_stays_and_has_no_box(self):
        e = make_explanation(masker=lc.maskers.Text(pin=frozenset({"It"}), splitter=r"\w+"))
        words, boxes, _, _ = drawn(text(e))
        assert "".join(w.get_text() for w in words[:11]) == "".join(SENTENCE.split())
        assert len(boxes) == 7
        assert {w.get_color() for w in words[:11] if w.get_text() in ("It", ".")} == {"#969696"}

    def test_a_unit_of_many_words_has_one_box_a_line(self):
        e = make_explanation(SENTENCE * 3, lc.maskers.Text(units="sentence"))
        ax = text(e, Figure(figsize=(3, 3)).add_axes((0, 0, 1, 1)))
        words, boxes, _, _ = drawn(ax)
        count = len((SENTENCE * 3).split())
        lines = sorted((round(w.get_position()[1], 3) for w in words[:count]), reverse=True)
        units = np.searchsorted(e.view.spans[:, 1], np.cumsum([len(w) + 1 for w in (SENTENCE * 3).split()]) - 1)
        assert len(boxes) == len(set(zip(units, lines, strict=True)))
        assert len(boxes) > e.graph.d

    def test_saved_and_loaded(self, tmp_path):
        e = make_explanation()
        again = lc.load(e.save(tmp_path / "e.json"))
        assert drawn(text(again))[2].tolist() == drawn(text(e))[2].tolist()

    def test_groups_and_tokens(self):
        e = make_explanation().group([0, 0, 0, 0, 0, 0, 1, 1, 1])
        assert len(drawn(text(e))[1]) == 2
        tokens = lc.Explainer(
            lambda rows: [float(sum(r)) for r in rows], lc.maskers.Tokens(), lc.Shapley(), kind="output"
        )
        assert [w.get_text() for w in text(tokens([3, 1, 2])).texts[:3]] == ["3", "1", "2"]


class TestPlaces:
    @pytest.mark.parametrize(("width", "height", "dpi"), [(8, 3, 100), (3, 2.5, 72), (2, 4, 200), (12, 0.8, 100)])
    @pytest.mark.parametrize("x", [SENTENCE, MIDDLE])
    def test_words_are_in_their_boxes_and_all_in_the_axes(self, x, width, height, dpi):
        figure = Figure(figsize=(width, height), dpi=dpi)
        ax = text(make_explanation(x), figure.add_axes((0.05, 0.05, 0.9, 0.9)))
        words, boxes, _, _ = drawn(ax)
        frame = ax.get_window_extent()
        assert len(boxes) == len(x.split())
        for word, corners in zip(words, boxes, strict=False):
            extent = word.get_window_extent()
            assert corners[:, 0].min() <= extent.x0 + 1
            assert corners[:, 0].max() >= extent.x1 - 1
            assert inside(extent, frame, 2)
        spans = sorted((round(c[:, 1].min()), c[:, 0].min(), c[:, 0].max()) for c in boxes)
        assert all(a[2] <= b[1] + 0.1 for a, b in pairwise(spans) if a[0] == b[0])
        assert all(inside(small.get_window_extent(), frame, 2) for small in ax.texts)

    def test_a_new_figure_is_as_high_as_the_text(self):
        short, long = (text(make_explanation(x)) for x in (SENTENCE, LONG))
        assert short.figure.get_size_inches()[1] < 1.2
        words, _, _, _ = drawn(long)
        assert len(words) > 300
        assert words[0].get_fontsize() > 9
        assert inside(words[-1].get_window_extent(), long.figure.bbox)

    def test_another_size_another_layout(self):
        ax = text(make_explanation(MIDDLE), Figure(figsize=(8, 4)).add_axes((0, 0, 1, 1)))
        before = [w.get_position() for w in drawn(ax)[0]]
        assert [w.get_position() for w in drawn(ax)[0]] == before
        ax.figure.set_size_inches(4, 8)
        words, _, _, _ = drawn(ax)
        assert max(w.get_window_extent().x1 for w in words) <= 402
        assert min(w.get_position()[1] for w in words) < min(y for _, y in before)

    @pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
    def test_files(self, kind):
        stream = io.BytesIO()
        text(make_explanation()).figure.savefig(stream, format=kind, bbox_inches="tight")
        assert len(stream.getvalue()) > 1000

    def test_a_figure_can_be_pickled(self):
        again = pickle.loads(pickle.dumps(text(make_explanation()).figure)).axes[0]
        assert len(drawn(again)[1]) == 9


class TestArcs:
    def test_the_largest_by_sign_and_size(self):
        e = make_explanation()
        _, _, _, arcs = drawn(text(e, palette="paper"))
        interactions = {tuple(pair): e.interactions[tuple(pair)] for pair in e.graph.edges.tolist()}
        order = sorted((p for p, v in interactions.items() if v), key=lambda p: abs(interactions[p]))
        assert len(arcs.get_paths()) == len(order) > 5
        assert {interactions[pair] > 0 for pair in order} == {True, False}
        for pair, colour in zip(order, arcs.get_edgecolor(), strict=True):
            assert tuple(colour[:3]) == ((0, 0, 1) if interactions[pair] > 0 else (1, 0, 0))
        sizes = np.array([abs(interactions[pair]) for pair in order])
        widths = np.array(arcs.get_linewidth())
        slope = (widths[-1] - widths[0]) / (sizes[-1] - sizes[0])
        np.testing.assert_allclose(widths, widths[0] + slope * (sizes - sizes[0]))
        assert slope > 0
        assert len(drawn(text(e, interactions=3))[3].get_paths()) == 3
        assert len(drawn(text(make_explanation(MIDDLE)))[3].get_paths()) == 10

    def test_they_join_their_words(self):
        e = make_explanation("a not very bad film", method=lc.LShapley(2, interactions=True))
        words, boxes, _, arcs = drawn(text(e, interactions=1))
        pair = max(e.graph.edges.tolist(), key=lambda p: abs(e.interactions[tuple(p)]))
        (path,) = arcs.get_paths()
        ends = arcs.get_transform().transform(path.vertices)[[0, -1]]
        for unit, (x, y) in zip(pair, ends, strict=True):
            assert boxes[unit][:, 0].min() < x < boxes[unit][:, 0].max()
            assert y == pytest.approx(boxes[unit][:, 1].max())
        assert words[1].get_text() == "not"

    def test_across_lines_both_ends_are_drawn(self):
        e = make_explanation(method=lc.LShapley(1, interactions=True), masker=lc.maskers.Text(graph="complete"))
        ax = text(e, Figure(figsize=(2, 3)).add_axes((0, 0, 1, 1)), interactions=50)
        _, _, _, arcs = drawn(ax)
        assert len(arcs.get_paths()) == np.count_nonzero(np.triu(e.interactions.toarray(), 1))
        assert {len(path.vertices) for path in arcs.get_paths()} == {4, 8}

    def test_none(self):
        e = make_explanation()
        assert drawn(text(e, interactions=False))[3] is None
        assert drawn(text(make_explanation(method=lc.Shapley())))[3] is None
        nothing = lc.Explainer(
            lambda t: [0.0] * len(t), lc.maskers.Text(), lc.LShapley(1, interactions=True), kind="output"
        )
        assert drawn(text(nothing("a b")))[3] is None


class TestOddTexts:
    def test_letters_are_drawn_as_they_are(self):
        x = "costs $5 or $6_000, $\\foo{ 50% ^_^ <b>x</b> \\alpha"
        words, _, _, _ = drawn(text(make_explanation(x)))
        assert [w.get_text() for w in words[: len(x.split())]] == x.split()
        assert not any(w.get_parse_math() or w.get_usetex() for w in words)

    @pytest.mark.parametrize(
        "x", ["电影很好看。 good", "ok 👍🏽 👨‍👩‍👧 x", "naïve\u0301\tcafé\r\nyes", "a\x00b \ud800", "w" * 500]
    )
    def test_what_no_font_has_is_no_error(self, x):
        _, boxes, _, _ = drawn(text(make_explanation(x)))
        assert len(boxes) >= 1


class TestErrors:
    def test_no_text(self):
        plain = lc.Shapley().explain(lc.Game(lambda k: 1.0 * k.sum(axis=1), 3), lc.Graph.chain(3))
        with pytest.raises(
            lc.errors.ShowError,
            match="Expected an input of kind 'text' for this figure, got an explanation without a picture",
        ):
            text(plain)

    def test_several_outputs(self):
        def two_outputs(texts):
            return np.array([model(texts), model(texts)]).T * [1, -2]

        e = lc.Explainer(
            two_outputs, lc.maskers.Text(), lc.LShapley(1, interactions=True), target="all", kind="output"
        )(SENTENCE)
        both = [w.get_text() for w in text(e).texts]
        assert both.count(SENTENCE.split()[0]) == 2 * SENTENCE.split().count(SENTENCE.split()[0])
        assert {"0", "1"} <= set(both)  # the names of the rows
        strings = [w.get_text() for w in text(e, output=1).texts]
        assert "output 1" in strings
        assert f"raises +{2 * max(abs(make_explanation().scores)):.4g}" in strings

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"limit": 0}, "Expected limit as a number above 0, the score of the full colour, got"),
            ({"limit": "big"}, "Expected limit as a number above 0, the score of the full colour, got"),
            ({"interactions": -1}, "Expected interactions as True, False or the number of pairs to draw, got"),
            ({"interactions": "all"}, "Expected interactions as True, False or the number of pairs to draw, got"),
            ({"palette": "rainbow"}, "Expected one of the palettes default, paper, shap, got 'rainbow'"),
        ],
    )
    def test_bad_options(self, options, words):
        with pytest.raises(lc.errors.ShowError, match=words):
            text(make_explanation(), **options)


def blurred(picture):
    """Means of 4 x 4 pixels: another version of a font renderer makes a difference of 5 or so, no arcs one of 24."""
    high, wide = (n // 4 for n in picture.shape[:2])
    return picture[: 4 * high, : 4 * wide].reshape(high, 4, wide, 4, 3).mean(axis=(1, 3))


@pytest.mark.parametrize("draw", [text, waterfall], ids=["text", "waterfall"])
def test_looks_as_before(draw):
    """Against a stored picture; LCSHAP_WRITE_BASELINE=1 writes it anew."""
    path = Path(__file__).parent / "baseline" / f"{draw.__name__}.png"
    with rc_context({"font.family": ["DejaVu Sans"], "font.size": 10}):
        ax = draw(make_explanation())
        ax.figure.set_size_inches(6, 1.2 if draw is text else 3.6)
        ax.figure.set_dpi(60)
        canvas = FigureCanvasAgg(ax.figure)
        canvas.draw()
    picture = np.asarray(canvas.buffer_rgba())[..., :3].astype(float)
    from PIL import Image as image  # noqa: N813

    if os.environ.get("LCSHAP_WRITE_BASELINE") == "1":
        path.parent.mkdir(exist_ok=True)
        image.fromarray(picture.astype(np.uint8)).quantize(128).save(path, optimize=True)
    with image.open(path) as stored:
        before = np.asarray(stored.convert("RGB")).astype(float)
    assert picture.shape == before.shape
    assert np.abs(blurred(picture) - blurred(before)).mean() < 7
