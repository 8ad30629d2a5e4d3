"""Recorded values as Python writes them."""

from __future__ import annotations

import math
from typing import Any


def is_plain(value: Any) -> bool:
    """Whether a recorded value is made of texts, finite numbers, True, False and None, also nested."""
    if isinstance(value, dict):
        return all(map(is_plain, (*value.keys(), *value.values())))
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    return value is None or type(value) in (str, bool, int) or (type(value) is float and math.isfinite(value))


def literal(value: Any) -> str:
    """A recorded value as Python writes it, whether it comes from a file, which has no tuples, or not.

    >>> literal({"a": [1, (True, "x")]})
    "{'a': (1, (True, 'x'))}"
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    return repr(value)
