"""Keys of rows against the rows themselves, over all coalitions of small inputs, for every masker."""

import numpy as np
import pytest
import torch
from distinct_keys import coalition_keys
from hypothesis import given
from hypothesis import strategies as st
from rdkit import Chem
from scipy import sparse
from torch_geometric.data import Data

from lcshap import Coalitions
from lcshap.core.store_keys import set_keys
from lcshap.errors import PlanError
from lcshap.maskers import Bytes, GraphNodes, Image, Molecule, Series, Subwords, Tabular, Text, Tokens
from lcshap.maskers.text_keys import find_idle, pair_keys
from lcshap.paper.networks.blanks import Blanks

from .test_subwords import TOKENIZER

GREY = np.array([[0.0, 0.5], [1.0, 0.0], [-0.0, 0.0]])
COLOUR = np.stack([GREY, np.zeros((3, 2)), GREY], axis=2)
FEATURES = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [-0.0, 0.0]])
INDEX = np.array([[0, 2], [1, 2]])  # 0 -> 1, a loop at 2; 3 is alone
MATRIX = np.zeros((4, 4))
MATRIX[0, 1], MATRIX[2, 2] = -1, 2


def atoms(mol, kept):
    return kept * np.array([atom.GetAtomicNum() for atom in mol.GetAtoms()])


def every(d):
    """All coalitions, half of them stored by what they lack."""
    kept = (np.arange(2**d)[:, None] >> np.arange(d) & 1).astype(bool)
    removed = np.arange(2**d) % 2 == 1
    stored = Coalitions.from_dense(kept ^ removed[:, None])
    return Coalitions(d, stored.indices, stored.offsets, removed)


def value(row):
    """What a row is, to the bit, in a form that can be compared."""
    if isinstance(row, np.ndarray):
        return row.dtype.str, row.shape, row.tobytes()
    if isinstance(row, torch.Tensor):
        return value(row.numpy())
    if isinstance(row, dict):
        return tuple((name, value(entry)) for name, entry in sorted(row.items()))
    if isinstance(row, tuple | list):
        return tuple(map(value, row))
    if isinstance(row, Data):
        return value(row.to_dict())
    if sparse.issparse(row):
        return value(row.toarray())
    return Chem.MolToSmiles(row) if isinstance(row, Chem.Mol) else row


def values(masked, coalitions):
    """The rows of each coalition together."""
    rows, rows_per_call = masked.rows(coalitions), masked.rows_per_call
    return [value([rows[i * rows_per_call + j] for j in range(rows_per_call)]) for i in range(len(coalitions))]


# Inputs whose keys are equal exactly where rows are.
EXACT = {
    "text": (Text(), "very very bad, very bad"),
    "text, one word often": (Text(), "no no  no\nno no"),
    "text, pinned and dropped": (Text(pin={"bad"}, drop={"so"}), "so bad very bad very so bad very"),
    "text, replaced": (Text(absent="_"), "_ a _ b _"),
    "text, replaced by nothing": (Text(absent=""), "a a a a"),
    "characters": (Text(units="character"), "aab ba"),
    "lone surrogates": (Text(), "\ud800 \ud800 \ud801"),
    "subwords": (Subwords(TOKENIZER), "good good film, good"),
    "subwords, pair": (Subwords(TOKENIZER), ("a b", "b a b")),
    "subwords, one side": (Subwords(TOKENIZER), ("", "b b a")),
    "subwords, mask": (Subwords(TOKENIZER, absent="mask"), "good [MASK] \u200b film [MASK]"),
    "subwords, attention": (Subwords(TOKENIZER, absent="attention"), "good [PAD] \u200b film"),
    "tokens": (Tokens(length=7), [5, 5, 6, 0, 5]),
    "tokens, deleted": (Tokens(absent="delete"), [5, 5, 6, 5]),
    "tokens, deleted from the left": (Tokens(absent="delete", side="left", pin={6}), [5, 5, 6, 5, 6, 5]),
    "tokens, deleted, long": (Tokens(absent="delete", length=9, side="left", pin={6}), [5, 5, 6, 0, 5, 6, 5]),
    "tokens, deleted around padding": (Tokens(absent="delete", length=6), [5, 0, 5, 0, 5]),
    "image, grey": (Image(reference=0), GREY),
    "image, bytes": (Image(reference=255), (255 * GREY).astype(np.uint8)),
    "image, colours": (Image(reference=(0, 0, 0.5), channels="last"), COLOUR),
    "image, channels first": (Image(reference=0, channels="first"), COLOUR.transpose(2, 0, 1)),
    "image, patches": (Image(patch=(1, 2), reference=GREY[::-1]), GREY),
    "image, labels": (Image(labels=[[3, 5], [5, 3], [4, 4]], reference=-0.0), GREY),
    "image, its mean": (Image(), np.array([[1.0, 2.0, 3.0]])),
    "image, booleans": (Image(reference=1), GREY > 0),
    "row": (Tabular([0, 1, 2, 3.0]), [0, 1, 5, 3.5]),
    "row, signed zero": (Tabular([0.0, 0.0]), [0.0, -0.0]),
    "row, pinned and dropped": (Tabular([0, 1, 2, 3, 4], pin=0, drop=1), [9, 9, 2, 3, 5]),
    "row, background": (Tabular([[0, 1, 2], [0, 5, 2], [1, 1, 2]]), [0, 1, 2]),
    "row, background that agrees nowhere": (Tabular([[0, 1, 2], [3, 4, 5]]), [6, 7, 8]),
    "row, float32": (Tabular([0.1, 0.5, 1 / 3]), np.array([0.1, 0.5, 1 / 3], np.float32)),
    "series": (Series(reference=1), [1.0, 2.0, 1.0, 1.0]),
    "series, background": (Series(reference=[[1, 2, 3], [1, 0, 3]]), [1, 2, 4]),
    "series, windows of channels": (Series(2, True, (0, 1), "last"), np.array([[0, 1], [0, 2], [0, 1], [3, 1]])),
    "bytes": (Bytes(window=2), b"\0\0ab\0c\0"),
    "bytes, padded": (Bytes(window=2, padding=97, length=9), b"aabaaba"),
    "bytes, layout": (Bytes(window=1, layout=lambda data: [0, 2, -1, 0, 3]), b"a\0\0b"),
    "SMILES": (Molecule(), "CC(=O)CC"),
    "SMILES of a ring": (Molecule(), "c1ccccc1"),
    "atoms, masked": (Molecule(atoms, absent="mask"), "CCO"),
    "nodes": (GraphNodes(), (FEATURES, INDEX)),
}

# Inputs with rows that may be equal although keys are not: to tell would take the rows.
SAFE = {
    "series, interpolated": (Series(reference="interpolate"), [1.0, 2.0, 3.0, 1.0]),
    "Mol": (Molecule(), Chem.MolFromSmiles("CC(=O)CC")),
    "featurised": (Molecule(lambda mols: [m.GetNumAtoms() for m in mols]), "CCO"),
    "blanks": (Blanks(), "very very bad"),
    "nodes, their edges too": (GraphNodes(remove_edges=True), (FEATURES, INDEX)),
    "nodes, matrix": (GraphNodes(remove_edges=True), (FEATURES, MATRIX)),
    "nodes, sparse matrix": (GraphNodes(remove_edges=True), (FEATURES, sparse.csr_array(MATRIX))),
    "nodes, pairs": (GraphNodes(reference=[1.0, 2.0], remove_edges=True), (FEATURES, [(1, 2), (3, 3)])),
    "nodes, data": (
        GraphNodes(remove_edges=True),
        Data(torch.tensor(FEATURES), torch.tensor(INDEX), edge_attr=torch.tensor([1, 2])),
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_keys_are_equal_exactly_where_rows_are(name):
    recipe, x = EXACT[name]
    masked = recipe.mask(x)
    coalitions = every(masked.graph.d)
    keys, rows = coalition_keys(masked, coalitions), values(masked, coalitions)
    assert len(set(keys)) == len(set(rows)) == len(set(zip(keys, rows, strict=True)))
    assert {len(key) for key in masked.distinct(coalitions).keys} == {16}


@pytest.mark.parametrize("name", SAFE)
def test_keys_are_never_equal_where_rows_differ(name):
    recipe, x = SAFE[name]
    masked = recipe.mask(x)
    coalitions = every(masked.graph.d)
    keys = coalition_keys(masked, coalitions)
    idle = 0 if masked._idle_units is None else masked._idle_units.sum()
    assert len(set(zip(keys, values(masked, coalitions), strict=True))) == len(set(keys)) == len(coalitions) // 2**idle


@pytest.mark.parametrize("name", [*EXACT, *SAFE])
def test_keys_depend_neither_on_the_batch_nor_on_how_sets_are_stored(name):
    recipe, x = (EXACT | SAFE)[name]
    masked = recipe.mask(x)
    coalitions = every(masked.graph.d)
    kept = Coalitions.from_dense(coalitions.dense())
    single_keys = [coalition_keys(masked, kept[row : row + 1])[0] for row in range(len(kept))]
    assert coalition_keys(masked, coalitions) == single_keys == coalition_keys(masked, coalitions.canonical())
    assert coalition_keys(recipe.mask(x), kept[::-1]) == single_keys[::-1]
    assert coalition_keys(masked, kept[:0]) == []


@pytest.mark.parametrize("name", [*EXACT, *SAFE])
def test_coalitions_of_another_input_are_refused(name):
    recipe, x = (EXACT | SAFE)[name]
    masked = recipe.mask(x)
    with pytest.raises(PlanError, match="coalitions over"):
        masked.distinct(Coalitions.from_sets(masked.graph.d + 1, [[0]]))


def test_idle_units_are_those_that_never_change_a_row():
    black = Image(reference=0).mask(GREY)._idle_units
    assert black.tolist() == [True, False, False, True, False, True]  # -0.0 is not 0.0 to the bit
    assert Tabular([[0, 1], [0, 2]]).mask([0, 1])._idle_units.tolist() == [True, False]
    assert Text().mask("a b")._idle_units is None
    assert Series(reference="interpolate").mask([1.0, 1.0])._idle_units is None
    assert GraphNodes().mask((FEATURES, INDEX))._idle_units.tolist() == [False, True, True, False]
    assert GraphNodes(remove_edges=True).mask((np.zeros((4, 1)), INDEX))._idle_units.tolist() == [
        False,
        False,
        False,
        True,
    ]


def test_nan_is_idle_only_where_its_bits_are_the_same():
    quiet = np.array([np.nan, np.nan, 1.0])
    signalling = quiet.copy()
    signalling.view(np.uint64)[1] |= 1
    assert find_idle(quiet, signalling, np.arange(3), 3).tolist() == [True, False, True]
    assert not find_idle(quiet, quiet.astype(np.float32), np.arange(3), 3).any()


def test_rows_that_were_made_for_keys_are_not_made_again(monkeypatch):
    masked = Molecule().mask("CCOC")
    coalitions = every(4)
    masked.distinct(coalitions)
    monkeypatch.setattr(type(masked), "_cut_out", lambda *_: pytest.fail("cut again"))
    assert masked.rows(coalitions)[-1] == "CCOC"


@pytest.mark.parametrize("d", [1, 8, 9, 1016, 1017, 3000])
@pytest.mark.parametrize("idle", [0.0, 0.3, 1.0])
def test_keys_of_sets_of_any_size(d, idle):
    random = np.random.default_rng(d)
    shares = np.repeat([0, 0.001, 0.01, 0.03, 0.04, 0.5, 0.96, 0.97, 0.99, 1], 5)
    kept = random.random((len(shares), d)) < shares[:, None]
    kept = np.concatenate([kept, kept[::-1]])
    resting = random.random(d) < idle
    stored = [Coalitions.from_dense(kept), Coalitions.from_dense(~kept)]
    stored[1] = Coalitions(d, stored[1].indices, stored[1].offsets, ~stored[1].removed)
    keys, same = (set_keys(c, resting) for c in stored)
    sets = [row.tobytes() for row in kept & ~resting]
    assert keys == same
    assert len(set(keys)) == len(set(sets)) == len(set(zip(keys, sets, strict=True)))


@given(st.lists(st.tuples(st.text("ab\0", max_size=3), st.text("ab\0", max_size=3)), max_size=20))
def test_keys_of_pairs_of_texts(pairs):
    assert len(set(pair_keys(pairs))) == len(set(pairs))
