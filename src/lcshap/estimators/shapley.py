"""The Shapley value, exactly: all coalitions of all units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.method import Method, check_integer
from ..core.plan import Plan, check_calls
from ..errors import MethodError
from .axioms import Axioms
from .cheaper_methods import limit_search_time
from .subsets import all_subsets, shapley_weights


@dataclass(frozen=True, repr=False)
class Shapley(Method):
    r"""The Shapley value: what each unit adds, averaged over all orders in which units can arrive.

    .. math:: \phi(i) = \frac1d \sum_{S \ni i} \binom{d-1}{|S|-1}^{-1} \bigl[v(S) - v(S \setminus \{i\})\bigr]

    Takes :math:`2^d` calls and ignores the edges of the graph. It is the reference for all estimates, up to about 20
    units.

    Parameters
    ----------
    units : the numbers of the units that v depends on, if the others are known to change nothing. The others have the
        score 0, and the calls are 2 to the number of these units. By default all units.

    References
    ----------
    Shapley 1953 [shapley1953value]_; Chen et al. 2018, equation (2) [chen2019lshapley]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * (kept.sum(axis=1) >= 2), 3)
    >>> lc.Shapley().explain(v, lc.Graph.complete(3)).scores.round(3)
    array([0.333, 0.333, 0.333])
    """

    name: ClassVar[str] = "shapley"
    summary: ClassVar[str] = (
        "The Shapley value: what each unit adds, averaged over all orders in which units can arrive."
    )
    choose: ClassVar[str] = "Choose it for up to about 20 units. It is the reference for all estimates."
    cost_in_words: ClassVar[str] = "2^d"

    units: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if self.units is not None:
            numbers = [check_integer("units", unit, 0) for unit in self.units]
            object.__setattr__(self, "units", tuple(sorted(set(numbers))))

    def __repr__(self) -> str:
        return "Shapley()" if self.units is None else f"Shapley(units={self.units})"

    @classmethod
    def examples(cls) -> tuple[Shapley, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(),)

    @property
    def parameters(self) -> dict[str, Any]:
        """The units, if there are any."""
        return {} if self.units is None else {"units": list(self.units)}

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(efficient="graph")

    def _count_calls(self, graph: Graph, limit: int | None) -> int:
        players = self._players(graph)
        check_calls(2 ** len(players), limit, exact=True)
        check_calls(2 ** len(players), 2**40, exact=True)  # no machine has memory for more, even without a limit
        return max(2, 1 << len(players))

    def _players(self, graph: Graph) -> list[int]:
        """The units that can have a score other than 0."""
        players = list(range(graph.d)) if self.units is None else list(self.units)
        if players and players[-1] >= graph.d:
            raise MethodError(f"Expected units below {graph.d}, the number of units, got {players[-1]}.")
        return players

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._count_calls(graph, limit)
        players = self._players(graph)
        if not players:
            return Plan.linear(self, graph, Coalitions.from_sets(graph.d, [[], range(graph.d)]), np.zeros((graph.d, 2)))
        kept = all_subsets(len(players))
        kept = kept[np.argsort(kept.sum(axis=1), kind="stable")]
        weights = shapley_weights(len(players))
        size = kept.sum(axis=1)
        # Row i: +w(|S|-1) for every S with i, -w(|S|) for every S without i.
        gain, loss = np.append(0.0, weights), np.append(weights, 0.0)
        operator = np.where(kept.T, gain[size], -loss[size])
        if len(players) < graph.d:
            operator, own_operator = np.zeros((graph.d, len(kept))), operator
            operator[players] = own_operator
            kept, own_kept = np.zeros((len(kept), graph.d), bool), kept
            kept[:, players] = own_kept
            kept[-1] = True  # all units have the same value as all players
        return Plan.linear(self, graph, Coalitions.from_dense(kept).canonical(), operator)

    @limit_search_time
    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        from .c_shapley import CShapley
        from .l_shapley import LShapley

        yield (LShapley(order=k, context="both") for k in (3, 2, 1))
        yield (CShapley(order=k, weights="myerson") for k in (3, 2, 1))
