"""Runs over a data set killed at random moments: the parts are those of an undisturbed run, byte for byte."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil

SCRIPT = """
import sys
import time
import lcshap as lc

def slow(texts):
    time.sleep(0.01)
    return [float(sum(map(len, text.split()))) + len(texts) * 1e-6 for text in texts]

def explainer():
    execution = lc.Execution(model_name="slow", batch_size=16)
    return lc.Explainer(slow, lc.maskers.Text(), lc.KernelSHAP(24), kind="output", execution=execution)

TEXTS = [f"id{k} " + " ".join(f"w{(7 * k + 3 * j) % 11}" for j in range(2 + k % 6)) for k in range(60)]

if __name__ == "__main__":
    lc.bulk.explain_dataset(TEXTS, explainer, sys.argv[1], workers=2, shard_rows=5, progress=False)
"""
SHARDS = 12


def run(count: int = 4, seed: int = 0) -> dict[str, Any]:
    """Kill so many runs: the main process or one of its workers, in turn."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {"kills": 0, "finished": 0, "failures": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "script.py").write_text(SCRIPT)
        whole = _parts_after(_start(folder, "whole"), folder / "whole")
        number, process = 0, None
        while found["kills"] < count:
            out = folder / f"out{number}"
            process = process or _start(folder, out.name)
            before = len(_parts(out))
            while process.poll() is None and len(_parts(out)) == before:
                time.sleep(0.01)
            time.sleep(float(rng.uniform(0, 0.3)))
            if process.poll() is None:
                victim = process.pid if found["kills"] % 2 == 0 else _worker_of(process.pid)
                if victim is not None:
                    os.kill(victim, signal.SIGKILL)
                    found["kills"] += 1
                if victim == process.pid:
                    process.communicate()
            if process.poll() is not None:
                process = None
            if len(_parts(out)) == SHARDS:
                process, number = _finish(folder, out, process, whole, found), number + 1
        out = folder / f"out{number}"
        _finish(folder, out, process, whole, found)
    return found


def _finish(folder: Path, out: Path, process: Any, whole: dict[str, bytes], found: dict[str, Any]) -> None:
    """Wait for a run, or end it by another process, and compare its parts."""
    parts = _parts_after(process or _start(folder, out.name), out)
    found["finished"] += 1
    if parts != whole:
        found["failures"].append([out.name, "the parts differ", sorted(set(whole) ^ set(parts))])


def _start(folder: Path, out: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    command = [sys.executable, str(folder / "script.py"), str(folder / out)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE)


def _parts_after(process: subprocess.Popen[bytes], out: Path) -> dict[str, bytes]:
    process.communicate()
    return _parts(out)


def _parts(out: Path) -> dict[str, bytes]:
    paths = (out / "parts").glob("part-*.parquet") if out.exists() else []
    return {path.name: path.read_bytes() for path in sorted(paths)}


def _worker_of(pid: int) -> int | None:
    """A worker of a main process; None if there is none yet."""
    with contextlib.suppress(psutil.Error):  # The process has ended.
        for process in reversed(psutil.Process(pid).children()):
            with contextlib.suppress(psutil.Error):
                if "spawn_main" in " ".join(process.cmdline()):
                    return process.pid
    return None
