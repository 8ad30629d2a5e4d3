"""Reading molecules with RDKit, and checking what stands for them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..errors import MaskerError
from ..extras import need
from .base import Rows


def read(x: Any, hydrogens: bool) -> Any:
    """A sanitised copy of a molecule, or `MaskerError` with RDKit's reason."""
    tools, is_text = chem(), isinstance(x, str)
    if not is_text and not isinstance(x, tools.Mol):
        raise MaskerError(f"Expected a SMILES string or an RDKit Mol, got {type(x).__name__}.")
    with quiet():
        mol = tools.MolFromSmiles(x, sanitize=False) if is_text else tools.Mol(x)
        if mol is None:
            raise MaskerError(f"Expected a SMILES string, got {x!r}, which RDKit cannot parse.")
        try:
            tools.SanitizeMol(mol)
        except ValueError as error:
            raise MaskerError(
                f"Expected a molecule that RDKit accepts, got {f'{x!r}' if is_text else 'one that it refuses'}: {error}"
            ) from error
        mol = tools.MolFromSmiles(x) if is_text else mol
        mol = tools.AddHs(mol, addCoords=True) if hydrogens else tools.RemoveHs(mol)
    for atom in mol.GetAtoms() if hydrogens else ():
        atom.SetNoImplicit(True)  # so that a hydrogen that is cut out does not come back
    if not mol.GetNumAtoms():
        raise MaskerError("Expected a molecule with at least one atom, got none. There is nothing to explain.")
    return mol


def check_base(base: Any, absent: Literal["remove", "mask"], featurised: bool) -> Any:
    """What stands for the empty molecule: a SMILES string, a number or a row of numbers."""
    if base is None:
        return None
    if absent == "mask":
        raise MaskerError(
            'Expected base with absent="remove", got absent="mask". With "mask", featurise decides what a '
            "molecule without atoms is. Leave base out."
        )
    if isinstance(base, str) or type(base).__name__ == "Mol":
        try:
            return str(chem().MolToSmiles(read(base, hydrogens=False)))
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
    return _nested(np.asarray(base).tolist())


def _nested(numbers: Any) -> Any:
    """Lists as tuples, so that recipes can be compared and recorded."""
    return tuple(map(_nested, numbers)) if isinstance(numbers, list) else numbers


def check_rows(rows: Any, n: int) -> Rows:
    """Rows as a list or an array, as many as there are coalitions."""
    if isinstance(rows, list):
        found, right = f"a list of {len(rows)}", len(rows) == n
    else:
        found, rows = type(rows).__name__, np.asarray(rows)
        found, right = f"{found} of shape {rows.shape}", rows.shape[:1] == (n,)
    if not right:
        raise MaskerError(
            f"Expected {n} rows from featurise, as an array or a list, got {found}. Return one row for each molecule."
        )
    return rows


def chem() -> Any:
    """The module of RDKit."""
    return need("rdkit.Chem", "molecule")


def quiet() -> Any:
    """Nothing from RDKit on stderr: what goes wrong is dealt with here."""
    return need("rdkit.rdBase", "molecule").BlockLogs()
