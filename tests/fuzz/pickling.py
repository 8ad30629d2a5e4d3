"""Explainers are pickled, used in another process and inherited by a forked one: they explain the same, none hangs.

``count`` is how many inputs each explainer gets. Every one has been used before, so that loops, sessions and compiled
functions exist. PyTorch, JAX and Keras are not forked: they do not allow it themselves once they were used.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from typing import Any

import numpy as np

import lcshap as lc

from . import models

FORKED = ("callable", "remote", "sklearn", "onnx")
_SECONDS = 60.0


def run(count: int = 1, seed: int = 0, names: tuple[str, ...] = (), spawn: bool = True) -> dict[str, Any]:
    """Try all adapters, or those of some kinds; `spawn` also in a process that starts from nothing."""
    found: dict[str, Any] = {"pickled": 0, "forked": 0, "spawned": 0, "errors": 0, "failures": []}
    kept = []
    for example in models.examples(names):
        explainer, inputs = example.explainer(), example.inputs(count, seed)
        expected = [explainer.one(x).scores for x in inputs]
        try:
            data = pickle.dumps(explainer)
            kept.append((example.name, data, inputs, expected))
            _compare(found, "pickled", example.name, _explain(data, inputs), expected)
        except Exception as error:
            found["failures"].append(f"{example.name} cannot be pickled: {error!r}")
    for example in models.examples(tuple(name for name in FORKED if not names or name in names)):
        explainer, inputs = example.explainer(), example.inputs(count, seed)
        expected = [explainer.one(x).scores for x in inputs]
        _compare(found, "forked", example.name, _in_child(explainer, inputs), expected)
        _compare(found, "forked", f"{example.name}, the parent", [explainer.one(x).scores for x in inputs], expected)
    if spawn:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            for name, data, inputs, expected in kept:
                _compare(found, "spawned", name, pool.apply_async(_explain, (data, inputs)).get(600), expected)
    _errors(found)
    return found


def _explain(data: bytes, inputs: list[Any]) -> list[Any]:
    explainer = pickle.loads(data)
    return [explainer.one(x).scores for x in inputs]


def _compare(found: dict[str, Any], what: str, name: str, scores: Any, expected: list[Any]) -> None:
    found[what] += 1
    if scores is None or not np.array_equal(scores, expected):
        found["failures"].append(f"{name}, {what}: {'no answer' if scores is None else 'other scores'}")


def _in_child(explainer: lc.Explainer, inputs: list[Any]) -> Any:
    """The scores that a forked process finds; None if it hangs or fails."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            os.write(theirs, pickle.dumps([explainer.one(x).scores for x in inputs]))
        finally:
            os._exit(0)
    os.close(theirs)
    end = time.monotonic() + _SECONDS
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            break
        time.sleep(0.005)
    with os.fdopen(ours, "rb") as pipe:
        data = pipe.read()
    return pickle.loads(data) if data else None


def _errors(found: dict[str, Any]) -> None:
    """Every error of lcshap, and those that real failures raise, come out of pickle as they were."""
    made = [
        kind("said")
        for kind in _kinds(lc.LcshapError)
        if kind not in (lc.errors.PlanTooLargeError, lc.errors.RunFailedError)
    ]
    made += [
        lc.errors.PlanTooLargeError("said", 7, True),
        lc.errors.BudgetError("said", 3),
        lc.errors.ModelError("said", 2, np.ones(2)),
    ]
    made += [kind("said", [None, 1], lc.MemoryStore()) for kind in (lc.errors.RunFailedError, lc.errors.Interrupted)]
    for error in made:
        found["errors"] += 1
        again = pickle.loads(pickle.dumps(error))
        if type(again) is not type(error) or again.args != error.args or repr(vars(again)) != repr(vars(error)):
            found["failures"].append(f"{error!r} became {again!r}")


def _kinds(kind: type) -> list[type]:
    return [
        kind,
        *(one for below in kind.__subclasses__() for one in _kinds(below) if one.__module__ == kind.__module__),
    ]
