"""The logarithms that the prior of `GraphKernelSHAP` is made of, and the evidence at some of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .pair_prior import Array
from .pair_shape import Kept, Shape, Terms, odd_product

ROWS = 512  # pairs that the evidence is computed from, at most: it takes the cube of that
UNITS = 400  # with more units than this, or than pairs, all units reach equally far
SPREAD = 0.5  # units differ in the logarithm of their reach by so much, before anything is seen
_LOW, _HIGH = -16.0, 8.0  # bounds of logarithms of shares
# What logarithms are expected to be (a normal distribution: mean and deviation), where f has a mean square of 1.
_REACH, _PRODUCT, _WHITE, _OWN = (8.0, 1.5), (0.1, 2.0), (1e-4, 3.0), (1.0, 2.0)
_TERM, _TIE = (0.003, 3.0), (0.5, 0.5)


@dataclass(frozen=True, eq=False)
class Point:
    """Logarithms, where they are expected, and the evidence there with its gradient and (expected) curvature."""

    at: Array
    spread: float
    value: float
    gradient: Array
    curvature: Array


class Space:
    """The logarithms: of the common reach, of white noise, product, own and each term; the tie; and one a unit.

    The last ones may be left out: then all units are alike. The tie says how much a unit that reaches further also does
    more by itself. What does not depend on v is computed once, so a space serves all inputs with these coalitions.

    Parameters
    ----------
    kept : coalitions, `(n, d)`, the first of which is V; the first `ROWS` are used.
    terms : the terms whose form is the same for every input.
    """

    def __init__(self, kept: Kept, terms: Terms) -> None:
        self.kept, self.terms, self.d = kept[:ROWS], terms, kept.shape[1]
        self.free = self.d <= min(UNITS, len(self.kept))  # whether units may have reaches of their own
        wide = [(_REACH[0] / self.d, _REACH[1]), _WHITE, _PRODUCT, _OWN, *[_TERM] * len(terms)]
        self.first = len(wide) + 1  # where the units begin
        self.mean = np.array([*np.log([m for m, _ in wide]), _TIE[0]])
        self._deviation = np.array([*(s for _, s in wide), _TIE[1]])

    @cached_property
    def _signs(self) -> Array:
        return np.where(self.kept, 1.0, -1.0)

    @cached_property
    def _parts(self) -> tuple[NDArray[np.intp], list[Array]]:
        """On how many units coalitions agree, and the covariances of all terms."""
        n = len(self.kept)
        agreement = np.empty((n, n), np.intp)
        found: list[Array] = [np.empty((n, n)) for _ in range(len(self.terms))]
        for rows, common, parts in self.terms.tiles(self.kept, self.kept):
            agreement[rows] = common
            for whole, part in zip(found, parts, strict=True):
                whole[rows] = part
        return agreement, found

    def deviation(self, spread: float, units: int = 0) -> Array:
        """How far each logarithm is expected from its mean."""
        return np.concatenate([self._deviation, np.full(units, spread)])

    def shape(self, at: Array) -> Shape:
        """The shares and reaches of these logarithms."""
        units = at[self.first :] if len(at) > self.first else np.zeros(self.d)
        white, product, own, *shares = np.exp(np.clip(at[1 : self.first - 1], _LOW, _HIGH))
        tied = np.exp(np.clip(at[self.first - 1] * units, _LOW, _HIGH))
        reach = np.exp(np.clip(at[0] + units, -12.0, 3.0))
        return Shape(own / self.d * tied, reach, float(product), np.array(shares), float(white), self.terms)

    def look(self, at: Array, spread: float, y: Array) -> Point | None:
        """The negative logarithm of the evidence, prior included, with its derivatives; None where K is singular."""
        shape, terms = self.shape(at), self._parts[1]
        found = self._alike(shape, y) if len(at) == self.first else self._each(shape, at, y)
        if found is None:
            return None
        inverse, logarithm, alpha, moved, traces = found
        moved[:, 1], traces[1] = shape.white * alpha, shape.white * np.trace(inverse)
        for k, (share, term) in enumerate(zip(shape.shares, terms, strict=True), start=4):
            moved[:, k], traces[k] = share * (term @ alpha), share * np.vdot(inverse, term)
        deviation = self.deviation(spread, len(at) - self.first)
        off = at.copy()
        off[: self.first] -= self.mean
        off /= deviation
        curvature = moved.T @ (inverse @ moved) / 2
        curvature[np.diag_indices(len(at))] += 1 / deviation**2
        value = logarithm + float(y @ alpha + off @ off) / 2
        return Point(at, spread, value, (traces - alpha @ moved) / 2 + off / deviation, curvature)

    # Both of these fill in what concerns the reach, the product and what units do by themselves: one column a
    # logarithm, K's derivative times alpha, and the sum of K's inverse times K's derivative.

    def _alike(self, shape: Shape, y: Array) -> Looked | None:
        """Where all units are alike, all of it is a function of the number of units that agree."""
        d, (agreement, _) = self.d, self._parts
        reach, own = shape.reach[0], shape.own[0]
        agree = 2 * np.arange(d + 1.0) - d
        far = np.exp(-reach * np.arange(d, -1.0, -1.0))
        scale = -np.expm1(-reach * d)
        product, even = (far - far[::-1]) / scale, (far + far[::-1]) / scale
        by_reach = shape.product * reach * (agree * even / 2 - d * (0.5 + (1 - scale) / scale) * product)
        by_product = shape.product * product
        solved = self._solve((by_product + own * agree)[agreement], shape, y)
        if solved is None:
            return None
        inverse, logarithm, alpha = solved
        moved, traces = np.zeros((len(y), self.first)), np.zeros(self.first)
        sums = np.bincount(agreement.ravel(), inverse.ravel(), d + 1)
        moved[:, 0], traces[0] = by_reach[agreement] @ alpha, sums @ by_reach
        moved[:, 2], traces[2] = by_product[agreement] @ alpha, sums @ by_product
        moved[:, 3], traces[3] = own * (self._signs @ (self._signs.T @ alpha)), own * (sums @ agree)
        return inverse, logarithm, alpha, moved, traces

    def _each(self, shape: Shape, at: Array, y: Array) -> Looked | None:
        """Where each unit has a reach of its own."""
        c = self._signs
        product, even = odd_product(c, c, shape.reach)
        solved = self._solve(shape.product * product + (c * shape.own) @ c.T, shape, y)
        if solved is None:
            return None
        inverse, logarithm, alpha = solved
        moved, traces = np.empty((len(y), len(at))), np.empty(len(at))
        total = shape.reach.sum()
        less = 0.5 + np.exp(-total) / -np.expm1(-total)
        by_reach = shape.product * shape.reach
        of_product, in_product = product @ alpha, float(np.vdot(inverse, product))
        steps = by_reach * (c * (even @ (c * alpha[:, None])) / 2 - (less * of_product)[:, None])
        even *= inverse
        reaching = by_reach * (np.einsum("ij,ij->j", even @ c, c) / 2 - less * in_product)
        alone = c * (shape.own * (c.T @ alpha))
        owning = shape.own * np.einsum("ij,ij->j", inverse @ c, c)
        units, tie = at[self.first :], at[self.first - 1]
        moved[:, 0], traces[0] = steps.sum(axis=1), reaching.sum()
        moved[:, 2], traces[2] = shape.product * of_product, shape.product * in_product
        moved[:, 3], traces[3] = alone.sum(axis=1), owning.sum()
        moved[:, self.first - 1], traces[self.first - 1] = alone @ units, owning @ units
        moved[:, self.first :], traces[self.first :] = steps + tie * alone, reaching + tie * owning
        return inverse, logarithm, alpha, moved, traces

    def _solve(self, K: Array, shape: Shape, y: Array) -> tuple[Array, float, Array] | None:
        """The inverse of K, to which terms and white noise are added, half its logarithm, and alpha."""
        for share, term in zip(shape.shares, self._parts[1], strict=True):
            K += share * term
        K[np.diag_indices(len(y))] += shape.white
        inverse, logarithm = inverse_of(K)
        return None if inverse is None else (inverse, logarithm, inverse @ y)


Looked = tuple[Array, float, Array, Array, Array]


def inverse_of(K: Array) -> tuple[Array | None, float]:
    """The inverse of a positive definite matrix, and half the logarithm of its determinant. K is overwritten."""
    factor, bad = linalg.lapack.dpotrf(K.T, lower=1, overwrite_a=1)  # K is symmetric: its transpose needs no copy
    if bad:
        return None, 0.0
    logarithm = float(np.log(np.diag(factor)).sum())
    half, _ = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)  # above the diagonal there are zeros
    found = half + half.T
    found[np.diag_indices(len(K))] /= 2
    return found, logarithm
