"""Eight threads share an explainer, for every adapter: explanations are those of one thread, bit for bit.

``count`` is how many inputs each adapter explains: once with a batch size that is given, which has to give the same
bits, and once while the fastest size is still looked for, which changes how a framework rounds (1e-5).
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from . import models

ROUNDING = 1e-5


def run(count: int = 8, seed: int = 0, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """Explain with all adapters, or those whose names are given."""
    found: dict[str, Any] = {"adapters": 0, "explanations": 0, "failures": []}
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for example in models.examples(names):
            found["adapters"] += 1
            inputs = example.inputs(count, seed)
            for size, slack in ((8, 0.0), (None, ROUNDING)):
                try:
                    threaded = _in_threads(example.explainer(size), inputs)  # first: nothing is compiled or set up yet
                    alone = [example.explainer(8).one(x).scores for x in inputs]
                    worst = float(np.abs(np.subtract(threaded, alone)).max())
                    if not worst <= slack:
                        found["failures"].append(f"{example.name}, batch size {size}: off by {worst:.1g}")
                except Exception as error:
                    found["failures"].append(f"{example.name}, batch size {size}: {error!r}")
                found["explanations"] += count
            found["failures"] += _modes(example)
    finally:
        sys.setswitchinterval(before)
    return found


def _in_threads(explainer: Any, inputs: list[Any]) -> list[Any]:
    with ThreadPoolExecutor(8) as pool:
        return [e.scores for e in pool.map(explainer.one, inputs)]


def _modes(example: models.Example) -> list[str]:
    """PyTorch modules were in training mode, and must be again."""
    model = getattr(example.model, "model", example.model)
    parts = list(model.modules()) if hasattr(model, "modules") else []
    return [] if all(part.training for part in parts) else [f"{example.name}: left in evaluation mode"]
