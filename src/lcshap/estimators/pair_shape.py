"""The prior of `GraphKernelSHAP` for one input: its terms, how much of each there is, and how far each unit reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .pair_prior import Array, Prior, prior, tiles

Kept = NDArray[np.bool_]
Near = tuple[NDArray[np.float32], NDArray[np.float32]]  # the products of triples of two lists of coalitions
_BLOCK = 256  # rows of a covariance matrix that are computed at a time: few enough to stay in the processor's cache
_UNDERFLOWS = 600.0  # with a total reach of that, exponentials of it are no numbers any more
_NODES = 24  # of the integral over the diagonal: the integrand is smooth, and this many leave nothing but rounding


@dataclass(frozen=True, eq=False)
class Terms:
    r"""The terms whose form is the same for every input, each scaled to about 1 where two coalitions are equal.

    - smooth: the odd part of :math:`\prod_j (1 + r c_j c'_j)`, r = 4/d;
    - pooling: what max-pooling does (see `Prior`);
    - size: a function of the number of units alone, :math:`\pm \exp(-| |x(s)| - |x(t)| |)` with x the log-odds of the
      share of units that are kept: games that rise fast with their first units;
    - triples of units near each other in the graph, where there are any.

    The first three are wide: they concern all units. With many units they take long and tell little (measured), so
    they may be left out.
    """

    d: int
    triples: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 3), np.int32))
    wide: bool = True

    def __len__(self) -> int:
        return 3 * self.wide + bool(len(self.triples))

    def covariances(self, kept: Kept, others: Kept) -> list[Array]:
        """One matrix `(n, m)` a term."""
        found = [np.empty((len(kept), len(others))) for _ in range(len(self))]
        for rows, parts in self.tiles(kept, others):
            for whole, part in zip(found, parts, strict=True):
                whole[rows] = part
        return found

    def tiles(self, kept: Kept, others: Kept, near: Near | None = None) -> Iterator[tuple[slice, list[Array]]]:
        """The rows of a tile, and the matrices of all terms; `near` are the triples of both, where they are known."""
        d, many = self.d, len(self.triples)
        left, right = near or (self.products(kept), self.products(others))
        for rows, common in tiles(kept, others) if self.wide else _slices(len(kept)):
            found = []
            if common is not None:
                s, t = common.s.astype(np.intp), common.t.astype(np.intp)
                found = [self._smooth.by_agreement[common.agreement], common.jaccard(), _odd_by_size(d)[s[:, 0]][:, t]]
            if many:  # sums of signs: exact in float32
                found.append((left[rows] @ right.T).astype(float) / many)
            yield rows, found

    def products(self, kept: Kept) -> NDArray[np.float32]:
        """The product of the signs of each triple, `(n, triples)`."""
        return _products(kept, self.triples)

    def of_scores(self, kept: Kept) -> list[Array]:
        """The covariance of each Shapley value with f at each coalition, `(d, n)`, of each term."""
        d, found = self.d, list[Array]()
        if self.wide:
            s = kept.sum(axis=1)
            alike = 2 / d * np.sign(2 * s - d) * by_size(d)[d, s]  # all units share what the size alone is worth
            found = [self._smooth.of_scores(kept), self._pool.of_scores(kept), np.repeat(alike[None], d, axis=0)]
        if len(self.triples):
            found.append(self.near(kept))
        return found

    def near(self, kept: Kept) -> Array:
        """The last of these, of the triples: each unit gets a third of the change, from -1 to 1."""
        many = len(self.triples)
        members = sparse.csr_array(
            (np.full(3 * many, 2 / 3 / many), (self.triples.ravel(), np.arange(3 * many) // 3)), (self.d, many)
        )
        return np.asarray(members @ self.products(kept).T)

    @cached_property
    def variances(self) -> list[Array]:
        """The variance of each Shapley value, `(d,)`, of each term."""
        d, found = self.d, list[Array]()
        if self.wide:
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
def log_odds(d: int) -> Array:
    """How far the share of units that are kept is from a half, `(d + 1,)`: the absolute value of its log-odds."""
    size = np.arange(d + 1)
    return np.asarray(np.abs(np.log((size + 0.5) / (d - size + 0.5))))


@lru_cache(maxsize=64)
def by_size(d: int) -> Array:
    """The covariance of a function of the number of units, by two numbers."""
    share = log_odds(d)
    return np.asarray(np.exp(-np.abs(share[:, None] - share)))


@lru_cache(maxsize=64)
def _odd_by_size(d: int) -> Array:
    """The same for a function that changes its sign with the complement."""
    sign = np.sign(2 * np.arange(d + 1) - d)
    return np.asarray(sign[:, None] * sign * by_size(d))


@lru_cache(maxsize=64)
def _of_scores_by_size(d: int, wide: bool) -> tuple[Array, Array]:
    """The covariances of scores with f, of white noise and the wide terms, by the size of S: of units in S, and others.

    One row a term.
    """
    sizes = np.tri(d + 1, d, -1, dtype=bool)  # coalitions of 0, 1, ... d units
    terms = [_white(d).of_scores(sizes), *(Terms(d).of_scores(sizes) if wide else [])]
    inside, outside = np.stack([term[[0, -1]] for term in terms], axis=1)
    return inside, outside  # the first unit is in all but ∅, the last in none but V


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
        n, signs, near = len(kept), _signs(kept), self.terms.products(kept)
        found = np.empty((n, n))
        for start in range(0, n, _BLOCK):  # K is symmetric: half of it is computed
            rows, those = slice(start, start + _BLOCK), slice(start, n)
            block = found[rows, those]
            self._own_and_product(signs[rows], signs[those], block)
            self._add_terms(kept[rows], kept[those], block, (near[rows], near[those]))
            found[start + _BLOCK :, rows] = block[:, _BLOCK:].T
        found[np.diag_indices(n)] += self.white
        return found

    def covariance(self, kept: Kept, others: Kept) -> Array:
        """K between coalitions `(n, d)` and `(m, d)`, without the white noise."""
        found, one, two = np.empty((len(kept), len(others))), _signs(kept), _signs(others)
        for start in range(0, len(kept), _BLOCK):
            rows = slice(start, start + _BLOCK)
            self._own_and_product(one[rows], two, found[rows])
        self._add_terms(kept, others, found)
        return found

    def applied(self, kept: Kept, others: Kept, weights: Array) -> Array:
        """K between coalitions `(n, d)` and `(m, d)`, without the white noise, times weights `(m,)`.

        K is not written down whole, and terms that are sums over units or triples need no matrix at all.
        """
        if self.terms.wide:
            return np.concatenate([self.covariance(kept[rows], others) @ weights for rows, _ in _slices(len(kept))])
        one, two, total = _signs(kept), _signs(others), float(self.reach.sum())
        found = one @ (self.own * (weights @ two))
        for rows, _ in _slices(len(kept)):
            near, far = near_and_far((one[rows] * (self.reach / 2)) @ two.T, total)
            found[rows] += self.product / -np.expm1(-total) * (near @ weights - far @ weights)
        if len(self.terms.triples):
            sums = weights @ self.terms.products(others)
            found += self.shares[-1] / len(self.terms.triples) * (self.terms.products(kept) @ sums)
        return np.asarray(found)

    def _own_and_product(self, one: Array, two: Array, found: Array) -> None:
        """Write the first two terms between coalitions, given by their signs."""
        agree, total = (one * self.reach) @ two.T, float(self.reach.sum())
        agree /= 2
        near, far = near_and_far(agree, total)
        np.subtract(near, far, out=found)
        found *= self.product / -np.expm1(-total)
        tied = self.own[0] / self.reach[0]
        if np.allclose(self.own, tied * self.reach, rtol=1e-12, atol=0):  # one matrix product is enough
            agree *= 2 * tied
            found += agree
        else:
            found += (one * self.own) @ two.T

    def _add_terms(self, kept: Kept, others: Kept, found: Array, near: Near | None = None) -> None:
        for rows, parts in self.terms.tiles(kept, others, near):
            for share, part in zip(self.shares, parts, strict=True):
                part *= share
                found[rows] += part

    def of_scores(self, kept: Kept) -> Array:
        """The covariance of each Shapley value with f at each coalition, `(d, n)`, white noise included."""
        r, scale = self._ratios
        node, weight = nodes()
        along = np.outer(node, r)
        # The Shapley value of a product over units is an integral over its derivative along the diagonal.
        logs = _signs(kept) @ np.arctanh(along).T + np.log1p(-(along**2)).sum(axis=1) / 2
        whole = np.exp(logs - np.log1p(r).sum()) * weight
        # What units do by themselves, and what depends on the size alone, are two more columns.
        size, each = kept.sum(axis=1), self.product * scale
        one, ones = np.ones(len(r)), np.ones(len(kept))
        inside, outside = (part[size] for part in self._by_size)
        into = np.vstack([each / (1 + along), 2 * self.own, one]).T @ np.vstack([whole.T, ones, inside])
        out_of = np.vstack([each / (along - 1), -2 * self.own, one]).T @ np.vstack([whole.T, ones, outside])
        found = np.where(kept.T, into, out_of)
        if len(self.terms.triples):
            found += self.shares[-1] * self.terms.near(kept)
        return np.asarray(found)

    @property
    def _by_size(self) -> tuple[Array, Array]:
        """What white noise and the wide terms add, by the size of S: for the units in S, and for the others."""
        inside, outside = _of_scores_by_size(len(self.own), self.terms.wide)
        shares = np.array([self.white, *self.shares[: len(inside) - 1]])
        return shares @ inside, shares @ outside

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

    def unseen(self, kept: Kept) -> Array:
        """The variance of each Shapley value that white noise leaves, once f is known at these coalitions, `(d,)`.

        No more can be known, so it bounds the posterior variance, which is a difference of nearly equal numbers where
        nearly everything is known.
        """
        return self.white * left_by_noise(kept)

    @cached_property
    def _ratios(self) -> tuple[Array, Array]:
        """r with (1 - r) / (1 + r) = exp(-θ), and 2r over what scales E to 1."""
        r = np.tanh(self.reach / 2)
        return r, 2 * r / -np.expm1(-self.reach.sum())


def left_by_noise(kept: Kept) -> Array:
    """The variance of each Shapley value, if f is white noise of variance 1 and known at these coalitions, `(d,)`."""
    white = _white(kept.shape[1])
    known = np.einsum("jn,jn->j", *[white.of_scores(kept)] * 2)
    return np.asarray(np.maximum(white.variance - known, 0))


@cache
def nodes() -> tuple[Array, Array]:
    """Nodes and weights of the integral over the diagonal, by Gauss and Legendre."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    return node, weight


def odd_product(agree: Array, total: float) -> tuple[Array, Array]:
    """The odd part of exp(-θ-weighted number of differences), scaled to 1 at equality; and the even one, as scaled.

    `total` is the sum of all θ, and `agree` half of what coalitions agree on less half of what they do not.
    """
    near, far = near_and_far(agree, total)
    scale = -np.expm1(-total)
    near /= scale
    far /= scale
    return near - far, near + far


def near_and_far(agree: Array, total: float) -> tuple[Array, Array]:
    """The exponentials of half the total reach, less and plus: :math:`e^{a - t/2}` and :math:`e^{-a - t/2}`."""
    near = agree - total / 2
    np.exp(near, out=near)
    far = np.exp(-total) / near if total < _UNDERFLOWS else np.exp(-agree - total / 2)
    return near, far


def _slices(n: int) -> Iterator[tuple[slice, None]]:
    """All rows, a block at a time."""
    return ((slice(start, start + _BLOCK), None) for start in range(0, n, _BLOCK))


def _signs(kept: Kept) -> Array:
    return np.where(kept, 1.0, -1.0)


def _products(kept: Kept, triples: NDArray[np.int32]) -> NDArray[np.float32]:
    """The product of three signs, `(n, triples)`."""
    signs = np.where(kept, np.float32(1), np.float32(-1))
    return np.asarray(signs[:, triples[:, 0]] * signs[:, triples[:, 1]] * signs[:, triples[:, 2]])


def _white(d: int) -> Prior:
    """A prior of white noise alone, of variance 1."""
    return prior(d, 0.0, 0.0, 0.0, float(d))
