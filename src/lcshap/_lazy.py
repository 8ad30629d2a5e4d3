"""Public names are imported when they are first used, so that `import lcshap` itself takes a few milliseconds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from .core.locks import ForkSafeLock

_PACKAGE = __name__.rpartition(".")[0]
_NAMES = {
    "advice.chooser": ("Choice", "choose"),
    "advice.locality": ("Locality", "locality"),
    "core.coalitions": ("Coalitions",),
    "core.explanation": ("Explanation", "PathExplanation"),
    "core.game": ("Game",),
    "core.graphs": ("Graph",),
    "core.io": ("load",),
    "core.method": ("Cost", "Stop"),
    "core.plan": ("Plan", "PlanSum"),
    "core.run": ("run",),
    "core.sqlite_store": ("SQLiteStore",),
    "core.store": ("MemoryStore", "Store"),
    "core.support": ("unsupported",),
    "explainer": ("Explainer", "explain"),
    "explainer.zoom": ("zoom",),
    "playground": ("serve",),
    "show.html_report": ("report",),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}
_MOVED = {  # modules that stood at the top in version 0.1: `from lcshap.values import Value` goes on working
    "compat": "paper.compat",
    "datasets": "paper.datasets",
    "models": "paper.networks",
    "plots": "show.plots",
    "quantus": "metrics.quantus",
    "values": "asking.values",
}
# One thread imports at a time: two that import a package and a module of it can meet a half-imported package.
_LOCK = ForkSafeLock()


def load(name: str, public: Sequence[str] = ()) -> Any:
    """Import what the package calls `name`: a thing of `_HOMES`, a module, or else a method, if `name` is `public`.

    Raises
    ------
    AttributeError
        If there is no such name.

    Examples
    --------
    >>> load("Graph"), load("values").__name__
    (<class 'lcshap.core.graphs.graph.Graph'>, 'lcshap.asking.values')
    """
    with _LOCK:
        if name in _HOMES:
            return getattr(import_module(f"{_PACKAGE}.{_HOMES[name]}"), name)
        if not name.startswith("_") and find_spec(f"{_PACKAGE}.{name}") is not None:
            return import_module(f"{_PACKAGE}.{name}")
        if name in public:
            return getattr(import_module(f"{_PACKAGE}.estimators"), name)
    raise AttributeError(f"module {_PACKAGE!r} has no attribute {name!r}", name=name, obj=sys.modules[_PACKAGE])


class _Moved:
    """Finds the modules of version 0.1 where they stand today. No `importlib.abc`: that is slow to import."""

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        return ModuleSpec(fullname, _MOVED_FINDER) if package == _PACKAGE and name in _MOVED else None

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty module at first."""

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__.rpartition(".")[2]
        sys.modules[module.__name__] = import_module(f"{_PACKAGE}.{_MOVED[name]}")


_MOVED_FINDER: Any = _Moved()
sys.meta_path.append(_MOVED_FINDER)
