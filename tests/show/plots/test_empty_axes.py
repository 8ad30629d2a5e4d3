"""Sets without explanations can be drawn, and figures of one explanation take sets of one."""

import numpy as np
import pytest
from explanation_sets import array_set
from many_explanations import draw

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.show.plots.choose import KINDS
from lcshap.show.plots.choose_set import FIGURES_OF_SETS

OTHER_ARGUMENTS = {"neighbourhood", "curves"}  # figures that take a graph, or masking curves
FIGURES = sorted((set(KINDS) | {"bar", "masked_image", "plot"}) - OTHER_ARGUMENTS)
EMPTY_SETS = {
    "none": lc.Explanations(),
    "slice": array_set()[0][:0],
    "errors": lc.Explanations([lc.errors.ModelError("no answer"), lc.errors.ModelError("no answer")]),
}


@pytest.mark.parametrize("xs", EMPTY_SETS.values(), ids=EMPTY_SETS)
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_says_that_a_set_is_empty(name, xs):
    ax = getattr(lc.plots, name)(xs, dark=name == "plot")
    draw(ax)
    (text,) = ax.texts
    assert text.get_text() == ("no explanations: 2 inputs failed" if xs.errors else "no explanations")


def test_the_set_itself_is_drawn_too():
    for kind in (None, *FIGURES_OF_SETS):
        ax = lc.Explanations().plot(kind)
        assert [text.get_text() for text in ax.texts] == ["no explanations"]


def test_an_empty_figure_is_drawn_on_given_axes():
    ax = lc.plots.bars(array_set()[0])
    assert lc.plots.scatter(lc.Explanations(), "age", ax) is ax
    with pytest.raises(TypeError, match="unexpected keyword argument 'size'"):
        lc.plots.scatter(lc.Explanations(), size=3)


def test_a_summary_of_no_explanations_has_the_usual_columns():
    xs, _, _ = array_set()
    table = lc.plots.summary(lc.Explanations())
    assert list(table.columns) == list(lc.plots.summary(xs).columns)
    assert len(table) == 0


def test_a_figure_of_one_explanation_takes_a_set_of_one():
    xs, scores, _ = array_set(names=["a", "b", "c"])
    drawn = lc.plots.waterfall(xs[2:3], top=3)
    lengths = sorted(patch.get_width() for patch in drawn.patches)
    np.testing.assert_allclose(lengths, sorted([*scores[2], 0.0]), atol=1e-12)  # and the residual
    with pytest.raises(ShowError, match=r"Expected one explanation for the figure waterfall, got a set of 6.*xs\[0\]"):
        lc.plots.waterfall(xs)
    with pytest.raises(ShowError, match="Expected one explanation for the figure image, got a set of 6"):
        lc.plots.image(xs)
