"""Probabilities for people."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.show import words
from lcshap.show.probability_of_value import format_percent, probability_of


def make_explanation(base, full, **record):
    return lc.Explanation(np.ones(2), base, full, lc.Graph.chain(2), 4, record)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("log_prob", np.log(0.25), 0.25),
        ("log_prob", 1e-12, 1.0),
        ("log_prob", -1e9, 0.0),
        ("log_odds", -1e9, 0.0),
        ("log_odds", 0.0, 0.5),
        ("prob", 0.75, 0.75),
        ("prob", 1.75, None),
        ("output", 0.5, None),
        ("expected_log_prob", -1.0, None),
        (None, -1.0, None),
    ],
)
def test_what_a_value_stands_for(kind, value, expected):
    probability = probability_of(value, make_explanation(0.0, 0.0, value=kind, targets=["a"]))
    assert probability == (None if expected is None else pytest.approx(expected, abs=1e-12))
    assert probability_of(value, make_explanation(0.0, 0.0, value=kind, targets=[["a", "b"]])) is None


def test_values_have_their_probabilities_beside_them():
    e = make_explanation(np.log(0.25), np.log(0.987), value="log_prob", targets=["a"])
    assert words.base_and_full_value(e) == "base value -1.386 (25.0 %) → full value -0.01309 (98.7 %)"
    assert words.totals(e)["full value"] == "-0.01309 (98.7 %)"
    assert (
        words.base_and_full_value(make_explanation(0.25, 0.5, value="prob", targets=["a"]))
        == "base value 0.25 → full value 0.5"
    )


def test_percents():
    assert [format_percent(p) for p in (0.0, 1.0, 0.005, 0.0051, 0.5, 0.99999)] == [
        *("0 %", "100 %", "0.50 %", "0.51 %", "50.0 %", "> 99.99 %"),
    ]
