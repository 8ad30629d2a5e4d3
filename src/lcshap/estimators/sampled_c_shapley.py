"""C-Shapley by sampling, for neighbourhoods with too many connected sets (Chen et al. 2018, Section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from ..core.graphs import Graph
from ..core.method import Method, check_choice
from .axioms import Axioms
from .c_shapley import CShapley
from .l_shapley import LShapley
from .sampled_l_shapley import SampledLocal, SampledLShapley
from .subsets import Context


@dataclass(frozen=True)
class SampledCShapley(SampledLocal):
    r"""C-Shapley of order k from random orders of each neighbourhood, each with its reverse.

    .. math:: \hat\phi(i) = \frac1{2P} \sum_{\pi} \frac{w(U)}{w_{\text{myerson}}(U)}\, m(U \cup K, i)

    where U is the connected component that i completes when it arrives. The probability of U is its Myerson weight.

    Parameters
    ----------
    budget : the largest number of calls, including those for the base value and the prediction; at least
        4d + 2 (8d + 2 for both contexts), unless all coalitions of C-Shapley fit: then C-Shapley is computed exactly.
    order, context : as for `CShapley`, with direct marginals, whose expectation this is.
    weights : "myerson" (default), or "paper", by importance weights: unbiased too, but noisier.
    seed : the seed of the random orders.

    Notes
    -----
    Choose it if there are too many connected sets, as with orders of 2 and more on grids and dense graphs.

    References
    ----------
    Chen, Song, Wainwright, Jordan: L-Shapley and C-Shapley, ICLR 2019, Section 4.3 [chen2019lshapley]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.grid((8, 8))
    >>> v = lc.Game(lambda kept: kept[:, 27] * kept[:, 28] * 1.0, 64)
    >>> e = lc.SampledCShapley(budget=1000, order=2).explain(v, g)
    >>> e.calls <= 1000, e.scores[[27, 28]]
    (True, array([0.5, 0.5]))
    """

    budget: int
    order: int = 3
    context: Context = "absent"
    weights: Literal["myerson", "paper"] = "myerson"
    seed: int = 0
    name: ClassVar[str] = "sampled-c-shapley"
    summary: ClassVar[str] = "C-Shapley of order k from random orders of each neighbourhood, each with its reverse."
    choose: ClassVar[str] = (
        "Choose it when there are too many connected sets for C-Shapley: orders from 2 on grids and dense graphs."
    )
    cost_in_words: ClassVar[str] = "the budget, from 4d + 2"

    @classmethod
    def examples(cls) -> tuple[SampledCShapley, ...]:
        """The parameters that the conformance suite runs."""
        return cls(40, 3), cls(40, 3, "absent", "paper"), cls(80, 2, "both", seed=1)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(symmetric=False, efficient="depends", unit_mass=self.weights == "myerson")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("weights", self.weights, ("myerson", "paper"))

    def _exact_method(self) -> Method:
        return CShapley(self.order, self.context, self.weights)

    def _counted_members(
        self, graph: Graph, ball: sparse.csr_array, alone: sparse.csr_array, arrived: sparse.csr_array
    ) -> tuple[sparse.csr_array, NDArray[np.float64]]:
        component = _connected_component(graph, alone, arrived)
        if self.weights == "myerson":
            return component, np.ones(component.shape[0])
        touched = component @ graph.adjacency
        touched.sort_indices()
        border = sparse.csr_array(sparse.csr_array(touched > component).multiply(ball))
        u, b = np.diff(component.indptr), np.diff(border.indptr)
        # This is the weight in the paper divided by the probability of the component.
        return component, np.asarray(2 / ((u + 2) * (u + 1)) * special.binom(u + b, u))


def _connected_component(graph: Graph, alone: sparse.csr_array, arrived: sparse.csr_array) -> sparse.csr_array:
    """Of the units that have arrived in each row, those that are connected with the unit of the row."""
    component, newest, rows = alone, alone, np.arange(alone.shape[0])
    while len(rows):
        near = (newest @ graph.adjacency).multiply(arrived[rows])
        new_members = sparse.csr_array(near.astype(bool) > component[rows])
        growing = np.flatnonzero(np.diff(new_members.indptr))
        newest, rows = new_members[growing], rows[growing]
        indptr = np.zeros(alone.shape[0] + 1, newest.indptr.dtype)
        indptr[rows + 1] = np.diff(newest.indptr)
        component = component + sparse.csr_array((newest.data, newest.indices, np.cumsum(indptr)), shape=alone.shape)
    component = sparse.csr_array(component.astype(bool))
    component.sort_indices()
    return component


def sampler_for(method: Method) -> SampledLocal | None:
    """The sampler whose mean over random orders is a local method with known weights; None if there is none.

    >>> sampler_for(CShapley(2, weights="paper")).order, sampler_for(CShapley(2, max_size=2))
    (2, None)
    """
    if isinstance(method, LShapley):
        return SampledLShapley(2, method.order, method.context)
    if not isinstance(method, CShapley) or method.order is None or method.max_size is not None:
        return None
    if method.marginals == "decomposed" or method.weights == "auto":
        return None
    return SampledCShapley(2, method.order, method.context, method.weights)
