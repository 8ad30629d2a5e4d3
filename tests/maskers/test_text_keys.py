"""Which inputs have equal keys, and which rows: for every masker, against the rows themselves."""

import re
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest
import torch
from rdkit import Chem
from scipy import sparse
from torch_geometric.data import Data

from lcshap import Coalitions, Graph
from lcshap.maskers import Bytes, GraphNodes, Image, Masked, Molecule, Series, Subwords, Tabular, Text, Tokens
from lcshap.maskers.text import MaskedText

from .test_subwords import TOKENIZER

FEATURES = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
PAIRS = [(0, 1), (1, 2)]
INDEX, EYE = np.array([[0, 1], [1, 2]]), np.eye(3)
PHOTO = np.random.default_rng(0).uniform(size=(6, 6, 3))
TABLE = np.arange(12.0).reshape(3, 4) ** 2


def atoms(mol, kept):
    return kept * np.array([atom.GetAtomicNum() for atom in mol.GetAtoms()])


def count(mols):
    return [mol.GetNumAtoms() for mol in mols]


def data(**more):
    return Data(x=torch.tensor(FEATURES), edge_index=torch.tensor(INDEX), **more)


# Per masker: what changes rows (another recipe or another input), each different from all others of its list.
CASES = {
    "text": [
        *((Text(), text) for text in ("to be or not", "to be or", "to be  or not", "to be or not ")),
        *((Text(absent=absent), "to be or not") for absent in ("_", "[MASK]")),
        *((Text(units=units), "to be or not") for units in ("sentence", "character")),
        *((Text(splitter=s), "to be or not") for s in ("be|or", re.compile("to"), lambda text: [(0, 2), (3, 5)])),
        *((Text(**{role: rule}), "to be or not") for role in ("pin", "drop") for rule in ({"to"}, {"be"})),
    ],
    "subwords": [
        *((Subwords(TOKENIZER), x) for x in ("to be", ("to", "be"), ("to be", ""), ("", "to be"), "to be.")),
        *((Subwords(TOKENIZER, absent=absent), "to be") for absent in ("mask", "attention")),
        *((Subwords(TOKENIZER, **{role: {"to"}}), "to be") for role in ("pin", "drop")),
        *((Subwords(TOKENIZER, units="character", absent=absent), "to be") for absent in ("delete", "mask")),
        (Subwords(TOKENIZER, splitter="be"), "to be"),
    ],
    "tokens": [
        *((Tokens(), ids) for ids in ([5, 6, 7], [5, 6], [5, 6, 7, 0], [0, 5, 6, 7], [5, 0, 6, 7])),
        *((Tokens(padding=p), [5, 6, 7]) for p in (1, 5)),
        *((Tokens(length=5, side=side), [5, 6, 7]) for side in ("left", "right")),
        *((Tokens(absent="delete", length=5, side=side), [5, 6, 7]) for side in ("left", "right")),
        *((Tokens(**{role: {token}}), [5, 6, 7]) for role in ("pin", "drop") for token in (5, 6)),
    ],
    "image": [
        *((Image(), x) for x in (PHOTO, PHOTO[..., 0], PHOTO.astype("f4"), PHOTO[::-1], PHOTO.transpose(2, 0, 1))),
        *((Image(patch=patch), PHOTO) for patch in (2, 3, (2, 3))),
        *((Image(reference=r), PHOTO) for r in ("blur", 0, 0.5, (0, 0.5, 0), PHOTO[::-1], "noise")),
        (Image(reference="noise", seed=1), PHOTO),
        *((Image(labels=labels), PHOTO) for labels in (np.eye(6, dtype=int), np.tri(6, dtype=int))),
        *((Image(units="superpixel", segments=segments), PHOTO) for segments in (4, 9)),
        *((Image(channels=channels), PHOTO[:3, :3]) for channels in ("first", "last")),
    ],
    "tabular": [
        *((Tabular(TABLE), x) for x in ([1, 2, 3, 4], [1, 2, 3, 5], np.array([1, 2, 3, 4], "f4"))),
        *((Tabular(background), [1, 2, 3, 4]) for background in (TABLE[0], TABLE[1:], TABLE[::-1])),
        *((Tabular(TABLE, pin=pin), [1, 2, 3, 4]) for pin in (0, 1)),
        *((Tabular(TABLE, drop=drop), [1, 2, 3, 4]) for drop in (0, 1)),
    ],
    "series": [
        *((Series(), x) for x in (TABLE[1], TABLE[1, ::-1], TABLE[1].astype("f4"))),
        *((Series(window=window), TABLE[1]) for window in (2, 3)),
        *((Series(reference=r), TABLE[1]) for r in ("interpolate", 0, 1, TABLE[2], TABLE)),
        *((Series(channels=c, by_channel=b), TABLE) for c in ("first", "last") for b in (True, False)),
    ],
    "bytes": [
        *((Bytes(window=2), x) for x in (b"abcde", b"abcdf", b"abcd")),
        *((Bytes(window=w, padding=p), b"abcde") for w, p in ((1, 0), (3, 0), (2, 1), (2, 256))),
        *((Bytes(window=2, length=length), b"abcde") for length in (6, 7)),
        (Bytes(window=2, dtype="int32"), b"abcde"),
        (Bytes(window=2, layout=lambda data: [0, 1, -1, 4]), b"abcde"),
    ],
    "molecule": [
        *((Molecule(), smiles) for smiles in ("CCO", "OCC", "CCN")),
        *((Molecule(), Chem.MolFromSmiles(smiles)) for smiles in ("CCO", "OCC", "CCN")),
        (Molecule(hydrogens=True), "CCO"),
        *((Molecule(f), "CCO") for f in (count, lambda mols: count(mols), lambda mols: count(mols))),
        (Molecule(atoms, absent="mask"), "CCO"),
    ],
    "graph nodes": [
        *((GraphNodes(), (FEATURES, edges)) for edges in (PAIRS, INDEX, PAIRS[:1], EYE, sparse.csr_array(EYE))),
        *((GraphNodes(reference=r), (FEATURES, PAIRS)) for r in ("mean", 1.0, [1.0, 2.0], FEATURES[::-1])),
        (GraphNodes(remove_edges=True), (FEATURES, PAIRS)),
        (GraphNodes(), (FEATURES[::-1], PAIRS)),
        (GraphNodes(), (torch.tensor(FEATURES), PAIRS)),
        (GraphNodes(), (FEATURES.tolist(), PAIRS)),
        (GraphNodes(), {"x": FEATURES, "edge_index": INDEX}),
        *((GraphNodes(), data(**more)) for more in ({}, {"y": torch.tensor(1)}, {"y": torch.tensor(2)}, {"name": "a"})),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", CASES)
def test_the_same_input_masked_in_the_same_way_has_the_same_key_and_nothing_else_has(kind):
    keys = [recipe.mask(x).key for recipe, x in CASES[kind]]
    assert keys == [recipe.mask(x).key for recipe, x in CASES[kind]]
    assert len(set(keys)) == len(keys)
    assert {len(key) for key in keys} == {16}


@pytest.mark.parametrize("kind", CASES)
def test_an_equal_recipe_and_an_equal_input_have_the_same_key(kind):
    for recipe, x in CASES[kind]:
        copy = x.copy() if isinstance(x, np.ndarray | list | dict) else Chem.Mol(x) if isinstance(x, Chem.Mol) else x
        copy = x.clone() if isinstance(x, Data) else copy
        assert recipe.mask(x).key == replace(recipe).mask(copy).key


def test_keys_do_not_depend_on_earlier_requests():
    """Views, rows and other things that are computed on demand are no part of it."""
    for recipe, x in (cases[0] for cases in [*CASES.values(), CASES["molecule"][3:]]):
        used, fresh = recipe.mask(x), recipe.mask(x)
        assert used.view is not None or isinstance(recipe, GraphNodes)
        used.rows(Coalitions.from_sets(used.graph.d, [[], [0], range(used.graph.d)]))
        assert used.key == fresh.key


def test_what_does_not_change_rows_need_not_change_the_key():
    """Another graph and other names are about the same rows: what is known of them stays known."""
    same = [
        *((Tokens(**more), [5, 6]) for more in ({}, {"vocabulary": {5: "five"}}, {"graph": "ring"})),
        *((Text(**more), "to be or not") for more in ({}, {"graph": "complete"}, {"graph": Graph.ring})),
        *((Subwords(TOKENIZER, **more), "to be") for more in ({}, {"graph": "complete"}, {"max_length": 9})),
        *((Image(**more), PHOTO) for more in ({}, {"diagonal": True}, {"patch": 1}, {"channels": "last"})),
        *((Tabular(TABLE, **more), TABLE[0]) for more in ({}, {"graph": "chain"}, {"names": list("abcd")})),
        *((Series(**more), TABLE[0]) for more in ({}, {"graph": "ring"}, {"names": ["load"]}, {"channels": "none"})),
        *((Bytes(**more), b"abcde" * 9) for more in ({}, {"graph": "ring"}, {"length": 45})),
        *((GraphNodes(**more), (FEATURES, PAIRS)) for more in ({}, {"names": ["a", "b", "c"]})),
    ]
    keys = {(type(recipe), recipe.mask(x).key) for recipe, x in same}
    assert len(keys) == len({type(recipe) for recipe, _ in same})


def test_a_molecule_is_known_by_all_that_it_holds():
    mol = Chem.MolFromSmiles("CCO")
    plain = Molecule().mask(mol).key
    mol.SetProp("name", "ethanol")
    named = Molecule().mask(mol).key
    mol.GetAtomWithIdx(0).SetIntProp("mark", 1)
    assert len({plain, named, Molecule().mask(mol).key}) == 3


@dataclass(frozen=True, eq=False)
class Numbers(Masked):
    numbers: tuple[int, ...]

    def rows(self, coalitions):
        return [[self.numbers[i] for i in kept] for kept in coalitions]


class Undecorated(Numbers):
    """Nobody can tell what else its rows depend on."""


@dataclass(frozen=True, eq=False)
class Louder(MaskedText):
    """Rows depend on more than those of the class below."""

    mark: str

    def rows(self, coalitions):
        return [row + self.mark for row in super().rows(coalitions)]


class Loudest(MaskedText):
    """The same, and not even a dataclass."""


def test_what_a_subclass_adds_is_part_of_the_key():
    masked = Text().mask("to be")
    parts = {field.name: getattr(masked, field.name) for field in fields(masked)}
    assert Louder(**parts, mark="!").key == Louder(**parts, mark="!").key != Louder(**parts, mark="?").key
    assert len({masked.key, Louder(**parts, mark="!").key, Loudest(**parts).key, Loudest(**parts).key}) == 4


def test_a_custom_masked_input_is_identified_by_its_fields():
    chain = Graph.chain(2)
    assert Numbers(chain, (1, 2)).key == Numbers(chain, (1, 2)).key != Numbers(chain, (1, 3)).key
    masked = Undecorated(chain, (1, 2))
    assert masked.key == masked.key != Undecorated(chain, (1, 2)).key
