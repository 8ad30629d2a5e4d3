"""Molecules: RDKit's drawing, with atoms coloured by score and bonds by interaction."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.views import MoleculeView
from ...errors import ShowError
from ...extras import import_optional
from .. import words
from ..faded_scores import faded_scores
from ..interaction_pairs import faded_interactions, interaction_caption
from ..molecules import read_molecule
from ..palette import RGB, colour_limit, find_palette, ink_on
from .base import (
    PaletteName,
    colour_bar,
    flip_caption_inches,
    prepare_axes,
    score_colours,
    shown_outputs,
    theme_colours,
    view_of,
)
from .by_target import output_panels
from .empty_axes import draws_one
from .wording import figure_number

_LONGER_SIDE_PIXELS = 1200  # the longer side of the drawing
_ATOM_RADIUS = 0.35  # of the disc of an atom, where a bond is about 1.5 long


@draws_one
def molecule(
    e: Explanation,
    ax: Any = None,
    *,
    palette: PaletteName = "default",
    dark: bool = False,
    output: int | None = None,
    target: Any = None,
) -> Any:
    """Draw a molecule with its atoms coloured by score and, if there are interactions, its bonds coloured by them.

    Interactions have a scale of their own, which the colour bar names. Atoms and bonds whose 95 % interval contains 0
    are drawn faint. This figure needs ``pip install "lcshap[molecule]"``.

    Parameters
    ----------
    e : an explanation of a molecule.
    ax : matplotlib axes to draw on; by default those of a new figure.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.
    output, target : the number of the output to draw, or the name of its target, if the explanation has several; by
        default each has a panel.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if the explanation is not of a molecule.

    Examples
    --------
    >>> import lcshap as lc
    >>> model = lambda molecules: [float(smiles.count("O")) for smiles in molecules]
    >>> e = lc.Explainer(model, lc.maskers.Molecule(), kind="output")("CCO")
    >>> lc.plots.molecule(e).axison
    False
    """
    outputs, view = shown_outputs(e, output, target), view_of(e, MoleculeView)
    if len(outputs) > 1:
        return output_panels(outputs, ax, partial(molecule, palette=palette, dark=dark), (4.5, 4.5), dark)
    e = outputs[0]
    mol = read_molecule(view)
    if mol is None:
        raise ShowError(
            "Expected a molecule with an atom for each label, got another number of atoms. Draw bars instead."
        )
    limit, bond_values = colour_limit([e.scores]), bond_scores(e, mol, view.labels)
    bond_limit = colour_limit([list(bond_values.values())])
    tints, bond_palette = score_colours(faded_scores(e), limit, palette, dark), find_palette(palette)
    atoms = {i: tints[unit] for i, unit in enumerate(view.labels) if unit >= 0}
    bonds = {number: bond_palette.colour(value, bond_limit, dark) for number, value in bond_values.items()}
    picture = _draw_readable(mol, atoms, bonds, dark)
    height, width = picture.shape[:2]
    ax = prepare_axes(ax, (4.5, 4.5 * height / width + 1.0 + flip_caption_inches(e, 4.5)), dark)
    ax.imshow(picture)
    ax.set_anchor("N")
    ax.set_axis_off()
    about_bonds = interaction_caption(e, "bonds", figure_number(bond_limit)) if any(bond_values.values()) else ""
    colour_bar(ax, e, limit, palette, dark, note="\n".join(filter(None, [words.faint_note(e), about_bonds])))
    return ax


def bond_scores(e: Explanation, mol: Any, labels: NDArray[np.intp]) -> dict[int, float]:
    """The interaction of the atoms of each bond, by its number, reduced if its interval includes zero; may be empty."""
    interactions = faded_interactions(e)
    if interactions is None:
        return {}
    ends = {bond.GetIdx(): labels[[bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()]].tolist() for bond in mol.GetBonds()}
    return {number: float(interactions[i, j]) for number, (i, j) in ends.items() if i != j and min(i, j) >= 0}


def _draw_readable(mol: Any, atoms: dict[int, RGB], bonds: dict[int, RGB], dark: bool) -> NDArray[np.float64]:
    """The drawing in two inks: on the discs of atoms the one that can be read on their colour."""
    black, white = (0, 0, 0), (255, 255, 255)
    ink, flipped_ink = (white, black) if dark else (black, white)
    flipped_atoms = [i for i, colour in atoms.items() if ink_on(colour) == flipped_ink]
    picture, _, _ = _draw_molecule(mol, atoms, bonds, dark, ink)
    if not flipped_atoms:
        return picture
    flipped_picture, places, radius = _draw_molecule(mol, atoms, bonds, dark, flipped_ink)
    rows, columns = np.indices(picture.shape[:2])
    for i in flipped_atoms:
        inside = (rows - places[i][1]) ** 2 + (columns - places[i][0]) ** 2 <= radius**2
        picture[inside] = flipped_picture[inside]
    return picture


def _draw_molecule(
    mol: Any, atoms: dict[int, RGB], bonds: dict[int, RGB], dark: bool, ink: RGB
) -> tuple[NDArray[np.float64], list[tuple[float, float]], float]:
    """The drawing as an array of pixels, where its atoms are, and the radius of their discs."""
    drawing = import_optional("rdkit.Chem.Draw.rdMolDraw2D", "molecule")
    mol = drawing.PrepareMolForDrawing(mol, addChiralHs=False, forceCoords=True)
    places = mol.GetConformer().GetPositions()[:, :2]
    wide, high = np.ptp(places, axis=0) + 2.0  # room for the symbols at the edge
    scale = _LONGER_SIDE_PIXELS / max(wide, high)
    canvas = drawing.MolDraw2DCairo(round(scale * wide), round(scale * high))
    options = canvas.drawOptions()
    if dark:
        drawing.SetDarkMode(options)
    options.setAtomPalette({-1: _to_unit_rgb(ink)})
    options.setBackgroundColour(_to_unit_rgb(theme_colours(dark).background))
    options.padding = 0.0
    options.bondLineWidth = 4
    options.highlightRadius = _ATOM_RADIUS
    options.highlightBondWidthMultiplier = 6
    canvas.DrawMolecule(
        mol,
        highlightAtoms=list(atoms),
        highlightAtomColors={i: _to_unit_rgb(colour) for i, colour in atoms.items()},
        highlightBonds=list(bonds),
        highlightBondColors={i: _to_unit_rgb(colour) for i, colour in bonds.items()},
    )
    canvas.FinishDrawing()
    pixels = np.array(import_optional("matplotlib.image", "plot").imread(io.BytesIO(canvas.GetDrawingText())))
    points = [canvas.GetDrawCoords(i) for i in range(mol.GetNumAtoms())]
    return pixels, [(point.x, point.y) for point in points], _ATOM_RADIUS * scale


def _to_unit_rgb(colour: RGB) -> tuple[float, float, float]:
    r, g, b = (channel / 255 for channel in colour)
    return r, g, b
