import json
import re

import numpy as np
import pytest

from lcshap import Graph
from lcshap.maskers import Bytes, GraphNodes, Image, Masker, Molecule, Series, Subwords, Tabular, Text, Tokens
from lcshap.maskers.describe import describe_setting
from lcshap.paper.networks.blanks import Blanks

from .test_subwords import TOKENIZER
from .test_text_keys import CASES


def is_short(word, start, end):
    return end - start < 3


class Splitter:
    def __call__(self, text):
        return [(0, len(text))]


class Odd:
    """Neither a function nor anything that says what it is."""


MASKERS = [
    (Text(), "Text", {"units": "word", "absent": "delete", "splitter": None, "graph": "chain", "pin": [], "drop": []}),
    (
        Text(splitter=re.compile("a+"), pin={"b", "a"}, drop=is_short, graph=Graph.chain),
        "Text",
        {"splitter": "a+", "pin": ["a", "b"], "drop": f"{__name__}.is_short"},
    ),
    (Text(splitter=Splitter()), "Text", {"splitter": "Splitter"}),
    (Subwords(TOKENIZER, absent="mask"), "Subwords", {"absent": "mask", "max_length": None}),
    (Tokens(vocabulary=["a"] * 101), "Tokens", {"vocabulary": "list of 101", "padding": 0}),
    (Tokens(vocabulary={5: "five"}, pin={7, 12}), "Tokens", {"vocabulary": {"5": "five"}, "pin": [12, 7]}),
    (Image(reference=np.zeros((8, 8)), patch=(2, 2)), "Image", {"reference": "array(8, 8)", "patch": [2, 2]}),
    (Image(reference=np.float32(0.5)), "Image", {"reference": 0.5}),
    (Tabular(np.zeros((3, 2)), graph=Graph.chain(2)), "Tabular", {"graph": "Graph.chain(2): 2 units, 1 edge"}),
    (Tabular([0, 0], names=["a", "b"], pin="a"), "Tabular", {"names": ["a", "b"], "pin": "a"}),
    (Series(reference=[0.5, 1], channels="last"), "Series", {"reference": [0.5, 1], "channels": "last"}),
    (Bytes(dtype=np.uint8), "Bytes", {"dtype": "numpy.uint8", "window": 16}),
    (Bytes(dtype=np.dtype("int16"), layout=len), "Bytes", {"dtype": "int16", "layout": "builtins.len"}),
    (Molecule(featurise=list), "Molecule", {"featurise": "builtins.list", "hydrogens": False}),
    (GraphNodes(reference=[[1.0], [2.0]]), "GraphNodes", {"reference": [[1.0], [2.0]], "remove_edges": False}),
    (Blanks(), "Blanks", {}),
]


@pytest.mark.parametrize(("masker", "name", "expected"), MASKERS)
def test_a_masker_describes_its_name_and_parameters(masker, name, expected):
    assert masker.name == name
    parameters = json.loads(json.dumps(masker.parameters))
    assert parameters == masker.parameters
    assert {key: parameters[key] for key in expected} == expected


def test_what_the_repr_leaves_out_is_no_parameter():
    assert "background" not in Tabular([0, 0]).parameters
    assert "tokenizer" not in Subwords(TOKENIZER).parameters
    assert "labels" not in Image(labels=[[1, 2]]).parameters


@pytest.mark.parametrize("masker", [masker for cases in CASES.values() for masker, _ in cases], ids=lambda m: m.name)
def test_json_takes_the_parameters_of_every_masker(masker):
    parameters = masker.parameters
    assert json.loads(json.dumps(parameters, allow_nan=False)) == parameters
    assert "0x" not in json.dumps(parameters)  # no addresses


def test_a_custom_masker_need_not_be_a_dataclass():
    class Own(Masker):
        def mask(self, x):
            raise NotImplementedError

    assert (Own().name, Own().parameters) == ("Own", {})


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (np.bool_(True), True),
        ((1, (2.5, "a", None)), [1, [2.5, "a", None]]),
        ({1: {2: np.zeros(3)}}, {"1": {"2": "array(3)"}}),
        (frozenset(range(101)), "frozenset of 101"),
        (Odd(), "Odd"),
        ("ab".join, "str.join"),
        (Odd().__init__, "object.__init__"),
        (Splitter().__call__, f"{__name__}.Splitter.__call__"),
        (np.array(1.0), "array()"),
    ],
)
def test_settings_in_words(setting, expected):
    assert describe_setting(setting) == expected
