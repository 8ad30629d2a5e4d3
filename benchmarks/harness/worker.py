"""A process that runs contestants, in whichever Python has their packages; values come over a pipe from the harness.

    python -m benchmarks.harness.worker FD        # started by the harness

The harness sends a job as JSON. This process makes a copy of itself for each job. The contestant's questions go back as
packed rows, with their values as answer; then comes its result as JSON. So a model runs in one process for everybody.
The values of a table are looked up here, which saves the way; the game counts what is asked either way.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from contextlib import suppress
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from .contestants import CONTESTANTS, Answer, Contestant, available, find
from .game import Bench, Counter, Masks, Values
from .tables import Table

LATE = 75  # exit status after a job that used up its time


class Asking:
    """The game as contestants see it, counted; its values come from a table, or from the other end of the pipe."""

    def __init__(self, pipe: Connection, job: dict[str, Any]) -> None:
        self.pipe, self.d, self.graph, self.waited = pipe, job["d"], job["graph"], 0.0
        fn = Table(np.load(job["table"])) if job["table"] else self.ask
        self.counter = Counter(Bench("", "", self.d, fn))

    def ask(self, kept: Masks) -> Values:
        """The values of rows, from the harness."""
        self.pipe.send_bytes(b"Q" + len(kept).to_bytes(8, "little") + np.packbits(kept).tobytes())
        return np.frombuffer(self.pipe.recv_bytes(), np.float64).copy()

    def __call__(self, rows: Any) -> Any:
        """The values of 0/1 rows of any type."""
        start = time.process_time()
        values = self.counter(np.atleast_2d(np.asarray(rows)) > 0.5)
        self.waited += time.process_time() - start
        return values


class Small(Counter):
    """A game of five units, on which a contestant is run once before it is measured."""

    d, graph = 5, "complete"

    def __call__(self, rows: Any) -> Any:
        """The values of 0/1 rows of any type."""
        return super().__call__(np.atleast_2d(np.asarray(rows)) > 0.5)


@cache
def warm(name: str) -> None:
    """Import what a contestant imports when it is used, so that nobody pays for it in time or in memory."""
    values = np.random.default_rng(0).normal(size=2**Small.d)
    with suppress(Exception):
        CONTESTANTS[name].estimate(Small(Bench("", "", Small.d, Table(values))), 4 * Small.d, 0)


def memory(field: str) -> int:
    """A line of /proc/self/status in KB; 0 where there is none."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0)


def work(pipe: Connection, job: dict[str, Any]) -> None:
    """Run one job in a process of its own, which sends the result; end if that process breaks.

    The new process is a copy of this one, in which nothing but small games has been run. So the most memory that it
    ever holds, less what it holds at the start, is what the estimate takes.
    """
    who = find(job["contestant"])
    with suppress(ImportError):
        import_module(who.package)
    if who.name in CONTESTANTS and not who.threads:
        warm(who.name)
    pipe.send_bytes(b"S")
    child = os.fork()
    if not child:
        used = time.process_time()
        limit = int(used + job["limit"]) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        try:
            pipe.send_bytes(b"R" + json.dumps(estimate(pipe, job, who)).encode())
        finally:
            os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status:
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        sys.exit(LATE if late else 1)


def estimate(pipe: Connection, job: dict[str, Any], who: Contestant) -> dict[str, Any]:
    """The answer and what it has cost; whatever is raised is a result too. Times are those of the processor."""
    seed, value = job["seed"], Asking(pipe, job)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - shap draws from it
    before, start = memory("VmRSS"), time.process_time()
    try:
        found = who.estimate(value, job["budget"], seed)
        answer = found if isinstance(found, Answer) else Answer(found)
        error = answer.note
    except Exception as raised:
        answer, error = Answer(None), f"{type(raised).__name__}: {raised}"[:300]
        traceback.print_exc()
    seconds = time.process_time() - start
    peak = max(memory("VmHWM") - before, 0) / 1024
    result = {name: listed(getattr(answer, name)) for name in ("scores", "pairs", "lower", "upper")}
    asked = {"calls": value.counter.calls, "rows": value.counter.rows}
    return {**result, **asked, "error": error, "own_seconds": seconds - value.waited, "peak_mb": peak}


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
        work(pipe, job)


if __name__ == "__main__":
    main()
