"""The paper's figures, by their pixels and by what their axes hold."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

import lcshap as lc
from lcshap.core.views import ImageView
from lcshap.metrics import MaskingCurve
from lcshap.paper.experiments import figures
from lcshap.paper.experiments.study import METHOD_CANDIDATES
from lcshap.paper.experiments.theorems import sweep_couplings


@pytest.fixture
def drawn(monkeypatch):
    """Every figure that is written, before it is."""
    figures_written, save = [], Figure.savefig

    def keep(figure, *args, **options):
        figures_written.append(figure)
        return save(figure, *args, **options)

    monkeypatch.setattr(Figure, "savefig", keep)
    return figures_written


def test_masks_are_red_and_blue(tmp_path):
    """Of 25 pixels the 20 % ranked first are coloured: red where the image is bright, blue where it is not."""
    image = np.zeros((5, 5, 1))
    image[:, :2] = 1.0
    scores = np.zeros(25)
    scores[[0, 1, 2, 3, 4]] = 1.0  # the first row, two of them bright
    view = ImageView(image=image, reference=image * 0, labels=np.arange(25).reshape(5, 5))
    e = lc.Explanation(scores, 0.0, 5.0, lc.Graph.grid((5, 5)), 2, view=view)
    path = figures.masks_figure([{"saliency": e}, {"saliency": e}], tmp_path / "masks.png", 20, ["a", "b"])
    picture = imread(path)[..., :3]
    red, blue = ((picture == colour).all(axis=2).sum() for colour in ([1, 0, 0], [0, 0, 1]))
    assert red > 0
    assert blue / red == pytest.approx(3 / 2, rel=0.1)
    with pytest.raises(lc.errors.OptionError, match="by the same methods"):
        figures.masks_figure([{"saliency": e}, {"lime": e}], tmp_path / "masks.png")


def test_names_for_people():
    assert {name for name in METHOD_CANDIDATES if figures.label(name) == name} == {"auto"}
    assert figures.label("c-shapley-myerson-present") == "CShapley, Myerson weights, present"
    assert figures.label("a method of my own") == "a method of my own"


def test_curves_of_the_papers_methods_and_of_others(tmp_path, drawn):
    percents = np.array([0.0, 50.0, 100.0])

    def curves(slope, keep):
        values = [np.array([0.0, slope, 2 * slope]) + k for k in range(3)]
        return [MaskingCurve(percents, np.array([0, 1, 2]), v, "log-odds of yes", keep) for v in values]

    masked = {"lime": curves(-1, False), "deletion-path": curves(-2, False)}
    kept = {"lime": curves(1, True), "deletion-path": curves(2, True)}
    path = figures.curves_figure(masked, kept, tmp_path / "curves.png")
    assert path.read_bytes()[1:4] == b"PNG"
    titles = [ax.get_title(loc="left") for ax in drawn[0].axes]
    assert [t.split(":")[0] for t in titles if "masked" in t] == ["the paper's methods", "others"]
    legends = [text.get_text() for ax in drawn[0].axes if ax.get_legend() for text in ax.get_legend().get_texts()]
    assert legends == ["LIME", "DeletionPath"]


def test_a_sentence_by_several_methods(tmp_path, drawn):
    explainer = lc.Explainer(lambda texts: [float(len(t)) for t in texts], lc.maskers.Text(), kind="output")
    explanations = explainer.compare("not good at all", [lc.Shapley(), lc.LShapley(1)])
    path = figures.sentence_figure(
        dict(zip(("shapley", "l-shapley"), explanations, strict=True)), tmp_path / "sentence.png"
    )
    assert path.read_bytes()[1:4] == b"PNG"
    texts = " ".join(text.get_text() for text in drawn[0].axes[0].texts)
    labels = texts + " ".join(tick.get_text() for tick in drawn[0].axes[0].get_yticklabels())
    assert "LShapley" in labels


def test_errors_and_bounds_of_the_theorems(tmp_path, drawn):
    rows = sweep_couplings([0.01, 0.1])
    figures.theorems_figure(rows, tmp_path / "theorems.png")
    (ax,) = drawn[0].axes
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert len(lines) == 5
    np.testing.assert_allclose(lines["error of L-Shapley"].get_ydata(), [row.l_error for row in rows])
    np.testing.assert_allclose(lines["bound of Theorem 2: 4 ε"].get_ydata(), [row.c_bound for row in rows])
    np.testing.assert_allclose(lines["error of L-Shapley"].get_xdata(), [0.01, 0.1])
