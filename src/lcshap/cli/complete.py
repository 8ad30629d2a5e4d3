"""What the shell can complete: names of methods, models, graphs and experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Completer = Callable[[str], list[str]]


def _one_of(find: Callable[[], Iterable[str]]) -> Completer:
    def complete(incomplete: str) -> list[str]:
        return [name for name in find() if name.startswith(incomplete)]

    return complete


def _methods() -> Iterable[str]:
    from ..estimators.registry import METHODS

    return METHODS


def _values() -> Iterable[str]:
    from ..asking.values import VALUES

    return VALUES


def _goals() -> Iterable[str]:
    from ..advice.chooser import GOALS

    return GOALS


def _experiments() -> Iterable[str]:
    from ..paper.experiments.reproduce import NAMES

    return NAMES


def method_lists(incomplete: str) -> list[str]:
    """The last of several methods that have commas between.

    >>> method_lists("shapley,l-sh")
    ['shapley,l-shapley']
    """
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _methods() if name.startswith(last)]


methods = _one_of(_methods)
methods_or_auto = _one_of(lambda: ["auto", *_methods()])
experiments = _one_of(_experiments)
models = _one_of(lambda: ["demo-text", "demo-digits"])
values = _one_of(_values)
contexts = _one_of(lambda: ["absent", "present", "both"])
goals = _one_of(_goals)
graphs = _one_of(lambda: ["chain:", "ring:", "grid:", "complete:", "tree:"])
