"""The heat map of many inputs: cells are scores, similar inputs are neighbours, a line above has the predictions."""

import numpy as np
import pytest
from explanation_sets import array_set, text_explanations
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import pdist

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.plots import heatmap
from lcshap.show.plots.instance_heatmap import cluster_order


def rows(ax):
    return [t.get_text() for t in ax.get_yticklabels()]


def two_clusters(n=30):
    """Inputs of two kinds, in turn."""
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=0.1, size=(n, 4)) + np.where(np.arange(n)[:, None] % 2, [3, 0, 1, 0], [-3, 0.5, 1, 0])
    return lc.Explanations.from_arrays(scores, 0.5, 0.5 + scores.sum(axis=1), names=list("abcd"))


class TestOrder:
    def test_similar_inputs_are_neighbours_the_lower_predictions_first(self):
        xs = two_clusters()
        order = cluster_order(xs.scores, xs.predictions)
        assert sorted(order.tolist()) == list(range(30))
        assert (order[:15] % 2 == 0).all()
        assert (order[15:] % 2 == 1).all()

    def test_clusters_of_any_number_are_contiguous(self):
        scores = np.random.default_rng(1).normal(size=(40, 5))
        order = cluster_order(scores, scores.sum(axis=1))
        tree = linkage(scores, "ward")
        for count in (2, 5, 11):
            groups = cut_tree(tree, count)[order, 0]
            assert np.count_nonzero(np.diff(groups)) == count - 1

    def test_the_order_is_shorter_than_that_of_the_inputs(self):
        scores = np.random.default_rng(2).normal(size=(60, 3))
        order = cluster_order(scores, scores.sum(axis=1))

        def length(numbers):
            return np.linalg.norm(np.diff(scores[numbers], axis=0), axis=1).sum()

        assert length(order) < 0.7 * length(np.arange(60))
        assert pdist(scores).min() > 0

    @pytest.mark.parametrize("count", [1, 2])
    def test_few_inputs(self, count):
        scores = np.arange(count, dtype=float)[::-1, None]
        assert cluster_order(scores, scores[:, 0]).tolist() == list(range(count))[::-1]


@pytest.mark.parametrize("dark", [False, True])
def test_cells_line_and_names(dark):
    xs = two_clusters()
    ax = heatmap(xs, dark=dark)
    FigureCanvasAgg(ax.figure).draw()
    order = cluster_order(xs.scores, xs.predictions)
    np.testing.assert_array_equal(ax.images[0].get_array(), xs.scores[order][:, [0, 2, 1, 3]].T)
    assert rows(ax) == ["a", "c", "b", "d"]
    line, bar = ax.child_axes
    np.testing.assert_array_equal(line.lines[0].get_ydata(), xs.predictions[order])
    assert line.lines[1].get_ydata()[0] == 0.5
    assert line.get_window_extent().y0 > ax.get_window_extent().y1
    assert line.get_xlim() == ax.get_xlim()
    assert bar.get_xlabel() == "30 inputs · similar inputs side by side (Ward)"
    limit = np.percentile(np.abs(xs.scores), 99)
    assert ax.images[0].get_clim() == pytest.approx((-limit, limit))
    assert [t.get_text()[:8] for t in bar.get_xticklabels()] == ["lowers ≤", "0", "raises ≥"]


def test_the_last_row_is_the_sum_of_all_others():
    xs, scores, _ = array_set(8, 6)
    ax = heatmap(xs, top=2, order="none", limit=4.0)
    strongest = np.argsort(-np.abs(scores).mean(axis=0), kind="stable")
    cells = np.asarray(ax.images[0].get_array())
    np.testing.assert_allclose(cells[:2], scores[:, strongest[:2]].T)
    np.testing.assert_allclose(cells[2], scores[:, strongest[2:]].sum(axis=1))
    assert rows(ax)[-1] == "and 4 others"
    assert ax.images[0].get_clim() == (-4, 4)
    assert len(rows(heatmap(xs, top=5))) == 6  # a single other unit has its own row


def test_other_orders():
    xs, scores, base = array_set(9, 3)
    predictions = base + scores.sum(axis=1)
    strongest = np.argsort(-np.abs(scores).mean(axis=0), kind="stable")
    for order, expected in (("prediction", np.argsort(predictions)), ("none", np.arange(9)), ([4, 2, 7], [4, 2, 7])):
        cells = heatmap(xs, order=order).images[0].get_array()
        np.testing.assert_array_equal(cells, scores[expected][:, strongest].T)
    with pytest.raises(ShowError, match="Expected order as one of clustering, prediction, none, or the numbers"):
        heatmap(xs, order="alphabet")
    for bad in ([9], [0.5], [[1, 2]]):
        with pytest.raises(ShowError, match="Expected order as numbers of inputs from 0 to 8, got"):
            heatmap(xs, order=bad)


def test_large_sets_are_sampled():
    xs, _, _ = array_set(2500, 3)
    ax = heatmap(xs)
    assert ax.images[0].get_array().shape == (3, 1000)
    assert "2,500 inputs · a sample of 1,000 is drawn" in ax.child_axes[1].get_xlabel()


def test_several_outputs_have_a_panel_each():
    xs, scores, _ = array_set(5, 3, outputs=2, targets=["cat", "dog"])
    panels = heatmap(xs, order="none").child_axes
    assert [panel.get_title(loc="left") for panel in panels] == ["cat", "dog"]
    for k, panel in enumerate(panels):
        strongest = np.argsort(-np.abs(scores[..., k]).mean(axis=0), kind="stable")
        np.testing.assert_array_equal(panel.images[0].get_array(), scores[:, strongest, k].T)
    assert len(heatmap(xs, target="dog").images) == 1


def test_odd_input():
    for xs in (array_set(1)[0], lc.Explanations.from_arrays(np.zeros((4, 1)), 0.0, np.zeros(4))):
        FigureCanvasAgg(heatmap(xs).figure).draw()
    with pytest.raises(ShowError, match="Expected the same units in all inputs"):
        heatmap(text_explanations())
    with pytest.raises(ShowError, match="Expected top as an integer of at least 1, got 0"):
        heatmap(array_set()[0], top=0)
