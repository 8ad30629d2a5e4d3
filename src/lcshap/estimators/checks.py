"""Parameters that are real numbers."""

from __future__ import annotations

import math
from typing import Any


def is_finite(value: Any) -> bool:
    """Whether it is a number that fits a float; integers of hundreds of digits do not.

    >>> is_finite(2.5), is_finite(float("nan")), is_finite(10**400), is_finite("2.5")
    (True, False, False, False)
    """
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):
        return False
