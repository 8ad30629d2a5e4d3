"""Molecules: atoms as units, bonds as edges; absent atoms are cut out, or masked by the user's own featuriser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.keys import set_keys
from ..core.views import MoleculeView
from ..errors import MaskerError
from .base import Masked, Masker, Rows, check_units
from .keys import text_keys
from .many import are_objects
from .molecule_parts import check_base, check_rows, chem, quiet, read

Numbers = frozenset[int]

_MOST = 100_000  # SMILES strings that are kept between their keys and their rows


@dataclass(frozen=True)
class Molecule(Masker):
    """A molecule, given as a SMILES string or an RDKit `Mol`: atoms are units, bonds are edges.

    Needs ``pip install "lcshap[molecule]"``. Units are in the order of the SMILES (of the `Mol`), named by symbol and
    number: "C0", "O5".

    Parameters
    ----------
    featurise : makes the model's rows, many at once. With "remove" it is called with a list of `Mol`, with "mask" with
        the whole `Mol` and a boolean array `(n, atoms)`, True where an atom is kept; it returns `n` rows, an array or a
        list. None: rows are what was given, SMILES strings for a string and `Mol` for a `Mol`.
    absent : "remove": absent atoms are cut out of the molecule. "mask": `featurise` decides what they are.
    hydrogens : whether hydrogens are units too. False: they go with the atom that they are bound to.
    base : what stands for the molecule without any atom, for models that fail on an empty one: a SMILES string or a
        `Mol`, such as "C", which is methane; or, with `featurise`, a row of numbers, or one number that fills a row:
        0 is the featuriser's zero. None: the empty molecule. Only with "remove".

    Notes
    -----
    Choose "remove" for models of whole molecules (fingerprints, descriptors, SMILES), "mask" for models of atoms (a
    graph network whose atom features can be set to zero).

    What is left when atoms are cut out is always a valid molecule, as RDKit sees it:

    - All pieces stay: propane without its middle is ``C.C``. Without any atom it is the empty molecule, ``""``, or
      `base`: then v(∅) is what the model says of that, and the scores tell how the molecule differs from it.
    - Open valences are filled with hydrogens; charges stay where they were. With `hydrogens` nothing is filled in: an
      atom that has lost a neighbour is a radical.
    - An aromatic ring that loses an atom, or a double bond that leads out of it, gets single bonds: benzene without an
      atom is pentane. Other rings stay aromatic as long as RDKit can give them double bonds. So the double bonds that
      an aromatic ring is drawn with play no part, and equivalent atoms have equal scores.
    - A stereocentre or double bond that loses a neighbour loses its configuration; the others keep theirs.

    All atoms together give back what was given: the same string, or a copy of the `Mol`. Some hydrogens are atoms to
    RDKit, and units, whatever is said here: isotopes and those of ``[H][H]``.

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
        return are_objects(x, "one molecule or many")

    def mask(self, x: Any) -> MaskedMolecule:
        """Take every atom as a unit."""
        mol = read(x, self.hydrogens)
        names = [f"{atom.GetSymbol()}{atom.GetIdx()}" for atom in mol.GetAtoms()]
        pairs = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds()]
        return MaskedMolecule(Graph.from_edges(len(names), pairs, names), x, mol, self)


@dataclass(frozen=True, eq=False)
class MaskedMolecule(Masked):
    """A molecule and how its rows are made.

    Attributes
    ----------
    x : what was given, a SMILES string or a `Mol`.
    mol : the `Mol` whose atom number i is unit i: the one to draw scores on.
    recipe : how absent atoms are dealt with.
    """

    x: Any
    mol: Any
    recipe: Molecule

    @property
    def content(self) -> tuple[Any, ...]:
        """The string, or all that the `Mol` holds, properties and coordinates too; and what absent atoms become."""
        if isinstance(self.x, str):
            return self.x, self.recipe
        options = chem().PropertyPickleOptions
        return self.mol.ToBinary(int(options.AllProps) | int(options.CoordsAsDouble)), self.recipe

    @property
    def hint(self) -> str:
        """That the model may not take the molecule without any atom."""
        if self.recipe.base is not None or self.recipe.absent == "mask":
            return ""
        return '(If it fails on a molecule without atoms, say what stands for that: Molecule(base="C"), say.)'

    def rows(self, coalitions: Coalitions) -> Rows:
        """One row a coalition: what `featurise` makes of it, or a SMILES string or `Mol`."""
        check_units(coalitions, self.graph)
        featurise = self.recipe.featurise
        if self.recipe.absent == "mask" and featurise is not None:
            return check_rows(featurise(chem().Mol(self.mol), coalitions.dense()), len(coalitions))
        if featurise is not None:
            return self._featurised(coalitions, featurise)
        return self._smiles(coalitions) if isinstance(self.x, str) else self._fragments(coalitions)

    def keys(self, coalitions: Coalitions) -> list[bytes]:
        """Equal where coalitions are or, where rows are SMILES strings, where these are: of like fragments, too."""
        if self.recipe.featurise is not None or not isinstance(self.x, str):
            return super().keys(coalitions)
        check_units(coalitions, self.graph)
        return text_keys(self._smiles(coalitions))

    def _featurised(self, coalitions: Coalitions, featurise: Callable[..., Rows]) -> Rows:
        base, empty = self.recipe.base, coalitions.sizes == 0
        if base is None or isinstance(base, str) or not empty.any():
            return check_rows(featurise(self._fragments(coalitions)), len(coalitions))
        some = coalitions.take(np.flatnonzero(~empty))
        mols = self._fragments(some) if len(some) else [chem().Mol(self.mol)]  # one to know the shape of a row
        found = np.asarray(check_rows(featurise(mols), len(mols)))
        if np.shape(base) not in ((), found.shape[1:]):
            raise MaskerError(
                f"Expected base of shape {found.shape[1:]}, as the rows that featurise makes, got {np.shape(base)}."
            )
        rows = np.empty((len(coalitions), *found.shape[1:]), np.result_type(found, np.asarray(base)))
        rows[empty], rows[~empty] = np.asarray(base), found[: len(some)]
        return rows

    def _fragments(self, coalitions: Coalitions) -> list[Any]:
        with quiet():
            return [self._cut(frozenset(range(self.graph.d)).difference(kept)) for kept in coalitions]

    def _smiles(self, coalitions: Coalitions) -> list[str]:
        """The string of each fragment. They are slow to make, so that those made for keys are kept for rows."""
        sets, known = set_keys(coalitions), self._known
        new = np.array([row for row, key in enumerate(sets) if key not in known], np.intp)
        some = coalitions.take(new)
        whole, write = some.sizes == self.graph.d, chem().MolToSmiles
        made = [self.x if w else write(mol) for w, mol in zip(whole.tolist(), self._fragments(some), strict=True)]
        fresh = dict(zip((sets[row] for row in new.tolist()), made, strict=True))
        found = [fresh[key] if key in fresh else known[key] for key in sets]
        if len(known) + len(fresh) <= _MOST:
            known.update(fresh)
        return found

    @cached_property
    def _known(self) -> dict[bytes, str]:
        return {}

    @property
    def view(self) -> MoleculeView:
        """The molecule as a mol block, which keeps the order of the atoms."""
        return MoleculeView(block=chem().MolToV3KMolBlock(self.mol), labels=np.arange(self.graph.d))

    def lengths(self, coalitions: Coalitions) -> NDArray[np.int64] | None:
        """How many atoms are kept, where rows are molecules; None where `featurise` makes them."""
        return coalitions.sizes if self.recipe.featurise is None else None

    def _cut(self, absent: Numbers, opened: Numbers = frozenset()) -> Any:
        """The molecule without some atoms. Aromatic rings through `opened` atoms get single bonds."""
        if not absent:
            return chem().Mol(self.mol)
        if len(absent) == self.graph.d and isinstance(self.recipe.base, str):
            return read(self.recipe.base, self.recipe.hydrogens)
        mol = chem().RWMol(self.mol)
        lost = Counter(j for i in absent for j in self._neighbours[i] if j not in absent)
        aromatic = self._open_rings(mol, absent, opened)
        self._open_atoms(mol, lost, aromatic)
        mol.BeginBatchEdit()
        for number in absent:
            mol.RemoveAtom(number)
        mol.CommitBatchEdit()
        try:
            chem().SanitizeMol(mol)
        except chem().KekulizeException as error:  # a ring that is aromatic only together with one that is gone
            left = [i for i in range(self.graph.d) if i not in absent]
            return self._cut(absent, opened | {left[i] for i in error.cause.GetAtomIndices()})
        if self._has_stereo:
            chem().AssignStereochemistry(mol, cleanIt=True, force=True)
        return mol.GetMol()

    def _open_rings(self, mol: Any, absent: Numbers, opened: Numbers) -> Numbers:
        """Give single bonds to aromatic rings that lose something. Returns the atoms of those that do not."""
        hurt = opened.union(absent, *(self._doubled[i] for i in absent))
        whole = [ring for ring in self._rings if ring.atoms.isdisjoint(hurt)]
        broken = [ring for ring in self._rings if not ring.atoms.isdisjoint(hurt)]
        aromatic = _union(ring.atoms for ring in whole)
        for number in _union(ring.bonds for ring in broken) - _union(ring.bonds for ring in whole):
            bond = mol.GetBondWithIdx(number)
            bond.SetBondType(chem().BondType.SINGLE)
            bond.SetIsAromatic(False)
        for number in _union(ring.atoms for ring in broken) - aromatic:
            self._free(mol.GetAtomWithIdx(number))
        return aromatic

    def _open_atoms(self, mol: Any, lost: Counter[int], aromatic: Numbers) -> None:
        """Take stereo from atoms that lose neighbours, and let hydrogens take the place of these."""
        for number, count in lost.items():
            atom = mol.GetAtomWithIdx(number)
            atom.SetChiralTag(chem().ChiralType.CHI_UNSPECIFIED)
            if number not in aromatic:
                self._free(atom)
            elif not self.recipe.hydrogens:
                atom.SetNumExplicitHs(atom.GetNumExplicitHs() + count)
        for number, ends in self._stereo_bonds:
            if not ends.isdisjoint(lost):
                mol.GetBondWithIdx(number).SetStereo(chem().BondStereo.STEREONONE)

    def _free(self, atom: Any) -> None:
        """Make an atom aliphatic and let RDKit count its hydrogens."""
        atom.SetIsAromatic(False)
        if not self.recipe.hydrogens:
            atom.SetNumExplicitHs(0)
            atom.SetNoImplicit(False)

    @cached_property
    def _neighbours(self) -> list[tuple[int, ...]]:
        return [self.graph.neighbours(i) for i in range(self.graph.d)]

    @cached_property
    def _doubled(self) -> list[list[int]]:
        """The neighbours by double bonds that are not aromatic."""
        found: list[list[int]] = [[] for _ in self._neighbours]
        for bond in self.mol.GetBonds():
            if bond.GetBondType() == chem().BondType.DOUBLE:
                i, j = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
                found[i].append(j)
                found[j].append(i)
        return found

    @cached_property
    def _rings(self) -> list[_Ring]:
        """The smallest rings of aromatic bonds. In azulene that is the ring of ten: the bond across is not aromatic."""
        aromatic = chem().RWMol(self.mol)
        numbers = {_ends(bond): bond.GetIdx() for bond in self.mol.GetBonds() if bond.GetIsAromatic()}
        for bond in self.mol.GetBonds():
            if not bond.GetIsAromatic():
                aromatic.RemoveBond(*_ends(bond))
        rings = [frozenset(ring) for ring in chem().GetSymmSSSR(aromatic)]
        return [_Ring(ring, frozenset(n for ends, n in numbers.items() if ends <= ring)) for ring in rings]

    @cached_property
    def _stereo_bonds(self) -> list[tuple[int, Numbers]]:
        none = chem().BondStereo.STEREONONE
        return [(bond.GetIdx(), _ends(bond)) for bond in self.mol.GetBonds() if bond.GetStereo() != none]

    @cached_property
    def _has_stereo(self) -> bool:
        none = chem().ChiralType.CHI_UNSPECIFIED
        return bool(self._stereo_bonds) or any(atom.GetChiralTag() != none for atom in self.mol.GetAtoms())


class _Ring(NamedTuple):
    """A ring of aromatic bonds, by the numbers of its atoms and bonds."""

    atoms: Numbers
    bonds: Numbers


def _union(sets: Iterable[Numbers]) -> Numbers:
    return frozenset().union(*sets)


def _ends(bond: Any) -> Numbers:
    return frozenset((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()))
