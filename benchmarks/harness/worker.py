"""A process that runs contestants, in whichever Python has their packages; values come over a pipe from the harness.

    python -m benchmarks.harness.worker FD        # started by the harness

The harness sends a job as JSON. The contestant's questions go back as packed rows, with their values as answer; then
comes its result as JSON. So the model runs in one process for everybody, and nobody counts for himself.
"""

from __future__ import annotations

import json
import random
import sys
import time
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from .contestants import Answer, available, find


class Asking:
    """The game at the other end of the pipe."""

    def __init__(self, pipe: Connection, d: int, graph: Any) -> None:
        self.pipe, self.d, self.graph, self.waited = pipe, d, graph, 0.0

    def __call__(self, rows: Any) -> Any:
        """The values of 0/1 rows of any type."""
        kept = np.atleast_2d(np.asarray(rows)) > 0.5
        start = time.perf_counter()
        self.pipe.send_bytes(b"Q" + len(kept).to_bytes(8, "little") + np.packbits(kept).tobytes())
        values = np.frombuffer(self.pipe.recv_bytes(), np.float64).copy()
        self.waited += time.perf_counter() - start
        return values


def memory(field: str) -> int:
    """A line of /proc/self/status in KB; 0 where there is none."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0)


def forget_peak() -> None:
    """Begin to measure the peak of memory anew."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def work(pipe: Connection, job: dict[str, Any]) -> dict[str, Any]:
    """Run one job; whatever is raised is a result too."""
    seed, value = job["seed"], Asking(pipe, job["d"], job["graph"])
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - shap draws from it
    who = find(job["contestant"])
    with suppress(ImportError):
        import_module(who.package)  # not on anybody's time
    pipe.send_bytes(b"S")
    forget_peak()
    before, start = memory("VmRSS"), time.perf_counter()
    try:
        found = who.estimate(value, job["budget"], seed)
        answer = found if isinstance(found, Answer) else Answer(found)
        error = answer.note
    except Exception as raised:
        answer, error = Answer(None), f"{type(raised).__name__}: {raised}"[:300]
        traceback.print_exc()
    seconds = time.perf_counter() - start
    result = {name: listed(getattr(answer, name)) for name in ("scores", "pairs", "lower", "upper")}
    peak = max(memory("VmHWM") - before, 0) / 1024
    return {**result, "error": error, "own_seconds": seconds - value.waited, "seconds": seconds, "peak_mb": peak}


def listed(array: Any) -> list[float] | None:
    """A flat list of numbers for JSON; None where there is nothing, or something that is not finite."""
    if array is None:
        return None
    flat = np.asarray(array, np.float64).ravel()
    return flat.tolist() if np.isfinite(flat).all() else None


def main() -> None:
    """Answer jobs until the pipe closes."""
    warnings.simplefilter("ignore")
    pipe = Connection(int(sys.argv[1]))
    pipe.send_bytes(json.dumps({"available": available(), "python": sys.version.split()[0]}).encode())
    while True:
        try:
            job = json.loads(pipe.recv_bytes())
        except EOFError:
            return
        pipe.send_bytes(b"R" + json.dumps(work(pipe, job)).encode())


if __name__ == "__main__":
    main()
