"""The own time of GraphKernelSHAP beside a model of 1 ms a row, its peak memory, and its error, by units and calls.

The game is a sum over triples of neighbours, each worth a random number if all three units are kept. Its Shapley values
are known: each unit of a triple gets a third. Each line is a process of its own. The error is the mean squared error
over the variance of the Shapley values; own time is processor time, the choice of coalitions included, imports not.

    OMP_NUM_THREADS=1 python benchmarks/own_share.py [--sizes 100x8 300x8 1000x8 2000x4 2000x16]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

import lcshap as lc

SIZES = ("14x8", "30x8", "100x8", "150x4", "300x8", "1000x8", "2000x4", "2000x16")


def line(size: str) -> str:
    """One line of the table."""
    d, calls = (int(part) for part in size.split("x"))
    worth = np.random.default_rng(0).normal(size=d - 2)
    spent = 0.0

    def v(kept: np.ndarray) -> np.ndarray:
        nonlocal spent
        start = time.process_time()
        found = (kept[:, :-2] & kept[:, 1:-1] & kept[:, 2:]) @ worth
        spent += time.process_time() - start
        return np.asarray(found)

    truth = np.convolve(worth, np.ones(3)) / 3
    tiny = lc.Game(lambda kept: kept.prod(axis=1), 6)
    lc.GraphKernelSHAP(12).explain(tiny, lc.Graph.chain(6))  # imports what it uses
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    e = lc.GraphKernelSHAP(calls * d).explain(lc.Game(v, d), lc.Graph.chain(d), max_calls=None)
    own = time.process_time() - start - spent
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    lower, upper = e.interval()
    covered = np.mean((lower <= truth) & (truth <= upper))
    error = np.mean((e.scores - truth) ** 2) / np.var(truth)
    return (
        f"{d:5} units {calls:3}d  own {own:7.3f} s, {own / e.calls / 1e-3:6.1%} of the model's time  "
        f"{memory / 1024:5.0f} MB more  error {error:.4f}  95 % intervals cover {covered:.0%}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(line(given.one), flush=True)
    else:
        for each in given.sizes:
            subprocess.run([sys.executable, __file__, "--one", each], check=True)
