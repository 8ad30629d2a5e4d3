"""SampleShapley: the Shapley value from random orders of arrival, each with its reverse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.adaptive import Program
from ..core.coalitions import Coalitions
from ..core.explanation import Explanation
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.limits import MAX_CALLS
from ..core.method import Cost
from ..core.plan import Plan, check_calls, check_memory
from .axioms import Axioms
from .marginals import MarginalMap, draw_within
from .orders import Orders, draw_orders
from .sampled import FIRST, Look, Pace, SampledMethod, estimate_by, schedule
from .shapley import Shapley

_LISTED = 1 << 24  # unit indices of all prefixes: up to so many they are asked for at once, else block by block
_BYTES_AN_INDEX = 24  # while a plan is made


@dataclass(frozen=True)
class SampleShapley(SampledMethod):
    r"""The mean marginal contribution of each unit over random permutations, in antithetic pairs.

    .. math:: \hat\phi(i) = \frac1{2P} \sum_{p=1}^{P} \bigl[m(\pi_p^{\le i}, i) + m(\bar\pi_p^{\le i}, i)\bigr]

    where :math:`\pi^{\le i}` are the units up to i in the order :math:`\pi`, and :math:`\bar\pi` is the reverse order.

    Parameters
    ----------
    budget : how many calls it may take, ∅ and V included; at least 2d. A pair of orders takes up to 2(d - 1), fewer
        where coalitions repeat. With :math:`2^d` calls all orders count and the result is exact.
    seed : of the random orders. The same seed with a larger budget begins with the same orders.

    Notes
    -----
    Unbiased, efficient (scores sum to v(V) - v(∅)), exact on games in which only pairs interact: what a pair of units
    adds to one order is what it takes from the reverse. Choose it when an unbiased
    estimate and its standard error matter. The standard error needs two pairs, 4d - 2 calls.

    A plan lists all prefixes: of d units they hold d/4 indices each. Where that would not fit the memory there is no
    plan, but `explain` and `stream` work all the same, since they ask for the prefixes block by block.

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
        """What it promises on this graph."""
        return Axioms(symmetric=self.budget >= 2**graph.d, efficient="graph")

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._check_budget(graph)
        d = graph.d
        if d < 63 and 2**d <= self.budget:
            exact = Shapley()._plan(graph, limit)
            return Plan(self, graph, exact.coalitions, exact.operator)
        check_calls(self._least(d), limit)
        check_memory(_BYTES_AN_INDEX * self._indices(d), self.budget, limit, "Call explain or cost, which need no plan")
        coalitions, orders, columns = draw_within(graph, self.budget, 2 * (d - 1), self.draw(d))
        check_calls(len(coalitions), limit, exact=True)
        return Plan(self, graph, coalitions, _means(orders, columns, len(coalitions)))

    def _least(self, d: int) -> int:
        """How many calls it takes at least: the last pair of orders, of up to 2(d - 1), did not fit any more."""
        return self.budget - 2 * d + 3

    def _indices(self, d: int) -> int:
        """How many unit indices all prefixes hold, each stored by what is shorter."""
        return self.budget * d // 4

    def _is_listed(self, d: int) -> bool:
        """Whether there is a plan to ask for at once."""
        return (d < 63 and 2**d <= self.budget) or self._indices(d) <= _LISTED

    def cost(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Cost:
        """The calls of the plan; also where the plan itself would not fit the memory."""
        self._check_budget(graph)
        if self._is_listed(graph.d):
            return super().cost(graph, max_calls)
        calls = self._drawn(graph, max_calls).calls
        words = f"{calls:,} ({calls / graph.d:.1f} per unit), each a distinct coalition, ∅ and V included"
        return Cost(calls, True, 0, f"{self}\n  on      {graph}\n  calls   {words}, block by block")

    def _drawn(self, graph: Graph, limit: int | None) -> Orders:
        """The orders, unless they take more calls than the limit."""
        if limit is not None and self._least(graph.d) > limit:
            self.plan(graph, limit)  # refuses it, and says what would fit
        drawn = draw_orders(graph.d, self.budget, self.seed)
        check_calls(drawn.calls, limit, exact=True)
        return drawn

    def _estimates(
        self, game: AbstractGame, graph: Graph, max_calls: int | None, look: Look, pace: Pace = "growing"
    ) -> Program[tuple[Explanation, str]]:
        """As for all sampled methods; but prefixes that are too many to be listed are written down block by block."""
        self._check_budget(graph)
        d = graph.d
        if self._is_listed(d):
            return (yield from super()._estimates(game, graph, max_calls, look, pace))
        drawn = self._drawn(graph, max_calls)
        means = _means(np.stack([drawn.orders, drawn.orders[:, ::-1]], axis=1), drawn.columns, drawn.calls)
        ends = Coalitions.from_sets(d, [[], range(d)])
        known = yield ends
        values = np.zeros((drawn.calls, *known.shape[1:]))
        values[[0, -1]] = known
        done = 1
        for samples in schedule(len(drawn.orders), pace, 1 if pace == "even" else FIRST):
            stop = int(drawn.columns[:samples, :, 1:-1].max()) + 1
            for block in drawn.blocks(done, stop):
                values[slice(*block)] = yield drawn.prefixes(*block)
            done = stop
            estimate = partial(estimate_by, Plan(self, graph, ends, means.head(samples)), values, game, done + 1)
            why = look(estimate)
            if why is not None:  # one pair is what `minimum` is
                break
        return estimate(), why or "budget"

    def draw(self, d: int) -> Iterator[tuple[NDArray[np.int64], Coalitions]]:
        """A random order and its reverse, `(2, d)`, and the prefixes of both, ∅ and V included."""
        rng = np.random.default_rng(self.seed)
        while True:
            order = rng.permutation(d)
            place = np.argsort(order)
            forward = place < np.arange(d + 1)[:, None]
            both = np.concatenate([forward, ~forward[::-1]])
            yield np.stack([order, order[::-1]]), Coalitions.from_dense(both).canonical()


def _means(orders: NDArray[np.integer], columns: NDArray[np.int32], calls: int) -> MarginalMap:
    """The means over orders `(pairs, 2, d)`, whose prefixes from ∅ to V stand in these columns."""
    d = orders.shape[-1]
    order, chain = orders.reshape(-1, d), columns.reshape(-1, d + 1)
    plus, minus = np.empty((2, len(chain), d), np.int32)
    np.put_along_axis(plus, order, chain[:, 1:], axis=1)
    np.put_along_axis(minus, order, chain[:, :-1], axis=1)
    return MarginalMap(plus.reshape(-1, 2, d), minus.reshape(-1, 2, d), calls)
