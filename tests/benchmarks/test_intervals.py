import sys

import numpy as np
import pytest
from benchmarks import intervals
from benchmarks.harness.tables import Table
from benchmarks.harness.truth import all_coalitions

import lcshap as lc


def test_the_table_counts_kinds_of_games(monkeypatch, capsys):
    options = ["--kinds", "noisy sum", "tree, regression", "--calls", "8", "16", "--games", "1", "--seeds", "1"]
    monkeypatch.setattr(sys, "argv", ["intervals.py", *options])
    intervals.main()
    head, *lines, below, within, above = capsys.readouterr().out.splitlines()
    assert head.split() == ["8d", "16d", "mean"]
    assert [line[:30].strip() for line in lines] == ["noisy sum", "tree, regression"]
    shares = [[float(x) for x in line[30:].replace("%", "").split()] for line in lines]
    assert all(row[2] == pytest.approx((row[0] + row[1]) / 2, abs=0.1) for row in shares)
    counts = [[int(x) for x in line.split()[-3:]] for line in (below, within, above)]
    assert np.sum(counts, axis=0).tolist() == [2, 2, 2]


def test_a_kind_that_does_not_exist(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["intervals.py", "--kinds", "airport", "harbour"])
    with pytest.raises(SystemExit):
        intervals.main()
    assert "got harbour" in capsys.readouterr().err


def test_every_formula_is_a_game_that_depends_on_its_units():
    for name, (d, formula) in intervals.FORMULAS.items():
        values = formula(np.random.default_rng(1), all_coalitions(d).astype(float))
        assert values.shape == (2**d,)
        assert np.isfinite(values).all()
        scores = lc.SampleShapley(20 * d).explain(lc.Game(Table(values), d), lc.Graph.complete(d)).scores
        assert np.count_nonzero(np.abs(scores) > 1e-6) > d / 2, name


def test_exact_intervals_always_contain_the_truth():
    values = all_coalitions(6) @ np.arange(6.0)
    assert intervals.share(values, 8, seeds=2) == 1.0
