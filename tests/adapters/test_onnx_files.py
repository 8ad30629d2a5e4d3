import importlib
import os
import time

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters import onnx_files
from lcshap.adapters.onnx import OnnxModel
from lcshap.adapters.onnx_files import check_external_data
from lcshap.errors import ModelError

onnx = importlib.import_module("onnx")
W = np.arange(12, dtype=np.float32).reshape(4, 3)
FLOAT = onnx.TensorProto.FLOAT


def tensor(location, **entries):
    """A tensor whose data are in another file."""
    proto = onnx.TensorProto(name="w", data_type=FLOAT, dims=W.shape, data_location=onnx.TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        proto.external_data.add(key=key, value=value)
    return proto


def linear(weights, place="initializer"):
    """y = x W, with the weights where ONNX allows a tensor to be."""
    info = onnx.helper.make_tensor_value_info
    nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])]
    ends = [info("x", FLOAT, [None, 4])], [info("y", FLOAT, [None, 3])]
    constant = onnx.helper.make_node("Constant", [], ["w"])
    constant.attribute.add(name="value", type=onnx.AttributeProto.TENSOR).t.CopyFrom(weights)
    functions = []
    if place == "constant":
        nodes.insert(0, constant)
    if place == "branch":
        branch = onnx.helper.make_graph([constant], "branch", [], [info("w", FLOAT, [4, 3])])
        flag = onnx.helper.make_node("Constant", [], ["flag"], value=onnx.numpy_helper.from_array(np.array(True)))
        nodes[:0] = [flag, onnx.helper.make_node("If", ["flag"], ["w"], then_branch=branch, else_branch=branch)]
    if place == "function":
        opset = onnx.helper.make_opsetid("", 17)
        functions = [onnx.helper.make_function("own", "Weights", [], ["w"], [constant], [opset])]
        nodes.insert(0, onnx.helper.make_node("Weights", [], ["w"], domain="own"))
    graph = onnx.helper.make_graph(nodes, "test", *ends, [weights] if place == "initializer" else [])
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("own", 1)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=functions)


def saved(path, model):
    path.write_bytes(model.SerializeToString())
    return path


PLACES = ["initializer", "constant", "branch", "function"]
OUTSIDE = [
    "../secret.bin",
    "../../../etc/passwd",
    "/etc/passwd",
    "a/../../secret.bin",
    "C:\\secret.bin",
    "..\\secret.bin",
]
OUTSIDE += [
    "\\\\server\\secret.bin",
    "*/_ORT_MEM_ADDR_/*",
    "",
    ".",
    "w.bin\0",
    "missing.bin",
    "link.bin",
    "folder/secret.bin",
]


@pytest.fixture
def folder(tmp_path):
    """A folder with a model's weights, and with links to a secret outside of it."""
    (tmp_path / "secret.bin").write_bytes(W.tobytes())
    model_folder = tmp_path / "model"
    model_folder.mkdir()
    (model_folder / "w.bin").write_bytes(W.tobytes())
    (model_folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (model_folder / "folder").symlink_to(tmp_path)
    return model_folder


def test_weights_beside_the_file_are_read(folder):
    entries = {"offset": "0", "length": str(W.nbytes)}
    path = saved(folder / "good.onnx", linear(tensor("w.bin", **entries)))
    np.testing.assert_array_equal(OnnxModel(path, "output").predict(np.eye(4)), W)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("location", OUTSIDE)
def test_files_elsewhere_are_refused_before_a_session_is_made(folder, place, location, monkeypatch):
    monkeypatch.setattr("onnxruntime.InferenceSession", None)  # nothing to make one with
    path = saved(folder / "bad.onnx", linear(tensor(location), place))
    with pytest.raises(ModelError, match="Expected an ONNX file whose data are in files beside it"):
        OnnxModel(path, "output")
    with pytest.raises(ModelError, match="in files beside it"):
        lc.Explainer(str(path), lc.maskers.Tabular(np.zeros((1, 4))), kind="output")
    with pytest.raises(ModelError, match="Expected bytes that hold all of the graph"):
        OnnxModel(path.read_bytes(), "output")


def test_a_second_location_hides_nothing(folder):
    """Protobuf takes the last of several keys or values: all of them count."""
    twice = tensor("w.bin")
    twice.external_data.add(key="location", value="../secret.bin")
    keys = tensor("w.bin")
    keys.external_data[0].MergeFromString(onnx.StringStringEntryProto(value="../secret.bin").SerializeToString())
    assert keys.external_data[0].value == "../secret.bin"
    first = onnx.StringStringEntryProto(key="offset", value="../secret.bin").SerializeToString()
    merged = onnx.StringStringEntryProto.FromString(
        first + onnx.StringStringEntryProto(key="location").SerializeToString()
    )
    assert (merged.key, merged.value) == ("location", "../secret.bin")
    entry = tensor("w.bin")
    del entry.external_data[:]
    entry.external_data.append(merged)
    for bad_tensor in (twice, keys, entry):
        with pytest.raises(ModelError, match="secret"):
            check_external_data(str(saved(folder / "bad.onnx", linear(bad_tensor))))


def test_a_model_that_is_a_link_beside_linked_weights_is_read(tmp_path):
    """So models lie in the cache of the Hugging Face hub."""
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "1"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    (blobs / "b").write_bytes(W.tobytes())
    saved(blobs / "a", linear(tensor("w.bin")))
    (snapshot / "model.onnx").symlink_to(blobs / "a")
    (snapshot / "w.bin").symlink_to(blobs / "b")
    check_external_data(str(snapshot / "model.onnx"))


def test_the_format_is_that_of_onnx():
    """Every message of a model in which a tensor can be is walked; checked against the descriptors of the package."""
    fields, stack = {}, [onnx.ModelProto.DESCRIPTOR]
    while stack:
        message = stack.pop()
        if message.name not in fields:
            fields[message.name] = {f.number: f.message_type for f in message.fields if f.message_type is not None}
            stack += fields[message.name].values()
    holding = {"TensorProto"}
    for _ in fields:
        holding |= {
            name for name, types in fields.items() if any(field_type.name in holding for field_type in types.values())
        }
    short = {"TrainingInfoProto": "Training", "SparseTensorProto": "Sparse"}
    names = {name: short.get(name, name.removesuffix("Proto")) for name in holding}
    expected = {
        names[name]: {
            number: names[field_type.name] for number, field_type in fields[name].items() if field_type.name in holding
        }
        for name in holding
    }
    assert {**expected, "Tensor": {13: "Entry"}, "Entry": {}} == onnx_files._MESSAGE_FIELDS
    assert onnx.TensorProto.DESCRIPTOR.fields_by_name["external_data"].number == 13


def test_damaged_files_raise_one_clear_error(folder):
    good = linear(tensor("w.bin")).SerializeToString()
    rng = np.random.default_rng(0)
    outcomes = []
    for _ in range(2000):
        data = bytearray(good)
        for place in rng.integers(len(data), size=rng.integers(1, 4)):
            data[place] = rng.integers(256)
        data = data[: rng.integers(1, len(data) + 1)] if rng.random() < 0.3 else data
        path = folder / "mutant.onnx"
        path.write_bytes(data)
        try:
            check_external_data(str(path))
            outcomes.append("read")
        except ModelError as error:
            outcomes.append(str(error)[:8])
    assert set(outcomes) == {"read", "Expected"}
    assert outcomes.count("read") > 100


@pytest.mark.parametrize("data", [b"", b"\x80" * 20, b"\x0b\x0c", b"\x3a\xff\xff\xff\xff\x0f", b"\x00", b"\x3d\x00"])
def test_what_is_no_graph(tmp_path, data):
    path = tmp_path / "no.onnx"
    path.write_bytes(data)
    with pytest.raises(ModelError, match="Expected a graph in the ONNX format, got something else"):
        check_external_data(str(path))


def test_levels_and_fields_have_a_limit(tmp_path, monkeypatch):
    data = b""
    for tag in [b"\x32", b"\x2a", b"\x0a"] * 100:  # an attribute's graph, a node's attribute, a graph's node
        data = tag + _length(len(data)) + data
    (tmp_path / "deep.onnx").write_bytes(b"\x3a" + _length(len(data)) + data)
    with pytest.raises(ModelError, match="more than 100 levels"):
        check_external_data(str(tmp_path / "deep.onnx"))
    (tmp_path / "many.onnx").write_bytes(b"\x3a\x00" * 1000)
    check_external_data(str(tmp_path / "many.onnx"))
    monkeypatch.setattr(onnx_files, "_MAX_FIELDS", 500)
    with pytest.raises(ModelError, match="more than 500 fields"):
        check_external_data(str(tmp_path / "many.onnx"))


def _length(size):
    encoded = b""
    while size > 127:
        encoded, size = encoded + bytes([size & 127 | 128]), size >> 7
    return encoded + bytes([size])


def test_large_files_are_not_read_into_memory(tmp_path):
    big = onnx.numpy_helper.from_array(np.zeros((4, 3), np.float32), "w")
    big.raw_data = bytes(200_000_000)
    path = saved(tmp_path / "big.onnx", linear(big))
    start = time.perf_counter()
    check_external_data(str(path))
    assert time.perf_counter() - start < 0.5
    os.remove(path)
