"""What is but rounding next to other numbers is zero: for everything that is shown, ranked or said."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_NOISE = 1e-9  # a share of the largest number there is: what is smaller is rounding


@overload
def settled(x: NDArray[np.float64], *scale: Any) -> NDArray[np.float64]: ...
@overload
def settled(x: float, *scale: Any) -> float: ...
def settled(x: Any, *scale: Any) -> Any:
    """A number, or an array of them, with zero for what is only rounding next to the largest of some others.

    >>> settled(3e-17, [0.4, -2.0]), settled(3e-7, [0.4, -2.0])
    (0.0, 3e-07)
    >>> settled(np.array([3e-17, -0.5]), 2.0)
    array([ 0. , -0.5])
    """
    found = np.where(np.abs(x) <= _NOISE * largest(scale), 0.0, x)
    return found if np.ndim(x) else float(found)


def largest(numbers: Any) -> float:
    """The largest finite number of some arrays, either way; 1 where all are zero.

    >>> largest([[0.5, -2.0], 1.0]), largest([0.0])
    (2.0, 1.0)
    """
    arrays = [np.abs(np.asarray(part, np.float64)).ravel() for part in numbers]
    return max((float(a[np.isfinite(a)].max(initial=0.0)) for a in arrays), default=0.0) or 1.0
