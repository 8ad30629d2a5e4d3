"""Shapley interaction indices from the even half of pairs that were evaluated for scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from .pair_evidence import climb
from .pair_posterior import MOST_PAIRS
from .pair_prior import Array
from .pair_shape import Kept, by_size, nodes, odd_product
from .pair_space import ROWS, Point, inverse_of

Edges = NDArray[np.integer]
_MEAN = np.log([8.0, 1e-4, 0.1, 1.0, 0.03])  # logarithms: of reach (over d), white noise, product, pairs and size
_DEVIATION = np.array([1.5, 3.0, 2.0, 2.0, 3.0])
_FIRST = len(_MEAN)  # where the logarithms of the units begin
_CHECKED = 256  # rows whose leave-one-out errors set the scale of the standard errors
_CAUTION = 1.25  # standard errors are larger by that: the prior was fitted to the very values that it explains
_WEIGHTS = 1 << 24  # weights of coalitions in indices that are held at a time, where all coalitions are there
_UNITS = 400  # with more units than this, or than pairs, all units reach equally far
_CELLS = 1 << 20  # edges times coalitions whose covariances are computed at a time
_TIE = 0.5  # two units with logarithms of z and y have a pair of their own with a share of exp(_TIE (z + y))


class EvenShape(NamedTuple):
    r"""The prior of the even half :math:`g(S) = [v(S) + v(V \setminus S)] / 2`, less its mean.

    .. math:: K(S, T) = \sum_{i<j} a_i a_j c_i c_j c'_i c'_j + b\, E_\theta(S, T) + s\, Z(|S|, |T|) + w\, [S = T]

    with E the even part of :math:`\exp(-\sum_j \theta_j [c_j \ne c'_j])`, scaled to 1 at S = T, and Z a function of the
    numbers of units alone (see `Terms`).
    """

    pairs: Array  # a
    reach: Array  # θ
    product: float
    size: float
    white: float

    def covariance(self, kept: Kept, others: Kept) -> Array:
        """K between coalitions `(n, d)` and `(m, d)`, without the white noise."""
        one, two = _signs(kept), _signs(others)
        found = (one * self.pairs) @ two.T
        found = (found**2 - np.sum(self.pairs**2)) / 2
        found += self.product * _even(one, two, self.reach)[0]
        found += self.size * by_size(kept.shape[1])[kept.sum(axis=1)][:, others.sum(axis=1)]
        return np.asarray(found)

    def of_interactions(self, kept: Kept, edges: Edges) -> Array:
        """The covariance of the interaction index of each edge with g at each coalition, `(edges, n)`."""
        d, c = kept.shape[1], _signs(kept)
        r = np.tanh(self.reach / 2)
        node, weight = nodes()
        along = np.outer(node, r)
        logs = kept @ np.log1p(along).T + ~kept @ np.log1p(-along).T
        whole = np.exp(logs - np.log1p(r).sum()) * weight / (1 + np.exp(-self.reach.sum()))
        alone = special.comb(d - 2, np.arange(d - 1)) * (d - 1)
        size = kept.sum(axis=1)
        sizes = by_size(d)
        alike = self.size * 2 / (d - 1) * (sizes[d] - sizes[d - 1])[size]  # the same for all pairs
        here, signs = kept.T, np.ascontiguousarray(c.T)
        sides = [1 / (1 + signs * ratio[:, None]) for ratio in along]  # one a node, units by coalitions
        found = np.empty((len(edges), len(kept)))
        for part in np.array_split(np.arange(len(edges)), -(-len(edges) * len(kept) // _CELLS)) if len(edges) else []:
            i, j = np.asarray(edges)[part].T
            integral = sum(side[i] * weight * side[j] for side, weight in zip(sides, whole.T, strict=True))
            # White noise: a pair's own weight in the index, for the coalition and its complement.
            noise = 2 / alone[size - here[i].astype(int) - here[j]]
            own = 4 * self.pairs[i] * self.pairs[j]
            found[part] = (4 * self.product * r[i] * r[j])[:, None] * integral + own[:, None] + self.white * noise
            found[part] *= signs[i] * signs[j]
        found += alike
        return found

    def variances(self, edges: Edges) -> Array:
        """The prior variance of the interaction index of each edge."""
        d, (i, j) = len(self.pairs), np.asarray(edges).reshape(-1, 2).T
        r = np.tanh(self.reach / 2)
        node, weight = nodes()
        both = np.outer(node, node).ravel()
        factors = 1 + np.outer(both, r)
        whole = np.exp(np.log(factors).sum(axis=1) - np.log1p(r).sum()) * np.outer(weight, weight).ravel()
        sides = 1 / factors
        integral = (sides.T @ (whole[:, None] * sides))[i, j] / (1 + np.exp(-self.reach.sum()))
        sizes = by_size(d)
        alone = np.sum(1 / special.comb(d - 2, np.arange(d - 1)))
        found = 8 * self.product * r[i] * r[j] * integral + 16 * self.pairs[i] * self.pairs[j]
        found += (self.size * (2 - 2 * sizes[d, d - 1]) * 4 + 8 * self.white * alone) / (d - 1) ** 2
        return np.asarray(found)


@dataclass(frozen=True, eq=False)
class EvenProcess:
    """Values of pairs to the interaction indices of edges: their posterior mean and deviation."""

    plus: NDArray[np.int32]
    minus: NDArray[np.int32]
    kept: Kept
    edges: Edges
    calls: int
    complete: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Edges and coalitions."""
        return len(self.edges), self.calls

    @property
    def pairs(self) -> Edges:
        """The pairs of units that the indices are about."""
        return self.edges

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.kept.nbytes + self.edges.nbytes

    def __matmul__(self, values: NDArray[np.float64], /) -> NDArray[np.float64]:
        return self._found(values)[0]

    def stderr(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The posterior deviation of each index, by leave-one-out errors; inf where pairs are too few to tell."""
        return self._found(values)[1]

    def _found(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Indices and standard errors; those of the last values are kept, since both are asked for one by one."""
        key = values.tobytes()
        last = self.__dict__.get("_last")
        if last is None or last[0] != key:
            even = np.asarray((values[self.plus] + values[self.minus]) / 2)
            each = [self._of(column) for column in even.reshape(len(even), -1).T]
            shape = (len(self.edges), *values.shape[1:])
            last = key, *(np.stack(part, axis=-1).reshape(shape) for part in zip(*each, strict=True))
            object.__setattr__(self, "_last", last)
        return last[1], last[2]

    def head(self, samples: int) -> EvenProcess:
        """The first pairs."""
        rows, complete = slice(0, samples + 1), self.complete and samples + 1 == len(self.kept)
        return EvenProcess(self.plus[rows], self.minus[rows], self.kept[rows], self.edges, self.calls, complete)

    def _of(self, even: Array) -> tuple[Array, Array]:
        many, (n, d) = len(self.edges), self.kept.shape
        if not many:
            return np.zeros(0), np.zeros(0)
        if not np.isfinite(even).all():
            return np.full(many, np.nan), np.full(many, np.nan)
        if self.complete:
            alone = EvenShape(np.zeros(d), np.full(d, 1e-9), 0.0, 0.0, 1.0)
            parts = np.array_split(self.edges, -(-many * n // _WEIGHTS))  # of all at once, there may be gigabytes
            return np.concatenate([alone.of_interactions(self.kept, part) @ even for part in parts]), np.zeros(many)
        found, error = interactions(self.kept, even, self.edges)
        return found, error if 4 * (n - 1) >= 5 * d else np.full(many, np.inf)


def interactions(kept: Kept, even: Array, edges: Edges) -> tuple[Array, Array]:
    """The posterior mean and deviation of the interaction indices of edges.

    Parameters
    ----------
    kept, even : coalitions, the first of which is V, and g there.
    edges : pairs of units.

    Returns
    -------
    tuple of arrays
        One number an edge each.
    """
    kept, even = kept[: MOST_PAIRS + 1], even[: MOST_PAIRS + 1]
    even = even - even.mean()
    if np.ptp(even) == 0 or not len(edges):
        return np.zeros(len(edges)), np.zeros(len(edges))
    n, shape = len(kept), fit(kept, even)
    K = shape.covariance(kept, kept)
    K[np.diag_indices(n)] += shape.white
    factor = linalg.cho_factor(K, lower=True, overwrite_a=True, check_finite=False)
    alpha, ones = linalg.cho_solve(factor, np.stack([even, np.ones(n)], axis=1), check_finite=False).T
    alpha = alpha - ones * (alpha.sum() / ones.sum())  # the mean of g is fitted freely
    mean, left = np.empty(len(edges)), shape.variances(edges)
    for part in np.array_split(np.arange(len(edges)), -(-len(edges) // 1024)):
        C = shape.of_interactions(kept, edges[part])
        half = linalg.solve_triangular(factor[0], C.T, lower=True, check_finite=False)
        mean[part] = C @ alpha
        left[part] -= np.einsum("nj,nj->j", half, half) - (C @ ones) ** 2 / ones.sum()
    return mean, _CAUTION * np.sqrt(np.maximum(left, 0) * _scale(factor, alpha, ones))


def _scale(factor: tuple[Array, bool], alpha: Array, ones: Array) -> float:
    """The mean square of leave-one-out errors over what they are expected to be, at some rows."""
    n = len(alpha)
    rows = np.unique(np.linspace(0, n - 1, min(_CHECKED, n)).astype(np.intp))
    picked = np.zeros((n, len(rows)))
    picked[rows, np.arange(len(rows))] = 1
    root = linalg.solve_triangular(factor[0], picked, lower=True, overwrite_b=True, check_finite=False)
    own = np.einsum("nj,nj->j", root, root) - ones[rows] ** 2 / ones.sum()
    return float(np.mean(alpha[rows] ** 2 / own))


def fit(kept: Kept, even: Array) -> EvenShape:
    """The shape of greatest evidence, by the steps that `pair_evidence.fit` takes for the odd half."""
    kept, even = kept[:ROWS], even[:ROWS]
    scale = float(np.sqrt(np.mean((even - even.mean()) ** 2))) or 1.0
    y, d = (even - even.mean()) / scale, kept.shape[1]
    c, free = _signs(kept), d <= min(_UNITS, len(kept))
    mean = np.concatenate([_MEAN - [np.log(d), 0, 0, 0, 0], np.zeros(d if free else 0)])
    at = climb(lambda at, spread: _look(at, mean, spread, c, y), mean, _FIRST)
    found = _shape(at, d)
    square = scale**2
    return EvenShape(
        found.pairs * scale, found.reach, found.product * square, found.size * square, found.white * square
    )


def _shape(at: Array, d: int) -> EvenShape:
    units = at[_FIRST:] if len(at) > _FIRST else np.zeros(d)
    white, product, pairs, size = np.exp(np.clip(at[1:_FIRST], -16, 8))
    share = np.sqrt(2 * pairs / max(d * (d - 1), 1))
    tied = np.exp(np.clip(_TIE * units, -8, 8))
    return EvenShape(share * tied, np.exp(np.clip(at[0] + units, -12, 3)), float(product), float(size), float(white))


def _look(at: Array, mean: Array, spread: float, c: Array, y: Array) -> Point | None:
    """The negative logarithm of the evidence, prior included, with its derivatives; None where K is singular."""
    n, d = c.shape
    shape = _shape(at, d)
    even, odd = _even(c, c, shape.reach)
    own = (c * shape.pairs) @ c.T
    pairs = (own**2 - np.sum(shape.pairs**2)) / 2
    size = np.rint((c.sum(axis=1) + d) / 2).astype(np.intp)
    sizes = by_size(d)[size][:, size]
    K = shape.product * even + pairs + shape.size * sizes
    K[np.diag_indices(n)] += shape.white
    inverse, logarithm = inverse_of(K)
    if inverse is None:
        return None
    ones = inverse.sum(axis=1)  # the mean is fitted freely
    inverse = inverse - np.outer(ones, ones) / ones.sum()
    logarithm += float(np.log(ones.sum())) / 2
    alpha = inverse @ y
    slope = inverse - np.outer(alpha, alpha)
    by_reach, last = shape.product * shape.reach, np.exp(-shape.reach.sum())
    less = 0.5 - last / (1 + last)
    ca = c * alpha[:, None]
    steps = by_reach * (c * (odd @ ca) / 2 - (less * (even @ alpha))[:, None])
    reaching = by_reach / 2 * (np.sum(((slope * odd) @ c) * c, axis=0) / 2 - less * np.sum(slope * even))
    moved, gradient = np.zeros((n, len(at))), np.zeros(len(at))
    moved[:, 0], gradient[0] = steps.sum(axis=1), reaching.sum()
    moved[:, 1], gradient[1] = shape.white * alpha, shape.white / 2 * np.trace(slope)
    moved[:, 2], gradient[2] = shape.product * (even @ alpha), shape.product / 2 * np.sum(slope * even)
    moved[:, 3], gradient[3] = pairs @ alpha, np.sum(slope * pairs) / 2
    moved[:, 4], gradient[4] = shape.size * (sizes @ alpha), shape.size / 2 * np.sum(slope * sizes)
    if len(at) > _FIRST:
        moved[:, _FIRST:] = steps + _TIE * (shape.pairs * c * (own @ ca) - shape.pairs**2 * alpha.sum())
        inside = shape.pairs * np.sum(((slope * own) @ c) * c, axis=0) - shape.pairs**2 * slope.sum()
        gradient[_FIRST:] = reaching + _TIE / 2 * inside
    deviation = np.concatenate([_DEVIATION, np.full(len(at) - _FIRST, spread)])
    off = (at - mean) / deviation
    curvature = moved.T @ (inverse @ moved) / 2
    curvature[np.diag_indices(len(at))] += 1 / deviation**2
    value = logarithm + float(y @ alpha + off @ off) / 2
    return Point(at, spread, value, lambda: (gradient + off / deviation, curvature))


def _even(one: Array, two: Array, reach: Array) -> tuple[Array, Array]:
    """The even part of the product, scaled to 1 at equality; and the odd one, as scaled."""
    odd, even = odd_product((one * (reach / 2)) @ two.T, float(reach.sum()))
    scale = -np.expm1(-reach.sum()) / (1 + np.exp(-reach.sum()))
    return even * scale, odd * scale


def _signs(kept: Kept) -> Array:
    return np.where(kept, 1.0, -1.0)
