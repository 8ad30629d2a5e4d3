"""Bars of cohorts: means of |score| and their standard errors against NumPy."""

import numpy as np
import pandas as pd
import pytest
from explanation_sets import array_set, row_explanations, text_explanations
from matplotlib.backends.backend_agg import FigureCanvasAgg

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.plots import bar, bars, summary_bars

LABELS = np.array(["m", "f", "f", "m", "f", "f", "m"], object)


def draw(ax):
    FigureCanvasAgg(ax.figure).draw()


@pytest.mark.parametrize(
    "by", [LABELS, LABELS.tolist(), pd.Series(LABELS, index=range(7, 0, -1)), pd.Categorical(LABELS)]
)
def test_lengths_errors_and_legend(by):
    xs, scores, _ = array_set(7, 3, names=list("abc"))
    ax = bars(xs, by=by)
    draw(ax)
    order = np.argsort(-np.abs(scores).mean(axis=0), kind="stable")
    assert [t.get_text() for t in ax.get_yticklabels()] == [xs.names[unit] for unit in order]
    for k, name in enumerate("fm"):
        members = np.abs(scores[name == LABELS][:, order])
        patches = ax.containers[2 * k + 1 if len(ax.containers) > 2 else k].patches
        np.testing.assert_allclose([p.get_width() for p in patches], members.mean(axis=0))
        segments = np.array(ax.collections[k].get_segments())[..., 0]
        error = members.std(axis=0, ddof=1) / np.sqrt(len(members))
        np.testing.assert_allclose(np.diff(segments, axis=1)[:, 0] / 2, error)
        assert all(abs(p.get_y() + p.get_height() / 2 - row) < 0.41 for row, p in enumerate(patches))
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["f (4 inputs)", "m (3 inputs)"]
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1 - 1


def test_missing_labels_are_a_cohort_and_numbers_are_names():
    xs, _, _ = array_set(4)
    ax = bars(xs, by=[1, 2, None, float("nan")])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["1 (1 input)", "2 (1 input)", "missing (2 inputs)"]


def test_labels_belong_to_inputs_whatever_their_target():
    explanations = list(row_explanations(5))
    panels = bars(explanations, by=["x", "y", "y", "y", "x"]).child_axes
    assert [panel.get_title(loc="left") for panel in panels] == ["log_prob of no", "log_prob of yes"]
    assert [t.get_text() for t in panels[0].get_legend().get_texts()] == ["x (2 inputs)", "y (1 input)"]
    assert [t.get_text() for t in panels[1].get_legend().get_texts()] == ["x (0 inputs)", "y (2 inputs)"]


def test_without_cohorts_many_explanations_are_drawn_as_summary_bars():
    xs, _, _ = array_set(7)
    for explanations in (xs, text_explanations()):
        expected, drawn = summary_bars(explanations, top=10), bar(explanations)
        assert [p.get_width() for p in drawn.patches] == [p.get_width() for p in expected.patches]
    assert bar is bars


def test_errors():
    xs, _, _ = array_set(7)
    with pytest.raises(ShowError, match=r"Expected by as 7 labels, one for each input, got shape \(3,\)"):
        bars(xs, by=["a", "b", "c"])
    with pytest.raises(ShowError, match=r"Expected at most 6 cohorts, got 7.*pandas.cut"):
        bars(xs, by=np.arange(7))
    with pytest.raises(ShowError, match="Expected explanations of many inputs for by=, got one explanation"):
        bars(xs[0], by=["a"])
    with pytest.raises(ShowError, match="Expected top as an integer of at least 1, got 0"):
        bars(xs, by=LABELS, top=0)
    with pytest.raises(ShowError, match="Expected the same units in all inputs"):
        bars(text_explanations(), by=["a", "a", "b"])
    draw(bars(lc.Explanations.from_arrays(np.zeros((2, 1)), 0.0, np.zeros(2)), by=["a", "b"]))
