"""Means of sampled marginal contributions in antithetic pairs, which all permutation samplers use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.estimate import Estimate, SampledEstimator
from ..core.graphs import Graph
from ..errors import MethodError

_MAX_COLUMNS = 1 << 26  # in all samples; more would take too much memory


@dataclass(frozen=True, eq=False)
class MarginalMeans(SampledEstimator):
    r"""The mean over pairs p, and within a pair over its halves h, of marginal contributions of each unit.

    .. math:: \hat\phi(i) = \frac1P \sum_p \frac1H \sum_h w_{phi} \bigl[v(A_{phi}) - v(B_{phi})\bigr]

    `plus` and `minus` are the columns of A and B, `weight` is w, each an array `(pairs, H, d)`. The two halves of a
    pair depend on each other on purpose, and pairs are independent, so the standard error is computed over pairs.
    """

    plus: NDArray[np.int32]
    minus: NDArray[np.int32]
    calls: int
    weight: NDArray[np.float64] | None = None

    @property
    def samples(self) -> int:
        """The number of pairs."""
        return len(self.plus)

    @property
    def nbytes(self) -> int:
        """The memory in use."""
        return self.plus.nbytes + self.minus.nbytes + (0 if self.weight is None else self.weight.nbytes)

    @cached_property
    def columns(self) -> NDArray[np.int32]:
        """The coalitions whose values it uses."""
        is_used = np.zeros(self.calls, bool)
        is_used[self.plus] = is_used[self.minus] = True
        return np.flatnonzero(is_used).astype(np.int32)

    def pairs(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The estimate of each pair: `(pairs, d)`, or `(pairs, d, outputs)`."""
        gain = values[self.plus] - values[self.minus]
        if self.weight is not None:
            gain *= self.weight if values.ndim == 1 else self.weight[..., None]
        return np.asarray(gain.mean(axis=1))

    def estimate(self, values: NDArray[np.float64]) -> Estimate:
        """The mean over pairs; the standard error is their standard deviation over the root of their number."""
        pairs = self.pairs(values)
        stderr = np.full(pairs.shape[1:], np.inf)
        if len(pairs) > 1:
            stderr = pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs))
        return Estimate(np.asarray(pairs.mean(axis=0)), np.asarray(stderr), dof=len(pairs) - 1)

    def head(self, samples: int) -> MarginalMeans:
        """The first pairs."""
        weight = None if self.weight is None else self.weight[:samples]
        return MarginalMeans(self.plus[:samples], self.minus[:samples], self.calls, weight)


def draw_within(
    graph: Graph, budget: int, max_new_calls: int, draws: Iterator[tuple[NDArray[Any], Coalitions]]
) -> tuple[Coalitions, NDArray[Any], NDArray[np.int32]]:
    """Draw samples while their distinct coalitions, with ∅ and V, fit the budget.

    `draws` yields data about each sample and its coalitions, the same number each time, of which at most
    `max_new_calls` are new. Returns the distinct coalitions, the data `(samples, ...)`, and the columns of the
    coalitions of each sample, `(samples, coalitions)`. The same draws with a larger budget begin with the same samples.
    """
    coalitions = Coalitions.from_sets(graph.d, [[], range(graph.d)])
    notes: list[NDArray[Any]] = []
    columns: NDArray[np.int32] | None = None
    while True:
        sample_count = max(1, (budget - len(coalitions)) // max_new_calls)
        samples = [next(draws) for _ in range(sample_count)]
        distinct, inverse = Coalitions.concat([coalitions, *(sets for _, sets in samples)]).unique()
        if len(distinct) > budget:  # this happens only after drawing a single sample for the last few calls
            break
        new_columns = inverse[len(coalitions) :].reshape(sample_count, -1)
        columns = new_columns if columns is None else np.concatenate([inverse[columns], new_columns])
        coalitions = distinct
        notes += [note for note, _ in samples]
        if columns.size > _MAX_COLUMNS:  # nearly all coalitions that can be drawn have been drawn
            break
    if columns is None:
        raise MethodError(
            f"Expected a budget of at least {max_new_calls + 2} calls, which one sample may take, got {budget}."
        )
    return coalitions, np.stack(notes), columns
