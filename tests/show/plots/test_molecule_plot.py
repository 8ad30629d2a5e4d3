"""Molecules: colours of atoms and bonds found in RDKit's picture where RDKit puts them."""

import re
import sys
from dataclasses import replace

import matplotlib.pyplot
import numpy as np
import pytest
from matplotlib.figure import Figure
from rdkit import Chem
from rdkit.Chem import Crippen

import lcshap as lc
from lcshap.errors import MissingExtraError, ShowError
from lcshap.maskers import Molecule
from lcshap.show.palette import DARK, LIGHT, find_palette
from lcshap.show.plots.molecule_plot import bond_scores, molecule

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


def explain(smiles, method):
    """By the lipophilicity that Crippen's atom contributions predict."""
    masker = Molecule(lambda mols: np.array([[Crippen.MolLogP(mol)] for mol in mols]))
    return lc.Explainer(lambda rows: rows[:, 0], masker, method, kind="output")(smiles)


def colours_in(ax):
    return np.rint(255 * ax.images[0].get_array()[..., :3]).astype(int)


def near(picture, colour):
    """How many pixels have this colour, give or take what rounding does."""
    return (np.abs(picture - colour).max(axis=2) <= 1).sum()


@pytest.mark.parametrize("dark", [False, True])
def test_atoms_have_the_colours_of_their_scores(dark):
    e = replace(explain("CCO", lc.Shapley()), scores=np.array([-1.0, 0.5, 2.0]))
    pixels = colours_in(molecule(e, dark=dark))
    palette = find_palette("default")
    for score in e.scores:
        assert near(pixels, palette.colour(score, 2.0, dark)) > 2000
    assert near(pixels, palette.colour(-2.0, 2.0, dark)) < 50  # nothing is that negative
    assert near(pixels, (DARK if dark else LIGHT).background) > 0.4 * pixels[..., 0].size
    assert near(pixels, (255, 255, 255) if dark else (0, 0, 0)) > 100  # bonds and symbols
    assert len(matplotlib.pyplot.get_fignums()) <= 10  # it keeps the last ones only


@pytest.mark.parametrize("dark", [False, True])
def test_atoms_whose_interval_holds_zero_are_faint(dark):
    e = replace(explain("CCO", lc.Shapley()), scores=np.array([-2.0, 2.0, 2.0]))
    e = replace(e, stderr=np.array([2.0, 2.0, 0.1]), dof=20)
    ax = molecule(e, dark=dark)
    palette, picture = find_palette("default"), colours_in(ax)
    for score in (-0.6, 0.6, 2.0):
        assert near(picture, palette.colour(score, 2.0, dark)) > 2000
    assert near(picture, palette.colour(-2.0, 2.0, dark)) < 50
    assert "Faint: the 95 % interval includes zero (2 of 3 units)" in ax.child_axes[0].get_xlabel()


def test_more_of_one_kind_of_atom_gives_more_of_its_colour():
    e = explain("CCCCO", lc.Shapley())
    one, three = (replace(e, scores=np.array(scores)) for scores in ([2.0, 0, 0, 0, -1], [2.0, 2, 2, 0, -1]))
    full = find_palette("default").positive
    assert near(colours_in(molecule(three)), full) > 2.5 * near(colours_in(molecule(one)), full)


def test_bonds_have_the_colours_of_interactions():
    e = explain("CCO", lc.LShapley(1, interactions=True))
    matrix = lc.core.pair_matrices.pair_matrix(e.graph, np.array([3.0, -1.5]))
    e = replace(e, scores=np.zeros(3), interactions=matrix)
    ax = molecule(e)
    pixels = colours_in(ax)
    palette = find_palette("default")
    assert near(pixels, palette.colour(3.0, 3.0)) > 1000
    assert near(pixels, palette.colour(-1.5, 3.0)) > 1000
    assert ax.child_axes[0].get_xlabel().endswith("bonds: interactions, ±3")
    plain = molecule(replace(e, interactions=None))
    assert near(colours_in(plain), palette.colour(3.0, 3.0)) == 0
    assert "bonds" not in plain.child_axes[0].get_xlabel()


def test_every_bond_of_a_real_molecule_has_the_interaction_of_its_atoms():
    e = explain(ASPIRIN, lc.LShapley(1, interactions=True))
    mol = Chem.MolFromSmiles(ASPIRIN)
    bonds = bond_scores(e, mol, e.view.labels)
    assert len(bonds) == mol.GetNumBonds() == 13
    for bond in mol.GetBonds():
        one, other = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        assert bonds[bond.GetIdx()] == e.interactions[one, other]
    partly = bond_scores(e, mol, np.where(np.arange(13) < 4, -1, np.arange(13)))
    assert len(partly) == 9  # without the four that touch atoms of no unit


def test_groups_of_atoms_and_hydrogens_are_drawn():
    e = explain(ASPIRIN, lc.LShapley(1)).group(np.arange(13) // 5)
    e = replace(e, scores=np.array([0.0, 0.0, 5.0]))
    assert near(colours_in(molecule(e)), find_palette("default").positive) > 2000
    whole = lc.Explainer(
        lambda rows: rows[:, 0], Molecule(lambda m: np.ones((len(m), 1)), hydrogens=True), lc.LShapley(0), kind="output"
    )
    assert molecule(whole("CO")).images


def test_stereo_and_charges_keep_the_number_of_atoms():
    smiles = "C[C@H](N)C(=O)[O-]"
    e = explain(smiles, lc.LShapley(0))
    e = replace(e, scores=np.array([0, 0, 0, 0, 0, 1.0]))
    assert near(colours_in(molecule(e)), find_palette("default").positive) > 2000


def test_axes_are_used():
    figure = Figure()
    ax = figure.subplots()
    assert molecule(explain("c1ccccc1", lc.LShapley(1)), ax, palette="shap", dark=True) is ax
    figure.draw_without_rendering()


def test_without_rdkit_the_extra_is_named(monkeypatch):
    e = explain("CO", lc.Shapley())
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(MissingExtraError, match=re.escape('pip install "lcshap[molecule]"')):
        molecule(e)


def test_bad_input_is_refused():
    def two_outputs(rows):
        return np.stack([rows[:, 0], -rows[:, 0]], axis=1)

    masker = Molecule(lambda mols: np.array([[mol.GetNumAtoms()] for mol in mols], float))
    e = lc.Explainer(two_outputs, masker, lc.Shapley(), kind="output", target="all")("CO")
    panels = molecule(e).child_axes
    for k, panel in enumerate(panels):
        np.testing.assert_array_equal(panel.images[0].get_array(), molecule(e, output=k).images[0].get_array())
    assert near(colours_in(molecule(e, output=1)), find_palette("default").negative) > 2000
    text = lc.explain(lambda texts: [len(t) for t in texts], "a text", kind="output")
    with pytest.raises(
        ShowError, match="Expected an input of kind 'molecule' for this figure, got an input of kind 'text'"
    ):
        molecule(text)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("palette", ["default", "paper"])
def test_symbols_are_written_in_an_ink_that_can_be_read(palette, dark):
    masked = lc.maskers.Molecule(lambda mols: mols).mask("CCO")
    for score in (1.0, -1.0, 0.01):
        scores = np.array([0.8, 0.5, score])
        e = lc.Explanation(scores, 0.0, 1.0, masked.graph, 4, {"method": "x"}, view=masked.view)
        picture = np.rint(255 * np.asarray(molecule(e, palette=palette, dark=dark).images[0].get_array()[..., :3]))
        disc = find_palette(palette).colour(score, np.abs(scores).max(), dark)
        on = np.abs(picture - disc).max(axis=2) <= 1
        rows, columns = np.nonzero(on)
        middle = picture[round(rows.mean()) - 45 : round(rows.mean()) + 45, round(columns.mean()) - 45 :][:, :90]
        assert max(contrast(tuple(pixel), disc) for pixel in middle.reshape(-1, 3)) > 4.5


def contrast(one, other):
    """By WCAG 2."""

    def luminance(colour):
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (p / 255 for p in colour)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)
