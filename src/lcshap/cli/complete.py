"""What the shell can complete: names of methods, models, graphs and experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..advice.chooser import GOALS
from ..asking.values import VALUES
from ..estimators import METHODS

Completer = Callable[[str], list[str]]


def _one_of(find: Callable[[], Iterable[str]]) -> Completer:
    def complete(incomplete: str) -> list[str]:
        return [name for name in find() if name.startswith(incomplete)]

    return complete


def _experiments() -> Iterable[str]:
    from ..paper.experiments.reproduce import NAMES

    return NAMES


def method_lists(incomplete: str) -> list[str]:
    """The last of several methods that have commas between.

    >>> method_lists("shapley,l-sh")
    ['shapley,l-shapley']
    """
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(last)]


methods = _one_of(lambda: METHODS)
methods_or_auto = _one_of(lambda: ["auto", *METHODS])
experiments = _one_of(_experiments)
models = _one_of(lambda: ["demo-text", "demo-digits"])
values = _one_of(lambda: VALUES)
contexts = _one_of(lambda: ["absent", "present", "both"])
goals = _one_of(lambda: GOALS)
graphs = _one_of(lambda: ["chain:", "ring:", "grid:", "complete:", "tree:"])
