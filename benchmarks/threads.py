"""The own time of GraphKernelSHAP with the default number of BLAS threads, and with others, over that with one thread.

The game is a sum over triples of neighbours that is computed without BLAS, with eight calls a unit. Times are
wall-clock seconds, because threads that wait for each other cost wall-clock time. The settings take turns, and each
number is the median of seven turns. `first` is an input whose coalitions have to be chosen, `next` is an input with as
many units as one before. The last block of lines is measured while a second process keeps all cores busy.

    python benchmarks/threads.py [--sizes 14 30 60 200 1000] [--threads 2 4 16]

Run it without OMP_NUM_THREADS and OPENBLAS_NUM_THREADS, as users do.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import scipy.linalg  # noqa: F401 -- loads the BLAS library of SciPy
from threadpoolctl import ThreadpoolController

import lcshap as lc
from lcshap.core.method import PLAN_CACHE
from lcshap.estimators.graph_kernel.design import choose_pairs

REPEATS = 7
BUSY = """
import os
for _ in range(os.cpu_count() - 1):
    if os.fork() == 0:
        break
while os.getppid() > 1:
    sum(range(10000))
"""


def set_threads(count: int) -> None:
    """Set the number of BLAS threads of the process, and check that it took effect."""
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        library.set_num_threads(count)
        library.clear_controlling_thread()
        if library.get_num_threads() != count:
            raise SystemExit(f"{library.filepath} has {library.get_num_threads()} threads instead of {count}.")


def measure(d: int, seed: int) -> tuple[float, float]:
    """The seconds for an input with a new plan, and for a further input, less the time of the game."""
    spent = [0.0]

    def game(kept: np.ndarray) -> np.ndarray:
        start = time.perf_counter()
        triples = kept[:, :-2] & kept[:, 1:-1] & kept[:, 2:]
        values = np.where(triples, worth, 0.0).sum(axis=1)
        spent[0] += time.perf_counter() - start
        return values

    PLAN_CACHE.clear()
    choose_pairs.cache_clear()
    seconds = []
    for number in range(2):
        worth = np.random.default_rng([seed, number]).normal(size=d - 2)
        spent[0], start = 0.0, time.perf_counter()
        lc.GraphKernelSHAP(8 * d).explain(lc.Game(game, d), lc.Graph.chain(d), max_calls=None)
        seconds.append(time.perf_counter() - start - spent[0])
    return seconds[0], seconds[1]


def compare(d: int, thread_counts: list[int]) -> None:
    """Print a line for each number of threads."""
    times: dict[int, list[tuple[float, float]]] = {count: [] for count in thread_counts}
    for repeat in range(REPEATS):
        for count in thread_counts:
            set_threads(count)
            times[count].append(measure(d, repeat))
    medians = {count: np.median(times[count], axis=0) for count in thread_counts}
    for count in thread_counts[1:]:
        first, following = medians[count] / medians[1]
        print(
            f"{d:6,} units  {count:3} threads   first {1e3 * medians[count][0]:8.1f} ms, {first:5.2f} times one thread"
            f"   next {1e3 * medians[count][1]:8.1f} ms, {following:5.2f} times one thread",
            flush=True,
        )


@contextmanager
def busy_machine() -> Iterator[None]:
    """A second process keeps all cores busy."""
    process = subprocess.Popen([sys.executable, "-c", BUSY], start_new_session=True)
    try:
        yield
    finally:
        os.killpg(process.pid, 9)
        process.wait()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[14, 30, 60, 200, 1000])
    parser.add_argument("--threads", type=int, nargs="+", default=[2, 4, 16])
    options = parser.parse_args()
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    print(
        f"default: {', '.join(f'{library.get_num_threads()} threads' for library in libraries)}, {os.cpu_count()} cores"
    )
    measure(14, 0)  # imports what it uses
    for d in options.sizes:
        compare(d, [1, *options.threads])
    print("with a second process that keeps all cores busy:")
    with busy_machine():
        for d in options.sizes:
            compare(d, [1, *options.threads])


if __name__ == "__main__":
    main()
