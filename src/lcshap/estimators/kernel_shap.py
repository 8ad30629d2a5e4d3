"""KernelSHAP: the Shapley value by weighted regression on sampled coalitions, each with its complement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.plan import Plan, check_calls, check_memory
from .axioms import Axioms
from .least_squares import WeightedLeastSquares
from .sampled_method import SampledMethod

_MAX_PAIR_COUNT = 2**62  # larger numbers of pairs are not counted exactly, because no budget is as large
_BYTES_PER_CELL = 40  # of a pair and a unit, for drawing it, for its row of the regression and for its two sets

_SECONDS_PER_CELL, _SECONDS_PER_PRODUCT = 1e-7, 5e-11  # of own time, for each unit of a pair, and for two units of it


@dataclass(frozen=True)
class KernelSHAP(SampledMethod):
    r"""Weighted least squares with the Shapley kernel; the sum of the scores is an exact constraint.

    .. math:: \min_\phi \sum_S \frac{d-1}{\binom{d}{|S|}\,|S|\,(d-|S|)} \bigl[v(S) - v(\emptyset) - \textstyle\sum_{i
              \in S} \phi_i\bigr]^2 \quad\text{s.t.}\quad \textstyle\sum_i \phi_i = v(V) - v(\emptyset)

    Parameters
    ----------
    budget : the largest number of calls, including those for the base value and the prediction; at least
        2d. The scores are exact when it covers :math:`2^d`.
    seed : the seed of the sampling.

    Notes
    -----
    Every coalition is evaluated with its complement, so that interactions of even order cancel, and none is drawn
    twice. Sizes are sampled in proportion to the mass that the kernel gives them; a size whose coalitions all fit is
    enumerated. Choose `GraphKernelSHAP` if units near each other in the graph interact, and `SampleShapley` at few
    calls per unit.

    References
    ----------
    Lundberg and Lee 2017 [lundberg2017unified]_; paired sampling: Covert and Lee 2021 [covert2021improving]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(10)
    >>> v = lc.Game(lambda kept: kept[:, 0] * kept[:, 1] + 2.0 * kept[:, 9], 10)
    >>> lc.KernelSHAP(budget=80).explain(v, g).scores.round(6)[[0, 1, 2, 9]] + 0.0
    array([0.5, 0.5, 0. , 2. ])
    """

    budget: int
    seed: int = 0
    name: ClassVar[str] = "kernel-shap"
    summary: ClassVar[str] = (
        "Weighted least squares with the Shapley kernel; the sum of the scores is an exact constraint."
    )
    choose: ClassVar[str] = (
        "Choose it to compare with published work. docs/benchmarks.md compares its error, as shap and shapiq compute "
        "it, with that of GraphKernelSHAP."
    )
    cost_in_words: ClassVar[str] = "the budget, from 2d"

    @classmethod
    def examples(cls) -> tuple[KernelSHAP, ...]:
        """The parameters that the conformance suite runs."""
        return cls(44, seed=5), cls(30, seed=5), cls(512)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        exact = self.budget >= 2**graph.d
        return Axioms(symmetric=exact, dummy=exact, monotone=exact, efficient="graph")

    def own_seconds(self, graph: Graph) -> float:
        """About how long drawing the coalitions of a `graph` and solving the equations takes.

        >>> import lcshap as lc
        >>> 0.05 < lc.KernelSHAP(8000).own_seconds(lc.Graph.chain(1000)) < 2
        True
        """
        d, pairs = graph.d, count_pairs(graph.d, self.budget)
        return pairs * d * _SECONDS_PER_CELL + (pairs + d) * d**2 * _SECONDS_PER_PRODUCT

    def _count_calls(self, graph: Graph, limit: int | None) -> int:
        self._check_budget(graph)
        calls = 2 * count_pairs(graph.d, self.budget) + 2
        check_calls(calls, limit, exact=True)
        check_design(graph.d, calls // 2, calls, limit)
        return calls

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._count_calls(graph, limit)
        kept, weight, exact = draw_pairs(graph.d, self.budget, np.random.default_rng(self.seed))
        coalitions, plus, minus = pair_columns(kept)
        signs = np.where(kept, 1.0, -1.0)
        estimator = WeightedLeastSquares(plus, minus, signs, weight, len(coalitions), exact=exact)
        return Plan(self, graph, coalitions, estimator)


def check_design(d: int, rows: int, calls: int, limit: int | None) -> None:
    """Raise `PlanTooLargeError` if a regression of so many rows on d units, or its equations, do not fit the memory."""
    check_memory(_BYTES_PER_CELL * d * max(rows, d), calls, limit, "Choose SampleShapley, which solves no equations")


def count_pairs(d: int, budget: int) -> int:
    """How many pairs of a coalition and its complement fit, besides ∅ and V."""
    pairs = (budget - 2) // 2
    return min(pairs, 2 ** (d - 1) - 1) if d < 63 else pairs


def draw_pairs(
    d: int, budget: int, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.bool_]]:
    """Sample pairs without repeats: one coalition of each `(pairs, d)`, its weight, and whether its size is complete.

    The smaller half of a pair has size s = 1..d/2. The kernel gives all pairs of size s together the mass
    1/(s(d-s)), twice that where s is not d/2. Sizes get pairs in proportion to their mass; the sampled pairs of a size
    represent all of them. The rows are in random order, so that the first rows are a sample too.
    """
    sizes = np.arange(1, d // 2 + 1)
    mass = np.where(2 * sizes == d, 1.0, 2.0) / (sizes * (d - sizes))
    available = _count_available(d)
    shares, enumerated = _allocate_pairs(mass, available, count_pairs(d, budget))
    counts = _round_randomly(shares, rng)
    sampled_count = counts[~enumerated].sum()
    sample_weight = mass[~enumerated].sum() / sampled_count if sampled_count else 0.0
    kept, weight, exact = [np.empty((0, d), bool)], [np.empty(0)], [np.empty(0, bool)]
    for s, count, complete in zip(sizes.tolist(), counts.tolist(), enumerated.tolist(), strict=True):
        if count:
            kept.append(_draw_subsets(d, s, count, available[s - 1], rng))
            weight.append(np.full(count, mass[s - 1] / count if complete else sample_weight))
            exact.append(np.full(count, complete))
    order = rng.permutation(int(counts.sum()))
    return np.concatenate(kept)[order], np.concatenate(weight)[order], np.concatenate(exact)[order]


def pair_columns(kept: NDArray[np.bool_]) -> tuple[Coalitions, NDArray[np.int32], NDArray[np.int32]]:
    """The coalitions, their complements, ∅ and V in the order of a plan, and the columns of both halves."""
    pairs, d = kept.shape
    ends = Coalitions.from_sets(d, [[], range(d)])
    halves = Coalitions.from_dense(kept).canonical()
    complements = Coalitions(d, halves.indices, halves.offsets, ~halves.removed)
    coalitions, columns = Coalitions.concat([ends, halves, complements]).unique()
    return coalitions, columns[2 : 2 + pairs], columns[2 + pairs :]


def _count_available(d: int) -> list[int]:
    """The number of pairs of each size 1..d/2, at most `_MAX_PAIR_COUNT`, because C(d, s) may not fit a float."""
    counts, subset_count = [], 1
    for s in range(1, d // 2 + 1):
        subset_count = (
            min(subset_count * (d - s + 1) // s, _MAX_PAIR_COUNT) if subset_count < _MAX_PAIR_COUNT else _MAX_PAIR_COUNT
        )
        counts.append(subset_count // 2 if 2 * s == d and subset_count < _MAX_PAIR_COUNT else subset_count)
    return counts


def _allocate_pairs(
    mass: NDArray[np.float64], available: list[int], pairs: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Distribute the pairs over sizes by mass. A size gets no more pairs than it has; the others get the surplus."""
    capacity = np.array([float(n) for n in available])
    enumerated = np.zeros(len(mass), bool)
    shares = np.zeros(len(mass))
    while not enumerated.all():
        remaining = pairs - capacity[enumerated].sum()
        shares = np.where(enumerated, capacity, remaining * mass / mass[~enumerated].sum())
        exhausted = ~enumerated & (shares >= capacity - 1e-9)
        if not exhausted.any():
            break
        enumerated |= exhausted
        shares = np.where(enumerated, capacity, shares)
    return shares, enumerated


def _round_randomly(shares: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Integers with the same sum, each less than one away from its share, with the share as expectation."""
    ends = np.cumsum(shares)
    total = round(float(ends[-1])) if len(ends) else 0
    marks = np.floor(ends + rng.random())
    if len(marks):
        marks[-1] = total
    return np.diff(np.minimum(marks, total), prepend=0).astype(np.int64)


def _draw_subsets(d: int, size: int, count: int, available: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Distinct random sets of one size, no two of them complements: at size d/2 all contain unit 0."""
    halves = 2 * size == d
    if 2 * count >= available:
        kept = _all_of_size(d, size)
        kept = kept[kept[:, 0]] if halves else kept
        return kept[rng.permutation(available)[:count]]
    rows_by_key: dict[bytes, NDArray[np.bool_]] = {}
    while len(rows_by_key) < count:
        rank = rng.random((count - len(rows_by_key), d)).argsort(axis=1).argsort(axis=1)
        for row in rank < size:
            row = ~row if halves and not row[0] else row
            rows_by_key[np.packbits(row).tobytes()] = row
    return np.stack(list(rows_by_key.values()))


def _all_of_size(d: int, size: int) -> NDArray[np.bool_]:
    from itertools import combinations

    members = np.array(list(combinations(range(d), size)))
    kept = np.zeros((len(members), d), bool)
    np.put_along_axis(kept, members, True, axis=1)
    return kept
