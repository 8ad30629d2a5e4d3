"""Molecules: atoms on the colours of their units, and bonds."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.views import MoleculeView
from ...errors import MissingExtraError
from ...extras import import_optional
from ..coloured_html import fill_attribute
from ..faded_scores import faded_scores
from ..molecules import read_molecule
from ..pack import ContentPool, pack_array, pack_labels
from ..palette import colour_limit
from ..styling import Styling
from .base import Drawing

_ATOM_RADIUS = 0.42  # of an atom, where a bond is about 1.5 long
_EM_PER_UNIT_LENGTH = 2.2  # the length of a bond is about 1.5 units
_MAX_WIDTH_EM = 32.0  # of the drawing of a molecule
_STYLE = """\
.lcshap .lcshap-molecule line{stroke:currentColor;stroke-width:.06px}
.lcshap .lcshap-molecule text{font-size:.5px;text-anchor:middle;fill:currentColor}
"""


def molecule_html(e: Explanation, view: MoleculeView, styling: Styling) -> str:
    """Atoms on the colours of their units, and bonds; nothing where RDKit is not there or cannot read it."""
    try:
        mol = read_molecule(view)
    except MissingExtraError:
        return ""
    if mol is None:
        return ""
    places = mol.GetConformer().GetPositions()[:, :2] * [1.0, -1.0]
    low, size = places.min(axis=0) - 1.0, np.ptp(places, axis=0) + 2.0
    limit, drawn = colour_limit([e.scores]), faded_scores(e).tolist()
    bonds = [_bond_line(places[bond.GetBeginAtomIdx()], places[bond.GetEndAtomIdx()]) for bond in mol.GetBonds()]
    atoms = [
        f'<g {fill_attribute(int(unit), drawn, limit, styling)}><circle cx="{x:.2f}" cy="{y:.2f}" r="{_ATOM_RADIUS}"/>'
        f'<text x="{x:.2f}" y="{y + 0.18:.2f}">{html.escape(atom.GetSymbol())}</text></g>'
        for atom, unit, (x, y) in zip(mol.GetAtoms(), view.labels.tolist(), places.tolist(), strict=True)
    ]
    box = " ".join(f"{x:.2f}" for x in (*low.tolist(), *size.tolist()))
    width = min(_MAX_WIDTH_EM, _EM_PER_UNIT_LENGTH * size[0])
    return (
        '<svg class="lcshap-molecule" role="img" aria-label="The molecule with the scores of its atoms" '
        f'viewBox="{box}" width="{width:.1f}em">{"".join(bonds + atoms)}</svg>'
    )


def _bond_line(start: NDArray[np.float64], end: NDArray[np.float64]) -> str:
    """Draw a line between the edges of two atoms, because the colours of atoms may be transparent."""
    edge = (end - start) * min(0.5, _ATOM_RADIUS / (float(np.hypot(*(end - start))) or 1.0))
    (x1, y1), (x2, y2) = (start + edge).tolist(), (end - edge).tolist()
    return f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}"/>'


def pack_molecule(view: MoleculeView, pool: ContentPool) -> dict[str, Any]:
    """Atoms with their places, symbols and labels, and bonds; bars where RDKit is not there or cannot read it."""
    try:
        mol = read_molecule(view)
        formula = import_optional("rdkit.Chem.rdMolDescriptors", "molecule").CalcMolFormula
    except MissingExtraError:
        return {"kind": "bars"}
    if mol is None:
        return {"kind": "bars"}
    places = mol.GetConformer().GetPositions()[:, :2]
    bonds = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx(), int(b.GetBondTypeAsDouble())) for b in mol.GetBonds()]
    return {
        "kind": "molecule",
        "formula": formula(mol),
        "places": pack_array(places.ravel()),
        "symbols": [_atom_symbol(atom) for atom in mol.GetAtoms()],
        "bonds": pack_array(np.array(bonds, np.int64).ravel()),
        **pack_labels(view, pool),
    }


def _atom_symbol(atom: Any) -> list[Any]:
    """An atom as it is written: element, hydrogens, charge. Carbons inside a chain or ring are a corner."""
    element, hydrogens, charge = atom.GetSymbol(), atom.GetTotalNumHs(), atom.GetFormalCharge()
    plain = element == "C" and atom.GetDegree() and not charge and not atom.GetIsotope()
    return ["", 0, 0] if plain else [element, hydrogens, charge]


def _has_figure(view: MoleculeView) -> bool:
    return read_molecule(view) is not None


MOLECULE = Drawing(html=molecule_html, pack=pack_molecule, figures=("molecule",), has_figure=_has_figure, style=_STYLE)
