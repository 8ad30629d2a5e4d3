"""The search behind the deletion and the insertion path: one algorithm, read from either end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.adaptive import Memo, Program, Stopped
from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..errors import MethodError

Values = NDArray[np.float64]
Window = tuple[int, ...]

# Tuned on texts of 50 and 200 words and on 784 pixels at 4 calls a unit (benchmarks/paths.py); flat around the optimum.
_EXPLORE = 0.4  # the share of a round's calls for units that have not been looked at for long
_GROW = 0.2  # a round moves this share of the units moved before it, or one: late steps matter less than early ones
_DRIFT = 4.0  # by how much marginals may all grow or shrink from one round to the next
_JOINT = 0.5  # a window is more than its units if this share of its gain is not theirs


class Settings(Protocol):
    """What a search must know of its method."""

    @property
    def budget(self) -> int:
        """Calls at the most."""

    @property
    def share(self) -> float:
        """The part of the path the calls are spent on."""

    @property
    def window(self) -> int:
        """Units in a window at the most."""

    @property
    def output(self) -> int:
        """The output that steers."""

    @property
    def from_full(self) -> bool:
        """Whether units are removed from V, and not inserted into ∅."""

    @property
    def threshold(self) -> float | None:
        """The value at which to stop."""


class PathSearch:
    """One path on its way. Units are *moved*: removed from V, or inserted into ∅; gains are what the path looks for."""

    def __init__(self, method: Settings, graph: Graph) -> None:
        self.method, self.graph, self.memo = method, graph, Memo()
        self.sign = -1.0 if method.from_full else 1.0
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

    def program(self) -> Program[PathSearch]:
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
        threshold = self.method.threshold
        return threshold is not None and bool(self.sign * (self._steer(value) - threshold) > 0)

    def _steer(self, values: Values) -> Any:
        return values[..., self.method.output] if self.scores.ndim == 2 else values

    def _marginals(self, after: Values, before: Values) -> Values:
        return before - after if self.method.from_full else after - before

    def _ask(self, moves: Sequence[Sequence[int]], context: Sequence[int] = ()) -> Program[Values]:
        """The values after moves on top of a context, as many as the calls left allow (known ones cost nothing)."""
        moved = Coalitions.from_sets(self.graph.d, moves)
        if context:
            mask = moved.dense()
            mask[:, list(context)] = True
            moved = Coalitions.from_dense(mask)
        request = replace(moved, removed=np.full(len(moves), self.method.from_full))
        new, calls = self.memo.new(request), self.memo.calls
        values = yield request[: new[self.left]] if len(new) > self.left else request
        self.rounds += self.memo.calls > calls
        return values

    def _start(self) -> Program[None]:
        d = self.graph.d
        values = yield from self._ask([[], list(range(d)), *([i] for i in range(d))])
        if values.ndim == 2 and self.method.output >= values.shape[1]:
            raise MethodError(f"output {self.method.output} of a game that has {values.shape[1]} outputs")
        self.ends = values[1::-1] if self.method.from_full else values[:2]
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
