"""Which classes, labels or outputs a user asks about: by number, by name, as a list, or as a contrast of two."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..core.printable import printable
from ..errors import TargetError

Pairs = tuple[tuple[int, int | None], ...]
_LISTED = 20  # names that an error lists, of the classes that a model has


def find_pairs(target: Any, names: list[str]) -> tuple[Pairs, bool]:
    """Every class that is asked for, with the one subtracted from it, and whether several were asked for.

    >>> find_pairs("cat", ["cat", "dog"]), find_pairs([("dog", "cat")], ["cat", "dog"])
    ((((0, None),), False), (((1, 0),), True))
    """
    if isinstance(target, str) and target == "all":
        target = range(len(names))
    if not isinstance(target, list | range | np.ndarray):
        return (_pair(target, names),), False
    if len(target) == 0:
        raise TargetError("Expected at least one target, got an empty list.")
    return tuple(_pair(one, names) for one in target), True


def find_second(target: Any, names: list[str]) -> tuple[Pairs, bool]:
    """As `find_pairs` for a model with one raw number, which speaks for the second of its two classes.

    A class is asked for by its own number or name here too, so that 0 is the first class, which has no number.

    >>> find_second("spam", ["ham", "spam"]), find_second(1, ["ham", "spam"])
    ((((0, None),), False), (((0, None),), False))
    """
    pairs, several = find_pairs([1] if isinstance(target, str) and target == "all" else target, names)
    if any(pair != (1, None) for pair in pairs):
        raise TargetError(
            f"Expected class {names[1]!r} as the target, got {target!r}. The model gives one number for its two "
            f"classes, and it speaks for {names[1]!r}. To explain {names[0]!r}, set value='log_odds', or kind='margin'."
        )
    return ((0, None),) * len(pairs), several


def check_names(target: Any, names: Sequence[str] | None) -> None:
    """Refuse a class by a name that there is not, before the model is asked. Numbers are known only after it."""
    parts = target if isinstance(target, list | tuple) else [target]
    for part in parts if names is not None else ():
        if isinstance(part, list | tuple):
            check_names(part, names)
        elif isinstance(part, str) and part != "all" and not part.isdigit():
            _index(part, [str(name) for name in names or ()])


def _pair(target: Any, names: list[str]) -> tuple[int, int | None]:
    if not isinstance(target, tuple):
        return _index(target, names), None
    if len(target) != 2:
        raise TargetError(f"Expected a pair (a, b) as a contrast, got {target!r}. For several classes, give a list.")
    a, b = (_index(one, names) for one in target)
    if a == b:
        raise TargetError(f"Expected two different classes in a contrast, got {target!r}.")
    return a, b


def _index(target: Any, names: list[str]) -> int:
    if isinstance(target, str):
        if target not in names:
            raise TargetError(f"Expected the name of a class as the target, got {target!r}: {_known(target, names)}")
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


def _known(target: str, names: list[str]) -> str:
    """The classes that there are, in one line: of very many, those with a like name first."""
    listed = names
    if len(names) > _LISTED:
        near = get_close_matches(target, names, n=5)
        listed = list(dict.fromkeys([*near, *names]))[:_LISTED]
    shown = ", ".join(printable(name, most=60) for name in listed)
    more = len(names) - len(listed)
    return f"the classes are {shown}" + (f" and {more:,} more" if more > 0 else "")
