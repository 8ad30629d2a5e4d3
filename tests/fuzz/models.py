"""A small model of every kind that there is an adapter for, with a masker and inputs: for `threads` and `pickling`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("KERAS_BACKEND", "jax")

import lcshap as lc
from lcshap.adapters import CausalLMModel, JaxModel, KerasModel, RemoteModel, TransformersModel

WORDS = ["the", "film", "was", "not", "a", "bad", "one", "but", "far", "too", "long", "and", "dull", "at", "its", "end"]
TABLE = lc.maskers.Tabular(np.zeros((1, 5)))
_W = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


@dataclass(frozen=True)
class Example:
    """A model, how its inputs are cut, and a method that asks for values, or for a gradient."""

    name: str
    model: Any
    masker: Any
    kind: Any = None
    method: Any = "sample-shapley"

    def explainer(self, batch_size: int | None = 8) -> lc.Explainer:
        """An explainer of it."""
        options = {"budget": 40 if isinstance(self.method, str) else None, "batch_size": batch_size, "target": 0}
        return lc.Explainer(self.model, self.masker, self.method, kind=self.kind, progress=False, **options)

    def inputs(self, count: int, seed: int) -> list[Any]:
        """So many inputs: rows of numbers, or texts."""
        rng = np.random.default_rng(seed)
        if self.masker is TABLE:
            return list(rng.normal(size=(count, 5)))
        return [" ".join(rng.choice(WORDS, size=6)) for _ in range(count)]


def examples(names: tuple[str, ...] = ()) -> Iterator[Example]:
    """All of them, or those of some kinds, one after the other: frameworks take long to import."""
    kinds = (_callable, _remote, _sklearn, _onnx, _torch, _jax, _keras, _transformers, _causal_lm)
    for make in kinds:
        if not names or make.__name__[1:] in names:
            yield from make()


def numbers(rows: Any) -> Any:
    """A function of rows of numbers."""
    return np.tanh(np.asarray(rows, np.float32) @ _W)


async def remote(rows: Any) -> Any:
    """The same, through an event loop."""
    return numbers(rows)


def by_jax(rows: Any) -> Any:
    """The same, in JAX."""
    import jax.numpy as jnp

    return jnp.tanh(rows @ _W)


def _callable() -> Iterator[Example]:
    yield Example("callable", numbers, TABLE, "output", lc.Shapley())


def _remote() -> Iterator[Example]:
    yield Example("async function", remote, TABLE, "output")
    yield Example("remote", RemoteModel(remote, "output", rows_per_request=3), TABLE)


def _sklearn() -> Iterator[Example]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts = [" ".join(WORDS[i : i + 5]) for i in range(10)]
    yield Example(
        "sklearn", make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, [0, 1] * 5), lc.maskers.Text()
    )


def _onnx() -> Iterator[Example]:
    import onnxruntime

    data = _graph()
    path = Path(_folder().name) / "model.onnx"
    path.write_bytes(data)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    for name, model in (("path", str(path)), ("session", session), ("bytes", lc.adapters.OnnxModel(data, "output"))):
        yield Example(f"onnx {name}", model, TABLE, "output")


@cache
def _folder() -> Any:
    return tempfile.TemporaryDirectory()


def _graph() -> bytes:
    from onnx import TensorProto, helper, numpy_helper

    ends = [helper.make_tensor_value_info(*end) for end in (("x", TensorProto.FLOAT, [None, 5]), ("z", 1, [None, 3]))]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Tanh", ["y"], ["z"])]
    graph = helper.make_graph(nodes, "model", ends[:1], ends[1:], [numpy_helper.from_array(_W, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def _torch() -> Iterator[Example]:
    import torch
    from torch import nn

    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Tanh(), nn.Linear(8, 3)).train()
    yield Example("torch", module, TABLE, "logits")
    yield Example("torch gradient", module, TABLE, "logits", lc.Saliency())


def _jax() -> Iterator[Example]:
    yield Example("jax", JaxModel(by_jax, "output"), TABLE)
    yield Example("jax gradient", JaxModel(by_jax, "output"), TABLE, None, lc.Saliency())


def _keras() -> Iterator[Example]:
    import keras

    keras.utils.set_random_seed(0)
    layers = [keras.layers.Input((5,)), keras.layers.Dense(8), keras.layers.Dropout(0.5), keras.layers.Dense(3)]
    yield Example("keras", KerasModel(keras.Sequential(layers), "logits"), TABLE)


def _transformers() -> Iterator[Example]:
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    model = BertForSequenceClassification(BertConfig(vocab_size=30, **size, max_position_embeddings=20)).train()
    yield Example("transformers", TransformersModel(model, _tokenizer()), lc.maskers.Text())


def _causal_lm() -> Iterator[Example]:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    model = GPT2LMHeadModel(
        GPT2Config(vocab_size=30, n_embd=16, n_layer=1, n_head=2, n_positions=20, bos_token_id=2, eos_token_id=2)
    ).train()
    yield Example("causal lm", CausalLMModel(model, _tokenizer(), "end"), lc.maskers.Text())


def _tokenizer() -> Any:
    """Words; padding and truncation are switched on, as in many files, and off by each call."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "bos_token": "[BOS]"}
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate([*names.values(), *WORDS])}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(pad_id=0, pad_token="[PAD]", length=12)
    tokenizer.enable_truncation(10)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **names, model_input_names=["input_ids", "attention_mask"]
    )
