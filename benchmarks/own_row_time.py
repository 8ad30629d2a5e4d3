"""What the Explainer itself takes for a row: processor time with a model that takes none, in microseconds.

An image of 28x28 random pixels, 784 units, at 4d calls, batches of 64 rows. Run it with two versions of lcshap to
compare them: ``PYTHONPATH=old/src python benchmarks/own_row_time.py``. Set OMP_NUM_THREADS=1 first.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import lcshap as lc

METHODS = (lc.KernelSHAP(3136), lc.RegressionCShapley(4), lc.LIME(3136), lc.GraphKernelSHAP(3136))


def nothing(rows: Any) -> Any:
    """A model that answers at once."""
    return np.zeros((len(rows), 10))


def microseconds(method: lc.Method, x: Any, repeats: int = 7) -> float:
    """The best of several runs, for one call."""
    masker = lc.maskers.Image(channels="first")
    explainer = lc.Explainer(nothing, masker, method, kind="logits", batch_size=64, progress=False)
    calls, times = explainer(x).calls, []
    for _ in range(repeats):
        start = time.thread_time()
        explainer(x)
        times.append(time.thread_time() - start)
    return 1e6 * min(times) / calls


if __name__ == "__main__":
    image = np.random.default_rng(0).random((1, 28, 28)).astype(np.float32)
    for method in METHODS:
        print(f"{method.name:<24}{microseconds(method, image):6.1f} microseconds a row")
