"""LIME: a local linear model of the value, fitted to randomly masked inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.estimate import Estimate
from ..core.graphs import Graph
from ..core.method import Stop, check_integer
from ..core.plan import Plan, check_calls
from ..errors import MethodError
from .axioms import Axioms
from .checks import is_finite
from .kernel_shap import check_design
from .least_squares import WeightedLeastSquares
from .sampled_method import SampledMethod


@dataclass(frozen=True)
class LIME(SampledMethod):
    r"""Weighted ridge regression on coalitions near the full input.

    .. math:: \min_{a, \phi} \sum_S \pi(S) \bigl[v(S) - a - \textstyle\sum_{i \in S} \phi_i\bigr]^2 + \lambda
              \|\phi\|^2, \qquad \pi(S) = \exp\Bigl(-\frac{(1 - \sqrt{|S|/d})^2}{2\,w^2}\Bigr)

    Parameters
    ----------
    budget : the largest number of calls, including those for the base value and the prediction; at least 3.
    seed : the seed of the sampling.
    kernel_width : w, in cosine distance; lime uses 0.25 for texts.
    ridge : λ; lime uses 1.0.
    features : the number of units to keep: those with the largest absolute coefficients in the fit on all units. The
        others get a score of zero, and the fit is done again without them. By default all units are kept; lime keeps
        10.

    Notes
    -----
    As in lime, the number of removed units is uniform over 1..d, and the units are uniform given their
    number. The scores are those of a local surrogate, shrunk by the ridge: they neither sum to the prediction less the
    base value nor estimate the Shapley value. Choose it to compare with published work, and for masking at few calls.
    With `features` the scores are not linear in v.

    References
    ----------
    Ribeiro, Singh, Guestrin 2016 [ribeiro2016should]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 3.0 * kept[:, 1] - 1.0 * kept[:, 2], 6)
    >>> e = lc.LIME(budget=60, features=2, ridge=0.0).explain(v, lc.Graph.chain(6))
    >>> e.scores.round(6) + 0.0
    array([ 0.,  3., -1.,  0.,  0.,  0.])
    """

    budget: int
    seed: int = 0
    kernel_width: float = 0.25
    ridge: float = 1.0
    features: int | None = None
    name: ClassVar[str] = "lime"
    summary: ClassVar[str] = "Weighted ridge regression on coalitions near the full input."
    choose: ClassVar[str] = "Choose it to compare with published work, and to rank units for masking with few calls."
    cost_in_words: ClassVar[str] = "the budget, from 3"

    @classmethod
    def examples(cls) -> tuple[LIME, ...]:
        """The parameters that the conformance suite runs."""
        return cls(26, seed=5), cls(512), cls(26, seed=5, features=2)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        selects = self.features is not None
        exact = self.budget >= 2**graph.d
        return Axioms(linear=not selects, symmetric=exact and not selects, dummy=False, monotone=False, unit_mass=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features is not None:
            check_integer("features", self.features, minimum=1)
        if not (is_finite(self.kernel_width) and self.kernel_width > 0):
            raise MethodError(f"Expected kernel_width as a positive finite number, got {self.kernel_width!r}.")
        if not (is_finite(self.ridge) and self.ridge >= 0):
            raise MethodError(f"Expected ridge as a finite number of at least 0, got {self.ridge!r}.")

    def minimum(self, graph: Graph) -> int:
        """The empty and the full coalition, and one between them."""
        return 2 if graph.d == 1 else 3

    def _count_calls(self, graph: Graph, limit: int | None) -> int:
        self._check_budget(graph)
        d = graph.d
        calls = min(self.budget, 2**d) if d < 63 else self.budget
        check_calls(calls, limit, exact=True)
        check_design(d, calls, calls, limit)
        return calls

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._count_calls(graph, limit)
        d = graph.d
        kept = _draw_coalitions(d, self.budget, np.random.default_rng(self.seed))
        coalitions, columns = Coalitions.from_dense(kept).unique()
        weight = np.exp(-((1 - np.sqrt(kept.mean(axis=1))) ** 2) / (2 * self.kernel_width**2))
        # The intercept is fitted by subtracting the weighted mean from the design.
        design = np.asarray(kept - np.average(kept, axis=0, weights=weight), np.float64)
        empty_columns = np.zeros(len(kept), np.int32)
        fit = WeightedLeastSquares(
            columns, empty_columns, design, weight, len(coalitions), ridge=self.ridge, efficient=False
        )
        selects = self.features is not None and self.features < d
        return Plan(self, graph, coalitions, SelectedFit(fit, self.features or d) if selects else fit)

    def check_stop(self, stop: Stop | None) -> None:
        """Refuse to stop early if units are selected, because that happens only at the end."""
        if self.features is not None and stop is not None and stop.early:
            raise MethodError(
                "Expected LIME without features, to stop on a tolerance or a ranking, got "
                f"features={self.features!r}. It selects units only at the end. Leave features out."
            )


def _draw_coalitions(d: int, budget: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Distinct coalitions, including ∅ and V; the number of removed units is uniform over 1..d."""
    rows_by_key = {bytes(d): np.zeros(d, bool), b"\x01" * d: np.ones(d, bool)}
    count = min(budget, 2**d) if d < 63 else budget
    while len(rows_by_key) < count:
        removed_counts = rng.integers(1, d + 1, size=count - len(rows_by_key))
        rank = rng.random((len(removed_counts), d)).argsort(axis=1).argsort(axis=1)
        for row in rank >= removed_counts[:, None]:
            rows_by_key.setdefault(row.tobytes(), row)
    return np.stack(list(rows_by_key.values()))


@dataclass(frozen=True, eq=False)
class SelectedFit:
    """A fit on all units, then a fit on those with the largest coefficients. It is not linear in the values."""

    fit: WeightedLeastSquares
    count: int

    @property
    def nbytes(self) -> int:
        """The memory in use."""
        return self.fit.nbytes

    def estimate(self, values: NDArray[np.float64]) -> Estimate:
        """Select units and fit again, for each output separately."""
        scores = self.fit.scores(values)
        chosen = np.zeros_like(scores)
        columns, outputs = (a.reshape(len(a), -1).T for a in (scores, values))
        for output, (output_scores, output_values) in enumerate(zip(columns, outputs, strict=True)):
            units = np.sort(np.argsort(-np.abs(output_scores), kind="stable")[: self.count])
            selected = replace(self.fit, design=self.fit.design[:, units])
            chosen.reshape(len(scores), -1)[units, output] = selected.scores(output_values)
        return Estimate(chosen)
