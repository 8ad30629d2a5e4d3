"""The weights with which the value of a leaf is shared among the units that decide whether it is reached."""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@cache
def leaf_weights(max_units: int, index: str) -> tuple[Floats, Floats]:
    """(a-1)! b!/(a+b)! and a! (b-1)!/(a+b)! for all a and b up to `max_units`, 0 where the factorial is not defined.

    For the Banzhaf value both are 2^(1-a-b).

    >>> leaf_weights(1, "shapley")[0]
    array([[0. , 0. ],
           [1. , 0.5]])
    """
    if index == "banzhaf":
        a = np.arange(max_units + 1)
        gain = np.where(a[:, None] > 0, np.exp2(1.0 - a[:, None] - a), 0.0)
    else:
        numbers = range(max_units + 1)
        gain = np.array([[a and 1 / (a * comb(a + b, a)) for b in numbers] for a in numbers], np.float64)
    return gain, gain.T.copy()
