"""Packages that only some parts need: imported when they are used, never before."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import MissingExtraError


def import_optional(module: str, extra: str) -> Any:
    """Import a module of an optional package, or raise with the line that installs the extra that brings it.

    >>> import_optional("json", "json").dumps([1])
    '[1]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f'This needs the package {package} ({error}). Install it with pip install "lcshap[{extra}]".'
        ) from error
