"""Molecules in HTML and on the page."""

import sys

import numpy as np
import pytest
from showing import made, strengths, unpack
from showing import read_html as read

import lcshap as lc
from lcshap.core.views import MoleculeView
from lcshap.show.kinds.molecule_drawing import MOLECULE, molecule_html
from lcshap.show.notebook import to_html
from lcshap.show.styling import InlineStyling


def test_a_molecule_has_its_atoms_in_colours_and_its_bonds_between_them():
    block = lc.maskers.Molecule().mask("CCO").view.block
    view = MoleculeView(block=block, labels=np.array([-1, 0, 1]))
    e = made([1.0, -2.0], view=view, stderr=np.array([5.0, 0.1]), dof=20)
    page = read(to_html(e))
    assert strengths(page, "g") == pytest.approx([0.0, 0.15 * 0.65, 0.65], abs=1e-3)
    places = [np.array([float(atom["cx"]), float(atom["cy"])]) for atom in page.all("circle")]
    for bond, (one, other) in zip(page.all("line"), [(0, 1), (1, 2)], strict=True):
        start, end = (np.array([float(bond[f"x{k}"]), float(bond[f"y{k}"])]) for k in (1, 2))
        radius = float(page.all("circle")[0]["r"])
        assert np.hypot(*(start - places[one])) == pytest.approx(radius, abs=0.02)
        assert np.hypot(*(end - places[other])) == pytest.approx(radius, abs=0.02)
    assert "CCOunit 1" in page.text  # the atoms, and then the bars
    broken = made([1.0], view=MoleculeView(block="nonsense", labels=np.arange(1)))
    assert molecule_html(broken, broken.view, InlineStyling()) == ""


def test_without_rdkit_a_molecule_has_bars_only(monkeypatch):
    view = MoleculeView(block=lc.maskers.Molecule().mask("CCO").view.block, labels=np.arange(3))
    e = made([1.0, 2.0, 3.0], view=view)
    assert "<svg" in molecule_html(e, view, InlineStyling())
    for name in [name for name in sys.modules if name.partition(".")[0] == "rdkit"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "rdkit", None)
    assert molecule_html(e, view, InlineStyling()) == ""
    assert "unit 2" in to_html(e)


def test_atoms_on_the_page(write):
    masked = lc.maskers.Molecule().mask("C[N+](C)(C)CC(=O)O")
    page = write(made(np.arange(8), None, masked.view))
    picture = page.sample()["picture"]
    symbols = ["", ["N", 0, 1], "", "", "", "", ["O", 0, 0], ["O", 1, 0]]
    assert picture["symbols"] == [s or ["", 0, 0] for s in symbols]
    bonds = unpack(picture["bonds"]).reshape(-1, 3).tolist()
    assert sorted(sorted(b[:2]) for b in bonds) == masked.graph.edges.tolist()
    assert [b[2] for b in bonds if set(b[:2]) == {5, 6}] == [2]
    places = unpack(picture["places"]).reshape(-1, 2)
    lengths = [np.hypot(*(places[a] - places[b])) for a, b, _ in bonds]
    assert len(np.unique(places, axis=0)) == 8
    assert max(lengths) < 1.2 * min(lengths)
    assert page.samples[0]["name"] == "C5H12NO2+"


def test_on_the_page_without_rdkit(write, monkeypatch):
    view = lc.maskers.Molecule().mask("CCO").view
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    page = write(made([1.0, 2.0, 3.0], ["C0", "C1", "O2"], view))
    assert page.sample()["picture"] == {"kind": "bars"}
    assert page.pool(page.samples[0]["names"]) == ["C0", "C1", "O2"]


def test_a_figure_only_of_what_can_be_read():
    view = lc.maskers.Molecule().mask("CCO").view
    assert MOLECULE.figure_of(view) == "molecule"
    assert MOLECULE.figure_of(MoleculeView(block="nonsense", labels=np.arange(1))) == "bars"
