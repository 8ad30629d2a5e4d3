"""The matrix of interactions: its cells are interactions of one input, or means of their sizes over many."""

import numpy as np
import pytest
from explanation_sets import array_set
from matplotlib.backends.backend_agg import FigureCanvasAgg

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.plots import interaction_matrix


def pair_set(n=6, d=4, outputs=None, seed=0):
    rng = np.random.default_rng(seed)
    shape = (n, d, d) if outputs is None else (n, d, d, outputs)
    pairs = rng.normal(size=shape)
    pairs = pairs + np.swapaxes(pairs, 1, 2)
    options = {"targets": ["cat", "dog"]} if outputs else {}
    names = [f"unit {i}" for i in range(d)]
    return array_set(n, d, outputs, interactions=pairs, names=names, **options)[0], pairs


def labels(axis):
    return [t.get_text() for t in axis.get_ticklabels()]


@pytest.mark.parametrize("dark", [False, True])
def test_one_input_has_signs(dark):
    xs, pairs = pair_set(1)
    ax = interaction_matrix(xs[0], dark=dark)
    FigureCanvasAgg(ax.figure).draw()
    cells = ax.images[0].get_array()
    below = np.tri(3, dtype=bool)
    np.testing.assert_allclose(cells.filled(0)[below], pairs[0][1:, :-1][below])
    np.testing.assert_array_equal(np.ma.getmaskarray(cells), ~below)
    limit = np.abs(np.where(np.eye(4), 0, pairs[0])).max()
    assert ax.images[0].get_clim() == pytest.approx((-limit, limit))
    assert labels(ax.yaxis) == ["unit 1", "unit 2", "unit 3"]
    assert labels(ax.xaxis) == ["unit 0", "unit 1", "unit 2"]
    numbers = [float(t.get_text().replace("−", "-")) for t in ax.texts]
    np.testing.assert_allclose(numbers, pairs[0][1:, :-1][below], atol=0.006)
    assert ax.child_axes[0].get_title() == "interaction"


def test_many_inputs_have_means_of_sizes():
    xs, pairs = pair_set()
    ax = interaction_matrix(xs)
    below = np.tri(3, dtype=bool)
    mean = np.abs(pairs).mean(axis=0)
    np.testing.assert_allclose(ax.images[0].get_array().filled(0)[below], mean[1:, :-1][below])
    assert ax.images[0].get_clim() == pytest.approx((0, np.where(np.eye(4), 0, mean).max()))
    assert ax.child_axes[0].get_title() == "mean |interaction|"
    assert ax.get_xlabel() == "6 inputs"


def test_the_strongest_units_in_the_order_of_the_input():
    xs, pairs = pair_set(5, 20)
    ax = interaction_matrix(xs, top=14)
    mean = np.where(np.eye(20), 0, np.abs(pairs).mean(axis=0))
    strongest = sorted(sorted(range(20), key=lambda unit: -mean[unit].sum())[:14])
    assert labels(ax.xaxis) == [f"unit {unit}" for unit in strongest[:-1]]
    assert "the strongest 14 of 20 units" in ax.get_xlabel()
    assert not ax.texts  # too many for numbers


def test_pairs_without_an_interaction_are_empty():
    game = lc.Game(lambda kept: 1.0 * (kept[:, 0] & kept[:, 1]), 3)
    e = lc.LShapley(interactions=True).explain(game, lc.Graph.chain(3))
    ax = interaction_matrix(e)
    assert np.ma.getmaskarray(ax.images[0].get_array()).tolist() == [[False, True], [True, True]]


def test_tiny_interactions_are_written_as_zero_without_a_sign():
    pairs = np.zeros((1, 3, 3))
    pairs[0, 0, 1] = pairs[0, 1, 0] = 5.0
    pairs[0, 0, 2] = pairs[0, 2, 0] = -1e-7
    xs = array_set(1, 3, interactions=pairs)[0]
    assert [text.get_text() for text in interaction_matrix(xs[0]).texts] == ["+5.00", "0.00"]


def test_outputs():
    xs, pairs = pair_set(3, outputs=2)
    panels = [child for child in interaction_matrix(xs).child_axes if child.images]
    assert [panel.get_title(loc="left") for panel in panels] == ["cat", "dog"]
    chosen = interaction_matrix(xs, target="dog").images[0].get_array()
    assert chosen[0, 0] == pytest.approx(np.abs(pairs[:, 1, 0, 1]).mean())


def test_errors():
    with pytest.raises(ShowError, match=r"Expected explanations with interactions, got none.*interactions=True"):
        interaction_matrix(array_set()[0])
    single = array_set(3, 1, interactions=np.zeros((3, 1, 1)))[0]
    with pytest.raises(ShowError, match="Expected at least two units, which have an interaction, got one"):
        interaction_matrix(single)
    with pytest.raises(ShowError, match="Expected top as an integer of at least 2, got 1"):
        interaction_matrix(pair_set()[0], top=1)
    zero = array_set(3, 3, interactions=np.zeros((3, 3, 3)))[0]
    FigureCanvasAgg(interaction_matrix(zero).figure).draw()
