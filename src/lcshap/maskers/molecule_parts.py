"""Reading molecules with RDKit, and checking the base and the rows of a featuriser."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..errors import MaskerError
from ..extras import import_optional
from .base import Rows


def parse_molecule(x: Any, hydrogens: bool) -> Any:
    """A sanitised copy of a molecule, or `MaskerError` with RDKit's reason."""
    rdkit, is_text = import_rdkit(), isinstance(x, str)
    if not is_text and not isinstance(x, rdkit.Mol):
        raise MaskerError(f"Expected a SMILES string or an RDKit Mol, got {type(x).__name__}.")
    with silence_rdkit():
        mol = rdkit.MolFromSmiles(x, sanitize=False) if is_text else rdkit.Mol(x)
        if mol is None:
            raise MaskerError(f"Expected a SMILES string, got {x!r}, which RDKit cannot parse.")
        try:
            rdkit.SanitizeMol(mol)
        except ValueError as error:
            raise MaskerError(
                f"Expected a molecule that RDKit accepts, got {f'{x!r}' if is_text else 'one that it refuses'}: {error}"
            ) from error
        mol = rdkit.MolFromSmiles(x) if is_text else mol
        mol = rdkit.AddHs(mol, addCoords=True) if hydrogens else rdkit.RemoveHs(mol)
    for atom in mol.GetAtoms() if hydrogens else ():
        atom.SetNoImplicit(True)  # so that RDKit does not add a hydrogen atom that was removed
    if not mol.GetNumAtoms():
        raise MaskerError("Expected a molecule with at least one atom, got none. There is nothing to explain.")
    return mol


def check_base(base: Any, absent: Literal["remove", "mask"], featurised: bool) -> Any:
    """The checked replacement of the empty molecule: a SMILES string, a number or a row of numbers."""
    if base is None:
        return None
    if absent == "mask":
        raise MaskerError(
            'Expected base with absent="remove", got absent="mask". With "mask", featurise decides what a '
            "molecule without atoms is. Leave base out."
        )
    if isinstance(base, str) or type(base).__name__ == "Mol":
        try:
            return str(import_rdkit().MolToSmiles(parse_molecule(base, hydrogens=False)))
        except MaskerError as error:
            raise MaskerError(
                f"Expected base to be a molecule with at least one atom, got {base!r}: {error}"
            ) from error
    try:
        row = np.asarray(base, np.float64)
    except (TypeError, ValueError):
        row = np.array(np.nan)
    if not np.isfinite(row).all():
        raise MaskerError(f"Expected base to be a SMILES string, a Mol or finite numbers, got {base!r}.")
    if not featurised:
        raise MaskerError(f"Expected base to be a SMILES string or a Mol, got {base!r}. Numbers need featurise.")
    return _to_tuples(np.asarray(base).tolist())


def _to_tuples(numbers: Any) -> Any:
    """Convert lists to tuples, so that maskers can be compared and recorded."""
    return tuple(map(_to_tuples, numbers)) if isinstance(numbers, list) else numbers


def check_featurised_rows(rows: Any, n: int) -> Rows:
    """Rows as a list or an array, as many as there are coalitions."""
    if isinstance(rows, list):
        description, complete = f"a list of {len(rows)}", len(rows) == n
    else:
        description, rows = type(rows).__name__, np.asarray(rows)
        description, complete = f"{description} of shape {rows.shape}", rows.shape[:1] == (n,)
    if not complete:
        raise MaskerError(
            f"Expected {n} rows from featurise, as an array or a list, got {description}. Return one row "
            "for each molecule."
        )
    return rows


def import_rdkit() -> Any:
    """The module of RDKit."""
    return import_optional("rdkit.Chem", "molecule")


def silence_rdkit() -> Any:
    """Silence the messages of RDKit on stderr, because errors are reported as exceptions."""
    return import_optional("rdkit.rdBase", "molecule").BlockLogs()
