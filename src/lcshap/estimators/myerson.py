"""The Myerson value, exactly, from the connected sets of the graph alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from ..core.coalitions import Coalitions
from ..core.graphs import Graph, connected_sets
from ..core.method import Method
from ..core.plan import Plan, Terms, check_terms, memory_check, size_check
from .axioms import Axioms
from .cheaper_methods import limit_search_time


@dataclass(frozen=True)
class Myerson(Method):
    r"""The Myerson value: the Shapley value of the game that sums v over the connected parts of a coalition.

    .. math:: \mu(i) = \phi_i(v^G), \qquad v^G(S) - v(\emptyset) = \sum_{W \in \mathcal C_G(S)} [v(W) - v(\emptyset)]

    Only connected sets U are ever evaluated. In a random order of arrival, i completes the component U with probability
    :math:`(u-1)!\,b!/(u+b)!`, and merges the component U into a larger one with probability :math:`u!\,(b-1)!/(u+b)!`,
    where u = \|U\| and b is the number of units next to U. These two numbers are the weights of v(U) for its members
    and for its neighbours. A chain takes d(d+1)/2 calls, a star :math:`2^{d-1}`, a complete graph :math:`2^d`.

    Choose it for small or thin graphs (molecules, short texts, trees) when parts that do not touch should not interact.
    The scores of each connected component of the graph sum to the value of that component less the base value.

    References
    ----------
    Myerson 1977 [myerson1977graphs]_; Chen et al. 2018, Section 4.2 [chen2019lshapley]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 6.0 * (kept[:, 0] & kept[:, 2]), 3)
    >>> lc.Myerson().explain(v, lc.Graph.chain(3)).scores  # the middle unit connects the two that matter
    array([2., 2., 2.])
    """

    name: ClassVar[str] = "myerson"
    summary: ClassVar[str] = (
        "The Myerson value: the Shapley value of the game that sums v over the connected parts of a coalition."
    )
    choose: ClassVar[str] = (
        "Choose it for small or sparse graphs (molecules, short texts, trees) when parts that are not connected should "
        "not interact."
    )
    cost_in_words: ClassVar[str] = "d(d+1)/2 on a chain, up to 2^d on dense graphs"

    @classmethod
    def examples(cls) -> tuple[Myerson, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(),)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(dummy=False, monotone=False, efficient="component")

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        check, calls, term_count = size_check(limit), 0, 0
        # A connected graph of n units has at least n - s + 1 connected sets of size s (by induction over a leaf).
        sizes = np.bincount(graph.components).tolist()
        check(sum(n * (n + 1) // 2 for n in sizes), sum(n * (n + 1) * (n + 2) // 6 for n in sizes))
        terms, total = [], np.zeros(graph.d)
        for level in connected_sets(graph, check=check, room=memory_check(limit)):
            u, border_sizes = level.size, np.diff(level.boundary.indptr)
            calls, term_count = calls + len(border_sizes), term_count + level.members.size + level.boundary.nnz
            check_terms(term_count, level.members.size, calls, limit)
            number = np.arange(len(border_sizes))
            max_border = int(border_sizes.max())
            completed = np.array([1 / (u * comb(u + b, u)) for b in range(max_border + 1)])
            swallowed = np.array([0.0] + [1 / (b * comb(u + b, b)) for b in range(1, max_border + 1)])
            units = np.concatenate([level.members.ravel(), level.boundary.indices])
            weights = np.concatenate(
                [np.repeat(completed[border_sizes], u), np.repeat(-swallowed[border_sizes], border_sizes)]
            )
            columns = np.concatenate([np.repeat(number, u), np.repeat(number, border_sizes)])
            terms.append(Terms(units, weights, Coalitions.from_table(graph.d, level.members), columns))
            total += np.bincount(units, weights, minlength=graph.d)
        nothing = Coalitions.from_sets(graph.d, [[]])
        terms.append(Terms(np.arange(graph.d), -total, nothing, np.zeros(graph.d, np.intp)))
        return Plan.from_terms(self, graph, terms)

    @limit_search_time
    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        from .c_shapley import CShapley

        yield (CShapley(order=k, weights="myerson", marginals="decomposed") for k in (4, 3, 2, 1))
        yield (CShapley(order=None, max_size=m, weights="myerson", marginals="decomposed") for m in (6, 4, 3, 2))
