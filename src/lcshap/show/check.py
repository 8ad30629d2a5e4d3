"""Options that figures and the terminal share, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ShowError


def check_count(name: str, value: Any, least: int = 1) -> int:
    """An option that counts something, if it is a whole number of at least `least`.

    >>> check_count("top", 3)
    3
    """
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise ShowError(f"Expected {name} as an integer of at least {least}, got {value!r}.")
    return int(value)
