"""Runs on a real Ray cluster of two nodes on this machine."""

import os
import signal
import threading
import time
import warnings
from pathlib import Path

import psutil
import pytest

import bulk_models
import lcshap as lc
from bulk_models import TEXTS, explainer, parts
from lcshap.bulk import explain_dataset, ray_engine, status

with warnings.catch_warnings(action="ignore"):  # of Ray, when it is imported
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster


START_ATTEMPTS = 4  # Ray itself waits 30 s for a node, which cannot be changed.
LONG_LIMITS = {  # for machines that do other work
    "RAY_worker_register_timeout_seconds": "300",
    "RAY_gcs_server_request_timeout_seconds": "300",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "300",
}


def start_cluster():
    """Two nodes with a CPU each, to which this process is connected."""
    ray_cluster = Cluster(initialize_head=False)
    try:
        ray_cluster.add_node(num_cpus=1, include_dashboard=False)
        ray_cluster.second = ray_cluster.add_node(num_cpus=1)
        ray.init(address=ray_cluster.address, log_to_driver=False, configure_logging=False)
    except Exception:
        stop_cluster(ray_cluster)
        for process in psutil.Process().children():  # A node that did not start leaves its processes behind.
            if "ray" in process.name() or "gcs" in process.name():
                process.kill()
        raise
    return ray_cluster


def stop_cluster(ray_cluster):
    ray.shutdown()
    ray_cluster.shutdown()


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
    for name, limit in LONG_LIMITS.items():
        monkeypatch.setenv(name, limit)
    with warnings.catch_warnings(action="ignore"):
        errors = []
        while len(errors) < START_ATTEMPTS:
            try:
                ray_cluster = start_cluster()
                break
            except Exception as error:
                errors.append(error)
                time.sleep(5 * len(errors))
        else:
            pytest.fail(f"These tests need a Ray cluster, which did not start in {START_ATTEMPTS} attempts: {errors}")
        yield ray_cluster
        stop_cluster(ray_cluster)


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


def test_a_stopped_worker_is_replaced_and_a_deadly_row_is_named(cluster, tmp_path):
    """Two stops are survived. All rows but the deadly one are explained, with the parts of a local run."""
    out, deaths = tmp_path / "out", tmp_path / "deaths"
    deaths.write_text("xx")
    texts = [*TEXTS[:3], "a stopper text", *TEXTS[4:7], "a deadly text", *TEXTS[8:20]]
    with pytest.warns(UserWarning, match=r"Row 7 \('7'\) has an error .* was lost: its worker ended with "):
        done = explain_dataset(texts, explainer, out, "ray", workers=2, shard_rows=5, shard_timeout=60.0)
    assert deaths.read_text() == ""
    assert (done.rows, done.failed, done.complete) == (20, 1, True)
    with pytest.warns(UserWarning, match=r"Row 7 \('7'\) has an error"):
        explain_dataset(texts, explainer, tmp_path / "local", workers=1, shard_rows=5)
    assert parts(out) == parts(tmp_path / "local")


class NoRay:
    """A package whose clusters do not start, or start in the last attempt."""

    def __init__(self, failures):
        self.failures, self.attempts = failures, 0

    def init(self, **options):
        self.attempts += 1
        if self.attempts <= self.failures:
            raise RuntimeError("the raylet did not start")

    def shutdown(self):
        pass


def test_starting_a_cluster_is_retried(monkeypatch):
    monkeypatch.setattr(ray_engine, "_RETRY_PAUSE_SECONDS", 0.0)
    busy, down, remote = NoRay(2), NoRay(3), NoRay(1)
    ray_engine._connect(busy, None)
    assert busy.attempts == 3
    with pytest.raises(lc.errors.BulkError, match=r"a Ray cluster on this machine, got none: .*raylet did not start"):
        ray_engine._connect(down, None)
    with pytest.raises(lc.errors.BulkError, match=r"a Ray cluster at 'ray://head:10001', got none"):
        ray_engine._connect(remote, "ray://head:10001")
    assert remote.attempts == 1


def test_invalid_worker_ranges_are_refused(monkeypatch):
    for workers in (0, (0, 2), (3, 2)):
        with pytest.raises(lc.errors.OptionError, match="a range such as"):
            ray_engine._worker_range(workers, None, 1)
    assert ray_engine._worker_range((2, 5), None, 1) == (2, 5)
    assert ray_engine._worker_range(3, None, 1) == (3, 3)
