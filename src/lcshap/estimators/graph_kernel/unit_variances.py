"""The variance of each unit's own effect, which is estimated before a kernel is fitted to an input."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from .fixed_kernel import Array, Kept
from .many_units import (
    Single,
    conjugate_gradients,
    effect_variances,
    gram_of_signs,
    sign_variances,
    sums_by_unit,
    sums_of_members,
)
from .tuning import SIZES, UNIT_VARIANCES


def unit_variances(kept: Kept, odd: Array, gram: Single | None = None) -> Array:
    r"""The estimated variance of each unit's own effect, divided by the mean over all units.

    This is a Bayesian linear regression of f on the units, :math:`f = \sum_j b_j c_j + \varepsilon`, in which each
    :math:`b_j` has its own variance :math:`a_j`. The variances have an inverse gamma prior, so that an effect has
    Student's t distribution. Its scale, the variances and the variance of the residual maximize the posterior density,
    by fixed-point steps. In texts and images most units have almost no effect, and a prior with this information
    reduces the posterior variance a lot.

    Parameters
    ----------
    kept, odd : coalitions `(n, d)`, and f there.
    gram : the sum over these coalitions of the products of two signs, if it is known.

    Returns
    -------
    array
        One positive number per unit, 1 on average.
    """
    n, d = kept.shape
    gram = gram_of_signs(kept) if gram is None else gram
    pull, square = 2 * sums_by_unit(kept, odd) - odd.sum(), float(odd @ odd)
    variance, noise = np.full(d, square / n / d), square / n / 2
    sign_variance = sign_variances(kept)
    for _ in range(UNIT_VARIANCES.steps):
        solve = _solve if d <= SIZES.inverted_units else _solve_many
        mean, variance_ratios = solve(gram, pull, variance, noise, sign_variance)
        residual = float(np.sum((odd - 2 * sums_of_members(kept, mean) + mean.sum()) ** 2))
        dof = max(n - float(np.sum(1 - variance_ratios)), UNIT_VARIANCES.min_residual_dof * n)
        noise = max(residual / dof, UNIT_VARIANCES.min_noise * square / n)
        scale = d / np.sum(1 / variance)
        # This is MacKay's step, which has the same fixed point as EM.
        variance = (mean**2 + UNIT_VARIANCES.dof * scale) / (1 - variance_ratios + UNIT_VARIANCES.dof)
    return np.asarray(variance / variance.mean())


def _solve(gram: Single, pull: Array, variance: Array, noise: float, _: Array) -> tuple[Array, Array]:
    """The posterior mean of the effects, and their posterior variances, divided by their prior variances."""
    root = np.sqrt(variance)
    matrix = gram * (root[:, None] / noise)
    matrix *= root
    matrix[np.diag_indices(len(matrix))] += 1
    factor = linalg.cholesky(matrix.T, lower=True, overwrite_a=True, check_finite=False)
    mean = root * linalg.cho_solve((factor, True), root * pull / noise, check_finite=False)
    inverse = linalg.lapack.dtrtri(factor, lower=1, overwrite_c=1)[0]
    return mean, np.einsum("ij,ij->j", inverse, inverse)


def _solve_many(gram: Single, pull: Array, variance: Array, noise: float, sign_variance: Array) -> tuple[Array, Array]:
    """The same, approximately, for many units."""

    def multiply(vector: Array) -> Array:
        return vector / variance + (gram @ vector.astype(np.float32)) / noise

    diagonal = 1 / variance + len(sign_variance) / noise
    mean = conjugate_gradients(
        multiply, pull / noise, diagonal, UNIT_VARIANCES.tolerance, UNIT_VARIANCES.solution_steps
    )
    return mean, effect_variances(1 / variance, sign_variance / noise) / variance
