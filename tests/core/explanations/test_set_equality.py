import time
from dataclasses import replace

import numpy as np
import pytest
from explanation_sets import array_set, failed, frame, odd_explanations, row_explanations

import lcshap as lc
from lcshap.core.explanations.set_equality import equal_outcomes, surely_equal

PAIRS = np.ones((6, 3, 3)) - np.eye(3)


def build():
    return {
        "numbers": array_set(data=np.ones((6, 3)))[0],
        "gaps": array_set(data=np.array([[1, np.nan, 2]] * 6))[0],
        "frame": array_set(data=frame(6), method="mine", calls=3)[0],
        "pairs": array_set(interactions=PAIRS)[0],
        "outputs": array_set(outputs=2, targets=["a", "b"])[0],
        "rows": lc.Explanations([*row_explanations(3), failed()]),
        "empty": lc.Explanations(),
    }


@pytest.mark.parametrize("first", build())
@pytest.mark.parametrize("second", build())
def test_columns_never_claim_more_than_the_explanations(first, second):
    first, second = build()[first], build()[second]
    listed = len(first) == len(second) and all(equal_outcomes(a, b) for a, b in zip(first, second, strict=True))
    assert (first == second) == listed
    assert surely_equal(first._columns, second._columns) == listed


CHANGES = {
    "scores": lambda e: replace(e, scores=e.scores + 1),
    "stderr": lambda e: replace(e, stderr=np.ones(3)),
    "base value": lambda e: replace(e, base_value=7.0),
    "full value": lambda e: replace(e, full_value=7.0),
    "calls": lambda e: replace(e, calls=7),
    "dof": lambda e: replace(e, dof=7),
    "provenance": lambda e: replace(e, provenance={**e.provenance, "value": "prob"}),
    "key": lambda e: replace(e, provenance={**e.provenance, "more": None}),
    "names": lambda e: replace(e, graph=replace(e.graph, names=("a", "b", "c"))),
    "values": lambda e: replace(e, view=replace(e.view, values=e.view.values + 1)),
    "texts": lambda e: replace(e, view=replace(e.view, texts=("", "", "Paris"))),
    "no view": lambda e: replace(e, view=None),
    "error": lambda e: failed(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_one_input_is_noticed(name):
    explanations = list(row_explanations(3))
    changed = [explanations[0], CHANGES[name](explanations[1]), explanations[2]]
    assert lc.Explanations(explanations) != lc.Explanations(changed)
    assert not surely_equal(lc.Explanations(explanations)._columns, lc.Explanations(changed)._columns)


def test_the_number_of_rows_does_not_matter():
    (e,) = row_explanations(1)
    assert lc.Explanations([e]) == lc.Explanations([replace(e, rows=99)])


def test_other_kinds_are_compared_one_by_one():
    xs = lc.Explanations(odd_explanations())
    assert not surely_equal(xs._columns, xs._columns)
    assert xs == lc.Explanations(odd_explanations())


def test_many_inputs_are_compared_at_once():
    first, second = (array_set(50_000, data=np.ones((50_000, 3)))[0] for _ in range(2))
    start = time.process_time()
    assert first == second
    assert time.process_time() - start < 2  # one by one it takes a quarter of a minute
