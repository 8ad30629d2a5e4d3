"""Random halves: coalitions in which every unit is there with probability one half."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions


def draw_halves(d: int, budget: int, seed: int) -> tuple[Coalitions, NDArray[np.bool_], NDArray[np.int32]]:
    """∅, V and distinct random halves, together at most so many.

    Returns
    -------
    All coalitions, ∅ first and V last; the random halves as rows; and where each of them stands among the coalitions.

    >>> coalitions, kept, where = draw_halves(3, 8, 0)
    >>> len(coalitions), kept.shape
    (8, (6, 3))
    """
    rng = np.random.default_rng(seed)
    most = (min(budget, 2**d) if d < 40 else budget) - 2
    ends = np.stack([np.zeros(d, bool), np.ones(d, bool)])
    found = {row.tobytes(): row for row in ends}
    while len(found) < most + 2:
        for row in rng.random((most + 2 - len(found), d)) < 0.5:
            found.setdefault(row.tobytes(), row)
    rows = np.stack(list(found.values()))
    coalitions, where = Coalitions.from_dense(rows).unique()
    return coalitions, rows[2:], where[2:]
