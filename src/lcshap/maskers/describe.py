"""The settings of a masker as plain data for the record of an explanation."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Set
from typing import Any

import numpy as np

from .input_lists import count_axes

_MAX_ENTRIES = 100  # longer lists are described by their length


def describe_setting(setting: Any) -> Any:
    """A setting as JSON data: numbers, strings and short lists are unchanged, and anything else is described briefly.

    >>> [describe_setting(setting) for setting in ((1, np.float64(0.5), "a"), {"b", "a"}, np.zeros((8, 8)), len)]
    [[1, 0.5, 'a'], ['a', 'b'], 'array(8, 8)', 'builtins.len']
    """
    if isinstance(setting, np.generic):
        setting = setting.item()
    if setting is None or isinstance(setting, bool | int | str):
        return setting
    if isinstance(setting, float):
        return setting if math.isfinite(setting) else repr(setting)
    if isinstance(setting, np.dtype):
        return setting.name
    if count_axes(setting) is not None:
        return f"array({', '.join(map(str, setting.shape))})"
    if isinstance(setting, re.Pattern):
        return str(setting.pattern)
    if isinstance(setting, list | tuple | Set | Mapping):
        return _describe_collection(setting)
    if callable(setting) and hasattr(setting, "__qualname__"):
        module = getattr(setting, "__module__", None)
        return f"{module}.{setting.__qualname__}" if module else str(setting.__qualname__)
    return str(setting) if _has_informative_repr(setting) else type(setting).__qualname__


def _describe_collection(setting: Collection[Any]) -> Any:
    if len(setting) > _MAX_ENTRIES:
        return f"{type(setting).__name__} of {len(setting)}"
    if isinstance(setting, Mapping):
        return {str(key): describe_setting(entry) for key, entry in setting.items()}
    entries = [describe_setting(element) for element in setting]
    return sorted(entries, key=str) if isinstance(setting, Set) else entries


def _has_informative_repr(setting: Any) -> bool:
    """Whether its repr contains more than its address in memory."""
    return not callable(setting) and hex(id(setting)) not in repr(setting)
