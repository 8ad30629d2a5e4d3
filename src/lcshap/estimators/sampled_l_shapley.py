"""L-Shapley by sampling, for neighbourhoods with too many subsets (Chen et al. 2018, Section 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.method import Method, check_choice, check_count
from ..core.plan import Plan, check_calls
from ..errors import PlanTooLargeError
from .axioms import Axioms
from .l_shapley import LShapley
from .marginals import MarginalMap, draw_within
from .sampled import SampledMethod
from .subsets import CONTEXTS, Context, balls_within

Draw = tuple[NDArray[np.float64], Coalitions]
_TOGETHER = 8  # orders drawn at once


class SampledLocal(SampledMethod):
    """What sampled L- and C-Shapley share: orders of all units, of which each neighbourhood sees its own part."""

    budget: int
    order: int
    context: Context
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("order", self.order)
        check_choice("context", self.context, CONTEXTS)

    def minimum(self, graph: Graph) -> int:
        """A pair of orders: two coalitions for each unit and order (and context)."""
        return 2 + 4 * graph.d * (2 if self.context == "both" else 1)

    def _in_full(self) -> Method:
        """The method that this one estimates."""
        raise NotImplementedError

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        least = self.budget - self.minimum(graph) + 3  # unless all fits: the last pair of orders did not
        above = limit is not None and least > limit
        most = limit if above and limit is not None else self.budget
        try:
            whole = self._in_full()._plan(graph, most)
            check_calls(whole.calls, most)
        except PlanTooLargeError as error:
            if above:
                check_calls(max(min(least, error.calls), most + 1), limit)
        else:
            return Plan(self, graph, whole.coalitions, whole.operator)
        self._check_budget(graph)
        ball = balls_within(graph, self.order, limit, 20 * 2 * _TOGETHER)
        draws = self._draw(graph, ball, np.random.default_rng(self.seed))
        coalitions, weights, columns = draw_within(graph, self.budget, self.minimum(graph) - 2, draws)
        check_calls(len(coalitions), limit, exact=True)
        by_half = columns.reshape(len(columns), -1, 2, graph.d)  # with the unit, without it
        plus, minus = by_half[:, :, 0], by_half[:, :, 1]
        uniform = bool((weights == 1).all())
        return Plan(self, graph, coalitions, MarginalMap(plus, minus, len(coalitions), None if uniform else weights))

    def _draw(self, graph: Graph, ball: sparse.csr_array, rng: np.random.Generator) -> Iterator[Draw]:
        pairs = self.budget // max(self.minimum(graph) - 2, 1)  # more may fit, where coalitions are equal
        count = min(_TOGETHER, max(pairs, 1))
        while True:
            yield from self.along(graph, np.stack([rng.permutation(graph.d) for _ in range(count)]), ball)

    def along(self, graph: Graph, places: NDArray[np.integer], ball: sparse.csr_array | None = None) -> Iterator[Draw]:
        """For orders, given by the place of each unit, and their reverses: what each pair samples.

        That is the weights `(H, d)`, and for each of the H halves the sets with each unit, and those without.
        """
        d, ball = graph.d, graph.balls(self.order) if ball is None else ball
        contexts = [c for c in ("absent", "present") if self.context in (c, "both")]
        for start in range(0, len(places), _TOGETHER):
            place = places[start : start + _TOGETHER]
            blocks = 2 * len(place)  # a block of rows for each order
            many = sparse.csr_array(sparse.vstack([ball] * blocks, format="csr"))
            alone = sparse.vstack([sparse.eye_array(d, dtype=bool, format="csr")] * blocks, format="csr")
            kept, weight = self._reached(graph, many, alone, _arrived(many, np.stack([place, -place], axis=1)))
            lacking = sparse.csr_array(kept > alone)
            sets = [_in_context(rows, many, c) for c in contexts for rows in (kept, lacking)]
            for pair in range(len(place)):
                halves = [slice(d * half, d * (half + 1)) for half in (2 * pair, 2 * pair + 1)]
                weights = [weight[half] for half in halves for _ in contexts]
                both = [sets[2 * c + w][half] for half in halves for c in range(len(contexts)) for w in (0, 1)]
                yield np.stack(weights), Coalitions.concat(both)

    def _reached(
        self, graph: Graph, ball: sparse.csr_array, alone: sparse.csr_array, arrived: sparse.csr_array
    ) -> tuple[sparse.csr_array, NDArray[np.float64]]:
        """Of what has arrived around each unit, itself included, the part that counts, and its weight."""
        raise NotImplementedError


@dataclass(frozen=True)
class SampledLShapley(SampledLocal):
    r"""L-Shapley of order k from random orders of each neighbourhood, each with its reverse.

    .. math:: \hat\phi(i) = \frac1{2P} \sum_{\pi} m\bigl(\{j \in N_k(i) : \pi(j) \le \pi(i)\} \cup K, i\bigr)

    Parameters
    ----------
    budget : how many calls it may take, ∅ and V included; at least 4d + 2 (8d + 2 for both contexts) unless all of
        L-Shapley fits it, which is then what is computed.
    order, context : as for `LShapley`, whose expectation this is.
    seed : of the random orders.

    Notes
    -----
    Unbiased for L-Shapley, with a standard error over pairs of orders. Choose it where :math:`2^{|N|}` is too many:
    high orders, grids. One order of all units serves every neighbourhood, for its part within each is uniform too.

    References
    ----------
    Chen, Song, Wainwright, Jordan: L-Shapley and C-Shapley, ICLR 2019, Section 4.3 [chen2019lshapley]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.grid((8, 8))
    >>> v = lc.Game(lambda kept: kept[:, 27] * kept[:, 28] * 1.0, 64)
    >>> e = lc.SampledLShapley(budget=1000, order=2).explain(v, g)  # LShapley(order=2) takes 186,929 calls
    >>> e.calls <= 1000, e.scores[[27, 28]]
    (True, array([0.5, 0.5]))
    """

    budget: int
    order: int = 3
    context: Context = "absent"
    seed: int = 0
    name: ClassVar[str] = "sampled-l-shapley"
    summary: ClassVar[str] = "L-Shapley of order k from random orders of each neighbourhood, each with its reverse."
    choose: ClassVar[str] = "Choose it when neighbourhoods have too many subsets for L-Shapley: high orders and grids."
    cost_in_words: ClassVar[str] = "the budget, from 4d + 2"

    @classmethod
    def examples(cls) -> tuple[SampledLShapley, ...]:
        """The parameters that the conformance suite runs."""
        return cls(40, 3, "absent", 0), cls(40, 3, "present", 3), cls(80, 2, "both", 1)

    def axioms(self, graph: Graph) -> Axioms:
        """What it promises on this graph."""
        return Axioms(symmetric=False, efficient="depends")

    def _in_full(self) -> Method:
        return LShapley(self.order, self.context)

    def _reached(
        self, graph: Graph, ball: sparse.csr_array, alone: sparse.csr_array, arrived: sparse.csr_array
    ) -> tuple[sparse.csr_array, NDArray[np.float64]]:
        return arrived, np.ones(arrived.shape[0])


def _arrived(ball: sparse.csr_array, when: NDArray[np.integer]) -> sparse.csr_array:
    """For each order and unit, the units of its neighbourhood that have arrived when it has."""
    rows, d = ball.shape
    time = when.ravel()  # of unit row % d in order row // d
    owner = np.repeat(np.arange(rows), np.diff(ball.indptr))
    here = time[owner // d * d + ball.indices] <= time[owner]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner[here], minlength=rows))])
    return sparse.csr_array((np.ones(here.sum(), bool), ball.indices[here], indptr), shape=ball.shape)


def _in_context(kept: sparse.csr_array, ball: sparse.csr_array, context: str) -> Coalitions:
    """Sets within neighbourhoods as coalitions: nothing else kept, or all that is outside kept too."""
    rows = kept if context == "absent" else sparse.csr_array(ball > kept)
    assert rows.has_sorted_indices
    removed = np.full(rows.shape[0], context == "present")
    return Coalitions(rows.shape[1], rows.indices.astype(np.int32), rows.indptr.astype(np.int64), removed).canonical()
