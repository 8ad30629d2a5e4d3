"""What a contestant is, and the list of them. The packages themselves are imported only when they are run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
MODULES = ("ours", "of_shap", "of_shapiq", "of_captum", "of_others")


class Value(Protocol):
    """The game as a contestant sees it: a function of 0/1 rows of any type."""

    d: int
    graph: Any

    def __call__(self, rows: Any) -> Scores:
        """The values of the rows."""


@dataclass(frozen=True, eq=False)
class Answer:
    """Scores of the units; interactions of the pairs i < j and 95 % intervals where the contestant has them."""

    scores: Any
    pairs: Any = None
    lower: Any = None
    upper: Any = None
    note: str = ""


Estimate = Callable[[Value, int, int], "Answer | Any | None"]


@dataclass(frozen=True, eq=False)
class Contestant:
    """An estimator of some library.

    Attributes
    ----------
    package : the distribution that must be installed, whose version is recorded.
    estimate : `(value function, budget, seed)` to an `Answer`, or to scores alone; None where it cannot run, because
        the budget is too small or a system singular.
    pairs : whether it gives interactions of pairs.
    slow : takes seconds for a dozen units; run on few games.
    other : answers another question than the Shapley value does, so it is shown but is nobody's "best peer".
    most : the most units that it is run with.
    threads : it starts threads of its own, after which a process cannot be copied; so it is not run before it is
        measured, and its first imports are part of its time.
    """

    name: str
    package: str
    estimate: Estimate
    pairs: bool = False
    slow: bool = False
    other: bool = False
    most: int = 10_000
    threads: bool = False

    @property
    def version(self) -> str | None:
        """Of the package, or None where it is not installed here."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


CONTESTANTS: dict[str, Contestant] = {}


def contestant(name: str, package: str, **options: Any) -> Callable[[Estimate], Estimate]:
    """Register a function under a name."""

    def register(estimate: Estimate) -> Estimate:
        CONTESTANTS[name] = Contestant(name, package, estimate, **options)
        return estimate

    return register


def everybody() -> dict[str, Contestant]:
    """All contestants, installed or not."""
    for module in MODULES:
        import_module(f".{module}", __package__)
    return CONTESTANTS


def available() -> dict[str, str]:
    """The names of those that can run here, with the version of their package."""
    return {c.name: c.version for c in everybody().values() if c.version}


def find(name: str) -> Contestant:
    """A contestant by name; one of ours may be an expression such as ``lc.KernelSHAP({budget}, seed={seed})``."""
    known = everybody()
    if name in known:
        return known[name]
    from .ours import expression

    return Contestant(name, "lcshap", expression(name))
