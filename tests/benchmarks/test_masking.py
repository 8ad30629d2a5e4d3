"""Masking areas, by hand for an additive game."""

import numpy as np
import pytest
from benchmarks.harness.game import Bench
from benchmarks.harness.masking import AREAS, areas, paired_interval

WORTH = np.array([4.0, 3.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
GAME = Bench("t", "t", 10, lambda kept: kept @ WORTH)


def test_the_best_order_of_an_additive_game():
    found = areas(GAME, WORTH, scale=10.0)
    # 0, 0, 0 (half a unit rounds to none), 1, 1, 1, 2, 2, 2 units of ten away at 0, 2.5, ..., 20 %
    falls = np.array([0, 0, 0, 4, 4, 4, 7, 7, 7]) / 10
    assert found["removing_20"] == pytest.approx(((falls[1:] + falls[:-1]) / 2).mean())
    assert found["removing_20"] == pytest.approx(found["keeping_20"])  # additive: what goes with a unit comes with it
    assert set(found) == set(AREAS)


def test_the_reverse_order_is_worse_in_all_four():
    good, bad = areas(GAME, WORTH, 10.0), areas(GAME, -WORTH, 10.0)
    assert all(bad[name] < good[name] for name in AREAS)


def test_keeping_and_removing_differ_where_units_replace_each_other():
    """One of two equal witnesses is enough, and both must go."""
    either = Bench("t", "t", 10, lambda kept: np.maximum(kept[:, 0], kept[:, 1]).astype(float))
    both_first = areas(either, np.array([2.0, 1.0, *np.zeros(8)]), 1.0)
    one_first = areas(either, np.array([2.0, *np.ones(8), 0.0]), 1.0)
    assert both_first["keeping_100"] == pytest.approx(one_first["keeping_100"])
    only_one = areas(either, np.array([2.0, -1.0, *np.zeros(8)]), 1.0)
    assert only_one["removing_100"] < both_first["removing_100"]
    assert only_one["keeping_100"] == pytest.approx(both_first["keeping_100"])


def test_the_interval_of_a_paired_difference_covers_its_mean():
    rng = np.random.default_rng(3)
    covers = 0
    for trial in range(40):
        low, high = paired_interval(rng.normal(1.0, 0.5, 30), seed=trial)
        covers += low <= 1.0 <= high
    assert covers >= 34
