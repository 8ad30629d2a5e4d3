"""`import lcshap` takes a few milliseconds: the public names are imported when one of them is first used."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_PACKAGE = __name__.rpartition(".")[0]


def load(name: str) -> Any:
    """Import what the package calls `name`, and with it all that `_public.py` lists.

    Raises
    ------
    AttributeError
        If there is no such name.

    Examples
    --------
    >>> load("Graph"), load("values").__name__
    (<class 'lcshap.core.graphs.graph.Graph'>, 'lcshap.asking.values')
    """
    found = _public(name)
    if found is None:
        raise AttributeError(f"module {_PACKAGE!r} has no attribute {name!r}", name=name, obj=sys.modules[_PACKAGE])
    return found


def presenter() -> Any:
    """What shows explanations."""
    return import_module(f"{_PACKAGE}.show").PRESENTER


class _PublicModules:
    """Finds modules such as `lcshap.plots`, which are defined elsewhere (`lcshap.show.plots`), under their public name.

    The finder has the form of `importlib.abc.MetaPathFinder`, which is slow to import.
    """

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        found = package == _PACKAGE and isinstance(_public(name), ModuleType)
        return ModuleSpec(fullname, _FINDER) if found else None

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty module at first."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = _public(module.__name__.rpartition(".")[2])


def _public(name: str) -> Any:
    """The public name, or the package that is not public, such as `lcshap.core`; None if there is neither."""
    if name.startswith("_") and name != "__all__":
        return None
    public = vars(import_module(f"{_PACKAGE}._public"))
    return public.get(name, sys.modules.get(f"{_PACKAGE}.{name}"))


_FINDER: Any = _PublicModules()
sys.meta_path.append(_FINDER)
