import json
import os
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture
from typer.testing import CliRunner

import lcshap as lc
from lcshap import cli
from lcshap.cli import demo, doctor
from lcshap.cli.app import app
from lcshap.core.io import from_dict
from lcshap.paper.experiments import reproduce
from lcshap.paper.networks.demo import SENTENCE, demo_digits, demo_text

PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def run(*arguments, code=0, text=None):
    """Run a command; standard output and standard error."""
    result = CliRunner(env=PLAIN).invoke(app, list(map(str, arguments)), input=text)
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


def fails(*arguments, code, match):
    """Run a command that fails, with one line on standard error and nothing on standard output."""
    out, err = run(*arguments, code=code)
    assert out == ""
    assert re.fullmatch(r"lcshap: error: [^\n]*\n", err)
    assert re.search(match, err), err


def explained(*arguments, **options):
    """The explanation in what `explain --json` prints, which must be JSON and nothing else."""
    return from_dict(json.loads(run("explain", *arguments, "--json", **options)[0]))


def process(*arguments, **options):
    """A real run of the command."""
    env = {**os.environ, **PLAIN, "OPENBLAS_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "lcshap", *arguments],
        capture_output=True,
        text=True,
        env=env,
        encoding="utf-8",
        **options,
    )


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty current directory, from which modules can be imported once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def width_of(path):
    with Picture.open(path) as picture:
        return picture.size[0]


def module(folder, name, source):
    (folder / f"{name}.py").write_text(source)


# -- the demo ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def no_onnxruntime(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)


def without(monkeypatch, missing):
    found = cli.find_spec
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == missing else found(name))


def test_demo_prints_its_page_and_writes_another(here):
    out, err = run("demo", "--html", "d.html")
    assert err == ""
    printed = demo.render(demo.explain(), width=100, colour=False, dark=True)
    assert out == f"{printed}\n\nAll of this to click through, in a browser: d.html\n"
    page = (here / "d.html").read_text(encoding="utf-8")
    assert all(name in page for name in ["lcshap demo", *demo.METHODS])
    assert os.listdir(here) == ["d.html"]
    fails_after = run("demo", "--html", "d.txt", code=1)[1]
    assert re.fullmatch(r"lcshap: error: a report is a web page[^\n]*\n", fails_after)


def test_demo_writes_to_a_new_folder_and_opens_it(here, monkeypatch):
    opened = []
    monkeypatch.setattr(cli.webbrowser, "open", opened.append)
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    out = run("demo", "--open", "--color", "always")[0]
    assert "\033[48;2;" in out or "\033[38;2;" in out
    (page,) = here.glob("lcshap-*/lcshap-demo.html")
    assert out.splitlines()[-1].endswith(str(page))
    assert opened == [page.as_uri()]


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_only_the_demo_works(here, monkeypatch, capsys, missing):
    without(monkeypatch, missing)
    monkeypatch.setenv("COLUMNS", "100")
    assert cli.main(["demo", "--color", "never", "--html", "d.html"]) == 0
    assert capsys.readouterr().out == run("demo", "--html", "d.html")[0]
    assert cli.main(["explain", "--model", "demo-text"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert 'pip install "lcshap[cli]"' in err
    assert err.count("\n") == 1
    assert cli.main([]) == 1
    assert cli.main(["--version"]) == 0
    assert lc.__version__ in capsys.readouterr().out
    assert cli.main(["demo", "--color", "pink"]) == 2
    assert cli.main(["demo", "--html", "nowhere/d.html"]) == 1
    assert "lcshap: error: " in capsys.readouterr().err


@pytest.mark.usefixtures("no_onnxruntime")
def test_without_onnxruntime_the_line_that_installs_it(monkeypatch, capsys):
    line = r'pip install "lcshap\[onnx\]"'
    for arguments in (["demo"], ["explain", "--model", "demo-text"], ["compare", "--model", "demo-digits"]):
        fails(*arguments, code=1, match=line)
    without(monkeypatch, "typer")
    assert cli.main(["demo"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(rf"lcshap: error: [^\n]*{line}\n", err)


def test_the_library_does_not_import_the_extra():
    code = "import lcshap, lcshap.cli, sys; print([m for m in ('typer', 'rich') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# -- explain ----------------------------------------------------------------------------------------------------------


def test_explain_gives_what_the_library_gives():
    model, masker, _ = demo_text()
    text = "Not bad, but never really funny."
    words = ("--model", "demo-text", "--text", text, "--method", "l-shapley", "--order", 2, "--context", "both")
    method = lc.LShapley(2, "both")
    for options, used in (((), masker), (("--absent", "delete"), lc.maskers.Text())):
        e = explained(*words, *options)
        assert e.provenance["method"] == str(method)
        expected = lc.Explainer(model, used, method)(text)
        np.testing.assert_allclose(e.scores, expected.scores, atol=1e-9)
        assert e.provenance["targets"] == expected.provenance["targets"]


def test_explain_prints_a_picture():
    out, err = run("explain", "--model", "demo-text", "--top", 3)
    assert err == ""
    assert SENTENCE in out
    assert "explains log_prob of negative" in out
    assert "and 6 others" in out
    assert "chosen because" in out
    assert "\033" not in out
    assert "\033[38;2;" in run("explain", "--model", "demo-text", "--color", "always")[0]


@pytest.mark.parametrize("name", [n for n in lc.METHODS if n not in ("saliency", "gradient-input")])
def test_every_method_can_be_named(name):
    e = explained("--model", "demo-text", "--method", name, "--budget", "12d")
    assert e.provenance["name"] == name
    assert len(e.scores) == 9


@pytest.mark.parametrize("name", ["saliency", "gradient-input"])
def test_methods_that_read_gradients_need_a_model_that_has_them(here, name):
    fails("explain", "--model", "demo-text", "--method", name, code=1, match="choose a method that needs only values")
    module(here, "linear", "import torch\nnet = torch.nn.Linear(3, 2)\n")
    (here / "t.csv").write_text("a,b,c\n1,2,3\n4,5,6\n7,8,9\n")
    e = explained("--model", "linear:net", "--kind", "logits", "--csv", "t.csv", "--background", 0, "--method", name)
    assert e.provenance["name"] == name


def test_parameters_of_methods():
    words = ("--model", "demo-text", "--text", "a very good film")
    e = explained(*words, "--method", "l-shapley:order=2:interactions=true")
    assert e.provenance["parameters"] == {"order": 2, "context": "absent", "interactions": True}
    assert e.interactions is not None
    e = explained(*words, "--method", "c-shapley", "--weights", "myerson")
    assert e.provenance["parameters"]["weights"] == "myerson"
    e = explained(*words, "--method", "kernel-shap:budget=3d", "--seed", 5)
    assert e.provenance["parameters"] == {"budget": 12, "seed": 5}
    assert explained(*words, "--budget", 20).provenance["chosen"]["budget"] == 20
    assert explained(*words, "--goal", "necessary", "--budget", "4d").provenance["name"] == "deletion-path"
    fails("explain", *words, "--method", "shapley", "--order", 2, code=2, match="shapley has no parameter 'order'")
    fails("explain", *words, "--method", "l-shapley:depth=2", code=2, match="it has order, context, interactions")
    fails("explain", *words, "--method", "l-shapley:2", code=2, match="name=value")
    fails("explain", *words, "--order", 2, code=2, match="say --method")
    fails("explain", *words, "--budget", "many", code=1, match="a budget is")
    fails("explain", *words, "--goal", "fun", code=1, match="goal must be one of")


def test_targets_values_and_classes():
    digits = ("--model", "demo-digits", "--method", "feature-ablation", "--units", "patch=4")
    assert explained(*digits).provenance["targets"] == ["3"]
    eight = explained(*digits, "--target", 8)  # the class of that name, not the ninth
    assert eight.provenance["targets"] == ["8"]
    model, _, image = demo_digits()
    logits = model.predict(image[None])[0].astype(float)
    assert eight.full_value == pytest.approx(logits[1] - np.logaddexp(*logits), abs=1e-6)
    assert explained(*digits, "--target", 1).provenance["targets"] == ["8"]
    assert explained(*digits, "--target", 3, "--target", 8).scores.shape == (49, 2)
    assert explained(*digits, "--target", "all").scores.shape == (49, 2)
    assert explained(*digits, "--target", 8, "--against", 3).provenance["targets"] == ["8 - 3"]
    assert explained(*digits, "--target", 0, "--against", 1).provenance["targets"] == ["3 - 8"]
    assert explained(*digits, "--value", "prob").provenance["value"] == "prob"
    names = explained("--model", "demo-text", "--classes", "thumb down, thumb up", "--target", "thumb up")
    assert names.provenance["targets"] == ["thumb up"]
    fails("explain", *digits, "--against", 8, code=2, match="--against goes with one --target")
    fails("explain", *digits, "--target", 3, "--target", 8, "--against", 8, code=2, match="goes with one --target")
    fails("explain", *digits, "--target", 12, code=1, match="out of range")
    fails("explain", *digits, "--kind", "output", code=1, match="contradicts it")
    assert "explains log_prob of 3, 8" in run("explain", *digits, "--target", 3, "--target", 8)[0]


def test_preview_asks_the_model_nothing(here):
    module(here, "shy", "def model(rows):\n    raise AssertionError\n")
    out, _ = run("explain", "--model", "shy:model", "--kind", "output", "--text", "a b c", "--preview")
    assert "calls   8" in out


def test_results_go_to_files(here):
    out, err = run(
        "explain", "--model", "demo-text", "--curve", "--save", "e.json", "--html", "e.html", "--plot", "e.png"
    )
    assert [line.partition(" ")[2] for line in err.splitlines()] == ["e.json", "e.png", "e.html"]
    e = lc.load("e.json")
    assert e.curve is not None
    assert f"{e.calls} calls" in out
    assert width_of("e.png") > 300
    page = (here / "e.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "sucks." in page
    fails_after = run("explain", "--model", "demo-text", "--plot", "e.tiff", code=1)[1]
    assert "saved as .png, .svg or .pdf" in fails_after


def test_what_a_model_prints_does_not_spoil_the_json(here):
    module(here, "loud", "print('hello')\ndef model(rows):\n    print('working')\n    return [len(r) for r in rows]\n")
    out, err = run("explain", "--model", "loud:model", "--kind", "output", "--text", "a bc", "--json")
    assert from_dict(json.loads(out)).scores.tolist() == pytest.approx([1.5, 2.5])
    assert "hello" in err
    assert "working" in err


# -- inputs -----------------------------------------------------------------------------------------------------------


def test_texts_from_files_and_standard_input(here):
    (here / "review.txt").write_bytes("\ufeffGood film. Très bad end.".encode())
    module(here, "own", "def count(texts):\n    return [float(len(t)) for t in texts]\n")
    model = ("--model", "own:count", "--kind", "output", "--method", "feature-ablation")
    assert explained(*model, "--file", "review.txt").names == ("Good", "film.", "Très", "bad", "end.")
    assert explained(*model, "--file", "-", text="one two").names == ("one", "two")
    sentences = explained(*model, "--file", "review.txt", "--units", "sentence")
    assert sentences.names == ("Good film.", "Très bad end.")
    masked = explained(*model, "--text", "ab c", "--units", "character", "--absent", "____")
    assert masked.scores.tolist() == [-3, -3, -3]
    (here / "latin.txt").write_bytes("Très".encode("latin-1"))
    fails("explain", *model, "--file", "latin.txt", code=1, match="no text in UTF-8")
    fails("explain", *model, "--file", "none.txt", code=2, match="there is no file 'none.txt'")
    fails("explain", *model, "--file", ".", code=2, match="cannot be read")
    fails("explain", *model, "--text", "", code=1, match="nothing to explain")
    fails("explain", *model, "--text", "a", "--units", "pixel", code=2, match="it takes word, sentence, character")


def test_image_files(here):
    model, _, grey = demo_digits()
    Picture.fromarray(grey).save("digit.png")
    Picture.fromarray(np.dstack([grey, grey // 2, grey])).save("colour.png")
    digits = ("--model", "demo-digits", "--method", "feature-ablation")
    e = explained(*digits, "--image", "digit.png", "--units", "patch=7", "--absent", 0)
    assert e.provenance["targets"] == ["3"]
    assert len(e.scores) == 16
    assert np.array_equal(e.view["image"][..., 0], grey)
    covered = grey.copy()
    covered[7:14, 14:21] = 0
    both = model.predict(np.stack([grey, covered])).astype(float)
    log_prob = both[:, 0] - np.logaddexp(both[:, 0], both[:, 1])
    assert e.scores[6] == pytest.approx(log_prob[0] - log_prob[1], abs=1e-6)
    assert len(explained(*digits, "--image", "digit.png").scores) == 784
    fails("explain", *digits, "--image", "colour.png", code=1, match=r"images of shape \(28, 28\) are needed")
    module(here, "means", "def model(rows):\n    return rows.reshape(len(rows), -1).mean(axis=1)\n")
    means = ("--model", "means:model", "--kind", "output", "--method", "feature-ablation", "--units", "patch=28")
    full = {
        (): np.dstack([grey, grey // 2, grey]).mean(),
        ("--scale",): np.dstack([grey, grey // 2, grey]).mean() / 255,
        ("--scale", "--channels-first"): np.dstack([grey, grey // 2, grey]).mean() / 255,
        ("--grey",): np.asarray(Picture.fromarray(np.dstack([grey, grey // 2, grey])).convert("L")).mean(),
    }
    for options, expected in full.items():
        e = explained(*means, "--image", "colour.png", "--absent", 0, *options)
        assert e.full_value == pytest.approx(expected, rel=1e-5)
        assert e.base_value == 0
    regions = explained(*means[:-2], "--image", "colour.png", "--units", "superpixel=6", "--absent", "blur")
    assert 2 <= len(regions.scores) <= 12
    (here / "no.png").write_bytes(b"not an image")
    fails("explain", *digits, "--image", "no.png", code=1, match="no image that can be read")
    fails("explain", *digits, "--image", "none.png", code=2, match="there is no file")
    fails("explain", *digits, "--image", "digit.png", "--units", "patch=big", code=2, match="at least 1, not 'big'")
    fails("explain", *digits, "--image", "digit.png", "--units", "word", code=2, match="it takes pixel, patch=N")


def test_tables(here):
    rows = np.random.default_rng(0).normal(size=(30, 3)).round(3)
    lines = [f"{a},{b},{k % 2},{c}" for k, (a, b, c) in enumerate(rows.tolist())]
    (here / "t.csv").write_text("\n".join(["age,dose,outcome,mass", *lines]))
    module(here, "linear", "def model(rows):\n    return rows @ [1.0, -2.0, 0.5]\n")
    model = ("--model", "linear:model", "--kind", "output", "--csv", "t.csv", "--drop", "outcome", "--row", 3)
    weights = np.array([1.0, -2.0, 0.5])
    others = np.delete(rows, 3, axis=0)
    e = explained(*model, "--background", 0)
    assert e.names == ("age", "dose", "mass")
    np.testing.assert_allclose(e.scores, weights * (rows[3] - others.mean(axis=0)), atol=1e-12)
    e = explained(*model, "--background", 29)
    np.testing.assert_allclose(e.scores, weights * (rows[3] - others.mean(axis=0)), atol=1e-12)
    two = explained(*model, "--background", 2)
    np.testing.assert_allclose(two.scores, weights * (rows[3] - others[[0, -1]].mean(axis=0)), atol=1e-12)
    assert f"age = {rows[3, 0]:.4g}" in run("explain", *model)[0]
    fails("explain", *model, "--drop", "outcom", code=2, match=r"no column 'outcom'.*it has age, dose, mass")
    fails("explain", *model[:-1], 30, code=2, match="rows 0 to 29")
    fails("explain", *model, "--background", -1, code=2, match="--background is a number of rows")
    fails("explain", *model, "--units", "word", code=2, match="leave it out")
    for name, content, match in (
        ("word.csv", "a,b\n1,x\n2,3\n", "row 0 of word.csv has 'x' in column 'b'"),
        ("short.csv", "a,b\n1,2\n3\n", "row 1 of short.csv has 1 columns, not 2"),
        ("empty.csv", "", "is empty"),
        ("one.csv", "a,b\n1,2\n", "one row only"),
    ):
        (here / name).write_text(content)
        fails("explain", "--model", "linear:model", "--kind", "output", "--csv", name, code=1, match=match)
    (here / "bare.csv").write_text("1,2,3\n4,5,6\n")
    assert explained("--model", "linear:model", "--kind", "output", "--csv", "bare.csv").names == ("0", "1", "2")


def test_series_bytes_tokens_and_molecules(here):
    module(
        here,
        "sums",
        "def numbers(rows):\n    return rows.reshape(len(rows), -1).sum(axis=1)\n"
        "def oxygen(texts):\n    return [float(t.count('O')) for t in texts]\n",
    )
    model = ("--model", "sums:numbers", "--kind", "output", "--method", "feature-ablation")
    (here / "s.csv").write_text("x,y\n" + "\n".join(f"{t},{10 * t}" for t in range(8)))
    e = explained(*model, "--series", "s.csv", "--units", "window=4", "--absent", 0)
    assert e.scores.tolist() == [11 * (0 + 1 + 2 + 3), 11 * (4 + 5 + 6 + 7)]
    assert e.view["channels"] == ["x", "y"]
    (here / "one.csv").write_text("\n".join(map(str, range(64))))
    assert len(explained(*model, "--series", "one.csv", "--absent", "interpolate").scores) == 32
    (here / "f.bin").write_bytes(bytes([1, 2, 3, 4, 5]))
    e = explained(*model, "--bytes", "f.bin", "--units", "window=2")
    assert e.scores.tolist() == [3, 7, 5]
    assert len(explained(*model, "--bytes", "f.bin").scores) == 5
    assert explained(*model, "--tokens", "12 7, 31").scores.tolist() == [12, 7, 31]
    assert explained(*model, "--tokens", "12 7 31", "--absent", 5).scores.tolist() == [7, 2, 26]
    oxygen = explained("--model", "sums:oxygen", "--kind", "output", "--smiles", "CCO", "--method", "feature-ablation")
    assert oxygen.scores.tolist() == [0, 0, 1]
    fails("explain", *model, "--tokens", "a b", code=2, match="--tokens takes integers")
    fails("explain", *model, "--tokens", "1", "--absent", "pad", code=2, match="--absent takes an integer")


# -- models -----------------------------------------------------------------------------------------------------------


def onnx_file(path):
    """A file whose model adds up four numbers, times 1 for one class and -1 for the other."""
    import onnx

    info, floats = onnx.helper.make_tensor_value_info, onnx.TensorProto.FLOAT
    weights = np.array([[1.0, -1.0]] * 4, np.float32)
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])],
        "sum",
        [info("x", floats, [None, 4])],
        [info("y", floats, [None, 2])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    made = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(made.SerializeToString())


def test_an_onnx_file(here):
    onnx_file(here / "sum.onnx")
    (here / "t.csv").write_text("a,b,c,d\n1,2,3,4\n0,0,0,0\n0,0,0,0\n")
    table = ("--csv", "t.csv", "--background", 0)
    e = explained("--model", "sum.onnx", "--kind", "logits", "--value", "log_odds", *table)
    assert e.scores.tolist() == pytest.approx([2, 4, 6, 8])
    assert e.provenance["model"] == "OnnxModel"
    fails("explain", "--model", "none.onnx", "--kind", "logits", *table, code=2, match="there is no file 'none.onnx'")
    fails("explain", "--model", "sum.onnx", *table, code=1, match="write --kind logits")
    (here / "bad.onnx").write_bytes(b"no graph")
    fails("explain", "--model", "bad.onnx", "--kind", "logits", *table, code=1, match="InvalidProtobuf|Protobuf")


def test_objects_of_modules(here):
    module(
        here,
        "own",
        "from sklearn.linear_model import LogisticRegression\nimport numpy as np\nimport lcshap\n"
        "forest = LogisticRegression().fit(np.eye(3), [0, 1, 1])\n"
        "class box:\n    adapter = lcshap.adapters.CallableModel(lambda rows: rows.sum(axis=1), 'output')\n"
        "masker = lcshap.maskers.Text(units='character')\n"
        "def count(texts):\n    return [float(len(t)) for t in texts]\n"
        "def broken(rows):\n    raise RuntimeError('out of order')\n",
    )
    (here / "t.csv").write_text("a,b,c\n1,2,3\n0,0,0\n")
    assert explained("--model", "own:forest", "--csv", "t.csv").provenance["model"] == "SklearnModel"
    assert explained("--model", "own:box.adapter", "--csv", "t.csv").scores.tolist() == pytest.approx([1, 2, 3])
    letters = explained("--model", "own:count", "--kind", "output", "--text", "abc", "--masker", "own:masker")
    assert letters.names == ("a", "b", "c")
    words = ("--text", "a b")
    fails("explain", "--model", "own:counts", *words, code=2, match=r"own has no 'counts' \(did you mean count\?\)")
    fails("explain", "--model", "owl:count", *words, code=1, match="the module owl cannot be imported")
    fails("explain", "--model", "own", *words, code=2, match="package.module:object, not 'own'")
    fails("explain", "--model", "own:count", *words, code=1, match="does not say what its numbers are: write --kind")
    fails(
        "explain", "--model", "own:broken", "--kind", "output", *words, code=1, match="the model failed.*out of order"
    )
    fails("explain", "--model", "own:masker", "--kind", "output", *words, code=1, match="is no model")


# -- compare ----------------------------------------------------------------------------------------------------------


def test_compare_evaluates_each_coalition_once(here):
    module(
        here,
        "own",
        "seen = []\ndef count(texts):\n    seen.extend(texts)\n    return [float(len(t)) ** 2 for t in texts]\n",
    )
    text = "one three five seven eleven"
    names = ["l-shapley:order=2", "c-shapley", "kernel-shap", "deletion-path"]
    options = ("--model", "own:count", "--kind", "output", "--text", text, "--methods", ",".join(names))
    found = json.loads(run("compare", *options, "--json")[0])
    explanations = [from_dict(one) for one in found["explanations"]]
    seen = sys.modules["own"].seen
    assert len(seen) == len(set(seen)) == found["calls"]["together"]
    assert found["calls"]["apart"] == sum(e.calls for e in explanations) > found["calls"]["together"]
    assert [e.provenance["name"] for e in explanations] == ["l-shapley", "c-shapley", "kernel-shap", "deletion-path"]
    methods = [lc.LShapley(2), lc.CShapley(), lc.KernelSHAP(20), lc.DeletionPath(20)]
    for e, method in zip(explanations, methods, strict=True):
        expected = lc.Explainer(sys.modules["own"].count, lc.maskers.Text(), method, kind="output")(text)
        np.testing.assert_allclose(e.scores, expected.scores, atol=1e-9)
        assert e.calls == expected.calls


def test_compare_shows_methods_side_by_side(here):
    out, err = run(
        "compare", "--model", "demo-text", "--methods", "shapley, l-shapley", "--plot", "c.png", "--html", "c.html"
    )
    assert err.splitlines() == ["wrote c.png", "wrote c.html"]
    assert out.count(SENTENCE) == 2
    found = json.loads(run("compare", "--model", "demo-text", "--methods", "shapley,l-shapley", "--json")[0])
    row = next(line for line in out.splitlines() if line.startswith("not "))
    shown = [float(number) for number in re.findall(r"[+-][\d.]+", row)]
    assert shown == pytest.approx([from_dict(e).scores[2] for e in found["explanations"]], abs=1e-3)
    assert "all methods together took 512 model calls instead of 545" in out
    assert width_of("c.png") > 300
    assert "LShapley(order=1" in (here / "c.html").read_text(encoding="utf-8")


def test_compare_of_several_outputs_and_with_curves():
    digits = ("--model", "demo-digits", "--methods", "feature-ablation,l-shapley:order=0", "--units", "patch=4")
    out = run("compare", *digits, "--target", 3, "--target", 8)[0]
    assert out.count("explains log_prob of 3, 8") == 2
    found = json.loads(run("compare", *digits, "--curve", "--json")[0])
    assert all(e["curve"] is not None for e in found["explanations"])
    fails(
        "compare", *digits[:2], "--methods", "l-shapley,lima", code=2, match=r"no method 'lima' \(did you mean lime\?\)"
    )
    fails("compare", *digits[:2], "--methods", ",", code=2, match="at least one method")


# -- the other commands -----------------------------------------------------------------------------------------------


def test_plan_is_the_cost_preview():
    graphs = {
        "chain:400": lc.Graph.chain(400),
        "ring:12": lc.Graph.ring(12),
        "grid:8x9": lc.Graph.grid((8, 9)),
        "grid:3x4x5": lc.Graph.grid((3, 4, 5)),
        "complete:6": lc.Graph.complete(6),
        "tree:-1,0,0,2": lc.Graph.tree([-1, 0, 0, 2]),
    }
    for text, graph in graphs.items():
        assert run("plan", "--graph", text)[0] == f"{lc.LShapley(1).plan(graph)}\n"
    out = run("plan", "--graph", "chain:50", "--method", "l-shapley", "--method", "lime", "--order", 2)[0]
    assert out == f"{lc.LShapley(2).plan(lc.Graph.chain(50)) + lc.LIME(200).plan(lc.Graph.chain(50))}\n"
    assert "at most 200" in run("plan", "--graph", "chain:50", "--method", "deletion-path")[0]
    assert "one gradient" in run("plan", "--graph", "chain:50", "--method", "saliency")[0]
    fails("plan", "--graph", "chain:50", "--method", "shapley", code=1, match=r"2\^50 calls, above max_calls")
    fails("plan", "--graph", "chain:50", "--max-calls", 10, code=1, match="above max_calls=10")
    fails("plan", "--graph", "chian:50", code=2, match="did you mean chain")
    for wrong in ("chain:", "chain:many", "grid:8y8", "chain:3x4"):
        fails("plan", "--graph", wrong, code=2, match="a graph is written as")
    fails("plan", "--graph", "chain:0", code=1, match="at least one unit")
    fails("plan", code=2, match="--graph")


def test_methods_says_what_each_does_and_costs():
    out = run("methods")[0]
    graph = lc.Graph.chain(100)
    for name, kind in lc.METHODS.items():
        assert re.search(rf"^{name}: ", out, re.MULTILINE)
        first = " ".join(kind.__doc__.strip().splitlines()[0].replace("`", "").split())
        assert first in " ".join(out.split())
    assert f"l-shapley: {lc.LShapley().plan(graph).calls} calls" in out
    assert "shapley: 2^100 calls" in out
    assert "kernel-shap: as many as the budget, from 200, calls" in out
    assert "deletion-path: up to the budget, from 102, calls" in out
    assert max(map(len, out.splitlines())) <= 100
    one = run("methods", "c-shapley")[0]
    assert "Parameters\n----------" in one
    assert "References" in one
    fails("methods", "kernelshap", code=2, match="did you mean kernel-shap")


def test_report_is_written_from_saved_explanations(here):
    for name, method in (("a", "shapley"), ("b", "l-shapley")):
        run("explain", "--model", "demo-text", "--method", method, "--save", f"{name}.json")
    out, err = run("report", "a.json", "b.json", "--out", "both.html", "--title", "Two <methods>")
    assert (out, err) == ("", "wrote both.html\n")
    page = (here / "both.html").read_text(encoding="utf-8")
    assert "Two &lt;methods&gt;" in page or "Two \\u003cmethods\\u003e" in page
    assert "Two <methods>" not in page
    fails("report", "c.json", code=2, match="there is no file 'c.json'")
    (here / "d.json").write_text("{}")
    fails("report", "d.json", code=1, match="not an explanation")
    fails("report", code=2, match="(?i)files")


def test_reproduce_runs_an_experiment(here):
    out, err = run("reproduce", "theorems", "--out", "found")
    assert err == ""
    table = (here / "found" / "table.md").read_text(encoding="utf-8")
    assert out.startswith("theorems: found\n")
    assert table.strip() in out


def test_reproduce_hands_on_its_options(monkeypatch):
    seen = []

    def note(**options):
        print("training")
        seen.append(options)
        return "a table"

    monkeypatch.setattr(reproduce, "reproduce", note)
    assert run("reproduce", "mnist") == ("a table\n", "training\n")
    folders = ("--data", "d", "--models", "m", "--out", "o")
    run("reproduce", "imdb", "--samples", 7, "--budget", 300, "--methods", "lime, l-shapley", "--seed", 2, *folders)
    usual = {"samples": 100, "budget": "4d", "methods": None, "data": None, "models": None, "out": None, "seed": 0}
    assert seen[0] == {"name": "mnist", **usual}
    assert seen[1] == {
        "name": "imdb",
        "samples": 7,
        "budget": 300,
        "methods": ["lime", "l-shapley"],
        "data": Path("d"),
        "models": Path("m"),
        "out": Path("o"),
        "seed": 2,
    }


def test_an_interrupted_reproduction_says_how_to_go_on(monkeypatch):
    def stop(**options):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "reproduce", stop)
    fails("reproduce", "imdb", code=130, match="interrupted: the same command goes on from here")


def test_reproduce_names_every_experiment():
    out = " ".join(run("reproduce", "--help")[0].replace("│", " ").split())
    assert all(name in out for name in reproduce.NAMES)


def test_doctor_says_what_is_installed():
    out = run("doctor")[0]
    assert re.search(rf"^numpy +{re.escape(np.__version__)}$", out, re.MULTILINE)
    assert re.search(rf"^lcshap +{re.escape(lc.__version__)}$", out, re.MULTILINE)
    assert re.search(r"^torch runs on +CPU", out, re.MULTILINE)
    assert re.search(r"^onnxruntime runs on .*CPU", out, re.MULTILINE)
    for extra, packages in doctor.extras().items():
        line = re.search(rf"^extra {extra} .*", out, re.MULTILINE)[0]
        assert "pip install" in line or all(package in line for package in packages)


def test_doctor_has_the_line_that_installs_what_is_missing(monkeypatch):
    declared = ["numpy>=1", 'rdkit>=2023; extra == "molecule"', "nosuchthing>=1; extra == 'odd'", 'x; extra == "test"']
    monkeypatch.setattr(metadata, "requires", lambda name: declared)
    assert doctor.extras() == {"molecule": ["rdkit"], "odd": ["nosuchthing"]}
    found = dict(doctor.examine())
    assert found["extra odd"] == 'not installed: pip install "lcshap[odd]"'
    assert found["extra molecule"] == f"rdkit {metadata.version('rdkit')}"

    def unknown(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", unknown)
    assert doctor.extras() == {}


# -- errors, help and pipes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ([], "Missing command"),
        (["explode"], "No such command 'explode'"),
        (["demo", "--color", "pink"], "pink"),
        (["explain"], "say which model with --model"),
        (["explain", "--model", "demo-txt"], "no model 'demo-txt'.*did you mean demo-text"),
        (["explain", "--model", "a:b"], "say what to explain with one of --text, --file, --image"),
        (["explain", "--model", "demo-text", "--text", "a", "--file", "b"], "give one input, not --text and --file"),
        (["explain", "--model", "demo-text", "--method", "l-shaply"], r"did you mean l-shapley"),
        (["explain", "--model", "demo-text", "--nothing"], "--nothing"),
        (["explain", "--model", "demo-text", "--top", "0"], "--top"),
        (["explain", "--model", "demo-text", "--kind", "numbers"], "--kind"),
        (["reproduce"], "(?i)name"),
        (["reproduce", "theorem"], "no experiment 'theorem'.*did you mean theorems.*there are imdb, agnews"),
        (["reproduce", "imdb", "--samples", "0"], "--samples"),
    ],
)
def test_wrong_usage(arguments, match):
    fails(*arguments, code=2, match=match)


def test_debug_shows_where_an_error_came_from():
    for arguments in (
        ["--debug", "explain", "--model", "demo-text", "--text", ""],
        ["explain", "--model", "demo-text", "--text", "", "--debug"],
    ):
        _, err = run(*arguments, code=1)
        assert "Traceback" in err
        assert err.splitlines()[-1].startswith("lcshap: error: there is nothing to explain")


def test_an_error_that_nobody_expected_is_one_line_too(monkeypatch):
    def fail():
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr(demo, "explain", fail)
    fails("demo", code=1, match="RuntimeError: first line second line")


def test_ctrl_c_is_one_line_and_130(here):
    module(here, "stop", "def model(rows):\n    raise KeyboardInterrupt\n")
    fails("explain", "--model", "stop:model", "--kind", "output", "--text", "a b", code=130, match="interrupted")


@pytest.mark.parametrize("command", ["explain", "compare", "plan", "methods", "report", "demo", "reproduce"])
def test_help_has_examples_that_parse(command):
    out = run(command, "--help")[0]
    assert "Examples" in out
    assert f"lcshap {command} " in out
    assert out == run(command, "-h")[0]


def test_version():
    assert run("--version")[0] == f"lcshap {lc.__version__}\n"
    assert cli.main(["--version"]) == 0


def test_real_runs():
    done = process("explain", "--model", "demo-text", "--json")
    assert done.returncode == 0
    assert len(from_dict(json.loads(done.stdout)).scores) == 9
    assert done.stderr == ""
    done = process("explain", "--model", "demo-text", "--method", "lima")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("lcshap: error: there is no method 'lima'")


def test_a_reader_who_has_seen_enough_is_no_error():
    env = {**os.environ, **PLAIN, "OPENBLAS_NUM_THREADS": "1"}
    options = ["explain", "--model", "demo-digits", "--method", "feature-ablation", "--target", "all", "--json"]
    options += ["--units", "pixel"]
    with subprocess.Popen(
        [sys.executable, "-m", "lcshap", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as running:
        assert running.stdout.read(1) == "{"
        running.stdout.close()
        assert running.stderr.read() == ""
        assert running.wait() == 0
