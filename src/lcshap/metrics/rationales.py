r"""Comprehensiveness and sufficiency: the loss of probability without the top units, and with them alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..evaluation.masking_curves import check_percents, masked_counts
from ..explainer import Explainer
from .ranked_evaluation import one_or_all, ranked_answers

PERCENTS = (1, 5, 10, 20, 50)


def comprehensiveness(explainer: Explainer, x: Any, explanation: Any, percents: Sequence[float] = PERCENTS) -> Any:
    r"""The loss of P(class) if the top units are masked, averaged over percentages. Higher is better.

    .. math:: \frac1{|B|} \sum_{p \in B} \bigl[P(V) - P(V \setminus T_p)\bigr]

    where :math:`T_p` are the first p percent of the ranking, counted as in `masking_curve`. For a model without classes
    P is its output.

    Parameters
    ----------
    explainer : the `Explainer` that made the explanation; its model, masker and target are used.
    x, explanation : the input and its explanation, or a list of each.
    percents : B; by default 1, 5, 10, 20 and 50, as in the paper that proposed it.

    Returns
    -------
    float or ndarray : one number for one input, an array for a list of inputs.

    References
    ----------
    DeYoung et al. 2020, ERASER: A benchmark to evaluate rationalized NLP models.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.metrics import comprehensiveness, sufficiency
    >>> v = lambda texts: ["good" in t for t in texts]
    >>> explainer = lc.Explainer(v, lc.maskers.Text(), lc.Shapley(), value="prob", kind="probabilities", target=1)
    >>> e = explainer("a good end")
    >>> comprehensiveness(explainer, "a good end", e), sufficiency(explainer, "a good end", e)
    (1.0, 0.0)
    """
    return _loss(explainer, x, explanation, percents, keep=False)


def sufficiency(explainer: Explainer, x: Any, explanation: Any, percents: Sequence[float] = PERCENTS) -> Any:
    r"""The loss of P(class) if only the top units are kept, averaged over percentages. Lower is better.

    It is defined as `comprehensiveness`, with :math:`P(T_p)` instead of :math:`P(V \setminus T_p)`.

    Parameters
    ----------
    explainer : the `Explainer` that made the explanation; its model, masker and target are used.
    x, explanation : the input and its explanation, or a list of each.
    percents : the percentages of the mean; by default 1, 5, 10, 20 and 50.

    Returns
    -------
    float or ndarray : one number for one input, an array for a list of inputs.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.metrics import sufficiency
    >>> v = lambda texts: ["good" in text for text in texts]
    >>> explainer = lc.Explainer(v, lc.maskers.Text(), lc.Shapley(), value="prob", kind="probabilities", target=1)
    >>> sufficiency(explainer, "a good end", explainer("a good end"))
    0.0
    """
    return _loss(explainer, x, explanation, percents, keep=True)


def _loss(explainer: Explainer, x: Any, explanation: Any, percents: Sequence[float], keep: bool) -> Any:
    shares = check_percents(percents)
    answers = ranked_answers(explainer, x, explanation, lambda d: masked_counts(shares, d), keep)
    return one_or_all(explainer, x, [answer.full - float(answer.values.mean()) for answer in answers])
