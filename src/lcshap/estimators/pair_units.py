"""How much units differ: the share of each in what units do by themselves, before a prior is fitted to an input."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from .pair_prior import Array
from .pair_shape import Kept

_FREEDOM = 0.3  # of Student's t distribution that worths are taken to have: a few units may do nearly all
_STEPS = 5  # more of them hardly lower the error of the scores (measured)
_FLOOR = 1e-10  # of the mean square: the least variance of the residual, so that matrices can be factored
_LEAST = 0.05  # the residual has at least such a share of the pairs as degrees of freedom


def shares(kept: Kept, odd: Array) -> Array:
    r"""The variance that each unit's own worth seems to have, over the mean of all.

    A Bayesian linear regression of f on the units, :math:`f = \sum_j b_j c_j + \varepsilon`, in which each
    :math:`b_j` has a variance :math:`a_j` of its own. The variances have an inverse gamma prior, so that a worth has
    Student's t distribution; its scale, the variances and the variance of the residual are those of the greatest
    posterior density, by fixed-point steps. In texts and images most units do next to nothing, and a prior that knows
    which ones leaves much less unknown.

    Parameters
    ----------
    kept, odd : coalitions `(n, d)`, and f there.

    Returns
    -------
    array
        One positive number a unit, 1 on average.
    """
    n, d = kept.shape
    signs = np.where(kept, np.float32(1), np.float32(-1))
    gram = (signs.T @ signs).astype(float)  # of small integers: exact in single precision
    pull, square = odd @ np.where(kept, 1.0, -1.0), float(odd @ odd)
    variance, noise = np.full(d, square / n / d), square / n / 2
    matrix = np.empty((d, d))
    for _ in range(_STEPS):
        root = np.sqrt(variance)
        np.multiply(gram, root[:, None] / noise, out=matrix)
        matrix *= root
        matrix[np.diag_indices(d)] += 1
        factor = linalg.cholesky(matrix.T, lower=True, overwrite_a=True, check_finite=False)
        mean = root * linalg.cho_solve((factor, True), root * pull / noise, check_finite=False)
        inverse = linalg.lapack.dtrtri(factor, lower=1, overwrite_c=1)[0]
        left = np.einsum("ij,ij->j", inverse, inverse)  # of each variance, after the data
        residual = square - 2 * float(mean @ pull) + float(mean @ gram @ mean)
        noise = max(residual / max(n - float(np.sum(1 - left)), _LEAST * n), _FLOOR * square / n)
        scale = d / np.sum(1 / variance)
        variance = (mean**2 + _FREEDOM * scale) / (1 - left + _FREEDOM)  # MacKay's step: EM has the same fixed point
    return np.asarray(variance / variance.mean())
