"""The greedy search for pairs of coalitions, with the same result on every processor.

Floating-point sums depend on the order of their terms, and BLAS libraries choose this order by the processor and the
number of threads. A greedy search amplifies such differences: after one other choice, all later choices differ. The
search therefore uses fixed-point numbers: multiples of a power of two that are small enough for all sums of products to
fit into the 53 bits of a double. Such sums are exact in any order, so that BLAS can compute them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .fixed_kernel import Array, Kept, fixed_kernel
from .tuning import DESIGN

_FINE_BITS = 32  # bits after the binary point of numbers that are multiplied only by signs
_COARSE_BITS = 20  # the same for numbers that are multiplied by each other (2 x 20 bits, sums of 256 terms of up to 5)
_COVARIANCE_BITS = 22  # the same for covariances with Shapley values, of which at most 64 are summed
_MIN_VARIANCE = 1e-6


@dataclass(frozen=True, eq=False)
class GreedySearch:
    """The prior of the odd half f under which pairs are chosen, in fixed-point numbers.

    Attributes
    ----------
    by_agreement : the covariance of f at two coalitions by the number of units on which they agree, without the linear
        effects of units.
    inside, outside : the covariance of a Shapley value with f at a coalition by the size of the coalition, for units in
        it and for other units, without the linear effects.
    linear : the covariance matrix of the linear effects of units. It is the posterior covariance after the pairs that
        were chosen before.
    white : the variance of the white noise.
    """

    by_agreement: Array
    inside: Array
    outside: Array
    linear: Array
    white: float

    @classmethod
    def for_units(cls, d: int, smooth: float) -> GreedySearch:
        """The search before any pair is chosen, for d units and this variance of the smooth term."""
        kernel = fixed_kernel(d, 0.0, smooth, 0.0, DESIGN.white)
        return cls(
            round_to_bits(kernel.by_agreement, _FINE_BITS),
            round_to_bits(kernel.inside, _COVARIANCE_BITS),
            round_to_bits(kernel.outside, _COVARIANCE_BITS),
            round_to_bits(np.eye(d) * DESIGN.linear / d, _FINE_BITS),
            kernel.white,
        )

    def select(self, pool: Kept, count: int) -> tuple[Kept, GreedySearch]:
        """Select `count` pairs of the pool; each one lowers the summed posterior variance of the Shapley values most.

        {V, ∅} is known from the start. The posterior covariance matrix of coalitions is never stored: a step computes
        one row of its Cholesky factor.

        Returns
        -------
        The pairs, and the search after them.
        """
        rows = np.concatenate([np.ones((1, pool.shape[1]), bool), pool])
        d, sizes = rows.shape[1], rows.sum(axis=1)
        signs = np.where(rows, 1.0, -1.0)
        single = signs.astype(np.float32)  # products of signs are small integers, which are exact in single precision
        effects = self.linear @ signs.T  # the covariance of each linear effect with f
        by_size = np.where(rows, self.inside[sizes][:, None], self.outside[sizes][:, None]).T
        # The covariance of each Shapley value with f.
        covariances = round_to_bits(by_size + 2 * effects, _COVARIANCE_BITS)
        variance = self.by_agreement[-1] + self.white + (signs.T * effects).sum(axis=0)
        score = (covariances * covariances).sum(axis=0)
        factor = np.empty((count + 1, len(rows)))  # the Cholesky factor of the covariance matrix of f, a row a step
        score_gains, effect_gains = np.empty((count + 1, d)), np.empty((count + 1, d))
        order, best = [], 0
        for step in range(count + 1):
            order.append(best)
            deviation, before = np.sqrt(variance[best]), factor[:step, best]
            # This is how much the new pair reduces the variance of the Shapley values and of the linear effects.
            gain = _coarse((covariances[:, best] - before @ score_gains[:step]) / deviation)
            score_gains[step] = gain
            effect_gains[step] = _coarse((effects[:, best] - before @ effect_gains[:step]) / deviation)
            shared = np.stack([before, _coarse(score_gains[:step] @ gain)]) @ factor[:step]
            agreement = (single @ single[best]).astype(np.int32)
            agreement += d
            agreement >>= 1
            # This row of the covariance matrix has no white noise, because chosen pairs are excluded below.
            row = self.by_agreement.take(agreement, mode="clip")
            row += signs[best] @ effects
            row -= shared[0]
            row = _coarse(row / deviation)
            factor[step] = row
            score += row * (row * (gain @ gain) - 2 * (gain @ covariances - shared[1]))
            score[best] = -np.inf  # a chosen pair is not chosen again
            variance = np.maximum(variance - row * row, _MIN_VARIANCE)
            best = int((score / variance).argmax())
        linear = self.linear - round_to_bits(effect_gains.T @ effect_gains, _FINE_BITS)
        return np.asarray(rows[order[1:]]), replace(self, linear=linear)


def round_to_bits(numbers: Array, bits: int) -> Array:
    """Round to multiples of 2 to the power of minus `bits`.

    >>> round_to_bits(np.array([0.3, 0.7]), 2)
    array([0.25, 0.75])
    """
    scale = 2.0**bits
    scaled = np.multiply(numbers, scale)
    np.rint(scaled, out=scaled)
    scaled /= scale
    return scaled


def _coarse(numbers: Array) -> Array:
    return round_to_bits(numbers, _COARSE_BITS)
