"""Scores that are drawn faint, because their confidence interval contains zero."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation

FADED_STRENGTH = 0.3  # the strength of the colour of a score whose interval contains zero, relative to the usual one


def faded_scores(e: Explanation) -> NDArray[np.float64]:
    """The scores that colour the units of an explanation with one output: reduced where the interval contains 0.

    Images are coloured by the scores themselves: the scores of single pixels are uncertain, but those of areas are not.

    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 3.0 * kept[:, 0] + 0.1 * (kept.sum(axis=1) % 3 == 1), 12)
    >>> e = lc.GraphKernelSHAP(96).explain(v, lc.Graph.chain(12))
    >>> (faded_scores(e) / e.scores).round(2)[:3]
    array([1. , 0.3, 0.3])
    """
    return np.where(e.insignificant, FADED_STRENGTH * e.scores, e.scores)
