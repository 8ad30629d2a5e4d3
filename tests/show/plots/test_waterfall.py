"""Waterfalls: steps lead from the base value to the full value, and no line crosses a label."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import lcshap as lc
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


def test_from_nothing_to_everything():
    e = lc.LShapley(1).explain(table_game(12, seed=3)[0], GRAPH)
    ax = waterfall(e, top=6)
    draw(ax)
    widths = np.array([p.get_width() for p in ax.patches])
    starts = np.array([p.get_x() for p in ax.patches])
    order = np.argsort(-np.abs(e.scores), kind="stable")
    np.testing.assert_allclose(widths[:6], e.scores[order[:6]])
    assert widths[6] == pytest.approx(e.scores[order[6:]].sum())
    assert widths[7] == pytest.approx(e.full_value - e.base_value - e.scores.sum())
    assert abs(widths[7]) > 0.1
    assert starts[0] == pytest.approx(e.base_value)
    np.testing.assert_allclose(starts[1:], (starts + widths)[:-1])
    assert (starts + widths)[-1] == pytest.approx(e.full_value)
    assert rows(ax)[-2:] == ["and 6 others", "residual"]
    grey = fill(ax.patches[-1])
    assert len(set(grey)) == 1
    left, right = ax.get_xlim()
    assert left < min(starts.min(), (starts + widths).min())
    assert right > max(starts.max(), (starts + widths).max())


def test_no_residual_is_shown_too():
    ax = waterfall(additive(), top=3)
    assert rows(ax)[-1] == "residual"
    assert ax.patches[-1].get_width() == pytest.approx(0, abs=1e-9)
    assert [t.get_text() for t in ax.texts][-3:] == ["0", "base value 2", f"full value {2 + WEIGHTS.sum():.4g}"]


def test_lines_at_both_ends():
    e = additive()
    ends = [c.get_segments()[0][0][0] for c in waterfall(e).collections if len(c.get_segments()) == 1]
    assert ends == pytest.approx([2.0, 2 + WEIGHTS.sum()])


@pytest.mark.parametrize("base", [2.0, -30.0, 100.0])
def test_dotted_lines_cross_no_label_and_no_connector(base):
    e = lc.Shapley().explain(lc.Game(lambda k: base + k @ WEIGHTS, 12), GRAPH)
    ax = waterfall(e, top=8)
    renderer = draw(ax).get_renderer()
    dotted = [c for c in ax.collections if len(c.get_segments()) == 1]
    labels = [t.get_window_extent(renderer) for t in ax.texts[:-2]]
    for line in dotted:
        (x, low), (_, high) = ax.transData.transform(line.get_segments()[0])
        low, high = sorted([low, high])
        assert not any(box.x0 < x < box.x1 and box.y0 < high and box.y1 > low for box in labels)


def test_steps_have_signs():
    assert [t.get_text() for t in waterfall(additive(), top=3).texts][:5] == ["−7", "+6", "+5", "−0.875", "0"]
