"""Molecules of views: readable ones with places, and nothing of what is none."""

import numpy as np
import pytest
from rdkit import Chem
from showing import made

import lcshap as lc
from lcshap.core.views import MoleculeView
from lcshap.show.molecules import read_molecule
from lcshap.show.plots.molecule_plot import molecule

BLOCK = Chem.MolToMolBlock(Chem.MolFromSmiles("CCO"))


def view(block, atoms=3):
    return MoleculeView(block=block, labels=np.arange(atoms))


def test_a_molecule_has_places():
    mol = read_molecule(view(BLOCK))
    assert mol.GetNumAtoms() == 3
    assert np.ptp(mol.GetConformer().GetPositions()) > 0


@pytest.mark.parametrize(
    ("block", "atoms"),
    [
        ("no real block", 3),
        ("", 3),
        (BLOCK, 4),
        (BLOCK[:80], 3),
        ("\ud800", 3),
        ("a\0b", 3),
        (BLOCK.replace("  3", " -3"), 3),
    ],
)
def test_what_cannot_be_read_is_bars(block, atoms, tmp_path, capfd):
    e = made(np.arange(1.0, 1 + atoms), view=view(block, atoms))
    assert read_molecule(e.view) is None
    assert e.plot().figure is not None
    with pytest.raises(lc.errors.ShowError, match="an atom for each label"):
        molecule(e)
    assert e.to_html(tmp_path / "e.html").is_file()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("far", ["99999999.", "1e300"])
def test_places_that_cannot_be_drawn_are_made_new(far, tmp_path):
    lines = BLOCK.splitlines()
    lines[4] = f"{far:>10}{lines[4][10:]}"
    mol = read_molecule(view("\n".join(lines)))
    if mol is not None:
        assert np.abs(mol.GetConformer().GetPositions()).max() < 100
    assert made([1.0, 2.0, 3.0], view=view("\n".join(lines))).plot().figure is not None
