"""L-Shapley by sampling, for neighbourhoods with too many subsets (Chen et al. 2018, Section 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.method import Method, check_choice, check_integer
from ..core.plan import Plan, check_calls
from ..errors import PlanTooLargeError
from .axioms import Axioms
from .l_shapley import LShapley
from .marginal_means import MarginalMeans, draw_within
from .sampled_method import SampledMethod
from .subsets import CONTEXTS, Context, balls_within

Draw = tuple[NDArray[np.float64], Coalitions]
_MAX_COUNTED_MEMBERS = 300_000  # of all neighbourhoods; more take long to draw
_ORDERS_PER_BLOCK = 8  # orders drawn at once


class SampledLocal(SampledMethod):
    """The base class of sampled L- and C-Shapley: each neighbourhood uses the restriction of orders of all units."""

    budget: int
    order: int
    context: Context
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("order", self.order)
        check_choice("context", self.context, CONTEXTS)

    def minimum(self, graph: Graph) -> int:
        """A pair of orders: two coalitions for each unit and order (and context)."""
        return 2 + 4 * graph.d * (2 if self.context == "both" else 1)

    def _exact_method(self) -> Method:
        """The method that this one estimates."""
        raise NotImplementedError

    def _bound_calls(self, graph: Graph, limit: int | None) -> int | None:
        # About how many units a neighbourhood has: each edge away, there are as many more as a unit has neighbours.
        reached = min(graph.d, (1 + graph.adjacency.nnz / graph.d) ** min(self.order, 60))
        if limit is None or self.budget > limit or self.budget * reached < _MAX_COUNTED_MEMBERS:
            return None
        self._check_budget(graph)
        return self.budget

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        # This is a lower bound, because the last pair of orders did not fit, unless the exact method fits.
        min_calls = self.budget - self.minimum(graph) + 3
        exceeds_limit = limit is not None and min_calls > limit
        max_calls = limit if exceeds_limit and limit is not None else self.budget
        try:
            full_plan = self._exact_method()._plan(graph, max_calls)
            check_calls(full_plan.calls, max_calls)
        except PlanTooLargeError as error:
            if exceeds_limit:
                check_calls(max(min(min_calls, error.calls), max_calls + 1), limit)
        else:
            return replace(full_plan, method=self)
        self._check_budget(graph)
        ball = balls_within(graph, self.order, limit, 20 * 2 * _ORDERS_PER_BLOCK)
        draws = self._draw(graph, ball, np.random.default_rng(self.seed))
        coalitions, weights, columns = draw_within(graph, self.budget, self.minimum(graph) - 2, draws)
        check_calls(len(coalitions), limit, exact=True)
        by_half = columns.reshape(len(columns), -1, 2, graph.d)  # axis 2: with the unit, without it
        plus, minus = by_half[:, :, 0], by_half[:, :, 1]
        uniform = bool((weights == 1).all())
        return Plan(self, graph, coalitions, MarginalMeans(plus, minus, len(coalitions), None if uniform else weights))

    def _draw(self, graph: Graph, ball: sparse.csr_array, rng: np.random.Generator) -> Iterator[Draw]:
        pairs = self.budget // max(self.minimum(graph) - 2, 1)  # more pairs may fit if some coalitions are equal
        count = min(_ORDERS_PER_BLOCK, max(pairs, 1))
        while True:
            yield from self.samples_along(graph, np.stack([rng.permutation(graph.d) for _ in range(count)]), ball)

    def samples_along(
        self, graph: Graph, places: NDArray[np.integer], ball: sparse.csr_array | None = None
    ) -> Iterator[Draw]:
        """The samples of orders, given by the position of each unit, and of their reverses.

        Each sample has the weights `(H, d)`, and for each of the H halves the sets with each unit and those without it.
        """
        d, ball = graph.d, graph.balls(self.order) if ball is None else ball
        contexts = [c for c in ("absent", "present") if self.context in (c, "both")]
        for start in range(0, len(places), _ORDERS_PER_BLOCK):
            place = places[start : start + _ORDERS_PER_BLOCK]
            blocks = 2 * len(place)  # a block of rows for each order
            stacked_balls = sparse.csr_array(sparse.vstack([ball] * blocks, format="csr"))
            alone = sparse.vstack([sparse.eye_array(d, dtype=bool, format="csr")] * blocks, format="csr")
            kept, weight = self._counted_members(
                graph, stacked_balls, alone, _arrived_members(stacked_balls, np.stack([place, -place], axis=1))
            )
            lacking = sparse.csr_array(kept > alone)
            sets = [_coalitions_in_context(rows, stacked_balls, c) for c in contexts for rows in (kept, lacking)]
            for pair in range(len(place)):
                halves = [slice(d * half, d * (half + 1)) for half in (2 * pair, 2 * pair + 1)]
                weights = [weight[half] for half in halves for _ in contexts]
                both = [sets[2 * c + w][half] for half in halves for c in range(len(contexts)) for w in (0, 1)]
                yield np.stack(weights), Coalitions.concat(both)

    def _counted_members(
        self, graph: Graph, ball: sparse.csr_array, alone: sparse.csr_array, arrived: sparse.csr_array
    ) -> tuple[sparse.csr_array, NDArray[np.float64]]:
        """The units that count among those that have arrived around each unit (including itself), and their weight."""
        raise NotImplementedError


@dataclass(frozen=True)
class SampledLShapley(SampledLocal):
    r"""L-Shapley of order k from random orders of each neighbourhood, each with its reverse.

    .. math:: \hat\phi(i) = \frac1{2P} \sum_{\pi} m\bigl(\{j \in N_k(i) : \pi(j) \le \pi(i)\} \cup K, i\bigr)

    Parameters
    ----------
    budget : the largest number of calls, including those for the base value and the prediction; at least
        4d + 2 (8d + 2 for both contexts), unless all coalitions of L-Shapley fit: then L-Shapley is computed exactly.
    order, context : as for `LShapley`, whose expectation this is.
    seed : the seed of the random orders.

    Notes
    -----
    The scores are unbiased for L-Shapley, with a standard error over pairs of orders. Choose it if :math:`2^{|N|}` is
    too large, as for high orders and grids. One order of all units is enough for all neighbourhoods, because its
    restriction to each is uniform too.

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
        """The axioms that it satisfies on this graph."""
        return Axioms(symmetric=False, efficient="depends")

    def _exact_method(self) -> Method:
        return LShapley(self.order, self.context)

    def _counted_members(
        self, graph: Graph, ball: sparse.csr_array, alone: sparse.csr_array, arrived: sparse.csr_array
    ) -> tuple[sparse.csr_array, NDArray[np.float64]]:
        return arrived, np.ones(arrived.shape[0])


def _arrived_members(ball: sparse.csr_array, arrival: NDArray[np.integer]) -> sparse.csr_array:
    """For each order and unit, the units of its neighbourhood that have arrived no later than the unit."""
    rows, d = ball.shape
    arrival_time = arrival.ravel()  # row r holds unit r % d in order r // d
    owner = np.repeat(np.arange(rows), np.diff(ball.indptr))
    has_arrived = arrival_time[owner // d * d + ball.indices] <= arrival_time[owner]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner[has_arrived], minlength=rows))])
    return sparse.csr_array((np.ones(has_arrived.sum(), bool), ball.indices[has_arrived], indptr), shape=ball.shape)


def _coalitions_in_context(kept: sparse.csr_array, ball: sparse.csr_array, context: str) -> Coalitions:
    """Sets within neighbourhoods as coalitions: all units outside are absent, or all are present."""
    rows = kept if context == "absent" else sparse.csr_array(ball > kept)
    assert rows.has_sorted_indices
    removed = np.full(rows.shape[0], context == "present")
    return Coalitions(rows.shape[1], rows.indices.astype(np.int32), rows.indptr.astype(np.int64), removed).canonical()
