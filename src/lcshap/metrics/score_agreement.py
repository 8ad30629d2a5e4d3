"""Errors and rank correlations of scores against a reference, such as exact Shapley values."""

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
    relative_error : :math:`\sum_i |\phi_i - \phi^*_i| / \sum_i |\phi^*_i|`; scores of zero have a relative error of 1.
    spearman : the rank correlation, with average ranks for ties; NaN if all scores on one side are equal.
    kendall : Kendall's tau-b; NaN as for `spearman`.
    top_overlap : the share of the top units that are also top units of the reference, ties by index.

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
    top : the number of top units for `top_overlap`; all units if there are fewer.

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
    >>> a = agreement([1.0, 2.0, 3.0, 9.0], [1.0, 3.0, 2.0, 4.0], top=2)
    >>> a.mean_absolute_error, a.relative_error, round(a.spearman, 9), a.top_overlap
    (1.75, 0.7, 0.8, 0.5)
    """
    from scipy.stats import kendalltau

    a, b = _scores(scores), _scores(reference)
    if len(a) != len(b):
        raise MetricError(f"Expected scores and a reference of the same number of units, got {len(a)} and {len(b)}.")
    if not isinstance(top, int | np.integer) or isinstance(top, bool) or top < 1:
        raise MetricError(f"Expected top as a number of units of at least 1, got {top!r}.")
    error, reference_size = float(np.abs(a - b).sum()), float(np.abs(b).sum())
    top_units, reference_top = (np.argsort(-x, kind="stable")[:top] for x in (a, b))
    return Agreement(
        error / len(a),
        error / reference_size if reference_size else (0.0 if error == 0 else np.inf),
        rank_correlation(a, b),
        float(kendalltau(a, b).statistic) if np.ptp(a) and np.ptp(b) else np.nan,
        len(np.intersect1d(top_units, reference_top)) / len(top_units),
    )


def rank_correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Spearman's rank correlation, with average ranks for ties; NaN if all numbers on one side are equal.

    >>> rank_correlation(np.array([1.0, 5.0, 9.0]), np.array([-2.0, 0.0, 0.5]))
    1.0
    """
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic) if np.ptp(a) and np.ptp(b) else np.nan


def _scores(source: Any) -> NDArray[np.float64]:
    scores = np.asarray(source.scores if isinstance(source, Explanation) else source, np.float64)
    if scores.ndim != 1 or not len(scores):
        raise MetricError(f"Expected scores, one for each unit, got an array of shape {scores.shape}. Give one output.")
    if not np.isfinite(scores).all():
        raise MetricError("Expected scores that are finite numbers, got NaN or infinite ones. Leave these units out.")
    return scores
