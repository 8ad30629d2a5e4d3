"""`lcshap bulk`: previewed, run, interrupted, looked at and reported."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from command import fails, module, run
from PIL import Image

import lcshap as lc
from bulk_models import InProcess
from lcshap.bulk import dataset_run as bulk_run
from lcshap.cli.bulk import _method_options
from lcshap.cli.option_groups import UsageError
from lcshap.cli.options_shared import Interactions, MethodOption, MethodSettings

REVIEWS = ["It just sucks.", "A great film!", "One of the best.", "Not heartwarming."] * 3


@pytest.fixture
def in_process(monkeypatch):
    """Runs take place in this process."""
    monkeypatch.setattr(bulk_run, "make_engine", lambda name, work, **options: InProcess(work))
    for name in list(os.environ):
        if name.endswith("_NUM_THREADS"):
            monkeypatch.setenv(name, os.environ[name])


@pytest.fixture
def reviews(tmp_path):
    path = tmp_path / "reviews.csv"
    pd.DataFrame({"key": [f"r{k}" for k in range(12)], "text": REVIEWS}).to_csv(path, index=False)
    return path


def test_texts_from_the_beginning_to_the_report(tmp_path, in_process, reviews):
    out, page = tmp_path / "run", tmp_path / "page.html"
    command = ("bulk", reviews, "--column", "text", "--id", "key", "--model", "demo-text", "--budget", "4d")
    printed, _ = run(*command, "--out", out, "--shard-rows", 5)
    assert "12 of 12 inputs in 3 parts" in printed
    assert "(complete)" in run("bulk", "status", out)[0]
    table = run("bulk", "summary", out, "--top", 2)[0]
    assert "sucks" in table
    assert "great" in table
    first = lc.bulk.load(out)[0]
    plain = lc.paper.networks.demo.review_explainer()(REVIEWS[0])
    assert first.provenance["id"] == "r0"
    assert np.allclose(first.scores, plain.scores)
    run("report", out, "--out", page)
    assert "12 explanations" in page.read_text(encoding="utf-8")
    run("report", out, "--out", page, "--samples", 3, "--force")
    assert "3 of 12 explanations" in page.read_text(encoding="utf-8")
    fails(
        *command[:-1], "8d", "--out", out, "--shard-rows", 5, code=1, match="explainer.budget is .8d. instead of .4d."
    )


def test_labels_of_a_run_and_of_a_report(tmp_path, in_process):
    csv, out, page = tmp_path / "r.csv", tmp_path / "run", tmp_path / "page.html"
    pd.DataFrame({"text": REVIEWS, "stars": [1, 5, 5, 5] * 3}).to_csv(csv, index=False)
    command = ("bulk", csv, "--label", "stars", "--model", "demo-text", "--budget", "4d", "--out", out)
    fails(*command, code=2, match="--label-names 1=negative")
    fails(*command, "--label-names", "1,5", code=2, match="such as 0=negative,1=positive, got '1,5'")
    run(*command, "--label-names", "1=negative, 5=positive")
    run("report", out, "--out", page)
    text = page.read_text(encoding="utf-8")
    assert text.count('"label": "positive"') + text.count('"label":"positive"') == 9
    (tmp_path / "labels.txt").write_text("negative\n" * 12)
    run("report", out, "--out", page, "--force", "--labels", tmp_path / "labels.txt")
    text = page.read_text(encoding="utf-8")
    assert text.count('"label": "negative"') + text.count('"label":"negative"') == 12


def test_exit_codes_with_failed_inputs(tmp_path, in_process):
    """Some bad rows are a warning, nothing but bad rows is an error."""
    some, none = tmp_path / "some.csv", tmp_path / "none.csv"
    pd.DataFrame({"text": ["It just sucks.", "...", "A great film!"]}).to_csv(some, index=False)
    pd.DataFrame({"text": ["...", "!"]}).to_csv(none, index=False)
    options = ("--column", "text", "--model", "demo-text", "--budget", "4d", "--out")
    printed, warnings = run("bulk", some, *options, tmp_path / "a")
    assert "3 of 3 inputs" in printed
    assert "lcshap: warning: 1 of 3 inputs have an error in place of an explanation." in warnings
    for _ in range(2):  # also when it is run again
        fails("bulk", none, *options, tmp_path / "b", code=1, match="each of the 2 inputs, the first: Expected a text")
    assert lc.bulk.status(tmp_path / "b").complete
    assert (
        "warning" not in run("bulk", some, "--column", "text", "--model", "demo-text", "--budget", "4d", "--preview")[1]
    )


def test_a_preview_in_money(reviews):
    printed, _ = run(
        *("bulk", reviews, "--column", "text", "--model", "demo-text", "--budget", "4d"),
        *("--preview", "--sample", 4, "--price", 0.001, "--workers", "1-2"),
    )
    for phrase in ("12 inputs; 4 were tried", "calls ", "in all by 2 workers", "(price 0.001 a row)", "errors  0 of 4"):
        assert phrase in printed


def test_rows_of_a_table(tmp_path, in_process, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    module(tmp_path, "line_model", "def line(rows):\n    return rows @ [1.0, 10.0]\n")
    pd.DataFrame({"a": [1.0, 2, 3], "b": [0.5, 0, 1], "label": ["x", "y", "x"]}).to_csv("t.csv", index=False)
    options = ("--model", "line_model:line", "--kind", "output", "--method", "shapley", "--model-name", "line")
    run("bulk", "t.csv", "--drop", "label", *options, "--background", 3, "--out", "run")
    explanations = list(lc.bulk.load("run"))
    assert [e.names for e in explanations] == [("a", "b")] * 3
    assert np.allclose(explanations[0].scores, [-1.0, 0.0])  # less the mean of each column, times its weight
    fails(
        "bulk",
        "t.csv",
        "--drop",
        "c",
        *options,
        "--out",
        "run",
        code=2,
        match="to --drop, got 'c'. There are a, b, label",
    )


def test_a_folder_of_images(tmp_path, in_process):
    folder = tmp_path / "digits"
    folder.mkdir()
    _, _, digit = lc.paper.networks.demo.demo_digits()
    pixels = np.clip(np.squeeze(np.asarray(digit, float)) * (255 if np.max(digit) <= 1 else 1), 0, 255)
    for name in ("a.png", "b.png"):
        Image.fromarray(pixels.astype(np.uint8)).save(folder / name)
    (folder / "c.png").write_text("no image")
    options = ("--model", "demo-digits", "--units", "patch=7", "--grey")
    options += ("--scale",) if np.max(digit) <= 1 else ()
    printed, _ = run("bulk", folder, *options, "--method", "shapley", "--max-calls", 70_000, "--out", tmp_path / "run")
    assert "3 of 3 inputs" in printed
    assert "1 input with an error, the first: Expected an image" in printed
    assert [e.provenance["id"] for e in lc.bulk.load(tmp_path / "run")] == ["a.png", "b.png"]


def test_ctrl_c_prints_how_to_resume(tmp_path, reviews):
    log = tmp_path / "log"
    command = [sys.executable, "-m", "lcshap", "bulk", str(reviews), "--column", "text", "--out", str(tmp_path / "run")]
    command += ["--factory", "bulk_models:explainer", "--workers", "1", "--shard-rows", "2"]
    folders = [path for path in sys.path if path]
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(folders),
        "LCSHAP_TEST_LOG": str(log),
        "LCSHAP_TEST_SLEEP": "0.3",
    }
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    while not log.exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert stderr.decode().splitlines()[-1] == "lcshap: error: Interrupted. Rerun the same command to resume."


def test_wrong_options(tmp_path, reviews, in_process):
    out = ("--out", tmp_path / "run")
    fails("bulk", reviews, "--column", "text", *out, code=2, match="one of --model and --factory, got none")
    model_and_factory = ("--model", "demo-text", "--factory", "a:b")
    fails("bulk", reviews, "--column", "text", *model_and_factory, *out, code=2, match="got both")
    fails("bulk", reviews, "--column", "text", "--model", "demo-text", code=2, match="Give one with --out")
    fails("bulk", reviews, "--column", "body", "--model", "demo-text", *out, code=2, match="It has key, text")
    fails("bulk", tmp_path / "no.csv", "--model", "demo-text", *out, code=1, match="does not exist")
    fails("bulk", "progress", tmp_path, code=2, match="lcshap bulk status DIR")
    fails("bulk", "status", tmp_path, code=1, match="has no manifest.json")
    workers = ("--model", "demo-text", "--workers", "many")
    fails("bulk", reviews, "--column", "text", *workers, *out, code=2, match="a range such as 2-8, got 'many'")
    fails("report", tmp_path, "--out", tmp_path / "x.html", code=1, match="has no manifest.json")


def test_methods_for_inputs_of_all_sizes():
    assert _method_options(MethodOption("kernel-shap"), MethodSettings("4d")) == {
        "method": "kernel-shap",
        "budget": "4d",
    }
    assert _method_options(MethodOption("l-shapley:order=2"), MethodSettings()) == {"method": lc.LShapley(2)}
    assert _method_options(MethodOption("l-shapley"), MethodSettings(order=3)) == {"method": lc.LShapley(3)}
    pairs = MethodSettings(interactions=Interactions.EDGES)
    assert _method_options(MethodOption(), pairs) == {"method": "auto", "interactions": True}
    for option, settings, match in (
        (MethodOption(), MethodSettings("2s"), "in calls, such as 400 or 4d"),
        (MethodOption(), MethodSettings(order=1), "a method with the parameter order"),
        (MethodOption("graph-kernel-shap:reach=1"), MethodSettings("4d"), "a number of calls with parameters"),
    ):
        with pytest.raises(UsageError, match=match):
            _method_options(option, settings)


def test_the_label_column_is_the_y_of_a_loss(tmp_path, in_process):
    csv, out = tmp_path / "t.csv", tmp_path / "run"
    pd.DataFrame({"text": REVIEWS, "stars": ["negative", "positive", "negative", "positive"] * 3}).to_csv(
        csv, index=False
    )
    command = ("bulk", csv, "--model", "demo-text", "--budget", "4d", "--value", "brier", "--out", out)
    fails(*command, "--column", "text", code=2, match=r"as label= \(--label\) for the loss 'brier', got none")
    run(*command, "--column", "text", "--label", "stars")
    explanations = list(lc.bulk.load(out))
    assert [e.provenance["label"] for e in explanations[:2]] == ["negative", "positive"]
    right, wrong = explanations[1], explanations[2]  # "One of the best." is positive to the model
    assert 0 <= right.full_value < 0.5 < wrong.full_value <= 2
