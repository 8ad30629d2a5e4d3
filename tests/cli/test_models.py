"""Models by the names that users write."""

import sys

import numpy as np
import pytest
from command import explained, fails, module, run


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
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())


def test_an_onnx_file(workdir):
    onnx_file(workdir / "sum.onnx")
    (workdir / "t.csv").write_text("a,b,c,d\n1,2,3,4\n0,0,0,0\n0,0,0,0\n")
    table = ("--csv", "t.csv", "--background", 0)
    e = explained("--model", "sum.onnx", "--kind", "logits", "--value", "log_odds", *table)
    assert e.scores.tolist() == pytest.approx([-2, -4, -6, -8])  # of the second class, as for every row of a table
    assert e.provenance["model"] == "OnnxModel"
    fails(
        "explain",
        "--model",
        "none.onnx",
        "--kind",
        "logits",
        *table,
        code=2,
        match="got 'none.onnx', which does not exist",
    )
    fails("explain", "--model", "sum.onnx", *table, code=1, match="set --kind logits")
    (workdir / "bad.onnx").write_bytes(b"no graph")
    fails("explain", "--model", "bad.onnx", "--kind", "logits", *table, code=1, match="a graph in the ONNX format")


def test_objects_of_modules(workdir):
    module(
        workdir,
        "own",
        "from sklearn.linear_model import LogisticRegression\nimport numpy as np\nimport lcshap\n"
        "forest = LogisticRegression().fit(np.eye(3), [0, 1, 1])\n"
        "class box:\n    adapter = lcshap.adapters.CallableModel(lambda rows: rows.sum(axis=1), 'output')\n"
        "masker = lcshap.maskers.Text(units='character')\n"
        "def count(texts):\n    return [float(len(t)) for t in texts]\n"
        "def broken(rows):\n    raise RuntimeError('out of order')\n",
    )
    (workdir / "t.csv").write_text("a,b,c\n1,2,3\n0,0,0\n")
    assert explained("--model", "own:forest", "--csv", "t.csv").provenance["model"] == "SklearnModel"
    assert explained("--model", "own:box.adapter", "--csv", "t.csv").scores.tolist() == pytest.approx([1, 2, 3])
    letters = explained("--model", "own:count", "--kind", "output", "--text", "abc", "--masker", "own:masker")
    assert letters.names == ("a", "b", "c")
    words = ("--text", "a b")
    fails(
        "explain",
        "--model",
        "own:counts",
        *words,
        code=2,
        match=r"a name that own has for --model, got 'counts' \(did you mean count\?\)",
    )
    fails("explain", "--model", "owl:count", *words, code=1, match="for --model, got owl, which cannot")
    fails("explain", "--model", "own", *words, code=2, match="Expected package.module:object for --model, got 'own'")
    fails("explain", "--model", "own:count", *words, code=1, match="does not declare what its numbers are: set --kind")
    fails(
        "explain", "--model", "own:broken", "--kind", "output", *words, code=1, match="The model failed.*out of order"
    )
    fails("explain", "--model", "own:masker", "--kind", "output", *words, code=1, match="Expected a model, got")


def test_no_local_file_takes_the_place_of_a_package(workdir, monkeypatch):
    module(workdir, "wave", "raise AssertionError('the local file ran')")
    module(workdir, "own_model", "import wave\ndef model(rows):\n    return [1.0 for r in rows]\n")
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != ""])
    run("explain", "--model", "own_model:model", "--kind", "output", "--text", "a b")
    assert sys.path[-1] == ""


def test_help_warns_that_importing_runs_code():
    assert "importing a module runs its code" in " ".join(run("explain", "--help")[0].replace("│", " ").split())
