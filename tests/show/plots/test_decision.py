"""Decision plots: paths are cumulative sums from the base value to the prediction."""

import numpy as np
import pytest
from explanation_sets import array_set, text_explanations
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.plots import decision
from lcshap.show.palette import find_palette, rgb_to_hex


def rows(ax):
    return [t.get_text() for t in ax.get_yticklabels()]


def draw(ax):
    FigureCanvasAgg(ax.figure).draw()


@pytest.mark.parametrize("dark", [False, True])
def test_paths_names_and_colours(dark):
    xs, scores, base = array_set(7, 4, names=list("abcd"))
    ax = decision(xs, dark=dark)
    draw(ax)
    order = np.argsort(-np.abs(scores).mean(axis=0), kind="stable")
    assert rows(ax) == [xs.names[unit] for unit in order]
    (lines,) = ax.collections
    for path, e_scores, start in zip(lines.get_segments(), scores, base, strict=True):
        np.testing.assert_allclose(path[:, 0], np.cumsum([start, *e_scores[order[::-1]]]))
        np.testing.assert_allclose(path[:, 1], [3.5, 2.5, 1.5, 0.5, -0.5])
    palette = find_palette("default")
    expected = [rgb_to_hex(palette.colour(1.0 if total > 0 else -1.0, 1.0, dark)) for total in scores.sum(axis=1)]
    assert [to_hex(colour) for colour in lines.get_colors()] == expected
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["prediction above the base value", "below"]
    low, high = ax.get_xlim()
    ends = np.concatenate([path[:, 0] for path in lines.get_segments()])
    assert low < ends.min() < ends.max() < high
    assert ax.get_xlabel() == "from the base value to the prediction · 7 inputs"


def test_other_units_come_first_and_the_residual_last():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(5, 6))
    xs = lc.Explanations.from_arrays(scores, 1.0, 1.0 + scores.sum(axis=1) + 2.0)
    ax = decision(xs, top=2)
    assert rows(ax)[0] == "residual"
    assert rows(ax)[-1] == "and 4 others"
    order = np.argsort(-np.abs(scores).mean(axis=0), kind="stable")
    for path, row in zip(ax.collections[0].get_segments(), scores, strict=True):
        np.testing.assert_allclose(
            path[:, 0], np.cumsum([1.0, row[order[2:]].sum(), row[order[1]], row[order[0]], 2.0])
        )


def test_highlighted_inputs_are_thick_and_on_top():
    xs, scores, base = array_set(40)
    others, thick = decision(xs, highlight=[3, 5]).collections
    assert (len(others.get_segments()), len(thick.get_segments())) == (38, 2)
    assert thick.get_linewidths()[0] > others.get_linewidths()[0]
    assert thick.get_zorder() > others.get_zorder()
    ends = [path[-1, 0] for path in thick.get_segments()]
    np.testing.assert_allclose(ends, (base + scores.sum(axis=1))[[3, 5]])
    for bad in ([40], [-1], [0.5]):
        with pytest.raises(ShowError, match="Expected highlight as numbers of inputs from 0 to 39, got"):
            decision(xs, highlight=bad)


def test_large_sets_are_sampled_with_the_highlighted_inputs():
    xs, _, _ = array_set(900)
    ax = decision(xs, max_inputs=50, highlight=[7])
    count = sum(len(lines.get_segments()) for lines in ax.collections)
    assert count in (50, 51)
    assert len(ax.collections[1].get_segments()) == 1
    assert "900 inputs · a sample of 50 is drawn" in ax.get_xlabel()


def test_several_outputs_one_explanation_and_odd_input():
    xs, scores, base = array_set(3, outputs=2, targets=["cat", "dog"])
    panels = decision(xs).child_axes
    assert [panel.get_title(loc="left") for panel in panels] == ["cat", "dog"]
    ends = [path[-1, 0] for path in panels[1].collections[0].get_segments()]
    np.testing.assert_allclose(ends, (base + scores.sum(axis=1))[:, 1])
    one = decision(xs[0], target="cat")
    assert len(one.collections[0].get_segments()) == 1
    draw(decision(lc.Explanations.from_arrays(np.zeros((4, 1)), 0.0, np.zeros(4))))
    with pytest.raises(ShowError, match="Expected the same units in all inputs"):
        decision(text_explanations())
    with pytest.raises(ShowError, match="Expected a list of at least one explanation, got none"):
        decision([])
