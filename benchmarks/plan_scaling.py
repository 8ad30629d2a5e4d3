"""How long plans take to build, from a thousand to a million units, and on the general path.

Prints a table: medians of interleaved runs, microseconds a unit, the slope of log(time) against log(units), and the
ratio of a graph given as a list of edges to the same graph made by name. ``python benchmarks/plan_scaling.py``
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

import numpy as np

import lcshap as lc

METHODS = [lc.LShapley(order=1), lc.LShapley(order=2), lc.CShapley(order=2)]
SIZES = [1_000, 10_000, 100_000, 1_000_000]


def seconds(method: lc.Method, graph: lc.Graph) -> float:
    """Build once, without the cache and without a limit."""
    start = time.perf_counter()
    method._plan(graph, None)
    return time.perf_counter() - start


def scaling(repeats: int) -> None:
    """Time against the number of units on a chain."""
    times: dict[tuple[int, int], list[float]] = {}
    for _ in range(repeats):
        for m, method in enumerate(METHODS):
            for d in SIZES:
                times.setdefault((m, d), []).append(seconds(method, lc.Graph.chain(d)))
    print(f"chain, medians of {repeats} interleaved runs, microseconds a unit")
    print(f"{'method':<22}" + "".join(f"{d:>12,}" for d in SIZES) + f"{'slope':>8}")
    for m, method in enumerate(METHODS):
        median = [statistics.median(times[m, d]) for d in SIZES]
        slope = np.polyfit(np.log(SIZES), np.log(median), 1)[0]
        label = f"{type(method).__name__} k={method.parameters['order']}"
        print(
            f"{label:<22}"
            + "".join(f"{1e6 * t / d:>12.2f}" for t, d in zip(median, SIZES, strict=True))
            + f"{slope:>8.3f}"
        )


def general_path(repeats: int) -> None:
    """The same graph by name and as a list of edges."""
    print("\nfrom_edges against the graph by name, medians, ratio of times (equal plans)")
    for graph in (lc.Graph.chain(100_000), lc.Graph.grid((200, 200))):
        general = lc.Graph.from_edges(graph.d, graph.edges)
        for method in (lc.LShapley(order=1), lc.CShapley(order=1), lc.CShapley(order=2, max_size=3)):
            pairs = [(seconds(method, graph), seconds(method, general)) for _ in range(repeats)]
            named, edges = (statistics.median(column) for column in zip(*pairs, strict=True))
            one, other = method._plan(graph, None), method._plan(general, None)
            same = one.coalitions == other.coalitions and (one.estimator.operator != other.estimator.operator).nnz == 0  # type: ignore[attr-defined]
            print(f"  {graph!s:<48}{method!s:<90.90}{edges / named:>6.2f}   {'equal' if same else 'DIFFERENT'}")


LARGE = {
    "chain of 1,000,000, L k=1": "lc.LShapley(order=1)._plan(lc.Graph.chain(1_000_000), None)",
    "grid 512x512, C k=1": "lc.CShapley(order=1).plan(lc.Graph.grid((512, 512)), max_calls=None)",
}


def memory() -> None:
    """Peak resident memory of large plans, each in a process of its own."""
    print("\npeak memory of the process (its start included)")
    for label, code in LARGE.items():
        script = f"import lcshap as lc; p = {code}; print(p.calls, open('/proc/self/status').read())"
        answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        peak = int(answer.split("VmHWM:")[1].split()[0])  # kB; unlike ru_maxrss it does not begin at the parent's peak
        print(f"  {label:<28}{int(answer.split()[0]):>12,} calls {peak / 1e6:>6.2f} GB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    scaling(options.repeats)
    general_path(options.repeats)
    memory()
