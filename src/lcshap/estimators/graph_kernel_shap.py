"""GraphKernelSHAP (ours): the Shapley value by Gaussian-process regression on complementary pairs of coalitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.graphs import Graph
from ..core.method import check_integer
from ..core.plan import Plan, check_calls
from ..errors import MethodError
from .axioms import Axioms
from .graph_kernel.design import choose_pairs
from .graph_kernel.estimator import GraphKernelEstimator
from .graph_kernel.own_time import design_seconds, estimate_seconds
from .graph_kernel.tuning import SIZES
from .kernel_shap import count_pairs, pair_columns
from .sampled_method import SampledMethod

_SECONDS_PER_EXACT_CELL = 5e-8  # seconds for a unit or an edge of a pair, if all coalitions are evaluated


@dataclass(frozen=True)
class GraphKernelSHAP(SampledMethod):
    r"""The posterior mean of the Shapley value, given v on pairs of a coalition and its complement.

    .. math:: \hat\phi = C K^{-1} f, \qquad f(S) = \tfrac12 [v(S) - v(V \setminus S)], \quad
              C_{jS} = \mathrm{Cov}(\phi_j, f(S))

    The Shapley value of v is that of its odd part f, so that only one number per pair is needed. The prior of f is a
    Gaussian process (see `graph_kernel`) with a linear term, a product kernel with a length scale for each unit, a
    smooth nonlinearity, pooling, a function of the number of units, from 24 calls per unit on effects of units that
    depend on the number of units, and triples of units near each other in the graph.
    All covariances have a closed form. The variances of these terms and the length scales of the units maximize the
    marginal likelihood of the values of the input. A sum of trees that uses five columns therefore gets another prior
    than a network that reads words.

    Parameters
    ----------
    budget : the largest number of calls, including those for the base value and the prediction; at least
        2d. The scores are exact when it covers :math:`2^d`.
    order : the largest distance, in edges, between any two units of a triple. With 0 there are no triples, and the
        graph is not used.
    seed : the seed of the choice of pairs.
    interactions : also give the Shapley interaction index of every edge of the graph, or with "all" of all pairs, with
        standard errors (`Explanation.interaction_stderr`). This takes no further calls: the indices depend only on the
        even half :math:`g(S) = \tfrac12 [v(S) + v(V \setminus S)]`, which the scores do not use. See
        ``docs/interactions.md``.

    Notes
    -----
    The choice of pairs does not depend on v. For more than 64 units they are random, with all sizes equally often. For
    fewer units each pair is the one that lowers the posterior variance most. Up to eight calls per unit, all single
    units and their complements are included (on a chain only from 3.5 calls per unit on). Above 64 calls per unit, and
    for more than 64 units above five calls per unit (and 2,048), the further pairs are random with the sizes of the
    Shapley kernel. From 24 calls per unit on for up to 64 units, the scores are corrected by a regression on the
    leave-one-out residuals of the process if these contradict it; for more units, and above 8,192 calls, by a
    regression on the residuals at pairs that the process was not fitted to. So errors are not larger than those of a
    regression if the prior is wrong.

    From 64 pairs on, a regression with heavy tails first estimates the variance of each unit's linear effect, and the
    fit of the prior starts from there: in a long text a few words have most of the effect. Up to 64 units, the length
    scale of each unit is then fitted if this is expected to raise the evidence. If all single units are among the
    pairs, the scores are an average over two priors: one in which the length scales of single units are not fitted, and
    one in which they are, starting from the effect of each unit alone and of its removal. The prior with the smaller
    posterior variance has more weight, and the difference between the scores of both is part of the standard error.

    The scores always sum to the prediction less the base value. They are exact for a game whose odd part is a sum over
    units, such as one in which only pairs interact, from 2.5 calls per unit on. They are not linear in v, since the
    prior is fitted to it.

    Choose it to estimate Shapley values; ``docs/benchmarks.md`` compares its error with that of other methods, for
    several kinds of games and models. The standard error is the posterior standard deviation, scaled by
    leave-one-out errors; it needs 2.5 calls per unit. If v has only a few different values, such as 0 and 1, the
    standard error includes a term for unobserved values. If leave-one-out errors are several times larger where few
    units are kept or few are missing than elsewhere, or effects of units are several times larger there, the
    standard error is larger, and ``e.provenance["doubt"]`` says that the intervals may be too narrow.
    ``benchmarks/own_share.py`` prints the time of the method without that of the model. It takes up to 4,096 units.

    References
    ----------
    Gaussian processes for Shapley values with a scale for each unit: ShaplEIG (arXiv 2606.02247). The odd part: OddSHAP
    (arXiv 2602.01399). Steps by average information: Gilmour, Thompson and Cullis (1995).

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(20)
    >>> v = lc.Game(lambda kept: 1.0 * kept[:, 3:6].all(axis=1), 20)  # a triple of neighbours
    >>> e = lc.GraphKernelSHAP(budget=320).explain(v, g)
    >>> e.scores[2:7].round(1) + 0.0
    array([0. , 0.3, 0.3, 0.3, 0. ])
    """

    budget: int
    order: int = 2
    seed: int = 0
    interactions: bool | Literal["all"] = False
    name: ClassVar[str] = "graph-kernel-shap"
    summary: ClassVar[str] = (
        "The posterior mean of the Shapley value, given v on pairs of a coalition and its complement."
    )
    choose: ClassVar[str] = (
        "Choose it to estimate Shapley values: its prior is fitted to each input, and docs/benchmarks.md compares its "
        "error with that of other methods."
    )
    cost_in_words: ClassVar[str] = "the budget, from 2d"
    # 2: pairs are the same on every processor; 3: approximations with many units; 4: effects by size, and larger errors
    # where residuals contradict the fit; 5: with many units, scales of units that make sums exact in single precision;
    # 6: random pairs and a correction with many calls
    algorithm: ClassVar[int] = 6

    @classmethod
    def examples(cls) -> tuple[GraphKernelSHAP, ...]:
        """The parameters that the conformance suite runs."""
        return cls(30, seed=5), cls(18, seed=5), cls(44, order=0, seed=5), cls(40, interactions=True), cls(512)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        exact = self.budget >= 2**graph.d
        return Axioms(linear=exact, symmetric=exact, dummy=exact, monotone=exact, efficient="graph")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("order", self.order)
        if self.interactions not in (True, False, "all"):
            raise MethodError(f"Expected interactions=True, False or 'all', got {self.interactions!r}.")

    def own_seconds(self, graph: Graph) -> float:
        """About how long the method itself takes on this `graph` for one output, besides the model.

        >>> import lcshap as lc
        >>> lc.GraphKernelSHAP(800).own_seconds(lc.Graph.chain(100)) < 0.5
        True
        """
        d, pairs = graph.d, count_pairs(graph.d, self.budget)
        edges = 0
        if self.interactions:
            edges = d * (d - 1) // 2 if self.interactions == "all" else graph.adjacency.nnz // 2
        if d < 40 and pairs == 2 ** (d - 1) - 1:
            return (d + edges) * pairs * _SECONDS_PER_EXACT_CELL
        return design_seconds(d, pairs) + estimate_seconds(d, pairs, edges)

    def _count_calls(self, graph: Graph, limit: int | None) -> int:
        self._check_budget(graph)
        d, pairs = graph.d, count_pairs(graph.d, self.budget)
        if d > SIZES.units:
            raise MethodError(
                f"Expected at most {SIZES.units:,} units for GraphKernelSHAP, got {d:,}. Choose larger units "
                "(superpixels, patches, sentences), or SampleShapley, which needs less memory."
            )
        if 2 * pairs + 2 > largest_budget(d):
            raise MethodError(
                f"Expected at most {largest_budget(d):,} calls of GraphKernelSHAP for {d:,} units, got "
                f"{_format_count(self.budget)}. Choose a smaller budget, or SampleShapley, which needs less memory."
            )
        check_calls(2 * pairs + 2, limit, exact=True)
        return 2 * pairs + 2

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        d, pairs = graph.d, self._count_calls(graph, limit) // 2 - 1
        kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, pairs, self.seed, graph.is_chain)])
        coalitions, plus, minus = pair_columns(kept)
        complete = d < 40 and pairs == 2 ** (d - 1) - 1
        triples = near_triples(graph, self.order)
        edges = None
        if self.interactions:
            edges = np.stack(np.triu_indices(d, 1), axis=1) if self.interactions == "all" else graph.edges
        return Plan(self, graph, coalitions, GraphKernelEstimator(plus, minus, kept, triples, edges, complete))


def largest_budget(d: int) -> int:
    """The largest budget that it accepts for d units."""
    return 2 * (SIZES.cells // d) + 2 if d <= SIZES.units else 0


def _format_count(count: int) -> str:
    """A number for a message; a power of two if the number has too many digits."""
    return f"{count:,}" if count < 10**15 else f"2^{count.bit_length() - 1}"


def near_triples(graph: Graph, order: int) -> NDArray[np.int32]:
    """All triples of units, every two of them within `order` edges; an empty array if there are too many."""
    no_triples = np.empty((0, 3), np.int32)
    ball = graph.balls(order)
    sizes = np.diff(ball.indptr).astype(float)
    if order == 0 or (sizes * (sizes - 1) * (sizes - 2)).sum() / 6 > 10 * SIZES.triples_per_unit * graph.d:
        return no_triples
    near = [set(ball.indices[ball.indptr[i] : ball.indptr[i + 1]].tolist()) for i in range(graph.d)]
    triples = [
        (i, j, k) for i in range(graph.d) for j in sorted(near[i]) if j > i for k in sorted(near[i] & near[j]) if k > j
    ]
    return np.array(triples, np.int32) if 0 < len(triples) <= SIZES.triples_per_unit * graph.d else no_triples
