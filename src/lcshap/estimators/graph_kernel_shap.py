"""GraphKernelSHAP (ours): the Shapley value by Gaussian-process regression on complementary pairs of coalitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.graphs import Graph
from ..core.method import check_count
from ..core.plan import Plan, SampledMap, check_calls
from ..errors import MethodError
from .axioms import Axioms
from .kernel_shap import count_pairs, pair_columns
from .pair_design import LARGE, design
from .pair_interactions import EvenProcess
from .pair_posterior import additive, all_pairs, posterior, single_effects, surprises
from .pair_shape import Terms
from .pair_space import Space
from .sampled import SampledMethod

_CROWD = 64  # so many near triples per unit are no neighbourhood any more: the term is left out
_FEW_TRIPLES = 4  # and where there are many units, so many: each of them takes as long as a unit
_LARGEST = 1 << 27  # pairs times units
_MOST_UNITS = 4096  # more of either would not fit a small machine


@dataclass(frozen=True)
class GraphKernelSHAP(SampledMethod):
    r"""The posterior mean of the Shapley value, given v on pairs of a coalition and its complement.

    .. math:: \hat\phi = C K^{-1} f, \qquad f(S) = \tfrac12 [v(S) - v(V \setminus S)], \quad
              C_{jS} = \mathrm{Cov}(\phi_j, f(S))

    The Shapley value of v is that of its odd part f, so one number a pair is all there is to know. f gets a Gaussian
    prior (see `Shape`): what each unit does by itself, products of units that reach further or less far, a smooth
    nonlinearity, pooling, the number of units, and triples of units near each other in the graph. All covariances have
    a closed form. How much of each there is, and how far each unit reaches, is what makes the values that were seen of
    this very input most likely: a sum of trees that looks at five columns gets another prior than a network of words.

    Parameters
    ----------
    budget : how many calls it may take, ∅ and V included; at least 2d. Exact when it covers :math:`2^d`.
    reach : triples are near if every two of their units are within so many edges. 0 leaves them, and the graph, out.
    seed : of the choice of pairs.
    interactions : also give the Shapley interaction index of every edge of the graph, or with "all" of all pairs, with
        standard errors (`Explanation.interaction_stderr`). This takes no further call: it depends on the even half
        :math:`g(S) = \tfrac12 [v(S) + v(V \setminus S)]` alone, which the scores have no use for. See
        ``docs/interactions.md``.

    Notes
    -----
    The pairs are chosen without looking at v. For more than 64 units they are random, with all sizes equally often.
    For fewer units each is the one that lowers the posterior variance most, and up to eight calls a unit all single
    units and their complements are among them (on a chain from 3.5 calls a unit on). Above 8,192 calls, for more than
    64 units above five calls a unit (and 2,048), the further pairs are random with the sizes of the Shapley kernel, and
    a regression with its weights learns from them what the process misses.

    From 64 pairs on, a regression with heavy tails first estimates how much each unit does by itself, and the prior
    starts from there: in a long text a few words do most. Up to 64 units their reaches are then fitted one by one, if
    the evidence says that this pays. Where all single units are among the pairs, the scores are an average over two
    priors: one in which units have no reaches of their own, and one in which these are fitted, starting from what each
    unit does alone and missing. The prior with the smaller posterior variance counts more, and the difference between
    the scores of both is part of the standard error.

    The scores always sum to v(V) - v(∅). A game whose odd part is a sum over units, such as one in which only pairs
    interact, comes out exactly from 2.5 calls per unit on. The scores are not linear in v, since the prior is fitted to
    it.

    Choose it to estimate Shapley values; ``docs/benchmarks.md`` has its error beside that of others, on games and
    models by kind. The standard error is the posterior's, scaled by leave-one-out errors; it needs 2.5 calls per unit.
    Where v takes a few different values, such as 0 and 1, it also counts what may not have shown up yet.
    ``benchmarks/own_share.py`` prints its own time. It takes up to 4,096 units.

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
    reach: int = 2
    seed: int = 0
    interactions: bool | Literal["all"] = False
    name: ClassVar[str] = "graph-kernel-shap"
    summary: ClassVar[str] = (
        "The posterior mean of the Shapley value, given v on pairs of a coalition and its complement."
    )
    choose: ClassVar[str] = (
        "Choose it to estimate Shapley values: its prior is fitted to each input, and docs/benchmarks.md has its error "
        "beside that of others."
    )
    cost_in_words: ClassVar[str] = "the budget, from 2d"

    @classmethod
    def examples(cls) -> tuple[GraphKernelSHAP, ...]:
        """The parameters that the conformance suite runs."""
        return cls(30, seed=5), cls(18, seed=5), cls(44, reach=0, seed=5), cls(40, interactions=True), cls(512)

    def axioms(self, graph: Graph) -> Axioms:
        """What it promises on this graph."""
        exact = self.budget >= 2**graph.d
        return Axioms(linear=exact, symmetric=exact, dummy=exact, monotone=exact, efficient="graph")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("reach", self.reach)
        if self.interactions not in (True, False, "all"):
            raise MethodError(f"Expected interactions=True, False or 'all', got {self.interactions!r}.")

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        self._check_budget(graph)
        d, pairs = graph.d, count_pairs(graph.d, self.budget)
        if d > _MOST_UNITS:
            raise MethodError(
                f"Expected at most {_MOST_UNITS:,} units for GraphKernelSHAP, got {d:,}. Choose larger units "
                "(superpixels, patches, sentences), or SampleShapley, which needs less memory."
            )
        if 2 * pairs + 2 > most_calls(d):
            raise MethodError(
                f"Expected at most {most_calls(d):,} calls of GraphKernelSHAP for {d:,} units, got "
                f"{_shown(self.budget)}. Choose a smaller budget, or SampleShapley, which needs less memory."
            )
        check_calls(2 * pairs + 2, limit, exact=True)
        kept = np.concatenate([np.ones((1, d), bool), design(d, pairs, self.seed, graph.is_chain)])
        coalitions, plus, minus = pair_columns(kept)
        complete = d < 40 and pairs == 2 ** (d - 1) - 1
        triples = near_triples(graph, self.reach)
        operator = PairProcess(plus, minus, kept, len(coalitions), triples, complete)
        even = None
        if self.interactions:
            edges = np.stack(np.triu_indices(d, 1), axis=1) if self.interactions == "all" else graph.edges
            even = EvenProcess(plus, minus, kept, edges, len(coalitions), complete)
        return Plan(self, graph, coalitions, operator, even)


@dataclass(frozen=True, eq=False)
class PairProcess(SampledMap):
    """The regression: values become scores by a prior that is fitted to them.

    Row 0 of `kept` is V; `triples` is `(many, 3)`; `complete` says that all pairs are there: nothing is left unknown.
    """

    plus: NDArray[np.int32]
    minus: NDArray[np.int32]
    kept: NDArray[np.bool_]
    calls: int
    triples: NDArray[np.int32]
    complete: bool = False

    @property
    def samples(self) -> int:  # type: ignore[override]
        """How many pairs, {V, ∅} not counted."""
        return len(self.kept) - 1

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Units and coalitions."""
        return self.kept.shape[1], self.calls

    @property
    def nbytes(self) -> int:  # type: ignore[override]
        """Memory held, what is kept from one input for the next included."""
        return self.kept.nbytes + self.triples.nbytes + self._space.nbytes

    @property
    def freedom(self) -> int:
        """Pairs less units; 0 where there is about one pair a unit, which leaves nothing to tell the error from."""
        if self.complete:
            return max(self.samples, 1)
        return self.samples - self.shape[0] if 4 * self.samples >= 5 * self.shape[0] else 0

    @property
    def columns(self) -> NDArray[np.int32]:
        """The coalitions looked at."""
        return np.unique(np.concatenate([self.plus, self.minus]))

    def __matmul__(self, values: NDArray[np.float64], /) -> NDArray[np.float64]:
        return self._fitted(values)[0]

    def stderr(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The posterior deviation, on the scale at which leave-one-out errors are as large as predicted."""
        return self._fitted(values)[1]

    def _fitted(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores and standard errors; those of the last values are kept, since both are asked for one by one."""
        key = values.tobytes()
        last = self.__dict__.get("_last")
        if last is None or last[0] != key:
            sides = (values[part].reshape(len(part), -1).T for part in (self.plus, self.minus))
            each = [self._fit(plus, minus) for plus, minus in zip(*sides, strict=True)]
            shape = (self.shape[0], *values.shape[1:])
            last = key, *(np.stack(part, axis=-1).reshape(shape) for part in zip(*each, strict=True))
            object.__setattr__(self, "_last", last)
        return last[1], last[2]

    def _fit(
        self, plus: NDArray[np.float64], minus: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        d, odd = self.shape[0], (plus - minus) / 2
        if not np.isfinite(odd).all():  # values too large to subtract: whoever asked says so
            return np.full(d, np.nan), np.full(d, np.nan)
        if self.complete:
            return all_pairs(self.kept, odd), np.zeros(d)
        scores, error = additive(self.kept, odd), np.zeros(d)
        if scores is None:
            scores, error = posterior(self.kept, odd, self._space, effects=single_effects(self.kept, plus, minus))
        if not self.freedom:
            return scores, np.full(d, np.inf)
        return scores, np.hypot(error, surprises(self.kept, plus, minus))

    @cached_property
    def _space(self) -> Space:
        """What scores are computed in: it does not depend on v, so it is made once for all inputs."""
        d = self.shape[0]
        if d <= LARGE:
            return Space(self.kept, Terms(d, self.triples))
        few = len(self.triples) <= _FEW_TRIPLES * d
        return Space(self.kept, Terms(d, self.triples, wide=False) if few else Terms(d, wide=False))

    def head(self, samples: int) -> PairProcess:
        """The first pairs."""
        if samples == self.samples:
            return self
        rows = slice(0, samples + 1)
        return PairProcess(self.plus[rows], self.minus[rows], self.kept[rows], self.calls, self.triples)


def most_calls(d: int) -> int:
    """The largest number of calls that it takes for so many units."""
    return 2 * (_LARGEST // d) + 2 if d <= _MOST_UNITS else 0


def _shown(count: int) -> str:
    return f"{count:,}" if count < 10**15 else f"2^{count.bit_length() - 1}"


def near_triples(graph: Graph, reach: int) -> NDArray[np.int32]:
    """All triples of units, every two of them within `reach` edges; none at all where there are too many."""
    nothing = np.empty((0, 3), np.int32)
    ball = graph.balls(reach)
    sizes = np.diff(ball.indptr).astype(float)
    if reach == 0 or (sizes * (sizes - 1) * (sizes - 2)).sum() / 6 > 10 * _CROWD * graph.d:
        return nothing
    near = [set(ball.indices[ball.indptr[i] : ball.indptr[i + 1]].tolist()) for i in range(graph.d)]
    found = [
        (i, j, k) for i in range(graph.d) for j in sorted(near[i]) if j > i for k in sorted(near[i] & near[j]) if k > j
    ]
    return np.array(found, np.int32) if 0 < len(found) <= _CROWD * graph.d else nothing
