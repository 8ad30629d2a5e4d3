"""The file that says how a run was started, and that it is the same run when it goes on."""

import json

import pytest

import lcshap as lc
from lcshap.paper.experiments import run_record as record_module
from lcshap.paper.experiments.run_record import RunRecord


def content(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_what_is_written(tmp_path):
    record = RunRecord(tmp_path / "run.json", "lcshap reproduce toy", {"study": "toy", "seed": 3})
    record.write(finished=False, samples=7)
    run = content(tmp_path / "run.json")
    assert (run["command"], run["study"], run["seed"]) == ("lcshap reproduce toy", "toy", 3)
    assert (run["samples"], run["finished"]) == (7, False)
    assert run["versions"]["lcshap"] == lc.__version__
    assert run["started"].endswith("+00:00")
    assert record.folder == tmp_path


def test_the_time_of_all_starts_is_added_up(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(record_module.time, "monotonic", lambda: now[0])
    first = RunRecord(tmp_path / "run.json", "a", {"seed": 0})
    now[0] += 2.5
    first.write(finished=False)
    started = content(tmp_path / "run.json")["started"]
    second = RunRecord(tmp_path / "run.json", "a", {"seed": 0})
    now[0] += 4
    second.write(finished=True)
    run = content(tmp_path / "run.json")
    assert (run["seconds"], run["started"], run["finished"]) == (6.5, started, True)


def test_another_run_is_refused(tmp_path):
    RunRecord(tmp_path / "run.json", "a", {"study": "toy", "seed": 0, "about": {"n": (1, 2)}}).write(finished=True)
    RunRecord(tmp_path / "run.json", "b", {"study": "toy", "seed": 0, "about": {"n": (1, 2)}})
    with pytest.raises(
        lc.errors.OptionError, match=r"Expected a run with seed 0, as in .*, got 1. Choose another folder with --out"
    ):
        RunRecord(tmp_path / "run.json", "a", {"study": "toy", "seed": 1, "about": {"n": (1, 2)}})
