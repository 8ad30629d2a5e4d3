"""Molecules of views, read by RDKit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.views import MoleculeView
from ..extras import import_optional

_MAX_ASPECT_RATIO = 100.0  # a longer and narrower set of coordinates is no usable drawing


def read_molecule(view: MoleculeView) -> Any:
    """The molecule of a view with 2D coordinates; None if its block cannot be read or has another number of atoms.

    Needs ``pip install "lcshap[molecule]"``.
    """
    chem, depict = import_optional("rdkit.Chem", "molecule"), import_optional("rdkit.Chem.rdDepictor", "molecule")
    quiet = import_optional("rdkit.rdBase", "molecule").BlockLogs()
    try:
        mol = chem.MolFromMolBlock(view.block, removeHs=False)
        mol = mol or chem.MolFromMolBlock(view.block, removeHs=False, sanitize=False)
        if mol is None or not mol.GetNumAtoms() or mol.GetNumAtoms() != view.labels.size:
            return None
        mol.UpdatePropertyCache(strict=False)
        if not _has_drawable_places(mol):
            depict.Compute2DCoords(mol)
        chem.Kekulize(mol)
    except (ValueError, RuntimeError, TypeError):  # what RDKit raises for blocks that make no sense
        return None
    finally:
        del quiet
    return mol


def _has_drawable_places(mol: Any) -> bool:
    """Whether its atoms have places on a plane that can be drawn."""
    if not mol.GetNumConformers() or mol.GetConformer().Is3D():
        return False
    places = mol.GetConformer().GetPositions()[:, :2]
    if not np.isfinite(places).all() or np.abs(places).max() > 1e6:
        return False
    sides = np.ptp(places, axis=0) + 2.0
    return bool(np.ptp(places) > 0 and sides.max() < _MAX_ASPECT_RATIO * sides.min())
