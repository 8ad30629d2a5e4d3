"""What `run` adds to the time of calling the function on the same rows in the same batches, and the memory it takes.

A chain of 400 units and a function that takes 50 microseconds a row. ``python benchmarks/run_overhead.py``
"""

from __future__ import annotations

import statistics
import time
import tracemalloc

import numpy as np
from numpy.typing import NDArray

import lcshap as lc

D, ROW_SECONDS, BATCH = 400, 50e-6, 256


def fn(kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Keep the processor busy for 50 microseconds a row, then answer."""
    end = time.perf_counter() + ROW_SECONDS * len(kept)
    answer = kept.sum(axis=1, dtype=float)
    while time.perf_counter() < end:
        pass
    return answer


def main(repeats: int = 5) -> None:
    """Interleave bare calls and `run`, and print the ratio of medians."""
    graph = lc.Graph.chain(D)
    game = lc.Game(fn, D, batch_size=BATCH)
    print(f"chain of {D}, {ROW_SECONDS * 1e6:.0f} µs a row, batches of {BATCH}, medians of {repeats} interleaved runs")
    for method in (lc.LShapley(order=1), lc.LShapley(order=2, context="present"), lc.CShapley(order=3)):
        plan = method.plan(graph)
        batches = [plan.coalitions.dense(i, i + BATCH) for i in range(0, plan.calls, BATCH)]
        bare, ours = [], []
        for _ in range(repeats):
            start = time.perf_counter()
            for batch in batches:
                fn(batch)
            middle = time.perf_counter()
            lc.run(plan, game)
            bare.append(middle - start)
            ours.append(time.perf_counter() - middle)
        tracemalloc.start()
        lc.run(plan, lc.Game(lambda kept: kept.sum(axis=1), D, batch_size=BATCH))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        ratio = statistics.median(ours) / statistics.median(bare)
        print(
            f"  {method!s:<100.100} {plan.calls:>7,} calls  run / bare = {ratio:.3f}  peak {peak / 1e6:.2f} MB "
            f"(one batch {BATCH * D / 1e6:.2f} MB, all rows {plan.calls * D / 1e6:.1f} MB)"
        )


if __name__ == "__main__":
    main()
