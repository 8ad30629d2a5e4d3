"""SampleShapley: the Shapley value from random orders of arrival, each with its reverse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.plan import Plan, check_calls
from .axioms import Axioms
from .marginals import MarginalMap, draw_within
from .sampled import SampledMethod
from .shapley import Shapley


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
    adds to one order is what it takes from the reverse. Choose it at few calls per unit, where nothing else here has
    less error, or when the standard error matters. The standard error needs two pairs, 4d - 2 calls.

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
    choose: ClassVar[str] = (
        "Choose it at few calls per unit, or when an unbiased estimate and its standard error matter."
    )
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
        coalitions, orders, columns = draw_within(graph, self.budget, 2 * (d - 1), self._draw(d))
        check_calls(len(coalitions), limit, exact=True)
        chain = columns.reshape(-1, d + 1)
        plus, minus = np.empty((2, len(chain), d), np.int32)
        order = orders.reshape(-1, d)
        np.put_along_axis(plus, order, chain[:, 1:], axis=1)
        np.put_along_axis(minus, order, chain[:, :-1], axis=1)
        operator = MarginalMap(plus.reshape(-1, 2, d), minus.reshape(-1, 2, d), len(coalitions))
        return Plan(self, graph, coalitions, operator)

    def _draw(self, d: int) -> Iterator[tuple[NDArray[np.int64], Coalitions]]:
        """A random order and its reverse, `(2, d)`, and the prefixes of both, ∅ and V included."""
        rng = np.random.default_rng(self.seed)
        while True:
            order = rng.permutation(d)
            place = np.argsort(order)
            forward = place < np.arange(d + 1)[:, None]
            both = np.concatenate([forward, ~forward[::-1]])
            yield np.stack([order, order[::-1]]), Coalitions.from_dense(both).canonical()
