"""Real SIGINTs at random moments, over all methods: the same scores after going on, and at most one batch asked again.

A batch that is under way when the signal comes has no answer yet: its rows are asked again. Nothing else may be.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from typing import Any

import numpy as np

import lcshap as lc
from lcshap.core.table_method import TableMethod

_BATCH = 8


class Slow:
    """A model that takes its time, so that signals find it at work."""

    def __init__(self) -> None:
        self.rows = Counter[bytes]()

    def __call__(self, x: Any) -> Any:
        time.sleep(1e-4 * len(x))
        self.rows.update(row.tobytes() for row in x)
        return x @ np.arange(1.0, 7.0) + np.tanh(x[:, 0] * x[:, 1] * x[:, 2])


def run(count: int = 20, seed: int = 0) -> dict[str, Any]:
    """Interrupt so many explanations. Call it from the main thread: Python delivers signals there."""
    rng = np.random.default_rng(seed)
    graph = lc.Graph.chain(6)
    examples = [kind.examples()[0] for kind in lc.METHODS.values()]
    calling = [method for method in examples if not isinstance(method, TableMethod)]  # the others read the model
    methods = [method for method in calling if not method.cost(graph).gradients]
    found: dict[str, Any] = {"signals": 0, "interrupted": 0, "failures": []}
    known: dict[str, tuple[lc.Explanation, float]] = {}
    x = rng.normal(size=6)
    while found["interrupted"] < count and found["signals"] < 20 * count:
        method = methods[found["signals"] % len(methods)]
        if str(method) not in known:
            start = time.perf_counter()
            known[str(method)] = (_explainer(Slow(), method)(x), time.perf_counter() - start)
        expected, seconds = known[str(method)]
        model, store = Slow(), lc.MemoryStore()
        found["signals"] += 1
        again = _interrupted(_explainer(model, method), x, store, float(rng.uniform(0, seconds)))
        if again is None:
            found["interrupted"] += 1
            again = _explainer(model, method)(x, store=store)
        if again != expected or again.scores.tobytes() != expected.scores.tobytes():
            found["failures"].append(f"{method}: other scores after an interruption")
        if sum(model.rows.values()) - len(model.rows) > _BATCH:
            found["failures"].append(f"{method}: more than a batch asked twice")
    return found


def _interrupted(ways: lc.Explainer, x: Any, store: lc.Store, after: float) -> lc.Explanation | None:
    """The explanation; None where the signal came before it was finished."""
    timer = threading.Timer(after, lambda: signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT))
    try:
        timer.start()
        try:
            return ways.one(x, store=store)
        finally:
            timer.join()
            time.sleep(0.001)  # a signal that came late is delivered here
    except KeyboardInterrupt:
        return None


def _explainer(model: Any, method: Any) -> lc.Explainer:
    return lc.Explainer(
        model, lc.maskers.Tabular(np.zeros(6)), method, kind="output", batch_size=_BATCH, progress=False
    )
