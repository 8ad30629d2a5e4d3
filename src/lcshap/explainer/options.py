"""Options that an explainer does not have: what was probably meant."""

from __future__ import annotations

import functools
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, TypeVar

from ..core.method import Method
from ..errors import OptionError
from ..estimators.registry import METHODS, get_method

C = TypeVar("C", bound=type)


def clear_options(cls: C) -> C:
    """A dataclass that raises `OptionError` for a keyword that it does not have, and says what to write instead."""
    make = cls.__init__  # type: ignore[misc]
    known = [f.name for f in fields(cls) if f.init]

    @functools.wraps(make)
    def checked(self: Any, *arguments: Any, **options: Any) -> None:
        for name in options:
            if name not in known:
                method = options.get("method", arguments[2] if len(arguments) > 2 else "auto")
                raise OptionError(f"Expected an option of {cls.__name__}, got {name!r}. {_advice(name, method, known)}")
        make(self, *arguments, **options)

    cls.__init__ = checked  # type: ignore[misc]
    return cls


def _advice(name: str, method: Any, known: list[str]) -> str:
    """Where the keyword belongs: to a method, or with another spelling."""
    own = get_method(method) if isinstance(method, str) and method in METHODS else type(method)
    if issubclass(own, Method) and name in _parameters(own):
        return f"It is a parameter of the method: write method=lc.{own.__name__}({name}=...)."
    owners = [found.__name__ for found in METHODS.values() if name in _parameters(found)]
    if owners:
        others = f" It is one of {', '.join(owners)}." if len(owners) > 1 else ""
        return f"It is a parameter of methods: write method=lc.{owners[0]}({name}=...).{others}"
    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"It has {', '.join(known)}."


def _parameters(method: type[Method]) -> list[str]:
    return [f.name for f in fields(method) if f.init]
