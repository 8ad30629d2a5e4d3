"""Deletion and insertion paths: the order of removing or inserting units that changes the value most."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..core.default_limits import MAX_CALLS
from ..core.explanation import Explanation, PathExplanation
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.method import Cost, Method, Stop, check_integer
from ..core.plan import check_calls
from ..core.programs import Program
from ..core.run_plan import check_scores, provenance
from ..errors import BudgetError, MethodError
from .axioms import Axioms
from .checks import is_finite
from .path_scores import block_means, path_scores
from .path_search import PathSearch


@dataclass(frozen=True)
class _PathMethod(Method):
    """The base class of both paths. `from_full` says whether they start at the full input."""

    budget: int
    path_share: float = 0.2
    window: int = 3
    output: int = 0

    from_full: ClassVar[bool]
    has_plan: ClassVar[bool] = False
    cost_in_words: ClassVar[str] = "up to the budget, from d + 2"

    def __post_init__(self) -> None:
        check_integer("budget", self.budget, minimum=1)
        check_integer("window", self.window, minimum=1)
        check_integer("output", self.output)
        if not 0 < self.path_share <= 1:
            raise MethodError(f"Expected a path_share above 0 and at most 1, got {self.path_share!r}.")
        if self.threshold is not None and not is_finite(self.threshold):
            raise MethodError(f"Expected the threshold as a finite number, got {self.threshold!r}.")

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """The parameters that the conformance suite runs."""
        return cls(30), cls(12), cls(30, window=1, path_share=0.5)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        # Pooling gives a unit that changes nothing a share of the effect of its neighbours on the path.
        return Axioms(linear=False, planned=False, symmetric=False, dummy=False, monotone=False, efficient="depends")

    @property
    @abstractmethod
    def threshold(self) -> float | None:
        """The value at which to stop; None where the decision, if there is one, is the model's."""

    def cost(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Cost:
        """At most the budget, because each round depends on the values of the rounds before."""
        check_calls(self.budget, max_calls, exact=True)
        self._check_budget(graph)
        words = f"at most {self.budget:,}: each step decides what to ask next"
        return Cost(self.budget, False, 0, f"{self}\n  on      {graph}\n  calls   {words}")

    def program(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, stop: Stop | None = None
    ) -> Program[Explanation]:
        """Follow the path, round by round."""
        self.check_stop(stop)
        check_calls(self.budget, max_calls, exact=True)
        self._check_budget(graph)
        search = PathSearch(self, graph, game.decision_unchanged, None if stop is None else stop.deadline)
        yield from search.program()
        return _explain_path(self, search, game)

    def _check_budget(self, graph: Graph) -> None:
        min_budget = min(graph.d + 2, 2**graph.d)
        if self.budget < min_budget:
            raise BudgetError(
                f"Expected a budget of at least {min_budget} calls for {self.name} on {graph.d} units (the empty "
                f"and the full coalition, and one call for each unit), got {self.budget}.",
                min_budget,
            )


@dataclass(frozen=True)
class DeletionPath(_PathMethod):
    r"""A greedy path from the full input that finds the units whose removal lowers the value most.

    .. math:: m_t = v(V \setminus \{i_1 .. i_{t-1}\}) - v(V \setminus \{i_1 .. i_t\}), \qquad
              \phi(i_t) = \frac{1}{|B|} \sum_{s \in B \ni t} m_s, \qquad
              \sum_{t \le n} \phi(i_t) = v(V) - v(V \setminus \{i_1 .. i_n\})

    The scores are the marginal contributions m along the path, pooled if a later one is larger: B is the block of
    neighbouring steps that t belongs to, by isotonic regression. Units that have an effect only together thus share it
    equally, and sorting the scores gives the path. (The scores in a block differ slightly if sorting ties by index
    would change the path: by some millionths of the largest score, and by a thousandth at most.) ``e.path_values`` has
    the values before pooling.

    The path starts with leave-one-out, which takes d + 2 calls. Each round then evaluates the marginal contributions of
    the leading units in the present context, and of connected windows of units that were not evaluated for long, and
    removes the units with the largest gain per unit: one at first, and later up to a fifth of the number already
    removed. Marginals of earlier rounds are rescaled to the present round, which matters if the model saturates. The
    budget is planned so that the first `path_share` of the units are removed with it; with a large budget, the
    remaining calls continue the path. The method is not random; of equal units the one with the lower index is first.

    Parameters
    ----------
    budget : the largest number of distinct coalitions, including the empty and the full one; at least d + 2. About 4 d
        is enough.
    path_share : the share of the path for which the calls are used. A smaller share gives better first steps, a larger
        one a longer path.
    window : the largest number of units in a window. Windows find neighbours that can replace each other ("very very
        bad"), so that none of them matters alone. A window that gains more per unit than any single unit is moved
        completely, in the order of the marginals of its units. With 1, only single units are evaluated.
    output : the output that determines the path, for a game with several. All outputs get scores, pooled over the same
        blocks.
    flip_below : stop when v is strictly below this value (such as a log-probability of log 0.5, or log-odds of 0). The
        remaining budget is used to remove units from the set as long as it still flips the decision: ``e.flip_set``.
        With None, the decision is that of the model, if it makes one (a classifier in an `Explainer`): ``e.flipped``
        shows whether the decision changes after some step of the path. The path does not stop there. At most a quarter
        of the remaining calls are used to make the set smaller, and then the path continues.

    Notes
    -----
    Choose it to find the units on which the decision depends. Do not choose it to find units that suffice (see
    ``DeletionPath.caution``): `InsertionPath` or a Shapley value is better for that. It does not divide the prediction
    less the base value among the units: units that are never removed are not part of the sum above. Their scores are
    estimates of their marginals at the end of the path (the last measured ones, on the scale of the last round), and
    never above the last score of the path.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(6, names="a very very bad film indeed".split())
    >>> v = lc.Game(lambda kept: 2.0 * (kept[:, 1] | kept[:, 2]) + kept[:, 3], 6)
    >>> e = lc.DeletionPath(budget=24).explain(v, g)
    >>> [g.names[i] for i in e.path[:3]], e.path_values[:4], e.scores.round(3)
    (['bad', 'very', 'very'], array([3., 2., 2., 0.]), array([0., 1., 1., 1., 0., 0.]))
    """

    flip_below: float | None = None
    name: ClassVar[str] = "deletion-path"
    summary: ClassVar[str] = (
        "A greedy path from the full input that finds the units whose removal lowers the value most."
    )
    caution: ClassVar[str] = (
        "The order of a deletion path is meant for removing units. When only the first units are kept, it is among "
        "the worst of the methods compared in docs/benchmarks.md."
    )
    choose: ClassVar[str] = (
        "Choose it to find what the decision depends on. In the paper's studies, no other method lowered the value as "
        f"fast at an equal number of calls. {caution}"
    )
    from_full: ClassVar[bool] = True

    @property
    def threshold(self) -> float | None:
        """The value below which the decision has flipped."""
        return self.flip_below


@dataclass(frozen=True)
class InsertionPath(_PathMethod):
    r"""A greedy path from the empty input that finds the units that alone raise the value most.

    .. math:: m_t = v(\{i_1 .. i_t\}) - v(\{i_1 .. i_{t-1}\}), \qquad
              \phi(i_t) = \frac{1}{|B|} \sum_{s \in B \ni t} m_s, \qquad
              \sum_{t \le n} \phi(i_t) = v(\{i_1 .. i_n\}) - v(\emptyset)

    The algorithm and the pooling of the scores are those of `DeletionPath`, with "remove" read as "insert".

    Parameters
    ----------
    budget, path_share, window, output : as for `DeletionPath`.
    flip_above : stop when v is strictly above this value, and remove units that are not needed from the set:
        ``e.flip_set``. With None, the decision is that of the model, if it makes one: ``e.flipped`` shows whether the
        units inserted up to some step are enough for the decision at the full input, and the path continues. If no unit
        is needed for this decision, `flipped` is True and `flip_set` is empty.

    Notes
    -----
    Choose it for the shortest extract with the same prediction as the full input, for which `DeletionPath` is not
    suited. It needs a model whose predictions for small pieces are meaningful. The scores of units that are never
    inserted are estimates, as for `DeletionPath`.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(6, names="it is not bad at all".split())
    >>> v = lc.Game(lambda kept: kept[:, 3] * (3.0 * kept[:, 2] - 1), 6)
    >>> e = lc.InsertionPath(budget=24, flip_above=1.5).explain(v, g)
    >>> [g.names[i] for i in e.flip_set]
    ['not', 'bad']
    """

    flip_above: float | None = None
    name: ClassVar[str] = "insertion-path"
    summary: ClassVar[str] = "A greedy path from the empty input that finds the units that alone raise the value most."
    caution: ClassVar[str] = (
        "The order of an insertion path is meant for keeping units. When the first units are removed, it is among the "
        "worst of the methods compared in docs/benchmarks.md."
    )
    choose: ClassVar[str] = (
        "Choose it for the shortest extract with the same prediction as the full input, if the model can handle "
        f"short inputs. {caution}"
    )
    from_full: ClassVar[bool] = False

    @property
    def threshold(self) -> float | None:
        """The value above which the decision is made."""
        return self.flip_above


def _explain_path(method: _PathMethod, search: PathSearch, game: AbstractGame) -> PathExplanation:
    graph = search.graph
    path = search.path
    unmoved = sorted(set(range(graph.d)).difference(path), key=lambda i: (-search.expected_gains[i,], i))
    order = np.array(path + unmoved, np.intp)
    empty, full = search.empty_and_full_values
    with np.errstate(over="ignore", invalid="ignore"):
        scores = _scores(search, order, len(path))
    check_scores(scores, np.concatenate([search.empty_and_full_values.ravel(), np.ravel(search.values)]))
    return PathExplanation(
        scores=scores,
        base_value=float(empty) if empty.ndim == 0 else empty,
        full_value=float(full) if full.ndim == 0 else full,
        graph=graph,
        calls=len(search.answers),
        path=np.array(path, np.intp),
        path_values=np.array(search.values),
        order=order,
        flipped=search.flipped,
        flip_set=search.flip_set,
        rounds=search.rounds,
        provenance={**provenance(method, graph, game), "caution": method.caution},
    )


def _scores(search: PathSearch, order: NDArray[np.intp], moved: int) -> NDArray[np.float64]:
    """Scores whose order is the path; those of the other outputs are pooled over the same blocks."""
    values = np.array(search.values)
    marginals = search.marginals(values[1:], values[:-1])
    estimates = np.array([search.expected_gains[i,] for i in order[moved:].tolist()])
    steering_scores, blocks = path_scores(order, search.steering_values(marginals), estimates)
    scores = search.last_marginals.copy()
    if scores.ndim == 1:
        scores[order] = steering_scores
    else:
        scores[order[:moved]] = block_means(marginals, blocks)
        scores[order, search.method.output] = steering_scores
    return scores
