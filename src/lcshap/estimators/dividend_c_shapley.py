"""C-Shapley from dividends: what each window is worth beyond its own windows, shared equally among its units."""

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
from ..core.graphs import Graph, Level, connected_sets
from ..core.graphs.windows import fewest, windows
from ..core.method import Method, check_count
from ..core.plan import Plan, Terms, check_terms, checks, rooms
from .axioms import Axioms
from .cheaper import in_time


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
    max_size : m. A chain takes m·d calls, a grid of k axes :math:`m^k d`.

    Notes
    -----
    Choose it for scores from contiguous pieces alone, at few calls, where what happens is local. With `max_size` as
    large as the graph it is the Myerson value on every graph that is not a grid (one given by ``from_edges`` is not).
    On a grid it then sums to v(V) - v(∅), but is another value, since boxes are not all connected sets. Below that size
    dividends are cut off, not shrunk: what only longer pieces bring is missing (see ``residual``), and on graphs with
    hubs the weights, alternating sums over the b neighbours of a hub, grow like :math:`b^{m-1}`; there `CShapley` with
    `max_size`, which rescales its weights, is the better choice.

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
        """What it promises on this graph."""
        single = self.max_size == 1
        largest = max(graph.shape) if graph.kind == "grid" else int(np.bincount(graph.components).max())
        whole = self.max_size >= largest
        return Axioms(layout=True, dummy=single, monotone=single, efficient="component" if whole else "nothing")

    def __post_init__(self) -> None:
        check_count("max_size", self.max_size, least=1)

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        sets, shares = (_boxes if graph.kind == "grid" else _connected)(graph, self.max_size, limit)
        shares = shares.tocoo()
        nothing = Coalitions.from_sets(graph.d, [[]])
        total = np.asarray(shares.sum(axis=1), np.float64)
        terms = [
            Terms(shares.row, shares.data, sets, shares.col),
            Terms(np.arange(graph.d), -total, nothing, np.zeros(graph.d, np.intp)),
        ]
        return Plan.from_terms(self, graph, terms)

    @in_time
    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        yield (replace(self, max_size=m) for m in range(min(self.max_size, 8) - 1, 0, -1))


def _connected(graph: Graph, max_size: int, limit: int | None) -> tuple[Coalitions, sparse.csr_array]:
    """The connected sets, and what a unit's score gets from v of each: a matrix of units by sets."""
    check, calls, many = checks(limit), 0, 0
    check(*fewest(graph, max_size))
    sets: list[Coalitions] = []
    shares = []
    for level in connected_sets(graph, None, max_size, check, rooms(limit)):
        calls, many = calls + len(level.members), many + level.members.size + level.boundary.nnz
        check_terms(many, level.members.size, calls, limit)
        sets.append(Coalitions.from_table(graph.d, level.members))
        shares.append(_level_shares(level, max_size))
    return Coalitions.concat(sets), sparse.csr_array(sparse.hstack(shares, format="csr"))


def _boxes(graph: Graph, max_size: int, limit: int | None) -> tuple[Coalitions, sparse.csr_array]:
    """The boxes of a grid, and what a unit's score gets from v of each.

    A box is a product of intervals, and so are the boxes in it: sizes multiply, dividends are differences along one
    axis after the other, and the matrix is the Kronecker product of those of the axes, each a chain.
    """
    sets = windows(graph, max_size, "rectangle", checks(limit))
    axes = [_connected(Graph.chain(side), max_size, limit)[1] for side in graph.shape]
    terms = prod(int(axis.nnz) for axis in axes)
    checks(limit)(len(sets), terms)
    check_terms(terms, len(sets.indices), len(sets), limit)
    return sets, reduce(lambda a, b: sparse.kron(a, b, format="csr"), axes)


def _level_shares(level: Level, max_size: int) -> sparse.csc_array:
    r"""The weight of v(W), for the sets W of one size, in the scores of the units of W and of the units next to it.

    v(W) is in D(U) for U = W ∪ B, B any subset of the b units next to W, with the sign :math:`(-1)^{|B|}`, and in no
    other: where U has a unit u that is neither in W nor next to it, the subsets of U in which W is a connected part
    pair up, with and without u, and cancel. So a unit of W gets :math:`\sum_t (-1)^t \binom bt / (w+t)` over the sizes
    t = |B| <= m - w; a unit next to W, which is in :math:`\binom{b-1}{t-1}` of these B, gets the same sum with that
    many.
    """
    n, w = level.members.shape
    borders = np.diff(level.boundary.indptr)
    found, which = np.unique(borders, return_inverse=True)
    inside, beside = np.array([_pair(w, b, max_size) for b in found.tolist()])[which].T
    units = np.concatenate([level.members.ravel(), level.boundary.indices])
    weights = np.concatenate([np.repeat(inside, w), np.repeat(beside, borders)])
    number = np.concatenate([np.repeat(np.arange(n), w), np.repeat(np.arange(n), borders)])
    shares = sparse.csc_array((weights, (units, number)), shape=(level.boundary.shape[1], n))
    shares.eliminate_zeros()
    return shares


def _pair(w: int, b: int, max_size: int) -> tuple[float, float]:
    """The two sums of `_level_shares`, as fractions first: the terms alternate and cancel."""
    sizes = range(min(b, max_size - w) + 1)
    inside = sum(Fraction((-1) ** t * comb(b, t), w + t) for t in sizes)
    beside = sum(Fraction((-1) ** t * comb(b - 1, t - 1), w + t) for t in sizes[1:])
    return float(inside), float(beside)
