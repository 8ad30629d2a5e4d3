r"""Deletion and insertion: the area under the probability while top units are masked, or inserted, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MetricError
from ..evaluation.masking_curves import Counts
from ..explainer import Explainer
from .ranked_evaluation import one_or_all, ranked_answers


def deletion_auc(explainer: Explainer, x: Any, explanation: Any, step: int | None = None) -> Any:
    r"""The area under P(class) while the top units are masked, `step` at a time, until all are masked. Lower is better.

    .. math:: \sum_{t} \frac{n_t - n_{t-1}}{d} \cdot \frac{P(V \setminus T_{n_{t-1}}) + P(V \setminus T_{n_t})}{2},
              \qquad n_t = \min(t \cdot \text{step}, d)

    where :math:`T_n` are the n units ranked first. For a model without classes it is the area under its output.

    Parameters
    ----------
    explainer : the `Explainer` that made the explanation; its model, masker and target are used.
    x, explanation : the input and its explanation, or a list of each.
    step : the number of units at a time; by default one in a hundred, at least one.

    Returns
    -------
    float or ndarray : one number for one input, an array for a list of inputs.

    References
    ----------
    Petsiuk, Das, Saenko 2018, RISE: Randomized input sampling for explanation of black-box models.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.metrics import deletion_auc, insertion_auc
    >>> v = lambda texts: ["good" in t for t in texts]
    >>> explainer = lc.Explainer(v, lc.maskers.Text(), lc.Shapley(), value="prob", kind="probabilities", target=1)
    >>> e = explainer("a good end")
    >>> deletion_auc(explainer, "a good end", e), insertion_auc(explainer, "a good end", e)  # 1 0 0 0 and 0 1 1 1
    (0.16666666666666666, 0.8333333333333334)
    """
    return _area(explainer, x, explanation, step, keep=False)


def insertion_auc(explainer: Explainer, x: Any, explanation: Any, step: int | None = None) -> Any:
    """The area under P(class) while the top units are inserted, `step` at a time, until all are kept. Higher is better.

    It is defined as `deletion_auc`, with :math:`P(T_n)` instead of :math:`P(V \\setminus T_n)`.

    Parameters
    ----------
    explainer : the `Explainer` that made the explanation; its model, masker and target are used.
    x, explanation : the input and its explanation, or a list of each.
    step : how many units are added at a time; by default one in a hundred, at least one.

    Returns
    -------
    float or ndarray : one number for one input, an array for a list of inputs.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.metrics import insertion_auc
    >>> v = lambda texts: ["good" in text for text in texts]
    >>> explainer = lc.Explainer(v, lc.maskers.Text(), lc.Shapley(), value="prob", kind="probabilities", target=1)
    >>> round(insertion_auc(explainer, "a good end", explainer("a good end")), 3)
    0.833
    """
    return _area(explainer, x, explanation, step, keep=True)


def _area(explainer: Explainer, x: Any, explanation: Any, step: int | None, keep: bool) -> Any:
    if step is not None and (not isinstance(step, int | np.integer) or isinstance(step, bool) or step < 1):
        raise MetricError(f"Expected step as a number of units of at least 1, or None, got {step!r}.")

    def counts(d: int) -> Counts:
        return np.append(np.arange(0, d, step or max(1, round(d / 100)), dtype=np.int64), d)

    answers = ranked_answers(explainer, x, explanation, counts, keep)
    return one_or_all(
        explainer, x, [float(np.trapezoid(answer.values, answer.counts / answer.counts[-1])) for answer in answers]
    )
