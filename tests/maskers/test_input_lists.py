"""Which things are lists of inputs, for every masker and every container."""

import io
import subprocess
import sys
from collections import deque
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from rdkit import Chem
from torch_geometric.data import Data, InMemoryDataset

from lcshap.errors import MaskerError
from lcshap.maskers import Bytes, GraphNodes, Image, Molecule, Series, Subwords, Tabular, Text, Tokens
from lcshap.paper.networks.blanks import Blanks

from .test_subwords import TOKENIZER

TEXTS = ["to be", "or not"]
PAIRS = [("Who?", "The cat."), ("What?", "A mat.")]
TABLE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
FRAME = pd.DataFrame(TABLE, columns=["a", "b", "c"])
POLARS = pl.DataFrame(TABLE, schema=["a", "b", "c"])
IDS = np.array([[5, 6, 7], [8, 9, 0]])
PHOTOS = np.random.default_rng(0).uniform(size=(2, 6, 7, 3))
GREY = PHOTOS[..., 0]
FILES = [b"abc\0", b"de\0"]
GRAPHS = [(np.ones((2, 1)), [(0, 1)]), (np.zeros((3, 1)), [(1, 2)])]
DATA = [Data(torch.ones(2, 1), torch.tensor([[0], [1]])), Data(torch.zeros(3, 1), torch.tensor([[1], [2]]))]
MOLS = [Chem.MolFromSmiles(smiles) for smiles in ("CCO", "CCN")]


def objects(items):
    array = np.empty(len(items), object)
    for i, item in enumerate(items):
        array[i] = item
    return array


class Molecules(InMemoryDataset):
    def __init__(self):
        super().__init__()
        self.data, self.slices = self.collate(DATA)


def everywhere(masker, items):
    """The same inputs in the containers that every masker takes."""
    containers = {
        "list": list,
        "generator": lambda items: (item for item in items),
        "iterator": iter,
        "map": lambda items: map(lambda item: item, items),
        "deque": deque,
        "array of objects": objects,
        "column": lambda items: pd.Series(objects(items), index=range(7, 7 + len(items))),
    }
    return [pytest.param(masker, make(items), items, id=f"{masker.name}, {name}") for name, make in containers.items()]


MANY = [
    *everywhere(Text(), TEXTS),
    *everywhere(Blanks(), TEXTS),
    *everywhere(Subwords(TOKENIZER), TEXTS),
    *everywhere(Subwords(TOKENIZER), PAIRS),
    *everywhere(Tokens(), list(IDS)),
    *everywhere(Tokens(), [[5], [6, 7]]),
    *everywhere(Image(), list(PHOTOS)),
    *everywhere(Tabular(TABLE), list(TABLE)),
    *everywhere(Tabular(TABLE), TABLE.tolist()),
    *everywhere(Series(), [[1.0], [1.0, 2.0]]),
    *everywhere(Series(channels="last"), list(TABLE)),
    *everywhere(Bytes(), FILES),
    *everywhere(Molecule(), ["CCO", "CCN"]),
    *everywhere(Molecule(), MOLS),
    *everywhere(GraphNodes(), GRAPHS),
    *everywhere(GraphNodes(), DATA),
    (Text(), tuple(TEXTS), TEXTS),
    (Text(), np.array(TEXTS), TEXTS),
    (Text(), pd.Series(TEXTS), TEXTS),
    (Text(), pd.Series(TEXTS)[1:], TEXTS[1:]),
    (Text(), pd.Index(TEXTS), TEXTS),
    (Text(), pd.DataFrame({"text": TEXTS})["text"], TEXTS),
    (Molecule(), np.array(["CCO", "CCN"]), ["CCO", "CCN"]),
    (Molecule(), tuple(MOLS), MOLS),
    (Subwords(TOKENIZER), np.array(TEXTS), TEXTS),
    (Subwords(TOKENIZER), np.array(PAIRS), PAIRS),
    (Subwords(TOKENIZER), pd.DataFrame(PAIRS, columns=["question", "passage"]), PAIRS),
    (Tokens(), IDS, list(IDS)),
    (Tokens(), IDS[:1], list(IDS[:1])),
    (Tokens(), torch.tensor(IDS), list(IDS)),
    (Tokens(), tuple(IDS.tolist()), IDS.tolist()),
    (Tokens(), pd.DataFrame(IDS), list(IDS)),
    (Tabular(TABLE), TABLE, list(TABLE)),
    (Tabular(TABLE), TABLE[:1], list(TABLE[:1])),
    (Tabular(TABLE), TABLE[:0], []),
    (Tabular(TABLE), (list(TABLE[0]), list(TABLE[1])), TABLE.tolist()),
    (Tabular(FRAME), FRAME, list(TABLE)),
    (Tabular(FRAME), FRAME.iloc[:0], []),
    (Tabular(FRAME), [FRAME.iloc[0], FRAME.iloc[1]], list(TABLE)),
    (Tabular(FRAME), [FRAME[:1], FRAME[1:]], list(TABLE)),
    (Tabular(FRAME), (row for row in FRAME.to_dict("records")), list(TABLE)),
    (Tabular(POLARS), POLARS, list(TABLE)),
    (Tabular(POLARS), POLARS[:0], []),
    (Tabular(POLARS), POLARS.rows(named=True), list(TABLE)),
    (Tabular(POLARS), FRAME, list(TABLE)),
    (Tabular(TABLE), POLARS, list(TABLE)),
    (Series(channels="none"), TABLE, list(TABLE)),
    (Series(channels="none"), TABLE[:1], list(TABLE[:1])),
    (Series(channels="none"), pd.DataFrame(TABLE), list(TABLE)),
    (Series(reference=[0.0, 1.0, 0.0]), TABLE, list(TABLE)),
    (Series(channels="first"), np.stack([TABLE, TABLE]), [TABLE, TABLE]),
    (Series(), tuple(TABLE.tolist()), TABLE.tolist()),
    (Image(), PHOTOS, list(PHOTOS)),
    (Image(), PHOTOS[:1], list(PHOTOS[:1])),
    (Image(), PHOTOS[:0], []),
    (Image(), tuple(PHOTOS), list(PHOTOS)),
    (Image(), torch.tensor(PHOTOS), list(PHOTOS)),
    (Image(channels="none"), GREY, list(GREY)),
    (Image(channels="none"), GREY[:1], list(GREY[:1])),
    (Image(reference=GREY[0]), GREY, list(GREY)),
    (Bytes(), np.frombuffer(b"abcd", np.uint8).reshape(2, 2), [b"ab", b"cd"]),
    (Bytes(), (bytearray(b"ab"), np.frombuffer(b"cd", np.uint8)), [b"ab", b"cd"]),
    (GraphNodes(), Molecules(), DATA),
    *((masker, [], []) for masker in (Text(), Subwords(TOKENIZER), Tokens(), Image(), Tabular(TABLE), Series())),
    *((masker, [], []) for masker in (Bytes(), Molecule(), GraphNodes())),
    *((masker, (), []) for masker in (Text(), Tokens(), Image(), Tabular(TABLE), Series(), Bytes(), Molecule())),
    *((masker, iter([]), []) for masker in (Text(), Tokens(), Image(), Tabular(TABLE), Series(), GraphNodes())),
]

ONE = [
    *((Text(), "to be"), (Text(), np.str_("to be")), (Blanks(), "to be"), (Molecule(), "CCO"), (Molecule(), MOLS[0])),
    *((Subwords(TOKENIZER), "to be"), (Subwords(TOKENIZER), PAIRS[0])),
    *((Tokens(), x) for x in ([5, 6], (5, 6), range(1, 3), IDS[0], torch.tensor(IDS[0]), pd.Series(IDS[0]))),
    *((Tokens(), x) for x in ([np.int64(5)], np.array([5, 6], object).astype(int))),
    *((Tabular(TABLE), x) for x in ([1, 2, 3], (1, 2, 3), TABLE[0], TABLE[0].astype(object), torch.tensor(TABLE[0]))),
    *((Tabular(FRAME), x) for x in (FRAME.iloc[0], FRAME.iloc[0].astype(object), FRAME[:1], POLARS[:1])),
    *((Tabular(POLARS), x) for x in (POLARS[:1], POLARS.row(0), POLARS.row(0, named=True), FRAME[:1], FRAME.iloc[0])),
    *((Series(), x) for x in ([1.0, 2.0], (1, 2), TABLE[0], pd.Series([1.0, 2.0]))),
    *((Series(channels=channels), TABLE) for channels in ("last", "first")),
    *((Series(channels=channels), TABLE[0]) for channels in ("last", "none")),
    (Series(channels="last"), FRAME),
    *((Image(), x) for x in (GREY[0], PHOTOS[0], np.moveaxis(PHOTOS[0], 2, 0), torch.tensor(PHOTOS[0]))),
    *((Image(channels=channels), PHOTOS[0]) for channels in ("last", "first")),
    *((Image(reference=reference), PHOTOS[0]) for reference in ((0, 0, 1), PHOTOS[1], 0.5)),
    (Image(channels="none"), GREY[0]),
    *((Bytes(), x) for x in (b"ab", bytearray(b"ab"), memoryview(b"ab"), np.frombuffer(b"ab", np.uint8))),
    *((GraphNodes(), x) for x in (GRAPHS[0], {"x": np.ones((2, 1)), "edge_index": [[0], [1]]}, DATA[0])),
]  # fmt: skip


def keys(masker, inputs):
    """What the inputs are to the masker: arrays, lists and rows of frames of equal numbers are the same."""
    return [masker.mask(x).key for x in inputs]


@pytest.mark.parametrize(("masker", "x", "items"), MANY)
def test_lists_of_inputs(masker, x, items):
    assert masker.is_many(x)
    assert keys(masker, masker.inputs(x)) == keys(masker, items)


@pytest.mark.parametrize(("masker", "x"), ONE)
def test_one_input_is_a_list_of_one(masker, x):
    assert not masker.is_many(x)
    (only,) = masker.inputs(x)
    assert only is x
    assert masker.mask(x).graph.d >= 1


def test_a_path_is_one_file_and_a_list_of_paths_many(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert not Bytes().is_many(path)
    assert keys(Bytes(), Bytes().inputs([path, Path(path)])) == keys(Bytes(), [b"abc", b"abc"])


def test_the_check_does_not_consume_an_iterator():
    for masker, items in ((Text(), TEXTS), (Tokens(), [[5], [6]]), (GraphNodes(), GRAPHS)):
        stream = iter(items)
        assert masker.is_many(stream)
        assert masker.inputs(stream) == items


def test_rows_of_a_frame_keep_their_names():
    masker = Tabular(FRAME)
    first = masker.inputs(FRAME)[0]
    assert list(first.columns) == ["a", "b", "c"]
    reordered = masker.mask(masker.inputs(FRAME[["c", "b", "a"]])[0])
    assert np.array_equal(reordered.x, masker.mask(first).x)


@pytest.mark.parametrize(
    ("masker", "x", "says"),
    [
        (Text(), pd.DataFrame({"text": TEXTS}), "one text or many, got a DataFrame. Give one of its columns"),
        (Text(), np.array([TEXTS]), "got an array of 2 axes. Give a list or an array of one axis"),
        (Molecule(), np.array([["CCO"]]), "one molecule or many, got an array of 2 axes"),
        (Blanks(), np.array([TEXTS]), "one input or many, got an array of 2 axes"),
        (Subwords(TOKENIZER), tuple(PAIRS), "a tuple of two texts, got .* For many inputs give a list"),
        (Subwords(TOKENIZER), ("a", "b", "c"), "a tuple of two texts"),
        (Subwords(TOKENIZER), np.array([["a", "b", "c"]]), "two columns of texts or many, got an array of 2 axes"),
        (Series(), TABLE, r'shape \(2, 3\), which may be either. Give channels="last" or "first".* channels="none"'),
        (Series(reference=[[1, 2], [3]]), TABLE, "may be either"),
        (Series(), FRAME, "may be either"),
        (Bytes(), np.array(FILES), "an array of |S4, which loses zeros. Give a list of bytes"),
    ],
)
def test_what_may_be_one_or_many_is_refused(masker, x, says):
    for ask in (masker.is_many, masker.inputs):
        with pytest.raises(MaskerError, match=says):
            ask(x)


@pytest.mark.parametrize("masker", [Tokens(), Tabular(TABLE), Series(), Series(channels="none")])
def test_an_iterator_over_numbers_is_refused(masker):
    with pytest.raises(MaskerError, match=r"an iterator over single items such as 1\. Give a list or an array"):
        masker.inputs(n for n in (1, 2, 3))


@pytest.mark.parametrize(
    ("masker", "x", "says"),
    [
        (Text(), io.StringIO("to be\nor not"), "Expected a text as str, got StringIO"),
        (Bytes(), io.BytesIO(b"ab"), r"Expected bytes, a 1-D array of uint8 or a pathlib\.Path, got BytesIO"),
        (Text(), {"to be"}, "Expected a text as str, got set"),
        (Text(), np.array("to be"), "Expected a text as str, got ndarray"),
        (Image(), GREY.reshape(1, 1, 2, 6, 7), "Expected one image of shape"),
        (
            Image(),
            np.zeros((10, 28, 28)),
            r'Expected to find the channels by the shape, got \(10, 28, 28\).*channels="none" if these are several',
        ),
        (Image(channels="none"), PHOTOS, r'shape \(H, W\) for channels="none", got \(6, 7, 3\)'),
        (Series(channels="none"), np.zeros((2, 3, 4)), r'shape \(time,\) for channels="none", got \(2, 3, 4\)'),
        (
            Tokens(),
            np.zeros((2, 3, 4), int),
            r"Expected tokens as one sequence of integers, got an array of shape \(2, 3, 4\)",
        ),
        (Tabular(TABLE), np.zeros((2, 2, 3)), r"Expected x as one row of 3 numbers, got shape \(2, 2, 3\)"),
    ],
)
def test_what_is_neither_is_refused_when_it_is_masked(masker, x, says):
    with pytest.raises(MaskerError, match=says):
        keys(masker, masker.inputs(x))


PROGRAM = """
import sys
import numpy as np
from lcshap.maskers import Tabular, Text
assert Text().inputs(["a"]) == ["a"] and Tabular([0, 0]).is_many(np.zeros((2, 2)))
assert "pandas" not in sys.modules and "torch" not in sys.modules
"""


def test_nothing_is_imported_to_look():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
