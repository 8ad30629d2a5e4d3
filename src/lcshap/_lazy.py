"""`import lcshap` takes a few milliseconds: the public names are imported when one of them is first used."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

_PACKAGE = __name__.rpartition(".")[0]
_MOVED = {  # modules of version 0.1
    "compat": "paper.compat",
    "datasets": "paper.datasets",
    "models": "paper.networks",
    "quantus": "metrics.quantus",
}


def load_public_name(name: str) -> Any:
    """Import what the package calls `name`, and with it all that `_public.py` lists.

    Packages that are not public, such as `lcshap.core`, are attributes too, as of every Python package.

    Raises
    ------
    AttributeError
        If there is no such name. The message says where names of version 0.1 are now.

    Examples
    --------
    >>> load_public_name("Graph"), load_public_name("values").__name__
    (<class 'lcshap.core.graphs.graph.Graph'>, 'lcshap.values')
    """
    location = None
    if not name.startswith("_") or name == "__all__":
        public = vars(import_module(f"{_PACKAGE}._public"))
        for namespace in (public, vars(sys.modules[_PACKAGE])):
            if name in namespace:
                return namespace[name]
        error = getattr(import_module(f"{_PACKAGE}.errors"), name, None)
        location = f"errors.{name}" if getattr(error, "__module__", "") == f"{_PACKAGE}.errors" else _MOVED.get(name)
    raise AttributeError(
        f"module {_PACKAGE!r} has no attribute {name!r}" + (f": it is {_PACKAGE}.{location}" if location else ""),
        name=name,
        obj=sys.modules[_PACKAGE],
    )


def load_presenter() -> Any:
    """Import the presenter that shows explanations."""
    return import_module(f"{_PACKAGE}.show").PRESENTER
