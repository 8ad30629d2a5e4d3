"""What a plan of RegressionCShapley costs: calls, seconds, memory; and what it costs to use it again.

Each row is a process of its own, so its peak memory is that of the plan (and of Python, NumPy and SciPy, about 0.1 GB).
The last column is the time to apply the plan to new values over the time to build it. Runs with one BLAS thread:
on a busy machine, threads that wait for each other make the banded factor tens of times slower.
``python benchmarks/regression_plan.py``
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

import lcshap as lc
from lcshap.estimators.dividend_c_shapley import DividendCShapley
from lcshap.estimators.regression_c_shapley import RegressionCShapley

GRAPHS = {
    "chain 100,000": lambda: lc.Graph.chain(100_000),
    "ring 100,000": lambda: lc.Graph.ring(100_000),
    "grid 28x28": lambda: lc.Graph.grid((28, 28)),
    "grid 224x224": lambda: lc.Graph.grid((224, 224)),
    "grid 20x20x20": lambda: lc.Graph.grid((20, 20, 20)),
    "tree 30,000": lambda: lc.Graph.tree([None] + [(i - 1) // 2 for i in range(1, 30_000)]),
}
METHODS = {"regression": RegressionCShapley(max_size=4), "dividend": DividendCShapley(max_size=4)}


def row(graph_name: str, method_name: str) -> None:
    """Build one plan, apply it five times."""
    graph, method = GRAPHS[graph_name](), METHODS[method_name]
    start = time.perf_counter()
    plan = method._plan(graph, None)
    build = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    apply = []
    for seed in range(5):
        values = np.random.default_rng(seed).normal(size=plan.calls)
        start = time.perf_counter()
        plan.estimator.operator @ values
        apply.append(time.perf_counter() - start)
    used = statistics.median(apply)
    print(
        f"{method_name:<12}{graph_name:<16}{plan.calls:>10,}{build:>9.2f}{peak:>9.2f}{plan.nbytes / 1e6:>9.1f}"
        f"{used:>10.4f}{used / build:>9.4f}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--row", nargs=2, metavar=("GRAPH", "METHOD"), help="one row, in this process")
    options = parser.parse_args()
    if options.row:
        row(*options.row)
    else:
        print("method      graph                calls  build s  peak GB  plan MB   apply s    ratio")
        single = os.environ | {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        for method_name in METHODS:
            for graph_name in GRAPHS:
                subprocess.run([sys.executable, __file__, "--row", graph_name, method_name], check=True, env=single)
