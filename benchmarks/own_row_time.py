"""What the Explainer itself takes for a row: processor time beside a small model, in microseconds.

Images of 28x28 random pixels, 784 units, at 4d calls, batches of 64 rows. Each run explains another image, so that
methods that are fitted to the values have to fit. Run it with two versions of lcshap to
compare them: ``PYTHONPATH=old/src python benchmarks/own_row_time.py``. It runs with the default number of threads.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import lcshap as lc

METHODS = (lc.KernelSHAP(3136), lc.RegressionCShapley(4), lc.LIME(3136), lc.GraphKernelSHAP(3136))


class Small:
    """A network with one hidden layer, which counts the time that it takes itself."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.into, self.out, self.spent = (
            rng.normal(size=(784, 8)).astype(np.float32) / 28,
            rng.normal(size=(8, 10)),
            0.0,
        )

    def __call__(self, rows: Any) -> Any:
        """Logits."""
        start = time.thread_time()
        found = np.tanh(np.asarray(rows).reshape(len(rows), -1) @ self.into) @ self.out
        self.spent += time.thread_time() - start
        return found


def microseconds(method: lc.Method, repeats: int = 7) -> float:
    """The best of several runs, for one call."""
    rng = np.random.default_rng(0)
    model, masker = Small(rng), lc.maskers.Image(channels="first")
    explainer = lc.Explainer(model, masker, method, kind="logits", batch_size=64, progress=False)
    times = []
    for _ in range(repeats + 1):  # the first makes the plan
        x, model.spent, start = rng.random((1, 28, 28)).astype(np.float32), 0.0, time.thread_time()
        calls = explainer(x).calls
        times.append((time.thread_time() - start - model.spent) / calls)
    return 1e6 * min(times[1:])


if __name__ == "__main__":
    for method in METHODS:
        print(f"{method.name:<24}{microseconds(method):6.1f} microseconds a row")
