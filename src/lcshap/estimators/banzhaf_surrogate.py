"""BanzhafSurrogate: a surrogate with interactions of all orders, fitted to random halves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import scipy
from scipy.linalg import cho_solve, cholesky

from ..core.graphs import Graph
from ..errors import MethodError
from .checks import is_finite
from .graph_kernel.evidence import invert_factored
from .random_halves import Fit, Floats, HalvesMethod, Masks

_MAX_CALLS = 2048  # the largest number of calls; the time of the fit grows with its third power
# Normal priors, each a mean and a standard deviation: of the logit of each unit's weight, and of the logarithms of the
# variance and of the noise, for values of variance one.
_WEIGHT_PRIOR, _VARIANCE_PRIOR, _NOISE_PRIOR = (-2.5, 2.0), (0.0, 2.0), (-3.0, 1.5)
_MAX_WEIGHT = 0.99  # the largest weight of a unit, because at 1 the covariance matrix has no inverse


@dataclass(frozen=True)
class BanzhafSurrogate(HalvesMethod):
    r"""The weighted Banzhaf value of a Gaussian process that is fitted to v on random halves.

    .. math:: \phi(i) = \sum_{S \not\ni i} p^{|S|} (1 - p)^{d - 1 - |S|} [f(S \cup i) - f(S)], \qquad
              \operatorname{cov}(f(S), f(T)) \propto \prod_i (1 + \rho_i z_i(S) z_i(T))

    with z = 1 for a unit that is present and -1 for one that is absent. The prior has interactions of all orders: the
    variance of the interaction of some units is the product of their weights ρ, which are fitted to the values.

    Parameters
    ----------
    budget : the largest number of calls, including those for the base value and the prediction; at least 4.
    seed : the seed of the random halves.
    presence : p, the probability that each of the other units is present when the contribution of a unit is counted,
        from 0 to 1. At 0.5 the scores are Banzhaf values. At 1 they are the predictions of the surrogate for
        leave-one-out.

    Notes
    -----
    Choose it for the sources of a language model when calls are expensive: it needs no more calls than units, and its
    surrogate (`fit_surrogate`) predicts the value of any half of the sources, see docs/language_models.md. The base
    value and the prediction are evaluated for the record, but are not part of the fit. The scores do not sum to their
    difference. The method takes up to 2,048 calls.

    `presence` is 0.75 because the question is mostly about the full prompt, in which all sources are present: a source
    that helps only together with another one contributes in half of all halves, but in three quarters of the coalitions
    that are counted here. Two sources with the same content still share the score, unlike at 1.

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

    def _count_calls(self, graph: Graph, limit: int | None) -> int:
        calls = super()._count_calls(graph, limit)
        if calls > _MAX_CALLS:
            raise MethodError(
                f"Expected at most {_MAX_CALLS:,} calls of BanzhafSurrogate, got {calls:,}. Choose a smaller budget, "
                "or GraphKernelSHAP."
            )
        return calls

    def _fit(self) -> Fit:
        return partial(_scores, presence=self.presence)


@dataclass(frozen=True, eq=False)
class BanzhafGaussianProcess:
    """A fitted Gaussian process over coalitions.

    Attributes
    ----------
    signs : `(n, d)`, the coalitions it was fitted to, 1 where a unit is present and -1 where it is absent.
    weights : `(d,)`, the weight ρ of each unit, from 0 to 1.
    dual_coef : `(n,)`, the coefficient of each coalition in a prediction.
    mean : the mean of the values.
    """

    signs: Floats
    weights: Floats
    dual_coef: Floats
    mean: float

    def scores(self, presence: float = 0.5) -> Floats:
        """The weighted Banzhaf values: the slopes of the predictions where units are present with this probability."""
        factors = 1 + self.weights * self.signs * (2 * presence - 1)
        other_factors = factors.prod(axis=1, keepdims=True) / factors
        return np.asarray(2 * self.weights * (self.dual_coef @ (self.signs * other_factors)))

    def predict(self, kept: Masks) -> Floats:
        """The predicted values of coalitions `(m, d)`."""
        products = np.ones((len(kept), len(self.signs)))
        for unit, weight in enumerate(self.weights.tolist()):
            products *= 1 + weight * np.outer(2.0 * kept[:, unit] - 1, self.signs[:, unit])
        return np.asarray(self.mean + products @ self.dual_coef)


def fit_surrogate(kept: Masks, values: Floats) -> BanzhafGaussianProcess:
    """The surrogate whose weights, variance and noise have the greatest posterior density, given values of coalitions.

    >>> kept = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], bool)
    >>> fit_surrogate(kept, np.array([0.0, 0.0, 2.0, 2.0])).scores().round(1) + 0.0
    array([2., 0.])
    """
    signs = np.where(kept, 1.0, -1.0)
    mean, spread = float(values.mean()), float(values.std())
    if spread <= 1e-12 * max(1.0, np.abs(values).max()):
        return BanzhafGaussianProcess(signs, np.zeros(kept.shape[1]), np.zeros(len(kept)), mean)
    target = (values - mean) / spread
    start = np.concatenate([np.full(kept.shape[1], _WEIGHT_PRIOR[0]), [_VARIANCE_PRIOR[0], _NOISE_PRIOR[0]]])
    theta = _maximize_posterior(start, signs, target)
    weights, scale, noise = _unpack(theta)
    alpha = np.linalg.solve(_covariances(signs, weights, scale) + noise * np.eye(len(kept)), target)
    return BanzhafGaussianProcess(signs, weights, spread * scale * alpha / np.prod(1 + weights), mean)


def _scores(kept: Masks, values: Floats, presence: float) -> Floats:
    """The scores of the surrogate."""
    return fit_surrogate(kept, values).scores(presence)


def _covariances(signs: Floats, weights: Floats, scale: float) -> Floats:
    """The covariance matrix of the values without noise, in which values have this variance.

    Each unit on which two coalitions do not agree is a factor of (1 - ρ) / (1 + ρ), whose logarithms are added.
    """
    logarithms = np.log1p(-weights) - np.log1p(weights)
    exponents = (signs * (-logarithms / 2)) @ signs.T
    exponents += logarithms.sum() / 2
    np.exp(exponents, out=exponents)
    exponents *= scale
    return np.asarray(exponents)


def _maximize_posterior(start: Floats, signs: Floats, target: Floats) -> Floats:
    """The hyperparameters of greatest posterior density, within bounds that keep the covariance invertible."""
    bounds = [(-9.0, 9.0)] * (len(start) - 2) + [(-6.0, 6.0), (-8.0, 3.0)]
    options = {"maxiter": 60}
    optimum = scipy.optimize.minimize(
        _negative_log_posterior, start, (signs, target), jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    return np.asarray(optimum.x, np.float64)


def _unpack(theta: Floats) -> tuple[Floats, float, float]:
    """Weights, variance and noise from their logits and logarithms."""
    return _MAX_WEIGHT / (1 + np.exp(-theta[:-2])), float(np.exp(theta[-2])), float(np.exp(theta[-1]))


def _negative_log_posterior(theta: Floats, signs: Floats, target: Floats) -> tuple[float, Floats]:
    """Minus the log of the posterior of the weights, the variance and the noise, and its gradient."""
    weights, scale, noise = _unpack(theta)
    kernel = _covariances(signs, weights, scale)
    factor = cholesky(kernel + (noise + 1e-9) * np.eye(len(target)), lower=True, check_finite=False)
    alpha = cho_solve((factor, True), target, check_finite=False)
    log_determinant = np.log(np.diag(factor)).sum()
    # This is the derivative of the objective by the covariance; the factor is overwritten.
    slope = 0.5 * (invert_factored(factor) - np.outer(alpha, alpha))
    means = np.concatenate([np.full(len(weights), _WEIGHT_PRIOR[0]), [_VARIANCE_PRIOR[0], _NOISE_PRIOR[0]]])
    deviations = np.concatenate([np.full(len(weights), _WEIGHT_PRIOR[1]), [_VARIANCE_PRIOR[1], _NOISE_PRIOR[1]]])
    standardized = (theta - means) / deviations
    kernel_slopes = slope * kernel
    total = kernel_slopes.sum()
    # Of each unit: the sum over pairs of coalitions that do not agree on it, times the derivative of their logarithms.
    disagreements = (total - np.einsum("ai,ai->i", kernel_slopes @ signs, signs)) / 2
    weight_slopes = -2 * disagreements / (1 - weights**2)
    gradient = np.concatenate([weight_slopes * weights * (1 - weights / _MAX_WEIGHT), [total, noise * np.trace(slope)]])
    objective = 0.5 * target @ alpha + log_determinant + 0.5 * standardized @ standardized
    return float(objective), gradient + standardized / deviations
