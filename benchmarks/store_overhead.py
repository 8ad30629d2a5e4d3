"""What a `SQLiteStore` adds to the time of explaining, for a model that takes 1 ms a row, beside so many stored values.

Explainers with and without a store take turns on inputs that the store does not know; then another one explains another
target of inputs that it does know. It is processor time, so that a busy machine does not matter.
``python benchmarks/store_overhead.py [--stored 0 1000000 10000000]``
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time

import numpy as np
from numpy.typing import NDArray

import lcshap as lc

D, CALLS, OUTPUTS, ROW_SECONDS = 40, 320, 2, 1e-3
BLOCK = 1000  # stored values of one input


class Model:
    """Keeps the processor busy for 1 ms a row, and counts rows."""

    rows = 0

    def __call__(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Two numbers a row."""
        end = time.process_time() + ROW_SECONDS * len(x)
        self.rows += len(x)
        answer = np.stack([x.sum(axis=1), (x * x).sum(axis=1)], axis=1)
        while time.process_time() < end:
            pass
        return answer


def fill(store: lc.SQLiteStore, count: int) -> float:
    """Store so many values more, of other inputs; microseconds a value."""
    rng, start = np.random.default_rng(len(store)), time.perf_counter()
    for _ in range(0, count, BLOCK):
        keys = np.frombuffer(rng.bytes(16 * BLOCK), "V16").tolist()
        store.put(rng.bytes(16), keys, rng.normal(size=(BLOCK, 1, OUTPUTS)))
    return 1e6 * (time.perf_counter() - start) / max(count, 1)


def timed(explainer: lc.Explainer, inputs: list[NDArray[np.float64]]) -> float:
    """Seconds of the processor that the explanations of some inputs take."""
    start = time.process_time()
    explainer.many(inputs)
    return time.process_time() - start


def measure(path: str, repeats: int) -> None:
    """Print the ratios for several sizes of batches, and for several inputs at once."""
    rng, model = np.random.default_rng(os.getpid() + int(time.time())), Model()
    for batch_size, count in ((64, 1), (8, 1), (1, 1), (64, 4)):
        options = {"kind": "output", "target": 0, "batch_size": batch_size, "progress": False, "model_name": "busy"}
        masker, method = lc.maskers.Tabular(np.zeros(D)), lc.KernelSHAP(budget=CALLS // count)
        plain, stored = (
            lc.Explainer(model, masker, method, **options, **more) for more in ({}, {"store": lc.SQLiteStore(path)})
        )
        without, with_ = [], []
        for _ in range(repeats):
            inputs = list(rng.normal(size=(count, D)))
            without.append(timed(plain, inputs))
            with_.append(timed(stored, inputs))
        before = model.rows
        known = timed(lc.Explainer(model, masker, method, **{**options, "target": 1}, store=path), inputs)
        ratio = statistics.median(b / a for a, b in zip(without, with_, strict=True))
        print(
            f"  batches of {batch_size:>2}, {count:>2} inputs at once: with / without = {ratio:.3f}; all known: "
            f"{1e6 * known / CALLS:.0f} µs a call, {model.rows - before} rows asked"
        )


def main() -> None:
    """Fill a store step by step, and measure at each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stored", type=int, nargs="+", default=[0, 1_000_000])
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, there = os.path.join(folder, "calls.db"), 0
        for stored in sorted(given.stored):
            store = lc.SQLiteStore(path)
            pace, there = fill(store, stored - there), stored
            size = os.path.getsize(path) / 1e6
            start = time.perf_counter()
            lc.SQLiteStore(path)
            opened = 1e3 * (time.perf_counter() - start)
            print(f"{stored:,} values stored, {pace:.1f} µs each; {size:,.0f} MB, opened in {opened:.0f} ms")
            measure(path, given.repeats)


if __name__ == "__main__":
    main()
