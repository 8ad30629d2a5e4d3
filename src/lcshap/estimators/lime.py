"""LIME: a local linear model of the value, fitted to randomly masked inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.method import Stop, check_count
from ..core.plan import Plan, check_calls
from ..errors import MethodError
from .axioms import Axioms
from .finite import is_finite
from .fit import FitMap
from .kernel_shap import check_design
from .sampled import SampledMethod


@dataclass(frozen=True)
class LIME(SampledMethod):
    r"""Weighted ridge regression on coalitions near the full input.

    .. math:: \min_{a, \phi} \sum_S \pi(S) \bigl[v(S) - a - \textstyle\sum_{i \in S} \phi_i\bigr]^2 + \lambda
              \|\phi\|^2, \qquad \pi(S) = \exp\Bigl(-\frac{(1 - \sqrt{|S|/d})^2}{2\,w^2}\Bigr)

    Parameters
    ----------
    budget : how many calls it may take, ∅ and V included; at least 3.
    seed : of the sampling.
    kernel_width : w, in cosine distance; 0.25 is what lime uses for texts.
    ridge : λ; 1.0 is what lime uses.
    features : keep only so many units: those with the largest absolute coefficients in the fit on all of them; the
        others score zero, and the fit is done again without them. By default all units are kept, where lime keeps 10.

    Notes
    -----
    As in lime, how many units go is uniform over 1..d, and which go is uniform given that. Scores are those of a local
    surrogate, shrunk by the ridge: they neither sum to v(V) - v(∅) nor estimate the Shapley value. Choose it to compare
    with published work, and for masking at few calls. With `features` the scores are not linear in v.

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
        """What it promises on this graph."""
        selects = self.features is not None
        exact = self.budget >= 2**graph.d
        return Axioms(linear=not selects, symmetric=exact and not selects, dummy=False, monotone=False, unit_mass=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features is not None:
            check_count("features", self.features, least=1)
        if not (is_finite(self.kernel_width) and self.kernel_width > 0):
            raise MethodError(f"Expected kernel_width as a positive finite number, got {self.kernel_width!r}.")
        if not (is_finite(self.ridge) and self.ridge >= 0):
            raise MethodError(f"Expected ridge as a finite number of at least 0, got {self.ridge!r}.")

    def minimum(self, graph: Graph) -> int:
        """∅, V and something between."""
        return 2 if graph.d == 1 else 3

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._check_budget(graph)
        d = graph.d
        calls = min(self.budget, 2**d) if d < 63 else self.budget
        check_calls(calls, limit, exact=True)
        check_design(d, calls, calls, limit)
        kept = _draw(d, self.budget, np.random.default_rng(self.seed))
        coalitions, where = Coalitions.from_dense(kept).unique()
        weight = np.exp(-((1 - np.sqrt(kept.mean(axis=1))) ** 2) / (2 * self.kernel_width**2))
        # The intercept is fitted by taking the weighted mean off the design.
        design = np.asarray(kept - np.average(kept, axis=0, weights=weight), np.float64)
        nothing = np.zeros(len(kept), np.int32)
        fit = FitMap(where, nothing, design, weight, len(coalitions), ridge=self.ridge, efficient=False)
        selects = self.features is not None and self.features < d
        return Plan(self, graph, coalitions, SelectedFit(fit, self.features or d) if selects else fit)

    def check_stop(self, stop: Stop | None) -> None:
        """Units are selected at the end: an estimate on the way has not selected them."""
        if self.features is not None and stop is not None and stop.early:
            raise MethodError(
                "Expected LIME without features, to stop on a tolerance or a ranking, got "
                f"features={self.features!r}. It selects units only at the end. Leave features out."
            )


def _draw(d: int, budget: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Distinct coalitions, ∅ and V among them; the number of units that go is uniform over 1..d."""
    found = {bytes(d): np.zeros(d, bool), b"\x01" * d: np.ones(d, bool)}
    most = min(budget, 2**d) if d < 63 else budget
    while len(found) < most:
        gone = rng.integers(1, d + 1, size=most - len(found))
        rank = rng.random((len(gone), d)).argsort(axis=1).argsort(axis=1)
        for row in rank >= gone[:, None]:
            found.setdefault(row.tobytes(), row)
    return np.stack(list(found.values()))


@dataclass(frozen=True, eq=False)
class SelectedFit:
    """A fit on all units, then one on those with the largest coefficients alone. It is not linear in the values."""

    fit: FitMap
    count: int

    @property
    def shape(self) -> tuple[int, int]:
        """Units and coalitions."""
        return self.fit.shape

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.fit.nbytes

    def __matmul__(self, values: NDArray[np.float64], /) -> NDArray[np.float64]:
        """Select and fit again for each output by itself."""
        scores = self.fit @ values
        chosen = np.zeros_like(scores)
        columns, outputs = (a.reshape(len(a), -1).T for a in (scores, values))
        for output, (score, value) in enumerate(zip(columns, outputs, strict=True)):
            units = np.sort(np.argsort(-np.abs(score), kind="stable")[: self.count])
            again = replace(self.fit, design=self.fit.design[:, units]) @ value
            chosen.reshape(len(scores), -1)[units, output] = again
        return chosen
