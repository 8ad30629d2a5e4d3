import json
import sys
from itertools import pairwise

import pytest
from benchmarks import cliffs


def test_sizes_grow_by_a_tenth():
    units = cliffs.sizes()
    assert units[0] == 2
    assert units[-1] == 20_000
    assert all(smaller < larger <= max(smaller + 1, 1.1 * smaller) for smaller, larger in pairwise(units))


def measurement(d, calls, first, following=0.0, method="graph-kernel-shap"):
    return {"d": d, "calls": calls, "method": method, "first": first, "next": following, "mb": 1}


@pytest.mark.parametrize(
    ("smaller", "larger", "is_cliff"),
    [
        ((100, 1.0), (110, 1.4), False),
        ((100, 1.0), (110, 1.6), True),
        ((100, 1.0), (121, 2.1), False),  # two tenths
        ((100, 1.0), (121, 2.4), True),
        ((100, 0.001), (110, 0.019), False),  # both are short
        ((100, 0.001), (110, 0.031), True),
        ((100, 2.0), (110, 0.1), False),
    ],
)
def test_a_cliff_is_a_step_of_more_than_half_for_each_tenth(smaller, larger, is_cliff):
    pair = [measurement(d, 4, first) for d, first in (smaller, larger)]
    assert len(cliffs.cliffs(pair)) == is_cliff
    assert cliffs.cliffs([pair[0], {**pair[1], "calls": 8}]) == []
    assert cliffs.cliffs([pair[0], {**pair[1], "method": ""}]) == []


def test_measurements_are_kept_and_not_repeated(monkeypatch, capsys, tmp_path):
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps(measurement(12, 3, 5.0, 6.0)) + "\n")
    arguments = ["cliffs.py", "--sizes", "11", "12", "--calls", "3", "--results", str(results)]
    for lines in (2, 1):  # the size that is missing is measured, and in the second run nothing
        monkeypatch.setattr(sys, "argv", arguments)
        cliffs.main()
        output = capsys.readouterr().out.splitlines()
        assert (
            len([line for line in output if " units " in line and "first input " in line and "MB" in line]) == lines - 1
        )
        assert "2 cliffs in 2 measurements:" in output
        assert any(line.strip().startswith("11 to 12 units at 3d, next input") for line in output)
    measured, known = sorted((json.loads(line) for line in results.read_text().splitlines()), key=lambda m: m["d"])
    assert (measured["d"], measured["method"]) == (11, "graph-kernel-shap")
    assert 0 < measured["first"] < known["first"] == 5.0
