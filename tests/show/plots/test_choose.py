"""Which figure an explanation gets."""

import importlib
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

import lcshap as lc
from lcshap import plots
from lcshap.show.plots.choose import KINDS, plot


def make_explanation(masker, x, **options):
    def model(rows):
        return [float(np.sum([len(str(cell)) for cell in np.ravel(row)])) for row in rows]

    return lc.Explainer(model, masker, lc.LShapley(1), kind="output", **options)(x)


TABLE = lc.maskers.Tabular(np.zeros((2, 3)))
INPUTS = {
    "text": lambda: make_explanation(lc.maskers.Text(), "a good film"),
    "image": lambda: make_explanation(lc.maskers.Image(patch=2), np.arange(16.0).reshape(4, 4)),
    "series": lambda: make_explanation(lc.maskers.Series(), np.arange(8.0)),
    "hexdump": lambda: make_explanation(lc.maskers.Bytes(), b"abcdefgh"),
    "molecule": lambda: make_explanation(lc.maskers.Molecule(), "CCO"),
    "bars": lambda: make_explanation(TABLE, np.array([1.0, 20.0, 3.0])),
}


@pytest.mark.parametrize("kind", INPUTS)
def test_the_input_decides(kind, monkeypatch):
    e, calls = INPUTS[kind](), []
    module = importlib.import_module(f"lcshap.show.plots.{KINDS[kind]}")
    monkeypatch.setattr(module, kind, lambda *arguments, **options: calls.append((arguments, options)))
    plot(e, dark=True, sentence=False)
    assert calls == [((e,), {"ax": None, "dark": True})]


def test_a_sentence_stands_above_a_new_figure_which_gets_higher():
    e = INPUTS["text"]()
    with_it, without = plot(e).figure, plot(e, sentence=False).figure
    assert with_it.get_suptitle().startswith("The model's output is ")
    assert "“good”" in with_it.get_suptitle()
    assert without.get_suptitle() == ""
    assert with_it.get_figheight() > without.get_figheight()
    user_figure = Figure()
    plot(e, ax=user_figure.add_subplot())
    assert user_figure.get_suptitle() == ""


def test_bars_where_there_is_no_picture():
    e = lc.Shapley().explain(lc.Game(lambda k: 1.0 * k.sum(axis=1), 3), lc.Graph.chain(3))
    user_axes = Figure().add_subplot()
    assert plot(e, ax=user_axes, top=2) is user_axes
    assert [p.get_width() for p in user_axes.patches] == pytest.approx([1, 1, 1])


@pytest.mark.parametrize(
    "kind", ["text", "bars", "waterfall", "network", "compare", "summary_bars", "beeswarm", "curves"]
)
def test_by_name(kind):
    e = make_explanation(lc.maskers.Text(), "a good film", curve=True)
    user_axes = Figure().add_subplot()
    assert plot(e, kind, user_axes) is user_axes
    assert user_axes.texts or user_axes.patches or user_axes.collections or user_axes.lines


def test_a_neighbourhood_is_of_the_graph():
    user_axes = Figure(figsize=(9, 4)).add_subplot()
    assert plot(INPUTS["text"](), "neighbourhood", user_axes, unit=1) is user_axes


def test_one_of_several_targets():
    def two_outputs(texts):
        return np.array([[1.0 * ("good" in t), 1.0 * ("bad" in t)] for t in texts])

    options = {"kind": "logits", "classes": ["neg", "pos"], "target": "all"}
    e = lc.Explainer(two_outputs, lc.maskers.Text(), lc.Shapley(), **options)("good or bad")
    assert plot(e).images  # the heat map of both
    one = plot(e, target="pos")
    assert not one.images
    assert "“pos”" in one.figure.get_suptitle() or "pos" in one.figure.get_suptitle()
    assert len(plot(e, "waterfall").child_axes) == 2


def test_errors():
    e = INPUTS["text"]()
    with pytest.raises(
        lc.errors.ShowError,
        match=r"Expected one of the figures text, image, masked_image, series, hexdump, molecule,.*beeswarm",
    ):
        plot(e, "pie")
    with pytest.raises(
        lc.errors.ShowError, match="Expected an input of kind 'image' for this figure, got an input of kind 'text'"
    ):
        plot(e, "image")
    with pytest.raises(
        lc.errors.ShowError,
        match=r"Expected an explanation with a masking curve, got one without.*Explainer.*curve=True",
    ):
        plot(e, "curves")


def test_every_figure_is_public():
    for kind, module in KINDS.items():
        assert getattr(plots, kind) is getattr(importlib.import_module(f"lcshap.show.plots.{module}"), kind)
        assert kind in plots.__all__
    assert all(callable(getattr(plots, name)) and getattr(plots, name).__doc__ for name in plots.__all__)


def test_importing_is_cheap_and_drawing_leaves_pyplot_alone():
    code = (
        "import sys, lcshap as lc, lcshap.plots as p\n"
        "print([m for m in ('matplotlib', 'pandas', 'rdkit') if m in sys.modules])\n"
        "e = lc.explain(lambda t: [float(len(x)) for x in t], 'a bc', kind='output')\n"
        "p.plot(e).figure.canvas, p.bars(e), p.waterfall(e), p.compare([e])\n"
        "print('matplotlib.pyplot' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\nFalse\n"


@pytest.mark.parametrize("kind", INPUTS)
def test_all_that_is_said_stays_on_the_figure(kind):
    record = {"value": "log_prob", "targets": ["a class with a rather long name"]}
    e = INPUTS[kind]()
    e = replace(e, base_value=-2.0, full_value=-0.1, provenance={**e.provenance, **record})
    figure = plot(e).figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    wide, high = figure.bbox.size
    parts = ("base value", "The model", "for +")
    captions = [text for text in figure.findobj(Text) if any(phrase in text.get_text() for phrase in parts)]
    assert len(captions) >= 2
    for text in captions:
        box = text.get_window_extent(canvas.get_renderer())
        assert min(box.x0, box.y0, wide - box.x1, high - box.y1) > -3
