"""How far scores are from others, exact Shapley values for one: by size and by rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation
from ..errors import MetricError


@dataclass(frozen=True)
class Agreement:
    r"""How scores :math:`\phi` agree with a reference :math:`\phi^*`.

    Attributes
    ----------
    mean_absolute_error : :math:`\frac1d \sum_i |\phi_i - \phi^*_i|`.
    relative_error : :math:`\sum_i |\phi_i - \phi^*_i| / \sum_i |\phi^*_i|`: 1 is what scores of zero would have.
    spearman : the correlation of the ranks, ties sharing theirs; NaN where one side has the same score everywhere.
    kendall : tau-b: pairs in the same order less pairs in the other, over the root of the product of the pairs that
        are not tied on either side; NaN as for `spearman`.
    top_overlap : which share of the top units are top units of the reference, ties by index.

    Examples
    --------
    >>> from lcshap.metrics import agreement
    >>> agreement([1.0, 2.0], [1.0, 3.0]).mean_absolute_error
    0.5
    """

    mean_absolute_error: float
    relative_error: float
    spearman: float
    kendall: float
    top_overlap: float


def agreement(scores: Any, reference: Any, top: int = 5) -> Agreement:
    """Compare scores with a reference.

    Parameters
    ----------
    scores, reference : explanations of one output, or arrays `(d,)`.
    top : of how many units `top_overlap` is; all of them where there are fewer.

    Returns
    -------
    Agreement : errors, rank correlations and the overlap of the top units.

    Raises
    ------
    MetricError : if the scores are not finite, or the numbers of units differ.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.metrics import agreement
    >>> g, v = lc.Graph.chain(4), lc.Game(lambda kept: 3.0 * (kept[:, 1] & kept[:, 2]), 4)
    >>> agreement(lc.LShapley(1).explain(v, g), lc.Shapley().explain(v, g)).relative_error
    0.0
    >>> found = agreement([1.0, 2.0, 3.0, 9.0], [1.0, 3.0, 2.0, 4.0], top=2)
    >>> found.mean_absolute_error, found.relative_error, round(found.spearman, 9), found.top_overlap
    (1.75, 0.7, 0.8, 0.5)
    """
    from scipy.stats import kendalltau

    a, b = _scores(scores), _scores(reference)
    if len(a) != len(b):
        raise MetricError(f"Expected scores and a reference of the same number of units, got {len(a)} and {len(b)}.")
    if not isinstance(top, int | np.integer) or isinstance(top, bool) or top < 1:
        raise MetricError(f"Expected top as a number of units of at least 1, got {top!r}.")
    error, size = float(np.abs(a - b).sum()), float(np.abs(b).sum())
    first, other = (np.argsort(-x, kind="stable")[:top] for x in (a, b))
    return Agreement(
        error / len(a),
        error / size if size else (0.0 if error == 0 else np.inf),
        rank_correlation(a, b),
        float(kendalltau(a, b).statistic) if np.ptp(a) and np.ptp(b) else np.nan,
        len(np.intersect1d(first, other)) / len(first),
    )


def rank_correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Spearman's correlation: that of the ranks, ties sharing theirs; NaN where one side is all ties.

    >>> rank_correlation(np.array([1.0, 5.0, 9.0]), np.array([-2.0, 0.0, 0.5]))
    1.0
    """
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic) if np.ptp(a) and np.ptp(b) else np.nan


def _scores(given: Any) -> NDArray[np.float64]:
    array = np.asarray(given.scores if isinstance(given, Explanation) else given, np.float64)
    if array.ndim != 1 or not len(array):
        raise MetricError(f"Expected scores, one for each unit, got an array of shape {array.shape}. Give one output.")
    if not np.isfinite(array).all():
        raise MetricError("Expected scores that are finite numbers, got NaN or infinite ones. Leave these units out.")
    return array
