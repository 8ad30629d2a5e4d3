"""The formulas for own time, against the clock."""

import time

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.method import PLAN_CACHE
from lcshap.estimators.graph_kernel.design import choose_pairs
from lcshap.estimators.graph_kernel.own_time import design_seconds, estimate_seconds
from lcshap.estimators.graph_kernel.tuning import SIZES

UNITS = [*range(3, 64, 5), *np.unique(np.geomspace(70, SIZES.units, 40).astype(int)).tolist()]


@pytest.mark.parametrize(("d", "calls"), [(30, 480), (64, 512), (300, 2400)])
def test_the_order_of_magnitude_is_right(d, calls):
    """Processor time, so that other programs matter little; a factor of ten, because processors differ."""
    worth = np.random.default_rng(0).normal(size=d)
    game, graph = lc.Game(lambda kept: np.tanh(kept @ worth), d), lc.Graph.chain(d)
    lc.GraphKernelSHAP(40).explain(lc.Game(lambda kept: kept.any(axis=1) * 1.0, 20), lc.Graph.chain(20))
    PLAN_CACHE.clear()
    choose_pairs.cache_clear()
    start = time.process_time()
    lc.GraphKernelSHAP(calls).explain(game, graph)
    seconds = time.process_time() - start
    assert 0.1 < seconds / lc.GraphKernelSHAP(calls).own_seconds(graph) < 10


@pytest.mark.parametrize("calls", [2, 8, 64])
def test_more_units_take_longer(calls):
    """Except from 64 to 65 units, where a simpler method of choosing pairs begins."""
    for function in (design_seconds, estimate_seconds):
        seconds = np.array([function(d, calls * d // 2 - 1) for d in UNITS])
        few = np.array(UNITS) <= SIZES.many_units
        assert (seconds > 0).all()
        assert (np.diff(seconds[~few]) > 0).all()
    assert (np.diff(np.array([estimate_seconds(d, calls * d // 2 - 1) for d in UNITS])[few]) > 0).all()


def test_interactions_take_longer():
    graph = lc.Graph.chain(100)
    scores, edges, pairs = (
        lc.GraphKernelSHAP(800, interactions=interactions).own_seconds(graph) for interactions in (False, True, "all")
    )
    assert 0 < scores < edges < pairs


def test_all_coalitions_take_little_time():
    assert lc.GraphKernelSHAP(1024).own_seconds(lc.Graph.chain(10)) < 0.001
