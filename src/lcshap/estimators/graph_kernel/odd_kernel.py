"""The covariance function of the odd half of a game, and its covariances with Shapley values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .fixed_kernel import Array, FixedKernel, Kept, fixed_kernel, tiles, unseen_noise_variances, white_noise
from .many_units import (
    fits_single_precision,
    matrix_sums_by_unit,
    matrix_sums_of_members,
    sums_by_unit,
    sums_of_members,
)
from .product_kernel import Half, at_equality, near_and_far, odd_size_kernel, quadrature, signs_of, size_kernel
from .triples import triple_products
from .tuning import SIZES

# Products of the signs of each triple, for two lists of coalitions.
TripleProducts = tuple[NDArray[np.float32], NDArray[np.float32]]
# Rows of a covariance matrix that are computed at a time, so that they fit into the processor's cache.
_BLOCK_ROWS = 256
# The white noise, relative to the variance of the product kernel, from which rounding to single precision does not
# matter.
_SINGLE_PRECISION_NOISE = 1e-3


@dataclass(frozen=True, eq=False)
class KernelTerms:
    r"""The terms whose form is the same for every input, each scaled to about 1 at equal coalitions.

    - smooth: the odd part of :math:`\prod_j (1 + r c_j c'_j)`, r = 4/d;
    - pooling: the covariance of max-pooling (see `FixedKernel`);
    - size: a function of the number of units alone, :math:`\pm \exp(-| |x(s)| - |x(t)| |)` with x the log-odds of the
      share of units that are kept, for games that rise fast with their first units;
    - effects by size: :math:`\sum_j c_j c'_j / d` times the exponential above, for units whose effect depends on how
      many others are kept, as in models that react to the nearly complete input;
    - triples of units near each other in the graph, where there are any.

    The first four are wide terms, which concern all units. With many units they take long and improve the scores
    little (measured), so they may be omitted. The effects by size are there only if asked for: few pairs do not tell
    them from pooling.
    """

    d: int
    triples: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 3), np.int32))
    wide: bool = True
    effects_by_size: bool = False

    def __len__(self) -> int:
        return (3 + self.effects_by_size) * self.wide + bool(len(self.triples))

    def covariances(self, kept: Kept, other_kept: Kept) -> list[Array]:
        """One matrix `(n, m)` per term."""
        matrices = [np.empty((len(kept), len(other_kept))) for _ in range(len(self))]
        for rows, blocks in self.tiles(kept, other_kept):
            for matrix, block in zip(matrices, blocks, strict=True):
                matrix[rows] = block
        return matrices

    def tiles(
        self, kept: Kept, other_kept: Kept, triples: TripleProducts | None = None
    ) -> Iterator[tuple[slice, list[Array]]]:
        """The rows of a tile, and the matrices of all terms; `triples` are their products, where they are known."""
        d, triple_count = self.d, len(self.triples)
        products, other_products = triples or (self.products(kept), self.products(other_kept))
        for rows, overlap in tiles(kept, other_kept) if self.wide else _slices(len(kept)):
            blocks = []
            if overlap is not None:
                s, t = overlap.row_sizes.astype(np.intp), overlap.column_sizes.astype(np.intp)
                smooth = self._smooth.by_agreement[overlap.agreement]
                blocks = [smooth, overlap.jaccard(), odd_size_kernel(d)[s[:, 0]][:, t]]
                if self.effects_by_size:
                    blocks.append((2 / d * overlap.agreement - 1) * size_kernel(d)[s[:, 0]][:, t])
            if triple_count:  # sums of signs are exact in float32
                blocks.append((products[rows] @ other_products.T).astype(float) / triple_count)
            yield rows, blocks

    def products(self, kept: Kept) -> NDArray[np.float32]:
        """The product of the signs of each triple, `(n, triples)`."""
        return triple_products(kept, self.triples)

    def score_covariances(self, kept: Kept) -> list[Array]:
        """The covariance of each Shapley value with f at each coalition, `(d, n)`, of each term."""
        d, covariances = self.d, list[Array]()
        if self.wide:
            s = kept.sum(axis=1)
            # All units have an equal share in the effect of the size.
            alike = 2 / d * np.sign(2 * s - d) * size_kernel(d)[d, s]
            covariances = [
                self._smooth.score_covariances(kept),
                self._pool.score_covariances(kept),
                np.repeat(alike[None], d, axis=0),
                *([self._effect_score_covariances(kept)] if self.effects_by_size else []),
            ]
        if len(self.triples):
            covariances.append(self.triple_score_covariances(kept))
        return covariances

    def _effect_score_covariances(self, kept: Kept) -> Array:
        """The covariances of the effects by size."""
        (own, other), size = self._effect_weights, kept.sum(axis=1)
        own_by_size, other_by_size = ((size_kernel(self.d) @ weights / self.d)[size] for weights in (own, other))
        return np.asarray(signs_of(kept).T * (own_by_size - other_by_size) + other_by_size * (2 * size - self.d))

    @property
    def _effect_weights(self) -> tuple[Array, Array]:
        """The Shapley value of a unit for the game whose value is the sign of a unit at one size, and 0 at all others.

        By this size, `(d + 1,)`: first for the sign of the unit itself, then for that of another unit.
        """
        d = self.d
        own, other = np.full(d + 1, 2 / d), np.full(d + 1, -2 / d / max(d - 1, 1))
        own[[0, d]] = other[[0, d]] = 1 / d
        return own, other

    def triple_score_covariances(self, kept: Kept, units: NDArray[np.intp] | slice = slice(None)) -> Array:
        """The covariances of the term of triples, in which each unit gets a third of the change from -1 to 1."""
        return np.asarray(self.triple_members[units] @ self.products(kept).T)

    @cached_property
    def triple_members(self) -> sparse.csr_array:
        """The share of each unit in the covariance of a score with the product of a triple, `(d, triples)`."""
        triple_count = len(self.triples)
        return sparse.csr_array(
            (np.full(3 * triple_count, 2 / 3 / triple_count), (self.triples.ravel(), np.arange(3 * triple_count) // 3)),
            (self.d, triple_count),
        )

    @cached_property
    def variances(self) -> list[Array]:
        """The variance of each Shapley value, `(d,)`, of each term."""
        d, variances = self.d, list[Array]()
        if self.wide:
            own, other = self._effect_weights
            effects = (own @ size_kernel(d) @ own + (d - 1) * (other @ size_kernel(d) @ other)) / d
            by_term = [self._smooth.variance, self._pool.variance, 4 / d**2, effects]
            variances = [np.full(d, v) for v in by_term[: 3 + self.effects_by_size]]
        if len(self.triples):
            variances.append(np.bincount(self.triples.ravel(), minlength=d) * 4 / 9 / len(self.triples))
        return variances

    @cached_property
    def _smooth(self) -> FixedKernel:
        return fixed_kernel(self.d, 0.0, 1.0, 0.0, 0.0)

    @cached_property
    def _pool(self) -> FixedKernel:
        return fixed_kernel(self.d, 0.0, 0.0, 1.0, 0.0)


@lru_cache(maxsize=64)
def _score_covariances_by_size(d: int, wide: bool, effects_by_size: bool) -> tuple[Array, Array]:
    """The covariances of scores with f(S) by the size of S, from white noise and wide terms, for units in S and others.

    Each array has one row per term.
    """
    noise = white_noise(d)
    inside, outside = [noise.inside], [noise.outside]
    if wide:
        sizes = np.tri(d + 1, d, -1, dtype=bool)  # coalitions of 0, 1, ... d units
        for term in KernelTerms(d, effects_by_size=effects_by_size).score_covariances(sizes):
            inside.append(term[0])  # the first unit is in all of these coalitions except ∅
            outside.append(term[-1])  # the last unit is only in V
    return np.array(inside), np.array(outside)


@dataclass(frozen=True, eq=False)
class OddKernel:
    r"""The covariance function of f for one input, in the units of f.

    .. math:: K(S, T) = \sum_j a_j c_j c'_j + b\, E_\theta(S, T) + \sum_k b_k K_k(S, T) + w\, [S = T]

    with c = ±1 for units kept and absent, and E the odd part of :math:`\exp(-\sum_j \theta_j [c_j \ne c'_j])`, scaled
    to 1 at S = T: a unit with a small :math:`\theta_j` interacts with nothing. The :math:`K_k` are those of
    `KernelTerms`.

    Attributes
    ----------
    low_order : :math:`a`, the variance of the own effect of each unit, `(d,)`.
    inverse_length : :math:`\theta`, `(d,)`.
    product : b.
    term_variances : :math:`b_k`, one per term.
    white : w.
    """

    low_order: Array
    inverse_length: Array
    product: float
    term_variances: Array
    white: float
    terms: KernelTerms

    def covariance_matrix(self, kept: Kept) -> Array:
        """K between all coalitions `(n, d)`, white noise included."""
        K = self.upper_covariance_matrix(kept)
        lower = np.tril_indices(len(K), -1)
        K[lower] = K.T[lower]
        return K

    def upper_covariance_matrix(self, kept: Kept) -> Array:
        """The same, except that numbers below the diagonal are not all set. A Cholesky factor does not need them."""
        n, signs, triples = len(kept), signs_of(kept, self._sign_dtype), self.terms.products(kept)
        K = np.empty((n, n))
        for start in range(0, n, _BLOCK_ROWS):
            rows, columns = slice(start, start + _BLOCK_ROWS), slice(start, n)
            block = K[rows, columns]
            self._write_low_order_and_product(signs[rows], signs[columns], block)
            self._add_terms(kept[rows], kept[columns], block, (triples[rows], triples[columns]))
        K[np.diag_indices(n)] += self.white
        return K

    def covariance(self, kept: Kept, other_kept: Kept) -> Array:
        """K between coalitions `(n, d)` and `(m, d)`, without the white noise."""
        K = np.empty((len(kept), len(other_kept)))
        signs, other_signs = (signs_of(coalitions, self._sign_dtype) for coalitions in (kept, other_kept))
        for start in range(0, len(kept), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            self._write_low_order_and_product(signs[rows], other_signs, K[rows])
        self._add_terms(kept, other_kept, K)
        return K

    def covariance_matvec(self, kept: Kept, other_kept: Kept, weights: Array) -> Array:
        """K between coalitions `(n, d)` and `(m, d)`, without the white noise, times weights `(m,)`.

        K is never stored completely, and terms that are sums over units or triples need no matrix.
        """
        if self.terms.wide:
            return np.concatenate([self.covariance(kept[rows], other_kept) @ weights for rows, _ in _slices(len(kept))])
        total, dtype = float(self.inverse_length.sum()), self._product_dtype
        sums, product_weights = np.empty(len(kept)), weights.astype(dtype)
        columns, other_columns = (self._agreement_columns(coalitions, dtype) for coalitions in (kept, other_kept))
        for rows, _ in _slices(len(kept)):
            near, far = near_and_far(columns[rows] @ other_columns.T, total)
            near -= far
            sums[rows] = near.dot(product_weights)
        sums *= self.product / at_equality(total, Half.ODD)
        by_unit = self.low_order * (2 * sums_by_unit(other_kept, weights) - weights.sum())
        sums += 2 * sums_of_members(kept, by_unit) - by_unit.sum()
        if len(self.terms.triples):
            by_triple = self.terms.products(other_kept).T @ weights
            sums += self.term_variances[-1] / len(self.terms.triples) * (self.terms.products(kept) @ by_triple)
        return np.asarray(sums)

    def _write_low_order_and_product(self, signs: NDArray[Any], other_signs: NDArray[Any], K: Array) -> None:
        """Write the first two terms between coalitions, given by their signs."""
        agreement = (signs * self.inverse_length.astype(signs.dtype)) @ other_signs.T
        total = float(self.inverse_length.sum())
        near, far = near_and_far((agreement / 2).astype(self._product_dtype, copy=False), total)
        near -= far
        np.multiply(near, self.product / at_equality(total, Half.ODD), out=K)
        if self._own_to_length is None:
            K += (signs * self.low_order.astype(signs.dtype)) @ other_signs.T
        else:  # one matrix product is enough
            K += np.multiply(agreement, self._own_to_length, dtype=float)

    @cached_property
    def _own_to_length(self) -> float | None:
        """The ratio of own variances to inverse length scales, if it is the same for all units."""
        ratio = float(self.low_order[0] / self.inverse_length[0])
        return ratio if np.allclose(self.low_order, ratio * self.inverse_length, rtol=1e-12, atol=0) else None

    @cached_property
    def _sign_dtype(self) -> type[np.float32 | np.float64]:
        """Single precision, if sums over units are exact in it (see `many_units.round_to_single_precision`)."""
        summed = [self.inverse_length] + [self.low_order] * (self._own_to_length is None)
        return np.float32 if all(map(fits_single_precision, summed)) else np.float64

    def _agreement_columns(self, kept: Kept, dtype: type[np.float32 | np.float64]) -> NDArray[Any]:
        """Columns whose products are half the inverse length scales of units on which coalitions agree or do not.

        Of many units, those with the largest inverse length scales have a column each. All others have one column, in
        which the sum of their products is approximated by the product of their means.
        """
        order = np.argsort(-self.inverse_length, kind="stable")
        alone, others = order[: SIZES.exact_agreement], order[SIZES.exact_agreement :]
        columns = np.asarray(signs_of(kept[:, alone], dtype) * np.sqrt(self.inverse_length[alone] / 2), dtype)
        if not len(others):
            return columns
        shares = np.zeros(len(order))
        shares[others] = self.inverse_length[others] / self.inverse_length[others].sum()
        mean_sign = 2 * sums_of_members(kept, shares) - 1
        return np.column_stack([columns, mean_sign * np.sqrt(self.inverse_length[others].sum() / 2)]).astype(dtype)

    @property
    def _product_dtype(self) -> type[np.float32 | np.float64]:
        """With many units and some noise, single precision is enough for the product kernel."""
        is_noisy = self.white > _SINGLE_PRECISION_NOISE * self.product
        return np.float32 if is_noisy and len(self.low_order) > SIZES.inverted_units else np.float64

    def _add_terms(self, kept: Kept, other_kept: Kept, K: Array, triples: TripleProducts | None = None) -> None:
        for rows, blocks in self.terms.tiles(kept, other_kept, triples):
            for variance, block in zip(self.term_variances, blocks, strict=True):
                block *= variance
                K[rows] += block

    def score_covariances(self, kept: Kept, units: NDArray[np.intp] | None = None) -> Array:
        """The covariance of each Shapley value with f at each coalition, `(d, n)`, white noise included.

        With `units`, only the rows of these units.
        """
        units = np.arange(len(self.low_order)) if units is None else units
        of_members, of_others, by_coalition, by_coalition_outside = self._score_covariance_factors(kept)
        inside, outside = of_members[units] @ by_coalition.T, of_others[units] @ by_coalition_outside.T
        covariances = np.where(kept.T[units], inside, outside)
        if len(self.terms.triples):
            covariances += self.term_variances[-1] * self.terms.triple_score_covariances(kept, units)
        return np.asarray(covariances)

    def score_covariances_matvec(self, kept: Kept, weights: Array) -> Array:
        """These covariances times weights `(n,)`, without the matrix."""
        of_members, of_others, by_coalition, by_coalition_outside = self._score_covariance_factors(kept)
        columns = by_coalition.shape[1]
        sums = np.hstack([by_coalition, by_coalition_outside]) * weights[:, None]
        present = matrix_sums_by_unit(kept, sums)
        absent = sums[:, columns:].sum(axis=0) - present[:, columns:]
        covariances = np.einsum("jk,jk->j", of_members, present[:, :columns])
        covariances += np.einsum("jk,jk->j", of_others, absent)
        if len(self.terms.triples):
            members, products = self.terms.triple_members, self.terms.products(kept)
            covariances += self.term_variances[-1] * (members @ (products.T @ weights))
        return np.asarray(covariances)

    def _score_covariance_factors(self, kept: Kept) -> tuple[Array, Array, Array, Array]:
        """The factors of the covariances of scores, without the triples.

        They are a product of two matrices for coalitions with the unit, and of two others for those without it: by unit
        with and without, and by coalition with and without.
        """
        r, scale = self._ratios
        node, weight = quadrature()
        along = np.outer(node, r)
        # The Shapley value of a product over units is an integral over its derivative along the diagonal.
        slopes = np.arctanh(along).T
        logs = 2 * matrix_sums_of_members(kept, slopes) - slopes.sum(axis=0) + np.log1p(-(along**2)).sum(axis=1) / 2
        integrand = np.exp(logs - np.log1p(r).sum()) * weight
        # The effects of single units and the effect of the size are two further columns.
        size, product_scale = kept.sum(axis=1), self.product * scale
        unit_ones, coalition_ones = np.ones(len(r)), np.ones(len(kept))
        inside, outside = (by_size[size] for by_size in self._score_covariances_by_size)
        return (
            np.vstack([product_scale / (1 + along), 2 * self.low_order, unit_ones]).T,
            np.vstack([product_scale / (along - 1), -2 * self.low_order, unit_ones]).T,
            np.column_stack([integrand, coalition_ones, inside]),
            np.column_stack([integrand, coalition_ones, outside]),
        )

    @property
    def _score_covariances_by_size(self) -> tuple[Array, Array]:
        """The contribution of white noise and the wide terms by the size of S, for units in S and for the others."""
        inside, outside = _score_covariances_by_size(len(self.low_order), self.terms.wide, self.terms.effects_by_size)
        variances = np.array([self.white, *self.term_variances[: len(inside) - 1]])
        return variances @ inside, variances @ outside

    @cached_property
    def score_variances(self) -> Array:
        """The prior variance of each Shapley value, `(d,)`."""
        r, scale = self._ratios
        node, weight = quadrature()
        both = np.outer(node, node).ravel()
        factors = 1 + np.outer(both, r)
        integrand = np.exp(np.log(factors).sum(axis=1) - np.log1p(r).sum()) * np.outer(weight, weight).ravel()
        variances = self.product * scale * (integrand @ (1 / factors)) + 4 * self.low_order
        variances += self.white * white_noise(len(r)).variance
        for variance, term in zip(self.term_variances, self.terms.variances, strict=True):
            variances = variances + variance * term
        return np.asarray(variances)

    def noise_variances(self, kept: Kept) -> Array:
        """The variance of each Shapley value due to white noise, given f at these coalitions, `(d,)`.

        It is a lower bound of the posterior variance, which has a large rounding error if it is a difference of nearly
        equal numbers.
        """
        return self.white * unseen_noise_variances(kept)

    @cached_property
    def _ratios(self) -> tuple[Array, Array]:
        """r with (1 - r) / (1 + r) = exp(-θ), and 2r divided by the normalization of E."""
        r = np.tanh(self.inverse_length / 2)
        return r, 2 * r / at_equality(self.inverse_length.sum(), Half.ODD)


def _slices(n: int) -> Iterator[tuple[slice, None]]:
    """All rows, a block at a time."""
    return ((slice(start, start + _BLOCK_ROWS), None) for start in range(0, n, _BLOCK_ROWS))
