"""Runs jobs in processes of their own, with a time limit, and keeps every result at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from .contestants.base import everybody
from .game import Bench, Values
from .masking import areas
from .results import Results
from .tables import Table
from .truth import Truth, truth
from .versions import code_version
from .worker import LATE

ROOT = Path(__file__).parents[2]
ONE_CORE = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")}
START = 240  # seconds that a process may take to import what it needs
NORMAL = 1.96  # 95 % of a normal distribution are within so many standard deviations
ROUNDING = 1e-9  # what an exact result may be off
WAITING = 20  # times the limit, which is of processor time: so long the harness waits on a busy machine


@dataclass(frozen=True, eq=False)
class Job:
    """One estimate: who, on which game, with how many calls, from which seed."""

    contestant: str
    game: Bench
    budget: int
    seed: int


class Worker:
    """A process of one Python that runs contestants one after the other."""

    def __init__(self, python: str, log: Path) -> None:
        self.pipe, child = Pipe()
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [python, "-m", "benchmarks.harness.worker", str(child.fileno())],
                pass_fds=[child.fileno()],
                env={**os.environ, **ONE_CORE, "PYTHONPATH": os.pathsep.join(paths)},
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        child.close()
        if not self.pipe.poll(START):
            self.close()
            raise SystemExit(f"{python} did not start a worker in {START} s; see {log}.")
        try:
            greeting = json.loads(self.pipe.recv_bytes())
        except EOFError:
            raise SystemExit(f"{python} could not start a worker; see {log}.") from None
        self.available: dict[str, str] = greeting["available"]
        self.python: str = greeting["python"]

    def ended_late(self) -> bool:
        """Whether it ended because its job used up the time that it had."""
        try:
            return self.process.wait(10) == LATE
        except subprocess.TimeoutExpired:
            return False

    def close(self) -> None:
        """End it, and the process of the job that it runs."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.pipe.close()


def converse(pipe: Connection, job: Job, limit: float, table: str | None) -> tuple[dict[str, Any], float]:
    """Send a job and answer its questions until the result comes; TimeoutError and EOFError where none does.

    Returns the result, and the seconds of the processor that the bare model took on these rows.
    """
    d, seconds = job.game.d, 0.0
    order = {"contestant": job.contestant, "d": d, "graph": job.game.graph, "budget": job.budget, "seed": job.seed}
    order |= {"table": table, "limit": limit}
    pipe.send_bytes(json.dumps(order).encode())
    end = time.monotonic() + START
    while True:
        if not pipe.poll(max(end - time.monotonic(), 0)):
            raise TimeoutError
        message = pipe.recv_bytes()
        if message == b"S":  # its packages are imported
            end = time.monotonic() + WAITING * limit
            continue
        if message[:1] == b"R":
            return json.loads(message[1:]), seconds
        rows = int.from_bytes(message[1:9], "little")
        kept = np.unpackbits(np.frombuffer(message[9:], np.uint8), count=rows * d).reshape(rows, d).astype(bool)
        start = time.process_time()
        values = np.asarray(job.game.fn(kept), np.float64).reshape(rows)
        seconds += time.process_time() - start
        pipe.send_bytes(values.tobytes())


@dataclass(eq=False)
class Runner:
    """Several Pythons, a folder of results, and a limit of processor time for one estimate in seconds."""

    folder: Path
    pythons: list[str]
    limit: float = 120.0
    results: Results = field(init=False)
    workers: dict[str, Worker] = field(default_factory=dict)
    versions: dict[str, tuple[str, str]] = field(default_factory=dict)  # contestant to (Python, version)
    late: set[tuple[str, int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.results = Results(self.folder / "results")
        for python in self.pythons:
            worker = self.worker(python)
            for name, version in worker.available.items():
                self.versions.setdefault(name, (python, version))

    def worker(self, python: str) -> Worker:
        """The process of a Python, started where there is none."""
        if python not in self.workers:
            self.workers[python] = Worker(python, self.folder / "log" / f"{Path(python).parts[-3]}.txt")
        return self.workers[python]

    def place(self, contestant: str) -> tuple[str, str] | None:
        """The Python that has a contestant, and its version; ours carry the state of the code."""
        if "lc." in contestant or everybody()[contestant].package == "lcshap":
            return sys.executable, code_version()
        return self.versions.get(contestant)

    def run(self, jobs: Iterable[Job], progress: bool = True) -> None:
        """Do all jobs that have no result yet."""
        for count, job in enumerate(self.missing(jobs)):
            if progress and count % 200 == 0:
                print(f"{time.strftime('%H:%M:%S')} {count} jobs done, at {job.contestant} {job.game.name}", flush=True)
            record = self.do(job)
            self.results.add(record, f"ours-{record['version']}" if record["version"] == code_version() else "peers")

    def missing(self, jobs: Iterable[Job]) -> Iterable[Job]:
        """The jobs whose results are not there, for this state of the code."""
        for job in jobs:
            place = self.place(job.contestant)
            if place and self.key(job, place[1]) not in self.results:
                yield job

    @staticmethod
    def key(job: Job, version: str) -> tuple[Any, ...]:
        """What a result is known by."""
        return job.game.name, job.game.digest, job.contestant, version, job.budget, job.seed

    def do(self, job: Job) -> dict[str, Any]:
        """Run one job and judge its answer."""
        place = self.place(job.contestant)
        assert place is not None
        names = ("game", "digest", "contestant", "version", "budget", "seed")
        record = dict(zip(names, self.key(job, place[1]), strict=True)) | {"family": job.game.family, "d": job.game.d}
        size = (job.contestant, job.game.d, job.budget)
        if any(late[0] == size[0] and late[1] <= size[1] and late[2] <= size[2] for late in self.late):
            return {**record, "error": f"not run: too late with fewer units and calls ({self.limit:g} s)"}
        try:
            answer, seconds = converse(self.worker(place[0]).pipe, job, self.limit, self.table(job.game))
        except (TimeoutError, EOFError, OSError) as error:
            late = isinstance(error, TimeoutError) or self.worker(place[0]).ended_late()
            self.workers.pop(place[0]).close()
            if late:
                self.late.add(size)
            return {**record, "error": f"time limit of {self.limit:g} s" if late else "the process ended"}
        return {**record, **judged(answer, job.game, truth(job.game, self.folder)), **spent(answer, seconds)}

    def table(self, game: Bench) -> str | None:
        """The file of a game's values where it is a table."""
        if not isinstance(game.fn, Table):
            return None
        path = self.folder / "games" / f"{game.name}-{game.digest}.npy"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}.npy")
            np.save(part, game.fn.values)
            part.replace(path)
        return str(path)

    def close(self) -> None:
        """End all processes."""
        for worker in self.workers.values():
            worker.close()


def spent(answer: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What an answer has cost."""
    return {
        "calls": answer["calls"],
        "rows": answer["rows"],
        "own_seconds": round(answer["own_seconds"], 5),
        "model_seconds": round(seconds, 5),
        "peak_mb": round(answer["peak_mb"], 1),
        "error": answer["error"],
    }


def judged(answer: dict[str, Any], game: Bench, known: Truth) -> dict[str, Any]:
    """An answer beside the truth: errors, the share of intervals that cover it, and the masking areas of its order."""
    found: dict[str, Any] = {"scores": None}
    if answer["scores"] is None:
        return found
    scores = np.array(answer["scores"])
    found["scores"] = [float(f"{x:.7g}") for x in scores]
    found["mse"] = float(np.mean((scores - known.scores) ** 2))
    found["noise"] = float(np.mean(known.stderr**2))
    found["mae"] = float(np.mean(np.abs(scores - known.scores)))
    if answer["lower"] is not None:
        found["covered"] = covered(scores, np.array(answer["lower"]), np.array(answer["upper"]), known)
    if answer["pairs"] is not None and known.pairs is not None:
        off = np.array(answer["pairs"]) - known.pairs
        found["pair_mse"], found["pair_mae"] = float(np.mean(off**2)), float(np.mean(np.abs(off)))
        found["pair_noise"] = 0.0 if known.pair_stderr is None else float(np.mean(known.pair_stderr**2))
    found |= areas(game, scores, max(float(np.abs(known.scores).sum()), 1e-12))
    return found


def covered(scores: Values, lower: Values, upper: Values, known: Truth) -> float:
    """The share of 95 % intervals that contain the true value.

    Where the truth is a long run, it has an error of its own, and what is judged is the difference of two estimates:
    its variance is the sum of both.
    """
    own = NORMAL * known.stderr
    below, above = np.hypot(scores - lower, own), np.hypot(upper - scores, own)
    off = known.scores - scores
    return float(np.mean((-below - ROUNDING <= off) & (off <= above + ROUNDING)))
