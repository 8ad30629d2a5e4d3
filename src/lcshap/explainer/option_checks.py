"""Options of an explainer by their earlier names, and options that it does not have: what was probably meant."""

from __future__ import annotations

import functools
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any, TypeVar

from ..core.method import Method, Stop
from ..errors import OptionError
from ..estimators.registry import METHODS, get_method
from .execution import Execution

C = TypeVar("C", bound=type)
GROUPS: dict[str, type[Stop] | type[Execution]] = {"stop": Stop, "execution": Execution}
_GROUP_BY_OPTION = {f.name: group for group, kind in GROUPS.items() for f in fields(kind) if f.name != "deadline"}


def reject_unknown_options(cls: C) -> C:
    """A dataclass that raises `OptionError` for a keyword that it does not have, and says what to write instead.

    Fields of the groups may be keywords of their own, as they were in version 0.1: ``tolerance=0.1`` is
    ``stop=Stop(tolerance=0.1)``. Beside a group, such a keyword changes one of its fields.
    """
    original_init = cls.__init__  # type: ignore[misc]
    defaults = {f.name: f.default for f in fields(cls) if f.init}
    option_names = list(defaults)

    @functools.wraps(original_init)
    def checked_init(self: Any, *arguments: Any, **options: Any) -> None:
        for name in options:
            if name not in option_names and name not in _GROUP_BY_OPTION:
                method = options.get("method", arguments[2] if len(arguments) > 2 else "auto")
                raise OptionError(
                    f"Expected an option of {cls.__name__}, got {name!r}. {_suggest_option(name, method, option_names)}"
                )
        original_init(self, *arguments, **_group_options(options, defaults))

    cls.__init__ = checked_init  # type: ignore[misc]
    return cls


def _group_options(options: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """The options with fields of groups put into their groups."""
    grouped = {name: option for name, option in options.items() if name not in _GROUP_BY_OPTION}
    for group, kind in GROUPS.items():
        single = {name: option for name, option in options.items() if _GROUP_BY_OPTION.get(name) == group}
        option = grouped.pop(group, None)
        if option is not None and not isinstance(option, kind):
            raise OptionError(f"Expected {group} as an lcshap.{kind.__name__}, got {option!r}.")
        option = replace(option or kind(), **single)
        grouped[group] = defaults[group] if option == kind() else option
    return grouped


def _suggest_option(name: str, method: Any, option_names: list[str]) -> str:
    """Advise where the keyword belongs: to a method, or to an option that is spelled differently."""
    method_class = get_method(method) if isinstance(method, str) and method in METHODS else type(method)
    if issubclass(method_class, Method) and name in _parameters(method_class):
        return f"It is a parameter of the method: write method=lc.{method_class.__name__}({name}=...)."
    owners = [candidate.__name__ for candidate in METHODS.values() if name in _parameters(candidate)]
    if owners:
        alternatives = f" It is one of {', '.join(owners)}." if len(owners) > 1 else ""
        return f"It is a parameter of methods: write method=lc.{owners[0]}({name}=...).{alternatives}"
    matches = get_close_matches(name, [*option_names, *_GROUP_BY_OPTION], n=1)
    if matches and matches[0] in _GROUP_BY_OPTION:
        group = _GROUP_BY_OPTION[matches[0]]
        return f"Did you mean {group}=lc.{GROUPS[group].__name__}({matches[0]}=...)?"
    return f"Did you mean {matches[0]!r}?" if matches else f"It has {', '.join(option_names)}."


def _parameters(method: type[Method]) -> list[str]:
    return [f.name for f in fields(method) if f.init]


def describe_non_masker(candidate: Any) -> str:
    """Describe an object that was given as a masker, and the masker that its owner probably needs.

    >>> import numpy as np
    >>> describe_non_masker(np.zeros((20, 3)))
    'ndarray of shape (20, 3). For rows of a table, give lcshap.maskers.Tabular(background).'
    """
    if hasattr(candidate, "shape") and not isinstance(candidate, type):
        text = f"{type(candidate).__name__} of shape {tuple(candidate.shape)}"
        return f"{text}. For rows of a table, give lcshap.maskers.Tabular(background)."
    text = f"the class {candidate.__name__}" if isinstance(candidate, type) else repr(candidate)
    return f"{text}. Give one of lcshap.maskers, such as Text() or Image()."
