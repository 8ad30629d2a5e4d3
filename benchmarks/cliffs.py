"""The own time of the default method by units and calls, and where it jumps.

Sizes grow by a tenth from 2 to 20,000 units (at small sizes by one unit), and budgets are 2, 4, 8, 16, 32 and 64 calls
a unit. The units are a chain, and the game is a sum over triples of neighbours, whose time is subtracted. Own time is
processor time: that of the first input, which pays for the choice of coalitions, and that of a further input. Short
times are medians of three. Memory is the largest resident size of the process beyond that after the imports.

A *cliff* is a step that takes more than 1.5 times the time of the step before, for each tenth by which the units grow.
Times below 20 ms count as 20 ms. The units step by more than a tenth below 11, and with --step.

    python benchmarks/cliffs.py [--step 1.1] [--sizes 60 66 73] [--calls 2 8 64] [--limit 60] [--results FILE]

Each measurement is kept in a file, and is not repeated when the benchmark is started again with the same file. If all
budgets of a size together take longer than the limit (in seconds of processor time), the largest ones are left out.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import lcshap as lc
from lcshap.core.method import PLAN_CACHE
from lcshap.estimators.graph_kernel.design import choose_pairs

CALLS = (2, 4, 8, 16, 32, 64)
LARGEST, STEP = 20_000, 1.1
ALLOWED, SHORT = 1.5, 0.02  # the ratio of times that is allowed for each tenth of units, and the shortest time in it
REPEATS, REPEATED_SECONDS = 3, 0.3  # shorter measurements than this are repeated so often
Measurement = dict[str, Any]


def sizes(step: float = STEP) -> list[int]:
    """The numbers of units."""
    units = [2]
    while units[-1] < LARGEST:
        units.append(min(max(units[-1] + 1, int(units[-1] * step)), LARGEST))
    return units


class Triples:
    """The game: the worth of all triples of neighbours that are kept. It counts the time that it takes itself."""

    def __init__(self, d: int, seed: int) -> None:
        self.worth, self.spent = np.random.default_rng(seed).normal(size=max(d - 2, 1)), 0.0

    def __call__(self, kept: np.ndarray) -> np.ndarray:
        """The values of coalitions."""
        start = time.process_time()
        triples = kept[:, :-2] & kept[:, 1:-1] & kept[:, 2:] if kept.shape[1] > 2 else kept[:, :1]
        values = np.einsum("nt,t->n", triples, self.worth)
        self.spent += time.process_time() - start
        return np.asarray(values)


def own_time(d: int, calls: int, seed: int) -> tuple[str, float]:
    """The name of the default method, and its own time for one input."""
    game = Triples(d, seed)
    start = time.process_time()
    selection = lc.choose(lc.Graph.chain(d), budget=max(calls * d, 4))
    selection.method.explain(lc.Game(game, d), selection.graph, max_calls=None)
    return selection.method.name, time.process_time() - start - game.spent


def measure(d: int, calls: int) -> Measurement:
    """One measurement."""
    times = []
    for repeat in range(REPEATS):
        PLAN_CACHE.clear()
        choose_pairs.cache_clear()
        method, first = own_time(d, calls, 2 * repeat)
        times.append((first, own_time(d, calls, 2 * repeat + 1)[1]))
        if first > REPEATED_SECONDS:
            break
    first, following = np.median(times, axis=0)
    return {
        "d": d,
        "calls": calls,
        "method": method,
        "first": round(float(first), 4),
        "next": round(float(following), 4),
    }


def measure_size(d: int, budgets: list[int], limit: int) -> None:
    """Print the measurements of one size as lines of JSON. Runs in a process of its own."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    own_time(6, 2, 0)  # imports what it uses
    own_time(12, 3, 0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for calls in budgets:
        measurement = measure(d, calls)
        more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(json.dumps({**measurement, "mb": more // 1024}), flush=True)


def run(units: list[int], budgets: list[int], results: Path, limit: int) -> list[Measurement]:
    """All measurements, those of earlier runs included."""
    measurements = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    known = {(m["d"], m["calls"]) for m in measurements}
    results.parent.mkdir(parents=True, exist_ok=True)
    with results.open("a") as file:
        for d in units:
            missing = [calls for calls in budgets if (d, calls) not in known]
            if not missing:
                continue
            command = [sys.executable, __file__, "--measure", str(d), "--limit", str(limit)]
            command += ["--calls", *map(str, missing)]
            process = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            if process.returncode not in (0, -signal.SIGXCPU):
                raise SystemExit(f"The measurement of {d:,} units has failed.")
            new = [json.loads(line) for line in process.stdout.decode().splitlines()]
            new += [{"d": d, "calls": calls, "method": ""} for calls in missing[len(new) :]]  # those beyond the limit
            for measurement in new:
                print(describe(measurement), flush=True)
                file.write(json.dumps(measurement) + "\n")
            file.flush()
            measurements += new
    chosen = [m for m in measurements if m["d"] in units and m["calls"] in budgets]
    return sorted(chosen, key=lambda m: (m["calls"], m["d"]))


def describe(m: Measurement) -> str:
    """A measurement as a line of text."""
    words = f"{m['d']:6,} units {m['calls']:3}d"
    if not m["method"]:
        return f"{words}  beyond the limit of time"
    return f"{words}  {m['method']:<17} first input {m['first']:8.3f} s, next {m['next']:8.3f} s  {m['mb']:6,} MB more"


def cliffs(measurements: list[Measurement]) -> list[str]:
    """The steps that cost too much, in words."""
    lines = []
    for smaller, larger in pairwise(measurements):
        if smaller["calls"] != larger["calls"] or not (smaller["method"] and larger["method"]):
            continue
        tenths = max(math.log(larger["d"] / smaller["d"]) / math.log(1.1), 1.0)
        for name in ("first", "next"):
            ratio = max(larger[name], SHORT) / max(smaller[name], SHORT)
            if ratio > ALLOWED**tenths:
                lines.append(
                    f"{smaller['d']:6,} to {larger['d']:,} units at {larger['calls']}d, {name} input: "
                    f"{smaller[name]:.3f} s to {larger[name]:.3f} s, {ratio:.2f} times "
                    f"({smaller['method']} to {larger['method']})"
                )
    return lines


def main() -> None:
    """Measure, and list the cliffs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", help="numbers of units; by default from 2 to 20,000")
    parser.add_argument("--step", type=float, default=STEP, help="the ratio of one size to the last")
    parser.add_argument("--calls", type=int, nargs="+", default=list(CALLS), help="calls a unit")
    parser.add_argument("--limit", type=int, default=120, help="seconds for all budgets of one size")
    parser.add_argument("--results", type=Path, default=Path("cliffs.jsonl"), help="where measurements are kept")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure_size(options.measure, options.calls, options.limit)
        return
    measurements = run(options.sizes or sizes(options.step), options.calls, options.results, options.limit)
    lines = cliffs(measurements)
    print(f"{len(lines)} cliffs in {len(measurements)} measurements" + ":" * bool(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
