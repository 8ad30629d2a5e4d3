"""Processes killed while they write: the file is the old one or the new one, whole. Temporary files may be left."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import lcshap as lc


def run(count: int = 20, seed: int = 0) -> dict[str, Any]:
    """Kill so many writers, of saved explanations and of reports in turn, at random moments."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {"kills": 0, "left over": 0, "failures": []}
    versions = [_explanation(n) for n in (0, 1)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = {"save": folder / "e.json", "report": folder / "page.html"}
        versions[0].save(paths["save"])
        lc.report(versions[0], paths["report"])
        pages = []
        for e in versions:
            lc.report(e, folder / "one.html")
            pages.append((folder / "one.html").read_bytes())
        (folder / "one.html").unlink()
        for number in range(count):
            kind = ("save", "report")[number % 2]
            _killed(kind, paths[kind], versions, float(rng.uniform(0, 0.02 if kind == "save" else 0.1)))
            found["kills"] += 1
            whole = lc.load(paths["save"]) in versions if kind == "save" else paths["report"].read_bytes() in pages
            if not whole:
                found["failures"].append(f"{kind}: the file is neither the old nor the new one")
            strays = [path for path in folder.iterdir() if path not in paths.values()]
            found["left over"] += len(strays)  # a killed process cannot clean up; the next write does not trip over it
            for path in strays:
                path.unlink()
    return found


def _killed(kind: str, path: Path, versions: list[lc.Explanation], after: float) -> None:
    """Write again and again in a child, and kill it."""
    child = os.fork()
    if child == 0:
        try:
            while True:
                for e in versions:
                    if kind == "save":
                        e.save(path)
                    else:
                        lc.report(e, path)
        finally:
            os._exit(1)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _explanation(number: int) -> lc.Explanation:
    graph = lc.Graph.chain(400, names=[f"unit {i}" for i in range(400)])
    worth = np.arange(400.0) + number
    return lc.FeatureAblation().explain(lc.Game(lambda kept: kept @ worth, 400), graph)
