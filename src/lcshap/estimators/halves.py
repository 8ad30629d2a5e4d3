"""Random halves: coalitions in which every unit is there with probability one half, and what is fitted to them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.method import Stop
from ..core.plan import Plan, check_calls
from ..errors import MethodError
from .axioms import Axioms
from .sampled import SampledMethod

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
Fit = Callable[[Masks, Floats], Floats]  # from coalitions and their values to scores


class HalvesMethod(SampledMethod):
    """A method whose scores are those of a surrogate that is fitted to the values of random halves of the units."""

    @abstractmethod
    def _fit(self) -> Fit:
        """How scores are made of the values of random halves."""

    def axioms(self, graph: Graph) -> Axioms:
        """What it promises on this graph."""
        return Axioms(linear=False, symmetric=False, dummy=False, monotone=False, unit_mass=False)

    def minimum(self, graph: Graph) -> int:
        """∅, V and two between."""
        return 2 if graph.d == 1 else 4

    def check_stop(self, stop: Stop | None) -> None:
        """It knows no standard error."""
        if stop is not None and stop.early:
            raise MethodError(
                "Expected a method with standard errors, to stop on a tolerance or a ranking, got "
                f"{type(self).__name__}, which has none. Choose GraphKernelSHAP."
            )

    def _calls(self, graph: Graph) -> int:
        """How many calls it takes: the budget, or all coalitions if there are fewer."""
        return min(self.budget, 2**graph.d) if graph.d < 40 else self.budget

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._check_budget(graph)
        check_calls(self._calls(graph), limit, exact=True)
        coalitions, kept, where = draw_halves(graph.d, self.budget, self.seed)
        return Plan(self, graph, coalitions, HalvesMap(kept, where, len(coalitions), self._fit()))


@dataclass(frozen=True, eq=False)
class HalvesMap:
    """From values to scores, by a fit to random halves. It is not linear in the values.

    Attributes
    ----------
    kept : `(halves, units)`, the random halves.
    where : the place of each of them among all coalitions.
    calls : the number of all coalitions.
    fit : makes scores of the random halves and their values.
    """

    kept: Masks
    where: NDArray[np.int32]
    calls: int
    fit: Fit

    @property
    def shape(self) -> tuple[int, int]:
        """Units and coalitions."""
        return self.kept.shape[1], self.calls

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.kept.nbytes + self.where.nbytes

    def __matmul__(self, values: Floats, /) -> Floats:
        """Fit each output by itself."""
        if not len(self.kept):  # one unit: there are no halves between ∅ and V
            return np.asarray(values[-1:] - values[:1])
        columns = values.reshape(len(values), -1)[self.where].T
        found = [self.fit(self.kept, column) for column in columns]
        return np.stack(found, axis=1).reshape(self.kept.shape[1], *values.shape[1:])


def draw_halves(d: int, budget: int, seed: int) -> tuple[Coalitions, NDArray[np.bool_], NDArray[np.int32]]:
    """∅, V and distinct random halves, together at most so many.

    Returns
    -------
    All coalitions, ∅ first and V last; the random halves as rows; and where each of them stands among the coalitions.

    >>> coalitions, kept, where = draw_halves(3, 8, 0)
    >>> len(coalitions), kept.shape
    (8, (6, 3))
    """
    rng = np.random.default_rng(seed)
    most = (min(budget, 2**d) if d < 40 else budget) - 2
    ends = np.stack([np.zeros(d, bool), np.ones(d, bool)])
    found = {row.tobytes(): row for row in ends}
    while len(found) < most + 2:
        for row in rng.random((most + 2 - len(found), d)) < 0.5:
            found.setdefault(row.tobytes(), row)
    rows = np.stack(list(found.values()))
    coalitions, where = Coalitions.from_dense(rows).unique()
    return coalitions, rows[2:], where[2:]
