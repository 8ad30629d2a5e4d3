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

    where U is the connected part that i completes when it arrives: U comes up with exactly the Myerson weight.

    Parameters
    ----------
    budget : how many calls it may take, ∅ and V included; at least 4d + 2 (8d + 2 for both contexts) unless all of
        C-Shapley fits it, which is then what is computed.
    order, context : as for `CShapley`, with direct marginals, whose expectation this is.
    weights : "myerson" (default), or "paper" by weighting what comes up: unbiased too, but noisier.
    seed : of the random orders.

    Notes
    -----
    Choose it where the connected sets are too many: orders of 2 and more on grids and dense graphs.

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
        """What it promises on this graph."""
        return Axioms(symmetric=False, efficient="depends", unit_mass=self.weights == "myerson")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("weights", self.weights, ("myerson", "paper"))

    def _in_full(self) -> Method:
        return CShapley(self.order, self.context, self.weights)

    def _reached(
        self, graph: Graph, ball: sparse.csr_array, alone: sparse.csr_array, arrived: sparse.csr_array
    ) -> tuple[sparse.csr_array, NDArray[np.float64]]:
        part = _connected(graph, alone, arrived)
        if self.weights == "myerson":
            return part, np.ones(part.shape[0])
        touched = part @ graph.adjacency
        touched.sort_indices()
        border = sparse.csr_array(sparse.csr_array(touched > part).multiply(ball))
        u, b = np.diff(part.indptr), np.diff(border.indptr)
        # The printed weight over the probability that the part came up.
        return part, np.asarray(2 / ((u + 2) * (u + 1)) * special.binom(u + b, u))


def _connected(graph: Graph, alone: sparse.csr_array, arrived: sparse.csr_array) -> sparse.csr_array:
    """Of what has arrived in each row, the part that is connected with its unit: each unit is walked from once."""
    part, newest, rows = alone, alone, np.arange(alone.shape[0])
    while len(rows):
        near = (newest @ graph.adjacency).multiply(arrived[rows])
        found = sparse.csr_array(near.astype(bool) > part[rows])
        growing = np.flatnonzero(np.diff(found.indptr))
        newest, rows = found[growing], rows[growing]
        indptr = np.zeros(alone.shape[0] + 1, newest.indptr.dtype)
        indptr[rows + 1] = np.diff(newest.indptr)
        part = part + sparse.csr_array((newest.data, newest.indices, np.cumsum(indptr)), shape=alone.shape)
    part = sparse.csr_array(part.astype(bool))
    part.sort_indices()
    return part


def sampler_of(method: Method) -> SampledLocal | None:
    """The sampler whose mean along random orders a local method is, with its weights chosen; None where there is none.

    >>> sampler_of(CShapley(2, weights="paper")).order, sampler_of(CShapley(2, max_size=2))
    (2, None)
    """
    if isinstance(method, LShapley):
        return SampledLShapley(2, method.order, method.context)
    if not isinstance(method, CShapley) or method.order is None or method.max_size is not None:
        return None
    if method.marginals == "decomposed" or method.weights == "auto":
        return None
    return SampledCShapley(2, method.order, method.context, method.weights)
