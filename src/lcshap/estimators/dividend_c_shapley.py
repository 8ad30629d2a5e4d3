"""C-Shapley from Harsanyi dividends of windows, each shared equally among the units of its window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import comb, prod
from typing import ClassVar

import numpy as np
from scipy import sparse

from ..core.coalitions import Coalitions
from ..core.graphs import Graph, SetsOfSize, connected_sets
from ..core.graphs.windows import min_set_counts, windows
from ..core.method import Method, check_integer
from ..core.plan import Plan, Terms, check_terms, memory_check, size_check
from .axioms import Axioms
from .cheaper_methods import limit_search_time
from .subsets import bound_connected_sets

_MAX_LISTED_BOXES = 100_000  # of a grid; listing more to count the calls takes about a second
_MAX_BOUNDED_SIDE = 8  # of boxes; longer ones may have too many terms, which only listing finds


@dataclass(frozen=True)
class DividendCShapley(Method):
    r"""The Myerson value without the contributions of windows above max_size; on grids, the same over boxes.

    .. math:: \phi(i) = \sum_{U \ni i} \frac{D(U)}{|U|}, \qquad
              D(U) = v(U) - v(\emptyset) - \sum_{W \subsetneq U} D(W)

    U and W are the windows: n-grams of a chain with n <= `max_size`, boxes of a grid with sides <= `max_size`,
    connected sets of up to `max_size` units on any other graph. D(U) is the Harsanyi dividend of U among them. On a
    chain :math:`D[a,b] = v[a,b] - v[a{+}1,b] - v[a,b{-}1] + v[a{+}1,b{-}1]`.

    Parameters
    ----------
    max_size : m, the largest size of a set. It is not a radius, unlike the `order` of other methods. A chain
        takes m·d calls, a grid of k axes :math:`m^k d`.

    Notes
    -----
    Choose it for scores from contiguous pieces alone, with few calls, if the effects are local. With `max_size` as
    large as the graph it is the Myerson value on every graph that is not a grid (one given by ``from_edges`` is not).
    On a grid it then sums to the prediction less the base value, but is another value, since not all connected sets are
    boxes. Below that size
    dividends are cut off, not shrunk: the contributions of larger pieces are missing (see ``residual``), and on graphs
    with hubs the weights, alternating sums over the b neighbours of a hub, grow like :math:`b^{m-1}`; there `CShapley`
    with `max_size`, which rescales its weights, is the better choice.

    References
    ----------
    Chen et al. 2018, Section 4.2 [chen2019lshapley]_; dividends: Harsanyi 1963 [harsanyi1963simplified]_; their use
    for the Myerson value: Owen 1986 [owen1986values]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 3.0 * (kept[:, 1] & kept[:, 2]) + 8.0 * kept.all(axis=1), 4)
    >>> lc.DividendCShapley(max_size=3).explain(v, lc.Graph.chain(4)).scores
    array([0. , 1.5, 1.5, 0. ])
    >>> lc.DividendCShapley(max_size=4).explain(v, lc.Graph.chain(4)).scores
    array([2. , 3.5, 3.5, 2. ])
    """

    max_size: int = 4
    name: ClassVar[str] = "dividend-c-shapley"
    summary: ClassVar[str] = (
        "The Myerson value without the contributions of windows above max_size; on grids, the same over boxes."
    )
    choose: ClassVar[str] = "Choose it when units interact only with near neighbours and there are few calls."
    cost_in_words: ClassVar[str] = "max_size · d on a chain, max_size² · d on a grid"

    @classmethod
    def examples(cls) -> tuple[DividendCShapley, ...]:
        """The parameters that the conformance suite runs."""
        return tuple(cls(m) for m in (4, 1, 2, 3, 6))

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        single = self.max_size == 1
        largest = max(graph.shape) if graph.kind == "grid" else int(np.bincount(graph.components).max())
        is_efficient = self.max_size >= largest
        return Axioms(layout=True, dummy=single, monotone=single, efficient="component" if is_efficient else "nothing")

    def __post_init__(self) -> None:
        check_integer("max_size", self.max_size, minimum=1)

    def _bound_calls(self, graph: Graph, limit: int | None) -> int | None:
        if limit is None or graph.is_chain:
            return None
        if graph.kind == "grid":
            sides = ((side, min(self.max_size, side)) for side in graph.shape)
            boxes = prod(longest * (2 * side - longest + 1) // 2 for side, longest in sides)
            size_check(limit)(boxes, 0)
            return boxes + 2 if boxes > _MAX_LISTED_BOXES and self.max_size <= _MAX_BOUNDED_SIDE else None
        return bound_connected_sets(graph, self.max_size, limit)

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        sets, shares = (_box_shares if graph.kind == "grid" else _connected_shares)(graph, self.max_size, limit)
        shares = shares.tocoo()
        nothing = Coalitions.from_sets(graph.d, [[]])
        total = np.asarray(shares.sum(axis=1), np.float64)
        terms = [
            Terms(shares.row, shares.data, sets, shares.col),
            Terms(np.arange(graph.d), -total, nothing, np.zeros(graph.d, np.intp)),
        ]
        return Plan.from_terms(self, graph, terms)

    @limit_search_time
    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        yield (replace(self, max_size=m) for m in range(min(self.max_size, 8) - 1, 0, -1))


def _connected_shares(graph: Graph, max_size: int, limit: int | None) -> tuple[Coalitions, sparse.csr_array]:
    """The connected sets, and the weight of v of each set in the score of each unit, a matrix of units by sets."""
    check, calls, terms = size_check(limit), 0, 0
    check(*min_set_counts(graph, max_size))
    sets: list[Coalitions] = []
    shares = []
    for level in connected_sets(graph, None, max_size, check, memory_check(limit)):
        calls, terms = calls + len(level.members), terms + level.members.size + level.boundary.nnz
        check_terms(terms, level.members.size, calls, limit)
        sets.append(Coalitions.from_table(graph.d, level.members))
        shares.append(_level_shares(level, max_size))
    return Coalitions.concat(sets), sparse.csr_array(sparse.hstack(shares, format="csr"))


def _box_shares(graph: Graph, max_size: int, limit: int | None) -> tuple[Coalitions, sparse.csr_array]:
    """The boxes of a grid, and the weight of v of each box in the score of each unit.

    A box is a product of intervals, and so are the boxes in it: sizes multiply, dividends are differences along one
    axis after the other, and the matrix is the Kronecker product of those of the axes, each a chain.
    """
    sets = windows(graph, max_size, "rectangle", size_check(limit))
    axes = [_connected_shares(Graph.chain(side), max_size, limit)[1] for side in graph.shape]
    terms = prod(int(axis.nnz) for axis in axes)
    size_check(limit)(len(sets), terms)
    check_terms(terms, len(sets.indices), len(sets), limit)
    return sets, reduce(lambda a, b: sparse.kron(a, b, format="csr"), axes)


def _level_shares(level: SetsOfSize, max_size: int) -> sparse.csc_array:
    r"""The weight of v(W), for the sets W of one size, in the scores of the units of W and of the units next to it.

    v(W) is in D(U) for U = W ∪ B, B any subset of the b units next to W, with the sign :math:`(-1)^{|B|}`, and in no
    other: where U has a unit u that is neither in W nor next to it, the subsets of U in which W is a connected part
    pair up, with and without u, and cancel. So a unit of W gets :math:`\sum_t (-1)^t \binom bt / (w+t)` over the sizes
    t = |B| <= m - w; a unit next to W, which is in :math:`\binom{b-1}{t-1}` of these B, gets the same sum with that
    many.
    """
    n, w = level.members.shape
    border_sizes = np.diff(level.boundary.indptr)
    distinct, inverse = np.unique(border_sizes, return_inverse=True)
    inside, beside = np.array([_member_and_neighbour_weights(w, b, max_size) for b in distinct.tolist()])[inverse].T
    units = np.concatenate([level.members.ravel(), level.boundary.indices])
    weights = np.concatenate([np.repeat(inside, w), np.repeat(beside, border_sizes)])
    number = np.concatenate([np.repeat(np.arange(n), w), np.repeat(np.arange(n), border_sizes)])
    shares = sparse.csc_array((weights, (units, number)), shape=(level.boundary.shape[1], n))
    shares.eliminate_zeros()
    return shares


def _member_and_neighbour_weights(w: int, b: int, max_size: int) -> tuple[float, float]:
    """The two sums of `_level_shares`, as fractions first: the terms alternate and cancel."""
    sizes = range(min(b, max_size - w) + 1)
    inside = sum(Fraction((-1) ** t * comb(b, t), w + t) for t in sizes)
    beside = sum(Fraction((-1) ** t * comb(b - 1, t - 1), w + t) for t in sizes[1:])
    return float(inside), float(beside)
