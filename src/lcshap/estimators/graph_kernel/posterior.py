"""The posterior of the Shapley values given the odd half of pairs, and the calibration of its standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from .evidence import invert_factored
from .fit import fit_odd_kernels
from .fixed_kernel import Array, Kept, unseen_noise_variances
from .hyperparameters import OddHyperparameters
from .many_units import conjugate_gradients, effect_variances, sign_variances
from .odd_kernel import OddKernel
from .product_kernel import signs_of, size_log_odds
from .tuning import DESIGN, ERRORS, SIZES

_CONVERGED, _NO_RESIDUAL = 1e-4, 1e-200  # tolerances of the regression on squared residuals, which may all be zero
_TILE_ROWS = 1024  # rows that are added at a time
_TOLERANCE, _SOLUTION_STEPS = 1e-5, 100  # of the equations for the correction of many units

DOUBT = (
    "The intervals may be too narrow: where few units are kept or few are missing, the fit predicts left-out values "
    "several times worse than elsewhere. Use more calls, or check with SampleShapley."
)


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is known about the Shapley values.

    Attributes
    ----------
    scores, stderr : the posterior mean and standard deviation, one number per unit.
    is_doubtful : whether leave-one-out residuals contradict the fit (see `_end_residuals`).
    """

    scores: Array
    stderr: Array
    is_doubtful: bool


def max_process_pairs(d: int) -> int:
    """The largest number of pairs of the process for d units. A regression on its residuals uses the others.

    >>> max_process_pairs(30), max_process_pairs(100), max_process_pairs(1000), max_process_pairs(3000)
    (4096, 1024, 2500, 4096)
    """
    if d <= SIZES.many_units:
        return SIZES.process_pairs
    return min(SIZES.process_pairs, max(int(SIZES.process_pairs_per_unit * d), SIZES.min_process_pairs))


def score_posterior(
    kept: Kept, odd: Array, hyperparameters: OddHyperparameters, units: bool = True, effects: Array | None = None
) -> Posterior:
    """The posterior mean and standard deviation of the Shapley values, given f at coalitions, the first of which is V.

    Parameters
    ----------
    kept, odd : the coalitions, and f there.
    hyperparameters : the hyperparameters to fit, made from the same coalitions. They can be used for many inputs.
    units : whether each unit may have its own length scale.
    effects : see `fit_odd_kernels`. With effects, the results of two kernels are averaged.
    """
    # Values are scaled, because squares of very large or small values are not finite or zero.
    size = float(np.abs(odd).max()) or 1.0
    odd = odd / size
    kernels = fit_odd_kernels(hyperparameters, odd, units, effects)
    posteriors = [_score_posterior(kept, odd, kernel, hyperparameters) for kernel in kernels]
    scores, variance = _average([(mean, variance) for mean, variance, _ in posteriors])
    end_variance, contrast = np.max([residuals for *_, residuals in posteriors], axis=0)
    drift = 2 * odd[0] - scores.sum()  # the pair {V, ∅} was evaluated without noise, so the sum of the scores is known
    stderr = size * ERRORS.caution * np.sqrt(np.maximum(variance, end_variance))
    return Posterior(size * (scores + drift / len(scores)), stderr, bool(contrast > ERRORS.doubtful_contrast))


def unseen_value_stderr(kept: Kept, plus: Array, minus: Array) -> Array:
    """The standard error of scores due to unseen values of a game with few different values, such as a vote.

    A process may fit all values that were observed, so that its posterior variance is nearly zero. But if v has only a
    few different values, the value of a coalition says little about its neighbours. Among as many other coalitions as
    were observed, about three may have another value although none of them was observed. They are not independent of
    each other, so that a larger number is assumed, as white noise. A probability that is next to 0 or 1 for nearly all
    coalitions is such a game too.

    Parameters
    ----------
    kept : coalitions, the first of which is V.
    plus, minus : v at these coalitions, and at their complements.
    """
    values = np.concatenate([plus[1:], minus[1:]])  # without the values of V and ∅, which are often far from all others
    extent = float(np.ptp(values)) if len(values) else 0.0
    if not 0 < extent < np.inf:
        return np.zeros(kept.shape[1])
    shares = np.unique(np.rint((values - values.min()) / extent * ERRORS.value_bins), return_counts=True)[1] / len(
        values
    )
    effective_values = float(np.exp(special.entr(shares).sum()))  # so many equally frequent values have this entropy
    if effective_values > ERRORS.few_values:
        return np.zeros(kept.shape[1])
    step = extent / max(effective_values - 1, 1) / 2  # the possible error of f
    return np.asarray(step * np.sqrt(ERRORS.unseen_values / len(kept) * unseen_noise_variances(kept)))


def single_unit_effects(kept: Kept, plus: Array, minus: Array) -> Array | None:
    r"""The effect of each unit in the smallest and the largest coalitions; None if it is unknown for several units.

    .. math:: \frac{l_j^2}{\overline{l^2}} + \frac{r_j^2}{\overline{r^2}}, \qquad
              l_j = v(\{j\}) - v(\emptyset), \quad r_j = v(V) - v(V \setminus \{j\})

    Parameters
    ----------
    kept : coalitions, the first of which is V.
    plus, minus : v at these coalitions, and at their complements.
    """
    n, d = kept.shape
    size = kept.sum(axis=1)
    rows = np.flatnonzero((size == 1) | (size == d - 1))
    if n - 1 > DESIGN.few_pairs_per_unit * d or len(rows) < d - 1 or d < 3:
        return None
    alone_kept = size[rows] == 1  # otherwise the unit is absent, and all others are kept
    unit = (kept[rows] == alone_kept[:, None]).argmax(axis=1)
    alone, without = np.where(alone_kept, plus[rows], minus[rows]), np.where(alone_kept, minus[rows], plus[rows])
    effects = np.zeros(d)
    for side in (alone - minus[0], plus[0] - without):
        square = (side / (np.abs(side).max() or 1.0)) ** 2
        effects[unit] += square / (square.mean() or 1.0)
    missing = np.setdiff1d(np.arange(d), unit)
    effects[missing] = np.median(effects[unit])
    return effects if effects.any() else None


def _average(posteriors: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """The mean over kernels, in which smaller variances have more weight, and its variance with their differences."""
    if len(posteriors) == 1:
        return posteriors[0]
    means, variances = (np.array(arrays) for arrays in zip(*posteriors, strict=True))
    mean_variances = np.maximum(variances.mean(axis=1), np.finfo(float).tiny)
    weights = (mean_variances.min() / mean_variances) ** ERRORS.average_power
    weights /= weights.sum()
    return weights @ means, weights @ variances + np.mean(means.var(axis=0))


def _score_posterior(
    kept: Kept, odd: Array, kernel: OddKernel, hyperparameters: OddHyperparameters
) -> tuple[Array, Array, tuple[float, float]]:
    """Mean and variance from the process, corrected by regression on its residuals at the remaining pairs.

    The last result is that of `_end_residuals`.
    """
    limit = max_process_pairs(kept.shape[1]) + 1
    first, remaining = slice(0, limit), slice(limit, None)
    has_all_rows = len(hyperparameters.kept) == len(kept) <= limit
    K = hyperparameters.covariance_matrix(kernel) if has_all_rows else kernel.upper_covariance_matrix(kept[first])
    scores, variance, alpha, end_residuals = _process_posterior(kept[first], odd[first], kernel, K)
    if len(kept) > limit:
        residuals = odd[remaining] - kernel.covariance_matvec(kept[remaining], kept[first], alpha)
        change, variance = _regress_residuals(kept, residuals, variance)
        scores = scores + change
    return scores, variance, end_residuals


def _process_posterior(
    kept: Kept, odd: Array, kernel: OddKernel, K: Array
) -> tuple[Array, Array, Array, tuple[float, float]]:
    """Mean and variance of the scores, weights for predicting f at other coalitions, and `_end_residuals`.

    K is overwritten.
    """
    n, units = len(kept), _representative_units(kernel.score_variances)
    # The leave-one-out residual of f_i is alpha_i / (K^-1)_ii, and its variance is scale / (K^-1)_ii.
    checked = np.unique(np.linspace(1, n - 1, min(SIZES.checked_rows, n - 1)).astype(np.intp))
    right = np.zeros((n, len(units) + 1 + len(checked)), order="F")
    right[:, : len(units)], right[:, len(units)] = kernel.score_covariances(kept, units).T, odd
    right[checked, len(units) + 1 + np.arange(len(checked))] = 1
    factor = linalg.cholesky(K.T, lower=True, overwrite_a=True, check_finite=False)
    solution = linalg.lapack.dtrtrs(factor, right, lower=1, overwrite_b=1)[0]
    half, root = solution[:, : len(units)], solution[:, len(units) + 1 :]
    alpha = linalg.lapack.dtrtrs(factor, solution[:, len(units)], lower=1, trans=1)[0]
    variance = kernel.score_variances[units] - np.einsum("nj,nj->j", half, half)
    variance = np.maximum(variance, kernel.noise_variances(kept)[units])
    if len(units) == len(kernel.score_variances):
        scores = half.T @ solution[:, len(units)]
    else:
        scores = kernel.score_covariances_matvec(kept, alpha)
        variance = _interpolate_variances(kernel.score_variances, units, variance)
    end_residuals = 0.0, 0.0
    if len(checked):
        precision = np.einsum("nj,nj->j", root, root)
        variance = variance * _residual_scale(kept, checked, alpha[checked] ** 2 / precision)
        end_residuals = _end_residuals(kept, checked, (alpha[checked] / precision) ** 2)
    return scores, variance, alpha, end_residuals


def _representative_units(prior_variances: Array) -> NDArray[np.intp]:
    """The units whose posterior variances are computed: all, or of many units some, evenly in the order of variance."""
    d = len(prior_variances)
    if d <= SIZES.inverted_units:
        return np.arange(d)
    ranks = np.linspace(0, d - 1, SIZES.checked_units).astype(np.intp)
    return np.asarray(np.argsort(prior_variances, kind="stable")[ranks])


def _interpolate_variances(prior_variances: Array, units: NDArray[np.intp], variances: Array) -> Array:
    """The posterior variances of all units from those of some units, in the order of their prior variances.

    With many units, the posterior variance depends on little else than the prior variance, so that its logarithm is
    interpolated.
    """
    tiny = np.finfo(float).tiny
    logarithms = np.log(np.maximum(variances, tiny))
    return np.asarray(np.exp(np.interp(np.log(prior_variances), np.log(prior_variances[units]), logarithms)))


def _residual_scale(kept: Kept, checked: NDArray[np.intp], ratios: Array) -> float:
    r"""The ratio of the variance of the scores to the predicted variance.

    `ratios` are squared leave-one-out residuals of f divided by their predicted variances, at the rows `checked`. Many
    games are rough if few units are kept or absent, and smooth between. Sizes whose coalitions were all evaluated leave
    no error. So the model of the ratios depends on the size, :math:`\exp(a + b x)` with x its log-odds. This is a
    regression of squared normal numbers by Fisher's scoring, in which b has a normal prior. A Shapley value gives all
    sizes the same weight, so the result is the mean over sizes, each weighted by the share of its coalitions that was
    not evaluated.
    """
    d = kept.shape[1]
    sizes, pairs, _ = _pair_sizes(d)
    size = kept.sum(axis=1)
    size = np.minimum(size, d - size)  # a coalition and its complement are one pair
    observed = np.bincount(size, minlength=d // 2 + 1)[1:]
    rows = np.bincount(size[checked], minlength=d // 2 + 1)[1:]
    sums = np.bincount(size[checked], ratios, minlength=d // 2 + 1)[1:]
    odds = size_log_odds(d)[sizes]
    design = np.stack([np.ones(len(sizes)), odds - rows @ odds / len(checked)], axis=1)
    precision = np.array([0.0, 2 / ERRORS.slope_deviation**2])
    inverse = np.linalg.inv((design.T * rows) @ design + np.diag(precision))
    coefficients = np.array([np.log(max(float(ratios.mean()), _NO_RESIDUAL)), 0.0])
    for _ in range(ERRORS.scoring_steps):
        step = inverse @ (design.T @ (sums * np.exp(-design @ coefficients) - rows) - precision * coefficients)
        coefficients += np.clip(step, -1, 1)
        if np.abs(step).max() < _CONVERGED:
            break
    weight = (1 - observed / pairs) * np.where(2 * sizes == d, 1, 2)
    return float(weight @ np.exp(design @ coefficients) / weight.sum())


def _end_residuals(kept: Kept, checked: NDArray[np.intp], squares: Array) -> tuple[float, float]:
    r"""The variance of the scores if residuals at both ends are effects of units, and the contrast between sizes.

    `squares` are squared leave-one-out residuals of f at the rows `checked`. Let :math:`\rho_s` be their root mean
    square at size s, and :math:`u_s` the share of the coalitions of this size that was not evaluated. The contrast is
    the logarithm of the ratio of :math:`\rho_s` where few units are kept or few are missing to that for about half of
    the units. If it is large, the model reacts to the nearly complete (or nearly empty) input in its own way, and a
    handful of coalitions tells little about that: the residuals are effects of units rather than noise, so that all of
    one size err in the same direction. The variance of a score is then

    .. math:: \frac{4}{d^3} \Bigl(\sum_s u_s \rho_s \sqrt{\min(1, d / n_s)}\Bigr)^2

    with :math:`n_s` the number of coalitions of this size that were evaluated.
    """
    d = kept.shape[1]
    sizes, pairs, _ = _pair_sizes(d)
    size = kept.sum(axis=1)
    size = np.minimum(size, d - size)  # a coalition and its complement are one pair
    observed, rows = (np.bincount(sizes_of, minlength=d // 2 + 1)[1:] for sizes_of in (size[1:], size[checked]))
    weight = (1 - observed / pairs) * np.where(2 * sizes == d, 1, 2)
    ends, middle = weight * (sizes <= max(2, d / 5)), weight * (sizes > d / 3)
    if not ends.sum() or not middle.sum():
        return 0.0, 0.0
    odds, known = size_log_odds(d)[sizes], np.flatnonzero(rows)[::-1]  # the log-odds fall with the size
    sums = np.bincount(size[checked], squares, minlength=d // 2 + 1)[1:]
    logarithms = np.log(np.maximum(sums[known] / rows[known], _NO_RESIDUAL))
    rms = np.exp(np.interp(odds, odds[known], logarithms) / 2)
    contrast = float(np.log((ends @ rms**2 / ends.sum()) / (middle @ rms**2 / middle.sum())) / 2)
    low, high = ERRORS.contrasts
    share = min(max((contrast - low) / (high - low), 0.0), 1.0)
    linear_variance = 4 / d**3 * float(weight * np.sqrt(np.minimum(1, d / np.maximum(observed, 1))) @ rms) ** 2
    return ERRORS.end_variance * share * linear_variance, contrast


def _regress_residuals(kept: Kept, residuals: Array, variance: Array) -> tuple[Array, Array]:
    r"""The correction of the scores by residuals of the process at random coalitions, and the variance after it.

    These are least squares with the weights of the Shapley kernel. The prior is the posterior of the process, so that
    any number of pairs can only add information. The residuals are those of the last rows of `kept`; the process was
    fitted to the rows before.
    """
    d, first = kept.shape[1], len(kept) - len(residuals)
    weight, unseen = _kernel_weights(kept[1:], first - 1)
    if d > SIZES.inverted_units:
        return _regress_residuals_many(kept[first:], residuals, variance, weight[first - 1 :], unseen[first - 1 :])
    matrix, pull = np.zeros((d, d)), np.zeros(d)
    pulled = np.concatenate([np.zeros(first - 1), weight[first - 1 :] * residuals])
    for start in range(0, len(weight), _TILE_ROWS):
        tile = slice(start, start + _TILE_ROWS)
        half = np.where(kept[1:][tile], 0.5, -0.5)
        pull += pulled[tile] @ half
        half *= np.sqrt(weight[tile, None])
        matrix += half.T @ half
    noise = max(float(unseen @ pulled**2 / weight.sum()), np.finfo(float).tiny)
    floor = max(float(variance.mean()) * 1e-6, np.finfo(float).tiny)
    matrix /= noise
    matrix[np.diag_indices(d)] += 1 / np.maximum(variance, floor)
    inverse = invert_factored(linalg.cholesky(matrix, lower=True, check_finite=False))
    # The sum of all scores is known, so the change sums to zero.
    inverse -= np.outer(inverse.sum(axis=1), inverse.sum(axis=0)) / inverse.sum()
    return np.asarray(inverse @ pull / noise), np.asarray(np.maximum(np.diag(inverse), 0))


def _regress_residuals_many(
    kept: Kept, residuals: Array, variance: Array, weight: Array, unseen: Array
) -> tuple[Array, Array]:
    """The same, approximately, for many units. The weights of the rows that were chosen are practically zero."""
    noise = max(float(unseen @ (weight * residuals) ** 2 / weight.sum()), np.finfo(float).tiny)
    precision = 1 / np.maximum(variance, max(float(variance.mean()) * 1e-6, np.finfo(float).tiny))
    signs, single = signs_of(kept, np.float32), (weight / noise / 4).astype(np.float32)

    def multiply(vector: Array) -> Array:
        return np.asarray(precision * vector + (single * (signs @ vector.astype(np.float32))) @ signs)

    def solve(right: Array) -> Array:
        return conjugate_gradients(multiply, right, precision + float(single.sum()), _TOLERANCE, _SOLUTION_STEPS)

    change, uniform = solve((weight * residuals / noise / 2) @ signs), solve(np.ones(len(variance)))
    inverse_diagonal = effect_variances(precision, weight / noise / 4 * sign_variances(kept))
    # The sum of all scores is known, so the change sums to zero.
    change -= uniform * (change.sum() / uniform.sum())
    return change, np.maximum(inverse_diagonal - uniform**2 / uniform.sum(), 0)


def _kernel_weights(kept: Kept, first: int) -> tuple[Array, Array]:
    """The weight of each row, such that all rows of a size have the weight of that size in the Shapley kernel.

    The first rows were chosen and represent only themselves. The others are random and represent all remaining
    coalitions. The second result is the share of the remaining coalitions that was not evaluated; it is 0 if there is
    no sampling error.
    """
    d = kept.shape[1]
    size = kept.sum(axis=1)
    size = np.minimum(size, d - size)  # a coalition and its complement are one pair
    _, pairs, mass = _pair_sizes(d)
    chosen, random = (np.bincount(sizes, minlength=d // 2 + 1)[1:] for sizes in (size[:first], size[first:]))
    random_weights = mass * (1 - chosen / pairs) / np.maximum(random, 1)
    unseen = 1 - random / np.maximum(pairs - chosen, 1)
    chosen_index, random_index = size[:first] - 1, size[first:] - 1
    return np.concatenate([(mass / pairs)[chosen_index], random_weights[random_index]]), np.concatenate(
        [np.zeros(first), unseen[random_index]]
    )


@lru_cache(maxsize=64)
def _pair_sizes(d: int) -> tuple[NDArray[np.intp], Array, Array]:
    """The sizes of the smaller half of a pair, the number of pairs of each, and its weight in the Shapley kernel."""
    sizes = np.arange(1, d // 2 + 1)
    both = np.where(2 * sizes == d, 1, 2)  # two halves of equal size have one size, all others have two
    return sizes, np.asarray(special.comb(d, sizes) * both / 2), both / (sizes * (d - sizes))
