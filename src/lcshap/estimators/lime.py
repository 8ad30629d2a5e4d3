"""LIME: a local linear model of the value, fitted to randomly masked inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.explanation import Explanation
from ..core.game import Game
from ..core.graphs import Graph
from ..core.method import check_count
from ..core.plan import MAX_CALLS, Plan, check_calls
from ..core.run import explain_values
from ..errors import MethodError
from .fit import FitMap
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

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features is not None:
            check_count("features", self.features, least=1)
        if not self.kernel_width > 0:
            raise MethodError(f"kernel_width must be positive, not {self.kernel_width!r}")
        if not self.ridge >= 0:
            raise MethodError(f"ridge must not be negative, not {self.ridge!r}")

    def minimum(self, graph: Graph) -> int:
        """∅, V and something between."""
        return 2 if graph.d == 1 else 3

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._check_budget(graph)
        d = graph.d
        check_calls(min(self.budget, 2**d) if d < 63 else self.budget, limit, exact=True)
        kept = _draw(d, self.budget, np.random.default_rng(self.seed))
        coalitions, where = Coalitions.from_dense(kept).unique()
        weight = np.exp(-((1 - np.sqrt(kept.mean(axis=1))) ** 2) / (2 * self.kernel_width**2))
        # The intercept is fitted by taking the weighted mean off the design.
        design = np.asarray(kept - np.average(kept, axis=0, weights=weight), np.float64)
        nothing = np.zeros(len(kept), np.int32)
        operator = FitMap(where, nothing, design, weight, len(coalitions), ridge=self.ridge, efficient=False)
        return Plan(self, graph, coalitions, operator)

    def explain(
        self,
        game: Game,
        graph: Graph,
        max_calls: int | None = MAX_CALLS,
        *,
        tolerance: float | None = None,
        top: int | None = None,
        confidence: float = 0.95,
    ) -> Explanation:
        """Score the units; see `SampledMethod.explain`. With `features`, nothing stops it before the budget."""
        if self.features is None or self.features >= graph.d:
            stop = {"tolerance": tolerance, "top": top, "confidence": confidence}
            return super().explain(game, graph, max_calls, **stop)  # type: ignore[arg-type]
        if tolerance is not None or top is not None:
            raise MethodError("LIME with features selects units at the end: it cannot stop on a tolerance or a ranking")
        plan = self.plan(graph, max_calls)
        values = game.evaluate(plan.coalitions)
        everything = explain_values(plan, values, game)
        assert isinstance(plan.operator, FitMap)
        scores = _select(plan.operator, values - values[0], everything.scores, self.features)
        return replace(everything, scores=scores, stderr=None, freedom=None)


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


def _select(fit: FitMap, values: NDArray[np.float64], scores: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Fit again on the units with the largest coefficients, for each output by itself."""
    chosen = np.zeros_like(scores)
    columns = scores.reshape(len(scores), -1).T
    outputs = values.reshape(len(values), -1).T
    for output, (score, value) in enumerate(zip(columns, outputs, strict=True)):
        units = np.sort(np.argsort(-np.abs(score), kind="stable")[:count])
        again = replace(fit, design=fit.design[:, units]) @ value
        chosen.reshape(len(scores), -1)[units, output] = again
    return chosen
