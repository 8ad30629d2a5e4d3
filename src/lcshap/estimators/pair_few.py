"""Scores of `GraphKernelSHAP` where pairs are few for so many units: a mixture of priors that are solved once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .pair_prior import Array
from .pair_shape import Kept, Shape, Terms
from .pair_space import inverse_of

# The shares of products and of pooling where units by themselves have a share of 1, and the reach times d (by the
# posteriors of texts, networks and trees); the share of the other terms, and of white noise.
_PRODUCT, _REACH, _POOL, _REST, _WHITE = (0.03, 0.3), (4.0, 16.0), (0.003, 0.5), 0.002, 1e-4
_ROWS = 160  # pairs that the evidence is computed from, at most
_MIXED, _LEAST = 3, 0.01  # at most so many priors are mixed, each with at least such a weight
_MANY = 512  # with more pairs than that one prior alone is used: each of them takes the cube
_SHAPES = len(_PRODUCT) * len(_REACH) * len(_POOL)


@dataclass(frozen=True, eq=False)
class Solved:
    """A prior with its weights: scores are `weights @ f`, with these variances."""

    weights: Array
    variances: Array


@dataclass(frozen=True, eq=False)
class FewPairs:
    """From f at some coalitions, the first of which is V, to scores, by the evidence of a small table of priors.

    Fitting a prior to each input takes longer than a fast model takes for the input, and with about two pairs a unit
    there is little to fit it to. The table is solved once for a design; an input then costs a few products of a matrix
    and a vector. The priors of greatest evidence are mixed by their evidence, so the standard error
    knows that the prior is unknown.
    """

    kept: Kept

    @property
    def nbytes(self) -> int:
        """Memory that is held once inputs have been explained, about."""
        n, d = self.kept.shape
        return int(_SHAPES * 4 * min(n, _ROWS) ** 2 + _MIXED * 8 * n * d)

    @cached_property
    def shapes(self) -> list[Shape]:
        """The table, for a mean square of f of about 1."""
        d = self.kept.shape[1]
        terms = Terms(d)
        return [
            Shape(np.full(d, 1 / d), np.full(d, reach / d), share, np.array([_REST, pool, _REST]), _WHITE, terms)
            for share, reach, pool in product(_PRODUCT, _REACH, _POOL)
        ]

    @cached_property
    def _rows(self) -> NDArray[np.intp]:
        n = len(self.kept)
        return np.linspace(0, n - 1, min(n, _ROWS)).astype(np.intp)

    @cached_property
    def _inverses(self) -> list[tuple[NDArray[np.float32], Array, float]]:
        """Of each prior: the inverse of K at some rows, its diagonal, and half the logarithm of K's determinant."""
        kept, found = self.kept[self._rows], []
        for shape in self.shapes:
            inverse, logarithm = inverse_of(shape.among(kept))
            assert inverse is not None  # white noise has a fixed share
            found.append((inverse.astype(np.float32), np.diag(inverse).copy(), logarithm))
        return found

    def _solved(self, k: int) -> Solved:
        known: dict[int, Solved] = self.__dict__.setdefault("_known", {})
        if k not in known:
            shape = self.shapes[k]
            C = shape.of_scores(self.kept)
            factor = linalg.cho_factor(shape.among(self.kept).T, lower=True, overwrite_a=True, check_finite=False)
            weights = np.ascontiguousarray(linalg.cho_solve(factor, C.T, check_finite=False).T)
            known[k] = Solved(weights, np.maximum(shape.variances - np.einsum("jn,jn->j", weights, C), 0))
        return known[k]

    def posterior(self, odd: Array) -> tuple[Array, Array]:
        """The mean and the variance of the Shapley values."""
        evidence, scales = self._evidence(odd)
        weight = np.exp(evidence - evidence.max())
        best = np.argsort(-weight, kind="stable")[: _MIXED if len(odd) <= _MANY else 1]
        best = best[weight[best] >= _LEAST * weight.sum()]
        weight = weight[best] / weight[best].sum()
        solved = [self._solved(int(k)) for k in best]
        means = np.stack([each.weights @ odd for each in solved])
        mean = weight @ means
        within = weight @ np.stack([scales[k] * each.variances for k, each in zip(best, solved, strict=True)])
        return mean, within + weight @ (means - mean) ** 2

    def _evidence(self, odd: Array) -> tuple[Array, Array]:
        """The logarithm of each prior's evidence at the best scale, and the scale by leave-one-out errors."""
        y = odd[self._rows]
        n, evidence, scales = len(y), np.empty(_SHAPES), np.empty(_SHAPES)
        single = y.astype(np.float32)
        for k, (inverse, own, logarithm) in enumerate(self._inverses):
            alpha = (inverse @ single).astype(float)
            evidence[k] = -n / 2 * np.log(max(float(y @ alpha) / n, np.finfo(float).tiny)) - logarithm
            scales[k] = np.mean(alpha[1:] ** 2 / own[1:])
        return evidence, scales
