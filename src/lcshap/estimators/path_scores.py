"""Scores whose order is a path: the marginals along it, pooled if a later one is larger."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_RELATIVE_STEP = 2.0**-22  # relative to the largest score; two steps of single precision keep the order in float32
_MAX_SUM_OF_STEPS = 1e-3  # over all units, relative to the largest score
_CANCELLED_SHARE = (
    # Relative to the largest marginal; if all scores are smaller, the marginals cancel, and steps are relative to this.
    1e-4
)


def path_scores(order: NDArray[np.intp], marginals: Numbers, estimates: Numbers) -> tuple[Numbers, NDArray[np.intp]]:
    r"""Scores of all units whose descending order, with ties by index, is the given order.

    The scores of the path are the decreasing sequence nearest to its marginals (isotonic regression, by pooling
    adjacent violators). It has the same sum. The units of a block share their joint effect equally. There is a small
    step between two of them if the higher index comes first, because a tie would be sorted by index. All steps together
    are at most a thousandth of the largest score.

    .. math:: \min_s \sum_t (s_t - m_t)^2 \quad\text{such that}\quad s_t - s_{t+1} \ge
              \begin{cases} \varepsilon & i_t > i_{t+1} \\ 0 & \text{else} \end{cases}

    Parameters
    ----------
    order : all units, first those of the path.
    marginals : the marginals of the units of the path, in its order.
    estimates : estimates of the marginals of the other units, in descending order. They are clipped at the last score
        of the path.

    Returns
    -------
    The scores in this order, and the positions where the blocks of the path begin, with its length at the end.

    Examples
    --------
    >>> scores, blocks = path_scores(np.array([2, 0, 1, 3]), np.array([4.0, 0.0, 2.0]), np.array([1.5]))
    >>> scores, blocks
    (array([4., 1., 1., 1.]), array([0, 1, 3]))
    """
    n = len(marginals)
    if not n:
        return estimates.copy(), np.zeros(1, np.intp)
    # With the steps added beforehand, "each at least a step below the previous one" becomes "decreasing".
    ramp = _tie_step(marginals, estimates) * np.concatenate([[0], np.cumsum(order[:-1] > order[1:])])
    effects = np.concatenate([marginals, estimates])
    shifted = effects + ramp
    pooled = scipy.optimize.isotonic_regression(shifted[:n], increasing=False)
    decreasing = np.concatenate([pooled.x, np.minimum.accumulate(np.append(pooled.x[-1], shifted[n:]))[1:]])
    return np.where(decreasing == shifted, effects, decreasing - ramp), np.asarray(pooled.blocks, np.intp)


def _tie_step(marginals: Numbers, estimates: Numbers) -> float:
    """The difference between scores that would otherwise be equal."""
    pooled = scipy.optimize.isotonic_regression(marginals, increasing=False).x
    scores = np.concatenate([pooled, np.minimum(estimates, pooled[-1])])
    largest = max(np.abs(scores).max(), _CANCELLED_SHARE * np.abs(np.concatenate([marginals, estimates])).max())
    return float(largest * min(_RELATIVE_STEP, _MAX_SUM_OF_STEPS / len(scores)))


def block_means(values: Numbers, blocks: NDArray[np.intp]) -> Numbers:
    """Replace the values of each block by their mean, for every column.

    >>> block_means(np.array([[1.0, 5.0], [3.0, 7.0], [4.0, 0.0]]), np.array([0, 2, 3]))
    array([[2., 6.],
           [2., 6.],
           [4., 0.]])
    """
    sizes = np.diff(blocks)
    return np.asarray(np.repeat(np.add.reduceat(values, blocks[:-1], axis=0) / sizes[:, None], sizes, axis=0))
