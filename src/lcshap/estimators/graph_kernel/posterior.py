"""The posterior of the Shapley values given the odd half of pairs, and the calibration of its standard errors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from .evidence import cholesky, invert_factored
from .fit import fit_odd_kernels
from .fixed_kernel import Array, Kept, unseen_noise_variances
from .hyperparameters import OddHyperparameters
from .left_out import compare_effects, end_residuals, pair_sizes, regress_left_out, residual_scale
from .many_units import conjugate_gradients, effect_variances, sign_variances
from .odd_kernel import OddKernel
from .product_kernel import signs_of
from .tuning import DESIGN, ERRORS, SIZES

_TILE_ROWS = 1024  # rows that are added at a time
_TOLERANCE, _SOLUTION_STEPS = 1e-5, 100  # of the equations for the correction of many units

DOUBT = (
    "The intervals may be too narrow: the model seems to react to nearly complete or nearly empty inputs in another "
    "way than to others, and too few of them were evaluated. Use more calls, or check with SampleShapley."
)


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is known about the Shapley values.

    Attributes
    ----------
    scores, stderr : the posterior mean and standard deviation, one number per unit.
    is_doubtful : whether leave-one-out residuals contradict the fit (see `end_residuals`).
    """

    scores: Array
    stderr: Array
    is_doubtful: bool


@dataclass(frozen=True, eq=False)
class _KernelPosterior:
    """The posterior with one kernel.

    Attributes
    ----------
    scores, variance : the posterior mean and variance.
    alpha : weights of coalitions, for predicting f at other coalitions.
    end_variance, contrast : see `end_residuals`.
    scale : the mean of squared leave-one-out residuals, divided by their predicted variances.
    regression_variance : the variance of the regression on residuals, if there is one.
    floor_share : the smallest variance of scores, relative to this variance, in games of many values.
    """

    scores: Array
    variance: Array
    alpha: Array
    end_variance: float = 0.0
    contrast: float = 0.0
    scale: float = 1.0
    regression_variance: Array = field(default_factory=lambda: np.zeros(1))
    floor_share: float = 0.0


def max_process_pairs(d: int) -> int:
    """The largest number of pairs of the process for d units. A regression on its residuals uses the others.

    >>> max_process_pairs(30), max_process_pairs(100), max_process_pairs(1000), max_process_pairs(3000)
    (4096, 1024, 2500, 4096)
    """
    if d <= SIZES.many_units:
        return SIZES.process_pairs
    return min(SIZES.process_pairs, max(int(SIZES.process_pairs_per_unit * d), SIZES.min_process_pairs))


def score_posterior(
    kept: Kept,
    odd: Array,
    hyperparameters: OddHyperparameters,
    units: bool = True,
    effects: Array | None = None,
    few_values: bool = False,
) -> Posterior:
    """The posterior mean and standard deviation of the Shapley values, given f at coalitions, the first of which is V.

    Parameters
    ----------
    kept, odd : the coalitions, and f there.
    hyperparameters : the hyperparameters to fit, made from the same coalitions. They can be used for many inputs.
    units : whether each unit may have its own length scale.
    effects : see `fit_odd_kernels`. With effects, the results of two kernels are averaged.
    few_values : whether v has few different values (see `count_values`).
    """
    # Values are scaled, because squares of very large or small values are not finite or zero.
    size = float(np.abs(odd).max()) or 1.0
    odd = odd / size
    kernels = fit_odd_kernels(hyperparameters, odd, units, effects)
    posteriors = [_score_posterior(kept, odd, kernel, hyperparameters) for kernel in kernels]
    scores, variance = _average([(posterior.scores, posterior.variance) for posterior in posteriors])
    end_variance, contrast = (max(getattr(p, name) for p in posteriors) for name in ("end_variance", "contrast"))
    is_floored = few_values and len(kept) - 1 > ERRORS.floor_pairs_per_unit_few_values * kept.shape[1]
    few_share = ERRORS.floor_share_few_values if is_floored else 0.0
    floor = np.max([max(p.floor_share, few_share) * p.regression_variance for p in posteriors], axis=0)
    if len(kept) - 1 <= DESIGN.few_pairs_per_unit * kept.shape[1]:  # single units and halves are too different
        end_variance, contrast = 0.0, 0.0
    ends = compare_effects(kept, odd)
    end_variance, is_doubtful = (
        max(end_variance, ends.variance),
        contrast > ERRORS.doubtful_contrast or ends.is_doubtful,
    )
    drift = 2 * odd[0] - scores.sum()  # the pair {V, ∅} was evaluated without noise, so the sum of the scores is known
    stderr = size * np.sqrt(np.maximum(ERRORS.caution**2 * np.maximum(variance, end_variance), floor))
    return Posterior(size * (scores + drift / len(scores)), stderr, bool(is_doubtful))


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
    extent, effective_values = count_values(plus, minus)
    if not 0 < effective_values <= ERRORS.few_values:
        return np.zeros(kept.shape[1])
    step = extent / max(effective_values - 1, 1) / 2  # the possible error of f
    return np.asarray(step * np.sqrt(ERRORS.unseen_values / len(kept) * unseen_noise_variances(kept)))


def count_values(plus: Array, minus: Array) -> tuple[float, float]:
    """The range of the values, and the number of equally frequent values with the same entropy; 0 without a range.

    Parameters
    ----------
    plus, minus : v at coalitions, the first of which is V, and at their complements.
    """
    values = np.concatenate([plus[1:], minus[1:]])  # without the values of V and ∅, which are often far from all others
    extent = float(np.ptp(values)) if len(values) else 0.0
    if not 0 < extent < np.inf:
        return 0.0, 0.0
    shares = np.unique(np.rint((values - values.min()) / extent * ERRORS.value_bins), return_counts=True)[1] / len(
        values
    )
    return extent, float(np.exp(special.entr(shares).sum()))


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
) -> _KernelPosterior:
    """Mean and variance from the process, corrected by regression on its residuals at the remaining pairs."""
    limit = max_process_pairs(kept.shape[1]) + 1
    first, remaining = slice(0, limit), slice(limit, None)
    has_all_rows = len(hyperparameters.kept) == len(kept) <= limit
    K = hyperparameters.covariance_matrix(kernel) if has_all_rows else kernel.upper_covariance_matrix(kept[first])
    process = _process_posterior(kept[first], odd[first], kernel, K)
    if process.scale > ERRORS.contradicting_scale and not has_all_rows and kernel.terms.wide:
        kernel = _with_more_noise(kept[first], odd[first], kernel)
        process = _process_posterior(kept[first], odd[first], kernel, kernel.upper_covariance_matrix(kept[first]))
    if len(kept) <= limit:
        return process
    residuals = odd[remaining] - kernel.covariance_matvec(kept[remaining], kept[first], process.alpha)
    change, variance = _regress_residuals(kept, residuals, process.variance)
    return replace(process, scores=process.scores + change, variance=variance, regression_variance=np.zeros(1))


def _with_more_noise(kept: Kept, odd: Array, kernel: OddKernel) -> OddKernel:
    """The kernel with the white noise of greatest evidence of all coalitions, at least as much as it has.

    With many coalitions, the kernel is fitted to some of them. These may be explained without noise when all of them
    cannot, such as those of a vote. The evidence is that of the best scale of the kernel.
    """
    size, best, best_evidence = float(kernel.covariance_matrix(kept[:1])[0, 0]), kernel, -np.inf
    for white in (kernel.white, *(size * share for share in ERRORS.noise_shares)):
        candidate = replace(kernel, white=max(white, kernel.white))
        factor, log_determinant = cholesky(candidate.upper_covariance_matrix(kept))
        if factor is None:
            continue
        half = linalg.lapack.dtrtrs(factor, odd, lower=1)[0]
        evidence = -len(odd) / 2 * float(np.log(half @ half)) - log_determinant
        if evidence < best_evidence:
            break
        best, best_evidence = candidate, evidence
    return best


def _process_posterior(kept: Kept, odd: Array, kernel: OddKernel, K: Array) -> _KernelPosterior:
    """Mean and variance of the scores, and what leave-one-out residuals say about them. K is overwritten."""
    (n, d), units = kept.shape, _representative_units(kernel.score_variances)
    is_corrected = kernel.terms.wide and n - 1 > SIZES.correction_pairs_per_unit * d
    # The leave-one-out residual of f_i is alpha_i / (K^-1)_ii, and its variance is scale / (K^-1)_ii.
    checked_count = n - 1 if is_corrected else min(SIZES.checked_rows, n - 1)
    checked = np.unique(np.linspace(1, n - 1, checked_count).astype(np.intp))
    columns = 0 if is_corrected else len(checked)
    right = np.zeros((n, len(units) + 1 + columns), order="F")
    right[:, : len(units)], right[:, len(units)] = kernel.score_covariances(kept, units).T, odd
    right[checked[:columns], len(units) + 1 + np.arange(columns)] = 1
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
    if not len(checked):
        return _KernelPosterior(scores, variance, alpha)
    if is_corrected:
        root = linalg.lapack.dtrtri(factor, lower=1, overwrite_c=1)[0][:, 1:]
    precision = np.einsum("nj,nj->j", root, root)
    ratios, residuals = alpha[checked] ** 2 / precision, alpha[checked] / precision
    variance = variance * residual_scale(kept, checked, ratios)
    end_variance, contrast = end_residuals(kept, checked, residuals**2)
    process = _KernelPosterior(scores, variance, alpha, end_variance, contrast, float(ratios.mean()))
    if len(checked) < n - 1:
        return process
    correction = regress_left_out(kept[1:], residuals)
    share = _floor_share((n - 1) / d)
    change = correction.change if is_corrected else 0.0
    return replace(process, scores=scores + change, regression_variance=correction.variance, floor_share=share)


def _floor_share(pairs_per_unit: float) -> float:
    """The smallest variance of scores, relative to that of a regression on residuals."""
    return max([share for pairs, share in ERRORS.floor_shares if pairs_per_unit > pairs], default=0.0)


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
    _, pairs, mass = pair_sizes(d)
    chosen, random = (np.bincount(sizes, minlength=d // 2 + 1)[1:] for sizes in (size[:first], size[first:]))
    random_weights = mass * (1 - chosen / pairs) / np.maximum(random, 1)
    unseen = 1 - random / np.maximum(pairs - chosen, 1)
    chosen_index, random_index = size[:first] - 1, size[first:] - 1
    return np.concatenate([(mass / pairs)[chosen_index], random_weights[random_index]]), np.concatenate(
        [np.zeros(first), unseen[random_index]]
    )
