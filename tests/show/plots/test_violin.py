"""Violins: densities against a kernel estimate of SciPy, medians and quartiles against NumPy."""

import time

import numpy as np
import pytest
from explanation_sets import array_set, text_explanations
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from scipy.stats import gaussian_kde

import lcshap as lc
from lcshap.plots import violin
from lcshap.show.plots.violin import silverman_bandwidth, violin_strips


def value_set(n=400):
    values = np.random.default_rng(0).normal(size=(n, 3))
    scores = values * [1.0, -3.0, 0.2]
    return lc.Explanations.from_arrays(scores, 0.0, scores.sum(axis=1), names=list("abc"), data=values)


def draw(ax):
    FigureCanvasAgg(ax.figure).draw()


def test_the_outline_is_a_kernel_density():
    scores = np.random.default_rng(1).gamma(2.0, size=500)
    strips, _ = violin_strips(scores, np.zeros(500), 0)
    edges, heights = strips[:, 0, 0], strips[:, 3, 1]
    kernel = gaussian_kde(scores, silverman_bandwidth(scores) / scores.std(ddof=1))
    grid = np.linspace(scores.min() - 1, scores.max() + 1, 2000)
    expected = kernel(edges) / kernel(grid).max()
    np.testing.assert_allclose(heights / 0.42, expected, atol=0.03)
    assert strips[:, 0, 0].min() <= scores.min() < strips[:, 1, 0].min()
    assert strips[:, 0, 0].max() < scores.max() <= strips[:, 1, 0].max()


@pytest.mark.parametrize("dark", [False, True])
def test_rows_quartiles_and_colours(dark):
    xs = value_set()
    ax = violin(xs, dark=dark)
    draw(ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["b", "a", "c"]
    lines = [line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_linewidth() == 2]
    dots = [line for line in ax.lines if len(line.get_xdata()) == 1]
    for row, unit in enumerate([1, 0, 2]):
        quartiles = np.percentile(xs.scores[:, unit], [25, 50, 75])
        np.testing.assert_allclose(lines[row].get_xdata(), quartiles[[0, 2]])
        assert dots[row].get_xdata()[0] == pytest.approx(quartiles[1])
        assert dots[row].get_ydata()[0] == row
    (strips,) = (c for c in ax.collections if isinstance(c, PolyCollection))
    hues = np.asarray(strips.get_array())
    first_row = np.array([abs(path.vertices[:, 1]).max() < 0.5 for path in strips.get_paths()])
    assert hues[first_row][0] > 0.9  # the lowest scores of "b" are those of its highest values
    assert hues[first_row][-1] < 0.1
    assert ax.figure.axes[-1].get_ylabel() == "value, by rank"


def test_gaps_between_scores_have_colours_in_between():
    scores = np.array([0.0] * 50 + [1.0] * 50 + [100.0]) + np.linspace(0, 0.1, 101)
    _, hues = violin_strips(scores, np.linspace(0, 1, 101), 0)
    assert np.isfinite(hues).all()
    near, far = hues[5], hues[-1]
    assert hues[len(hues) // 2] == pytest.approx((near + far) / 2, abs=0.03)
    xs = lc.Explanations.from_arrays(scores[:, None], 0.0, scores, data=np.arange(101.0)[:, None])
    assert "grey" not in violin(xs).get_xlabel()


def test_all_inputs_of_a_large_set_are_used_in_little_time():
    xs, _, _ = array_set(100_000, 20)
    start = time.perf_counter()
    draw(violin(xs))
    assert time.perf_counter() - start < 20


def test_texts_targets_and_odd_input():
    draw(violin(text_explanations()))
    xs, _, _ = array_set(6, outputs=2, targets=["cat", "dog"])
    assert [p.get_title(loc="left") for p in violin(xs).child_axes if p.get_title(loc="left")] == ["cat", "dog"]
    one = violin(xs[0], target="dog")
    draw(one)
    strips, hues = violin_strips(np.zeros(5), np.full(5, np.nan), 3)
    assert strips.shape == (1, 4, 2)
    assert np.isnan(hues).all()
    gaps = lc.Explanations.from_arrays([[1.0, 0.0], [2.0, 0.0]], 0.0, [1.0, 2.0], data=[[np.nan, 1.0], [np.nan, 2.0]])
    ax = violin(gaps)
    draw(ax)
    assert ax.get_xlabel().endswith("grey: no number")
    with pytest.raises(lc.errors.ShowError, match="Expected a list of at least one explanation, got none"):
        violin([])
