"""Runs on a real Ray cluster of two nodes on this machine."""

import os
import signal
import threading
import time
import warnings
from pathlib import Path

import pytest

import bulk_models
import lcshap as lc
from bulk_models import TEXTS, explainer, parts
from lcshap.bulk import explain_dataset, ray_engine, status

with warnings.catch_warnings(action="ignore"):  # of Ray, when it is imported
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster


@pytest.fixture
def cluster(monkeypatch, tmp_path):
    """Two nodes with a CPU each. Workers find our modules where this process does, and note what they do."""
    folders = [Path(module.__file__).parents[up] for module, up in ((bulk_models, 0), (lc, 1))]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, folders)))
    monkeypatch.setenv("LCSHAP_TEST_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("LCSHAP_TEST_PIDS", "1")
    monkeypatch.setenv("LCSHAP_TEST_SLEEP", "0.05")
    monkeypatch.setenv("LCSHAP_TEST_DEATHS", str(tmp_path / "deaths"))  # nodes hand this on, so it is set before them
    (tmp_path / "deaths").touch()
    monkeypatch.setattr(ray_engine, "_RESPONSE_TIMEOUT_SECONDS", 2.0)
    with warnings.catch_warnings(action="ignore"):
        ray_cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        ray_cluster.second = ray_cluster.add_node(num_cpus=1)
        ray.init(address=ray_cluster.address, log_to_driver=False, configure_logging=False)
        yield ray_cluster
        ray.shutdown()
        ray_cluster.shutdown()


def pids(log):
    """The processes of the workers, in the order in which they began."""
    if not log.exists():
        return []
    return list(dict.fromkeys(int(word) for word in log.read_text().split() if word.isdigit()))


def test_a_worker_and_then_a_node_are_killed(cluster, tmp_path, reference_run):
    """The parts are those of a quiet local run, byte for byte, and the run can be looked at meanwhile."""
    out, log, killed = tmp_path / "out", tmp_path / "log", []

    def disturb():
        while len(pids(log)) < 1:
            time.sleep(0.02)
        os.kill(pids(log)[0], signal.SIGKILL)
        killed.append("worker")
        while not status(out).rows:
            time.sleep(0.02)
        cluster.remove_node(cluster.second, allow_graceful=False)
        killed.append("node")

    thread = threading.Thread(target=disturb, daemon=True)
    thread.start()
    done = explain_dataset(TEXTS, explainer, out, "ray", workers=(1, 2), shard_rows=6)
    thread.join(timeout=60)
    assert killed == ["worker", "node"]
    assert (done.rows, done.failed, done.complete) == (40, 0, True)
    assert parts(out) == parts(reference_run)
    rows = [e.provenance["row"] for e in lc.bulk.load(out)]
    assert rows == list(range(40))


def test_a_shard_that_kills_its_workers_is_tried_three_times(cluster, tmp_path):
    """The other shards are finished, and a later run tries again what was given up."""
    out, deaths = tmp_path / "out", tmp_path / "deaths"
    deaths.write_text("xxxxx")
    texts = [*TEXTS[:7], "a killer text", *TEXTS[8:20]]
    with pytest.raises(lc.errors.BulkError, match=r"1 whose workers died three times \(shard 1: "):
        explain_dataset(texts, explainer, out, "ray", workers=2, shard_rows=5)
    assert deaths.read_text() == "xx"
    assert sorted(parts(out)) == ["part-000000.parquet", "part-000002.parquet", "part-000003.parquet"]
    deaths.write_text("")
    assert explain_dataset(texts, explainer, out, "ray", workers=2, shard_rows=5).complete


def test_invalid_worker_ranges_are_refused(monkeypatch):
    for workers in (0, (0, 2), (3, 2)):
        with pytest.raises(lc.errors.OptionError, match="a range such as"):
            ray_engine._worker_range(workers, None, 1)
    assert ray_engine._worker_range((2, 5), None, 1) == (2, 5)
    assert ray_engine._worker_range(3, None, 1) == (3, 3)
