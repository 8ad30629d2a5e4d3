"""Shapley interaction indices from the even half of pairs that were evaluated for scores."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from .even_kernel import Edges, EvenKernel
from .fit import fit_even_kernel
from .fixed_kernel import Array, Kept
from .tuning import ERRORS, SIZES

# Edges times coalitions whose weights are in memory at once, if all coalitions were evaluated.
_COMPLETE_CELLS = 1 << 24
_EDGES_AT_ONCE = 1024


def estimate_interactions(kept: Kept, even: Array, edges: Edges, complete: bool) -> tuple[Array, Array]:
    """The interaction indices of edges with their standard errors; inf if there are too few pairs for an error.

    Parameters
    ----------
    kept, even : coalitions, the first of which is V, and g there.
    edges : pairs of units.
    complete : whether all pairs of coalitions were evaluated, so that the indices are exact.
    """
    edge_count, (n, d) = len(edges), kept.shape
    if not edge_count:
        return np.zeros(0), np.zeros(0)
    if not np.isfinite(even).all():
        return np.full(edge_count, np.nan), np.full(edge_count, np.nan)
    if complete:
        noise = EvenKernel(np.zeros(d), np.full(d, 1e-9), 0.0, 0.0, 1.0)  # its covariances are the weights of the index
        blocks = np.array_split(edges, -(-edge_count * n // _COMPLETE_CELLS))  # all edges at once could take gigabytes
        return np.concatenate([noise.interaction_covariances(kept, block) @ even for block in blocks]), np.zeros(
            edge_count
        )
    indices, stderr = interaction_posterior(kept, even, edges)
    return indices, stderr if 4 * (n - 1) >= 5 * d else np.full(edge_count, np.inf)


def interaction_posterior(kept: Kept, even: Array, edges: Edges) -> tuple[Array, Array]:
    """The posterior mean and standard deviation of the interaction indices of edges.

    Parameters
    ----------
    kept, even : coalitions, the first of which is V, and g there.
    edges : pairs of units.

    Returns
    -------
    tuple of arrays
        Each has one number per edge.
    """
    kept, even = kept[: SIZES.process_pairs + 1], even[: SIZES.process_pairs + 1]
    even = even - even.mean()
    if np.ptp(even) == 0 or not len(edges):
        return np.zeros(len(edges)), np.zeros(len(edges))
    n, kernel = len(kept), fit_even_kernel(kept, even)
    K = kernel.covariance(kept, kept)
    K[np.diag_indices(n)] += kernel.white
    factor = linalg.cho_factor(K, lower=True, overwrite_a=True, check_finite=False)
    alpha, ones = linalg.cho_solve(factor, np.stack([even, np.ones(n)], axis=1), check_finite=False).T
    alpha = alpha - ones * (alpha.sum() / ones.sum())  # the mean of g is fitted without a prior
    mean, variance = np.empty(len(edges)), kernel.interaction_variances(edges)
    for rows in np.array_split(np.arange(len(edges)), -(-len(edges) // _EDGES_AT_ONCE)):
        C = kernel.interaction_covariances(kept, edges[rows])
        half = linalg.solve_triangular(factor[0], C.T, lower=True, check_finite=False)
        mean[rows] = C @ alpha
        variance[rows] -= np.einsum("nj,nj->j", half, half) - (C @ ones) ** 2 / ones.sum()
    variance = np.maximum(variance, 0) * _residual_scale(factor, alpha, ones)
    return mean, ERRORS.caution_interactions * np.sqrt(variance)


def _residual_scale(factor: tuple[Array, bool], alpha: Array, ones: Array) -> float:
    """The mean square of leave-one-out residuals divided by its expectation, at some rows."""
    n = len(alpha)
    rows = np.unique(np.linspace(0, n - 1, min(SIZES.checked_rows, n)).astype(np.intp))
    selected = np.zeros((n, len(rows)))
    selected[rows, np.arange(len(rows))] = 1
    root = linalg.solve_triangular(factor[0], selected, lower=True, overwrite_b=True, check_finite=False)
    precision = np.einsum("nj,nj->j", root, root) - ones[rows] ** 2 / ones.sum()
    return float(np.mean(alpha[rows] ** 2 / precision))
