"""SampleShapley: the Shapley value from random orders of arrival, each with its reverse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.default_limits import MAX_CALLS
from ..core.explanation import Explanation
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.method import Cost, describe_bound
from ..core.plan import Plan, check_calls, check_memory
from ..core.programs import Program
from .axioms import Axioms
from .marginal_means import MarginalMeans, draw_within
from .permutations import Orders, draw_orders
from .sampled_method import FIRST_SAMPLES, EstimateCallback, Pace, SampledMethod, schedule
from .shapley import Shapley

_MAX_LISTED_INDICES = 1 << 24  # unit indices; with more, the prefixes are evaluated block by block
_MAX_COUNTED_INDICES = 1 << 21  # unit indices; with more, calls are not counted before they are made
_SECONDS_PER_CELL = 1.5e-8  # of own time, for each unit of a prefix
_BYTES_PER_INDEX = 24  # bytes of memory for each unit index while a plan is made


@dataclass(frozen=True)
class SampleShapley(SampledMethod):
    r"""The mean marginal contribution of each unit over random permutations, in antithetic pairs.

    .. math:: \hat\phi(i) = \frac1{2P} \sum_{p=1}^{P} \bigl[m(\pi_p^{\le i}, i) + m(\bar\pi_p^{\le i}, i)\bigr]

    where :math:`\pi^{\le i}` are the units up to i in the order :math:`\pi`, and :math:`\bar\pi` is the reverse order.

    Parameters
    ----------
    budget : the largest number of calls, including those for the base value and the prediction; at least 2d. A pair of
        orders takes up to 2(d - 1) calls, fewer where coalitions repeat. With :math:`2^d` calls all orders count and
        the result is exact.
    seed : the seed of the random orders. The same seed with a larger budget begins with the same orders.

    Notes
    -----
    The scores are unbiased, sum to the prediction less the base value, and are exact for games in which only pairs
    interact, because the interaction of two units is added to one of them in an order and to the other in its reverse.
    Choose it when an unbiased estimate and its standard error matter. The standard error needs two pairs, 4d - 2 calls.

    A plan lists all prefixes, which have d/4 indices each on average. If they do not fit the memory, there is no plan,
    but `explain` and `stream` still work, because they evaluate the prefixes block by block.

    References
    ----------
    Štrumbelj and Kononenko 2010 [strumbelj2010efficient]_; antithetic pairs: Mitchell et al. 2022
    [mitchell2022sampling]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(20)
    >>> v = lc.Game(lambda kept: kept.sum(axis=1) ** 2.0, 20)  # pairs interact, nothing more: one pair is exact
    >>> e = lc.SampleShapley(budget=40).explain(v, g)
    >>> e.calls, e.scores[:3]
    (40, array([20., 20., 20.]))
    """

    budget: int
    seed: int = 0
    name: ClassVar[str] = "sample-shapley"
    summary: ClassVar[str] = (
        "The mean marginal contribution of each unit over random permutations, in antithetic pairs."
    )
    choose: ClassVar[str] = "Choose it when an unbiased estimate with a standard error matters, or above 4,096 units."
    cost_in_words: ClassVar[str] = "the budget, from 2d"

    @classmethod
    def examples(cls) -> tuple[SampleShapley, ...]:
        """The parameters that the conformance suite runs."""
        return cls(40, seed=5), cls(18, seed=5), cls(512)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(symmetric=self.budget >= 2**graph.d, efficient="graph")

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._check_budget(graph)
        d = graph.d
        if d < 63 and 2**d <= self.budget:
            return replace(Shapley()._plan(graph, limit), method=self)
        check_calls(self._min_calls(d), limit)
        check_memory(
            _BYTES_PER_INDEX * self._count_indices(d), self.budget, limit, "Call explain or cost, which need no plan"
        )
        coalitions, orders, columns = draw_within(graph, self.budget, 2 * (d - 1), self.draw(d))
        check_calls(len(coalitions), limit, exact=True)
        return Plan(self, graph, coalitions, _marginal_means(orders, columns, len(coalitions)))

    def _min_calls(self, d: int) -> int:
        """A lower bound of the calls: the first pair of orders that does not fit has up to 2(d - 1)."""
        return self.budget - 2 * d + 3

    def _count_indices(self, d: int) -> int:
        """The number of unit indices of all prefixes, each stored as the smaller of the set and its complement."""
        return self.budget * d // 4

    def _is_listed(self, d: int) -> bool:
        """Whether all prefixes are evaluated at once, from a plan."""
        return (d < 63 and 2**d <= self.budget) or self._count_indices(d) <= _MAX_LISTED_INDICES

    def own_seconds(self, graph: Graph) -> float:
        """About how long it takes to make the prefixes of all orders of the units of a `graph`.

        >>> import lcshap as lc
        >>> 0.1 < lc.SampleShapley(40_000).own_seconds(lc.Graph.chain(5000)) < 10
        True
        """
        return self.budget * graph.d * _SECONDS_PER_CELL

    def cost(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Cost:
        """The calls of the plan. If counting the distinct prefixes would take long, the largest possible number."""
        self._check_budget(graph)
        d = graph.d
        if (d < 63 and 2**d <= self.budget) or self._count_indices(d) <= _MAX_COUNTED_INDICES:
            return super().cost(graph, max_calls)
        if max_calls is not None and self._min_calls(d) > max_calls:
            self.plan(graph, max_calls)  # raises an error with the budget that is needed
        return describe_bound(self, graph, self.budget, None)

    def _draw_orders(self, graph: Graph, limit: int | None) -> Orders:
        """The orders, unless they take more calls than the limit."""
        if limit is not None and self._min_calls(graph.d) > limit:
            self.plan(graph, limit)  # raises an error with the budget that is needed
        drawn = draw_orders(graph.d, self.budget, self.seed)
        check_calls(drawn.calls, limit, exact=True)
        return drawn

    def _estimates(
        self,
        game: AbstractGame,
        graph: Graph,
        max_calls: int | None,
        callback: EstimateCallback,
        pace: Pace = "growing",
    ) -> Program[tuple[Explanation, str]]:
        """The same as for all sampled methods, except that many prefixes are evaluated block by block."""
        self._check_budget(graph)
        d = graph.d
        if self._is_listed(d):
            return (yield from super()._estimates(game, graph, max_calls, callback, pace))
        drawn = self._draw_orders(graph, max_calls)
        means = _marginal_means(np.stack([drawn.orders, drawn.orders[:, ::-1]], axis=1), drawn.columns, drawn.calls)
        ends = Coalitions.from_sets(d, [[], range(d)])
        end_values = yield ends
        values = np.zeros((drawn.calls, *end_values.shape[1:]))
        values[[0, -1]] = end_values
        evaluated = 1
        for samples in schedule(len(drawn.orders), pace, 1 if pace == "even" else FIRST_SAMPLES):
            stop = int(drawn.columns[:samples, :, 1:-1].max()) + 1
            for block in drawn.blocks(evaluated, stop):
                values[slice(*block)] = yield drawn.prefixes(*block)
            evaluated = stop
            estimate = partial(self._explain, graph, game, means.head(samples), values, evaluated + 1)
            reason = callback(estimate)
            if reason is not None:  # `minimum` is one pair, so no further check is needed
                break
        return estimate(), reason or "budget"

    def draw(self, d: int) -> Iterator[tuple[NDArray[np.int64], Coalitions]]:
        """A random order and its reverse, `(2, d)`, and the prefixes of both, ∅ and V included."""
        rng = np.random.default_rng(self.seed)
        while True:
            order = rng.permutation(d)
            place = np.argsort(order)
            forward = place < np.arange(d + 1)[:, None]
            both = np.concatenate([forward, ~forward[::-1]])
            yield np.stack([order, order[::-1]]), Coalitions.from_dense(both).canonical()


def _marginal_means(orders: NDArray[np.integer], columns: NDArray[np.int32], calls: int) -> MarginalMeans:
    """The means over orders `(pairs, 2, d)`, whose prefixes from ∅ to V have these columns."""
    d = orders.shape[-1]
    order, chain = orders.reshape(-1, d), columns.reshape(-1, d + 1)
    plus, minus = np.empty((2, len(chain), d), np.int32)
    np.put_along_axis(plus, order, chain[:, 1:], axis=1)
    np.put_along_axis(minus, order, chain[:, :-1], axis=1)
    return MarginalMeans(plus.reshape(-1, 2, d), minus.reshape(-1, 2, d), calls)
