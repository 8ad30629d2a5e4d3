"""C-Shapley (Chen et al. 2018, Definition 2): marginal contributions to the connected sets around each unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..core.coalitions import Coalitions
from ..core.graphs import Graph, SetsOfSize, connected_sets
from ..core.graphs.connected import as_matrix
from ..core.method import Method, check_choice, check_integer
from ..core.plan import TERMS_PER_PIECE, Plan, Terms, check_calls, check_terms, check_time, memory_check, size_check
from ..errors import MethodError
from .axioms import Axioms
from .cheaper_methods import limit_search_time
from .subsets import CONTEXTS, Context, balls_within, bound_connected_sets, bound_subsets

_MIN_BOUNDED_UNITS = 1_000  # on smaller graphs the coalitions are counted
_MAX_LISTED_CALLS = 300_000  # more take long to list
_MAX_INDICES = 1 << 24  # unit indices that are in memory at once


@dataclass(frozen=True)
class CShapley(Method):
    r"""C-Shapley of order k: weighted contributions to the connected sets around each unit.

    .. math:: \tilde\phi(i) = \sum_{U \ni i,\; U \subseteq N_k(i) \text{ connected}} w(U)\, m(U \cup K, i)

    Parameters
    ----------
    order : k, the radius of a neighbourhood in edges. None is the radius of the whole graph (then give `max_size`).
    context : whether the units outside the neighbourhood are kept. "absent": K = ∅, as printed. "present": :math:`K = V
        \setminus N_k(i)`, as in the authors' code. "both": the mean of the two.
    weights : "paper": :math:`2/((u+2)(u+1)u)`, u = \|U\|, Definition 2 as printed. "myerson":
        :math:`(u-1)!\,b!/(u+b)!`, b the number of units of :math:`N_k(i) \setminus U` next to U. "auto": the paper's on
        chains, Myerson's on all other graphs. Plans and explanations record which of the two was used.
    marginals : "direct": :math:`m(U, i) = v(U) - v(U \setminus \{i\})`, as printed. "decomposed":
        :math:`v(U) - \sum_W v(W) + (c-1) v(\emptyset)` over the c connected parts W of :math:`U \setminus \{i\}`.
    max_size : the largest number of units in a connected set. It limits the size of sets, not their radius as `order`
        does.

    Notes
    -----
    The printed weight is the case b = 2, which holds inside a long chain and nowhere else, so printed scores are on
    another scale than Shapley's, and not the same one for all units: on a 7x7 grid at order 2 they sum to 6 for the
    unit in the middle. "myerson" weights sum to 1 for every unit of every graph (with `max_size` they are rescaled to
    do so). Choose "paper" to follow the paper on any graph. Choose "myerson" to compare scores with Shapley values,
    also on texts, where the two weights differ most near the ends. Choose "decomposed" to save calls ((2k+1)d instead
    of O(k²d) on a chain) and to evaluate connected pieces only; with "myerson" and an order of at least d it is the
    Myerson value. Order 2 takes 34,235 calls on a 7x7 grid: `SampledCShapley` keeps within a budget. Choose the
    context as for `LShapley`.

    References
    ----------
    Chen, Song, Wainwright, Jordan: L-Shapley and C-Shapley, ICLR 2019, Definition 2 [chen2019lshapley]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 3.0 * (kept[:, 1] & kept[:, 2]), 4)
    >>> lc.CShapley(order=2).explain(v, lc.Graph.chain(4)).scores
    array([0. , 0.5, 0.5, 0. ])
    >>> lc.CShapley(order=2, weights="myerson").explain(v, lc.Graph.chain(4)).scores
    array([0. , 1.5, 1.5, 0. ])
    """

    order: int | None = 2
    context: Context = "absent"
    weights: Literal["auto", "paper", "myerson"] = "auto"
    marginals: Literal["direct", "decomposed"] = "direct"
    max_size: int | None = None
    name: ClassVar[str] = "c-shapley"
    summary: ClassVar[str] = "C-Shapley of order k: weighted contributions to the connected sets around each unit."
    choose: ClassVar[str] = (
        "Choose it when connected pieces carry the meaning and L-Shapley costs too much. The weights 'myerson', the "
        "default on all graphs except chains, put the scores on the scale of the Shapley value. Decomposed marginals "
        "need fewer calls."
    )
    cost_in_words: ClassVar[str] = "about order² · d on a chain; (2 · order + 1) · d with decomposed marginals"

    @classmethod
    def examples(cls) -> tuple[CShapley, ...]:
        """The parameters that the conformance suite runs."""
        return cls(), *(
            cls(order, context, weights, marginals, max_size)
            for order, max_size in ((2, None), (1, None), (None, 3), (2, 2))
            for context in CONTEXTS
            for weights in ("paper", "myerson")
            for marginals in ("direct", "decomposed")
        )

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        direct = self.marginals == "direct"
        return Axioms(dummy=direct, monotone=direct, unit_mass=self.for_graph(graph).weights == "myerson")

    def __post_init__(self) -> None:
        if self.order is not None:
            check_integer("order", self.order)
        if self.max_size is not None:
            check_integer("max_size", self.max_size, minimum=1)
        if self.order is None and self.max_size is None:
            raise MethodError(
                "Expected an order, a max_size or both, got neither. For all connected sets choose Myerson."
            )
        check_choice("context", self.context, CONTEXTS)
        check_choice("weights", self.weights, ("auto", "paper", "myerson"))
        check_choice("marginals", self.marginals, ("direct", "decomposed"))

    def for_graph(self, graph: Graph) -> CShapley:
        """The same method with the weights that it has on this graph.

        >>> CShapley().for_graph(Graph.chain(9)).weights, CShapley().for_graph(Graph.grid((3, 3))).weights
        ('paper', 'myerson')
        """
        if self.weights != "auto":
            return self
        return replace(self, weights="paper" if graph.is_chain else "myerson")

    def _count_calls(self, graph: Graph, limit: int | None) -> int | None:
        if limit is None or graph.d < _MIN_BOUNDED_UNITS or not self._is_counted_on(graph):
            return None
        # On a chain: intervals, and for direct marginals intervals without a unit that is not at their end.
        d, order = graph.d, graph.d if self.order is None else self.order
        longest = min(2 * order + 1, d if self.max_size is None else min(self.max_size, d))
        calls = longest * (2 * d - longest + 1) // 2 + 1 + (longest < d)
        check_calls(calls, limit)
        if self.marginals == "direct":
            sides = range(1, min(order, longest) + 1)
            calls += sum(d - left - right for left in sides for right in sides if left + right < longest)
        check_calls(calls, limit, exact=True)
        return calls if calls >= _MAX_LISTED_CALLS else None

    def _is_counted_on(self, graph: Graph) -> bool:
        return graph.is_chain and (self.context == "absent" or self.order is None)

    def _bound_calls(self, graph: Graph, limit: int | None) -> int | None:
        if limit is not None and self.max_size is not None and self.order != 0 and not self._is_counted_on(graph):
            # Up to two coalitions in each context for each connected set and unit of it.
            lower_limit = limit if self.context == "absent" or self.order is None else 10**12
            sets = bound_connected_sets(graph, self.max_size, lower_limit)
            return None if sets is None else 4 * self.max_size * sets
        if limit is None or graph.d < _MIN_BOUNDED_UNITS or self._is_counted_on(graph):
            return None
        if self.context != "present" or self.order is None:
            check_calls(graph.d + 1, limit)  # each unit alone, and ∅
        contexts = 2 if self.context == "both" and self.order is not None else 1
        for k, balls in enumerate(graph.grow_balls()):
            sizes = np.diff(balls.indptr)
            bound = contexts * float((2.0**sizes).sum())
            if k == 1 and self.order and self.marginals == "direct" and self.max_size is None:
                # With each unit alone and any of its neighbours: all subsets of the neighbourhoods of order 1.
                check_calls(1 << int(sizes.max()), limit)
                check_calls(bound_subsets(balls)[0], limit)
            if k == self.order or bound > 10 * limit or balls.nnz == int((np.bincount(graph.components) ** 2).sum()):
                break
        if graph.is_chain and self.order is not None:  # at most two coalitions for each unit and interval around it
            bound = min(bound, contexts * 2.0 * graph.d * (self.order + 1) ** 2)
        if bound < _MAX_LISTED_CALLS:
            return None
        if k == self.order and bound <= 10 * limit:
            bound = min(bound, contexts * bound_subsets(balls)[1])
        return int(min(bound, 10 * limit)) + 2

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        if self.weights == "auto":
            return self.for_graph(graph)._plan(graph, limit)
        order = graph.d if self.order is None else min(self.order, graph.d)
        # Without a radius the neighbourhood is everything, nothing lies outside, and all contexts are the same.
        context = "absent" if self.order is None else self.context
        levels = list(self._levels(graph, order, context, limit))
        weights = self._weights(graph, levels)
        sets = sum(len(level.members) for level in levels)
        ball = None if context == "absent" else balls_within(graph, order, limit, 20 * sets // graph.d)
        widest = 1 if ball is None else int(np.diff(ball.indptr).max())
        step = max(1, min(TERMS_PER_PIECE, _MAX_INDICES // widest))
        if ball is not None:
            around = np.diff(ball.indptr)
            outside = sum(int(around[level.centres].sum()) for level in levels)
            check_terms(0, 2 * outside, sum(len(level.members) // level.size for level in levels), limit)
        terms = (
            term
            for level, weight in zip(levels, weights, strict=True)
            for start in range(0, len(weight), step)
            for term in self._terms(graph, level, weight, slice(start, start + step), context, ball)
        )
        return Plan.from_terms(self, graph, terms)

    def _levels(self, graph: Graph, order: int, context: str, limit: int | None) -> Iterator[SetsOfSize]:
        """The connected sets around each unit; raises when the terms over them do not fit the memory."""
        if order > 2 and limit is not None:
            # A connected set of up to k + 1 units lies within k edges of each of them. Counting these sets alone takes
            # a small share of the time that it takes around every unit, so it is done first.
            size = order + 1 if self.max_size is None else min(order + 1, self.max_size)
            for _ in connected_sets(graph, None, size, size_check(limit), memory_check(limit)):
                pass
        terms = indices = calls = 0
        for level in connected_sets(graph, order, self.max_size, size_check(limit), memory_check(limit)):
            rows, size = level.members.shape
            calls += rows // size
            # Every component that remains without the unit is next to it, and it has fewer neighbours than the set has
            # members.
            terms_per_set = 2 if self.marginals == "direct" else 2 + min(size - 1, 2)
            copies = 2 if context == "both" else 1
            terms += copies * terms_per_set * rows
            indices += copies * 2 * level.members.size
            check_terms(terms, indices, calls, limit)
            check_time(indices // (2 * copies), calls, limit)
            yield level

    def _weights(self, graph: Graph, levels: list[SetsOfSize]) -> list[NDArray[np.float64]]:
        """One weight for each pair of a unit and a connected set around it."""
        if self.weights == "paper":
            return [np.full(len(lv.members), 2 / ((lv.size + 2) * (lv.size + 1) * lv.size)) for lv in levels]
        weights = []
        for level in levels:
            u, borders = level.size, np.diff(level.boundary.indptr)
            weights.append(np.array([1 / (u * comb(u + b, u)) for b in range(borders.max() + 1)])[borders])
        if self.max_size is not None:
            mass = np.zeros(graph.d)
            for level, w in zip(levels, weights, strict=True):
                mass += np.bincount(level.centres, w, minlength=graph.d)
            weights = [w / mass[level.centres] for level, w in zip(levels, weights, strict=True)]
        return weights

    def _terms(
        self,
        graph: Graph,
        level: SetsOfSize,
        weight: NDArray[np.float64],
        rows: slice,
        context: str,
        ball: sparse.csr_array | None,
    ) -> Iterator[Terms]:
        members, roots, weight = level.members[rows], level.centres[rows], weight[rows]
        all_rows = np.arange(len(roots))
        share = 0.5 if context == "both" else 1.0
        without = members[members != roots[:, None]].reshape(len(roots), level.size - 1)
        marginal: list[tuple[NDArray[np.intp], Any, Coalitions]] = [
            (all_rows, 1.0, Coalitions.from_table(graph.d, members))
        ]
        if self.marginals == "direct":
            marginal += [(all_rows, -1.0, Coalitions.from_table(graph.d, without))]
        else:
            owner, components = _components(graph, without)
            extra_components = np.bincount(owner, minlength=len(roots)) - 1.0
            nothing = Coalitions.from_table(graph.d, without[:, :0])
            marginal += [(owner, -1.0, components), (all_rows, extra_components, nothing)]
        for root_rows, sign, sets in marginal:
            weights = share * sign * weight[root_rows]
            if context != "present":
                yield Terms(roots[root_rows], weights, sets)
            if ball is not None:
                yield Terms(roots[root_rows], weights, _with_outside(sets, ball[roots[root_rows]]))

    @limit_search_time
    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        if self.marginals == "direct":
            yield [replace(self, marginals="decomposed")]
        if self.order is not None:
            yield (replace(self, order=k) for k in range(min(self.order, 10) - 1, -1, -1))
        yield (replace(self, max_size=m) for m in range(min(self.max_size or 8, 8) - 1, 0, -1))


def _components(graph: Graph, members: NDArray[np.int32]) -> tuple[NDArray[np.intp], Coalitions]:
    """The connected components of sets of one size: for each component, the number of its set; and the component."""
    n, size = members.shape
    if size == 0:
        return np.empty(0, np.intp), Coalitions.from_table(graph.d, members[:0])
    # One node for each member of each set, joined to the nodes of its neighbours in the same set.
    place = as_matrix(members, graph.d).astype(np.int64)
    place.data = np.arange(1, n * size + 1)
    joined = sparse.csr_array(place[np.repeat(np.arange(n), size)].multiply(graph.adjacency[members.ravel()]))
    nodes = sparse.csr_array((np.ones(joined.nnz, bool), joined.data - 1, joined.indptr), shape=(n * size, n * size))
    count, label = connected_components(nodes, directed=False)
    order = np.argsort(label, kind="stable")
    lengths = np.bincount(label, minlength=count)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    components = Coalitions(graph.d, members.ravel()[order], offsets, np.zeros(count, bool))
    return order[offsets[:-1]] // size, components


def _with_outside(sets: Coalitions, ball: sparse.csr_array) -> Coalitions:
    """Each set with all units outside its ball: stored as what is removed, the ball less the set."""
    lengths = np.diff(sets.offsets)
    inside = sparse.csr_array((np.ones(len(sets.indices), bool), sets.indices, sets.offsets), shape=ball.shape)
    removed = sparse.csr_array(ball > inside)
    assert removed.nnz == ball.nnz - lengths.sum()
    return Coalitions(
        sets.d, removed.indices.astype(np.int32), removed.indptr.astype(np.int64), np.ones(len(sets), bool)
    )
