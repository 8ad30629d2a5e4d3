"""Advice is looked for, but not for long."""

import pytest

import lcshap as lc
from lcshap.estimators import cheaper_methods as cheaper


def test_groups_end_after_a_while(monkeypatch):
    seconds = [0.0]
    monkeypatch.setattr(cheaper.time, "thread_time", lambda: seconds[0])
    tried = []
    for group in lc.CShapley(6)._cheaper(lc.Graph.grid((9, 9))):
        for method in group:
            tried.append(method)
            seconds[0] += 0.6
    assert len(tried) == 3  # begun after 0, 0.6 and 1.2 s


def test_methods_that_fit_are_named():
    with pytest.raises(lc.errors.PlanTooLargeError, match=r"Cheaper: CShapley\(order=0"):
        lc.CShapley(3).plan(lc.Graph.grid((9, 9)), max_calls=100)
