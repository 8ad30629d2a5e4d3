"""Set rounding errors to zero before numbers are shown, ranked or described."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

RELATIVE_NOISE = 1e-9  # numbers below this share of the largest one are rounding errors


@overload
def round_to_zero(x: NDArray[np.float64], *scale: Any) -> NDArray[np.float64]: ...
@overload
def round_to_zero(x: float, *scale: Any) -> float: ...
def round_to_zero(x: Any, *scale: Any) -> Any:
    """Replace numbers by zero that are only rounding errors compared with the largest number of `scale`.

    >>> round_to_zero(3e-17, [0.4, -2.0]), round_to_zero(3e-7, [0.4, -2.0])
    (0.0, 3e-07)
    >>> round_to_zero(np.array([3e-17, -0.5]), 2.0)
    array([ 0. , -0.5])
    """
    rounded = np.where(np.abs(x) <= RELATIVE_NOISE * max_magnitude(scale), 0.0, x)
    return rounded if np.ndim(x) else float(rounded)


def max_magnitude(numbers: Any) -> float:
    """The largest absolute value of the finite numbers in some arrays; 1 if all are zero.

    >>> max_magnitude([[0.5, -2.0], 1.0]), max_magnitude([0.0])
    (2.0, 1.0)
    """
    arrays = [np.abs(np.asarray(array, np.float64)).ravel() for array in numbers]
    return max((float(a[np.isfinite(a)].max(initial=0.0)) for a in arrays), default=0.0) or 1.0
