"""Budgets as users write them, and what fits into some seconds."""

import time

import numpy as np
import pytest

import lcshap as lc
from lcshap.advice.budget import (
    Budget,
    fits,
    fitted,
    in_seconds,
    is_cheap,
    parse_budget,
    prepared,
    seconds_per_call,
)


class Steady:
    def __init__(self, d, seconds):
        self.sets, self.seconds = [], seconds
        self.game = lc.Game(self, d)

    def __call__(self, kept):
        self.sets += [tuple(row) for row in kept]
        time.sleep(self.seconds * len(kept))
        return kept.sum(axis=1)


@pytest.mark.parametrize(
    ("budget", "calls"), [(300, 300), ("4d", 200), (" 2.5 d ", 125), (np.int64(77), 77), ("1d", 50)]
)
def test_calls(budget, calls):
    assert Budget.read(budget).calls(50) == parse_budget(budget, 50) == calls
    assert Budget.read(budget).seconds is None


@pytest.mark.parametrize(
    "budget", ["4x", "d", "", "0d", "-3d", 0, -5, True, 2.5, "1e3d", "9" * 400, "9" * 400 + "d", 10**400]
)
def test_what_is_no_budget(budget):
    with pytest.raises(lc.BudgetError, match="Expected a budget such as 300"):
        Budget.read(budget)


@pytest.mark.parametrize(("d", "calls"), [(1, 8), (2, 16), (5, 40), (6, 64), (10, 1024), (11, 88), (300, 2400)])
def test_what_is_usual_is_exact_up_to_ten_units_and_else_eight_calls_a_unit(d, calls):
    assert Budget.read(None).calls(d) == parse_budget(None, d) == calls
    assert Budget.read(None).seconds is None
    assert fits(d, 1024) == (d <= 10)
    assert not fits(10**9, 1024)


def test_cheap_is_what_takes_less_than_a_second():
    asked, pause = [], [0.0]

    def v(kept):
        asked.append(len(kept))
        time.sleep(pause[0] * len(kept))
        return kept.sum(axis=1)

    some = lc.GraphKernelSHAP(96).plan(lc.Graph.chain(12)).coalitions
    assert is_cheap(lc.Game(v, 12), some, 4096)
    assert sum(asked) <= 96
    asked.clear()
    pause[0] = 0.01
    assert not is_cheap(lc.Game(v, 12), some, 4096)
    assert asked == [2, 4]  # sure enough after a few rows
    assert not is_cheap(lc.Game(v, 12), some, 1_000_001)
    assert asked == [2, 4]  # no model could be so fast


def test_seconds_need_something_to_time():
    assert Budget.read("2.5s").seconds == 2.5
    with pytest.raises(lc.BudgetError, match=r"no model or game to time, got 2\.5 s"):
        Budget.read("2.5s").calls(10)


def test_the_pace_of_a_steady_game():
    steady = Steady(12, 0.003)
    pace = seconds_per_call(steady.game, 2.0)
    assert 0.003 <= pace < 0.012  # a busy machine is slower
    assert len(steady.sets) == len(set(steady.sets)) == steady.game.tally.rows >= 14
    assert len(steady.sets) <= 64


def test_calls_that_fit_leave_time_for_the_method_itself():
    graph, start = lc.Graph.chain(20), time.monotonic()
    found = fitted(lambda n: lc.GraphKernelSHAP(n), graph, 3.0, start + 3.0, 0.002, 60)
    spent = time.monotonic() - start
    assert found.method == lc.GraphKernelSHAP(found.calls)
    assert spent + found.calls * 0.002 < 3.3
    assert found.calls >= 60


def test_a_path_prepares_nothing():
    assert prepared(lc.DeletionPath(100), lc.Graph.chain(20)) == (0.0, 0.0)
    found = fitted(lc.DeletionPath, lc.Graph.chain(20), 1.0, time.monotonic() + 1.0, 0.01, 60)
    assert 85 <= found.calls <= 97


def test_too_short():
    def make(calls):
        raise lc.BudgetError("too few", 40)

    with pytest.raises(lc.BudgetError, match="Expected a budget for at least 40 calls, about 4 s, got 1 s") as info:
        in_seconds(make, 10, 1.0, 0.1)
    assert info.value.least == 40
