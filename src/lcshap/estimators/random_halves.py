"""Methods that fit a surrogate to random halves: coalitions with each unit present with probability one half."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.estimate import Estimate
from ..core.graphs import Graph
from ..core.method import Stop
from ..core.plan import Plan, check_calls
from ..errors import MethodError
from .axioms import Axioms
from .sampled_method import SampledMethod

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
Fit = Callable[[Masks, Floats], Floats]  # from coalitions and their values to scores


class HalvesMethod(SampledMethod):
    """A method whose scores are those of a surrogate that is fitted to the values of random halves of the units."""

    @abstractmethod
    def _fit(self) -> Fit:
        """The function that computes scores from the values of random halves."""

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(linear=False, symmetric=False, dummy=False, monotone=False, unit_mass=False)

    def minimum(self, graph: Graph) -> int:
        """The empty and the full coalition, and two between them."""
        return 2 if graph.d == 1 else 4

    def check_stop(self, stop: Stop | None) -> None:
        """Refuse to stop early, because there is no standard error."""
        if stop is not None and stop.early:
            raise MethodError(
                "Expected a method with standard errors, to stop on a tolerance or a ranking, got "
                f"{type(self).__name__}, which has none. Choose GraphKernelSHAP."
            )

    def _count_calls(self, graph: Graph, limit: int | None) -> int:
        """The number of calls: the budget, or that of all coalitions if it is smaller."""
        self._check_budget(graph)
        calls = min(self.budget, 2**graph.d) if graph.d < 40 else self.budget
        check_calls(calls, limit, exact=True)
        return calls

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._count_calls(graph, limit)
        coalitions, kept, columns = draw_halves(graph.d, self.budget, self.seed)
        return Plan(self, graph, coalitions, HalvesEstimator(kept, columns, self._fit()))


@dataclass(frozen=True, eq=False)
class HalvesEstimator:
    """Scores from a surrogate that is fitted to random halves. They are not linear in the values.

    Attributes
    ----------
    kept : `(halves, units)`, the random halves.
    columns : the position of each of them among all coalitions.
    fit : computes scores from the random halves and their values.
    """

    kept: Masks
    columns: NDArray[np.int32]
    fit: Fit

    @property
    def nbytes(self) -> int:
        """The memory in use."""
        return self.kept.nbytes + self.columns.nbytes

    def estimate(self, values: Floats) -> Estimate:
        """Fit each output separately."""
        if not len(self.kept):  # one unit: there are no halves between ∅ and V
            return Estimate(np.asarray(values[-1:] - values[:1]))
        outputs = values.reshape(len(values), -1)[self.columns].T
        scores = np.stack([self.fit(self.kept, output) for output in outputs], axis=1)
        return Estimate(scores.reshape(self.kept.shape[1], *values.shape[1:]))


def draw_halves(d: int, budget: int, seed: int) -> tuple[Coalitions, NDArray[np.bool_], NDArray[np.int32]]:
    """∅, V and distinct random halves, together at most `budget` coalitions.

    Returns
    -------
    All coalitions, ∅ first and V last; the random halves as rows; and the place of each of them among the coalitions.

    >>> coalitions, kept, columns = draw_halves(3, 8, 0)
    >>> len(coalitions), kept.shape
    (8, (6, 3))
    """
    rng = np.random.default_rng(seed)
    half_count = (min(budget, 2**d) if d < 40 else budget) - 2
    ends = np.stack([np.zeros(d, bool), np.ones(d, bool)])
    rows_by_key = {row.tobytes(): row for row in ends}
    while len(rows_by_key) < half_count + 2:
        for row in rng.random((half_count + 2 - len(rows_by_key), d)) < 0.5:
            rows_by_key.setdefault(row.tobytes(), row)
    rows = np.stack(list(rows_by_key.values()))
    coalitions, columns = Coalitions.from_dense(rows).unique()
    return coalitions, rows[2:], columns[2:]
