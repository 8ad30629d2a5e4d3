"""Budgets as users write them, and what fits into some seconds."""

import time

import numpy as np
import pytest

import lcshap as lc
from lcshap.selection.budget import (
    Budget,
    all_coalitions_fit,
    exact_by_default,
    fit_to_deadline,
    make_method,
    measure_preparation,
    parse_budget,
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
    assert Budget.parse(budget).calls(50) == parse_budget(budget, 50) == calls
    assert Budget.parse(budget).seconds is None


@pytest.mark.parametrize(
    "budget", ["4x", "d", "", "0d", "-3d", 0, -5, True, 2.5, "1e3d", "9" * 400, "9" * 400 + "d", 10**400]
)
def test_what_is_no_budget(budget):
    with pytest.raises(lc.errors.BudgetError, match="Expected a budget such as 300"):
        Budget.parse(budget)


@pytest.mark.parametrize(("d", "calls"), [(1, 8), (2, 16), (5, 40), (6, 64), (10, 1024), (11, 88), (300, 2400)])
def test_what_is_usual_is_exact_up_to_ten_units_and_else_eight_calls_a_unit(d, calls):
    assert Budget.parse(None).calls(d) == parse_budget(None, d) == calls
    assert Budget.parse(None).seconds is None
    assert all_coalitions_fit(d, 1024) == (d <= 10)
    assert not all_coalitions_fit(10**9, 1024)


@pytest.mark.parametrize(
    ("d", "rows", "exact"),
    [
        (10, 1, True),
        (11, 1, False),
        (13, 1, False),
        (10, 128, True),
        (10, 129, False),
        (7, 1024, True),
        (8, 1024, False),
    ],
)
def test_what_is_exact_depends_on_the_coalitions_and_on_their_rows(d, rows, exact):
    assert exact_by_default(d, rows) == exact
    assert Budget.parse(None).calls(d, rows) == (2**d if exact else 8 * d)
    assert Budget.parse("4d").calls(d, rows) == 4 * d  # what the user sets is kept
    assert not exact_by_default(10**9, rows)


def test_seconds_need_something_to_time():
    assert Budget.parse("2.5s").seconds == 2.5
    with pytest.raises(lc.errors.BudgetError, match=r"no model or game to time, got 2\.5 s"):
        Budget.parse("2.5s").calls(10)


def test_the_pace_of_a_steady_game():
    steady = Steady(12, 0.003)
    pace = seconds_per_call(steady.game, 2.0)
    assert 0.003 <= pace < 0.012  # a busy machine is slower
    assert len(steady.sets) == len(set(steady.sets)) == steady.game.row_counter.rows >= 14
    assert len(steady.sets) <= 64


def test_calls_that_fit_leave_time_for_the_method_itself():
    graph, start = lc.Graph.chain(20), time.monotonic()
    fitted = fit_to_deadline(lambda n: lc.GraphKernelSHAP(n), graph, 3.0, start + 3.0, 0.002, 60)
    spent = time.monotonic() - start
    assert fitted.method == lc.GraphKernelSHAP(fitted.calls)
    assert spent + fitted.calls * 0.002 < 3.3
    assert fitted.calls >= 60


def test_a_path_prepares_nothing():
    assert measure_preparation(lc.DeletionPath(100), lc.Graph.chain(20)) == (0.0, 0.0)
    fitted = fit_to_deadline(lc.DeletionPath, lc.Graph.chain(20), 1.0, time.monotonic() + 1.0, 0.01, 60)
    assert 85 <= fitted.calls <= 97


def test_too_short():
    def make(calls):
        raise lc.errors.BudgetError("too few", 40)

    with pytest.raises(
        lc.errors.BudgetError, match="Expected a budget for at least 40 calls, about 4 s, got 1 s"
    ) as info:
        make_method(make, 10, 1.0, 0.1)
    assert info.value.min_calls == 40
