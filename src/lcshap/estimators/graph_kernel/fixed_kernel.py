"""A kernel for choosing pairs, which does not depend on the input, and the terms that the odd kernel shares with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Array = NDArray[np.float64]
Kept = NDArray[np.bool_]  # one coalition in each row
# The size of the tiles of a covariance matrix, which fit into the processor's cache.
_TILE_CELLS, _TILE_ROWS = 1 << 16, 128


@dataclass(frozen=True)
class FixedKernel:
    r"""A covariance function of :math:`f(S) = [v(S) - v(V \setminus S)] / 2`, with c = ±1 for units kept and absent.

    .. math:: K(S, T) = \tfrac{a}{d} \langle c, c' \rangle + b_E E(S, T) + b_J J(S, T)
              + \tfrac{w}{d} [S = T] + \tfrac{s}{|\mathcal T|} \sum_{t \in \mathcal T} c_t c'_t

    - the linear term, for the effects of single units;
    - E, a smooth nonlinearity: the odd part of :math:`\prod_j (1 + r c_j c'_j)`, r = 4/d, scaled to 1 at S = T;
    - J, pooling: :math:`J = [j(S,T) + j(S',T') - j(S,T') - j(S',T)]/2`, j the Jaccard index and ' the complement. It is
        the covariance of max-pooling: the random value of the unit of S that comes first in a random order;
    - a little white noise, so that the matrix can be factored;
    - triples :math:`\mathcal T` of units near each other in the graph, c_t the product over the triple.

    The Shapley value is linear in f, so it is Gaussian too; `inside` and `outside` are its covariance with f(S) for the
    units in S and not in S, by the size of S; `variance` is its own.
    """

    d: int
    pool: float
    white: float
    by_agreement: Array
    inside: Array
    outside: Array
    variance: float

    def covariance(self, kept: Kept, other_kept: Kept) -> Array:
        """K between coalitions `(n, d)` and `(m, d)`, without the white noise and the triples."""
        if not self.pool:
            return look_up_agreement(self.by_agreement, kept, other_kept)
        K = np.empty((len(kept), len(other_kept)))
        for rows, overlap in tiles(kept, other_kept):
            K[rows] = self.by_agreement[overlap.agreement]
            K[rows] += self.pool * overlap.jaccard()
        return K

    def score_covariances(self, kept: Kept) -> Array:
        """The covariance of each Shapley value with f at each coalition, `(d, n)`."""
        size = kept.sum(axis=1)
        return np.array(np.where(kept, self.inside[size][:, None], self.outside[size][:, None]).T, order="C")


@dataclass(frozen=True, eq=False)
class Overlap:
    """The overlap of coalitions S (rows) and T (columns): |S ∩ T|, and the sizes of S and T."""

    d: int
    intersection: Array
    row_sizes: Array
    column_sizes: Array

    @property
    def agreement(self) -> NDArray[np.intp]:
        """The number of units on which they agree."""
        return np.asarray((2 * self.intersection + (self.d - self.row_sizes - self.column_sizes)).astype(np.intp))

    def jaccard(self) -> Array:
        """The term J in the docstring of `FixedKernel`."""
        d, both, s, t = self.d, self.intersection, self.row_sizes, self.column_sizes
        J = _jaccard(both, s + t - both, s == 0, t == 0)  # S, T
        J += _jaccard(both + (d - s - t), d - both, s == d, t == d)  # their complements
        J -= _jaccard(s - both, both + (d - t), s == 0, t == d)  # S and the complement of T
        J -= _jaccard(t - both, both + (d - s), s == d, t == 0)
        J /= 2
        return J


def look_up_agreement(by_agreement: Array, kept: Kept, other_kept: Kept) -> Array:
    """The covariance by the number of units on which coalitions `(n, d)` and `(m, d)` agree, `(n, m)`."""
    signs, other_signs = (np.where(coalitions, np.float32(1), np.float32(-1)) for coalitions in (kept, other_kept))
    K, step = np.empty((len(kept), len(other_kept))), max(_TILE_CELLS // len(other_kept), 1)
    # Blocks need little memory, whose allocation takes longer than the computation.
    for start in range(0, len(kept), step):
        rows = slice(start, start + step)
        # The products are agreements minus disagreements. These small integers are exact in single precision.
        sign_products = signs[rows] @ other_signs.T
        sign_products += np.float32(kept.shape[1])
        np.take(by_agreement, sign_products.astype(np.intp) >> 1, out=K[rows], mode="clip")
    return K


def tiles(kept: Kept, other_kept: Kept) -> Iterator[tuple[slice, Overlap]]:
    """The overlap of rows with all columns, some rows at a time."""
    d, columns, t = kept.shape[1], other_kept.astype(np.float32).T, other_kept.sum(axis=1).astype(float)
    for start in range(0, len(kept), _TILE_ROWS):
        rows = slice(start, start + _TILE_ROWS)
        tile = kept[rows]
        both = (tile.astype(np.float32) @ columns).astype(float)  # |S ∩ T|: small integers, exact in float32
        yield rows, Overlap(d, both, tile.sum(axis=1).astype(float)[:, None], t)


def _jaccard(common: Array, union: Array, first_empty: NDArray[np.bool_], second_empty: NDArray[np.bool_]) -> Array:
    """The Jaccard index of sets, given which of them are empty; 1 if both are empty. Overwrites `union`."""
    if first_empty.any() and second_empty.any():
        both_empty = first_empty & second_empty
        return np.where(both_empty, 1.0, common / np.where(both_empty, 1, union))
    return np.asarray(np.divide(common, union, out=union))


@cache
def fixed_kernel(d: int, linear: float, smooth: float, pool: float, white: float) -> FixedKernel:
    """The kernel for d units, with these variances of its terms (white noise divided by d)."""
    sizes = np.arange(d + 1)
    white = white / d
    by_agreement, inside, outside, variance = _linear_and_smooth(d, linear, smooth)
    # The covariances with white noise are the Shapley weights.
    shapley = 2 / d * np.exp(-_log_comb(d - 1, np.arange(d)))
    inside[1:] += white * shapley
    outside[:-1] -= white * shapley
    variance += white * 2 / d * float(shapley.sum())
    if pool:  # the Shapley value of T -> j(T, A), |A| = s, for members of A and for the others
        first = _mean_inverse_place(d)
        member, non_member = np.zeros(d + 1), np.zeros(d + 1)
        member[1:] = first[1:] / sizes[1:]
        non_member[1:-1] = -(first[1:-1] - sizes[1:-1] / d) / (d - sizes[1:-1])
        non_member[0] = -1 / d  # j(∅, ∅) = 1
        inside += pool * (member - non_member[::-1])
        outside += pool * (non_member - member[::-1])
        variance += pool * 2 * float(np.mean(member[1:] - non_member[:-1]))
    return FixedKernel(d, pool, white, by_agreement, inside, outside, variance)


def white_noise(d: int) -> FixedKernel:
    """A kernel of white noise alone, of variance 1."""
    return fixed_kernel(d, 0.0, 0.0, 0.0, float(d))


def unseen_noise_variances(kept: Kept) -> Array:
    """The variance of each Shapley value, if f is white noise of variance 1 and known at these coalitions, `(d,)`."""
    noise, size = white_noise(kept.shape[1]), kept.sum(axis=1)
    inside, outside = noise.inside[size] ** 2, noise.outside[size] ** 2
    explained = float(outside.sum()) + np.einsum("nd,n->d", kept, inside - outside)
    return np.asarray(np.maximum(noise.variance - explained, 0))


def _linear_and_smooth(d: int, linear: float, smooth: float) -> tuple[Array, Array, Array, float]:
    """K by the number of units on which S and T agree; its covariances with a Shapley value by size; the variance."""
    sizes = np.arange(d + 1)
    if not smooth:
        return (
            linear * (2 * sizes - d) / d,
            np.full(d + 1, linear * 2 / d),
            np.full(d + 1, -linear * 2 / d),
            linear * 4 / d,
        )
    r = min(4 / d, 0.9)
    up, down = np.log1p(r), np.log1p(-r)
    odd = -np.expm1(d * (down - up))  # 1 - ((1-r)/(1+r))^d
    power = np.exp(sizes * (down - up))
    by_agreement = linear * (2 * sizes - d) / d + smooth / odd * (power[::-1] - power)
    # The Shapley value of a product over units is an integral over t of its derivative along the diagonal, of a
    # polynomial of degree d - 1: Gauss-Legendre is exact up to d = 400, and to float precision after that.
    t, weight = np.polynomial.legendre.leggauss(min(d // 2 + 1, 200))
    plus, minus, s = np.log1p(r * t), np.log1p(-r * t), sizes[:, None]
    factor = smooth * 2 * r / odd
    inside = linear * 2 / d + factor * np.exp((s - 1) * plus + (d - s) * minus - d * up) @ weight
    outside = -linear * 2 / d - factor * np.exp(s * plus + (d - 1 - s) * minus - d * up) @ weight
    square = np.exp((d - 1) * np.log1p(r * np.outer(t, t)) - d * up)
    return by_agreement, inside, outside, linear * 4 / d + factor * float(weight @ square @ weight)


def _mean_inverse_place(d: int) -> Array:
    """For |A| = s: the mean of 1/k, k the place of the first member of A in a random order."""
    mean, log = np.zeros(d + 1), np.asarray(gammaln(np.arange(d + 2.0)))  # log[n + 1] is that of n!
    for s in range(1, d + 1):
        k = np.arange(1, d - s + 2)
        fewer = log[d + 1 - k] - log[s] - log[d - k - s + 2]
        mean[s] = np.sum(np.exp(fewer - (log[d + 1] - log[s + 1] - log[d - s + 1])) / k)
    return mean


def _log_comb(n: NDArray[np.integer] | int, k: NDArray[np.integer] | int) -> Array:
    n, k = np.asarray(n, float), np.asarray(k, float)
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
