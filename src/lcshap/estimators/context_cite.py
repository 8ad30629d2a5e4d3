"""ContextCite: a sparse linear model of the value, fitted to random halves of the sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.graphs import Graph
from ..core.method import Stop, check_count
from ..core.plan import Plan, check_calls
from ..errors import MethodError
from .axioms import Axioms
from .finite import is_finite
from .halves import draw_halves
from .sampled import SampledMethod

_SWEEPS, _SMALL = 1000, 1e-9  # of coordinate descent: the most, and the change at which it stops


@dataclass(frozen=True)
class ContextCite(SampledMethod):
    r"""Lasso regression on random halves of the units.

    .. math:: \min_{a, w} \frac{1}{2n} \sum_S \bigl[v(S)/m - a - \textstyle\sum_{i \in S} w_i\bigr]^2 + \alpha
              \sum_i s_i |w_i|

    with s the standard deviation of each unit's presence in the sample; the scores are m w.

    Parameters
    ----------
    budget : how many calls it may take, ∅ and V included; at least 4.
    seed : of the random halves.
    alpha : how sparse the scores are; 0.01 as in the paper.
    tokens : m, the number of tokens of the answer, by which the paper divides the value.

    Notes
    -----
    Choose it to compare with published work on language models. Scores neither sum to v(V) - v(∅) nor estimate the
    Shapley value: they are those of a linear surrogate on random halves. `BanzhafSurrogate` fits a surrogate with
    interactions to the same coalitions.

    References
    ----------
    Cohen-Wang, Shah, Georgiev and Madry 2024, ContextCite: attributing model generation to context (arXiv 2409.00729).

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 3.0 * kept[:, 1] - 1.0 * kept[:, 2], 8)
    >>> lc.ContextCite(budget=64, alpha=1e-6).explain(v, lc.Graph.complete(8)).scores.round(3)[:4] + 0.0
    array([ 0.,  3., -1.,  0.])
    """

    budget: int
    seed: int = 0
    alpha: float = 0.01
    tokens: int = 1
    name: ClassVar[str] = "context-cite"
    summary: ClassVar[str] = "Lasso regression on random halves of the units."
    choose: ClassVar[str] = "Choose it to compare with published work on the sources of language models."
    cost_in_words: ClassVar[str] = "the budget, from 4"

    @classmethod
    def examples(cls) -> tuple[ContextCite, ...]:
        """The parameters that the conformance suite runs."""
        return cls(26, seed=5), cls(64, alpha=0.1)

    def axioms(self, graph: Graph) -> Axioms:
        """What it promises on this graph."""
        return Axioms(linear=False, symmetric=False, dummy=False, monotone=False, unit_mass=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("tokens", self.tokens, least=1)
        if not (is_finite(self.alpha) and self.alpha >= 0):
            raise MethodError(f"Expected alpha as a finite number of at least 0, got {self.alpha!r}.")

    def minimum(self, graph: Graph) -> int:
        """∅, V and two between."""
        return 2 if graph.d == 1 else 4

    def check_stop(self, stop: Stop | None) -> None:
        """It knows no standard error."""
        if stop is not None and stop.early:
            raise MethodError(
                "Expected a method with standard errors, to stop on a tolerance or a ranking, got "
                "ContextCite, which has none. Choose GraphKernelSHAP."
            )

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._check_budget(graph)
        check_calls(min(self.budget, 2**graph.d) if graph.d < 40 else self.budget, limit, exact=True)
        coalitions, kept, where = draw_halves(graph.d, self.budget, self.seed)
        return Plan(self, graph, coalitions, LassoFit(kept, where, len(coalitions), self.alpha, self.tokens))


@dataclass(frozen=True, eq=False)
class LassoFit:
    """From values to coefficients. It is not linear in the values."""

    kept: NDArray[np.bool_]
    where: NDArray[np.int32]
    calls: int
    alpha: float
    tokens: int

    @property
    def shape(self) -> tuple[int, int]:
        """Units and coalitions."""
        return self.kept.shape[1], self.calls

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.kept.nbytes + self.where.nbytes

    def __matmul__(self, values: NDArray[np.float64], /) -> NDArray[np.float64]:
        """Fit each output by itself."""
        if not len(self.kept):  # one unit: there are no halves between ∅ and V
            return np.asarray(values[-1:] - values[:1])
        columns = values.reshape(len(values), -1)[self.where].T
        found = [self.tokens * lasso(self.kept, column / self.tokens, self.alpha) for column in columns]
        return np.stack(found, axis=1).reshape(self.kept.shape[1], *values.shape[1:])


def lasso(kept: NDArray[np.bool_], values: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """The coefficients of a lasso on standardised columns, on the scale of the columns, by coordinate descent."""
    size = kept.std(axis=0)
    design = (kept - kept.mean(axis=0)) / np.where(size > 0, size, 1.0)
    rest, found = values - values.mean(), np.zeros(kept.shape[1])
    for _ in range(_SWEEPS):
        largest = 0.0
        for unit in np.flatnonzero(size > 0).tolist():
            column = design[:, unit]
            pull = column @ rest / len(rest) + found[unit]
            new = np.sign(pull) * max(abs(pull) - alpha, 0.0)
            rest += column * (found[unit] - new)
            largest, found[unit] = max(largest, abs(new - found[unit])), new
        if largest <= _SMALL * max(1.0, np.abs(found).max()):
            break
    return np.asarray(found / np.where(size > 0, size, 1.0))
