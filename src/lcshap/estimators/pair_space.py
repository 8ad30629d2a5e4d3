"""The logarithms that the prior of `GraphKernelSHAP` is made of, and the evidence at some of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from .pair_prior import Array
from .pair_shape import Kept, Shape, Terms, odd_product

ROWS = 512  # pairs that the evidence is computed from, at most: it takes the cube of that
COMMON = {True: 96, False: 256}  # and so many, where units are given, by whether they may be fitted afterwards
UNITS = 64  # with more units than this, or than pairs, reaches of single units are not fitted
SPREAD = 0.5  # units differ in the logarithm of their reach by so much, before anything is seen
_LOW, _HIGH = -16.0, 8.0  # bounds of logarithms of shares
# What logarithms are expected to be (a normal distribution: mean and deviation), where f has a mean square of 1.
_REACH, _PRODUCT, _WHITE, _OWN = (8.0, 1.5), (0.1, 2.0), (1e-4, 3.0), (1.0, 2.0)
_TERM, _TIE = (0.003, 3.0), (0.5, 0.5)


@dataclass(frozen=True, eq=False)
class Pattern:
    """How units differ, where that is given: the logarithms of their reaches and shares, and what follows from them.

    Attributes
    ----------
    units : one logarithm a unit.
    agreement : the sum over units of their shares, with the sign of whether two coalitions agree, `(n, n)`.
    total : the sum of all shares.
    """

    units: Array
    agreement: Array
    total: float


@dataclass(frozen=True, eq=False)
class Point:
    """Logarithms, where they are expected, and the evidence there with its gradient and (expected) curvature.

    `slope` computes the last two when one of them is first asked for: a step that is not taken never needs them.
    """

    at: Array
    spread: float
    value: float
    slope: Callable[[], tuple[Array, Array]]

    @property
    def gradient(self) -> Array:
        """The derivative of the value by each logarithm."""
        return self._slopes[0]

    @property
    def curvature(self) -> Array:
        """The average of the observed and the expected second derivatives."""
        return self._slopes[1]

    @cached_property
    def _slopes(self) -> tuple[Array, Array]:
        return self.slope()


class Space:
    """The logarithms: of the common reach, of white noise, product, own and each term; the tie; and one a unit.

    The last ones may be left out: then they are those of a pattern. The tie says how much a unit that reaches further
    also does more by itself. What does not depend on v is computed once, so a space serves all inputs with these
    coalitions.

    Parameters
    ----------
    kept : coalitions, `(n, d)`, the first of which is V.
    terms : the terms whose form is the same for every input.
    rows : so many of the coalitions are used, spread evenly.
    """

    def __init__(self, kept: Kept, terms: Terms, rows: int = ROWS) -> None:
        n, self.d = kept.shape
        self.rows = np.arange(n) if n <= rows else np.linspace(0, n - 1, rows).astype(np.intp)
        self.all, self.kept, self.terms = kept, kept[self.rows], terms
        self.free = self.d <= min(UNITS, len(self.kept))  # whether units may have reaches of their own
        wide = [(_REACH[0] / self.d, _REACH[1]), _WHITE, _PRODUCT, _OWN, *[_TERM] * len(terms)]
        self.first = len(wide) + 1  # where the units begin
        self.mean = np.array([*np.log([m for m, _ in wide]), _TIE[0]])
        self._deviation = np.array([*(s for _, s in wide), _TIE[1]])

    @cached_property
    def coarse(self) -> Space:
        """The same with fewer rows, for the logarithms that all units have in common."""
        rows = COMMON[self.d <= UNITS]
        return self if len(self.kept) <= rows else Space(self.all, self.terms, rows)

    @property
    def nbytes(self) -> int:
        """Memory that is held once inputs have been explained, about."""
        sizes = {len(self.kept), min(len(self.kept), COMMON[self.d <= UNITS])}
        return sum(8 * n**2 * (len(self.terms) + 1) for n in sizes)

    def pattern(self, units: Array) -> Pattern:
        """How units differ, from their logarithms."""
        share = np.exp(units)
        return Pattern(units, (self._signs * share) @ self._signs.T, float(share.sum()))

    @cached_property
    def alike(self) -> Pattern:
        """Units do not differ."""
        return self.pattern(np.zeros(self.d))

    @cached_property
    def _signs(self) -> Array:
        return np.where(self.kept, 1.0, -1.0)

    @cached_property
    def _parts(self) -> Array:
        """The covariances of all terms, a row a term, so that a sum over terms is one product."""
        n = len(self.kept)
        return np.array(self.terms.covariances(self.kept, self.kept)).reshape(len(self.terms), n * n)

    def deviation(self, spread: float, units: int = 0) -> Array:
        """How far each logarithm is expected from its mean."""
        return np.concatenate([self._deviation, np.full(units, spread)])

    def shape(self, at: Array, pattern: Pattern | None = None) -> Shape:
        """The shares and reaches of these logarithms; those of the units are the last, or those of a pattern."""
        units, tie = (at[self.first :], at[self.first - 1]) if pattern is None else (pattern.units, 1.0)
        white, product, own, *shares = np.exp(np.clip(at[1 : self.first - 1], _LOW, _HIGH))
        tied = np.exp(np.clip(tie * units, _LOW, _HIGH))
        reach = np.exp(np.clip(at[0] + units, -12.0, 3.0))
        return Shape(own / self.d * tied, reach, float(product), np.array(shares), float(white), self.terms)

    def look(self, at: Array, spread: float, y: Array, pattern: Pattern | None = None) -> Point | None:
        """The negative logarithm of the evidence, prior included, with its derivatives; None where K is singular.

        Parameters
        ----------
        at : the logarithms, those of the units included where there is no pattern.
        spread : by how much the logarithms of the units are expected to differ.
        y : f at the coalitions of the space.
        pattern : how units differ, where that is not to be found. Their own worth differs as their reach does.
        """
        shape = self.shape(at, pattern)
        product, even, own = matrices = self._product_and_own(shape, pattern)
        factor, logarithm = factor_of(self._sum(shape, *matrices))
        if factor is None:
            return None
        alpha = linalg.lapack.dpotrs(factor, y, lower=1)[0]
        deviation = self.deviation(spread, len(at) - self.first)
        off = at.copy()
        off[: self.first] -= self.mean
        off /= deviation
        value = logarithm + float(y @ alpha + off @ off) / 2

        def slope() -> tuple[Array, Array]:
            inverse = inverse_by(factor)
            moved, traces = np.zeros((len(y), len(at))), np.zeros(len(at))
            if pattern is None:
                self._each(shape, at, (product, even), inverse, alpha, moved, traces)
            else:
                self._common(shape, pattern, (product, even, own), inverse, alpha, moved, traces)
            moved[:, 1], traces[1] = shape.white * alpha, shape.white * np.trace(inverse)
            terms, n = slice(4, 4 + len(self.terms)), len(y)
            moved[:, terms] = (self._parts.reshape(-1, n) @ alpha).reshape(-1, n).T * shape.shares
            traces[terms] = self._parts @ inverse.ravel() * shape.shares
            curvature = moved.T @ (inverse @ moved) / 2
            curvature[np.diag_indices(len(at))] += 1 / deviation**2
            return (traces - alpha @ moved) / 2 + off / deviation, curvature

        return Point(at, spread, value, slope)

    def among(self, shape: Shape) -> Array:
        """K between all coalitions of the space, white noise included: `Shape.among`, with the terms that are known."""
        return self._sum(shape, *self._product_and_own(shape, None))

    def _sum(self, shape: Shape, product: Array, _: Array, own: Array) -> Array:
        K = (shape.shares @ self._parts).reshape(product.shape)
        K += own
        K += shape.product * product
        K[np.diag_indices(len(K))] += shape.white
        return K

    def _product_and_own(self, shape: Shape, pattern: Pattern | None) -> tuple[Array, Array, Array]:
        """The odd part of the product, the even one as scaled, and what units do by themselves."""
        c = self._signs
        if pattern is None:
            return *odd_product((c * (shape.reach / 2)) @ c.T, float(shape.reach.sum())), (c * shape.own) @ c.T
        reach, own = shape.reach.sum() / pattern.total, shape.own.sum() / pattern.total
        return *odd_product(reach / 2 * pattern.agreement, float(shape.reach.sum())), own * pattern.agreement

    # Both of these fill in what concerns the reach, the product and what units do by themselves: one column of `moved`
    # a logarithm, K's derivative times alpha, and one trace a logarithm, of K's inverse times K's derivative.

    def _common(
        self,
        shape: Shape,
        pattern: Pattern,
        matrices: tuple[Array, Array, Array],
        inverse: Array,
        alpha: Array,
        moved: Array,
        traces: Array,
    ) -> None:
        """Where it is known how units differ. The even part is overwritten."""
        product, by_reach, own = matrices
        total = float(shape.reach.sum())
        by_reach *= pattern.agreement
        by_reach *= total / pattern.total / 2
        by_reach -= total * (0.5 + 1 / np.expm1(total)) * product
        for k, (share, matrix) in {0: (shape.product, by_reach), 2: (shape.product, product), 3: (1.0, own)}.items():
            moved[:, k], traces[k] = share * (matrix @ alpha), share * np.vdot(inverse, matrix)

    def _each(
        self,
        shape: Shape,
        at: Array,
        matrices: tuple[Array, Array],
        inverse: Array,
        alpha: Array,
        moved: Array,
        traces: Array,
    ) -> None:
        """Where each unit has a reach of its own."""
        c, (product, even) = self._signs, matrices
        less = 0.5 + 1 / np.expm1(shape.reach.sum())
        by_reach = shape.product * shape.reach
        of_product, in_product = product @ alpha, float(np.vdot(inverse, product))
        steps = by_reach * (c * (even @ (c * alpha[:, None])) / 2 - (less * of_product)[:, None])
        reaching = by_reach * (np.einsum("ij,ij->j", (even * inverse) @ c, c) / 2 - less * in_product)
        alone = c * (shape.own * (c.T @ alpha))
        owning = shape.own * np.einsum("ij,ij->j", inverse @ c, c)
        units, tie = at[self.first :], at[self.first - 1]
        moved[:, 0], traces[0] = steps.sum(axis=1), reaching.sum()
        moved[:, 2], traces[2] = shape.product * of_product, shape.product * in_product
        moved[:, 3], traces[3] = alone.sum(axis=1), owning.sum()
        moved[:, self.first - 1], traces[self.first - 1] = alone @ units, owning @ units
        moved[:, self.first :], traces[self.first :] = steps + tie * alone, reaching + tie * owning


def factor_of(K: Array) -> tuple[Array | None, float]:
    """The Cholesky factor of K, or None if it has none, and half the logarithm of the determinant. K is overwritten."""
    factor, bad = linalg.lapack.dpotrf(K.T, lower=1, overwrite_a=1)  # K is symmetric: its transpose needs no copy
    return (None, 0.0) if bad else (factor, float(np.log(np.diag(factor)).sum()))


def inverse_by(factor: Array) -> Array:
    """The inverse of the matrix that has this Cholesky factor, which is overwritten."""
    half, _ = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)  # above the diagonal there are zeros
    found = half + half.T
    found[np.diag_indices(len(found))] /= 2
    return np.asarray(found)


def inverse_of(K: Array) -> tuple[Array | None, float]:
    """The inverse of a positive definite matrix, and half the logarithm of its determinant. K is overwritten."""
    factor, logarithm = factor_of(K)
    return (None, 0.0) if factor is None else (inverse_by(factor), logarithm)
