"""The prior of `GraphKernelSHAP` by what was seen of this input: shares and reaches of greatest evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .pair_prior import Array
from .pair_shape import Kept, Shape, Terms, odd_product

ROWS = 512  # pairs that the evidence is computed from, at most: it takes the cube of that
UNITS = 400  # with more units than this, or than pairs, all units reach equally far
_STEPS, _ENOUGH = 10, 0.3  # at most so many steps; a step that gains less evidence (a logarithm) is the last
_FURTHEST = 2.0  # no logarithm moves further than that in a step
_LOW, _HIGH = -16.0, 8.0  # bounds of logarithms of shares
# What logarithms are expected to be (a normal distribution: mean and deviation), where f has a mean square of 1.
_REACH, _PRODUCT, _WHITE, _OWN = (8.0, 1.5), (0.1, 2.0), (1e-4, 3.0), (1.0, 2.0)
_TERM, _TIE = (0.003, 3.0), (0.5, 0.5)
SPREAD, _SURE = 0.5, 4.0  # units differ in the logarithm of their reach by so much, as sure as so many units are


@dataclass(frozen=True, eq=False)
class Point:
    """Logarithms, where they are expected, and the evidence there with its gradient and (expected) curvature."""

    at: Array
    spread: float
    value: float
    gradient: Array
    curvature: Array


def fit(kept: Kept, odd: Array, terms: Terms) -> Shape:
    """The shape of greatest evidence, given f at these coalitions, the first of which is V.

    Gauss-Newton steps on the logarithms of all shares and reaches (the average of observed and expected information, as
    for variance components), each with a normal prior; how much units differ is learnt along with them.
    """
    scale = float(np.sqrt(np.mean(odd**2))) or 1.0
    space = _Space(kept[:ROWS], terms)
    y = odd[:ROWS] / scale
    found = space.shape(climb(lambda at, spread: space.look(at, spread, y), space.mean, space.first))
    square = scale**2
    return replace(
        found,
        own=square * found.own,
        product=square * found.product,
        shares=square * found.shares,
        white=square * found.white,
    )


def climb(look: Callable[[Array, float], Point | None], mean: Array, first: int) -> Array:
    """The logarithms of greatest evidence, from their means; those of the units begin at `first`, and may be none.

    `look` gives the point at some logarithms, with this spread of the units; None where K cannot be factored.
    """
    now, damping = look(mean, SPREAD), 0.0
    for _ in range(_STEPS):
        if now is None:  # not even at the means
            return mean
        matrix = now.curvature + damping * np.diag(np.diag(now.curvature))
        move = np.clip(-linalg.solve(matrix, now.gradient, assume_a="pos"), -_FURTHEST, _FURTHEST)
        new = look(now.at + move, now.spread)
        if new is None or new.value > now.value:
            damping = max(4 * damping, 0.5)
            continue
        gain, now, damping = now.value - new.value, _respread(new, first), damping / 3
        if gain < _ENOUGH:
            break
    return mean if now is None else now.at


def _respread(point: Point, first: int) -> Point:
    """Learn how much units differ: the expected mean square of their logarithms, as EM has it."""
    units = np.arange(first, len(point.at))
    if not len(units):
        return point
    unsure = np.diag(linalg.inv(point.curvature))[units]
    squares = float(np.sum(point.at[units] ** 2))
    new = (squares + float(unsure.sum()) + _SURE * SPREAD**2) / (len(units) + _SURE)
    new = min(max(new, 0.1**2), 3.0**2)
    change = 1 / new - 1 / point.spread**2
    gradient, curvature = point.gradient.copy(), point.curvature.copy()
    gradient[units] += change * point.at[units]
    curvature[units, units] += change
    return Point(point.at, float(np.sqrt(new)), point.value + change * squares / 2, gradient, curvature)


class _Space:
    """The logarithms: of the common reach, of white noise, product, own and each term; the tie; and one a unit."""

    def __init__(self, kept: Kept, terms: Terms) -> None:
        self.kept, self.terms, self.d = kept, terms, kept.shape[1]
        self.signs = np.where(kept, 1.0, -1.0)
        self.fixed = terms.covariances(kept, kept)
        self.free = self.d <= min(UNITS, len(kept))  # whether each unit has a reach of its own
        wide = [(_REACH[0] / self.d, _REACH[1]), _WHITE, _PRODUCT, _OWN, *[_TERM] * len(terms)]
        units = np.zeros(self.d if self.free else 0)
        self.first = len(wide) + 1  # where the units begin
        self.mean = np.concatenate([np.log([m for m, _ in wide]), [_TIE[0]], units])
        self._deviation = np.concatenate([[s for _, s in wide], [_TIE[1]], units])

    def deviation(self, spread: float) -> Array:
        """How far each logarithm is expected from its mean."""
        found = self._deviation.copy()
        found[self.first :] = spread
        return found

    def shape(self, at: Array) -> Shape:
        """The shares and reaches of these logarithms."""
        units = at[self.first :] if self.free else np.zeros(self.d)
        white, product, own, *shares = np.exp(np.clip(at[1 : self.first - 1], _LOW, _HIGH))
        tied = np.exp(np.clip(at[self.first - 1] * units, _LOW, _HIGH))
        reach = np.exp(np.clip(at[0] + units, -12.0, 3.0))
        return Shape(own / self.d * tied, reach, float(product), np.array(shares), float(white), self.terms)

    def look(self, at: Array, spread: float, y: Array) -> Point | None:
        """The negative logarithm of the evidence, prior included, with its derivatives; None where K is singular."""
        shape, c, n = self.shape(at), self.signs, len(self.kept)
        product, even = odd_product(c, c, shape.reach)
        K = shape.product * product + (c * shape.own) @ c.T
        for share, term in zip(shape.shares, self.fixed, strict=True):
            K += share * term
        K[np.diag_indices(n)] += shape.white
        inverse, logarithm = inverse_of(K)
        if inverse is None:
            return None
        alpha = inverse @ y
        slope = inverse - np.outer(alpha, alpha)  # twice the derivative of the evidence by K
        # One column a logarithm: K's derivative times alpha; and half the sum of `slope` times K's derivative.
        moved = np.empty((n, len(at)))
        gradient = np.empty(len(at))

        last = np.exp(-shape.reach.sum()) / -np.expm1(-shape.reach.sum())
        by_reach = shape.product * shape.reach
        of_product = product @ alpha
        in_product = float(np.sum(slope * product))
        steps = by_reach * (c * (even @ (c * alpha[:, None])) / 2 - ((0.5 + last) * of_product)[:, None])
        reaching = by_reach / 2 * (np.sum(((slope * even) @ c) * c, axis=0) / 2 - (0.5 + last) * in_product)
        alone = c * (shape.own * (c.T @ alpha))
        owning = shape.own / 2 * np.sum((slope @ c) * c, axis=0)

        moved[:, 0], gradient[0] = steps.sum(axis=1), reaching.sum()
        moved[:, 1], gradient[1] = shape.white * alpha, shape.white / 2 * np.trace(slope)
        moved[:, 2], gradient[2] = shape.product * of_product, shape.product / 2 * in_product
        moved[:, 3], gradient[3] = alone.sum(axis=1), owning.sum()
        for k, (share, term) in enumerate(zip(shape.shares, self.fixed, strict=True), start=4):
            moved[:, k], gradient[k] = share * (term @ alpha), share / 2 * np.sum(slope * term)
        units, tie = at[self.first :], at[self.first - 1]
        if self.free:
            moved[:, self.first - 1], gradient[self.first - 1] = alone @ units, owning @ units
            moved[:, self.first :], gradient[self.first :] = steps + tie * alone, reaching + tie * owning
        else:
            moved[:, self.first - 1], gradient[self.first - 1] = 0, 0

        deviation = self.deviation(spread)
        off = (at - self.mean) / deviation
        curvature = moved.T @ (inverse @ moved) / 2
        curvature[np.diag_indices(len(at))] += 1 / deviation**2
        value = logarithm + float(y @ alpha + off @ off) / 2
        return Point(at, spread, value, gradient + off / deviation, curvature)


def inverse_of(K: Array) -> tuple[NDArray[np.float64] | None, float]:
    """The inverse of a positive definite matrix, and half the logarithm of its determinant."""
    factor, bad = linalg.lapack.dpotrf(K, lower=1, clean=0)
    if bad:
        return None, 0.0
    logarithm = float(np.log(np.diag(factor)).sum())
    half, _ = linalg.lapack.dpotri(factor, lower=1)
    lower = np.tril(half)
    return lower + np.tril(half, -1).T, logarithm
