"""Random graphs, methods, orders and budgets: every plan, and every refusal, must be quick and fit the memory.

``python -m tests.fuzz plans --count 1000``. Each case is planned in a process of its own, which is measured: at most
5 s and 20 microseconds a call, and at most 2 GB. A plan that would take more has to be refused by an error of lcshap;
the calls of a refusal are those that it found there would be at least, up to `max_calls`.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import lcshap as lc

SECONDS, A_CALL = 5.0, 20e-6
BYTES = 2_000_000_000
_KILLED_AFTER = 300  # seconds of a case that has failed anyway
_CONTEXTS = ("absent", "present", "both")


@dataclass(frozen=True)
class Case:
    """What is planned."""

    graph: lc.Graph
    method: lc.Method
    max_calls: int

    def __str__(self) -> str:
        return f"{self.method}.plan({self.graph!r}, max_calls={self.max_calls})"


def run(count: int = 300, seed: int = 0) -> dict[str, Any]:
    """Plan so many random cases; numbers of plans and refusals, the worst time and memory, and what failed."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {"cases": count, "plans": 0, "refusals": 0, "slowest": 0.0, "largest": 0, "failures": []}
    for _ in range(count):
        case = draw(rng)
        said = measure(case)
        found["plans"] += said["outcome"] == "plan"
        found["refusals"] += said["outcome"] == "refused"
        share = said["seconds"] / (SECONDS + A_CALL * said["calls"])
        found["slowest"] = max(found["slowest"], round(share, 3))
        found["largest"] = max(found["largest"], said["bytes"])
        why = [said["outcome"]] if said["outcome"] not in ("plan", "refused") else []
        why += [f"{said['seconds']:.1f} s for {said['calls']:,} calls"] if share > 1 else []
        why += [f"{said['bytes'] / 1e9:.1f} GB"] if said["bytes"] > BYTES else []
        if why:
            found["failures"].append(f"{case}: {', '.join(why)}")
    return found


def measure(case: Case) -> dict[str, Any]:
    """Plan a case in a child: what came of it, the calls, the seconds and the memory.

    The clock runs on while other processes have the processor, and the processor's time counts threads that wait: the
    smaller of the two is nearer to what planning takes.
    """
    reader, writer = os.pipe()
    start = time.perf_counter()
    child = os.fork()
    if not child:
        os.close(reader)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # what the parent holds is not the plan's
        limit = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + 4 * BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        signal.alarm(_KILLED_AFTER)
        with os.fdopen(writer, "w") as pipe:
            pipe.write(json.dumps((*_planned(case), before)))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status, usage = os.wait4(child, 0)
    seconds = min(time.perf_counter() - start, usage.ru_utime + usage.ru_stime)
    outcome, calls, before = json.loads(said) if said else [f"killed by signal {status & 127}", 0, 0]
    return {"outcome": outcome, "calls": calls, "seconds": seconds, "bytes": 1024 * (usage.ru_maxrss - before)}


def _planned(case: Case) -> tuple[str, int]:
    try:
        return "plan", case.method.cost(case.graph, case.max_calls).calls
    except lc.errors.PlanTooLargeError as error:
        return "refused", min(error.calls, case.max_calls)
    except lc.LcshapError:
        return "refused", 0
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:300], 0


def draw(rng: np.random.Generator) -> Case:
    """A random case."""
    graph = _graph(rng)
    budget = int(min(10 ** rng.uniform(0.4, 6), rng.choice([2, 3, 4, 8, 20, 100]) * graph.d))
    return Case(graph, _method(rng, budget), int(rng.choice([10_000, 100_000, 1_000_000, 1_000_000])))


def _size(rng: np.random.Generator, most: float) -> int:
    return int(10 ** rng.uniform(0, np.log10(most)))


def _graph(rng: np.random.Generator) -> lc.Graph:
    kind = rng.choice(["chain", "ring", "grid", "diagonal", "cube", "complete", "star", "tree", "sparse", "dense"])
    if kind == "chain" or kind == "ring":
        return getattr(lc.Graph, kind)(_size(rng, 50_000))
    if kind == "grid" or kind == "diagonal":
        return lc.Graph.grid((_size(rng, 224), _size(rng, 224)), diagonal=kind == "diagonal")
    if kind == "cube":
        return lc.Graph.grid([_size(rng, 20) for _ in range(rng.integers(3, 5))])
    if kind == "complete":
        return lc.Graph.complete(_size(rng, 1_000))
    if kind == "star":
        return lc.Graph.tree([-1] + [0] * (_size(rng, 3_000) - 1))
    if kind == "tree":
        return lc.Graph.tree([-1, *(int(rng.integers(0, i)) for i in range(1, _size(rng, 10_000)))])
    d = _size(rng, 5_000 if kind == "sparse" else 300)
    edges = rng.integers(0, d, (int(d * rng.uniform(0.5, 3 if kind == "sparse" else 30)), 2))
    return lc.Graph.from_edges(d, edges[edges[:, 0] != edges[:, 1]])


def _method(rng: np.random.Generator, budget: int) -> lc.Method:
    order = int(rng.choice([0, 1, 1, 2, 2, 3, 4, 6, 10, 30, 10**30]))
    size = int(rng.choice([1, 2, 3, 4, 6, 8, 20, 100, 10**30]))
    context = str(rng.choice(_CONTEXTS))
    weights = str(rng.choice(["paper", "myerson"]))
    marginals = str(rng.choice(["direct", "decomposed"]))
    seed = int(rng.integers(5))
    makers = [
        lambda: lc.LShapley(order, context),
        lambda: lc.LShapley(max(order, 1), context, interactions=True),
        lambda: lc.CShapley(order, context, weights, marginals),
        lambda: lc.CShapley(order, context, weights, marginals, max_size=size),
        lambda: lc.CShapley(None, context, weights, marginals, max_size=size),
        lc.Shapley,
        lc.Myerson,
        lambda: lc.RegressionCShapley(
            size, str(rng.choice(["uniform", "kernel"])), str(rng.choice(["kept", "removed"]))
        ),
        lambda: lc.DividendCShapley(size),
        lc.FeatureAblation,
        lambda: lc.SampleShapley(budget, seed),
        lambda: lc.SampledLShapley(budget, order, context, seed),
        lambda: lc.SampledCShapley(budget, order, context, weights, seed),
        lambda: lc.KernelSHAP(budget, seed),
        lambda: lc.GraphKernelSHAP(budget, seed=seed),
        lambda: lc.LIME(budget, seed),
        lambda: lc.choose(lc.Graph.chain(5), budget=max(budget, 10), seed=seed).method,
        lambda: lc.DeletionPath(budget),
    ]
    return makers[rng.integers(len(makers))]()


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(json.dumps(run(options.count, options.seed), indent=1))
