"""Deletion and insertion paths: the units in the order in which they should go, or come, to change the value most."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..adaptive import Memo, Program, Stopped, drive, evaluate_games
from ..coalitions import Coalitions
from ..errors import GameError, MethodError
from ..explanation import Explanation, versions
from ..game import Game
from ..graphs import Graph
from ..plan import MAX_CALLS, Plan, check_calls
from .base import Method, check_count

Values = NDArray[np.float64]
Window = tuple[int, ...]

# Tuned on texts of 50 and 200 words and on 784 pixels at 4 calls a unit (benchmarks/paths.py); flat around the optimum.
_EXPLORE = 0.4  # the share of a round's calls for units that have not been looked at for long
_GROW = 0.2  # a round moves this share of the units moved before it, or one: late steps matter less than early ones
_DRIFT = 4.0  # by how much marginals may all grow or shrink from one round to the next
_JOINT = 0.5  # a window is more than its units if this share of its gain is not theirs


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PathExplanation(Explanation):
    """Scores along a path.

    Attributes
    ----------
    path : the units that were moved (removed or inserted), first to last.
    path_values : v before the first and after each of them, `(len(path) + 1,)` or `(len(path) + 1, outputs)`.
    order : all units: the path, then the others by their last known marginal, on the scale of the path's end.
    flipped : whether the path crossed the threshold; None where none was asked for.
    flip_set : the smallest set found whose move alone crosses it; None where none was found.
    rounds : how often the game was asked: what counts where coalitions of one batch are evaluated at the same time.
    """

    path: NDArray[np.intp]
    path_values: Values
    order: NDArray[np.intp]
    flipped: bool | None = None
    flip_set: Window | None = None
    rounds: int = 0

    @property
    def ranking(self) -> NDArray[np.intp]:
        """The order of the path (see `order`), which the scores alone do not tell; the same for all outputs."""
        if self.scores.ndim == 1:
            return self.order
        return np.repeat(self.order[:, None], self.scores.shape[1], axis=1)


@dataclass(frozen=True)
class _Path(Method):
    """What both paths share. `_from_full` says at which end they start."""

    budget: int
    share: float = 0.2
    window: int = 3
    output: int = 0

    _from_full: ClassVar[bool]

    def __post_init__(self) -> None:
        check_count("budget", self.budget, least=1)
        check_count("window", self.window, least=1)
        check_count("output", self.output)
        if not 0 < self.share <= 1:
            raise MethodError(f"share must be above 0 and at most 1, not {self.share!r}")
        if self._threshold is not None and not math.isfinite(self._threshold):
            raise MethodError(f"a threshold must be a finite number, not {self._threshold!r}")

    @property
    @abstractmethod
    def _threshold(self) -> float | None:
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

    def _search(self, game: Game, graph: Graph) -> _Search:
        if game.d != graph.d:
            raise GameError(f"the game has {game.d} units, the graph {graph.d}")
        least = min(graph.d + 2, 2**graph.d)
        if self.budget < least:
            raise MethodError(
                f"a budget of {self.budget} is too small: {self.name} on {graph.d} units needs {least} calls at least "
                "(the empty and the full coalition, and one for each unit)"
            )
        return _Search(self, graph)


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
    >>> e = DeletionPath(budget=24).explain(v, g)
    >>> [g.names[i] for i in e.path[:3]], e.path_values[:4]
    (['bad', 'very', 'very'], array([3., 2., 2., 0.]))
    """

    flip_below: float | None = None
    name: ClassVar[str] = "deletion-path"
    _from_full: ClassVar[bool] = True

    @property
    def _threshold(self) -> float | None:
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
    >>> e = InsertionPath(budget=24, flip_above=1.5).explain(v, g)
    >>> [g.names[i] for i in e.flip_set]
    ['not', 'bad']
    """

    flip_above: float | None = None
    name: ClassVar[str] = "insertion-path"
    _from_full: ClassVar[bool] = False

    @property
    def _threshold(self) -> float | None:
        return self.flip_above


class _Search:
    """One path on its way. Units are *moved*: removed from V, or inserted into ∅; gains are what the path looks for."""

    def __init__(self, method: _Path, graph: Graph) -> None:
        self.method, self.graph, self.memo = method, graph, Memo()
        self.sign = -1.0 if method._from_full else 1.0
        self.path: list[int] = []
        self.values: list[Values] = []  # v along the path
        self.scores: Values = np.empty(0)  # the last known marginal of each unit, all outputs
        self.pool: dict[Window, float] = {}  # what moving a window is thought to gain: single units, and joint effects
        self.age = np.zeros(graph.d, np.int64)  # rounds since a unit was looked at
        self.joint: set[Window] = set()  # the edges that have been moved together
        self.ends: Values = np.empty(0)  # v(∅) and v(V)
        self.flip_set: Window | None = None
        self.rounds = 0
        self.looks = 0  # rounds since the last move
        self.seen: set[Window] = set()  # the windows that have been looked at
        self.goal = max(1, round(method.share * graph.d))

    # -- the program --------------------------------------------------------------------------------------------------

    def program(self) -> Program[_Search]:
        """Walk until the budget is used or the threshold crossed. Stopped on the way, return what there is."""
        try:
            yield from self._start()
            going = True
            while going and len(self.path) < self.graph.d and not self.flipped:
                going = yield from self._advance()
            if self.flipped:
                yield from self._shrink()
        except Stopped:
            if not self.values:
                raise
        return self

    @property
    def left(self) -> int:
        """The calls that may still be made."""
        return self.method.budget - self.memo.calls

    @property
    def flipped(self) -> bool:
        """Whether the value after the last move is beyond the threshold."""
        return self._beyond(self.values[-1])

    def _beyond(self, value: Values) -> bool:
        threshold = self.method._threshold
        return threshold is not None and bool(self.sign * (self._steer(value) - threshold) > 0)

    def _steer(self, values: Values) -> Any:
        return values[..., self.method.output] if self.scores.ndim == 2 else values

    def _marginals(self, after: Values, before: Values) -> Values:
        return before - after if self.method._from_full else after - before

    def _ask(self, moves: Sequence[Sequence[int]], context: Sequence[int] = ()) -> Program[Values]:
        """The values after moves on top of a context, as many as the calls left allow (known ones cost nothing)."""
        moved = Coalitions.from_sets(self.graph.d, moves)
        if context:
            mask = moved.dense()
            mask[:, list(context)] = True
            moved = Coalitions.from_dense(mask)
        request = replace(moved, removed=np.full(len(moves), self.method._from_full))
        new, calls = self.memo.new(request), self.memo.calls
        values = yield request[: new[self.left]] if len(new) > self.left else request
        self.rounds += self.memo.calls > calls
        return values

    def _start(self) -> Program[None]:
        d = self.graph.d
        values = yield from self._ask([[], list(range(d)), *([i] for i in range(d))])
        if values.ndim == 2 and self.method.output >= values.shape[1]:
            raise MethodError(f"output {self.method.output} of a game that has {values.shape[1]} outputs")
        self.ends = values[1::-1] if self.method._from_full else values[:2]
        self.scores = self._marginals(values[2:], values[0])
        self.pool = {(i,): gain for i, gain in enumerate(self._steer(self.scores).tolist())}
        self.values = [values[0]]

    # -- a round ------------------------------------------------------------------------------------------------------

    def _advance(self) -> Program[bool]:
        """Look at some windows in the present context, and move the best. False once the budget is used."""
        windows = self._choose()
        values = yield from self._ask(windows, self.path)
        if not len(values):
            return False
        windows = windows[: len(values)]
        marginals = self._marginals(values, self.values[-1])
        gains = dict(zip(windows, self._steer(marginals).tolist(), strict=True))
        for window, marginal in zip(windows, marginals, strict=True):
            if len(window) == 1:
                self.scores[window[0]] = marginal
        ranked = sorted(gains, key=lambda w: (-gains[w] / len(w), len(w), w))
        self._learn(gains)
        # A large window that leads at first sight may have a unit without a part in it: look again before it moves.
        unclear = any(part in self.pool and part not in gains for part in _parts(ranked[0]))
        if unclear and self.looks < self.method.window - 2 and self.left:
            self.looks += 1
            return True
        self.looks = 0
        units = self._best([w for w in ranked if len(w) - 1 <= self.left])  # each unit on the way may cost a call
        yield from self._move(units)
        return bool(units)

    def _choose(self) -> list[Window]:
        """The leading windows of the pool, and new ones around the units that were not looked at for longest."""
        calls = self._calls()
        explore = int(_EXPLORE * calls)
        leaders = sorted(self.pool, key=lambda w: (-self.pool[w] / len(w), len(w), w))[: max(1, calls - explore)]
        taken = {i for w in leaders for i in w if len(w) == 1}
        free = [i for i in range(self.graph.d) if (i,) in self.pool]
        seeds = sorted(free, key=lambda i: (i in taken, -self.age[i], -self.pool[i,], i))
        found: dict[Window, None] = dict.fromkeys(leaders)
        used: set[int] = set()
        for again in (False, True):  # first windows side by side; then, if calls are left, over edges between them
            for seed in seeds:
                if len(found) >= len(leaders) + explore:
                    return list(found)
                window = self._grow(seed, used, again) if again or seed not in used else ()
                if len(window) > again:
                    used.update(window)
                    found.setdefault(window)
        return list(found)

    def _grow(self, seed: int, used: set[int], again: bool) -> Window:
        """A connected window around a unit, over edges not tried before where there are any."""
        window = [seed]
        while len(window) < self.method.window:
            border = [
                (_edge(i, j) in self.joint, -self.age[j], -self.pool[j,], j, i)
                for i in window
                for j in self.graph.neighbours(i)
                if (j,) in self.pool and j not in window and not (_edge(i, j) in self.joint if again else j in used)
            ]
            if not border:
                break
            *_, unit, beside = min(border)
            self.joint.add(_edge(unit, beside))
            window.append(unit)
        return tuple(sorted(window))

    def _calls(self) -> int:
        """The calls of this round: an even share of what is left, after one for each further unit that moves."""
        goal = self.goal if len(self.path) < self.goal else self.graph.d
        at, rounds = len(self.path), 0
        while at < goal:
            at += _stride(at)
            rounds += 1
        return max(1, (self.left - (goal - len(self.path) - rounds)) // rounds)

    def _learn(self, gains: dict[Window, float]) -> None:
        """Bring the pool up to date.

        Where the model saturates, all marginals grow or shrink together along the path. Those not asked for in this
        round are scaled by what was seen of the others, or they would be taken for larger or smaller than they are.
        """
        seen = [(gain, self.pool[w]) for w, gain in gains.items() if w in self.pool]
        drift = sum(a * b for a, b in seen) / (sum(b * b for _, b in seen) or math.inf)
        drift = min(max(drift, 1 / _DRIFT), _DRIFT) if self.path and not self.looks else 1.0
        self.pool = {w: gain * drift for w, gain in self.pool.items()}
        self.age += 1
        for window, gain in sorted(gains.items(), key=lambda item: len(item[0])):
            surplus = gain - sum(self.pool[i,] for i in window)
            self.age[list(window)] = 0
            for i in window:
                if len(window) == 1 or (i,) not in gains:
                    self.pool[i,] += surplus / len(window)
            if len(window) > 1:
                self._learn_joint(window, gain, surplus)

    def _learn_joint(self, window: Window, gain: float, surplus: float) -> None:
        if surplus <= _JOINT * gain:
            self.pool.pop(window, None)
            return
        self.pool[window] = gain
        for part in _parts(window) if window not in self.seen else ():  # perhaps one unit has no part in it
            self.pool.setdefault(part, gain)
        self.seen.add(window)

    def _best(self, ranked: list[Window]) -> list[int]:
        """The units to move: the first windows, none overlapping; within a window by their own gain."""
        units: list[int] = []
        for window in ranked:
            if units and len(units) + len(window) > _stride(len(self.path)):
                break
            if not set(units) & set(window):
                units += sorted(window, key=lambda i: (-self.pool[i,], i))
        return units

    def _move(self, units: list[int]) -> Program[None]:
        """Move units one by one, so that each has its marginal in the context in which it went."""
        values = yield from self._ask([units[: n + 1] for n in range(len(units))], self.path)
        for unit, value in zip(units, values, strict=False):
            self.scores[unit] = self._marginals(value, self.values[-1])
            self.path.append(unit)
            self.values.append(value)
            if self.flipped:
                break
        gone = set(self.path)
        self.pool = {w: gain for w, gain in self.pool.items() if gone.isdisjoint(w)}

    # -- the smallest set that flips ----------------------------------------------------------------------------------

    def _shrink(self) -> Program[None]:
        """Take units out of the path, as long as what is left still crosses the threshold."""
        flip = list(self.path)
        self.flip_set = tuple(sorted(flip))
        while flip:
            # Those with small scores are the likeliest to be unnecessary: should the budget end, they were tried.
            spare = sorted(flip, key=lambda i: (self._steer(self.scores[i]), i))
            values = yield from self._ask([[j for j in flip if j != i] for i in spare])
            margins = self.sign * self._steer(values)
            if not len(values) or not self._beyond(values[int(margins.argmax())]):
                return
            flip.remove(spare[int(margins.argmax())])
            self.flip_set = tuple(sorted(flip))


def _parts(window: Window) -> list[Window]:
    """A window without one of its units, where that leaves two or more."""
    return [tuple(j for j in window if j != i) for i in window] if len(window) > 2 else []


def _edge(i: int, j: int) -> Window:
    return (i, j) if i < j else (j, i)


def _stride(moved: int) -> int:
    """How many units a round moves."""
    return max(1, int(_GROW * moved))


def _explanation(method: _Path, search: _Search, game: Game, error: BaseException | None) -> PathExplanation:
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
        flipped=None if method._threshold is None else search.flipped,
        flip_set=search.flip_set,
        rounds=search.rounds,
        provenance={
            "method": str(method),
            "name": method.name,
            "parameters": method.parameters,
            "graph": repr(graph),
            "graph_key": graph.key,
            "batch_size": game.rows,
            "versions": versions(),
            "interrupted": error is not None,
        },
    )
