"""Workers that die, and workers that cannot begin."""

import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer, parts
from lcshap.bulk import explain_dataset
from lcshap.bulk.local_engine import LocalEngine, _temporary_environment
from lcshap.bulk.worker import WorkerOptions

KILLER = [*TEXTS[:8], "killer id8 w1", *TEXTS[9:14]]


def test_a_worker_that_dies_is_replaced(tmp_path, monkeypatch):
    """Killed twice, its shard is done the third time; the result is that of a quiet run."""
    deaths = tmp_path / "deaths"
    deaths.write_text("..")
    monkeypatch.setenv("LCSHAP_TEST_DEATHS", str(deaths))
    done = explain_dataset(KILLER, explainer, tmp_path / "one", workers=2, shard_rows=6)
    assert deaths.read_text() == ""
    assert (done.rows, done.failed, done.complete) == (14, 0, True)
    explain_dataset(KILLER, explainer, tmp_path / "two", workers=1, shard_rows=6)
    assert parts(tmp_path / "one") == parts(tmp_path / "two")


def test_a_shard_is_tried_three_times_before_its_rows_are_tried(tmp_path, monkeypatch):
    """Killed three times by chance: its rows are tried in halves, and then the shard is finished as in a quiet run."""
    deaths = tmp_path / "deaths"
    deaths.write_text("..." + ".")
    monkeypatch.setenv("LCSHAP_TEST_DEATHS", str(deaths))
    done = explain_dataset(KILLER, explainer, tmp_path / "one", workers=1, shard_rows=6)
    assert deaths.read_text() == ""
    assert (done.rows, done.failed, done.complete) == (14, 0, True)
    explain_dataset(KILLER, explainer, tmp_path / "two", workers=1, shard_rows=6)
    assert parts(tmp_path / "one") == parts(tmp_path / "two")


def test_a_factory_must_be_picklable():
    with pytest.raises(lc.errors.OptionError, match=r"other processes can import.*package.module:function"):
        LocalEngine(WorkerOptions(lambda: explainer(), 64, 1))


def test_errors_of_a_worker_are_raised_in_the_main_process(tmp_path):
    with pytest.raises(lc.errors.OptionError, match=r"no_such_factory"):
        explain_dataset(TEXTS, "bulk_models:no_such_factory", tmp_path, workers=1)
    assert not (tmp_path / "manifest.json").exists()


def test_workers_share_the_cores():
    work = WorkerOptions(explainer, 64, 1)
    assert LocalEngine(work, 3).workers == 3
    assert LocalEngine(WorkerOptions(explainer, 64, 10_000)).workers == 1


def test_the_environment_is_restored(monkeypatch):
    import os

    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with _temporary_environment({"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}):
        assert os.environ["OMP_NUM_THREADS"] == os.environ["MKL_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ
