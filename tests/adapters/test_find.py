import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

from lcshap.adapters.callable import CallableModel
from lcshap.adapters.find import find_model
from lcshap.adapters.onnx import OnnxModel
from lcshap.adapters.sklearn import SklearnModel
from lcshap.adapters.torch import TorchModel
from lcshap.errors import ModelError

SAYS_WHAT_TO_WRITE = r'set kind="logits".*kind="probabilities".*kind="output"'


class Coin:
    def predict_proba(self, rows):
        return np.full((len(rows), 2), 0.5)


def test_a_model_is_taken_as_it_is():
    model = CallableModel(len, "output")
    assert find_model(model) is model
    assert find_model(model, "output") is model
    with pytest.raises(ModelError, match="Expected kind='output', as CallableModel was made with, got kind='logits'"):
        find_model(model, "logits")


def test_functions():
    model = find_model(lambda rows: [1.0 for _ in rows], "output")
    assert isinstance(model, CallableModel)
    with pytest.raises(ModelError, match=SAYS_WHAT_TO_WRITE):
        find_model(lambda rows: rows)
    with pytest.raises(ModelError, match=SAYS_WHAT_TO_WRITE):
        find_model(Coin().predict_proba)


def test_objects_like_those_of_scikit_learn():
    model = find_model(Coin())
    assert isinstance(model, SklearnModel)
    assert model.kind == "probabilities"
    linear_model = importlib.import_module("sklearn.linear_model")
    x = np.arange(8.0)[:, None]
    assert find_model(linear_model.LinearRegression().fit(x, x[:, 0])).kind == "output"
    logistic = linear_model.LogisticRegression().fit(x, [0, 1] * 4)
    assert find_model(logistic).kind == "probabilities"
    assert find_model(logistic, "logits").kind == "logits"


def test_torch_modules_also_those_with_predict():
    torch = importlib.import_module("torch")

    class Lightning(torch.nn.Linear):
        def predict(self, rows):
            raise AssertionError

    for module in (torch.nn.Linear(2, 2), Lightning(2, 2)):
        model = find_model(module, "logits")
        assert isinstance(model, TorchModel)
        assert model.predict(np.ones((1, 2))).shape == (1, 2)
        with pytest.raises(ModelError, match=SAYS_WHAT_TO_WRITE):
            find_model(module)
    with pytest.raises(ModelError, match=r"Expected a model, got the class Linear\. Create an instance"):
        find_model(torch.nn.Linear, "logits")


def test_onnx_files_and_sessions(tmp_path):
    onnx = importlib.import_module("onnx")
    onnxruntime = importlib.import_module("onnxruntime")
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None, 2]) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Neg", ["x"], ["y"])], "g", ends[:1], ends[1:])
    proto = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    path = tmp_path / "neg.onnx"
    path.write_bytes(proto.SerializeToString())
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for source in (path, str(path), session):
        model = find_model(source, "output")
        assert isinstance(model, OnnxModel)
        assert model.predict([[1.0, 2.0]]).tolist() == [[-1, -2]]
        with pytest.raises(ModelError, match=SAYS_WHAT_TO_WRITE):
            find_model(source)


def test_what_is_no_model():
    for model, message in [
        ("model.pt", "Expected the path of an .onnx file"),
        (3, "Expected a model, got int"),
        ([1], "Expected a model, got list"),
    ]:
        with pytest.raises(ModelError, match=message):
            find_model(model, "logits")


def test_no_framework_is_imported_to_look():
    code = """
import sys
from lcshap.adapters.find import find_model
class Coin:
    def predict_proba(self, rows): return [[0.5, 0.5]] * len(rows)
find_model(Coin()), find_model(len, "output")
print([m for m in ("torch", "onnxruntime", "onnx", "sklearn", "scipy.stats", "pandas") if m in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_module_that_only_shares_the_name_of_a_framework(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert isinstance(find_model(Coin()), SklearnModel)


def test_a_keras_model_is_no_scikit_learn_model():
    """It has `predict`, and on PyTorch it is a module too."""
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import keras

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    assert type(find_model(model, "logits")).__name__ == "KerasModel"
    with pytest.raises(ModelError, match=r"a Keras model \(Sequential\) does not declare"):
        find_model(model)
