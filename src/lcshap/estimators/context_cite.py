"""ContextCite: a sparse linear model of the value, fitted to random halves of the sources."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from ..core.method import check_count
from ..errors import MethodError
from .finite import is_finite
from .halves import Fit, Floats, HalvesMethod, Masks

_SWEEPS, _SMALL = 1000, 1e-9  # of coordinate descent: the most, and the change at which it stops


@dataclass(frozen=True)
class ContextCite(HalvesMethod):
    r"""Lasso regression on random halves of the units.

    .. math:: \min_{a, w} \frac{1}{2n} \sum_S \bigl[v(S)/m - a - \textstyle\sum_{i \in S} w_i\bigr]^2 + \alpha
              \sum_i s_i |w_i|

    with s the standard deviation of each unit's presence in the sample; the scores are m w.

    Parameters
    ----------
    budget : how many calls it may take, ∅ and V included; at least 4.
    seed : of the random halves.
    alpha : how sparse the scores are; 0.01 as in the paper.
    tokens : m, the number of tokens of the answer, by which the paper divides the value.

    Notes
    -----
    Choose it to compare with published work on language models. Scores neither sum to v(V) - v(∅) nor estimate the
    Shapley value: they are those of a linear surrogate on random halves. `BanzhafSurrogate` fits a surrogate with
    interactions to the same coalitions.

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
        check_count("tokens", self.tokens, least=1)
        if not (is_finite(self.alpha) and self.alpha >= 0):
            raise MethodError(f"Expected alpha as a finite number of at least 0, got {self.alpha!r}.")

    def _fit(self) -> Fit:
        return partial(_scores, alpha=self.alpha, tokens=self.tokens)


def _scores(kept: Masks, values: Floats, alpha: float, tokens: int) -> Floats:
    """The coefficients for values that are divided by the number of tokens, on the scale of the values."""
    return tokens * lasso(kept, values / tokens, alpha)


def lasso(kept: Masks, values: Floats, alpha: float) -> Floats:
    """The coefficients of a lasso on standardised columns, on the scale of the columns, by coordinate descent."""
    size = kept.std(axis=0)
    design = (kept - kept.mean(axis=0)) / np.where(size > 0, size, 1.0)
    rest, found = values - values.mean(), np.zeros(kept.shape[1])
    for _ in range(_SWEEPS):
        largest = 0.0
        for unit in np.flatnonzero(size > 0).tolist():
            column = design[:, unit]
            pull = column @ rest / len(rest) + found[unit]
            new = np.sign(pull) * max(abs(pull) - alpha, 0.0)
            rest += column * (found[unit] - new)
            largest, found[unit] = max(largest, abs(new - found[unit])), new
        if largest <= _SMALL * max(1.0, np.abs(found).max()):
            break
    return np.asarray(found / np.where(size > 0, size, 1.0))
