"""From pairs to Shapley values: exactly, by least squares where that is exact too, or by the posterior of a process."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from .pair_evidence import fit
from .pair_prior import Array, prior
from .pair_shape import Kept, Shape, left_by_noise, log_odds
from .pair_space import Space, inverse_by

MOST_PAIRS = 4096  # the process takes no more, since it takes the cube of that
_MANY_UNITS, _PAIRS_A_UNIT, _LEAST_PAIRS = 64, 2.5, 1024  # and with many units, so many a unit, but at least so many
_CHECKED = 256  # rows whose leave-one-out errors set the scale of the standard errors
_CAUTION = 1.2  # standard errors are larger by that: the prior was fitted to the very values that it explains
_SLOPE, _SCORING = 2.0, 25  # of leave-one-out errors by size: the deviation that is expected, and steps
_SETTLED, _NO_ERROR = 1e-4, 1e-200  # the last step of these; they may all be zero
_FEW_VALUES, _PARTS = 3.0, 1000  # so many different values are few; values in the same such part of their range are one
_SURPRISES = 30  # with few values, so many are taken to be possible among as many pairs as were seen
FEW_PAIRS = 4  # up to so many pairs a unit, single units are asked for, and results of two priors are averaged
_POWER = 3  # by which their weights depend on their variances
_TILE = 1024  # rows that are added at a time
_RIDGE, _ROUGHLY = 1e-10, 1e-3  # games that fit worse than that, with such a ridge, are not looked at more closely
_ADDITIVE = 1e-10  # of the largest value: what is left of a game whose odd part is a sum over units


def most_pairs(d: int) -> int:
    """How many pairs the process takes for so many units: what it misses is learnt from the others.

    >>> most_pairs(30), most_pairs(100), most_pairs(1000), most_pairs(3000)
    (4096, 1024, 2500, 4096)
    """
    return MOST_PAIRS if d <= _MANY_UNITS else min(MOST_PAIRS, max(int(_PAIRS_A_UNIT * d), _LEAST_PAIRS))


def all_pairs(kept: Kept, odd: Array) -> Array:
    """The Shapley values, where all pairs are there."""
    return np.asarray(prior(kept.shape[1], 0.0, 0.0, 0.0, float(kept.shape[1])).of_scores(kept) @ odd)


def additive(kept: Kept, odd: Array) -> Array | None:
    """The Shapley values of a game whose odd part is a sum over units: such as one in which only pairs interact."""
    n, d = kept.shape
    largest = np.abs(odd).max(initial=0)
    if largest == 0:
        return np.zeros(d)
    few = min(n, d + 1 + d // 4)  # enough to tell most games from an additive one
    if n <= d or not _may_fit(kept[:few], odd[:few], largest):
        return None
    found, left = _least_squares(kept, odd)
    return found if _fits(found, left, largest) else None


def _may_fit(kept: Kept, odd: Array, largest: float) -> bool:
    """Whether scores may fit the odd part: normal equations are not exact, and much faster."""
    half = np.where(kept, 0.5, -0.5)
    single = half.astype(np.float32)
    gram = (single.T @ single).astype(float)  # exact, as all entries are small multiples of 1/4
    gram[np.diag_indices(len(gram))] += _RIDGE * len(kept)
    found = linalg.solve(gram, half.T @ odd, assume_a="pos", overwrite_a=True, check_finite=False)
    return bool(np.abs(odd - half @ found).max() <= _ROUGHLY * largest)


def _least_squares(kept: Kept, odd: Array) -> tuple[Array, Array]:
    """Scores, and what they leave of the odd part."""
    half = np.where(kept, 0.5, -0.5)
    found = linalg.lstsq(half, odd, lapack_driver="gelsy", check_finite=False)[0]
    return found, odd - half @ found


def _fits(found: Array, left: Array, largest: float) -> bool:
    return bool(np.abs(left).max() <= _ADDITIVE * largest)


def posterior(
    kept: Kept, odd: Array, space: Space, units: bool = True, effects: Array | None = None
) -> tuple[Array, Array]:
    """The mean and the deviation of the Shapley values, given f at these coalitions, the first of which is V.

    Parameters
    ----------
    kept, odd : the coalitions, and f there.
    space : what the prior is fitted in; made of the same coalitions, and good for many inputs.
    units : whether units may have reaches of their own.
    effects : see `fit`: where they are given, the results of two priors are averaged.

    Returns
    -------
    tuple of arrays
        One number a unit each.
    """
    size = float(np.abs(odd).max()) or 1.0  # squares of very large and very small values are no numbers
    odd = odd / size
    scores, variance = _averaged([_fitted(kept, odd, shape, space) for shape in fit(space, odd, units, effects)])
    drift = 2 * odd[0] - scores.sum()  # {V, ∅} is one of the pairs, and has no noise
    return size * (scores + drift / len(scores)), size * _CAUTION * np.sqrt(variance)


def surprises(kept: Kept, plus: Array, minus: Array) -> Array:
    """The deviation of scores by what a game of few values, such as a vote, may hold where it was not seen.

    A process may explain all values that it has seen, and by that seem to be sure. But where a value is one of a few,
    a coalition tells little of those near it: of as many others as were seen, about three may have another value
    without any having shown up. They are not independent of each other, so a larger number is taken, as white noise.
    A probability that is next to 0 or 1 for nearly all coalitions is such a game too.

    Parameters
    ----------
    kept : coalitions, the first of which is V.
    plus, minus : v there, and at their complements.
    """
    values = np.concatenate([plus[1:], minus[1:]])  # V and ∅ are known, and often far from all others
    extent = float(np.ptp(values)) if len(values) else 0.0
    if not 0 < extent < np.inf:
        return np.zeros(kept.shape[1])
    shares = np.unique(np.rint((values - values.min()) / extent * _PARTS), return_counts=True)[1] / len(values)
    many = float(np.exp(special.entr(shares).sum()))  # of equally frequent values, with this entropy
    if many > _FEW_VALUES:
        return np.zeros(kept.shape[1])
    least = extent / max(many - 1, 1) / 2  # by which f may be off
    return np.asarray(least * np.sqrt(_SURPRISES / len(kept) * left_by_noise(kept)))


def _averaged(found: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """One mean and variance for several: those of smaller variance count more, and how much they differ is added."""
    if len(found) == 1:
        return found[0]
    means, variances = (np.array(part) for part in zip(*found, strict=True))
    each = np.maximum(variances.mean(axis=1), np.finfo(float).tiny)
    weights = (each.min() / each) ** _POWER
    weights /= weights.sum()
    return weights @ means, weights @ variances + np.mean(means.var(axis=0))


def single_effects(kept: Kept, plus: Array, minus: Array) -> Array | None:
    r"""How much each unit does in the smallest and the largest coalitions; None where this is not known of nearly all.

    .. math:: \frac{l_j^2}{\overline{l^2}} + \frac{r_j^2}{\overline{r^2}}, \qquad
              l_j = v(\{j\}) - v(\emptyset), \quad r_j = v(V) - v(V \setminus \{j\})

    Parameters
    ----------
    kept : coalitions, the first of which is V.
    plus, minus : v there, and at their complements.
    """
    n, d = kept.shape
    size = kept.sum(axis=1)
    rows = np.flatnonzero((size == 1) | (size == d - 1))
    if n - 1 > FEW_PAIRS * d or len(rows) < d - 1 or d < 3:
        return None
    one = size[rows] == 1  # else all others are kept
    unit = (kept[rows] == one[:, None]).argmax(axis=1)
    alone, without = np.where(one, plus[rows], minus[rows]), np.where(one, minus[rows], plus[rows])
    found = np.zeros(d)
    for side in (alone - minus[0], plus[0] - without):
        square = (side / (np.abs(side).max() or 1.0)) ** 2
        found[unit] += square / (square.mean() or 1.0)
    missing = np.setdiff1d(np.arange(d), unit)
    found[missing] = np.median(found[unit])
    return found if found.any() else None


def _fitted(kept: Kept, odd: Array, shape: Shape, space: Space) -> tuple[Array, Array]:
    """Mean and variance, by the process and, where there are more pairs than it takes, by what it misses."""
    most = most_pairs(kept.shape[1]) + 1
    first, rest = slice(0, most), slice(most, None)
    K = space.among(shape) if len(space.kept) == len(kept) <= most else shape.among(kept[first])
    scores, variance, alpha = _process(kept[first], odd[first], shape, K)
    if len(kept) > most:
        left = odd[rest] - shape.applied(kept[rest], kept[first], alpha)
        change, variance = _learn(kept, left, variance)
        scores = scores + change
    return scores, variance


def _process(kept: Kept, odd: Array, shape: Shape, K: Array) -> tuple[Array, Array, Array]:
    """Mean and variance of the scores, and the weights by which f is predicted elsewhere. K is overwritten."""
    n, d = kept.shape
    # f_i less its prediction from all others is alpha_i / (K^-1)_ii, of variance scale / (K^-1)_ii.
    checked = np.unique(np.linspace(1, n - 1, min(_CHECKED, n - 1)).astype(np.intp))
    given = np.zeros((n, d + 1 + len(checked)), order="F")
    given[:, :d], given[:, d] = shape.of_scores(kept).T, odd
    given[checked, d + 1 + np.arange(len(checked))] = 1
    factor = linalg.cholesky(K.T, lower=True, overwrite_a=True, check_finite=False)
    solved = linalg.lapack.dtrtrs(factor, given, lower=1, overwrite_b=1)[0]
    half, root = solved[:, :d], solved[:, d + 1 :]
    scores = half.T @ solved[:, d]
    left = np.maximum(shape.variances - np.einsum("nj,nj->j", half, half), shape.unseen(kept))
    alpha = linalg.lapack.dtrtrs(factor, solved[:, d], lower=1, trans=1)[0]
    scale = _scale(kept, checked, alpha[checked] ** 2 / np.einsum("nj,nj->j", root, root)) if len(checked) else 1.0
    return scores, left * scale, alpha


def _scale(kept: Kept, checked: NDArray[np.intp], ratios: Array) -> float:
    r"""The variance that scores have, over the predicted one.

    `ratios` are squared leave-one-out errors of f over predicted ones, at the rows `checked`. Many games are rough
    where few units are kept or missing, and smooth between; and where coalitions of a size have all been seen, they
    leave nothing unknown. So ratios are taken to depend on the size, as :math:`\exp(a + b x)` with x its log-odds: a
    regression of squared normal numbers by Fisher's scoring, in which b has a normal prior. A Shapley value weights all
    sizes alike, so the result is their mean over sizes, each weighted by the share of its coalitions that was not seen.
    """
    d = kept.shape[1]
    sizes, many, _ = _of_sizes(d)
    size = kept.sum(axis=1)
    size = np.minimum(size, d - size)  # a coalition and its complement are one pair
    seen = np.bincount(size, minlength=d // 2 + 1)[1:]
    rows = np.bincount(size[checked], minlength=d // 2 + 1)[1:]
    sums = np.bincount(size[checked], ratios, minlength=d // 2 + 1)[1:]
    odds = log_odds(d)[sizes]
    given = np.stack([np.ones(len(sizes)), odds - rows @ odds / len(checked)], axis=1)
    prior_of = np.array([0.0, 2 / _SLOPE**2])
    inverse = np.linalg.inv((given.T * rows) @ given + np.diag(prior_of))
    at = np.array([np.log(max(float(ratios.mean()), _NO_ERROR)), 0.0])
    for _ in range(_SCORING):
        step = inverse @ (given.T @ (sums * np.exp(-given @ at) - rows) - prior_of * at)
        at += np.clip(step, -1, 1)
        if np.abs(step).max() < _SETTLED:
            break
    weight = (1 - seen / many) * np.where(2 * sizes == d, 1, 2)
    return float(weight @ np.exp(given @ at) / weight.sum())


def _learn(kept: Kept, left: Array, variance: Array) -> tuple[Array, Array]:
    r"""What the scores miss, from what the process leaves of f at random coalitions; and the variance after that.

    Least squares with the weights of the Shapley kernel and with what the process did not know of each score as the
    prior: however many pairs there are, they only add. `left` belongs to the last rows of `kept`; at those before, the
    process leaves nothing.
    """
    d, first = kept.shape[1], len(kept) - len(left)
    weight, unseen = _kernel_weights(kept[1:], first - 1)
    matrix, pull = np.zeros((d, d)), np.zeros(d)
    pulled = np.concatenate([np.zeros(first - 1), weight[first - 1 :] * left])
    for start in range(0, len(weight), _TILE):
        tile = slice(start, start + _TILE)
        half = np.where(kept[1:][tile], 0.5, -0.5)
        pull += pulled[tile] @ half
        half *= np.sqrt(weight[tile, None])
        matrix += half.T @ half
    noise = max(float(unseen @ pulled**2 / weight.sum()), np.finfo(float).tiny)
    floor = max(float(variance.mean()) * 1e-6, np.finfo(float).tiny)
    matrix /= noise
    matrix[np.diag_indices(d)] += 1 / np.maximum(variance, floor)
    inverse = inverse_by(linalg.cholesky(matrix, lower=True, check_finite=False))
    # The sum of all scores is known, so the change sums to zero.
    inverse -= np.outer(inverse.sum(axis=1), inverse.sum(axis=0)) / inverse.sum()
    return np.asarray(inverse @ pull / noise), np.asarray(np.maximum(np.diag(inverse), 0))


def _kernel_weights(kept: Kept, first: int) -> tuple[Array, Array]:
    """The weight of each row, so that those of a size together have the weight of that size in the Shapley kernel.

    The first rows were chosen and stand for themselves; the others are random and stand for all that are left. The
    second result is the share of those left that was not seen: where all were, nothing is random any more.
    """
    d = kept.shape[1]
    size = kept.sum(axis=1)
    size = np.minimum(size, d - size)  # a coalition and its complement are one pair
    _, many, mass = _of_sizes(d)
    chosen, random = (np.bincount(part, minlength=d // 2 + 1)[1:] for part in (size[:first], size[first:]))
    rest = mass * (1 - chosen / many) / np.maximum(random, 1)
    unseen = 1 - random / np.maximum(many - chosen, 1)
    own, others = size[:first] - 1, size[first:] - 1
    return np.concatenate([(mass / many)[own], rest[others]]), np.concatenate([np.zeros(first), unseen[others]])


@lru_cache(maxsize=64)
def _of_sizes(d: int) -> tuple[NDArray[np.intp], Array, Array]:
    """The sizes of the smaller half of a pair; how many pairs have each; and its weight in the Shapley kernel."""
    sizes = np.arange(1, d // 2 + 1)
    both = np.where(2 * sizes == d, 1, 2)  # halves of equal size have one size
    return sizes, np.asarray(special.comb(d, sizes) * both / 2), both / (sizes * (d - sizes))
