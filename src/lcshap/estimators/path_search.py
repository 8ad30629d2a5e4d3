"""The search for the deletion and the insertion path, which are one algorithm from opposite ends."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.programs import Program
from ..core.store import Answers
from ..core.store_keys import set_keys
from ..errors import MethodError

Values = NDArray[np.float64]
Window = tuple[int, ...]
DecisionTest = Callable[[Coalitions], NDArray[np.bool_] | None]

# These were tuned on texts of 50 and 200 words and on 784 pixels at 4 calls per unit, with benchmarks/paths.py.
_EXPLORED_SHARE = 0.4  # the share of a round's calls for units that were not evaluated for long
_STRIDE_SHARE = 0.2  # a round moves this share of the units moved so far, at least one, because late steps matter less
_MAX_DRIFT = 4.0  # the largest factor by which all marginals may grow or shrink from one round to the next
_MIN_JOINT_SHARE = 0.5  # a window has a joint effect if its units alone do not explain more than this share of its gain
_SHRINK_DIVISOR = 4  # this fraction of the remaining calls makes the set that changes the decision smaller


class PathSettings(Protocol):
    """The parameters of a path method that the search uses."""

    @property
    def budget(self) -> int:
        """The largest number of calls."""

    @property
    def path_share(self) -> float:
        """The share of the path for which the calls are used."""

    @property
    def window(self) -> int:
        """The largest number of units in a window."""

    @property
    def output(self) -> int:
        """The output that determines the path."""

    @property
    def from_full(self) -> bool:
        """Whether units are removed from V, and not inserted into ∅."""

    @property
    def threshold(self) -> float | None:
        """The value at which to stop; None if the decision, if there is one, is that of the model."""


def no_decision(coalitions: Coalitions) -> None:
    """The answer of a game without a decision: None."""


class PathSearch:
    """The search for one path. Units are *moved* (removed from V, or inserted into ∅), those with large gains first.

    `decision_unchanged` returns for each coalition whether the decision is that of the full input, or None if there is
    no decision. It is called only with coalitions that have been evaluated.
    """

    def __init__(
        self,
        method: PathSettings,
        graph: Graph,
        decision_unchanged: DecisionTest = no_decision,
        deadline: float | None = None,
    ) -> None:
        self.deadline = deadline
        self.method, self.graph, self.decision_unchanged, self.answers = method, graph, decision_unchanged, Answers()
        self.sign = -1.0 if method.from_full else 1.0
        self.path: list[int] = []
        self.values: list[Values] = []  # v along the path
        self.last_marginals: Values = np.empty(0)  # the last known marginal of each unit, all outputs
        self.expected_gains: dict[Window, float] = {}  # the expected gain of moving a unit, or several together
        self.rounds_since_evaluation = np.zeros(graph.d, np.int64)  # rounds since a unit was evaluated
        self.tried_edges: set[Window] = set()  # the edges that have been moved together
        self.empty_and_full_values: Values = np.empty(0)  # the base value and the full value
        self.has_decision = False  # whether there is a decision that can flip
        self.flip_set: Window | None = None
        self.rounds = 0
        self.rounds_since_move = 0  # rounds since the last move
        self.evaluated_windows: set[Window] = set()  # the windows that have been evaluated
        self.goal = max(1, round(method.path_share * graph.d))

    # -- the program --------------------------------------------------------------------------------------------------

    def program(self) -> Program[PathSearch]:
        """Extend the path until the budget is used or the threshold is crossed.

        A change of the model's decision does not end the path: the set is made smaller with some of the remaining
        calls, and the path goes on. Calls that remain at the end of the path are used to make the set smaller as well.
        """
        yield from self._start()
        going = True
        while going and len(self.path) < self.graph.d and not self._crossed_threshold:
            going = yield from self._advance()
        yield from self._shrink(self.remaining_calls)
        return self

    @property
    def remaining_calls(self) -> int:
        """The number of calls that may still be made; 0 after the deadline."""
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return 0
        return self.method.budget - len(self.answers)

    @property
    def flipped(self) -> bool | None:
        """Whether the decision has changed on the path; None if there is no decision."""
        return self.flip_set is not None if self.has_decision else None

    @property
    def _crossed_threshold(self) -> bool:
        return self.method.threshold is not None and self.flip_set is not None

    def _flips(self, values: Values, moves: Sequence[Sequence[int]], context: Sequence[int] = ()) -> NDArray[np.bool_]:
        """After which of these moves the value is beyond the threshold, or the decision of the model has changed."""
        threshold = self.method.threshold
        if threshold is not None:
            return np.asarray(self.sign * (self.steering_values(values) - threshold) > 0)
        decision_unchanged = (
            self.decision_unchanged(self._request(moves, context)) if self.has_decision and len(values) else None
        )
        return (
            np.zeros(len(values), bool) if decision_unchanged is None else decision_unchanged != self.method.from_full
        )

    def steering_values(self, values: Values) -> Any:
        """The values of the output that determines the path."""
        return values[..., self.method.output] if self.last_marginals.ndim == 2 else values

    def marginals(self, after: Values, before: Values) -> Values:
        """The contributions of units that were moved between these values."""
        with np.errstate(over="ignore"):  # an error is raised at the end if scores are not finite
            return before - after if self.method.from_full else after - before

    def _request(self, moves: Sequence[Sequence[int]], context: Sequence[int] = ()) -> Coalitions:
        """The coalitions after each of these moves, in addition to those of a context."""
        moved = Coalitions.from_sets(self.graph.d, moves)
        if context:
            mask = moved.dense()
            mask[:, list(context)] = True
            moved = Coalitions.from_dense(mask)
        return replace(moved, removed=np.full(len(moves), self.method.from_full))

    def _ask(
        self, moves: Sequence[Sequence[int]], context: Sequence[int] = (), max_calls: int | None = None
    ) -> Program[Values]:
        """The values after the first of these moves, as many as `max_calls` or all remaining calls allow."""
        request, limit = self._request(moves, context), self.remaining_calls if max_calls is None else max_calls
        keys = set_keys(request)
        new_positions = self.answers.missing_positions(keys)
        if len(new_positions) > limit:
            keys, new_positions = keys[: new_positions[limit]], new_positions[:limit]
        if len(new_positions):
            answers = yield request.take(new_positions)
            self.answers.add([keys[i] for i in new_positions], answers)
            self.rounds += 1
        return self.answers.look_up(keys)

    def _start(self) -> Program[None]:
        d = self.graph.d
        values = yield from self._ask([[], list(range(d)), *([i] for i in range(d))], max_calls=self.method.budget)
        if values.ndim == 2 and self.method.output >= values.shape[1]:
            raise MethodError(
                f"Expected an output from 0 to {values.shape[1] - 1} of the game, got {self.method.output}."
            )
        self.empty_and_full_values = values[1::-1] if self.method.from_full else values[:2]
        self.last_marginals = self.marginals(values[2:], values[0])
        self.expected_gains = {(i,): gain for i, gain in enumerate(self.steering_values(self.last_marginals).tolist())}
        self.values = [values[0]]
        self.has_decision = (
            self.method.threshold is not None or self.decision_unchanged(self._request([[]])) is not None
        )
        if self._flips(values[:1], [[]])[0]:
            self.flip_set = ()

    # -- a round ------------------------------------------------------------------------------------------------------

    def _advance(self) -> Program[bool]:
        """Evaluate some windows in the present context, and move the best. Returns False when the budget is used."""
        windows = self._choose_windows()
        values = yield from self._ask(windows, self.path)
        if not len(values):
            return False
        windows = windows[: len(values)]
        marginals = self.marginals(values, self.values[-1])
        gains = dict(zip(windows, self.steering_values(marginals).tolist(), strict=True))
        for window, marginal in zip(windows, marginals, strict=True):
            if len(window) == 1:
                self.last_marginals[window[0]] = marginal
        ranked = sorted(gains, key=lambda w: (-gains[w] / len(w), len(w), w))
        self._learn(gains)
        # A large window with the largest gain may have a unit that adds nothing: evaluate its subwindows before it
        # moves.
        unclear = any(
            subwindow in self.expected_gains and subwindow not in gains for subwindow in _subwindows(ranked[0])
        )
        if unclear and self.rounds_since_move < self.method.window - 2 and self.remaining_calls:
            self.rounds_since_move += 1
            return True
        self.rounds_since_move = 0
        # Each unit of a window but the last may cost a call when it is moved.
        units = self._best_units([w for w in ranked if len(w) - 1 <= self.remaining_calls])
        before = self.flip_set
        yield from self._move(units)
        if self.flip_set != before and not self._crossed_threshold:
            yield from self._shrink(self.remaining_calls // _SHRINK_DIVISOR)
        return bool(units)

    def _choose_windows(self) -> list[Window]:
        """The windows of largest expected gain, and new ones around the units that were not evaluated for longest."""
        calls = self._count_round_calls()
        explore = int(_EXPLORED_SHARE * calls)
        leaders = sorted(self.expected_gains, key=lambda w: (-self.expected_gains[w] / len(w), len(w), w))[
            : max(1, calls - explore)
        ]
        taken = {i for w in leaders for i in w if len(w) == 1}
        free = [i for i in range(self.graph.d) if (i,) in self.expected_gains]
        seeds = sorted(free, key=lambda i: (i in taken, -self.rounds_since_evaluation[i], -self.expected_gains[i,], i))
        windows: dict[Window, None] = dict.fromkeys(leaders)
        used: set[int] = set()
        for allow_overlap in (
            False,
            True,
        ):  # first disjoint windows; then, if calls remain, windows that overlap others
            for seed in seeds:
                if len(windows) >= len(leaders) + explore:
                    return list(windows)
                window = self._grow(seed, used, allow_overlap) if allow_overlap or seed not in used else ()
                if len(window) > allow_overlap:
                    used.update(window)
                    windows.setdefault(window)
        return list(windows)

    def _grow(self, seed: int, used: set[int], allow_overlap: bool) -> Window:
        """A connected window around a unit, preferably over edges that were not tried before."""
        window = [seed]
        while len(window) < self.method.window:
            border = [
                (_edge(i, j) in self.tried_edges, -self.rounds_since_evaluation[j], -self.expected_gains[j,], j, i)
                for i in window
                for j in self.graph.neighbours(i)
                if (j,) in self.expected_gains
                and j not in window
                and not (_edge(i, j) in self.tried_edges if allow_overlap else j in used)
            ]
            if not border:
                break
            *_, unit, beside = min(border)
            self.tried_edges.add(_edge(unit, beside))
            window.append(unit)
        return tuple(sorted(window))

    def _count_round_calls(self) -> int:
        """The calls of this round: an even share of the remaining calls, less one for each further unit that moves."""
        goal = self.goal if len(self.path) < self.goal else self.graph.d
        moved, rounds = len(self.path), 0
        while moved < goal:
            moved += _stride(moved)
            rounds += 1
        return max(1, (self.remaining_calls - (goal - len(self.path) - rounds)) // rounds)

    def _learn(self, gains: dict[Window, float]) -> None:
        """Update the expected gains.

        If the model saturates, all marginals grow or shrink together along the path. Those that were not evaluated
        in this round are scaled by the change of the others, so that both stay comparable.
        """
        gain_pairs = [(gain, self.expected_gains[w]) for w, gain in gains.items() if w in self.expected_gains]
        drift = sum(a * b for a, b in gain_pairs) / (sum(b * b for _, b in gain_pairs) or math.inf)
        drift = min(max(drift, 1 / _MAX_DRIFT), _MAX_DRIFT) if self.path and not self.rounds_since_move else 1.0
        self.expected_gains = {w: gain * drift for w, gain in self.expected_gains.items()}
        self.rounds_since_evaluation += 1
        for window, gain in sorted(gains.items(), key=lambda item: len(item[0])):
            surplus = gain - sum(self.expected_gains[i,] for i in window)
            self.rounds_since_evaluation[list(window)] = 0
            for i in window:
                if len(window) == 1 or (i,) not in gains:
                    self.expected_gains[i,] += surplus / len(window)
            if len(window) > 1:
                self._learn_joint(window, gain, surplus)

    def _learn_joint(self, window: Window, gain: float, surplus: float) -> None:
        if surplus <= _MIN_JOINT_SHARE * gain:
            self.expected_gains.pop(window, None)
            return
        self.expected_gains[window] = gain
        for subwindow in (
            _subwindows(window) if window not in self.evaluated_windows else ()
        ):  # a smaller window is evaluated too, because a unit may add nothing
            self.expected_gains.setdefault(subwindow, gain)
        self.evaluated_windows.add(window)

    def _best_units(self, ranked: list[Window]) -> list[int]:
        """The units to move: those of the first windows that do not overlap; within a window by their own gain."""
        units: list[int] = []
        for window in ranked:
            if units and len(units) + len(window) > _stride(len(self.path)):
                break
            if not set(units) & set(window):
                units += sorted(window, key=lambda i: (-self.expected_gains[i,], i))
        return units

    def _move(self, units: list[int]) -> Program[None]:
        """Move units one by one, so that the marginal of each is known in the context in which it was moved."""
        moves = [units[: n + 1] for n in range(len(units))]
        values = yield from self._ask(moves, self.path)
        flips = self._flips(values, moves[: len(values)], self.path)
        for unit, value, flip in zip(units, values, flips, strict=False):
            self.last_marginals[unit] = self.marginals(value, self.values[-1])
            self.path.append(unit)
            self.values.append(value)
            if flip and self.flip_set is None:
                self.flip_set = tuple(sorted(self.path))
            if self._crossed_threshold:
                break
        moved = set(self.path)
        self.expected_gains = {w: gain for w, gain in self.expected_gains.items() if moved.isdisjoint(w)}

    # -- the smallest set that flips ----------------------------------------------------------------------------------

    def _shrink(self, calls: int) -> Program[None]:
        """Remove units from the set that changes the decision as long as it still does, with at most so many calls."""
        call_limit = len(self.answers) + calls
        while self.flip_set:
            # Units with small marginals are most likely unnecessary, so they are tried first, in case the calls end.
            candidates = sorted(self.flip_set, key=lambda i: (self.steering_values(self.last_marginals[i]), i))
            smaller = [tuple(j for j in self.flip_set if j != i) for i in candidates]
            values = yield from self._ask(smaller, max_calls=min(self.remaining_calls, call_limit - len(self.answers)))
            if not len(values):
                return
            flips = np.flatnonzero(self._flips(values, smaller[: len(values)]))
            if not len(flips):
                return
            self.flip_set = smaller[flips[(self.sign * self.steering_values(values[flips])).argmax()]]


def _subwindows(window: Window) -> list[Window]:
    """The windows without one of the units, if at least two units remain."""
    return [tuple(j for j in window if j != i) for i in window] if len(window) > 2 else []


def _edge(i: int, j: int) -> Window:
    return (i, j) if i < j else (j, i)


def _stride(moved: int) -> int:
    """The number of units that a round moves."""
    return max(1, int(_STRIDE_SHARE * moved))
