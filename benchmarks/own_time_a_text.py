"""What the Explainer itself takes for a text, many texts of one list: processor time with a model that takes none.

Texts of about 150 words at 4d calls. With one length for all, plans are made once; with many lengths, once for each
length, which for GraphKernelSHAP is an equation to solve. So the difference between the two is the method's own time,
and what is left is making rows, keys and batches. Run it with two versions of lcshap to compare them:
``PYTHONPATH=old/src python benchmarks/own_time_a_text.py``. It runs with the default number of threads.

    python benchmarks/own_time_a_text.py [--texts 400] [--rounds 3]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import lcshap as lc
from lcshap.core.method import PLAN_CACHE

METHODS = ("sample-shapley", "graph-kernel-shap")


def nothing(rows: Any) -> Any:
    """A model that takes next to no time, but whose answers are not all equal: a constant needs no estimate."""
    lengths = np.array([len(row) for row in rows], float)
    return np.stack([np.sin(lengths / 50), lengths / 500], axis=1)


def texts(count: int, vary: int) -> list[str]:
    """Texts of 150 words, more or less."""
    rng = np.random.default_rng(0)
    known = np.array([f"w{i}{'x' * int(rng.integers(0, 7))}" for i in range(2000)])
    return [" ".join(rng.choice(known, 150 + int(rng.integers(-vary, vary + 1)))) for _ in range(count)]


def milliseconds(method: str, many: list[str], rounds: int) -> float:
    """The best of some rounds, for a text."""
    explainer = lc.Explainer(nothing, lc.maskers.Text(), method, budget="4d", kind="logits", progress=False)
    explainer(many[:30])  # finds a batch size
    times = []
    for _ in range(rounds):
        PLAN_CACHE.clear()
        start = time.process_time()
        explainer(many)
        times.append(time.process_time() - start)
    return 1e3 * min(times) / len(many)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    for method in METHODS:
        one, other = (milliseconds(method, texts(given.texts, vary), given.rounds) for vary in (0, 50))
        print(f"{method:<20}{one:6.1f} ms a text of 150 words, {other:6.1f} ms of 100 to 200 words", flush=True)
