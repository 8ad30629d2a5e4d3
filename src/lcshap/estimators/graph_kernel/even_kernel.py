"""The covariance function of the even half of a game, and its covariances with Shapley interaction indices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .fixed_kernel import Array, Kept
from .product_kernel import Half, at_equality, product_kernel, quadrature, signs_of, size_kernel

Edges = NDArray[np.integer]
_BLOCK_CELLS = 1 << 20  # edges times coalitions whose covariances are computed at a time


@dataclass(frozen=True, eq=False)
class EvenKernel:
    r"""The covariance function of the even half :math:`g(S) = [v(S) + v(V \setminus S)] / 2`, less its mean.

    .. math:: K(S, T) = \sum_{i<j} a_i a_j c_i c_j c'_i c'_j + b\, E_\theta(S, T) + s\, Z(|S|, |T|) + w\, [S = T]

    with E the even part of :math:`\exp(-\sum_j \theta_j [c_j \ne c'_j])`, scaled to 1 at S = T, and Z a function of the
    numbers of units alone (see `KernelTerms`).

    Attributes
    ----------
    low_order : a, `(d,)`.
    inverse_length : θ, `(d,)`.
    product, size, white : b, s and w.
    """

    low_order: Array
    inverse_length: Array
    product: float
    size: float
    white: float

    @property
    def term_variances(self) -> Array:
        """The variance of the only term whose form is the same for every input."""
        return np.array([self.size])

    def scaled(self, scale: float) -> EvenKernel:
        """The kernel of values that are larger by a factor."""
        square = scale**2
        product, size, white = (square * variance for variance in (self.product, self.size, self.white))
        return EvenKernel(self.low_order * scale, self.inverse_length, product, size, white)

    def pair_covariance(self, signs: Array, other_signs: Array) -> Array:
        """The first term of K between coalitions that are given by their signs."""
        return np.asarray((((signs * self.low_order) @ other_signs.T) ** 2 - np.sum(self.low_order**2)) / 2)

    def covariance(self, kept: Kept, other_kept: Kept) -> Array:
        """K between coalitions `(n, d)` and `(m, d)`, without the white noise."""
        signs, other_signs = signs_of(kept), signs_of(other_kept)
        total = float(self.inverse_length.sum())
        K = self.pair_covariance(signs, other_signs)
        K += self.product * product_kernel((signs * (self.inverse_length / 2)) @ other_signs.T, total, Half.EVEN)[0]
        K += self.size * size_kernel(kept.shape[1])[kept.sum(axis=1)][:, other_kept.sum(axis=1)]
        return K

    def interaction_covariances(self, kept: Kept, edges: Edges) -> Array:
        """The covariance of the interaction index of each edge with g at each coalition, `(edges, n)`."""
        d, c = kept.shape[1], signs_of(kept)
        r = np.tanh(self.inverse_length / 2)
        node, weight = quadrature()
        along = np.outer(node, r)
        logs = kept @ np.log1p(along).T + ~kept @ np.log1p(-along).T
        scale = at_equality(float(self.inverse_length.sum()), Half.EVEN)
        integrand = np.exp(logs - np.log1p(r).sum()) * weight / scale
        index_weights = special.comb(d - 2, np.arange(d - 1)) * (d - 1)
        size = kept.sum(axis=1)
        sizes = size_kernel(d)
        size_effect = self.size * 2 / (d - 1) * (sizes[d] - sizes[d - 1])[size]  # the same for all pairs
        kept_by_unit, signs = kept.T, np.ascontiguousarray(c.T)
        # An array of units by coalitions for each node of the integral.
        sides = [1 / (1 + signs * ratio[:, None]) for ratio in along]
        covariances = np.empty((len(edges), len(kept)))
        for rows in (
            np.array_split(np.arange(len(edges)), -(-len(edges) * len(kept) // _BLOCK_CELLS)) if len(edges) else []
        ):
            i, j = np.asarray(edges)[rows].T
            integral = sum(side[i] * weight * side[j] for side, weight in zip(sides, integrand.T, strict=True))
            # The covariance with white noise is the weight of the coalition and of its complement in the index of the
            # pair.

            noise = 2 / index_weights[size - kept_by_unit[i].astype(int) - kept_by_unit[j]]
            pair_effects = 4 * self.low_order[i] * self.low_order[j]
            covariances[rows] = (
                (4 * self.product * r[i] * r[j])[:, None] * integral + pair_effects[:, None] + self.white * noise
            )
            covariances[rows] *= signs[i] * signs[j]
        covariances += size_effect
        return covariances

    def interaction_variances(self, edges: Edges) -> Array:
        """The prior variance of the interaction index of each edge."""
        d, (i, j) = len(self.low_order), np.asarray(edges).reshape(-1, 2).T
        r = np.tanh(self.inverse_length / 2)
        node, weight = quadrature()
        both = np.outer(node, node).ravel()
        factors = 1 + np.outer(both, r)
        integrand = np.exp(np.log(factors).sum(axis=1) - np.log1p(r).sum()) * np.outer(weight, weight).ravel()
        sides = 1 / factors
        scale = at_equality(float(self.inverse_length.sum()), Half.EVEN)
        integral = (sides.T @ (integrand[:, None] * sides))[i, j] / scale
        sizes = size_kernel(d)
        noise = np.sum(1 / special.comb(d - 2, np.arange(d - 1)))
        variances = 8 * self.product * r[i] * r[j] * integral + 16 * self.low_order[i] * self.low_order[j]
        variances += (self.size * (2 - 2 * sizes[d, d - 1]) * 4 + 8 * self.white * noise) / (d - 1) ** 2
        return np.asarray(variances)
