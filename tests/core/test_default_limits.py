"""Limits: named once, and known without NumPy."""

import subprocess
import sys

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.default_limits import MAX_CALLS, MAX_PIXELS


def test_they_are_the_defaults():
    graph = lc.Graph.chain(MAX_CALLS)
    with pytest.raises(lc.errors.PlanError, match="1,000,000"):
        lc.LShapley(order=1).plan(graph)
    assert lc.bulk.ImageOptions().max_pixels == MAX_PIXELS
    assert lc.Explainer(np.sum, lc.maskers.Image(), kind="output").execution.max_calls == MAX_CALLS


def test_they_need_no_numpy():
    code = "import sys, lcshap.core.default_limits; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
