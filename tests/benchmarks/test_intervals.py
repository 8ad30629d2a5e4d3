import sys

import numpy as np
import pytest
from benchmarks import interval_games, intervals
from benchmarks.harness.truth import all_coalitions

import lcshap as lc
from oracles import shapley, subsets


def run(monkeypatch, capsys, *options):
    monkeypatch.setattr(sys, "argv", ["intervals.py", *map(str, options)])
    intervals.main()
    return capsys.readouterr().out.splitlines()


def test_a_run_that_is_started_again_measures_only_what_is_missing(tmp_path, monkeypatch, capsys):
    path = tmp_path / "some.csv"
    options = ("--out", path, "--kinds", "vote, 10 units", "tree, regression", "--games", 2, "--calls")
    first = run(monkeypatch, capsys, *options, 8)
    assert [row.split("  ")[0] for row in first[1:3]] == ["vote, 10 units", "tree, regression"]
    assert first[-1].startswith("8d: 2 kinds")
    cells = intervals.read(path)
    assert len(cells) == 2
    measured = []
    measure = intervals.measure
    monkeypatch.setattr(intervals, "measure", lambda *given: measured.append(given[2]) or measure(*given))
    *_, at_8d, at_16d = run(monkeypatch, capsys, *options, 8, 16)
    assert measured == [16, 16]
    assert at_8d == first[-1]
    assert at_16d.startswith("16d: 2 kinds")
    assert cells.items() <= intervals.read(path).items()


def test_what_is_measured_is_what_the_methods_give():
    (known,) = interval_games.games("vote, 10 units", 1)
    cell = intervals.measure("vote, 10 units", [known], 8)
    graph, game = lc.Graph.complete(10), lc.Game(known.value, 10)
    e, other = (method(80).explain(game, graph) for method in (lc.GraphKernelSHAP, lc.KernelSHAP))
    low, high = e.interval()
    assert cell.covered == np.mean((low <= known.scores) & (known.scores <= high))
    assert cell.error == pytest.approx(np.sqrt(np.mean((e.scores - known.scores) ** 2)))
    assert cell.kernel_error == pytest.approx(np.sqrt(np.mean((other.scores - known.scores) ** 2)))
    assert (cell.units, cell.purpose) == (10, "tuned")


def test_a_kind_that_does_not_exist(monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(monkeypatch, capsys, "--kinds", "airport", "harbour")
    assert "got harbour" in capsys.readouterr().err


def test_there_are_enough_kinds_and_half_of_them_are_only_reported():
    kinds = [*interval_games.TUNED, *interval_games.REPORTED, *interval_games.LARGER]
    assert len(kinds) == len(set(kinds)) >= 40
    assert [name for name, *_ in interval_games.models()] == list(interval_games.MODELS)
    assert sum(intervals.purpose_of(kind) == "reported" for kind in kinds) > len(kinds) / 2


@pytest.mark.parametrize("kind", [*interval_games.TUNED, *interval_games.REPORTED])
def test_every_formula_is_a_game_that_depends_on_its_units(kind):
    formula = {**interval_games.TUNED, **interval_games.REPORTED}[kind][1]
    values = np.asarray(formula(np.random.default_rng(2), all_coalitions(9).astype(float)), float)
    assert values.shape == (2**9,)
    assert np.isfinite(values).all()
    scores = interval_games.shapley_values(values)
    assert np.count_nonzero(np.abs(scores) > 1e-6) > 3
    assert scores.sum() == pytest.approx(values[-1] - values[0])


def test_shapley_values_of_a_table():
    values = np.random.default_rng(3).normal(size=2**5)
    game = {units: [float(values[sum(1 << i for i in units)])] for units in map(frozenset, subsets(range(5)))}
    expected = [float(score[0]) for score in shapley(5, game)]
    np.testing.assert_allclose(interval_games.shapley_values(values), expected, atol=1e-12)


@pytest.mark.parametrize("kind", list(interval_games.LARGER))
def test_closed_forms_of_larger_games_are_means_over_permutations(kind):
    (known,) = interval_games.games(kind, 1)
    e = lc.SampleShapley(400 * known.d, seed=1).explain(lc.Game(known.value, known.d), lc.Graph.complete(known.d))
    assert np.abs(e.scores - known.scores).max() < 6 * e.stderr.max() + 1e-9
    both = np.array([np.ones(known.d, bool), np.zeros(known.d, bool)])
    assert known.scores.sum() == pytest.approx(float(np.subtract(*known.value(both))))
