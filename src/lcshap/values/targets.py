"""The classes, labels or outputs that a user explains: by number, by name, as a list, or as a contrast of two."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..core.printable import printable
from ..errors import TargetError

Pairs = tuple[tuple[int, int | None], ...]
_KEYWORDS = ("all", "classes", "predicted")  # targets that are no names
_MAX_LISTED_NAMES = 20  # classes that an error lists


def find_pairs(target: Any, names: list[str]) -> tuple[Pairs, bool]:
    """Every class that is explained, with the class that is subtracted from it, and whether there are several.

    >>> find_pairs("cat", ["cat", "dog"]), find_pairs([("dog", "cat")], ["cat", "dog"])
    ((((0, None),), False), (((1, 0),), True))
    """
    if isinstance(target, str) and target == "all":
        target = range(len(names))
    if not isinstance(target, list | range | np.ndarray):
        return (_find_pair(target, names),), False
    if len(target) == 0:
        raise TargetError("Expected at least one target, got an empty list.")
    return tuple(_find_pair(class_or_pair, names) for class_or_pair in target), True


def find_second_class(target: Any, names: list[str]) -> tuple[Pairs, bool]:
    """The same as `find_pairs` for a model whose only output belongs to the second of its two classes.

    Classes are numbered as usual, so that the target 0 is the first class, which has no output.

    >>> find_second_class("spam", ["ham", "spam"]), find_second_class(1, ["ham", "spam"])
    ((((0, None),), False), (((0, None),), False))
    """
    pairs, several = find_pairs([1] if isinstance(target, str) and target == "all" else target, names)
    if any(pair != (1, None) for pair in pairs):
        raise TargetError(
            f"Expected class {names[1]!r} as the target, got {target!r}. The model gives one number for its two "
            f"classes, and it belongs to {names[1]!r}. To explain {names[0]!r}, set value='log_odds', or kind='margin'."
        )
    return ((0, None),) * len(pairs), several


def check_class_names(target: Any, names: Sequence[str] | None) -> None:
    """Raise `TargetError` for an unknown class name before the model is called. Numbers can be checked only later."""
    entries = target if isinstance(target, list | tuple) else [target]
    for entry in entries if names is not None else ():
        if isinstance(entry, list | tuple):
            check_class_names(entry, names)
        elif isinstance(entry, str) and entry not in _KEYWORDS and not entry.isdigit():
            _find_index(entry, [str(name) for name in names or ()])


def _find_pair(target: Any, names: list[str]) -> tuple[int, int | None]:
    if not isinstance(target, tuple):
        return _find_index(target, names), None
    if len(target) != 2:
        raise TargetError(f"Expected a pair (a, b) as a contrast, got {target!r}. For several classes, give a list.")
    a, b = (_find_index(class_target, names) for class_target in target)
    if a == b:
        raise TargetError(f"Expected two different classes in a contrast, got {target!r}.")
    return a, b


def _find_index(target: Any, names: list[str]) -> int:
    if isinstance(target, str):
        if target not in names:
            raise TargetError(
                f"Expected the name of a class as the target, got {target!r}: {_list_classes(target, names)}"
            )
        return names.index(target)
    try:
        index = operator.index(target)
    except TypeError:
        raise TargetError(
            f"Expected an index, a name, a list, a pair or 'all' as the target, got {target!r}."
        ) from None
    if not 0 <= index < len(names) or isinstance(target, bool):
        raise TargetError(f"Expected a target from 0 to {len(names) - 1}, got {target!r}.")
    return index


def _list_classes(target: str, names: list[str]) -> str:
    """The classes of the model in one line. If there are very many, those with a similar name come first."""
    listed = names
    if len(names) > _MAX_LISTED_NAMES:
        near = get_close_matches(target, names, n=5)
        listed = list(dict.fromkeys([*near, *names]))[:_MAX_LISTED_NAMES]
    listing = ", ".join(printable(name, max_length=60) for name in listed)
    more = len(names) - len(listed)
    return f"the classes are {listing}" + (f" and {more:,} more" if more > 0 else "")
