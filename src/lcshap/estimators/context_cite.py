"""ContextCite: a sparse linear model of the value, fitted to random halves of the sources."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from ..core.method import check_integer
from ..errors import MethodError
from .checks import is_finite
from .random_halves import Fit, Floats, HalvesMethod, Masks

_MAX_SWEEPS, _TOLERANCE = 1000, 1e-9  # coordinate descent stops after so many sweeps, or at a smaller relative change


@dataclass(frozen=True)
class ContextCite(HalvesMethod):
    r"""Lasso regression on random halves of the units.

    .. math:: \min_{a, w} \frac{1}{2n} \sum_S \bigl[v(S)/m - a - \textstyle\sum_{i \in S} w_i\bigr]^2 + \alpha
              \sum_i s_i |w_i|

    with s the standard deviation of each unit's presence in the sample; the scores are m w.

    Parameters
    ----------
    budget : the largest number of calls, including those for the base value and the prediction; at least 4.
    seed : the seed of the random halves.
    alpha : how sparse the scores are; 0.01 as in the paper.
    tokens : m, the number of tokens of the answer, by which the paper divides the value.

    Notes
    -----
    Choose it to compare with published work on language models. The scores neither sum to the prediction less the base
    value nor estimate the Shapley value: they are those of a linear surrogate on random halves. `BanzhafSurrogate` fits
    a surrogate with interactions to the same coalitions.

    References
    ----------
    Cohen-Wang, Shah, Georgiev and Madry 2024, ContextCite: attributing model generation to context (arXiv 2409.00729).

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 3.0 * kept[:, 1] - 1.0 * kept[:, 2], 8)
    >>> lc.ContextCite(budget=64, alpha=1e-6).explain(v, lc.Graph.complete(8)).scores.round(3)[:4] + 0.0
    array([ 0.,  3., -1.,  0.])
    """

    budget: int
    seed: int = 0
    alpha: float = 0.01
    tokens: int = 1
    name: ClassVar[str] = "context-cite"
    summary: ClassVar[str] = "Lasso regression on random halves of the units."
    choose: ClassVar[str] = "Choose it to compare with published work on the sources of language models."
    cost_in_words: ClassVar[str] = "the budget, from 4"

    @classmethod
    def examples(cls) -> tuple[ContextCite, ...]:
        """The parameters that the conformance suite runs."""
        return cls(26, seed=5), cls(64, alpha=0.1)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("tokens", self.tokens, minimum=1)
        if not (is_finite(self.alpha) and self.alpha >= 0):
            raise MethodError(f"Expected alpha as a finite number of at least 0, got {self.alpha!r}.")

    def _fit(self) -> Fit:
        return partial(_scores, alpha=self.alpha, tokens=self.tokens)


def _scores(kept: Masks, values: Floats, alpha: float, tokens: int) -> Floats:
    """The coefficients for values that are divided by the number of tokens, on the scale of the values."""
    return tokens * lasso(kept, values / tokens, alpha)


def lasso(kept: Masks, values: Floats, alpha: float) -> Floats:
    """The coefficients of a lasso on standardised columns, on the scale of the columns, by coordinate descent."""
    deviation = kept.std(axis=0)
    design = (kept - kept.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    residual, coefficients = values - values.mean(), np.zeros(kept.shape[1])
    for _ in range(_MAX_SWEEPS):
        max_change = 0.0
        for unit in np.flatnonzero(deviation > 0).tolist():
            column = design[:, unit]
            unpenalized = column @ residual / len(residual) + coefficients[unit]
            coefficient = np.sign(unpenalized) * max(abs(unpenalized) - alpha, 0.0)
            residual += column * (coefficients[unit] - coefficient)
            max_change, coefficients[unit] = max(max_change, abs(coefficient - coefficients[unit])), coefficient
        if max_change <= _TOLERANCE * max(1.0, np.abs(coefficients).max()):
            break
    return np.asarray(coefficients / np.where(deviation > 0, deviation, 1.0))
