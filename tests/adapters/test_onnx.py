import importlib
import subprocess
import sys

import numpy as np
import pytest

from lcshap.adapters.onnx import OnnxModel
from lcshap.errors import MissingExtraError, ModelError

onnxruntime = importlib.import_module("onnxruntime")
onnx = importlib.import_module("onnx")

RNG = np.random.default_rng(0)
W = RNG.normal(size=(4, 3)).astype(np.float32)
X = RNG.normal(size=(7, 4))
FLOAT, DOUBLE, INT64 = onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.INT64


def graph(nodes, inputs, outputs, weights=None):
    """The bytes of a graph; inputs and outputs as (name, type, shape)."""
    info = onnx.helper.make_tensor_value_info
    graph_proto = onnx.helper.make_graph(
        [onnx.helper.make_node(*node[:3], **(node[3] if len(node) > 3 else {})) for node in nodes],
        "test",
        [info(*i) for i in inputs],
        [info(*o) for o in outputs],
        [onnx.numpy_helper.from_array(array, name) for name, array in (weights or {}).items()],
    )
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("ai.onnx.ml", 3)]
    return onnx.helper.make_model(graph_proto, opset_imports=opsets, ir_version=8).SerializeToString()


def linear(batch=None):
    return graph([("MatMul", ["x", "w"], ["y"])], [("x", FLOAT, [batch, 4])], [("y", FLOAT, [batch, 3])], {"w": W})


def test_a_graph_from_bytes_a_file_and_a_session(tmp_path):
    path = tmp_path / "linear.onnx"
    path.write_bytes(linear())
    expected = X.astype(np.float32) @ W
    session = onnxruntime.InferenceSession(linear(), providers=["CPUExecutionProvider"])
    for source in (linear(), path, str(path), session):
        answers = OnnxModel(source, "logits").predict(X)
        assert answers.dtype == np.float32
        np.testing.assert_allclose(answers, expected, atol=1e-5)
    with pytest.raises(ModelError, match=r"other\.onnx', which does not exist"):
        OnnxModel(tmp_path / "other.onnx", "logits")
    with pytest.raises(ModelError, match="does not declare"):
        OnnxModel(linear(), None)


@pytest.mark.parametrize("batch", [1, 3, 7, 10])
def test_fixed_batch_sizes(batch):
    answers = OnnxModel(linear(batch), "logits").predict(X)
    np.testing.assert_allclose(answers, X.astype(np.float32) @ W, atol=1e-5)


def test_rows_are_cast_to_the_declared_type():
    floats = graph([("Neg", ["x"], ["y"])], [("x", DOUBLE, [None, 2])], [("y", DOUBLE, [None, 2])])
    assert OnnxModel(floats, "output").predict(np.ones((3, 2), np.float32)).dtype == np.float64
    for declared in (INT64, onnx.TensorProto.INT32):
        to_float = ("Cast", ["ids"], ["y"], {"to": FLOAT})
        ids = OnnxModel(graph([to_float], [("ids", declared, [None, 2])], [("y", FLOAT, [None, 2])]), "output")
        assert ids.predict(np.array([[1.0, 2.0]])).tolist() == [[1, 2]]
        assert ids.predict([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
        with pytest.raises(
            ModelError,
            match=r"Expected rows that fit tensor.int(32|64). for the input 'ids', got float64, whose values",
        ):
            ids.predict(np.array([[0.5, 1.0]]))
        with pytest.raises(
            ModelError,
            match=r"Expected rows that can be converted to tensor.int(32|64). for the input 'ids', got others",
        ):
            ids.predict(["a", "b"])


def test_several_outputs():
    two = graph(
        [
            ("MatMul", ["x", "w"], ["y"]),
            ("ArgMax", ["y"], ["label"], {"axis": 1, "keepdims": 0}),
            ("Neg", ["y"], ["z"]),
        ],
        [("x", FLOAT, [None, 4])],
        [("label", INT64, [None]), ("y", FLOAT, [None, 3]), ("z", FLOAT, [None, 3])],
        {"w": W},
    )
    assert OnnxModel(two, "logits").output == "y"
    assert OnnxModel(two, "logits", output="z").output == "z"
    assert OnnxModel(two, "output", output=0).predict(X).shape == (7, 1)
    for wrong in ("w", 3, -1):
        with pytest.raises(ModelError, match="label, y, z, or 0 to 2"):
            OnnxModel(two, "logits", output=wrong)
    label = graph([("Identity", ["x"], ["y"])], [("x", INT64, [None])], [("y", INT64, [None])])
    with pytest.raises(ModelError, match="Expected an output of floating-point numbers, got y"):
        OnnxModel(label, "output")


def test_several_inputs():
    both = graph(
        [("Add", ["a", "b"], ["y"])],
        [("a", FLOAT, [2, 1]), ("b", FLOAT, [2, 1])],
        [("y", FLOAT, [2, 1])],
    )
    for choice in (None, "a"):
        with pytest.raises(ModelError, match="Expected a graph with one input, got a, b"):
            OnnxModel(both, "output", input=choice)
    lengths = OnnxModel(
        both, "output", input=lambda rows: {"a": [[len(r)] for r in rows], "b": np.ones((len(rows), 1))}
    )
    assert lengths.predict(["x", "xy", "xyz"]).tolist() == [[2], [3], [4]]
    with pytest.raises(ModelError, match="of the graph, got 'c'"):
        OnnxModel(both, "output", input=lambda rows: {"c": rows}).predict([[1.0]])
    with pytest.raises(ModelError, match="of the graph, got 'c'"):
        OnnxModel(linear(), "output", input="c")
    assert OnnxModel(linear(), "output", input="x").predict(X).shape == (7, 3)


def test_outputs_of_the_wrong_shape():
    total = graph([("ReduceSum", ["x"], ["y"], {"keepdims": 0})], [("x", FLOAT, [None, 4])], [("y", FLOAT, [])])
    with pytest.raises(ModelError, match=r"for 7 rows, got \(\) from ONNX output 'y'"):
        OnnxModel(total, "output").predict(X)
    logs = graph([("Log", ["x"], ["y"])], [("x", FLOAT, [1, 1])], [("y", FLOAT, [1, 1])])
    with pytest.raises(ModelError, match="finite"):
        OnnxModel(logs, "output").predict(np.array([[1.0], [0.0]]))


def test_the_same_as_torch(tmp_path):
    torch = importlib.import_module("torch")
    from lcshap.adapters.torch import TorchModel

    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Dropout(), torch.nn.Linear(8, 3))
    state = {name: value.detach().numpy() for name, value in module.state_dict().items()}
    nodes = [
        ("Gemm", ["x", "0.weight", "0.bias"], ["a"], {"transB": 1}),
        ("Relu", ["a"], ["b"]),
        ("Gemm", ["b", "3.weight", "3.bias"], ["y"], {"transB": 1}),
    ]
    by_hand = graph(nodes, [("x", FLOAT, [None, 4])], [("y", FLOAT, [None, 3])], state)
    expected = TorchModel(module, "logits").predict(X)
    np.testing.assert_allclose(OnnxModel(by_hand, "logits").predict(X), expected, atol=1e-5)


@pytest.mark.filterwarnings("ignore")  # the exporter's own
def test_the_same_as_torch_after_its_export(tmp_path):
    torch = importlib.import_module("torch")
    importlib.import_module("onnxscript")
    from lcshap.adapters.torch import TorchModel

    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).eval()
    path = tmp_path / "net.onnx"
    rows = torch.export.Dim("rows")
    torch.onnx.export(module, (torch.ones(2, 4),), path, dynamo=True, dynamic_shapes=({0: rows},), verbose=False)
    expected = TorchModel(module, "logits").predict(X)
    np.testing.assert_allclose(OnnxModel(path, "logits").predict(X), expected, atol=1e-5)


def sklearn_graph(estimator, kind, **options):
    skl2onnx = importlib.import_module("skl2onnx")
    types = {"float": skl2onnx.common.data_types.FloatTensorType, "str": skl2onnx.common.data_types.StringTensorType}
    shape = [None, 4] if kind == "float" else [None, 1]
    return skl2onnx.to_onnx(
        estimator, initial_types=[("x", types[kind](shape))], options={id(estimator): options} if options else None
    ).SerializeToString()


@pytest.mark.filterwarnings("ignore")  # the converter's own
@pytest.mark.parametrize("labels", [[0, 1, 2], ["cat", "cow", "dog"]])
@pytest.mark.parametrize("zipmap", [True, False])
def test_classifiers_of_scikit_learn(labels, zipmap):
    linear_model = importlib.import_module("sklearn.linear_model")
    x = RNG.normal(size=(60, 4))
    logistic = linear_model.LogisticRegression().fit(x, np.array(labels)[np.digitize(x[:, 0], [-0.5, 0.5])])
    model = OnnxModel(sklearn_graph(logistic, "float", zipmap=zipmap), "probabilities")
    assert "label" not in model.output
    np.testing.assert_allclose(model.predict(x), logistic.predict_proba(x), atol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_a_text_pipeline_and_a_regressor_of_scikit_learn():
    linear_model = importlib.import_module("sklearn.linear_model")
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    texts = ["good film", "bad film", "good good plot", "bad bad plot"] * 3
    pipe = make_pipeline(CountVectorizer(lowercase=False), linear_model.LogisticRegression()).fit(
        texts, [1, 0, 1, 0] * 3
    )
    model = OnnxModel(sklearn_graph(pipe, "str"), "probabilities")
    np.testing.assert_allclose(model.predict(texts), pipe.predict_proba(texts), atol=1e-5)
    line = linear_model.LinearRegression().fit(X, X[:, 0])
    np.testing.assert_allclose(
        OnnxModel(sklearn_graph(line, "float"), "output").predict(X)[:, 0], line.predict(X), atol=1e-5
    )


def test_without_onnxruntime(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r'pip install "lcshap\[onnx\]"'):
        OnnxModel(linear(), "logits")


def test_onnxruntime_is_not_imported_before_it_is_needed():
    code = "import sys, lcshap.adapters.onnx; print([m for m in sys.modules if m.startswith('onnx')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
