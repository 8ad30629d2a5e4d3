"""The own time of GraphKernelSHAP beside a model of 1 ms a row, its peak memory, and its error, by units and calls.

The game is a sum over triples of neighbours, each worth a random number if all three units are kept. Its Shapley values
are known: each unit of a triple gets a third. Each line is a process of its own. Own time is processor time with the
default number of threads, imports not included. The first input pays for the choice of coalitions. Further inputs with
as many units share it: their own time is the mean over three of them. The error is the mean squared error over the
variance of the Shapley values, of the first input.

    python benchmarks/own_share.py [--sizes 100x8 300x8 1000x8 2000x4 2000x16]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

import lcshap as lc

SIZES = ("14x8", "30x8", "64x8", "100x8", "150x4", "300x8", "1000x8", "2000x4", "2000x16")
FURTHER = 3  # inputs after the first


class Triples:
    """The game: the worth of all triples of neighbours that are kept. It counts the time that it takes itself."""

    def __init__(self, d: int, seed: int) -> None:
        self.worth, self.spent = np.random.default_rng(seed).normal(size=d - 2), 0.0

    def __call__(self, kept: np.ndarray) -> np.ndarray:
        """The values of coalitions."""
        start = time.process_time()
        found = (kept[:, :-2] & kept[:, 1:-1] & kept[:, 2:]) @ self.worth
        self.spent += time.process_time() - start
        return np.asarray(found)


def explain(d: int, calls: int, seed: int) -> tuple[lc.Explanation, Triples, float]:
    """The explanation of an input, its game, and the own time."""
    game = Triples(d, seed)
    start = time.process_time()
    e = lc.GraphKernelSHAP(calls * d).explain(lc.Game(game, d), lc.Graph.chain(d), max_calls=None)
    return e, game, time.process_time() - start - game.spent


def line(size: str) -> str:
    """One line of the table."""
    d, calls = (int(part) for part in size.split("x"))
    tiny = lc.Game(lambda kept: kept.prod(axis=1), 6)
    lc.GraphKernelSHAP(12).explain(tiny, lc.Graph.chain(6))  # imports what it uses
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    e, game, first = explain(d, calls, 0)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    further = float(np.mean([explain(d, calls, seed)[2] for seed in range(1, FURTHER + 1)]))
    truth = np.convolve(game.worth, np.ones(3)) / 3
    lower, upper = e.interval()
    covered = np.mean((lower <= truth) & (truth <= upper))
    error = np.mean((e.scores - truth) ** 2) / np.var(truth)
    model = e.calls * 1e-3
    return (
        f"{d:5} units {calls:3}d  first input {first:7.3f} s, {first / model:6.1%} of the model's time  "
        f"further inputs {further:7.3f} s, {further / model:6.1%}  "
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
