"""Means of sampled marginal contributions, in antithetic pairs: what all permutation samplers share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.plan import SampledMap
from ..errors import MethodError

_MOST = 1 << 26  # columns of all samples: more are not worth their memory


@dataclass(frozen=True, eq=False)
class MarginalMap(SampledMap):
    r"""The mean over pairs p, and within a pair over its halves h, of marginal contributions of each unit.

    .. math:: \hat\phi(i) = \frac1P \sum_p \frac1H \sum_h w_{phi} \bigl[v(A_{phi}) - v(B_{phi})\bigr]

    `plus` and `minus` are the columns of A and B, `weight` is w, each an array `(pairs, H, d)`. The two halves of a
    pair depend on each other (that is their point), the pairs do not: so the standard error is over pairs.
    """

    plus: NDArray[np.int32]
    minus: NDArray[np.int32]
    calls: int
    weight: NDArray[np.float64] | None = None

    @property
    def samples(self) -> int:  # type: ignore[override]
        """How many pairs."""
        return len(self.plus)

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Units and coalitions."""
        return self.plus.shape[2], self.calls

    @property
    def nbytes(self) -> int:  # type: ignore[override]
        """Memory held."""
        return self.plus.nbytes + self.minus.nbytes + (0 if self.weight is None else self.weight.nbytes)

    @property
    def freedom(self) -> int:
        """One less than there are pairs."""
        return self.samples - 1

    @cached_property
    def columns(self) -> NDArray[np.int32]:
        """The coalitions looked at."""
        seen = np.zeros(self.calls, bool)
        seen[self.plus] = seen[self.minus] = True
        return np.flatnonzero(seen).astype(np.int32)

    def pairs(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The estimate of each pair: `(pairs, d)`, or `(pairs, d, outputs)`."""
        gain = values[self.plus] - values[self.minus]
        if self.weight is not None:
            gain *= self.weight if values.ndim == 1 else self.weight[..., None]
        return np.asarray(gain.mean(axis=1))

    def __matmul__(self, values: NDArray[np.float64], /) -> NDArray[np.float64]:
        return np.asarray(self.pairs(values).mean(axis=0))

    def stderr(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The standard deviation over pairs, divided by the root of their number."""
        pairs = self.pairs(values)
        if len(pairs) < 2:
            return np.full(pairs.shape[1:], np.inf)
        return np.asarray(pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs)))

    def head(self, samples: int) -> MarginalMap:
        """The first pairs."""
        weight = None if self.weight is None else self.weight[:samples]
        return MarginalMap(self.plus[:samples], self.minus[:samples], self.calls, weight)


def draw_within(
    graph: Graph, budget: int, most: int, draws: Iterator[tuple[NDArray[Any], Coalitions]]
) -> tuple[Coalitions, NDArray[Any], NDArray[np.int32]]:
    """Draw samples while their distinct coalitions, with ∅ and V, fit the budget.

    `draws` yields a note on each sample and its coalitions, equally many each time, of which at most `most` are new.
    Returns the distinct coalitions, the notes `(samples, ...)`, and the columns of the coalitions `(samples, many)`.
    The same draws with a larger budget begin with the same samples.
    """
    coalitions = Coalitions.from_sets(graph.d, [[], range(graph.d)])
    notes: list[NDArray[Any]] = []
    columns: NDArray[np.int32] | None = None
    while True:
        room = max(1, (budget - len(coalitions)) // most)
        fresh = [next(draws) for _ in range(room)]
        found, where = Coalitions.concat([coalitions, *(sets for _, sets in fresh)]).unique()
        if len(found) > budget:  # only ever when a single sample was tried for what little was left
            break
        new = where[len(coalitions) :].reshape(room, -1)
        columns = new if columns is None else np.concatenate([where[columns], new])
        coalitions = found
        notes += [note for note, _ in fresh]
        if columns.size > _MOST:  # hardly anything is new any more: nearly all coalitions that can come up are there
            break
    if columns is None:
        raise MethodError(f"Expected a budget of at least {most + 2} calls, which one sample may take, got {budget}.")
    return coalitions, np.stack(notes), columns
