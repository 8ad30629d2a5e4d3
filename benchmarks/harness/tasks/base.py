"""What a task is, the list of them, and what tasks share: kept models and log odds."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..game import Bench, Values

Build = Callable[[Path], list[Bench]]
MODULES = ("columns", "texts", "images", "others")
TASKS: dict[str, Build] = {}


def task(name: str) -> Callable[[Build], Build]:
    """Register a function from the folder of the harness to the games of a family."""

    def register(build: Build) -> Build:
        TASKS[name] = build
        return build

    return register


def find_tasks() -> dict[str, Build]:
    """All tasks."""
    for module in MODULES:
        import_module(f".{module}", __package__)
    return TASKS


def kept(folder: Path, name: str, make: Callable[[], Any]) -> Any:
    """What `make` returns, from a file of the harness's own folder where it was made before."""
    path = folder / "models" / f"{name}.pickle"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(pickle.dumps(make()))
        part.replace(path)
    return pickle.loads(path.read_bytes())


def data_folder() -> Path:
    """The folder of data sets, LCSHAP_DATA."""
    named = os.environ.get("LCSHAP_DATA")
    if not named:
        raise FileNotFoundError("set LCSHAP_DATA to the folder of the data sets")
    return Path(named)


def log_odds(chances: Values, target: int) -> Values:
    """Of one class against all others, from probabilities; cut off at one in a million."""
    p = np.clip(np.asarray(chances, np.float64)[:, target], 1e-6, 1 - 1e-6)
    return np.log(p) - np.log1p(-p)


def margin(logits: Values, target: int) -> Values:
    """Log odds of one class against all others, from logits."""
    logits = np.asarray(logits, np.float64)
    others = np.delete(logits, target, axis=1)
    top = others.max(axis=1, keepdims=True)
    return logits[:, target] - top[:, 0] - np.log(np.exp(others - top).sum(axis=1))
