"""Budgets: calls, calls per unit, or seconds; and how many calls fit into some seconds."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.coalitions import Coalitions
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.method import Method
from ..errors import BudgetError, PlanTooLargeError

EXACT = 1 << 10  # coalitions: where there are no more, all of them are evaluated unless somebody sets a budget
USUAL = 8  # calls a unit, where there are more
CHEAP = 1.0  # seconds: all coalitions are evaluated too where that takes no longer
_CHEAPEST = (
    1e-6  # seconds a call that no model gets below, so that nobody has to be timed for more calls than CHEAP has
)
_TIMED_SHARE = 0.03  # the part of a budget in seconds that goes into finding out what a call takes
_TIMED_LEAST = 4  # but so many times it is measured, with 2, 4, 8, ... rows: the first calls often load something
_TIMED_ROWS = 512  # and the most rows for it
_STEPS = (2.0, 1.5, 1.2, 1.05)  # how much larger the next plan may be than the last
_RESERVE = 0.97  # aim a little below the budget: models are not perfectly steady
_DIGITS = 15  # more than enough for calls or seconds


@dataclass(frozen=True)
class Budget:
    """What an explanation may take: a number of calls, of calls per unit, or of seconds; or what is usual.

    >>> Budget.read("4d").calls(50), Budget.read(300).calls(50), Budget.read("2.5s").seconds
    (200, 300, 2.5)
    >>> Budget.read(None).calls(9), Budget.read(None).calls(50)  # all 2^9 coalitions; eight calls a unit
    (512, 400)
    """

    amount: float
    unit: str  # "calls", "d", "s" or "usual"

    @classmethod
    def read(cls, budget: Any) -> Budget:
        """From what users write: a number, "4d" or "30s"; None where they write nothing."""
        if budget is None:
            return cls(USUAL, "usual")
        if isinstance(budget, int | np.integer) and not isinstance(budget, bool) and 1 <= budget < 10**_DIGITS:
            return cls(int(budget), "calls")
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(d|s)\s*", budget) if isinstance(budget, str) else None
        if found is None or len(found[1]) > _DIGITS or float(found[1]) <= 0:
            raise BudgetError(
                f"Expected a budget such as 300 (calls), '4d' (calls per unit) or '30s' (seconds), got {budget!r}."
            )
        return cls(float(found[1]), found[2])

    @property
    def seconds(self) -> float | None:
        """The seconds, if it is in seconds."""
        return self.amount if self.unit == "s" else None

    def calls(self, d: int) -> int:
        """The calls, for d units."""
        if self.unit == "s":
            raise BudgetError(
                f"Expected a budget in calls, since there is no model or game to time, got {self.amount:g} s. Give a "
                "number of calls, or calls per unit such as '4d'."
            )
        if self.unit == "usual":
            return max(int(self.amount * d), 2**d if fits(d, EXACT) else 0)
        return int(self.amount * d) if self.unit == "d" else int(self.amount)


def fits(d: int, calls: int) -> bool:
    """Whether all coalitions of d units are no more than so many."""
    return d < calls.bit_length() and 2**d <= calls


def parse_budget(budget: int | str | None, d: int, game: AbstractGame | None = None) -> int:
    """Calls from a number, "4d" or "30s"; for seconds, a few rows of the game are timed. None is what is usual.

    >>> parse_budget("4d", 50), parse_budget("2.5d", 10), parse_budget(300, 50)
    (200, 25, 300)
    """
    read = Budget.read(budget)
    if read.seconds is None or game is None:
        return read.calls(d)
    start = time.monotonic()
    pace = seconds_per_call(game, read.seconds)
    return max(1, int((read.seconds - (time.monotonic() - start)) / pace))


def seconds_per_call(game: AbstractGame, seconds: float) -> float:
    """What a call takes: some coalitions are evaluated, more and more at once, for a small part of the seconds.

    They are those that most methods ask for anyway (all units but one, or one alone) and then random ones. A game with
    a store keeps them, and its tally counts them.
    """
    start, asked, size = time.monotonic(), 0, 2
    some, paces = _timed(game.d), list[float]()
    while asked < len(some):
        part = some[asked : asked + size]
        begin = time.perf_counter()
        game.evaluate(part)
        paces.append((time.perf_counter() - begin) / len(part))
        asked, size = asked + len(part), 2 * size
        spent = time.monotonic() - start
        if spent > (_TIMED_SHARE if len(paces) >= _TIMED_LEAST else 0.5) * seconds:
            break
    return max(min(paces[-2:]), 1e-9)


def is_cheap(game: AbstractGame, some: Coalitions, calls: int) -> bool:
    """Whether so many calls of a game take less than a second, by the time that some of its coalitions take.

    Parameters
    ----------
    some : coalitions that will be evaluated in any case: a game with a store is not asked about them again.
    """
    if calls * _CHEAPEST > CHEAP:
        return False
    some = some.take(np.random.default_rng(0).permutation(len(some)))
    asked, size, paces = 0, 2, list[float]()
    while asked < len(some) and (len(paces) < 2 or min(paces) * calls < 8 * CHEAP):  # larger batches may be faster
        part = some[asked : asked + size]
        begin = time.perf_counter()
        game.evaluate(part)
        paces.append((time.perf_counter() - begin) / len(part))
        asked, size = asked + len(part), 2 * size
    return min(paces) * calls <= CHEAP


@dataclass(frozen=True)
class Fitted:
    """A method that fits into some seconds: `reserve` of them are left for its own work at the end."""

    method: Method
    calls: int
    reserve: float


def fitted(
    make: Callable[[int], Method], graph: Graph, seconds: float, deadline: float, pace: float, first: int
) -> Fitted:
    """The method with as many calls as there is time for until the deadline, its own time included.

    It starts with a small plan and makes larger ones as long as there is time for the next: its own time is taken to
    grow with the third power of the calls. What is planned is solved beforehand, so that little is left to do when the
    values are there.

    Parameters
    ----------
    make : from a number of calls to a method.
    pace : seconds a call.
    first : the calls of the small plan.
    """
    calls = min(int(_RESERVE * (deadline - time.monotonic()) / pace), first)
    method = in_seconds(make, calls, seconds, pace)
    own, solving = prepared(method, graph)
    if own == 0:  # nothing to prepare: all of the time is for calls
        calls = int(_RESERVE * (deadline - time.monotonic()) / pace)
        return Fitted(in_seconds(make, calls, seconds, pace), calls, 0.0)
    while True:
        left = _RESERVE * (deadline - time.monotonic())
        factors = [f for f in _STEPS if f**3 * own + f * calls * pace <= left]
        if not factors:
            return Fitted(method, calls, solving)
        calls = int(factors[0] * calls)
        method = in_seconds(make, calls, seconds, pace)
        own, solving = prepared(method, graph)


def in_seconds(make: Callable[[int], Method], calls: int, seconds: float, pace: float) -> Method:
    """What `make` makes of a number of calls; a budget that is too small is refused in seconds."""
    try:
        return make(max(calls, 1))
    except BudgetError as error:
        least = error.least
        needs = "of more seconds" if least is None else f"for at least {least:,} calls, about {least * pace:.2g} s"
        raise BudgetError(
            f"Expected a budget {needs}, got {seconds:g} s. At {pace:.2g} s a call there is time for only "
            f"{max(calls, 0):,} calls. Give more seconds.",
            least,
        ) from None


def prepared(method: Method, graph: Graph) -> tuple[float, float]:
    """Make the plan and solve what can be solved before a value is known; the seconds for all and for solving alone."""
    start = time.monotonic()
    if not method.has_plan:
        return 0.0, 0.0
    try:
        plan = method.plan(graph)
    except PlanTooLargeError:
        method.cost(graph)  # it may do without a plan, and raises if it cannot
        return time.monotonic() - start, 0.0
    middle = time.monotonic()
    _ = plan.operator @ np.random.default_rng(0).random(plan.calls)  # some methods look at the values
    return time.monotonic() - start, time.monotonic() - middle


def _timed(d: int) -> Coalitions:
    random = np.random.default_rng(0).random((_TIMED_ROWS, d)) < 0.5
    mask = np.concatenate([~np.eye(d, dtype=bool)[:64], np.eye(d, dtype=bool)[:64], random])[:_TIMED_ROWS]
    distinct = np.unique(mask, axis=0)
    return Coalitions.from_dense(np.random.default_rng(1).permutation(distinct))  # long and short rows in turn
