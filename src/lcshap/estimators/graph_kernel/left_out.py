"""What residuals at single coalitions say about the scores: the scale of their variances, and systematic errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from .fixed_kernel import Array, Kept
from .product_kernel import signs_of, size_log_odds
from .tuning import DESIGN, ERRORS

_CONVERGED, _NO_RESIDUAL = 1e-4, 1e-200  # tolerances of the regression on squared residuals, which may all be zero


@dataclass(frozen=True, eq=False)
class Correction:
    """What a regression on residuals adds to the scores.

    Attributes
    ----------
    change : what is added to the scores, `(d,)`.
    variance : the variance of a regression on residuals, `(d,)`, whether or not it is used.
    """

    change: Array
    variance: Array


def regress_left_out(kept: Kept, residuals: Array) -> Correction:
    r"""The correction of the scores by a regression on leave-one-out residuals.

    The residual of each coalition is what it says about the scores beyond the process that was fitted to all others. A
    least-squares regression with the weights of the Shapley kernel turns these residuals into an estimate
    :math:`\Delta` of the error of the scores, which is unbiased whatever the process assumes, because the coalitions
    were chosen without regard to v. Its sampling variance N is that of the sandwich estimator. Coalitions of sizes that
    were evaluated completely have no error. The correction is

    .. math:: \max\Bigl(0, 1 - c \frac{\mathrm{tr} N}{\lVert \Delta \rVert^2}\Bigr) \Delta,

    so that it is zero unless the residuals contradict the process by more than chance (Stein's estimator, c > 1).

    Parameters
    ----------
    kept : coalitions, `(n, d)`, without V.
    residuals : the leave-one-out residuals of f there.
    """
    weight, unseen = size_weights(kept)
    signs = np.where(kept, 0.5, -0.5)
    matrix = signs.T @ (weight[:, None] * signs)
    matrix -= matrix.mean(axis=0)
    matrix -= matrix.mean(axis=1)[:, None]  # the sum of all scores is known, so that the change sums to zero
    inverse = linalg.pinvh(matrix, rtol=1e-10)
    change = inverse @ (signs.T @ (weight * unseen * residuals))
    influence = (signs @ inverse) ** 2
    variance = influence.T @ (weight**2 * unseen * residuals**2)
    square = float(change @ change)
    share = 1 - ERRORS.correction_caution * float(variance.sum()) / square if square > 0 else 0.0
    return Correction(max(share, 0.0) * change, variance)


@dataclass(frozen=True, eq=False)
class EffectComparison:
    """Effects of units at both ends, compared with those in coalitions of about half of the units.

    Attributes
    ----------
    variance : the variance of a score because it is unknown where between these sizes effects change.
    is_doubtful : whether effects differ so clearly that intervals are in doubt.
    """

    variance: float
    is_doubtful: bool


def compare_effects(kept: Kept, odd: Array) -> EffectComparison:
    r"""Compare effects at both ends with those in the middle, if there are few coalitions of other sizes.

    With few pairs, nearly all coalitions have one unit, all but one, or about half of them. If the values in the middle
    are exactly a sum over units, but with other effects than at both ends, then the model changes at some size in
    between, and the values do not say at which. Let :math:`b_j` be the effects of units on f at both ends, and
    :math:`m_j` those in the middle (:math:`q b_j` if there are too few values for a regression). The score of unit j is
    then between :math:`2 m_j` and :math:`2 b_j`. The variance is that of a uniform share of both, for deviations from
    the mean score, because the sum of the scores is known.

    The middle counts as a sum if the values predicted by the :math:`b_j` differ from it many times more than it differs
    from a sum. Real games that change near one end are far from this, because they change by degrees.

    Parameters
    ----------
    kept, odd : coalitions, the first of which is V, and f there.
    """
    (n, d), size = kept.shape, kept.sum(axis=1)
    size = np.minimum(size, d - size)
    single, middle = np.flatnonzero(size == 1), size > d / 3
    if n - 1 > DESIGN.few_pairs_per_unit * d or len(single) < d or not middle.any():
        return EffectComparison(0.0, False)
    signs, rows = signs_of(kept), np.concatenate([[0], single])
    at_ends = np.linalg.lstsq(signs[rows], odd[rows], rcond=None)[0]
    signs, odd = signs[middle], odd[middle]
    predicted = signs @ at_ends
    square = float(predicted @ predicted)
    if square <= _NO_RESIDUAL:
        return EffectComparison(0.0, False)
    if len(odd) >= 2 * d:
        in_middle = np.linalg.lstsq(signs, odd, rcond=None)[0]
    else:
        in_middle = at_ends * float(predicted @ odd) / square
    gap = float(np.sum((signs @ (at_ends - in_middle)) ** 2))
    residual = float(np.sum((odd - signs @ in_middle) ** 2))
    low, high = ERRORS.exact_gaps
    ratio = np.sqrt(gap / max(residual, _NO_RESIDUAL))
    share = min(max((ratio - low) / (high - low), 0.0), 1.0) if gap > ERRORS.smallest_gap**2 * square else 0.0
    variance = share * ERRORS.change_variance * 4 * float(np.var(at_ends - in_middle))
    return EffectComparison(variance, share > ERRORS.doubtful_share)


def size_weights(kept: Kept) -> tuple[Array, Array]:
    """The weight of each row in the Shapley kernel, if it represents its size; and the share that was not evaluated."""
    d = kept.shape[1]
    _, pairs, mass = pair_sizes(d)
    size = kept.sum(axis=1)
    size = np.minimum(size, d - size)  # a coalition and its complement are one pair
    observed = np.bincount(size, minlength=d // 2 + 1)[1:]
    weight, unseen = mass / np.maximum(observed, 1), np.maximum(1 - observed / pairs, 0)
    return weight[size - 1], unseen[size - 1]


def residual_scale(kept: Kept, checked: NDArray[np.intp], ratios: Array) -> float:
    r"""The ratio of the variance of the scores to the predicted variance.

    `ratios` are squared leave-one-out residuals of f divided by their predicted variances, at the rows `checked`. Many
    games are rough if few units are kept or absent, and smooth between. Sizes whose coalitions were all evaluated leave
    no error. So the model of the ratios depends on the size, :math:`\exp(a + b x)` with x its log-odds. This is a
    regression of squared normal numbers by Fisher's scoring, in which b has a normal prior. A Shapley value gives all
    sizes the same weight, so the result is the mean over sizes, each weighted by the share of its coalitions that was
    not evaluated.
    """
    d = kept.shape[1]
    sizes, pairs, _ = pair_sizes(d)
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


def end_residuals(kept: Kept, checked: NDArray[np.intp], squares: Array) -> tuple[float, float]:
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
    sizes, pairs, _ = pair_sizes(d)
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


@lru_cache(maxsize=64)
def pair_sizes(d: int) -> tuple[NDArray[np.intp], Array, Array]:
    """The sizes of the smaller half of a pair, the number of pairs of each, and its weight in the Shapley kernel."""
    sizes = np.arange(1, d // 2 + 1)
    both = np.where(2 * sizes == d, 1, 2)  # two halves of equal size have one size, all others have two
    return sizes, np.asarray(special.comb(d, sizes) * both / 2), both / (sizes * (d - sizes))
