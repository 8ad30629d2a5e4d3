"""The prior of `GraphKernelSHAP` for one input: its terms, how much of each there is, and how far each unit reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from .pair_prior import Array, Prior, prior, tiles

Kept = NDArray[np.bool_]
_BLOCK = 512  # rows of a symmetric covariance matrix that are computed at a time
_NODES = 24  # of the integral over the diagonal: the integrand is smooth, and this many leave nothing but rounding


@dataclass(frozen=True, eq=False)
class Terms:
    r"""The terms whose form is the same for every input, each scaled to about 1 where two coalitions are equal.

    - smooth: the odd part of :math:`\prod_j (1 + r c_j c'_j)`, r = 4/d;
    - pooling: what max-pooling does (see `Prior`);
    - size: a function of the number of units alone, :math:`\pm \exp(-| |x(s)| - |x(t)| |)` with x the log-odds of the
      share of units that are kept: games that rise fast with their first units;
    - triples of units near each other in the graph, where there are any.
    """

    d: int
    triples: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 3), np.int32))

    def __len__(self) -> int:
        return 4 if len(self.triples) else 3

    def covariances(self, kept: Kept, others: Kept) -> list[Array]:
        """One matrix `(n, m)` a term."""
        found = [np.empty((len(kept), len(others))) for _ in range(len(self))]
        for rows, _, parts in self.tiles(kept, others):
            for whole, part in zip(found, parts, strict=True):
                whole[rows] = part
        return found

    def tiles(self, kept: Kept, others: Kept) -> Iterator[tuple[slice, NDArray[np.intp], list[Array]]]:
        """The rows of a tile, on how many units its coalitions agree, and the matrices of all terms."""
        d, near = self.d, _products(others, self.triples).T if len(self.triples) else None
        for rows, common in tiles(kept, others):
            s, t = common.s.astype(np.intp), common.t.astype(np.intp)
            agreement = common.agreement
            found = [self._smooth.by_agreement[agreement], common.jaccard()]
            found.append(_odd_by_size(d)[s[:, 0]][:, t])
            if near is not None:  # sums of signs: exact in float32
                found.append((_products(kept[rows], self.triples) @ near).astype(float) / len(self.triples))
            yield rows, agreement, found

    def of_scores(self, kept: Kept) -> list[Array]:
        """The covariance of each Shapley value with f at each coalition, `(d, n)`, of each term."""
        d, s = self.d, kept.sum(axis=1)
        alike = 2 / d * np.sign(2 * s - d) * by_size(d)[d, s]  # all units share what the size alone is worth
        found = [self._smooth.of_scores(kept), self._pool.of_scores(kept), np.repeat(alike[None], d, axis=0)]
        if len(self.triples):
            near = np.zeros((d, len(kept)))
            products = _products(kept, self.triples)
            for column in self.triples.T:
                np.add.at(near, column, products.T)
            found.append(near * (2 / 3 / len(self.triples)))  # each unit gets a third of the change, from -1 to 1
        return found

    @cached_property
    def variances(self) -> list[Array]:
        """The variance of each Shapley value, `(d,)`, of each term."""
        d = self.d
        found = [np.full(d, v) for v in (self._smooth.variance, self._pool.variance, 4 / d**2)]
        if len(self.triples):
            found.append(np.bincount(self.triples.ravel(), minlength=d) * 4 / 9 / len(self.triples))
        return found

    @cached_property
    def _smooth(self) -> Prior:
        return prior(self.d, 0.0, 1.0, 0.0, 0.0)

    @cached_property
    def _pool(self) -> Prior:
        return prior(self.d, 0.0, 0.0, 1.0, 0.0)


@lru_cache(maxsize=64)
def by_size(d: int) -> Array:
    """The covariance of a function of the number of units, by two numbers."""
    size = np.arange(d + 1)
    share = np.abs(np.log((size + 0.5) / (d - size + 0.5)))
    return np.asarray(np.exp(-np.abs(share[:, None] - share)))


@lru_cache(maxsize=64)
def _odd_by_size(d: int) -> Array:
    """The same for a function that changes its sign with the complement."""
    sign = np.sign(2 * np.arange(d + 1) - d)
    return np.asarray(sign[:, None] * sign * by_size(d))


@dataclass(frozen=True, eq=False)
class Shape:
    r"""The prior of f for one input, in the units of f.

    .. math:: K(S, T) = \sum_j a_j c_j c'_j + b\, E_\theta(S, T) + \sum_k b_k K_k(S, T) + w\, [S = T]

    with c = ±1 for units kept and absent, and E the odd part of :math:`\exp(-\sum_j \theta_j [c_j \ne c'_j])`, scaled
    to 1 at S = T: a unit with a small :math:`\theta_j` interacts with nothing. The :math:`K_k` are those of `Terms`.

    Attributes
    ----------
    own : :math:`a`, what each unit does by itself, `(d,)`.
    reach : :math:`\theta`, `(d,)`.
    product : b.
    shares : :math:`b_k`, one a term.
    white : w.
    """

    own: Array
    reach: Array
    product: float
    shares: Array
    white: float
    terms: Terms

    def among(self, kept: Kept) -> Array:
        """K between all coalitions `(n, d)`, white noise included."""
        n = len(kept)
        found = np.empty((n, n))
        for start in range(0, n, _BLOCK):  # K is symmetric: half of it is computed
            rows, stop = slice(start, start + _BLOCK), start + _BLOCK
            found[rows, :stop] = self.covariance(kept[rows], kept[:stop])
            found[:start, rows] = found[rows, :start].T
        found[np.diag_indices(n)] += self.white
        return found

    def covariance(self, kept: Kept, others: Kept) -> Array:
        """K between coalitions `(n, d)` and `(m, d)`, without the white noise."""
        by_agreement = self._by_agreement
        found = np.empty((len(kept), len(others)))
        for rows, agreement, parts in self.terms.tiles(kept, others):
            if by_agreement is None:
                one, two = _signs(kept[rows]), _signs(others)
                found[rows] = self.product * odd_product(one, two, self.reach)[0]
                found[rows] += (one * self.own) @ two.T
            else:
                np.take(by_agreement, agreement, out=found[rows])
            for share, part in zip(self.shares, parts, strict=True):
                part *= share
                found[rows] += part
        return found

    def of_scores(self, kept: Kept) -> Array:
        """The covariance of each Shapley value with f at each coalition, `(d, n)`, white noise included."""
        if self._alike:
            return self._of_alike(kept)
        d = kept.shape[1]
        r, scale = self._ratios
        node, weight = nodes()
        along = np.outer(node, r)
        # The Shapley value of a product over units is an integral over its derivative along the diagonal.
        logs = kept @ np.log1p(along).T + ~kept @ np.log1p(-along).T
        whole = np.exp(logs - np.log1p(r).sum()) * weight
        inside, outside = whole @ (1 / (1 + along)), whole @ (1 / (1 - along))
        found = (self.product * scale * np.where(kept, inside, -outside)).T
        found += 2 * (_signs(kept) * self.own).T
        found += self.white * _white(d).of_scores(kept)
        for share, term in zip(self.shares, self.terms.of_scores(kept), strict=True):
            found += share * term
        return np.asarray(found)

    def _of_alike(self, kept: Kept) -> Array:
        """The same where all units are alike: triples apart, it depends on whether a unit is kept, and on the size."""
        d = kept.shape[1]
        plain = Terms(d)
        sizes = np.tri(d + 1, d, -1, dtype=bool)  # coalitions of 0, 1, ... d units
        (r, *_), (scale, *_) = self._ratios
        node, weight = nodes()
        size = np.arange(d + 1.0)[:, None]
        logs = size * np.log1p(r * node) + (d - size) * np.log1p(-r * node) - d * np.log1p(r)
        whole = self.product * scale * np.exp(logs) * weight
        inside = whole @ (1 / (1 + r * node)) + 2 * self.own[0]
        outside = -whole @ (1 / (1 - r * node)) - 2 * self.own[0]
        parts = [self.white * _white(d).of_scores(sizes)]
        parts += [share * part for share, part in zip(self.shares, plain.of_scores(sizes), strict=False)]
        for part in parts:  # the first unit is in all of these coalitions but ∅, the last one in none but V
            inside += part[0]
            outside += part[-1]
        found = np.where(kept.T, inside[kept.sum(axis=1)], outside[kept.sum(axis=1)])
        if len(self.terms.triples):
            found += self.shares[-1] * self.terms.of_scores(kept)[-1]
        return np.asarray(found)

    @cached_property
    def variances(self) -> Array:
        """The variance of each Shapley value, `(d,)`."""
        r, scale = self._ratios
        node, weight = nodes()
        both = np.outer(node, node).ravel()
        factors = 1 + np.outer(both, r)
        whole = np.exp(np.log(factors).sum(axis=1) - np.log1p(r).sum()) * np.outer(weight, weight).ravel()
        found = self.product * scale * (whole @ (1 / factors)) + 4 * self.own
        found += self.white * _white(len(r)).variance
        for share, term in zip(self.shares, self.terms.variances, strict=True):
            found = found + share * term
        return np.asarray(found)

    @cached_property
    def _alike(self) -> bool:
        return not np.ptp(self.own) and not np.ptp(self.reach)

    @cached_property
    def _by_agreement(self) -> Array | None:
        """The first two terms by the number of units that agree, where all units are alike."""
        if not self._alike:
            return None
        d = len(self.own)
        same = np.arange(d + 1.0)
        far = np.exp(-self.reach[0] * (d - same))
        product = (far - far[::-1]) / -np.expm1(-self.reach.sum())
        return np.asarray(self.product * product + self.own[0] * (2 * same - d))

    @cached_property
    def _ratios(self) -> tuple[Array, Array]:
        """r with (1 - r) / (1 + r) = exp(-θ), and 2r over what scales E to 1."""
        r = np.tanh(self.reach / 2)
        return r, 2 * r / -np.expm1(-self.reach.sum())


@cache
def nodes() -> tuple[Array, Array]:
    """Nodes and weights of the integral over the diagonal, by Gauss and Legendre."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    return node, weight


def odd_product(one: Array, two: Array, reach: Array) -> tuple[Array, Array]:
    """The odd part of exp(-θ-weighted number of differences), scaled to 1 at equality; and the even one, as scaled."""
    total = reach.sum()
    agree = (one * reach) @ two.T
    near, far = np.exp((agree - total) / 2), np.exp(-(agree + total) / 2)
    scale = -np.expm1(-total)
    return (near - far) / scale, (near + far) / scale


def _signs(kept: Kept) -> Array:
    return np.where(kept, 1.0, -1.0)


def _products(kept: Kept, triples: NDArray[np.int32]) -> NDArray[np.float32]:
    """The product of three signs, `(n, triples)`."""
    signs = np.where(kept, np.float32(1), np.float32(-1))
    return np.asarray(signs[:, triples[:, 0]] * signs[:, triples[:, 1]] * signs[:, triples[:, 2]])


def _white(d: int) -> Prior:
    """A prior of white noise alone, of variance 1."""
    return prior(d, 0.0, 0.0, 0.0, float(d))
