import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import crashing_model
import httpx
import numpy as np
import psutil
import pytest
from command import fails, module, run
from PIL import Image
from playground_client import Client

import lcshap as lc
from lcshap.cli.options_shared import ModelOptions, OutputKind
from lcshap.cli.serving import load_isolated, model_source, read_examples
from lcshap.core.io import from_dict
from lcshap.errors import MaskerError

MODELS = """
import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

X = np.random.default_rng(0).normal(size=(30, 11))
two = (X[:, 0] + X[:, 1] * X[:, 2] > 0.2).astype(int)
three = two + (X[:, 2] > 0.5)
boosted = GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, two)
forest = RandomForestClassifier(4, random_state=0).fit(X, two)
logistic = LogisticRegression().fit(X, three)
"""
EXPECTED = {"boosted": ("log_odds", "TreeSHAP"), "forest": ("prob", "TreeSHAP"), "logistic": ("output", "LinearSHAP")}


@pytest.fixture
def exit_stack():
    with ExitStack() as stack:
        yield stack


def serving(*arguments, folder):
    """A real process, and the address that it prints."""
    command = [sys.executable, "-m", "lcshap", "serve", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    line = process.stderr.readline()
    assert "http://" in line, line + process.stderr.read()
    return process, line.split()[-1]


def read_about(url):
    with httpx.Client(follow_redirects=True) as client:
        page = client.get(url).text
    return json.loads(page.partition('id="about">')[2].partition("</script>")[0])


def stop(process):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


def test_a_model_of_the_user_with_examples(tmp_path):
    module(tmp_path, "mine", "def model(texts):\n    return [[0.0, float(len(t))] for t in texts]\n")
    (tmp_path / "some.jsonl").write_text('"to be"\n{"text": "or not"}\n\n')
    process, url = serving(
        *("--model", "mine:model", "--kind", "logits", "--classes", "short,long", "--examples", "some.jsonl"),
        folder=tmp_path,
    )
    try:
        page_settings = read_about(url)
        assert [example["content"] for example in page_settings["input"]["examples"]] == ["to be", "or not"]
        assert page_settings["classes"] == ["short", "long"]
    finally:
        code, out, err = stop(process)
    assert (code, out) == (0, "")
    assert "Traceback" not in err


def test_the_server_survives_a_crash_of_the_model(tmp_path, exit_stack):
    """A real process; the model has another one, unless somebody says otherwise, and ends with the server."""
    (tmp_path / "mine.py").write_text(Path(crashing_model.__file__).read_text())
    (tmp_path / "rest.py").write_text("async def model(texts):\n    return [len(text) for text in texts]\n")
    process, url = serving("--model", "mine:model", "--kind", "logits", "--text", "so good", folder=tmp_path)
    try:
        client = Client(SimpleNamespace(url=url))
        exit_stack.callback(client.http.close)
        asked = lambda text: client.post("/api/predict", {"input": {"text": text}})  # noqa: E731
        assert asked("good print").status_code == 200
        assert "exit code 3. It is started again" in asked("so die").json()["error"]
        assert asked("a good film").json()["outputs"][1][1] == pytest.approx(1 / (1 + np.exp(-1)))
        (child,) = psutil.Process(process.pid).children()[-1:]
    finally:
        code, out, err = stop(process)
    assert (code, out) == (0, "")
    assert "Traceback" not in err
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_remote_models_stay_in_the_process(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module(tmp_path, "far", "async def model(texts):\n    return [len(text) for text in texts]\n")
    far = load_isolated("far:model", lc.maskers.Text(), ModelOptions(model="far:model", kind=OutputKind("output")))
    assert not isinstance(far, lc.adapters.IsolatedModel)  # it asks another machine: it stays here
    with pytest.raises(lc.errors.OptionError, match="Expected a name that crashing_model has for --model, got 'none'"):
        load_isolated("crashing_model:none", lc.maskers.Text(), ModelOptions())


def test_hosts_and_ports_that_are_refused():
    fails("serve", "--model", "demo-text", "--host", "0.0.0.0", code=2, match="--allow-others")
    fails("serve", "--model", "demo-text", "--port", "99999", code=2, match="another port")
    fails("serve", code=2, match="Expected a model")
    assert "--allow-others" in run("serve", "--help")[0]


def test_examples_of_all_kinds(tmp_path):
    Image.fromarray(np.full((6, 5, 3), 9, np.uint8)).save(tmp_path / "cat.png")
    path = tmp_path / "e.jsonl"
    path.write_text('{"image": "cat.png"}\n')
    assert read_examples(path, lc.maskers.Image(), 100)[0].shape == (6, 5, 3)
    path.write_text('{"a": 1, "b": 2}\n[3, 4]\n{"row": [5, 6]}\n')
    masker = lc.maskers.Tabular([[0.0, 0.0], [1.0, 1.0]], graph=lc.Graph.complete(2, names=["a", "b"]))
    assert read_examples(path, masker, 100) == [{"a": 1, "b": 2}, [3, 4], [5, 6]]


@pytest.mark.parametrize("line", ["", "{", "3", '{"image": "none.png"}', '{"other": 1}', "[" * 5000])
def test_lines_that_are_no_examples(tmp_path, line):
    path = tmp_path / "e.jsonl"
    path.write_text(line + os.linesep)
    with pytest.raises(MaskerError, match="Expected"):
        read_examples(path, lc.maskers.Text(), 100)


@pytest.mark.parametrize("model", ["demo-text", "demo-digits", "json:dumps", "os:path.join"])
def test_source_of_models_makes_them(model):
    names = {}
    exec(model_source(model), names)
    assert names["model"] is not None
    assert model_source("evil; import os:x") is None


@pytest.mark.parametrize("name", EXPECTED)
def test_an_isolated_model_of_a_table_has_the_defaults_of_tables(tmp_path, name):
    pytest.importorskip("sklearn")
    module(tmp_path, "classifiers", MODELS)
    models = {}
    exec(MODELS, models)
    rows = models["X"]
    lines = [",".join("abcdefghijk"), *(",".join(map(repr, row.tolist())) for row in rows)]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    table = ("--csv", "rows.csv", "--row", "0", "--background", "5")
    process, url = serving("--model", f"classifiers:{name}", *table, folder=tmp_path)
    try:
        x = {"table": read_about(url)["input"]["examples"][0]["content"]}
        client = Client(SimpleNamespace(url=url))
        events = client.explain({"input": x, "columns": [{}]})
        assert events[-1][0] == "done", events[-1]
        e = from_dict(client.http.get(f"/api/results/{events[-1][1]['result']}/json").json())
        path = client.explain({"input": x, "columns": [{"method": "deletion-path"}]})[-1][1]["result"]
        path = from_dict(client.http.get(f"/api/results/{path}/json").json())
        content = {"input": x, "column": {}, "removed": [1], "replaced": {}}
        answer = client.post("/api/ask", content).json()
        locality = client.post("/api/locality", {"input": x, "column": {}, "output": 1 if name == "logistic" else 0})
        refused = client.post("/api/locality", {"input": x, "column": {}, "output": "first"}).json()
        client.http.close()
    finally:
        stop(process)
    expected = lc.Explainer(models[name], lc.maskers.Tabular(rows[1:], summary=5))(rows[0])
    value, method = EXPECTED[name]
    assert (e.provenance["value"], expected.provenance["value"]) == (value, value)
    assert e.provenance["method"] == expected.provenance["method"]
    assert e.provenance["method"].startswith(method)
    assert e.provenance["targets"] == expected.provenance["targets"]
    np.testing.assert_allclose(e.scores, expected.scores, atol=1e-12)
    assert np.abs(e.scores).max() > 1e-3
    assert path.provenance["targets"] == [str(models[name].predict(rows[:1])[0])]  # of the decision, also in a table
    if name == "logistic":  # a linear model changes by exactly the scores, in each class
        change = np.subtract(answer["now"]["values"], answer["before"]["values"])
        np.testing.assert_allclose(change, -expected.scores[1], atol=1e-12)
    assert locality.status_code == 200, locality.text
    assert "number of an output" in refused["error"]
