"""The search behind the deletion and the insertion path: one algorithm, read from either end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.adaptive import Program
from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.keys import set_keys
from ..core.store import Answers
from ..errors import MethodError

Values = NDArray[np.float64]
Window = tuple[int, ...]
Stands = Callable[[Coalitions], NDArray[np.bool_] | None]

# Tuned on texts of 50 and 200 words and on 784 pixels at 4 calls a unit (benchmarks/paths.py); flat around the optimum.
_EXPLORE = 0.4  # the share of a round's calls for units that have not been looked at for long
_GROW = 0.2  # a round moves this share of the units moved before it, or one: late steps matter less than early ones
_DRIFT = 4.0  # by how much marginals may all grow or shrink from one round to the next
_JOINT = 0.5  # a window is more than its units if this share of its gain is not theirs
_SHRINK = 4  # one in so many of the calls left goes into the smallest set that changes the decision, once it changes


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
        """The value at which to stop; None where the decision, if there is one, is the model's."""


def no_decision(coalitions: Coalitions) -> None:
    """What a game without a decision says."""


class PathSearch:
    """One path on its way. Units are *moved*: removed from V, or inserted into ∅; gains are what the path looks for.

    `stands` says on which coalitions the decision of the full input still stands, or None where there is no decision.
    It is asked about coalitions only whose values are known.
    """

    def __init__(
        self, method: Settings, graph: Graph, stands: Stands = no_decision, deadline: float | None = None
    ) -> None:
        self.deadline = deadline
        self.method, self.graph, self.stands, self.memo = method, graph, stands, Answers()
        self.sign = -1.0 if method.from_full else 1.0
        self.path: list[int] = []
        self.values: list[Values] = []  # v along the path
        self.last: Values = np.empty(0)  # the last known marginal of each unit, all outputs
        self.pool: dict[Window, float] = {}  # what moving a window is thought to gain: single units, and joint effects
        self.age = np.zeros(graph.d, np.int64)  # rounds since a unit was looked at
        self.joint: set[Window] = set()  # the edges that have been moved together
        self.ends: Values = np.empty(0)  # v(∅) and v(V)
        self.decides = False  # whether there is a decision that can flip
        self.flip_set: Window | None = None
        self.rounds = 0
        self.looks = 0  # rounds since the last move
        self.seen: set[Window] = set()  # the windows that have been looked at
        self.goal = max(1, round(method.share * graph.d))

    # -- the program --------------------------------------------------------------------------------------------------

    def program(self) -> Program[PathSearch]:
        """Walk until the budget is used or the threshold crossed.

        A decision of the model's that flips does not end the path: the set is made smaller with a part of the calls
        left, and the path goes on. Calls that are left at the end of the path are used on the set as well.
        """
        yield from self._start()
        going = True
        while going and len(self.path) < self.graph.d and not self._crossed_threshold:
            going = yield from self._advance()
        yield from self._shrink(self.left)
        return self

    @property
    def left(self) -> int:
        """The calls that may still be made; none after the deadline."""
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return 0
        return self.method.budget - len(self.memo)

    @property
    def flipped(self) -> bool | None:
        """Whether the decision has flipped on the path; None where there is none."""
        return self.flip_set is not None if self.decides else None

    @property
    def _crossed_threshold(self) -> bool:
        return self.method.threshold is not None and self.flip_set is not None

    def _flips(self, values: Values, moves: Sequence[Sequence[int]], context: Sequence[int] = ()) -> NDArray[np.bool_]:
        """After which of these moves the value is beyond the threshold, or the model's decision another."""
        threshold = self.method.threshold
        if threshold is not None:
            return np.asarray(self.sign * (self.steer(values) - threshold) > 0)
        stands = self.stands(self._request(moves, context)) if self.decides and len(values) else None
        return np.zeros(len(values), bool) if stands is None else stands != self.method.from_full

    def steer(self, values: Values) -> Any:
        """The values of the output that steers."""
        return values[..., self.method.output] if self.last.ndim == 2 else values

    def marginals(self, after: Values, before: Values) -> Values:
        """What units contributed that were moved between these values."""
        with np.errstate(over="ignore"):  # scores that are not finite are refused in the end
            return before - after if self.method.from_full else after - before

    def _request(self, moves: Sequence[Sequence[int]], context: Sequence[int] = ()) -> Coalitions:
        """What is there after moves on top of a context."""
        moved = Coalitions.from_sets(self.graph.d, moves)
        if context:
            mask = moved.dense()
            mask[:, list(context)] = True
            moved = Coalitions.from_dense(mask)
        return replace(moved, removed=np.full(len(moves), self.method.from_full))

    def _ask(
        self, moves: Sequence[Sequence[int]], context: Sequence[int] = (), most: int | None = None
    ) -> Program[Values]:
        """The values after the first of these moves, as many as `most` calls pay for, or all calls left."""
        request, limit = self._request(moves, context), self.left if most is None else most
        keys = set_keys(request)
        new = self.memo.new(keys)
        if len(new) > limit:
            keys, new = keys[: new[limit]], new[:limit]
        if len(new):
            answers = yield request.take(new)
            self.memo.add([keys[i] for i in new], answers)
            self.rounds += 1
        return self.memo.look_up(keys)

    def _start(self) -> Program[None]:
        d = self.graph.d
        values = yield from self._ask([[], list(range(d)), *([i] for i in range(d))], most=self.method.budget)
        if values.ndim == 2 and self.method.output >= values.shape[1]:
            raise MethodError(
                f"Expected an output from 0 to {values.shape[1] - 1} of the game, got {self.method.output}."
            )
        self.ends = values[1::-1] if self.method.from_full else values[:2]
        self.last = self.marginals(values[2:], values[0])
        self.pool = {(i,): gain for i, gain in enumerate(self.steer(self.last).tolist())}
        self.values = [values[0]]
        self.decides = self.method.threshold is not None or self.stands(self._request([[]])) is not None
        if self._flips(values[:1], [[]])[0]:
            self.flip_set = ()

    # -- a round ------------------------------------------------------------------------------------------------------

    def _advance(self) -> Program[bool]:
        """Look at some windows in the present context, and move the best. False once the budget is used."""
        windows = self._choose()
        values = yield from self._ask(windows, self.path)
        if not len(values):
            return False
        windows = windows[: len(values)]
        marginals = self.marginals(values, self.values[-1])
        gains = dict(zip(windows, self.steer(marginals).tolist(), strict=True))
        for window, marginal in zip(windows, marginals, strict=True):
            if len(window) == 1:
                self.last[window[0]] = marginal
        ranked = sorted(gains, key=lambda w: (-gains[w] / len(w), len(w), w))
        self._learn(gains)
        # A large window that leads at first sight may have a unit without a part in it: look again before it moves.
        unclear = any(part in self.pool and part not in gains for part in _parts(ranked[0]))
        if unclear and self.looks < self.method.window - 2 and self.left:
            self.looks += 1
            return True
        self.looks = 0
        units = self._best([w for w in ranked if len(w) - 1 <= self.left])  # each unit on the way may cost a call
        before = self.flip_set
        yield from self._move(units)
        if self.flip_set != before and not self._crossed_threshold:
            yield from self._shrink(self.left // _SHRINK)
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
        moves = [units[: n + 1] for n in range(len(units))]
        values = yield from self._ask(moves, self.path)
        flips = self._flips(values, moves[: len(values)], self.path)
        for unit, value, flip in zip(units, values, flips, strict=False):
            self.last[unit] = self.marginals(value, self.values[-1])
            self.path.append(unit)
            self.values.append(value)
            if flip and self.flip_set is None:
                self.flip_set = tuple(sorted(self.path))
            if self._crossed_threshold:
                break
        gone = set(self.path)
        self.pool = {w: gain for w, gain in self.pool.items() if gone.isdisjoint(w)}

    # -- the smallest set that flips ----------------------------------------------------------------------------------

    def _shrink(self, calls: int) -> Program[None]:
        """Take units out of the set that flips, as long as it still does, with so many calls at the most."""
        last = len(self.memo) + calls
        while self.flip_set:
            # Those with small marginals are the likeliest to be unnecessary: should the calls end, they were tried.
            spare = sorted(self.flip_set, key=lambda i: (self.steer(self.last[i]), i))
            smaller = [tuple(j for j in self.flip_set if j != i) for i in spare]
            values = yield from self._ask(smaller, most=min(self.left, last - len(self.memo)))
            if not len(values):
                return
            flips = np.flatnonzero(self._flips(values, smaller[: len(values)]))
            if not len(flips):
                return
            self.flip_set = smaller[flips[(self.sign * self.steer(values[flips])).argmax()]]


def _parts(window: Window) -> list[Window]:
    """A window without one of its units, where that leaves two or more."""
    return [tuple(j for j in window if j != i) for i in window] if len(window) > 2 else []


def _edge(i: int, j: int) -> Window:
    return (i, j) if i < j else (j, i)


def _stride(moved: int) -> int:
    """How many units a round moves."""
    return max(1, int(_GROW * moved))
