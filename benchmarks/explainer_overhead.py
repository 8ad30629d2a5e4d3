"""What the Explainer adds to the bare model: time on the same rows in the best batch size, and memory.

A convolutional network on 28x28 pixels (784 units) and a word-CNN on texts of 400 words, in PyTorch, at 4d calls.
Random weights: only speed matters here. Bare is `predict` on the very same rows, made beforehand, at the batch size
that is fastest for it; medians of interleaved runs. ``python benchmarks/explainer_overhead.py`` needs torch.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
import torch

import lcshap as lc
from lcshap.adapters import TorchModel
from lcshap.maskers.base import Masked, Masker


def digits() -> tuple[torch.nn.Module, Masker, Any]:
    """A small network on 28x28 grey pixels, channels first."""
    net = torch.nn.Sequential(
        *(torch.nn.Conv2d(1, 32, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
        *(torch.nn.Conv2d(32, 64, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
        *(torch.nn.Flatten(), torch.nn.Linear(1024, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)),
    )
    return net, lc.maskers.Image(channels="first"), np.random.default_rng(0).random((1, 28, 28)).astype(np.float32)


class WordCNN(torch.nn.Module):
    """Embedding, one convolution, max-pooling, two dense layers: the paper's model for reviews."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(5002, 50)
        self.conv = torch.nn.Conv1d(50, 250, 3)
        self.dense = torch.nn.Sequential(torch.nn.Linear(250, 250), torch.nn.ReLU(), torch.nn.Linear(250, 2))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits."""
        return self.dense(torch.relu(self.conv(self.embed(ids).transpose(1, 2))).amax(dim=2))


def words() -> tuple[torch.nn.Module, Masker, Any]:
    """A text of 400 word ids."""
    return WordCNN(), lc.maskers.Tokens(padding=0, length=400), np.random.default_rng(1).integers(1, 5000, 400).tolist()


def peak() -> float:
    """The process's peak memory so far, MB."""
    with open("/proc/self/status") as file:
        return int(file.read().split("VmHWM:")[1].split()[0]) / 1000


def bare_seconds(model: TorchModel, batches: list[Any]) -> float:
    """`predict` on rows that are already there."""
    start = time.perf_counter()
    for rows in batches:
        model.predict(rows)
    return time.perf_counter() - start


def best_batch(model: TorchModel, masked: Masked, coalitions: lc.Coalitions) -> int:
    """The batch size at which the bare model takes least time a row."""
    cost = {}
    for size in (16, 32, 64, 128, 256, 512, 1024):
        rows = masked.rows(coalitions[: max(size, 256)])
        batches = [rows[i : i + size] for i in range(0, len(rows), size)]
        cost[size] = min(bare_seconds(model, batches) for _ in range(3)) / len(rows)
    return min(cost, key=lambda s: cost[s])


def measure(label: str, net: torch.nn.Module, masker: Masker, x: Any, method: lc.Method, repeats: int = 5) -> None:
    """Print the ratio of medians for one model and method."""
    model = TorchModel(net.eval(), "logits")
    masked = masker.mask(x)
    plan = method.plan(masked.graph)
    size = best_batch(model, masked, plan.coalitions)
    before = peak()
    explainer = lc.Explainer(model, masker, method, batch_size=size)
    explainer(x)
    memory = peak() - before
    found = lc.Explainer(model, masker, method)
    found(x)  # finds a batch size of its own
    bare, ours, own = [], [], []
    for _ in range(repeats):
        batches = [masked.rows(plan.coalitions[i : i + size]) for i in range(0, plan.calls, size)]
        bare.append(bare_seconds(model, batches))
        del batches
        for explain, times in ((explainer, ours), (found, own)):
            start = time.perf_counter()
            explain(x)
            times.append(time.perf_counter() - start)
    base = statistics.median(bare)
    print(
        f"{label:<12}{method.name:<22}{plan.calls:>7,} calls{size:>6} rows a batch: "
        f"{statistics.median(ours) / base:.3f} times the bare model; with its own batch size "
        f"({found.engine.size.best}) {statistics.median(own) / base:.3f}; {memory:.0f} MB over the model's own"
    )


if __name__ == "__main__":
    torch.manual_seed(0)
    for make, label in ((digits, "digits"), (words, "words")):
        net, masker, x = make()
        d = masker.mask(x).graph.d
        for method in (lc.RegressionCShapley(4), lc.SampleShapley(4 * d), lc.KernelSHAP(4 * d)):
            measure(label, net, masker, x, method)
