"""Masking curves: lines are means, bands are t intervals, areas are those of the curves."""

import matplotlib.pyplot
import numpy as np
import pytest
import scipy.stats
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.metrics import MaskingCurve, masking_curve
from lcshap.show.plots.curves import curves

PERCENTS = np.array([0.0, 10.0, 20.0, 60.0])


def curve(values, what="log-odds of negative", percents=PERCENTS, keep=False):
    return MaskingCurve(np.array(percents, float), np.arange(len(values)), np.array(values, float), what, keep)


THREE = [curve([2, 1, 0, -1]), curve([3, 3, -1, -2]), curve([1, -2, -3, 4])]
DROPS = np.array([[0, -1, -2, -3], [0, 0, -4, -5], [0, -3, -4, 3]], float)


def lines_of(ax):
    return [line for line in ax.lines if len(line.get_xdata()) == len(PERCENTS)]


def labels_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("band", [0.5, 0.95])
def test_lines_are_means_of_drops_and_bands_their_t_intervals(band):
    ax = curves({"mine": THREE}, band=band)
    (line,) = lines_of(ax)
    np.testing.assert_array_equal(line.get_xdata(), PERCENTS)
    np.testing.assert_allclose(line.get_ydata(), DROPS.mean(axis=0))
    (area,) = ax.collections
    vertices = area.get_paths()[0].vertices
    for k in range(1, 4):
        low, high = scipy.stats.t.interval(band, 2, DROPS[:, k].mean(), scipy.stats.sem(DROPS[:, k]))
        here = vertices[vertices[:, 0] == PERCENTS[k], 1]
        assert (here.min(), here.max()) == pytest.approx((low, high))
        assert low < line.get_ydata()[k] < high
    assert len(matplotlib.pyplot.get_fignums()) <= 10  # it keeps the last ones only


def test_the_legend_has_the_mean_from_0_to_20_percent():
    ax = curves({"$a$": THREE, "b": THREE[:1]})
    by_hand = [(-1 / 2 + (-1 - 2) / 2) * 10 / 20, -4 * 10 / 2 / 20, (-3 / 2 + (-3 - 4) / 2) * 10 / 20]
    assert by_hand == pytest.approx([curve.area(20) for curve in THREE])
    assert labels_of(ax) == [
        f"$a$, {np.mean(by_hand):+.4g}".replace("-", "−"),
        f"b, {by_hand[0]:+.4g}".replace("-", "−"),
    ]
    assert not any(text.get_parse_math() for text in ax.get_legend().get_texts())
    assert ax.get_legend().get_title().get_text() == "method, mean from 0 to 20 %"
    without = curves({"a": curve([2, 1, 0, 1], percents=[0, 5, 30, 60])})
    assert labels_of(without) == ["a"]
    assert without.get_legend().get_title().get_text() == ""


def test_a_single_input_has_no_band():
    ax = curves({"one": THREE[0], "list of one": [THREE[1]]})
    assert not ax.collections
    assert [line.get_ydata().tolist() for line in lines_of(ax)] == DROPS[:2].tolist()


@pytest.mark.parametrize("dark", [False, True])
def test_lines_are_told_apart_without_colour(dark):
    ax = curves({f"method {n}": THREE for n in range(12)}, dark=dark)
    looks = [(line.get_linestyle(), line.get_marker()) for line in lines_of(ax)]
    assert len(set(looks)) == 12
    colours = [to_hex(line.get_color()) for line in lines_of(ax)]
    assert len(set(colours)) == len(colours)
    assert colours[0] == ("#5ca0e0" if dark else "#2166ac")
    ax.figure.draw_without_rendering()


def test_curves_of_explanations_and_of_a_real_model():
    words = ["good", "bad", "fine", "dull", "plot"]

    def chances(texts):
        logit = np.array([sum((1, -1, 0.5, -0.5, 0)[words.index(w)] for w in t.split()) for t in texts], float)
        good = 1 / (1 + np.exp(-logit))
        return np.stack([1 - good, good], axis=1)

    texts = ["good fine plot", "good bad fine dull", "bad plot"]
    explainer = lc.Explainer(chances, lc.maskers.Text(), lc.Shapley(), kind="probabilities", curve=True)
    explained = explainer(texts)
    ax = curves({"Shapley": [e.curve for e in explained]})
    measured = masking_curve(explainer, texts, explained)
    (line,) = (line for line in ax.lines if len(line.get_xdata()) == len(measured[0].percents))
    np.testing.assert_array_equal(line.get_ydata(), np.mean([c.values - c.values[0] for c in measured], axis=0))
    loaded = {key: value if key == "what" else value.tolist() for key, value in explained[0].curve.items()}
    again = curves({"from lists": loaded})
    assert again.lines[-1].get_ydata().tolist() == (measured[0].values - measured[0].values[0]).tolist()


def test_axes_say_what_is_drawn():
    ax = curves({"a": THREE})
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("units masked (%)", "change of the log-odds of negative")
    assert ax.get_xlim() == (0, 60)
    mixed = curves({"a": [*THREE, curve([1, 1, 1, 1], "log-odds of positive")]})
    assert mixed.get_ylabel() == "change of the log-odds"
    kept = curves({"a": curve([1, 2, 3, 4], "output", keep=True)})
    assert (kept.get_xlabel(), kept.get_ylabel()) == ("units kept (%)", "change of the output")
    user_axes = Figure().subplots()
    assert curves({"a": THREE}, user_axes) is user_axes


@pytest.mark.parametrize(
    ("wrong_curves", "message"),
    [
        ({}, "Expected curves of at least one method, got none"),
        ({"a": []}, "Expected at least one curve of 'a', got none"),
        ({"a": None}, r"Expected explanations with masking curves, got one by 'a' without.*Explainer.*curve=True"),
        (
            {"a": [THREE[0], None]},
            r"Expected explanations with masking curves, got one by 'a' without.*Explainer.*curve=True",
        ),
        ({"a": [3.5]}, r"Expected a MaskingCurve or the curve of an explanation for 'a', got 3\.5"),
        (
            {"a": {"percents": [0, 1]}},
            r"Expected a curve with percents, counts, values and what for 'a', got \['percents'\]",
        ),
        (
            {"a": THREE, "b": curve([1, 2], percents=[0, 5])},
            r"Expected curves at the same percents, got \[0\.0, 10\.0, 20\.0, 60\.0\] and \[0\.0, 5\.0\]",
        ),
        (
            {"a": THREE, "b": curve([1, 2, 3, 4], keep=True)},
            "Expected curves of masked units or curves of kept units, got both",
        ),
    ],
)
def test_what_is_no_curve_is_refused(wrong_curves, message):
    with pytest.raises(ShowError, match=message):
        curves(wrong_curves)


@pytest.mark.parametrize("band", [0, 1, 95, np.nan])
def test_a_confidence_outside_0_to_1_is_refused(band):
    with pytest.raises(ShowError, match="Expected a band between 0 and 1, got"):
        curves({"a": THREE}, band=band)
