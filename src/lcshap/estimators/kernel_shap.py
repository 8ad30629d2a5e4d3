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
from .fit import FitMap
from .sampled import SampledMethod

_PLENTY = 2**62  # more pairs than anyone asks for
_BYTES_A_CELL = 40  # what a pair takes for each unit, while it is drawn, as a row of the regression and as two sets


@dataclass(frozen=True)
class KernelSHAP(SampledMethod):
    r"""Weighted least squares with the Shapley kernel; the sum of the scores is an exact constraint.

    .. math:: \min_\phi \sum_S \frac{d-1}{\binom{d}{|S|}\,|S|\,(d-|S|)} \bigl[v(S) - v(\emptyset) - \textstyle\sum_{i
              \in S} \phi_i\bigr]^2 \quad\text{s.t.}\quad \textstyle\sum_i \phi_i = v(V) - v(\emptyset)

    Parameters
    ----------
    budget : how many calls it may take, ∅ and V included; at least 2d. Exact when it covers :math:`2^d`.
    seed : of the sampling.

    Notes
    -----
    Every coalition comes with its complement, so that interactions of even order drop out, and none comes twice.
    Sizes are sampled in proportion to the mass that the kernel gives them; a size whose coalitions all fit is
    enumerated. Choose `GraphKernelSHAP` where units near each other in the graph interact, and `SampleShapley` at few
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
        """What it promises on this graph."""
        exact = self.budget >= 2**graph.d
        return Axioms(symmetric=exact, dummy=exact, monotone=exact, efficient="graph")

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._check_budget(graph)
        calls = 2 * count_pairs(graph.d, self.budget) + 2
        check_calls(calls, limit, exact=True)
        check_design(graph.d, calls // 2, calls, limit)
        kept, weight, exact = draw_pairs(graph.d, self.budget, np.random.default_rng(self.seed))
        coalitions, plus, minus = pair_columns(kept)
        operator = FitMap(plus, minus, np.where(kept, 1.0, -1.0), weight, len(coalitions), exact=exact)
        return Plan(self, graph, coalitions, operator)


def check_design(d: int, rows: int, calls: int, limit: int | None) -> None:
    """Raise `PlanTooLargeError` where a regression of so many rows on d units, or its equations, do not fit."""
    check_memory(_BYTES_A_CELL * d * max(rows, d), calls, limit, "Choose SampleShapley, which solves no equations")


def count_pairs(d: int, budget: int) -> int:
    """How many pairs of a coalition and its complement fit, besides ∅ and V."""
    pairs = (budget - 2) // 2
    return min(pairs, 2 ** (d - 1) - 1) if d < 63 else pairs


def draw_pairs(
    d: int, budget: int, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.bool_]]:
    """Sample pairs without repeats: one coalition of each `(pairs, d)`, its weight, and whether its size is complete.

    The smaller half of a pair has size s = 1..d/2. The kernel gives all pairs of size s together the mass
    1/(s(d-s)), twice that where s is not d/2. Sizes get their share of the pairs; what is sampled of a size stands for
    all of it. The rows come in random order, so that the first of them are a sample too.
    """
    sizes = np.arange(1, d // 2 + 1)
    mass = np.where(2 * sizes == d, 1.0, 2.0) / (sizes * (d - sizes))
    available = _available(d)
    shares, whole = _allocate(mass, available, count_pairs(d, budget))
    counts = _round(shares, rng)
    left = counts[~whole].sum()
    each = mass[~whole].sum() / left if left else 0.0
    kept, weight, exact = [np.empty((0, d), bool)], [np.empty(0)], [np.empty(0, bool)]
    for s, count, complete in zip(sizes.tolist(), counts.tolist(), whole.tolist(), strict=True):
        if count:
            kept.append(_subsets(d, s, count, available[s - 1], rng))
            weight.append(np.full(count, mass[s - 1] / count if complete else each))
            exact.append(np.full(count, complete))
    order = rng.permutation(int(counts.sum()))
    return np.concatenate(kept)[order], np.concatenate(weight)[order], np.concatenate(exact)[order]


def pair_columns(kept: NDArray[np.bool_]) -> tuple[Coalitions, NDArray[np.int32], NDArray[np.int32]]:
    """The coalitions and their complements, ∅ and V, in the order of a plan; and the columns of both halves."""
    pairs, d = kept.shape
    ends = Coalitions.from_sets(d, [[], range(d)])
    half = Coalitions.from_dense(kept).canonical()
    other = Coalitions(d, half.indices, half.offsets, ~half.removed)
    coalitions, where = Coalitions.concat([ends, half, other]).unique()
    return coalitions, where[2 : 2 + pairs], where[2 + pairs :]


def _available(d: int) -> list[int]:
    """How many pairs there are of each size 1..d/2; `_PLENTY` where there are more, for C(d, s) is beyond floats."""
    found, many = [], 1
    for s in range(1, d // 2 + 1):
        many = min(many * (d - s + 1) // s, _PLENTY) if many < _PLENTY else _PLENTY
        found.append(many // 2 if 2 * s == d and many < _PLENTY else many)
    return found


def _allocate(
    mass: NDArray[np.float64], available: list[int], pairs: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Share out the pairs by mass; a size gets no more than it has, and what is over goes to the others."""
    most = np.array([float(n) for n in available])
    whole = np.zeros(len(mass), bool)
    shares = np.zeros(len(mass))
    while not whole.all():
        rest = pairs - most[whole].sum()
        shares = np.where(whole, most, rest * mass / mass[~whole].sum())
        full = ~whole & (shares >= most - 1e-9)
        if not full.any():
            break
        whole |= full
        shares = np.where(whole, most, shares)
    return shares, whole


def _round(shares: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Whole numbers with the same sum, each less than one from its share, and its share on average."""
    ends = np.cumsum(shares)
    total = round(float(ends[-1])) if len(ends) else 0
    marks = np.floor(ends + rng.random())
    if len(marks):
        marks[-1] = total
    return np.diff(np.minimum(marks, total), prepend=0).astype(np.int64)


def _subsets(d: int, size: int, count: int, available: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Distinct random sets of one size, no two of them complements: at size d/2 all hold unit 0."""
    halves = 2 * size == d
    if 2 * count >= available:
        kept = _all_of_size(d, size)
        kept = kept[kept[:, 0]] if halves else kept
        return kept[rng.permutation(available)[:count]]
    found: dict[bytes, NDArray[np.bool_]] = {}
    while len(found) < count:
        rank = rng.random((count - len(found), d)).argsort(axis=1).argsort(axis=1)
        for row in rank < size:
            row = ~row if halves and not row[0] else row
            found[np.packbits(row).tobytes()] = row
    return np.stack(list(found.values()))


def _all_of_size(d: int, size: int) -> NDArray[np.bool_]:
    from itertools import combinations

    members = np.array(list(combinations(range(d), size)))
    kept = np.zeros((len(members), d), bool)
    np.put_along_axis(kept, members, True, axis=1)
    return kept
