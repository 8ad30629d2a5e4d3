"""Keys are those of version 0.2, whose stores are still used: what it computed for some inputs stands here."""

from hashlib import blake2b

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lcshap as lc
from lcshap.adapters import CallableModel, DifferenceModel, RemoteModel
from lcshap.evaluation.engine import Engine
from lcshap.evaluation.pending_rows import store_space
from lcshap.evaluation.unit_parts import PartsModel
from lcshap.explainer.zoom import PromptParts
from lcshap.maskers import Bytes, GraphNodes, Image, Molecule, Prompt, Series, Subwords, Tabular, Text, Tokens
from lcshap.paper.networks.blanks import Blanks

from .test_subwords import TOKENIZER

WHOLE = np.array([[0.0, 1, 2], [0, 5, 2], [1, 1, 2]])
APART = np.arange(9.0).reshape(3, 3) / 8
GREY = np.array([[0.0, 0.5], [1.0, 0.0]])
NODES = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 3.0]]), np.array([[0, 1], [1, 2]])
SOURCES = {"sources": ["same.", "same.", "other."], "question": "which?"}
TEMPLATE, CHAT = "{sources}\n\n{question}", [{"role": "user", "content": "{sources} {question}"}]

INPUTS = {
    "text": (Text(), "very very bad, very"),
    "text, replaced": (Text(absent="_"), "_ a b"),
    "text, pinned": (Text(pin={"bad"}, drop={"so"}), "so bad very bad very"),
    "characters": (Text("character"), "aab ba"),
    "blanks": (Blanks(), "very very bad"),
    "subwords": (Subwords(TOKENIZER), "good good film"),
    "subwords, pair": (Subwords(TOKENIZER), ("a b", "b a b")),
    "tokens": (Tokens(length=7), [5, 5, 6, 0, 5]),
    "tokens, deleted": (Tokens(absent="delete", pin={6}), [5, 5, 6, 5]),
    "prompt": (Prompt(TEMPLATE), SOURCES),
    "prompt, words": (Prompt(TEMPLATE, level="word"), {"sources": ["a b a.", "b."], "question": "d?"}),
    "chat": (Prompt(CHAT), SOURCES),
    "table": (Tabular([0, 1, 2, 3.0]), [0, 1, 5, 3.5]),
    "table, row by row": (Tabular(WHOLE), [0, 1, 2]),
    "table, wide": (Tabular(np.tile(np.arange(120.0).reshape(3, 40) % 7, (2, 1))), np.arange(40) % 6),
    "table, by coalition": (Tabular(APART), [7, 8, 9]),
    "pandas": (Tabular(pd.DataFrame(WHOLE, columns=["a", "b", "c"])), {"a": 0.0, "b": 1.0, "c": 2.0}),
    "polars": (Tabular(pl.DataFrame(APART, schema=["a", "b", "c"])), {"a": 7.0, "b": 8.0, "c": 9.0}),
    "image": (Image(reference=0), GREY),
    "image, large": (Image("pixel", reference=0), np.arange(1600.0).reshape(40, 40) % 5),
    "image, colours": (Image(reference=(0, 0, 0.5), channels="last"), np.stack([GREY, GREY, GREY], axis=2)),
    "series": (Series(reference=1), [1.0, 2.0, 1.0]),
    "series, background": (Series(reference=[[1, 2, 3], [1, 0, 3]]), [1, 2, 4]),
    "series, interpolated": (Series(reference="interpolate"), [1.0, 2.0, 3.0]),
    "bytes": (Bytes(window=2), b"\0\0ab\0c\0"),
    "SMILES": (Molecule(), "CC(=O)C"),
    "nodes": (GraphNodes(), NODES),
    "nodes, with edges": (GraphNodes(remove_edges=True), NODES),
}

KEYS = {
    "text": "3c4387c24597025754b790e23a2de5cc a22de0643e64f1a7e4f89d976fe1b223",
    "text, replaced": "56a71851018e775a73454a912dea3f05 369dc92fdf7bf251a829fe246aebd0d1",
    "text, pinned": "368aae723cade60e8f455cc9cee861fb 6306c9e9ab10c04dd537acb5676a341d",
    "characters": "33f23687c0917b08203c213a6339bf51 1c6a4ee3ec0aa5d2b5d9291b375cc4ca",
    "blanks": "21c4c25c9a77cf5611f6c7bf9d714757 843d4d9703073db91268f1b0baf25564",
    "subwords": "0cfd65971caf7e1613a37a6b3e295b1b 90ff409d46a919ab5352551b1d71cde9",
    "subwords, pair": "2c5a594e4d9827bf70bcb76e76e9cfae 69f8bea5c5dcd42cde91738144a82496",
    "tokens": "55c41bd8afd820bf9990eebb25c09b0f 19940c1bce57210a6a420de9a933d205",
    "tokens, deleted": "58ed199dc4da869be6bc4976d3e7801d e2aff29551945b1f5bc36eca2f1c70f5",
    "prompt": "c13ffab3c5f32a7ace15af2006aac71c 1830837757761f1c76291eb04f7aa2ed",
    "prompt, words": "0fe38f6b4ff06558582dc8aba62aaeea 5df9ef47808af641c82504f7dd5d1d60",
    "chat": "c1c88975d8f216c992b3d79f64642f12 b899e80d4eecbcaabb34c5fe90cbc3a6",
    "table": "01befa461434f416c5775e9f617150ed 483d3aa970aed50c194be74d7f0519bd",
    "table, row by row": "f69707c5c3772299a049b4e05fc4d7cc e5f1358370031dd2bd4a7ddb275ad9a6",
    "table, wide": "66713b57783416f5c5deb7145728a2b3 637e0b0c7a34894cb700828cc179e402",
    "table, by coalition": "36f246813cebd91571ed7e083bd80244 843d4d9703073db91268f1b0baf25564",
    "pandas": "bbb148425dda0c7c6b6925d7bbf76cd3 e5f1358370031dd2bd4a7ddb275ad9a6",
    "polars": "5707b0e1b4c0b6b76ac9cca1a19d7306 843d4d9703073db91268f1b0baf25564",
    "image": "d162ce5c87730382706fc732c7bd8e14 3fb2874a5ae069d53fd229145d43a935",
    "image, large": "692566b7cb9197ab0912b3161dafc3fd c5d6d106a3d2a3918f998d3589ad8c42",
    "image, colours": "0fe6a697d8e0800ae7010021666b770d 19940c1bce57210a6a420de9a933d205",
    "series": "3761faf9ec9df4a17850fce68e319048 e515fbe60d4cf79160289e32814b3608",
    "series, background": "7385663b065dcca4db37e6359ededdea 3fb2874a5ae069d53fd229145d43a935",
    "series, interpolated": "1b20fdda36af3d3f8aca1fba8258486d 843d4d9703073db91268f1b0baf25564",
    "bytes": "6955197d7436bf7e700071fa2b5aaf63 3fb2874a5ae069d53fd229145d43a935",
    "SMILES": "586e08de5cfdb115880dccc379758228 0daf627950047fa49d45f3663931490f",
    "nodes": "2854ec5a1571ef9b27a3918665829229 94ca4384144309b1180602632513408d",
    "nodes, with edges": "a84ba775c86791a01c6e0a0220270d39 843d4d9703073db91268f1b0baf25564",
}
PARTS = {
    True: "a7e9b138b1065c13d1de08ebb11df0e4 3c2b8ac95b43eb1560a88291d0763c23",
    False: "0760c8035a6fd0d7bbd321f294c6c639 3c2b8ac95b43eb1560a88291d0763c23",
}
FINGERPRINTS = {
    "callable": "0e5fe44ee09094c8d12203879ece4b97",
    "remote": "5b5038bfec05ec59c65b103e52a3fd14",
    "difference": "356014d976553d247081d50d778ee381",
    "parts": "36c094012a30728e41101d6c4c2ef501",
}
SPACE = "b0f3f18bd3803b3daee6d9987110cabc"


def sample_coalitions(d):
    """All coalitions of a few units; of many units small ones, large ones and halves."""
    if d <= 8:
        return lc.Coalitions.from_dense((np.arange(2**d)[:, None] >> np.arange(d) & 1).astype(bool))
    kept = np.zeros((8, d), bool)
    kept[1, 3], kept[2, 1::7], kept[3, :2], kept[4, ::2] = True, True, True, True
    return lc.Coalitions.from_dense(np.concatenate([kept, ~kept]))


def stored(masked):
    """The key of an input, and one digest of the keys of its different rows, in their order."""
    keys = masked.distinct(sample_coalitions(masked.graph.d)).keys
    return f"{masked.key.hex()} {blake2b(b''.join(keys), digest_size=16).hexdigest()}"


@pytest.mark.parametrize("name", INPUTS)
def test_keys_of_inputs_and_rows(name):
    recipe, x = INPUTS[name]
    assert stored(recipe.mask(x)) == KEYS[name]


@pytest.mark.parametrize("inside", [None, np.arange(2)])
def test_keys_of_parts_of_a_prompt(inside):
    words = Prompt(TEMPLATE, level="word").mask({"sources": ["a b a.", "b."], "question": "d?"})
    parts = PromptParts(words, [np.array([0, 1]), np.array([2])], inside)
    assert stored(parts) == PARTS[inside is None]


def model():
    return CallableModel(lambda rows: [[0.0] for _ in rows], "output")


async def remote(rows):
    return [[0.0] for _ in rows]


MODELS = {
    "callable": model,
    "remote": lambda: RemoteModel(remote, "output"),
    "difference": lambda: DifferenceModel(model(), model()),
    "parts": lambda: PartsModel(model(), 3, 1),
}


@pytest.mark.parametrize("name", MODELS)
def test_fingerprints_of_models_that_the_user_has_named(name):
    assert MODELS[name]().fingerprint("mine").hex() == FINGERPRINTS[name]


def test_digests_that_distinguish_models_and_inputs(tmp_path):
    with lc.SQLiteStore(tmp_path / "answers.db") as store:
        where = store_space(Engine(model(), name="mine"), Text().mask("very bad"), store)
    assert where.hex() == SPACE
