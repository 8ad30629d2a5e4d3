"""A fault at every call of every method: what is resumed equals what was never interrupted, and nothing is asked twice.

``count`` is how many inputs are swept, each through one input alone, a list of two and a comparison of methods. An
error of the model and Ctrl-C are both tried at each of its batches.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import lcshap as lc
from lcshap.core.table_method import TableMethod


class Faulty:
    """A model on six columns that fails at one batch, once, and takes note of the rows that it has answered."""

    def __init__(self, at: int | None = None, error: BaseException | None = None) -> None:
        self.at, self.error, self.batches, self.rows = at, error, 0, Counter[bytes]()

    def __call__(self, x: Any) -> Any:
        self.batches += 1
        if self.batches == self.at and self.error is not None:
            raise self.error
        self.rows.update(row.tobytes() for row in x)
        return x @ np.arange(1.0, 7.0) + 2.0 * x[:, 0] * x[:, 1] - x[:, 3] * x[:, 4] * x[:, 5] + np.tanh(x.sum(axis=1))


def run(count: int = 1, seed: int = 0, most: int | None = None) -> dict[str, Any]:
    """Sweep; `most` methods at the most, for a short run."""
    rng = np.random.default_rng(seed)
    graph = lc.Graph.chain(6)
    examples = [example for kind in lc.METHODS.values() for example in kind.examples()]
    calling = [method for method in examples if not isinstance(method, TableMethod)]  # the others read the model
    methods = [method for method in calling if not method.cost(graph).gradients]
    if most is not None:
        methods = [methods[i] for i in rng.permutation(len(methods))[:most]]
    found: dict[str, Any] = {"methods": len(methods), "faults": 0, "failures": []}
    for _ in range(count):
        one, two = rng.normal(size=(2, 6))
        for method in methods:
            _sweep(found, method, lambda ways, store, x=one: [ways(x, store=store)])
            _sweep(found, method, lambda ways, store, x=[one, two]: ways(x, store=store))
        several = [lc.LShapley(1), lc.DeletionPath(30), lc.GraphKernelSHAP(30)]
        _sweep(found, "auto", lambda ways, store, x=one, several=several: ways.compare(x, several, store=store))
    return found


def _sweep(found: dict[str, Any], method: Any, work: Any) -> None:
    whole = Faulty()
    expected = work(_explainer(whole, method), None)
    for at in range(1, whole.batches + 1):
        for error in (RuntimeError("gone"), KeyboardInterrupt()):
            model = Faulty(at, error)
            ways = _explainer(model, method)
            found["faults"] += 1
            try:
                work(ways, None)
                found["failures"].append(f"{method}: batch {at} did not fail")
            except lc.Unfinished as unfinished:
                again = work(ways, unfinished.store)
                if again != expected or [e.scores.tobytes() for e in again] != [e.scores.tobytes() for e in expected]:
                    found["failures"].append(f"{method}: other scores after a fault at batch {at}")
                if model.rows != whole.rows:
                    found["failures"].append(f"{method}: rows asked twice after a fault at batch {at}")


def _explainer(model: Any, method: Any) -> lc.Explainer:
    return lc.Explainer(model, lc.maskers.Tabular(np.zeros(6)), method, kind="output", batch_size=8, progress=False)
