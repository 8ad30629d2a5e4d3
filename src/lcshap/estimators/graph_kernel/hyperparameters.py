"""The hyperparameters of the kernel of one half of a game, and the evidence for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .even_kernel import EvenKernel
from .evidence import EvidencePoint, cholesky, invert_factored
from .fixed_kernel import Array, Kept
from .many_units import Single, gram_of_signs, round_to_single_precision
from .odd_kernel import KernelTerms, OddKernel
from .product_kernel import Half, product_kernel, signs_of, size_kernel
from .tuning import EFFECTS_BY_SIZE, EVEN_PRIORS, ODD_PRIORS, SIZES, KernelPriors, LogNormal

_LENGTH_BOUNDS = (-12.0, 3.0)  # bounds of the logarithms of inverse length scales
KernelT = TypeVar("KernelT", OddKernel, EvenKernel)
_INVERSE_LENGTH, _WHITE, _PRODUCT, _OWN, _TERMS = range(5)  # the order of the logarithms; those of the terms come last


@dataclass(frozen=True, eq=False)
class UnitScales:
    """Fixed scales of the units: their logarithms, and matrices that follow from them.

    Attributes
    ----------
    logarithms : one per unit, for its inverse length scale and its own variance.
    agreement : the sum over units of their scales, positive for units on which two coalitions agree, `(n, n)`.
    total : the sum of all scales.
    """

    logarithms: Array
    agreement: Array
    total: float


@dataclass(frozen=True, eq=False)
class Matrices:
    """The terms of a covariance matrix at some hyperparameters.

    Attributes
    ----------
    product : the product kernel of this half, scaled to 1 at equality.
    counterpart : the product kernel of the other half, divided by the same number. Derivatives need it.
    low_order : the covariance of the effects of single units, or of pairs of units.
    """

    product: Array
    counterpart: Array
    low_order: Array


class Hyperparameters(ABC, Generic[KernelT]):
    r"""Logarithms of hyperparameters, and the evidence for them given the values of one half at some coalitions.

    Both halves have kernels of the form

    .. math:: K = b\, E_\theta + K_\text{own} + \sum_k b_k K_k + w I

    The logarithms are those of the common inverse length scale, and of the variances of white noise, the product, own
    effects and each term. The odd half also has the tie, and there may be one logarithm per unit. Without these, the
    scales of the units are given `UnitScales`, or equal. The tie is the exponent by which a unit with a larger inverse
    length scale also has a larger own effect. Matrices that do not depend on v are computed once and used for all
    inputs with the same coalitions.

    Attributes
    ----------
    half : which half of the game.
    mean : the prior mean of the logarithms, without those of the units.
    first_unit : the index of the first logarithm of a unit.
    may_differ : whether each unit may have its own inverse length scale.
    """

    half: ClassVar[Half]
    priors: ClassVar[KernelPriors]
    fits_tie: ClassVar[bool]
    fits_mean: ClassVar[bool]  # whether this half has its own mean, which is fitted without a prior

    def __init__(self, kept: Kept, terms: int, max_units: int) -> None:
        self.kept: Kept = kept
        self.d: int = kept.shape[1]
        self.may_differ = self.d <= min(max_units, len(kept))
        priors: KernelPriors = self.priors
        scale = priors.inverse_length
        length = LogNormal(scale.median / self.d, scale.deviation)
        positive: list[LogNormal] = [length, priors.white, priors.product, priors.low_order, *[priors.term] * terms]
        mean = [*np.log([prior.median for prior in positive]), priors.tie.median]
        deviation = [*(prior.deviation for prior in positive), priors.tie.deviation]
        count = len(positive) + self.fits_tie
        self.mean, self._deviation = np.array(mean[:count]), np.array(deviation[:count])
        self.first_unit = len(self.mean)

    @abstractmethod
    def kernel(self, theta: Array, scales: UnitScales | None = None) -> KernelT:
        """The kernel with these logarithms; those of the units are the last, or those of given scales."""

    @property
    @abstractmethod
    def _term_matrices(self) -> Array:
        """The covariances of all terms, one row per term, so that a sum over terms is one matrix product."""

    @abstractmethod
    def _low_order_matrix(self, kernel: KernelT) -> Array:
        """What units, or pairs of units, do by themselves."""

    @abstractmethod
    def _low_order_derivatives(
        self, kernel: KernelT, matrices: Matrices, inverse: Array, alpha: Array
    ) -> tuple[Array, Array, float]:
        """The derivatives of the own matrix by the logarithm of each unit's scale, and their weight in its variance.

        As columns of products with alpha, and as traces of products with the inverse.
        """

    def unit_scales(self, logarithms: Array) -> UnitScales:
        """The scales of the units from their logarithms."""
        scales = np.exp(logarithms)
        return UnitScales(logarithms, (self._signs * scales) @ self._signs.T, float(scales.sum()))

    @cached_property
    def equal_scales(self) -> UnitScales:
        """Equal scales for all units."""
        return self.unit_scales(np.zeros(self.d))

    @cached_property
    def _signs(self) -> Array:
        return signs_of(self.kept)

    def deviation(self, spread: float, units: int = 0) -> Array:
        """The prior standard deviation of each logarithm."""
        return np.concatenate([self._deviation, np.full(units, spread)])

    def evidence(self, theta: Array, spread: float, y: Array, scales: UnitScales | None = None) -> EvidencePoint | None:
        """The negative log evidence plus the negative log prior, with derivatives; None if K is singular.

        Parameters
        ----------
        theta : the logarithms, including those of the units if they are fitted.
        spread : the prior standard deviation of the logarithms of the units.
        y : the values of this half at the coalitions.
        scales : the scales of the units if they are not fitted. They apply to own variances and to inverse length
            scales.
        """
        kernel = self.kernel(theta, scales)
        matrices = self._matrices(kernel, scales)
        factor, objective = cholesky(self._sum(kernel, matrices))
        if factor is None:
            return None
        alpha = linalg.lapack.dpotrs(factor, y, lower=1)[0]
        ones = None
        if self.fits_mean:
            ones = linalg.lapack.dpotrs(factor, np.ones(len(y)), lower=1)[0]
            alpha = alpha - ones * (alpha.sum() / ones.sum())
            objective += float(np.log(ones.sum())) / 2
        deviation = self.deviation(spread, len(theta) - self.first_unit)
        standardized = theta.copy()
        standardized[: self.first_unit] -= self.mean
        standardized /= deviation
        objective += float(y @ alpha + standardized @ standardized) / 2

        def derivatives() -> tuple[Array, Array]:
            inverse = invert_factored(factor)
            if ones is not None:
                inverse -= np.outer(ones, ones) / ones.sum()
            products, traces = self._derivatives(kernel, theta, matrices, scales, inverse, alpha)
            curvature = products.T @ (inverse @ products) / 2
            curvature[np.diag_indices(len(theta))] += 1 / deviation**2
            return (traces - alpha @ products) / 2 + standardized / deviation, curvature

        return EvidencePoint(theta, spread, objective, derivatives)

    def covariance_matrix(self, kernel: KernelT) -> Array:
        """K between all coalitions, white noise included, with the matrices of terms that are kept."""
        return self._sum(kernel, self._matrices(kernel, None))

    def _sum(self, kernel: KernelT, matrices: Matrices) -> Array:
        K = (kernel.term_variances @ self._term_matrices).reshape(matrices.product.shape)
        K += matrices.low_order
        K += kernel.product * matrices.product
        K[np.diag_indices(len(K))] += kernel.white
        return K

    def _matrices(self, kernel: KernelT, scales: UnitScales | None) -> Matrices:
        c, total = self._signs, float(kernel.inverse_length.sum())
        if scales is None:
            parts = product_kernel((c * (kernel.inverse_length / 2)) @ c.T, total, self.half)
            return Matrices(*parts, self._low_order_matrix(kernel))
        length, own_scale = kernel.inverse_length.sum() / scales.total, kernel.low_order.sum() / scales.total
        return Matrices(*product_kernel(length / 2 * scales.agreement, total, self.half), own_scale * scales.agreement)

    def _derivatives(
        self,
        kernel: KernelT,
        theta: Array,
        matrices: Matrices,
        scales: UnitScales | None,
        inverse: Array,
        alpha: Array,
    ) -> tuple[Array, Array]:
        """The derivative of K by each logarithm, as columns of products with alpha and as traces with the inverse."""
        products, traces = np.zeros((len(alpha), len(theta))), np.zeros(len(theta))
        if scales is None:
            self._add_unit_derivatives(kernel, theta, matrices, inverse, alpha, products, traces)
        else:
            self._add_common_derivatives(kernel, matrices, scales, inverse, alpha, products, traces)
        products[:, _WHITE], traces[_WHITE] = kernel.white * alpha, kernel.white * np.trace(inverse)
        n, terms = len(alpha), slice(_TERMS, _TERMS + len(kernel.term_variances))
        products[:, terms] = (self._term_matrices.reshape(-1, n) @ alpha).reshape(-1, n).T * kernel.term_variances
        traces[terms] = self._term_matrices @ inverse.ravel() * kernel.term_variances
        return products, traces

    def _add_common_derivatives(
        self,
        kernel: KernelT,
        matrices: Matrices,
        scales: UnitScales,
        inverse: Array,
        alpha: Array,
        products: Array,
        traces: Array,
    ) -> None:
        """Add the derivatives for fixed scales of the units. The counterpart is overwritten."""
        total, by_length = float(kernel.inverse_length.sum()), matrices.counterpart
        by_length *= scales.agreement
        by_length *= total / scales.total / 2
        by_length -= total * self._scaling_derivative(total) * matrices.product
        by_logarithm = {
            _INVERSE_LENGTH: (kernel.product, by_length),
            _PRODUCT: (kernel.product, matrices.product),
            _OWN: (1.0, matrices.low_order),
        }
        for k, (variance, matrix) in by_logarithm.items():
            products[:, k], traces[k] = variance * (matrix @ alpha), variance * np.vdot(inverse, matrix)

    def _add_unit_derivatives(
        self,
        kernel: KernelT,
        theta: Array,
        matrices: Matrices,
        inverse: Array,
        alpha: Array,
        products: Array,
        traces: Array,
    ) -> None:
        """Add the derivatives if each unit has its own inverse length scale."""
        c, product, counterpart = self._signs, matrices.product, matrices.counterpart
        scaling = self._scaling_derivative(kernel.inverse_length.sum())
        weights = kernel.product * kernel.inverse_length
        of_product, in_product = product @ alpha, float(np.vdot(inverse, product))
        by_length = weights * (c * (counterpart @ (c * alpha[:, None])) / 2 - (scaling * of_product)[:, None])
        length_traces = weights * (np.einsum("ij,ij->j", (counterpart * inverse) @ c, c) / 2 - scaling * in_product)
        by_own, own_traces, degree = self._low_order_derivatives(kernel, matrices, inverse, alpha)
        products[:, _INVERSE_LENGTH], traces[_INVERSE_LENGTH] = by_length.sum(axis=1), length_traces.sum()
        products[:, _PRODUCT], traces[_PRODUCT] = kernel.product * of_product, kernel.product * in_product
        products[:, _OWN], traces[_OWN] = degree * by_own.sum(axis=1), degree * own_traces.sum()
        units, tie = theta[self.first_unit :], self._tie(theta)
        if self.fits_tie:
            products[:, self.first_unit - 1], traces[self.first_unit - 1] = by_own @ units, own_traces @ units
        if len(units):
            products[:, self.first_unit :] = by_length + tie * by_own
            traces[self.first_unit :] = length_traces + tie * own_traces

    def _tie(self, theta: Array) -> float:
        return float(theta[self.first_unit - 1]) if self.fits_tie else self.priors.tie.median

    def _scaling_derivative(self, total: float) -> float:
        """The derivative of the logarithm of the normalization of the product kernel by the total inverse length."""
        return float(0.5 + 1 / np.expm1(total) if self.half == Half.ODD else 0.5 - 1 / (1 + np.exp(total)))

    def _variances(self, theta: Array, units: Array, tie: float) -> tuple[list[float], Array, Array]:
        """White, product, own and term variances; the scale of each unit's own effects; and inverse length scales."""
        low, high = self.priors.low, self.priors.high
        variances = np.exp(np.clip(theta[_WHITE : _TERMS + len(self._term_matrices)], low, high))
        scales = np.exp(np.clip(tie * units, low, high))
        return variances.tolist(), scales, np.exp(np.clip(theta[_INVERSE_LENGTH] + units, *_LENGTH_BOUNDS))


def _spread_rows(kept: Kept, count: int) -> NDArray[np.intp]:
    """So many rows, evenly spaced, but with all coalitions of single units, which are few and tell of both ends."""
    size = kept.sum(axis=1)
    at_ends = np.minimum(size, kept.shape[1] - size) <= 1
    if 16 * at_ends.sum() > count:
        at_ends[:] = False
    others = np.flatnonzero(~at_ends)
    spaced = others[np.linspace(0, len(others) - 1, count - int(at_ends.sum())).astype(np.intp)]
    return np.asarray(np.sort(np.concatenate([np.flatnonzero(at_ends), spaced])))


class OddHyperparameters(Hyperparameters[OddKernel]):
    """The hyperparameters of the odd half, from which scores are estimated.

    Parameters
    ----------
    kept : coalitions, `(n, d)`, the first of which is V.
    terms : the terms whose form is the same for every input.
    pairs : the number of coalitions, from which the evidence is computed.
    """

    half = Half.ODD
    priors = ODD_PRIORS
    fits_tie, fits_mean = True, False

    def __init__(self, kept: Kept, terms: KernelTerms, pairs: int = SIZES.evidence_pairs) -> None:
        n = len(kept)
        self.rows: NDArray[np.intp] = np.arange(n) if n <= pairs else _spread_rows(kept, pairs)
        self.all_kept, self.terms = kept, terms
        super().__init__(kept[self.rows], len(terms), SIZES.many_units)
        if terms.wide and terms.effects_by_size:
            self.mean[_TERMS + 3] = np.log(EFFECTS_BY_SIZE.median)  # after the other three wide terms

    @cached_property
    def coarse(self) -> OddHyperparameters:
        """The same with fewer coalitions, for the logarithms that all units have in common."""
        pairs = self._coarse_pairs
        return self if len(self.kept) <= pairs else OddHyperparameters(self.all_kept, self.terms, pairs)

    @cached_property
    def gram(self) -> Single:
        """The sum over all coalitions of the products of the signs of two units, `(d, d)`."""
        return gram_of_signs(self.all_kept)

    @property
    def _coarse_pairs(self) -> int:
        return SIZES.shared_pairs if self.d <= SIZES.many_units else SIZES.shared_pairs_many

    @property
    def nbytes(self) -> int:
        """The approximate memory in use after inputs have been explained."""
        sizes = {len(self.kept), min(len(self.kept), self._coarse_pairs)}
        return sum(8 * n**2 * (len(self.terms) + 1) for n in sizes) + 4 * self.d**2

    @cached_property
    def _term_matrices(self) -> Array:
        n = len(self.kept)
        return np.array(self.terms.covariances(self.kept, self.kept)).reshape(len(self.terms), n * n)

    def kernel(self, theta: Array, scales: UnitScales | None = None) -> OddKernel:
        """The kernel with these logarithms; those of the units are the last, or those of given scales."""
        units, tie = (theta[self.first_unit :], self._tie(theta)) if scales is None else (scales.logarithms, 1.0)
        (white, product, own_variance, *terms), unit, length = self._variances(theta, units, tie)
        own = own_variance / self.d * unit
        if scales is not None and self.d > SIZES.inverted_units:
            rounded = round_to_single_precision(length)
            ratio = own / length
            # If the ratio is the same for all units, it stays so, and one matrix product is enough for both.
            own = ratio * rounded if np.ptp(ratio) <= 1e-12 * ratio[0] else round_to_single_precision(own)
            length = rounded
        return OddKernel(own, length, product, np.array(terms), white, self.terms)

    def _low_order_matrix(self, kernel: OddKernel) -> Array:
        return np.asarray((self._signs * kernel.low_order) @ self._signs.T)

    def _low_order_derivatives(
        self, kernel: OddKernel, matrices: Matrices, inverse: Array, alpha: Array
    ) -> tuple[Array, Array, float]:
        c = self._signs
        return c * (kernel.low_order * (c.T @ alpha)), kernel.low_order * np.einsum("ij,ij->j", inverse @ c, c), 1.0


class EvenHyperparameters(Hyperparameters[EvenKernel]):
    """The hyperparameters of the even half, from which interactions are estimated. Its mean is fitted without a prior.

    Parameters
    ----------
    kept : coalitions, `(n, d)`; the first ones are used for the evidence.
    """

    half = Half.EVEN
    priors = EVEN_PRIORS
    fits_tie, fits_mean = False, True

    def __init__(self, kept: Kept) -> None:
        super().__init__(kept[: SIZES.evidence_pairs], 1, SIZES.even_units)

    @cached_property
    def _term_matrices(self) -> Array:
        size = self.kept.sum(axis=1)
        return np.asarray(size_kernel(self.d)[size][:, size].reshape(1, -1))

    def kernel(self, theta: Array, scales: UnitScales | None = None) -> EvenKernel:
        """The kernel with these logarithms; those of the units are the last, or zero."""
        units = theta[self.first_unit :] if len(theta) > self.first_unit else np.zeros(self.d)
        (white, product, own_variance, size), unit, length = self._variances(theta, units, self._tie(theta))
        pairs = max(self.d * (self.d - 1) / 2, 0.5)
        return EvenKernel(np.sqrt(own_variance / pairs) * unit, length, product, size, white)

    def _low_order_matrix(self, kernel: EvenKernel) -> Array:
        return kernel.pair_covariance(self._signs, self._signs)

    def _low_order_derivatives(
        self, kernel: EvenKernel, matrices: Matrices, inverse: Array, alpha: Array
    ) -> tuple[Array, Array, float]:
        c, own_scales = self._signs, kernel.low_order
        linear = (c * own_scales) @ c.T
        by_own = own_scales * c * (linear @ (c * alpha[:, None])) - own_scales**2 * alpha.sum()
        traces = own_scales * np.einsum("ij,ij->j", (inverse * linear) @ c, c) - own_scales**2 * inverse.sum()
        return by_own, traces, 0.5  # the variance of a pair is the product of the scales of its two units
