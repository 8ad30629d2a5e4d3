"""Runs over data sets: killed, resumed, damaged and repeated."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import bulk_models
import lcshap as lc
from bulk_models import TEXTS, explainer, opinion_losses, opinions, parts
from lcshap.bulk import explain_dataset, folder, status

SHARDS = {"shard_rows": 6}
SCRIPT = """
import sys
import bulk_models
from lcshap.bulk import explain_dataset

if __name__ == "__main__":
    explain_dataset(bulk_models.TEXTS, bulk_models.explainer, sys.argv[1], workers=int(sys.argv[2]), shard_rows=6)
"""


def start_run(tmp_path, out, workers=2, **environment):
    """Begin or resume the run in a process of its own."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), **environment}
    return subprocess.Popen([sys.executable, str(script), str(out), str(workers)], env=env, stderr=subprocess.PIPE)


def finished_shards(out):
    parts_folder = out / "parts"
    return {int(path.name[5:11]) for path in parts_folder.iterdir()} if parts_folder.exists() else set()


def test_a_run_without_processes_is_the_same(tmp_path, in_process, reference_run):
    done = explain_dataset(TEXTS, explainer, tmp_path, **SHARDS)
    assert (done.rows, done.failed, done.complete, done.shards) == (40, 0, True, 7)
    assert parts(tmp_path) == parts(reference_run)


def test_two_workers_and_ten_kills_give_the_same_bytes(tmp_path, reference_run):
    """kill -9 of the main process at random moments; nothing that was finished is computed again."""
    out, log, rng = tmp_path / "out", tmp_path / "log", random.Random(0)
    kills = 0
    while kills < 10:
        before, seen = finished_shards(out), log.stat().st_size if log.exists() else 0
        process = start_run(tmp_path, out, LCSHAP_TEST_LOG=str(log), LCSHAP_TEST_SLEEP="0.04")
        deadline = time.monotonic() + 60
        while (log.stat().st_size if log.exists() else 0) == seen and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.4))
        process.kill()
        process.communicate()
        kills += 1
        asked = log.read_bytes()[seen:].decode().split()
        finished_ids = {f"id{k}" for shard in before for k in range(6 * shard, min(6 * shard + 6, 40))}
        assert not finished_ids & set(asked)
        if len(finished_shards(out)) == 7:  # all is done: begin again elsewhere, for there are kills left
            assert parts(out) == parts(reference_run)
            out = tmp_path / f"out{kills}"
    process = start_run(tmp_path, out)
    assert process.communicate()[1].decode() == ""
    assert parts(out) == parts(reference_run)
    rows = [e.provenance["row"] for e in lc.bulk.load(out)]
    assert rows == list(range(40))


def test_a_finished_run_computes_nothing(tmp_path, in_process, monkeypatch):
    explain_dataset(TEXTS, explainer, tmp_path / "out", **SHARDS)
    log = tmp_path / "log"
    monkeypatch.setenv("LCSHAP_TEST_LOG", str(log))
    assert explain_dataset(TEXTS, explainer, tmp_path / "out", **SHARDS).complete
    assert not log.exists()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"factory": "bulk_models:another"}, r"explainer.model.name is \"another\" instead of \"harsh\""),
        ({"factory": "bulk_models:more_calls"}, r"explainer.method is .*budget=32.* instead of .*budget=24"),
        ({"shard_rows": 7}, "shard_rows is 7 instead of 6"),
        ({"threads": 2}, "threads is 2 instead of 1"),
        ({"source": [*TEXTS, "one more"]}, "data.rows is 41 instead of 40"),
        ({"source": ["id0 other words", *TEXTS[1:]]}, "the inputs 0 to 5 have changed"),
    ],
    ids=["model", "method", "shards", "threads", "length", "data"],
)
def test_changed_data_or_settings_are_refused(tmp_path, in_process, change, match):
    explain_dataset(TEXTS, explainer, tmp_path, **SHARDS)
    before = parts(tmp_path)
    arguments = {"source": TEXTS, "factory": explainer, "out": tmp_path, **SHARDS, **change}
    with pytest.raises(lc.errors.BulkError, match=match):
        explain_dataset(**arguments)
    assert parts(tmp_path) == before


def test_a_file_that_has_changed_is_refused(tmp_path, in_process):
    path, out = tmp_path / "texts.csv", tmp_path / "out"
    path.write_text("text\n" + "\n".join(TEXTS[:12]) + "\n")
    assert explain_dataset(path, explainer, out, **SHARDS).rows == 12
    path.write_text("text\n" + "\n".join([*TEXTS[:11], "other words"]) + "\n")
    with pytest.raises(lc.errors.BulkError, match=r"data\.files.* instead of .*Nothing was changed"):
        explain_dataset(path, explainer, out, **SHARDS)


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda data: data[:100] + b"?" + data[101:]])
def test_a_damaged_part_is_reported_and_left_alone(tmp_path, in_process, damage):
    explain_dataset(TEXTS, explainer, tmp_path, **SHARDS)
    part = tmp_path / "parts" / "part-000002.parquet"
    content = part.read_bytes()
    part.write_bytes(damage(content))
    with pytest.raises(
        lc.errors.BulkError, match=r"part-000002\.parquet', which is truncated or has changed\. Move it away"
    ):
        explain_dataset(TEXTS, explainer, tmp_path, **SHARDS)
    assert part.read_bytes() == damage(content)
    part.unlink()
    explain_dataset(TEXTS, explainer, tmp_path, **SHARDS)
    assert part.read_bytes() == content


def test_two_processes_on_one_folder(tmp_path, in_process):
    out = tmp_path / "out"
    log = tmp_path / "log"
    process = start_run(tmp_path, out, workers=1, LCSHAP_TEST_SLEEP="0.5", LCSHAP_TEST_LOG=str(log))
    try:
        while not log.exists() and process.poll() is None:
            time.sleep(0.02)
        assert status(out).running
        with pytest.raises(lc.errors.BulkError, match=r"no other process at work"):
            explain_dataset(TEXTS, explainer, out, **SHARDS)
    finally:
        process.kill()
        process.communicate()
    assert not status(out).running


def test_a_corrupt_store_stops_the_run(tmp_path, in_process, monkeypatch):
    store = tmp_path / "calls.db"
    monkeypatch.setenv("LCSHAP_TEST_STORE", str(store))
    explain_dataset(TEXTS[:6], "bulk_models:stored", tmp_path / "out", **SHARDS)
    content = bytearray(store.read_bytes())
    content[: 1 << 12] = b"x" * (1 << 12)
    store.write_bytes(content)
    before = parts(tmp_path / "out")
    with pytest.raises(lc.errors.StoreError, match=r"not a database"):
        explain_dataset(TEXTS[:6], "bulk_models:stored", tmp_path / "out", **SHARDS)
    assert parts(tmp_path / "out") == before
    assert store.read_bytes() == bytes(content)


def test_a_store_avoids_repeated_calls(tmp_path, in_process, monkeypatch):
    monkeypatch.setenv("LCSHAP_TEST_STORE", str(tmp_path / "calls.db"))
    first = explain_dataset(TEXTS[:6], "bulk_models:stored", tmp_path / "one", **SHARDS)
    monkeypatch.setenv("LCSHAP_TEST_LOG", str(tmp_path / "log"))
    second = explain_dataset(TEXTS[:6], "bulk_models:stored", tmp_path / "two", **SHARDS)
    assert first.calls == second.calls > 0
    assert not (tmp_path / "log").exists()


def test_a_model_that_fails_for_a_whole_shard_stops_the_run(tmp_path, in_process):
    texts = [*TEXTS[:6], *(f"broken {k}" for k in range(6))]
    with pytest.raises(
        lc.errors.BulkError, match=r"failed for all rows of shard 1 that were sent to it.*the service is gone"
    ):
        explain_dataset(texts, explainer, tmp_path, **SHARDS)
    assert finished_shards(tmp_path) == {0}


def test_rows_not_sent_to_the_model_do_not_hide_an_outage(tmp_path, in_process):
    texts = [*TEXTS[:6], "", *(f"broken {k}" for k in range(5))]
    with pytest.raises(lc.errors.BulkError, match=r"failed for all rows of shard 1"):
        explain_dataset(texts, explainer, tmp_path, **SHARDS)
    assert finished_shards(tmp_path) == {0}


@pytest.mark.parametrize("attribute", ["number", "text", "list", "raise"])
def test_attributes_of_foreign_exceptions_do_not_hide_an_outage(tmp_path, in_process, attribute):
    texts = [f"{attribute} w{k} {attribute}" for k in range(6)]
    with pytest.raises(lc.errors.BulkError, match=r"failed for all rows of shard 0 .*the service is gone"):
        explain_dataset(texts, bulk_models.traps, tmp_path, **SHARDS)
    assert finished_shards(tmp_path) == set()


def test_shards_with_errors_are_computed_again_on_request(tmp_path, in_process, monkeypatch):
    """After an outage in the middle of a shard. The result is that of a run without the outage."""
    out, log = tmp_path / "out", tmp_path / "log"
    explain_dataset(TEXTS, explainer, tmp_path / "whole", **SHARDS)
    answers, asked = bulk_models.harsh, []

    def down(texts):
        asked.append(texts)
        if 3 <= len(asked) <= 4:
            raise ConnectionError("gone for a while")
        return answers(texts)

    with monkeypatch.context() as patched:
        patched.setattr(bulk_models, "harsh", down)
        failed = explain_dataset(TEXTS, explainer, out, **SHARDS)
    assert (failed.rows, failed.complete) == (40, True)
    assert failed.failed > 0
    assert explain_dataset(TEXTS, explainer, out, **SHARDS).failed == failed.failed  # not without being asked to
    monkeypatch.setenv("LCSHAP_TEST_LOG", str(log))
    done = explain_dataset(TEXTS, explainer, out, **SHARDS, retry_failed=True)
    assert (done.rows, done.failed, done.complete) == (40, 0, True)
    assert parts(out) == parts(tmp_path / "whole")
    retried_shards = {int(word[2:]) // 6 for word in log.read_text().split()}
    assert 0 < len(retried_shards) < 7  # the others were left alone


def test_a_kill_while_a_part_is_replaced_loses_nothing(tmp_path, in_process, monkeypatch):
    out = tmp_path / "out"
    explain_dataset(["", *TEXTS[:11]], explainer, out, **SHARDS)
    before = parts(out)

    def killed(path, content):
        if path.parent.name == "parts":
            raise KeyboardInterrupt
        return write(path, content)

    write = folder.write_file
    with monkeypatch.context() as patched:
        patched.setattr(folder, "write_file", killed)
        with pytest.raises(KeyboardInterrupt):
            explain_dataset(["", *TEXTS[:11]], explainer, out, **SHARDS, retry_failed=True)
    assert not lc.bulk.status(out).complete
    assert explain_dataset(["", *TEXTS[:11]], explainer, out, **SHARDS).complete
    assert parts(out) == before


def test_bad_rows_are_rows_with_their_error(tmp_path, in_process):
    texts = ["", *TEXTS[1:4], 7, "broken text", *TEXTS[6:9]]
    done = explain_dataset(texts, explainer, tmp_path, **SHARDS)
    assert (done.rows, done.failed) == (9, 3)
    assert [e.provenance["row"] for e in lc.bulk.load(tmp_path)] == [1, 2, 3, 6, 7, 8]
    with pytest.raises(lc.errors.BulkError, match=r"Row 0 .0. has no explanation"):
        list(lc.bulk.load(tmp_path, errors="raise"))


@contextmanager
def small_disk(path, size):
    """A file system of so many bytes; skipped where we may not mount one."""
    path.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)], capture_output=True)
    if mount.returncode:
        pytest.skip("only root may mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)


def test_a_full_disk(tmp_path, in_process, reference_run):
    with small_disk(tmp_path / "disk", 100_000):
        out = tmp_path / "disk" / "out"
        with pytest.raises(lc.errors.BulkError, match=r"No space left on device. Finished parts are whole"):
            explain_dataset(TEXTS, explainer, out, **SHARDS)
        written = parts(out)
        assert 0 < len(written) < 7
        assert written == {name: content for name, content in parts(reference_run).items() if name in written}
        subprocess.run(["mount", "-o", "remount,size=10m", str(tmp_path / "disk")], check=True)
        explain_dataset(TEXTS, explainer, out, **SHARDS)
        assert parts(out) == parts(reference_run)


def test_a_read_only_disk(tmp_path, in_process):
    with small_disk(tmp_path / "disk", 10_000_000):
        explain_dataset(TEXTS[:6], explainer, tmp_path / "disk" / "out", **SHARDS)
        before = parts(tmp_path / "disk" / "out")
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path / "disk")], check=True)
        for out in ("out", "new"):
            with pytest.raises(lc.errors.BulkError, match=r"can be written, got .* Read-only file system"):
                explain_dataset(TEXTS[:12], explainer, tmp_path / "disk" / out, **SHARDS)
        assert parts(tmp_path / "disk" / "out") == before


def test_a_simulated_full_disk(tmp_path, in_process, monkeypatch):
    """Where nothing can be mounted: the disk is full after so many writes."""
    from lcshap.bulk import folder

    write, writes_left = folder.write_file, [5]

    def full(path, content):
        writes_left[0] -= 1
        if writes_left[0] < 0:
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(folder, "write_file", full)
    with pytest.raises(lc.errors.BulkError, match=r"No space left on device"):
        explain_dataset(TEXTS, explainer, tmp_path, **SHARDS)
    assert finished_shards(tmp_path) == {0, 1}


def test_a_folder_with_other_files_is_refused(tmp_path, in_process):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(lc.errors.BulkError, match=r"which holds 'thesis\.tex'\. Choose another one"):
        explain_dataset(TEXTS, explainer, tmp_path, **SHARDS)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_wrong_options(tmp_path, in_process):
    for options, match in (
        ({"shard_rows": 0}, "shard_rows as a whole number"),
        ({"factory": "bulk_models:nameless"}, "model_name"),
        ({"factory": "bulk_models:no_explainer"}, "returns an lcshap.Explainer, got int"),
        ({"source": 3}, "Expected a path, a table or an iterable"),
        ({"source": TEXTS, "column": "text"}, "Expected a table for column="),
    ):
        with pytest.raises(lc.errors.OptionError, match=match):
            explain_dataset(**{"source": TEXTS, "factory": explainer, "out": tmp_path / "out", **options})


def test_engines_by_name(tmp_path):
    for engine, options, match in (
        ("slurm", {}, "'local' or 'ray', got 'slurm'"),
        ("local", {"num_gpus": 1}, "Expected engine='ray' for num_gpus="),
        ("local", {"workers": 0}, "at least 1, got 0"),
    ):
        with pytest.raises(lc.errors.OptionError, match=match):
            explain_dataset(TEXTS, explainer, tmp_path / "out", engine, **options)


def test_a_generator_is_read_once_and_compared_on_resuming(tmp_path, in_process, reference_run):
    done = explain_dataset((text for text in TEXTS), explainer, tmp_path, **SHARDS)
    assert (done.rows, done.total) == (40, 40)
    assert parts(tmp_path) == parts(reference_run)
    with pytest.raises(lc.errors.BulkError, match=r"have changed"):
        explain_dataset((text + "!" for text in TEXTS), explainer, tmp_path, **SHARDS)


def test_ctrl_c_leaves_complete_parts_and_no_process(tmp_path, reference_run):
    out, log = tmp_path / "out", tmp_path / "log"
    process = start_run(tmp_path, out, LCSHAP_TEST_SLEEP="0.05", LCSHAP_TEST_LOG=str(log))
    while not log.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"KeyboardInterrupt" in stderr
    written = parts(out)
    assert written == {name: content for name, content in parts(reference_run).items() if name in written}


def test_labels_are_stored_with_the_predictions(tmp_path, in_process):
    table = pd.DataFrame({"text": ["good good", "bad", "", "good but bad bad"], "stars": [1, 0, 1, 1]})
    table.to_parquet(tmp_path / "t.parquet")
    columns = {"column": "text", "label": "stars", "label_names": {"0": "no", "1": "yes"}}
    explain_dataset(tmp_path / "t.parquet", opinions, tmp_path / "out", **columns)
    parts_table = pd.read_parquet(tmp_path / "out" / "parts")
    assert parts_table["label"].tolist() == ["yes", "no", "yes", "yes"]
    assert parts_table["prediction"].fillna("none").tolist() == ["yes", "no", "none", "no"]
    assert [e.provenance["label"] for e in lc.bulk.load(tmp_path / "out")] == ["yes", "no", "yes"]
    with pytest.raises(lc.errors.BulkError, match=r"data.labels"):
        explain_dataset(tmp_path / "t.parquet", opinions, tmp_path / "out", column="text")
    with pytest.raises(lc.errors.OptionError, match=r"classes of the model \(no, yes\) in the column 'stars', got '0'"):
        explain_dataset(tmp_path / "t.parquet", opinions, tmp_path / "other", column="text", label="stars")
    assert not (tmp_path / "other" / "manifest.json").exists()


def test_the_label_column_is_the_y_of_a_loss(tmp_path, in_process):
    table = pd.DataFrame({"text": ["good good", "bad", "", "good but bad bad"], "stars": ["yes", "yes", "no", None]})
    table.to_parquet(tmp_path / "t.parquet")
    explain_dataset(tmp_path / "t.parquet", opinion_losses, tmp_path / "out", column="text", label="stars")
    explanations = list(lc.bulk.load(tmp_path / "out"))
    assert [e.names for e in explanations] == [("good", "good"), ("bad",)]
    np.testing.assert_allclose([e.full_value for e in explanations], [np.log1p(np.exp(-4)), np.log1p(np.exp(2))])
    errors = pd.read_parquet(tmp_path / "out" / "parts")["error"].fillna("").tolist()
    assert "Expected y, the true class or number of the input, for the loss 'cross_entropy', got none" in errors[3]
    with pytest.raises(lc.errors.OptionError, match=r"true classes or numbers as label= .* 'cross_entropy', got none"):
        explain_dataset(tmp_path / "t.parquet", opinion_losses, tmp_path / "other", column="text")
