"""What the Explainer adds to the bare model: time on the same rows in the best batch size, and memory.

A convolutional network on 28x28 pixels (784 units) and a word-CNN on texts of 400 words, in PyTorch on one thread, at
4d calls. Random weights: only speed matters here. Bare is the module itself on the very same rows, made beforehand as
tensors, at the batch size that is fastest for it. Each run explains another input of the same size. Times are processor
seconds of the thread, which other programs on the machine disturb less than the clock; medians of interleaved runs.
Memory is the peak of a process of its own for the Explainer less that of one for the bare model.

    python benchmarks/explainer_overhead.py        needs torch
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import lcshap as lc
from lcshap.maskers.base import Masked, Masker

SIZES = (16, 32, 64, 128, 256, 512, 1024)


Inputs = Callable[[int], Any]  # the input of a number


def digits() -> tuple[torch.nn.Module, Masker, Inputs]:
    """A small network on 28x28 grey pixels, channels first."""
    net = torch.nn.Sequential(
        *(torch.nn.Conv2d(1, 32, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
        *(torch.nn.Conv2d(32, 64, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
        *(torch.nn.Flatten(), torch.nn.Linear(1024, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)),
    )
    return net, lc.maskers.Image(channels="first"), lambda n: np.random.default_rng(n).random((1, 28, 28), np.float32)


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


def words() -> tuple[torch.nn.Module, Masker, Inputs]:
    """Texts of 400 word ids."""
    masker = lc.maskers.Tokens(padding=0, length=400)
    return WordCNN(), masker, lambda n: np.random.default_rng(n).integers(1, 5000, 400).tolist()


MODELS = {"digits": digits, "words": words}
METHODS: dict[str, Callable[[int], lc.Method]] = {
    "RegressionCShapley": lambda d: lc.RegressionCShapley(4),
    "SampleShapley": lambda d: lc.SampleShapley(4 * d),
    "KernelSHAP": lambda d: lc.KernelSHAP(4 * d),
    "LIME": lambda d: lc.LIME(4 * d),
    "GraphKernelSHAP": lambda d: lc.GraphKernelSHAP(4 * d),
}


def seconds(work: Callable[[], Any]) -> float:
    """Processor seconds of this thread."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def batches(masked: Masked, coalitions: lc.Coalitions, size: int) -> list[torch.Tensor]:
    """The rows of all coalitions, as tensors."""
    return [torch.from_numpy(masked.rows(coalitions[i : i + size])) for i in range(0, len(coalitions), size)]


def bare(net: torch.nn.Module, rows: list[torch.Tensor]) -> None:
    """The module on rows that are already there."""
    with torch.inference_mode():
        for batch in rows:
            net(batch)


def best_batch(net: torch.nn.Module, masked: Masked, coalitions: lc.Coalitions) -> int:
    """The batch size at which the bare module takes least time a row."""
    cost = {}
    for size in SIZES:
        rows = batches(masked, coalitions[: max(size, 256)], size)
        cost[size] = min(seconds(lambda rows=rows: bare(net, rows)) for _ in range(5))
        cost[size] /= sum(map(len, rows))
    return min(cost, key=lambda s: cost[s])


def measure(model: str, method: str, repeats: int) -> None:
    """Print the ratios of one model and method."""
    net, masker, inputs = MODELS[model]()
    net.eval()
    masked = masker.mask(inputs(0))
    chosen = METHODS[method](masked.graph.d)
    plan = chosen.plan(masked.graph)
    size = best_batch(net, masked, plan.coalitions)
    given = lc.Explainer(net, masker, chosen, batch_size=size, kind="logits", progress=False)
    found = lc.Explainer(net, masker, chosen, kind="logits", progress=False)
    given(inputs(0))
    found(inputs(0))  # finds a batch size of its own, and builds the plan
    times: list[list[float]] = [[], [], []]
    for number in range(1, 2 * repeats, 2):
        one, other = inputs(number), inputs(number + 1)  # the plan and its fit are shared by both explainers
        rows = batches(masker.mask(one), plan.coalitions, size)
        for work, record in zip(
            (lambda r=rows: bare(net, r), lambda x=one: given(x), lambda x=other: found(x)), times, strict=True
        ):
            record.append(seconds(work))
    base, with_given, with_found = map(statistics.median, times)
    peaks = [float(run("--memory", what, "--model", model, "--method", method, "--size", size)) for what in KINDS]
    print(
        f"{model:<8}{method:<20}{plan.calls:>6,} calls, {size:>4} rows a batch: {with_given / base:.3f} times the bare "
        f"model; with its own batch size ({found.engine.size.best}) {with_found / base:.3f}; "
        f"{peaks[1] - peaks[0]:.0f} MB over the model's own {peaks[0]:.0f} MB",
        flush=True,
    )


KINDS = ("bare", "explainer")


def memory(what: str, model: str, method: str, size: int) -> float:
    """Peak memory of this process in MB, after the bare model or the Explainer has done its work."""
    net, masker, inputs = MODELS[model]()
    net.eval()
    masked = masker.mask(inputs(0))
    if what == "bare":
        rows = torch.from_numpy(masked.rows(lc.Coalitions.from_sets(masked.graph.d, [[0]] * size)))
        bare(net, [rows] * 10)
    else:
        method_ = METHODS[method](masked.graph.d)
        lc.Explainer(net, masker, method_, batch_size=size, kind="logits", progress=False)(inputs(0))
    with open("/proc/self/status") as file:
        return int(file.read().split("VmHWM:")[1].split()[0]) / 1000


def run(*arguments: object) -> str:
    """This script again, in a process of its own."""
    line = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=MODELS)
    parser.add_argument("--method", choices=METHODS)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--memory", choices=KINDS, help="print the peak memory of one run and nothing else")
    parser.add_argument("--size", type=int, default=64)
    given = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if given.memory:
        print(memory(given.memory, given.model, given.method, given.size))
    else:
        for model in [given.model] if given.model else MODELS:
            for method in [given.method] if given.method else METHODS:
                measure(model, method, given.repeats)
