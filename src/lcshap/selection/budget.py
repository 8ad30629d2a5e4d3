"""Budgets in calls, calls per unit or seconds, and the number of calls that fit into some seconds."""

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
from ..core.run_plan import estimate_values
from ..errors import BudgetError, PlanTooLargeError

# Without a budget, all coalitions are evaluated if there are at most EXACT_COALITIONS of them (up to ten units) and
# they take at most EXACT_ROWS model rows: the coalitions times the background rows. Both numbers are fixed, so that the
# same call gets the same method on every machine. 1,024 rows take seconds with most models and minutes with a language
# model, and every further unit would double that. Background rows belong to models of tables, which predict many
# rows a second: 131,072 rows are ten units with 128 background rows, more than the hundred that are usual. The number
# of rows is an upper bound, because equal rows are sent to the model once.
EXACT_COALITIONS = 1 << 10
EXACT_ROWS = 1 << 17
CALLS_PER_UNIT = 8  # the default budget of inputs with more coalitions or more rows
DEFAULT_BUDGET = f"exact up to {EXACT_COALITIONS:,} coalitions and {EXACT_ROWS:,} model rows, else {CALLS_PER_UNIT}d"
_TIMED_SHARE = 0.03  # the share of a budget in seconds that is used to measure the time of a call
_MIN_TIMED_BATCHES = 4  # batches of 2, 4, 8, ... rows, because the first calls often load something
_MAX_TIMED_ROWS = 512
_GROWTH_FACTORS = (2.0, 1.5, 1.2, 1.05)  # ratios of the calls of the next plan to those of the last
_TARGET_SHARE = 0.97  # the share of the seconds that is used, because the time of a call varies
_MAX_DIGITS = 15  # more than enough for calls or seconds


@dataclass(frozen=True)
class Budget:
    """The budget of an explanation: a number of calls, of calls per unit, or of seconds; or the default.

    >>> Budget.parse("4d").calls(50), Budget.parse(300).calls(50), Budget.parse("2.5s").seconds
    (200, 300, 2.5)
    >>> Budget.parse(None).calls(9), Budget.parse(None).calls(50)  # all 2^9 coalitions; eight calls a unit
    (512, 400)
    >>> Budget.parse(None).calls(9, rows_per_call=1000)  # all coalitions would take 512,000 model rows
    72
    """

    amount: float
    unit: str  # "calls", "d", "s" or "default"

    @classmethod
    def parse(cls, budget: Any) -> Budget:
        """Parse a budget: a number, "4d" or "30s", or None for the default."""
        if budget is None:
            return cls(CALLS_PER_UNIT, "default")
        if isinstance(budget, int | np.integer) and not isinstance(budget, bool) and 1 <= budget < 10**_MAX_DIGITS:
            return cls(int(budget), "calls")
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(d|s)\s*", budget) if isinstance(budget, str) else None
        if match is None or len(match[1]) > _MAX_DIGITS or float(match[1]) <= 0:
            raise BudgetError(
                f"Expected a budget such as 300 (calls), '4d' (calls per unit) or '30s' (seconds), got {budget!r}."
            )
        return cls(float(match[1]), match[2])

    @property
    def seconds(self) -> float | None:
        """The seconds, if the budget is in seconds."""
        return self.amount if self.unit == "s" else None

    def calls(self, d: int, rows_per_call: int = 1) -> int:
        """The calls for d units. The default depends on the number of model rows per call."""
        if self.unit == "s":
            raise BudgetError(
                f"Expected a budget in calls, since there is no model or game to time, got {self.amount:g} s. Give a "
                "number of calls, or calls per unit such as '4d'."
            )
        if self.unit == "default":
            return max(int(self.amount * d), 2**d if exact_by_default(d, rows_per_call) else 0)
        return int(self.amount * d) if self.unit == "d" else int(self.amount)


def all_coalitions_fit(d: int, calls: int) -> bool:
    """Whether all coalitions of d units take at most so many calls."""
    return d < calls.bit_length() and 2**d <= calls


def exact_by_default(d: int, rows_per_call: int = 1) -> bool:
    """Whether all coalitions of d units are evaluated if no budget is set.

    >>> exact_by_default(10), exact_by_default(11)
    (True, False)
    >>> exact_by_default(10, rows_per_call=128), exact_by_default(10, rows_per_call=129)
    (True, False)
    """
    return all_coalitions_fit(d, EXACT_COALITIONS) and 2**d * rows_per_call <= EXACT_ROWS


def parse_budget(budget: int | str | None, d: int) -> int:
    """Calls from a number, "4d" or None, which is the default for one model row per call.

    >>> parse_budget("4d", 50), parse_budget("2.5d", 10), parse_budget(300, 50)
    (200, 25, 300)
    """
    return Budget.parse(budget).calls(d)


def seconds_per_call(game: AbstractGame, seconds: float) -> float:
    """Measure the seconds of a call: coalitions are evaluated in growing batches, for a small share of the budget.

    The first coalitions are those that most methods evaluate anyway (all units except one, or one alone), and the
    others are random. A game with a store keeps their values and counts them.
    """
    start, evaluated, size = time.monotonic(), 0, 2
    coalitions, call_seconds = _coalitions_to_time(game.d), list[float]()
    while evaluated < len(coalitions):
        batch = coalitions[evaluated : evaluated + size]
        begin = time.perf_counter()
        game.evaluate(batch)
        call_seconds.append((time.perf_counter() - begin) / len(batch))
        evaluated, size = evaluated + len(batch), 2 * size
        spent = time.monotonic() - start
        if spent > (_TIMED_SHARE if len(call_seconds) >= _MIN_TIMED_BATCHES else 0.5) * seconds:
            break
    return max(min(call_seconds[-2:]), 1e-9)


@dataclass(frozen=True)
class FittedMethod:
    """A method that fits into a budget in seconds. `reserve` is the time for its own work after the last call."""

    method: Method
    calls: int
    reserve: float


def fit_to_deadline(
    make: Callable[[int], Method], graph: Graph, seconds: float, deadline: float, seconds_per_call: float, first: int
) -> FittedMethod:
    """The method with as many calls as there is time for until the deadline, including the time of the method itself.

    The search starts with a small plan and makes larger ones as long as there is time for the next. The time of the
    method itself is assumed to grow with the third power of the calls. Plans are solved beforehand, so that little work
    remains after the evaluation.

    Parameters
    ----------
    make : returns the method for a number of calls.
    seconds_per_call : the seconds of a call.
    first : the calls of the small plan.
    """
    calls = min(int(_TARGET_SHARE * (deadline - time.monotonic()) / seconds_per_call), first)
    method = make_method(make, calls, seconds, seconds_per_call)
    preparation, solving = measure_preparation(method, graph)
    if preparation == 0:  # all of the time is for calls
        calls = int(_TARGET_SHARE * (deadline - time.monotonic()) / seconds_per_call)
        return FittedMethod(make_method(make, calls, seconds, seconds_per_call), calls, 0.0)
    while True:
        remaining = _TARGET_SHARE * (deadline - time.monotonic())
        factors = [f for f in _GROWTH_FACTORS if f**3 * preparation + f * calls * seconds_per_call <= remaining]
        if not factors:
            return FittedMethod(method, calls, solving)
        calls = int(factors[0] * calls)
        method = make_method(make, calls, seconds, seconds_per_call)
        preparation, solving = measure_preparation(method, graph)


def make_method(make: Callable[[int], Method], calls: int, seconds: float, seconds_per_call: float) -> Method:
    """The method with a number of calls. A `BudgetError` is raised again with the budget in seconds."""
    try:
        return make(max(calls, 1))
    except BudgetError as error:
        min_calls = error.min_calls
        needs = (
            "of more seconds"
            if min_calls is None
            else f"for at least {min_calls:,} calls, about {min_calls * seconds_per_call:.2g} s"
        )
        raise BudgetError(
            f"Expected a budget {needs}, got {seconds:g} s. At {seconds_per_call:.2g} s a call there is time for only "
            f"{max(calls, 0):,} calls. Give more seconds.",
            min_calls,
        ) from None


def measure_preparation(method: Method, graph: Graph) -> tuple[float, float]:
    """Make the plan and estimate from random values. Returns the seconds for both, and for the estimate alone."""
    start = time.monotonic()
    if not method.has_plan:
        return 0.0, 0.0
    try:
        plan = method.plan(graph)
    except PlanTooLargeError:
        method.cost(graph)  # some methods need no plan, and all others raise the error again
        return time.monotonic() - start, 0.0
    middle = time.monotonic()
    # The values are random, because the time of methods that fit a prior depends on the values.
    estimate_values(plan.estimator, np.random.default_rng(0).random(plan.calls))
    return time.monotonic() - start, time.monotonic() - middle


def _coalitions_to_time(d: int) -> Coalitions:
    random = np.random.default_rng(0).random((_MAX_TIMED_ROWS, d)) < 0.5
    mask = np.concatenate([~np.eye(d, dtype=bool)[:64], np.eye(d, dtype=bool)[:64], random])[:_MAX_TIMED_ROWS]
    distinct = np.unique(mask, axis=0)
    # In random order, which mixes long and short rows.
    return Coalitions.from_dense(np.random.default_rng(1).permutation(distinct))
