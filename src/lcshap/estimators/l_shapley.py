"""L-Shapley (Chen et al. 2018, Definition 1): the Shapley value of each unit within its neighbourhood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.graphs import Graph
from ..core.method import Method, check_choice, check_integer
from ..core.plan import Plan, Terms, check_calls, check_entries, check_terms
from ..errors import MethodError
from .axioms import Axioms
from .cheaper_methods import limit_search_time
from .subsets import (
    CONTEXTS,
    Context,
    all_subsets,
    bound_subsets,
    interaction_weights,
    neighbourhood_terms,
    shapley_weights,
)

_MIN_BOUNDED_UNITS = 1_000  # on smaller graphs the coalitions are counted
_MAX_LISTED_INDICES = 4_000_000  # of units in all subsets of all neighbourhoods; more take long to list


@dataclass(frozen=True)
class LShapley(Method):
    r"""L-Shapley of order k: the Shapley value of each unit within its neighbourhood.

    .. math:: \hat\phi(i) = \frac1n \sum_{T \ni i,\; T \subseteq N} \binom{n-1}{|T|-1}^{-1}
              \bigl[v(T \cup K) - v(T \cup K \setminus \{i\})\bigr], \qquad N = N_k(i),\; n = |N|

    Parameters
    ----------
    order : k, the radius of a neighbourhood in edges. A chain costs about :math:`4^k d` calls.
    context : whether the units outside the neighbourhood are kept. "absent": K = ∅, the definition as printed.
        "present": :math:`K = V \setminus N`, as in the authors' code. "both": the mean of the two.
    interactions : also give, for every edge (i, j), the Shapley interaction index within `N_k(i) ∩ N_k(j)`, from the
        same coalitions at no extra call.

    Notes
    -----
    Where a unit is independent of all units outside its neighbourhood, with and without Y and given any other units
    (Theorem 1), all three contexts give the Shapley value; on real models they differ a lot. Keep "absent" to follow
    the paper. Choose "present" to find what matters in the full input, for inputs that make no sense in small pieces,
    and to rank units for masking. If nothing else is known, "both" is closest to the Shapley value. The scores do not
    sum to the prediction less the base value: see ``residual``.

    References
    ----------
    Chen, Song, Wainwright, Jordan: L-Shapley and C-Shapley, ICLR 2019, Definition 1 [chen2019lshapley]_. The
    interaction index: Grabisch and Roubens 1999 [grabisch1999axiomatic]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 3.0 * (kept[:, 1] & kept[:, 2]), 4)
    >>> e = lc.LShapley(order=1, interactions=True).explain(v, lc.Graph.chain(4))
    >>> e.scores
    array([0. , 1.5, 1.5, 0. ])
    >>> e.interactions[1, 2]
    np.float64(3.0)
    """

    order: int = 1
    context: Context = "absent"
    interactions: bool = False
    name: ClassVar[str] = "l-shapley"
    summary: ClassVar[str] = "L-Shapley of order k: the Shapley value of each unit within its neighbourhood."
    choose: ClassVar[str] = (
        "Choose it when the effect of a unit depends on its neighbours. The context 'present' finds what matters in "
        "the full input, and ranks units for masking; 'both' comes closest to the Shapley value."
    )
    cost_in_words: ClassVar[str] = "about 4^order · d on a chain"

    @classmethod
    def examples(cls) -> tuple[LShapley, ...]:
        """The parameters that the conformance suite runs."""
        orders = (cls(order, context) for order in (1, 0, 2) for context in CONTEXTS)
        return (*orders, cls(order=2, interactions=True))

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms()

    def __post_init__(self) -> None:
        check_integer("order", self.order)
        check_choice("context", self.context, CONTEXTS)
        if not isinstance(self.interactions, bool):
            raise MethodError(
                f"Expected interactions=True or False, got {self.interactions!r}. L-Shapley computes the "
                "interactions of the graph's edges; GraphKernelSHAP computes those of all pairs."
            )
        if self.interactions and self.order == 0:
            raise MethodError(
                "Expected an order of at least 1 for interactions, got 0. At order 0 no neighbourhood has two units."
            )

    def _count_calls(self, graph: Graph, limit: int | None) -> int | None:
        sets = self._count_sets(graph, limit) if graph.kind == "chain" else None
        return None if sets is None else sets[1]

    def _bound_calls(self, graph: Graph, limit: int | None) -> int | None:
        sets = self._count_sets(graph, limit)
        return None if sets is None else sets[1]

    def _count_sets(self, graph: Graph, limit: int | None) -> tuple[int, int] | None:
        """A lower and an upper bound of the calls if listing them would take long; on a chain both are exact."""
        if limit is None or graph.d < _MIN_BOUNDED_UNITS:
            return None
        balls = _grow_balls_within(graph, self.order, limit)
        n = np.diff(balls.indptr)
        if float((n * 2.0**n).sum()) < _MAX_LISTED_INDICES or int(n.max()) > graph.d // 2 - 1:
            return None
        low, high = bound_subsets(balls)
        # Neighbourhoods have fewer than half of the units, so no coalition is in both contexts. ∅ and V are added.
        low, high = (2 * low + 2, 2 * high + 2) if self.context == "both" else (low + 2, high + 2)
        if graph.kind == "chain":
            low = high
        check_calls(low, limit, exact=low == high)
        return low, high

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        balls = _grow_balls_within(graph, self.order, limit)
        sizes = [np.diff(balls.indptr)]
        if self.interactions:
            sources, targets = graph.edges.T
            sizes.append(np.diff(sparse.csr_array(balls[sources].multiply(balls[targets])).indptr))
        n = np.concatenate(sizes).astype(float) + (self.context == "both")  # two contexts have twice as many subsets
        check_terms(int((2**n).sum()), int((n * 2 ** (n - 1)).sum()), int(2 ** sizes[0].max()), limit)
        edge_terms = self._edge_terms(graph, balls) if self.interactions else None
        return Plan.from_terms(self, graph, self._terms(graph, balls), edge_terms)

    def _terms(self, graph: Graph, balls: sparse.csr_array) -> Iterator[Terms]:
        return neighbourhood_terms(graph.d, balls, [np.arange(graph.d)], _unit_weights, self.context)

    def _edge_terms(self, graph: Graph, balls: sparse.csr_array) -> Iterator[Terms]:
        sources, targets = graph.edges.T
        shared = sparse.csr_array(balls[sources].multiply(balls[targets]))
        return neighbourhood_terms(graph.d, shared, [sources, targets], _pair_weights, self.context)

    @limit_search_time
    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        from .c_shapley import CShapley

        start = min(self.order, 10)
        yield (replace(self, order=k) for k in range(start - 1, 0, -1))
        yield (CShapley(order=k, context=self.context) for k in range(start, 0, -1))


def _grow_balls_within(graph: Graph, order: int, limit: int | None) -> sparse.csr_array:
    """`N_k` of all units; raises as soon as a lower bound of the number of their subsets is above `limit`.

    A set T is a subset of N_k(i) for at most |T| of its own members i, so counting it 1/|T| times for each of them,
    :math:`\\sum_i (2^{n_i} - 1) / n_i` in all, gives a lower bound. Smaller orders have fewer coalitions.
    """
    for k, balls in enumerate(graph.grow_balls()):
        sizes, counts = np.unique(np.diff(balls.indptr), return_counts=True)
        pairs = [(int(n), int(c)) for n, c in zip(sizes, counts, strict=True)]
        min_calls = sum(c * (2**n - 1) // n for n, c in pairs) + 1
        check_calls(min_calls, limit)
        check_entries(sum(c * n * 2 ** (n - 1) for n, c in pairs), min_calls, limit)
        check_calls(2 ** pairs[-1][0], 2**40)  # no machine has memory for more, even without a limit
        if k == order:
            break
    return balls


def _unit_weights(n: int, i: int) -> NDArray[np.float64]:
    """The weight of every subset of n units in the Shapley value of the unit at place i."""
    subsets = all_subsets(n)
    kept = subsets[:, i]
    weights: NDArray[np.float64] = np.where(kept, 1.0, -1.0) * shapley_weights(n)[subsets.sum(axis=1) - kept]
    return weights


def _pair_weights(n: int, i: int, j: int) -> NDArray[np.float64]:
    """The weight of every subset of n units in the interaction index of the units at places i and j."""
    subsets = all_subsets(n)
    has_i, has_j = subsets[:, i], subsets[:, j]
    other_counts = subsets.sum(axis=1) - has_i - has_j
    weights: NDArray[np.float64] = np.where(has_i == has_j, 1.0, -1.0) * interaction_weights(n)[other_counts]
    return weights
