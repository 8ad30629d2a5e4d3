"""Shell completion of the names of methods, models, graphs and experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Completer = Callable[[str], list[str]]


def _completer(list_names: Callable[[], Iterable[str]]) -> Completer:
    def complete(incomplete: str) -> list[str]:
        return [name for name in list_names() if name.startswith(incomplete)]

    return complete


def _methods() -> Iterable[str]:
    from ..estimators.registry import METHODS

    return METHODS


def _values() -> Iterable[str]:
    from ..values import VALUES

    return VALUES


def _goals() -> Iterable[str]:
    from ..selection.selection import GOALS

    return GOALS


def _experiments() -> Iterable[str]:
    from ..paper.experiments.reproduce import NAMES

    return NAMES


def method_lists(incomplete: str) -> list[str]:
    """Completions of the last method in a list that is separated by commas.

    >>> method_lists("shapley,l-sh")
    ['shapley,l-shapley']
    """
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _methods() if name.startswith(last)]


methods = _completer(_methods)
methods_or_auto = _completer(lambda: ["auto", *_methods()])
experiments = _completer(_experiments)
models = _completer(lambda: ["demo-text", "demo-digits"])
values = _completer(_values)
contexts = _completer(lambda: ["absent", "present", "both"])
goals = _completer(_goals)
graphs = _completer(lambda: ["chain:", "ring:", "grid:", "complete:", "tree:"])
