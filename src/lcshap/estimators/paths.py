"""Deletion and insertion paths: the units in the order in which they should go, or come, to change the value most."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.adaptive import drive, evaluate_games
from ..core.explanation import PathExplanation
from ..core.game import Game
from ..core.graphs import Graph
from ..core.method import Method, check_count
from ..core.plan import MAX_CALLS, Plan, check_calls
from ..core.run import provenance
from ..errors import GameError, MethodError
from .axioms import Axioms
from .path_search import PathSearch


@dataclass(frozen=True)
class _Path(Method):
    """What both paths share. `from_full` says at which end they start."""

    budget: int
    share: float = 0.2
    window: int = 3
    output: int = 0

    from_full: ClassVar[bool]
    has_plan: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_count("budget", self.budget, least=1)
        check_count("window", self.window, least=1)
        check_count("output", self.output)
        if not 0 < self.share <= 1:
            raise MethodError(f"share must be above 0 and at most 1, not {self.share!r}")
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise MethodError(f"a threshold must be a finite number, not {self.threshold!r}")

    @property
    @abstractmethod
    def threshold(self) -> float | None:
        """The value at which to stop."""

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        raise MethodError(f"{self.name} is adaptive: there is no plan in advance; use explain")

    def explain(self, game: Game, graph: Graph, max_calls: int | None = MAX_CALLS) -> PathExplanation:
        """Follow the path on a game. Ctrl-C ends it early, with what is known by then."""
        return self.explain_many([game], [graph], max_calls)[0]

    def explain_many(
        self, games: Sequence[Game], graphs: Sequence[Graph], max_calls: int | None = MAX_CALLS
    ) -> list[PathExplanation]:
        """Follow the paths of several inputs in the same rounds; each is what `explain` gives.

        If the game fails on the way, the error it raised has the explanations up to there (None for inputs of which
        nothing was known) as the attribute `explanations`.
        """
        check_calls(self.budget, max_calls, exact=True)
        searches = [self._search(game, graph) for game, graph in zip(games, graphs, strict=True)]
        driven = drive([s.program() for s in searches], evaluate_games(games), [s.memo for s in searches])
        found = [
            _explanation(self, search, game, driven.error) if search.values else None
            for search, game in zip(searches, games, strict=True)
        ]
        known = [e for e in found if e is not None]
        interrupted = isinstance(driven.error, KeyboardInterrupt) and len(known) == len(found)
        if driven.error is not None and not interrupted:
            driven.error.explanations = found  # type: ignore[attr-defined]
            raise driven.error
        return known

    def _search(self, game: Game, graph: Graph) -> PathSearch:
        if game.d != graph.d:
            raise GameError(f"the game has {game.d} units, the graph {graph.d}")
        least = min(graph.d + 2, 2**graph.d)
        if self.budget < least:
            raise MethodError(
                f"a budget of {self.budget} is too small: {self.name} on {graph.d} units needs {least} calls at least "
                "(the empty and the full coalition, and one for each unit)"
            )
        return PathSearch(self, graph)


@dataclass(frozen=True)
class DeletionPath(_Path):
    r"""Which units must go for the value to fall? A greedy path from the full input, in the context of what is gone.

    .. math:: \phi(i_t) = v(V \setminus \{i_1 .. i_{t-1}\}) - v(V \setminus \{i_1 .. i_t\}), \qquad
              \sum_{t \le n} \phi(i_t) = v(V) - v(V \setminus \{i_1 .. i_n\})

    It starts with leave-one-out, d + 2 calls. Then, round by round: ask for the marginal contributions of the leading
    units in the present context, and of connected windows of units not looked at for long; remove what gains most per
    unit, one at first and later up to a fifth of what is gone already. Marginals of earlier rounds are put on the scale
    of the present one, which matters where the model saturates. The budget is laid out so that the first `share` of
    the units are removed with it; what a large budget has left continues the path. No randomness; ties go to the lower
    index.

    Parameters
    ----------
    budget : distinct coalitions at the most, ∅ and V included; at least d + 2. About 4 d is enough.
    share : which part of the path the calls are spent on. Smaller: better first steps. Larger: a longer path.
    window : units in a window at the most. Windows find neighbours that stand in for each other ("very very bad"), of
        which no single one matters; one that gains more per unit than any unit alone goes as a whole, its units in the
        order of their own marginals. 1 looks at single units only.
    output : which output steers the path, for a game with several. Scores are given for all.
    flip_below : stop once v is below this value (a log-probability of log 0.5, log-odds of 0), and use what is left of
        the budget to take units out of the set found as long as it still flips: ``e.flip_set``.

    Notes
    -----
    Choose it to ask what the decision hangs on: at equal calls nothing else that we measured lowers the value as fast
    (the paper's masking measure, benchmarks/paths.py). It is not a division of v(V) - v(∅) among the units: of two
    units that say the same, the one that goes last is given everything. Units never removed have the marginal that was
    last known, in the context of fewer removals: use ``e.ranking``, not the order of the scores.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(6, names="a very very bad film indeed".split())
    >>> v = lc.Game(lambda kept: 2.0 * (kept[:, 1] | kept[:, 2]) + kept[:, 3], 6)
    >>> e = lc.DeletionPath(budget=24).explain(v, g)
    >>> [g.names[i] for i in e.path[:3]], e.path_values[:4]
    (['bad', 'very', 'very'], array([3., 2., 2., 0.]))
    """

    flip_below: float | None = None
    name: ClassVar[str] = "deletion-path"
    summary: ClassVar[str] = (
        "Which units must go for the value to fall? A greedy path from the full input, in the context of what is gone."
    )
    choose: ClassVar[str] = (
        "Choose it to ask what the decision hangs on: at equal calls nothing else that we measured lowers the value "
        "as fast."
    )
    cost_in_words: ClassVar[str] = "up to the budget, from d + 2"
    from_full: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> tuple[DeletionPath, ...]:
        """The parameters that the conformance suite runs."""
        return cls(30), cls(12), cls(30, window=1, share=0.5)

    def axioms(self, graph: Graph) -> Axioms:
        """What it promises on this graph."""
        return Axioms(linear=False, planned=False, symmetric=False, monotone=False, efficient="depends")

    @property
    def threshold(self) -> float | None:
        """The value below which the decision has flipped."""
        return self.flip_below


@dataclass(frozen=True)
class InsertionPath(_Path):
    r"""Which units alone suffice? The deletion path from the other end: from nothing, what raises the value most.

    .. math:: \phi(i_t) = v(\{i_1 .. i_t\}) - v(\{i_1 .. i_{t-1}\}), \qquad
              \sum_{t \le n} \phi(i_t) = v(\{i_1 .. i_n\}) - v(\emptyset)

    The algorithm is that of `DeletionPath`, with "remove" read as "insert".

    Parameters
    ----------
    budget, share, window, output : as for `DeletionPath`.
    flip_above : stop once v is above this value, and take out of the set found what it does not need: ``e.flip_set``.

    Notes
    -----
    Choose it for the shortest extract that the model reads like the whole. Start from nothing only where the model
    makes sense of small pieces.

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
    summary: ClassVar[str] = (
        "Which units alone suffice? The deletion path from the other end: from nothing, what raises the value most."
    )
    choose: ClassVar[str] = (
        "Choose it for the shortest extract that the model reads like the whole, where the model makes sense of "
        "small pieces."
    )
    cost_in_words: ClassVar[str] = "up to the budget, from d + 2"
    from_full: ClassVar[bool] = False

    @classmethod
    def examples(cls) -> tuple[InsertionPath, ...]:
        """The parameters that the conformance suite runs."""
        return cls(30), cls(12), cls(30, window=1, share=0.5)

    def axioms(self, graph: Graph) -> Axioms:
        """What it promises on this graph."""
        return Axioms(linear=False, planned=False, symmetric=False, monotone=False, efficient="depends")

    @property
    def threshold(self) -> float | None:
        """The value above which the decision is made."""
        return self.flip_above


def _explanation(method: _Path, search: PathSearch, game: Game, error: BaseException | None) -> PathExplanation:
    graph = search.graph
    path = search.path[: len(search.values) - 1]  # Ctrl-C can come between two lines
    rest = sorted(set(range(graph.d)).difference(path), key=lambda i: (-search.pool.get((i,), math.inf), i))
    empty, full = search.ends
    return PathExplanation(
        scores=search.scores,
        base_value=float(empty) if empty.ndim == 0 else empty,
        full_value=float(full) if full.ndim == 0 else full,
        graph=graph,
        calls=search.memo.calls,
        path=np.array(path, np.intp),
        path_values=np.array(search.values),
        order=np.array(path + rest, np.intp),
        flipped=None if method.threshold is None else search.flipped,
        flip_set=search.flip_set,
        rounds=search.rounds,
        provenance={**provenance(method, graph, game), "interrupted": error is not None},
    )
