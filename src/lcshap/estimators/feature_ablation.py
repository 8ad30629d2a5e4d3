"""FeatureAblation: leave one out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.method import Method
from ..core.plan import Plan, Terms, check_calls
from .axioms import Axioms


@dataclass(frozen=True)
class FeatureAblation(Method):
    r"""The drop of the value when one unit is removed.

    .. math:: \phi(i) = v(V) - v(V \setminus \{i\})

    Takes d + 2 calls. Choose it as a first look, and to rank units for masking when calls are expensive.
    Units that repeat each other get scores near zero ("very, very bad": each of the two can be removed without a loss).
    It is L-Shapley of order 0 with all other units present.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 0] | kept[:, 1]) + 2.0 * kept[:, 2], 3)
    >>> lc.FeatureAblation().explain(v, lc.Graph.chain(3)).scores
    array([0., 0., 2.])
    """

    name: ClassVar[str] = "feature-ablation"
    summary: ClassVar[str] = "The drop of the value when one unit is removed."
    choose: ClassVar[str] = (
        "Choose it as a first look, and to rank units for masking when calls are expensive. Units that repeat each "
        "other get scores near zero."
    )
    cost_in_words: ClassVar[str] = "d + 2"

    @classmethod
    def examples(cls) -> tuple[FeatureAblation, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(),)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms()

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        d = graph.d
        check_calls(d + 2, limit, exact=d > 1)
        units = np.arange(d)
        everything = Coalitions.from_sets(d, [range(d)])
        lacking = Coalitions.from_table(d, units[:, None], removed=True)
        terms = [
            Terms(units, np.ones(d), everything, coalition_indices=np.zeros(d, np.intp)),
            Terms(units, -np.ones(d), lacking),
        ]
        return Plan.from_terms(self, graph, terms)
