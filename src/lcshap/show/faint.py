"""Which scores are drawn faint: those that may well be zero."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation

FADED = 0.3  # how strong the colour of a score is whose interval holds zero


def drawn_scores(e: Explanation) -> NDArray[np.float64]:
    """The scores by which units are coloured, of an explanation with one output: less where the interval holds 0.

    Images are coloured by the scores themselves: of a single pixel or patch little is sure, of an area much.

    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 3.0 * kept[:, 0] + 0.1 * (kept.sum(axis=1) % 3 == 1), 12)
    >>> e = lc.GraphKernelSHAP(96).explain(v, lc.Graph.chain(12))
    >>> (drawn_scores(e) / e.scores).round(2)[:3]
    array([1. , 0.3, 0.3])
    """
    return np.where(e.faint, FADED * e.scores, e.scores)
