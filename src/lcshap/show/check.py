"""Options that figures and the terminal share, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ShowError


def check_option_count(name: str, value: Any, minimum: int = 1) -> int:
    """Return an option that is a count if it is a whole number of at least `minimum`.

    >>> check_option_count("top", 3)
    3
    """
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < minimum:
        raise ShowError(f"Expected {name} as an integer of at least {minimum}, got {value!r}.")
    return int(value)
