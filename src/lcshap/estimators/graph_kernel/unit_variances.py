"""The variance of each unit's own effect, which is estimated before a kernel is fitted to an input."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from .fixed_kernel import Array, Kept
from .tuning import UNIT_VARIANCES


def unit_variances(kept: Kept, odd: Array) -> Array:
    r"""The estimated variance of each unit's own effect, divided by the mean over all units.

    This is a Bayesian linear regression of f on the units, :math:`f = \sum_j b_j c_j + \varepsilon`, in which each
    :math:`b_j` has its own variance :math:`a_j`. The variances have an inverse gamma prior, so that an effect has
    Student's t distribution. Its scale, the variances and the variance of the residual maximize the posterior density,
    by fixed-point steps. In texts and images most units have almost no effect, and a prior with this information
    reduces the posterior variance a lot.

    Parameters
    ----------
    kept, odd : coalitions `(n, d)`, and f there.

    Returns
    -------
    array
        One positive number per unit, 1 on average.
    """
    n, d = kept.shape
    signs = np.where(kept, np.float32(1), np.float32(-1))
    gram = (signs.T @ signs).astype(float)  # sums of small integers are exact in single precision
    pull, square = odd @ np.where(kept, 1.0, -1.0), float(odd @ odd)
    variance, noise = np.full(d, square / n / d), square / n / 2
    matrix = np.empty((d, d))
    for _ in range(UNIT_VARIANCES.steps):
        root = np.sqrt(variance)
        np.multiply(gram, root[:, None] / noise, out=matrix)
        matrix *= root
        matrix[np.diag_indices(d)] += 1
        factor = linalg.cholesky(matrix.T, lower=True, overwrite_a=True, check_finite=False)
        mean = root * linalg.cho_solve((factor, True), root * pull / noise, check_finite=False)
        inverse = linalg.lapack.dtrtri(factor, lower=1, overwrite_c=1)[0]
        # The posterior variance of each effect, divided by its prior variance.
        variance_ratios = np.einsum("ij,ij->j", inverse, inverse)
        residual = square - 2 * float(mean @ pull) + float(mean @ gram @ mean)
        dof = max(n - float(np.sum(1 - variance_ratios)), UNIT_VARIANCES.min_residual_dof * n)
        noise = max(residual / dof, UNIT_VARIANCES.min_noise * square / n)
        scale = d / np.sum(1 / variance)
        # This is MacKay's step, which has the same fixed point as EM.
        variance = (mean**2 + UNIT_VARIANCES.dof * scale) / (1 - variance_ratios + UNIT_VARIANCES.dof)
    return np.asarray(variance / variance.mean())
