"""BanzhafSurrogate: a surrogate with interactions of all orders, fitted to random halves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import scipy
from scipy.linalg import cho_factor, cho_solve

from ..core.graphs import Graph
from ..core.plan import Plan
from ..errors import MethodError
from .finite import is_finite
from .halves import Fit, Floats, HalvesMethod, Masks

_MOST = 1 << 25  # numbers of the table (calls, calls, units) from which the fit is made
# Priors of what is fitted, each a mean and a standard deviation: of the logit of each unit's weight, and of the
# logarithms of the variance and of the noise, for values of variance one.
_WEIGHT, _SCALE, _NOISE = (-2.5, 2.0), (0.0, 2.0), (-3.0, 1.5)
_LARGEST = 0.99  # weight of a unit: at 1 the covariance has no inverse


@dataclass(frozen=True)
class BanzhafSurrogate(HalvesMethod):
    r"""The weighted Banzhaf value of a Gaussian process that is fitted to v on random halves.

    .. math:: \phi(i) = \sum_{S \not\ni i} p^{|S|} (1 - p)^{d - 1 - |S|} [f(S \cup i) - f(S)], \qquad
              \operatorname{cov}(f(S), f(T)) \propto \prod_i (1 + \rho_i z_i(S) z_i(T))

    with z = 1 where a unit is there and -1 where it is not. The prior holds interactions of all orders: that of some
    units is as large as the product of their weights ρ, which are fitted to the values of the input.

    Parameters
    ----------
    budget : how many calls it may take, ∅ and V included; at least 4.
    seed : of the random halves.
    presence : p, how probable it is that each of the other units is there when the contribution of a unit is counted,
        from 0 to 1. At 0.5 the scores are Banzhaf values. At 1 they are what the surrogate predicts for leave-one-out.

    Notes
    -----
    Choose it for the sources of a language model when calls are expensive: it needs no more calls than units, and its
    surrogate (`fit_halves`) predicts what the model says for any half of the sources, see docs/language_models.md. ∅
    and V are evaluated for the record, but are not part of the fit. Scores do not sum to v(V) - v(∅). It takes up to
    some 2,000 calls.

    `presence` is 0.75 because the question is mostly about the prompt as it is, in which all sources are there: a
    source that helps only together with another one contributes in half of all halves, but in three quarters of the
    coalitions that count here. Two sources that say the same still share the score, unlike at 1.

    References
    ----------
    The Banzhaf value of data: Wang and Jia 2023 (arXiv 2205.15466). Weighted Banzhaf values: Marichal and Mathonet
    2011, Weighted Banzhaf power and interaction indexes through weighted approximations of games (arXiv 1001.3052).

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 3.0 * kept[:, 1] - 1.0 * kept[:, 2], 8)
    >>> e = lc.BanzhafSurrogate(budget=64).explain(v, lc.Graph.complete(8))
    >>> e.scores.round(1)[:4] + 0.0
    array([ 0.,  3., -1.,  0.])
    """

    budget: int
    seed: int = 0
    presence: float = 0.75
    name: ClassVar[str] = "banzhaf-surrogate"
    summary: ClassVar[str] = "The weighted Banzhaf value of a Gaussian process that is fitted to v on random halves."
    choose: ClassVar[str] = "Choose it for the sources of a language model when model calls are expensive."
    cost_in_words: ClassVar[str] = "the budget, from 4"

    @classmethod
    def examples(cls) -> tuple[BanzhafSurrogate, ...]:
        """The parameters that the conformance suite runs."""
        return cls(26, seed=5), cls(20, presence=0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (is_finite(self.presence) and 0 <= self.presence <= 1):
            raise MethodError(f"Expected presence as a probability from 0 to 1, got {self.presence!r}.")

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        calls = self._calls(graph)
        if calls**2 * graph.d > _MOST:
            raise MethodError(
                f"Expected at most {int((_MOST / graph.d) ** 0.5):,} calls for {graph.d:,} units, got {calls:,}. "
                f"Choose a smaller budget, or GraphKernelSHAP."
            )
        return super()._plan(graph, limit)

    def _fit(self) -> Fit:
        return partial(_scores, presence=self.presence)


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A fitted Gaussian process over coalitions.

    Attributes
    ----------
    signs : `(n, d)`, the coalitions it was fitted to, 1 where a unit is there and -1 where it is not.
    weights : `(d,)`, how much each unit matters, from 0 to 1.
    parts : `(n,)`, how much each coalition adds to a prediction.
    mean : of the values.
    """

    signs: Floats
    weights: Floats
    parts: Floats
    mean: float

    def scores(self, presence: float = 0.5) -> Floats:
        """The weighted Banzhaf values: the slopes of the predictions where each unit is there so often."""
        factors = 1 + self.weights * self.signs * (2 * presence - 1)
        others = factors.prod(axis=1, keepdims=True) / factors
        return np.asarray(2 * self.weights * (self.parts @ (self.signs * others)))

    def predict(self, kept: Masks) -> Floats:
        """What the value of some coalitions `(m, d)` should be."""
        products = np.ones((len(kept), len(self.signs)))
        for unit, weight in enumerate(self.weights.tolist()):
            products *= 1 + weight * np.outer(2.0 * kept[:, unit] - 1, self.signs[:, unit])
        return np.asarray(self.mean + products @ self.parts)


def fit_halves(kept: Masks, values: Floats) -> Surrogate:
    """The surrogate of most probable weights, variance and noise, given the values of some coalitions.

    >>> kept = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], bool)
    >>> fit_halves(kept, np.array([0.0, 0.0, 2.0, 2.0])).scores().round(1) + 0.0
    array([2., 0.])
    """
    signs = np.where(kept, 1.0, -1.0)
    mean, spread = float(values.mean()), float(values.std())
    if spread <= 1e-12 * max(1.0, np.abs(values).max()):
        return Surrogate(signs, np.zeros(kept.shape[1]), np.zeros(len(kept)), mean)
    target, pairs = (values - mean) / spread, signs[:, None, :] * signs[None]
    start = np.concatenate([np.full(kept.shape[1], _WEIGHT[0]), [_SCALE[0], _NOISE[0]]])
    best = _most_probable(start, pairs, target)
    weights, scale, noise = _read(best)
    kernel = scale * np.prod((1 + weights * pairs) / (1 + weights), axis=2)
    solved = np.linalg.solve(kernel + noise * np.eye(len(kept)), target)
    return Surrogate(signs, weights, spread * scale * solved / np.prod(1 + weights), mean)


def _scores(kept: Masks, values: Floats, presence: float) -> Floats:
    """The scores of the surrogate."""
    return fit_halves(kept, values).scores(presence)


def _most_probable(start: Floats, pairs: Floats, target: Floats) -> Floats:
    """Where the misfit is least, within bounds that keep the covariance invertible."""
    bounds = [(-9.0, 9.0)] * (len(start) - 2) + [(-6.0, 6.0), (-8.0, 3.0)]
    options = {"maxiter": 60}
    found = scipy.optimize.minimize(
        _misfit, start, (pairs, target), jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    return np.asarray(found.x, np.float64)


def _read(at: Floats) -> tuple[Floats, float, float]:
    return _LARGEST / (1 + np.exp(-at[:-2])), float(np.exp(at[-2])), float(np.exp(at[-1]))


def _misfit(at: Floats, pairs: Floats, target: Floats) -> tuple[float, Floats]:
    """Minus the log of the posterior of the weights, the variance and the noise, and its gradient."""
    weights, scale, noise = _read(at)
    kernel = scale * np.prod((1 + weights * pairs) / (1 + weights), axis=2)
    factor = cho_factor(kernel + (noise + 1e-9) * np.eye(len(target)), lower=True)
    inverse = cho_solve(factor, np.eye(len(target)))
    solved = inverse @ target
    slope = 0.5 * (inverse - np.outer(solved, solved))  # of the misfit with respect to the covariance
    means = np.concatenate([np.full(len(weights), _WEIGHT[0]), [_SCALE[0], _NOISE[0]]])
    widths = np.concatenate([np.full(len(weights), _WEIGHT[1]), [_SCALE[1], _NOISE[1]]])
    away = (at - means) / widths
    by_weight = np.einsum("ab,abi->i", slope * kernel, pairs / (1 + weights * pairs)) - (slope * kernel).sum() / (
        1 + weights
    )
    gradient = np.concatenate(
        [by_weight * weights * (1 - weights / _LARGEST), [(slope * kernel).sum(), noise * np.trace(slope)]]
    )
    value = 0.5 * target @ solved + np.log(np.diag(factor[0])).sum() + 0.5 * away @ away
    return float(value), gradient + away / widths
