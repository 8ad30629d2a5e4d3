"""The coalitions on which a model must agree with what was read from its structure."""

from __future__ import annotations

import numpy as np

from .coalitions import Coalitions

_CHECKED_COALITIONS = 16


def coalitions_to_check(d: int) -> Coalitions:
    """∅, V and some random coalitions of `d` units, sorted by size; all coalitions if there are few.

    >>> coalitions_to_check(2).dense().tolist()
    [[False, False], [True, False], [False, True], [True, True]]
    """
    rng = np.random.default_rng(0)
    if d <= _CHECKED_COALITIONS:
        codes = np.append(rng.permutation(np.arange(1, 2**d - 1))[: _CHECKED_COALITIONS - 2], [0, 2**d - 1])
        kept = (codes[:, None] >> np.arange(d)) & 1 == 1
    else:
        kept = np.concatenate(
            [rng.random((_CHECKED_COALITIONS - 2, d)) < 0.5, np.zeros((1, d), bool), np.ones((1, d), bool)]
        )
    return Coalitions.from_dense(kept[np.argsort(kept.sum(axis=1), kind="stable")])
