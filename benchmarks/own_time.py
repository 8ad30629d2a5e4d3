"""What methods add to the bare model at 784 units and 4d calls: ours, shap's and shapiq's, in one run.

A small convolutional network on 28x28 pixels (random weights: only its speed matters here). For every method: its time
over the time of the bare model on as many rows, medians of interleaved runs; "own" is the time beside the model,
counted inside the same run. Each round explains another image. ``python benchmarks/own_time.py`` needs torch, shap and
shapiq.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import lcshap as lc

SIDE, BUDGET = 28, 4 * 784
GRID = lc.Graph.grid((SIDE, SIDE))


class Timed:
    """A function of masks that counts its rows and its own time."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.net = torch.nn.Sequential(
            *(torch.nn.Conv2d(1, 16, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
            *(torch.nn.Conv2d(16, 16, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
            *(torch.nn.Flatten(), torch.nn.Linear(400, 10)),
        ).eval()
        self.rows, self.seconds = 0, 0.0
        self.next()

    def next(self) -> None:
        """Go on to another image."""
        self.image = torch.rand(SIDE * SIDE)

    def __call__(self, kept: Any) -> NDArray[np.float64]:
        """The log-probability of class 0, in batches of 256 rows."""
        start = time.perf_counter()
        mask = torch.from_numpy(np.atleast_2d(np.asarray(kept)).astype(np.float32))
        with torch.no_grad():
            parts = [self.net((m * self.image).view(-1, 1, SIDE, SIDE)) for m in mask.split(256)]
        answer = torch.log_softmax(torch.cat(parts).double(), dim=1)[:, 0].numpy()
        self.rows += len(answer)
        self.seconds += time.perf_counter() - start
        return answer


def ours(method: lc.Method) -> Callable[[Timed], None]:
    """A method of ours; its plan is cached after the first run."""
    return lambda fn: void(method.explain(lc.Game(fn, SIDE * SIDE, batch_size=256), GRID))


def void(_: object) -> None:
    """Throw the result away."""


def shap_kernel(fn: Timed) -> None:
    """shap's KernelExplainer, without its selection of features."""
    import shap

    explainer = shap.KernelExplainer(fn, np.zeros((1, SIDE * SIDE)))
    explainer.shap_values(np.ones((1, SIDE * SIDE)), nsamples=BUDGET, l1_reg=0, silent=True)


def shapiq_kernel(fn: Timed) -> None:
    """shapiq's KernelSHAP."""
    import shapiq

    shapiq.KernelSHAP(SIDE * SIDE, random_state=0).approximate(budget=BUDGET, game=fn)


RUNS: dict[str, Callable[[Timed], None]] = {
    "KernelSHAP": ours(lc.KernelSHAP(BUDGET)),
    "RegressionCShapley": ours(lc.RegressionCShapley(4)),
    "LIME": ours(lc.LIME(BUDGET)),
    "GraphKernelSHAP": ours(lc.GraphKernelSHAP(BUDGET)),
    "SampleShapley": ours(lc.SampleShapley(BUDGET)),
    "shap KernelExplainer": shap_kernel,
    "shapiq KernelSHAP": shapiq_kernel,
}


def main(repeats: int = 3) -> None:
    """Interleave all runs and print medians."""
    warnings.simplefilter("ignore")
    fn = Timed()
    rng = np.random.default_rng(0)
    rows = rng.random((BUDGET, SIDE * SIDE)) < 0.5
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in RUNS}
    first: dict[str, float] = {}
    bare = []
    for repeat in range(repeats + 1):  # the first round warms up, and makes the plans
        fn.next()
        start = time.perf_counter()
        fn(rows)
        if repeat:
            bare.append((time.perf_counter() - start) / len(rows))
        for name, run in RUNS.items():
            fn.rows, fn.seconds = 0, 0.0
            start = time.perf_counter()
            run(fn)
            total = time.perf_counter() - start
            if repeat:
                found[name].append((total - fn.seconds, total / fn.rows))
            else:
                first[name] = total - fn.seconds
    per_row = statistics.median(bare)
    print(f"{SIDE}x{SIDE} pixels, {BUDGET} calls, bare model {1e6 * per_row:.0f} µs a row, medians of {repeats} runs")
    print(f"{'':<24}{'total / bare':>14}{'own seconds':>14}{'own / bare':>12}{'own, first run':>16}")
    for name, runs in found.items():
        own = statistics.median(r[0] for r in runs)
        ratio = statistics.median(r[1] for r in runs) / per_row
        print(f"{name:<24}{ratio:>14.3f}{own:>14.3f}{own / (per_row * BUDGET):>12.3f}{first[name]:>16.3f}")


if __name__ == "__main__":
    main()
