"""Molecules: atoms are units, bonds are edges; absent atoms are removed, or masked by the user's featuriser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.store_keys import set_keys
from ..core.views import MoleculeView
from ..errors import MaskerError
from .base import Masked, Masker, Rows, check_units
from .distinct import DistinctRows
from .input_lists import holds_inputs
from .molecule_parts import check_base, check_featurised_rows, import_rdkit, parse_molecule, silence_rdkit
from .text_keys import text_keys

Numbers = frozenset[int]

_MAX_CACHED_SMILES = 100_000  # SMILES strings that are kept between their keys and their rows


@dataclass(frozen=True)
class Molecule(Masker):
    """A molecule, given as a SMILES string or an RDKit `Mol`: atoms are units, bonds are edges.

    Needs ``pip install "lcshap[molecule]"``. Units are in the order of the SMILES (of the `Mol`), named by symbol and
    number: "C0", "O5".

    Parameters
    ----------
    featurise : makes the model's rows, many at once. With "remove" it is called with a list of `Mol`, with "mask" with
        the whole `Mol` and a boolean array `(n, atoms)`, True where an atom is kept; it returns `n` rows, an array or a
        list. None: rows have the type of the input, SMILES strings for a string and `Mol` for a `Mol`.
    absent : "remove": absent atoms are removed from the molecule. "mask": `featurise` represents them.
    hydrogens : whether hydrogens are units too. Otherwise they belong to the atom that they are bound to.
    base : what replaces the molecule without any atom, for models that fail on an empty one: a SMILES string or a
        `Mol`, such as "C", which is methane; or, with `featurise`, a row of numbers, or one number for a whole row,
        such as 0. None for the empty molecule. Only with "remove".

    Notes
    -----
    Choose "remove" for models of whole molecules (fingerprints, descriptors, SMILES), "mask" for models of atoms (a
    graph network whose atom features can be set to zero).

    After atoms are removed, the rest is always a valid molecule for RDKit:

    - All pieces are kept: propane without its middle is ``C.C``. Without any atom it is the empty molecule, ``""``, or
      `base`: then the base value is the prediction for `base`, and the scores describe how the molecule
      differs from it.
    - Open valences are filled with hydrogens; charges do not change. With `hydrogens` open valences are not filled: an
        atom that has lost a neighbour is a radical.
    - An aromatic ring that loses an atom, or a double bond that leads out of it, gets single bonds: benzene without an
      atom is pentane. Other rings stay aromatic as long as RDKit can give them double bonds. So it does not matter with
      which double bonds an aromatic ring is drawn, and equivalent atoms have equal scores.
    - A stereocentre or double bond that loses a neighbour loses its configuration; the others keep theirs.

    All atoms together give the input again: the same string, or a copy of the `Mol`. Some hydrogens are always atoms
    for RDKit, and units here: isotopes and those of ``[H][H]``.

    Examples
    --------
    Models of fragments, by their fingerprints or as they are; and a model of atoms::

        from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

        counts = GetMorganGenerator(radius=2).GetCountFingerprintAsNumPy
        masker = Molecule(lambda mols: np.stack([counts(mol) for mol in mols]))
        Explainer(ridge, masker, Myerson())("CC(=O)Oc1ccccc1C(=O)O")

        Molecule().mask("CCO").rows(Coalitions.from_sets(3, [[0, 2], [1, 2]]))  # ['C.O', 'CO']
        Molecule(base="C").mask("CCO").rows(Coalitions.from_sets(3, [[], [2]]))  # ['C', 'O']

        def numbers(mol, kept):
            return kept * np.array([atom.GetAtomicNum() for atom in mol.GetAtoms()])

        Molecule(numbers, absent="mask").mask("CCO").rows(Coalitions.from_sets(3, [[0, 2]]))  # [[6, 0, 8]]
    """

    featurise: Callable[..., Rows] | None = None
    absent: Literal["remove", "mask"] = "remove"
    hydrogens: bool = False
    base: Any = None

    def __post_init__(self) -> None:
        if not (self.featurise is None or callable(self.featurise)):
            raise MaskerError(f"Expected featurise as a function or None, got {self.featurise!r}.")
        if self.absent not in ("remove", "mask"):
            raise MaskerError(f'Expected "remove" or "mask" as absent, got {self.absent!r}.')
        if self.absent == "mask" and self.featurise is None:
            raise MaskerError(
                'Expected featurise with absent="mask", got none. Give a function (mol, kept) -> rows that '
                "masks absent atoms."
            )
        if not isinstance(self.hydrogens, bool):
            raise MaskerError(f"Expected hydrogens=True or False, got {self.hydrogens!r}.")
        object.__setattr__(self, "base", check_base(self.base, self.absent, self.featurise is not None))

    def is_many(self, x: Any) -> bool:
        """A list, an iterator (a supplier of RDKit, say), an array or a pandas Series is many molecules."""
        return holds_inputs(x, "one molecule or many")

    def mask(self, x: Any) -> MaskedMolecule:
        """Take every atom as a unit."""
        mol = parse_molecule(x, self.hydrogens)
        names = [f"{atom.GetSymbol()}{atom.GetIdx()}" for atom in mol.GetAtoms()]
        pairs = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds()]
        return MaskedMolecule(Graph.from_edges(len(names), pairs, names), x, mol, self)


@dataclass(frozen=True, eq=False)
class MaskedMolecule(Masked):
    """A molecule and how its rows are made.

    Attributes
    ----------
    x : the input, a SMILES string or a `Mol`.
    mol : the `Mol` whose atom number i is unit i, for drawing scores.
    recipe : the masker, which determines how absent atoms are represented.
    """

    x: Any
    mol: Any
    recipe: Molecule

    @property
    def content(self) -> tuple[Any, ...]:
        """The string, or the complete `Mol` with properties and coordinates, and how absent atoms are represented."""
        if isinstance(self.x, str):
            return self.x, self.recipe
        options = import_rdkit().PropertyPickleOptions
        return self.mol.ToBinary(int(options.AllProps) | int(options.CoordsAsDouble)), self.recipe

    @property
    def hint(self) -> str:
        """The hint that the model may not accept the molecule without any atom."""
        if self.recipe.base is not None or self.recipe.absent == "mask":
            return ""
        return '(If it fails on a molecule without atoms, say what stands for that: Molecule(base="C"), say.)'

    def rows(self, coalitions: Coalitions) -> Rows:
        """One row per coalition: the result of `featurise`, or a SMILES string or `Mol`."""
        check_units(coalitions, self.graph)
        featurise = self.recipe.featurise
        if self.recipe.absent == "mask" and featurise is not None:
            return check_featurised_rows(featurise(import_rdkit().Mol(self.mol), coalitions.dense()), len(coalitions))
        if featurise is not None:
            return self._featurise_rows(coalitions, featurise)
        return self._fragment_smiles(coalitions) if isinstance(self.x, str) else self._fragments(coalitions)

    def distinct(self, coalitions: Coalitions) -> DistinctRows:
        """If rows are SMILES strings, coalitions with equal strings share a key. Molecules differ in length."""
        if self.recipe.featurise is not None:
            return super().distinct(coalitions)
        if not isinstance(self.x, str):
            return replace(super().distinct(coalitions), lengths=_count_atoms)
        check_units(coalitions, self.graph)
        return DistinctRows.by_coalition(coalitions, text_keys(self._fragment_smiles(coalitions)), lengths=_count_atoms)

    def _featurise_rows(self, coalitions: Coalitions, featurise: Callable[..., Rows]) -> Rows:
        base, empty = self.recipe.base, coalitions.sizes == 0
        if base is None or isinstance(base, str) or not empty.any():
            return check_featurised_rows(featurise(self._fragments(coalitions)), len(coalitions))
        nonempty = coalitions.take(np.flatnonzero(~empty))
        mols = (
            self._fragments(nonempty) if len(nonempty) else [import_rdkit().Mol(self.mol)]
        )  # the first row shows the shape of all rows
        features = np.asarray(check_featurised_rows(featurise(mols), len(mols)))
        if np.shape(base) not in ((), features.shape[1:]):
            raise MaskerError(
                f"Expected base of shape {features.shape[1:]}, as the rows that featurise makes, got {np.shape(base)}."
            )
        rows = np.empty((len(coalitions), *features.shape[1:]), np.result_type(features, np.asarray(base)))
        rows[empty], rows[~empty] = np.asarray(base), features[: len(nonempty)]
        return rows

    def _fragments(self, coalitions: Coalitions) -> list[Any]:
        with silence_rdkit():
            return [self._cut_out(frozenset(range(self.graph.d)).difference(kept)) for kept in coalitions]

    def _fragment_smiles(self, coalitions: Coalitions) -> list[str]:
        """The string of each fragment. Making strings is slow, so that those for keys are kept for rows."""
        keys, cache = set_keys(coalitions), self._smiles_cache
        new_rows = np.array([row for row, key in enumerate(keys) if key not in cache], np.intp)
        new_coalitions = coalitions.take(new_rows)
        is_full, write = new_coalitions.sizes == self.graph.d, import_rdkit().MolToSmiles
        new_smiles = [
            self.x if full else write(mol)
            for full, mol in zip(is_full.tolist(), self._fragments(new_coalitions), strict=True)
        ]
        smiles_by_key = dict(zip((keys[row] for row in new_rows.tolist()), new_smiles, strict=True))
        smiles = [smiles_by_key[key] if key in smiles_by_key else cache[key] for key in keys]
        if len(cache) + len(smiles_by_key) <= _MAX_CACHED_SMILES:
            cache.update(smiles_by_key)
        return smiles

    @cached_property
    def _smiles_cache(self) -> dict[bytes, str]:
        return {}

    @property
    def view(self) -> MoleculeView:
        """The molecule as a mol block, which keeps the order of the atoms."""
        return MoleculeView(block=import_rdkit().MolToV3KMolBlock(self.mol), labels=np.arange(self.graph.d))

    def _cut_out(self, absent: Numbers, opened: Numbers = frozenset()) -> Any:
        """The molecule without some atoms. Aromatic rings through `opened` atoms get single bonds."""
        if not absent:
            return import_rdkit().Mol(self.mol)
        if len(absent) == self.graph.d and isinstance(self.recipe.base, str):
            return parse_molecule(self.recipe.base, self.recipe.hydrogens)
        mol = import_rdkit().RWMol(self.mol)
        lost_neighbours = Counter(j for i in absent for j in self._neighbours[i] if j not in absent)
        aromatic = self._open_rings(mol, absent, opened)
        self._open_atoms(mol, lost_neighbours, aromatic)
        mol.BeginBatchEdit()
        for number in absent:
            mol.RemoveAtom(number)
        mol.CommitBatchEdit()
        try:
            import_rdkit().SanitizeMol(mol)
        # A ring is aromatic only together with another one, which is absent.
        except import_rdkit().KekulizeException as error:
            kept_atoms = [i for i in range(self.graph.d) if i not in absent]
            return self._cut_out(absent, opened | {kept_atoms[i] for i in error.cause.GetAtomIndices()})
        if self._has_stereo:
            import_rdkit().AssignStereochemistry(mol, cleanIt=True, force=True)
        return mol.GetMol()

    def _open_rings(self, mol: Any, absent: Numbers, opened: Numbers) -> Numbers:
        """Give single bonds to aromatic rings that lose something. Returns the atoms of those that do not."""
        damaged = opened.union(absent, *(self._double_bonded[i] for i in absent))
        intact = [ring for ring in self._rings if ring.atoms.isdisjoint(damaged)]
        broken = [ring for ring in self._rings if not ring.atoms.isdisjoint(damaged)]
        aromatic = _union(ring.atoms for ring in intact)
        for number in _union(ring.bonds for ring in broken) - _union(ring.bonds for ring in intact):
            bond = mol.GetBondWithIdx(number)
            bond.SetBondType(import_rdkit().BondType.SINGLE)
            bond.SetIsAromatic(False)
        for number in _union(ring.atoms for ring in broken) - aromatic:
            self._make_aliphatic(mol.GetAtomWithIdx(number))
        return aromatic

    def _open_atoms(self, mol: Any, lost_neighbours: Counter[int], aromatic: Numbers) -> None:
        """Remove the configuration of atoms that lose neighbours, and replace these by hydrogens."""
        for number, count in lost_neighbours.items():
            atom = mol.GetAtomWithIdx(number)
            atom.SetChiralTag(import_rdkit().ChiralType.CHI_UNSPECIFIED)
            if number not in aromatic:
                self._make_aliphatic(atom)
            elif not self.recipe.hydrogens:
                atom.SetNumExplicitHs(atom.GetNumExplicitHs() + count)
        for number, ends in self._stereo_bonds:
            if not ends.isdisjoint(lost_neighbours):
                mol.GetBondWithIdx(number).SetStereo(import_rdkit().BondStereo.STEREONONE)

    def _make_aliphatic(self, atom: Any) -> None:
        """Make an atom aliphatic and let RDKit count its hydrogens."""
        atom.SetIsAromatic(False)
        if not self.recipe.hydrogens:
            atom.SetNumExplicitHs(0)
            atom.SetNoImplicit(False)

    @cached_property
    def _neighbours(self) -> list[tuple[int, ...]]:
        return [self.graph.neighbours(i) for i in range(self.graph.d)]

    @cached_property
    def _double_bonded(self) -> list[list[int]]:
        """The neighbours by double bonds that are not aromatic."""
        partners: list[list[int]] = [[] for _ in self._neighbours]
        for bond in self.mol.GetBonds():
            if bond.GetBondType() == import_rdkit().BondType.DOUBLE:
                i, j = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
                partners[i].append(j)
                partners[j].append(i)
        return partners

    @cached_property
    def _rings(self) -> list[_Ring]:
        """The smallest rings of aromatic bonds. Azulene has a ring of ten, because the inner bond is not aromatic."""
        aromatic = import_rdkit().RWMol(self.mol)
        numbers = {_bond_atoms(bond): bond.GetIdx() for bond in self.mol.GetBonds() if bond.GetIsAromatic()}
        for bond in self.mol.GetBonds():
            if not bond.GetIsAromatic():
                aromatic.RemoveBond(*_bond_atoms(bond))
        rings = [frozenset(ring) for ring in import_rdkit().GetSymmSSSR(aromatic)]
        return [_Ring(ring, frozenset(n for ends, n in numbers.items() if ends <= ring)) for ring in rings]

    @cached_property
    def _stereo_bonds(self) -> list[tuple[int, Numbers]]:
        none = import_rdkit().BondStereo.STEREONONE
        return [(bond.GetIdx(), _bond_atoms(bond)) for bond in self.mol.GetBonds() if bond.GetStereo() != none]

    @cached_property
    def _has_stereo(self) -> bool:
        none = import_rdkit().ChiralType.CHI_UNSPECIFIED
        return bool(self._stereo_bonds) or any(atom.GetChiralTag() != none for atom in self.mol.GetAtoms())


class _Ring(NamedTuple):
    """A ring of aromatic bonds, by the numbers of its atoms and bonds."""

    atoms: Numbers
    bonds: Numbers


def _count_atoms(coalitions: Coalitions) -> NDArray[np.int64]:
    """The number of atoms of each coalition, which is the length of its row if rows are molecules."""
    return coalitions.sizes


def _union(sets: Iterable[Numbers]) -> Numbers:
    return frozenset().union(*sets)


def _bond_atoms(bond: Any) -> Numbers:
    return frozenset((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()))
