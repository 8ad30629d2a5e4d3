"""What tells models apart: by content, in every process; or by a name, where there is no content to read."""

import functools
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import lcshap as lc
from lcshap.adapters import CallableModel, ImageModel, JaxModel, OnnxModel, RemoteModel, SklearnModel, TorchModel
from lcshap.adapters.fingerprint import FingerprintReader, is_installed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] > 0).astype(int)
ESTIMATORS = [
    LogisticRegression(),
    RandomForestClassifier(5, random_state=0),
    GradientBoostingRegressor(n_estimators=3, random_state=0),
    KNeighborsClassifier(),
    MLPClassifier((3,), max_iter=300, random_state=0),
    make_pipeline(StandardScaler(), FunctionTransformer(np.tanh), Ridge()),
]


def net(seed=0, width=3):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.BatchNorm1d(width), torch.nn.ReLU())


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.filterwarnings("ignore")
def test_estimators(estimator):
    """Equal after pickle and after it was asked, equal when fitted again on the same data, else different."""
    model = SklearnModel(estimator.fit(X, Y))
    first = model.fingerprint()
    model.predict(X[:3])
    assert model.fingerprint() == first
    assert pickle.loads(pickle.dumps(model)).fingerprint() == first
    assert SklearnModel(estimator.fit(X, Y)).fingerprint() == first
    assert SklearnModel(estimator.fit(X[::-1] + 0.25, Y)).fingerprint() != first


def test_one_number_counts():
    estimator = LogisticRegression().fit(X, Y)
    first = SklearnModel(estimator).fingerprint()
    estimator.coef_[0, 2] = np.nextafter(estimator.coef_[0, 2], 9)
    assert SklearnModel(estimator).fingerprint() != first


def test_the_method_of_an_estimator_counts_and_the_kind_of_its_outputs_does_not():
    estimator = LogisticRegression().fit(X, Y)
    chances, margin, logits = (SklearnModel(estimator, kind).fingerprint() for kind in (None, "margin", "logits"))
    assert chances != margin
    assert margin == logits


def test_modules():
    model = TorchModel(net(), "logits")
    first = model.fingerprint()
    model.predict(X.astype(np.float32))
    model.module.train()
    model.module.requires_grad_(False)
    assert model.fingerprint() == TorchModel(net(), "output").fingerprint() == first
    others = [TorchModel(net(seed=1), "logits"), TorchModel(net(width=2), "logits")]
    others += [TorchModel(net(), "logits", output=0), TorchModel(net(), "logits", dtype="float64")]
    others += [TorchModel(torch.nn.Sequential(*net()[:2], torch.nn.Tanh()), "logits")]
    assert len({first, *(other.fingerprint() for other in others)}) == 6


@pytest.mark.parametrize("change", ["weight", "statistics", "attribute", "hook"])
def test_a_module_that_changes(change):
    module = net()
    first = TorchModel(module, "logits").fingerprint("named")
    if change == "weight":
        with torch.no_grad():
            module[0].weight[1, 2] += 1e-6
    elif change == "statistics":
        module[1].running_mean += 1e-6
    elif change == "attribute":
        module[1].eps = 1e-3
    else:
        module[0].register_forward_hook(lambda *parts: None)
    assert TorchModel(module, "logits").fingerprint("named") != first


def test_the_order_of_modules_counts():
    parts = torch.nn.Linear(4, 4), torch.nn.Tanh()
    one, other = (torch.nn.Sequential(*order) for order in (parts, parts[::-1]))
    assert TorchModel(one, "output").fingerprint() != TorchModel(other, "output").fingerprint()


def create_class(body):
    names = {"torch": torch, "__name__": "users_file"}
    exec(f"class Net(torch.nn.Module):\n    def forward(self, x):\n        {body}", names)
    return TorchModel(names["Net"](), "output").fingerprint()


def test_the_code_of_a_class_counts_and_its_description_does_not():
    one, same, other = (
        create_class(body) for body in ("return x * 2", "'''Twice.'''\n        return x * 2", "return x * 3")
    )
    assert one == same
    assert one != other


def test_functions_need_a_name():
    async def ask(rows):
        return [0.0 for row in rows]

    class Counter:
        calls = 0

        def __call__(self, rows):
            self.calls += len(rows)
            return rows

    models = [
        CallableModel(lambda rows: rows, "output"),
        CallableModel(functools.partial(np.sum, axis=1), "output"),
        CallableModel(Counter(), "output"),
        RemoteModel(ask, "output"),
        TorchModel(net(), "logits", prepare=lambda rows: rows),
        SklearnModel(make_pipeline(FunctionTransformer(lambda x: 2 * x), Ridge()).fit(X, Y)),
        SklearnModel(
            make_pipeline(TfidfVectorizer(analyzer=lambda x: x.split()), Ridge()).fit(["a b", "b c"], [0.0, 1.0])
        ),
    ]
    for model in models:
        with pytest.raises(lc.errors.OptionError, match=r"got (the|a) function.*model_name="):
            model.fingerprint()
        assert model.fingerprint("a") == model.fingerprint("a") != model.fingerprint("b")


def test_a_name_replaces_only_the_function():
    one, other = (TorchModel(net(seed), "logits", prepare=lambda rows: rows) for seed in (0, 1))
    assert one.fingerprint("same") != other.fingerprint("same")


def test_what_is_called_keeps_its_name_while_it_counts():
    class Counter:
        calls = 0

        def __call__(self, rows):
            self.calls += len(rows)
            return rows

    model = CallableModel(Counter(), "output")
    first = model.fingerprint("counter")
    model.predict(np.ones((3, 1)))
    assert model.fingerprint("counter") == first


def test_a_jax_function_needs_a_name():
    pytest.importorskip("jax")
    with pytest.raises(lc.errors.OptionError, match="model_name="):
        JaxModel(lambda x: x, "output").fingerprint()


def test_how_photographs_are_prepared_counts():
    fingerprints = {
        ImageModel(net(), "logits", size=size, scale=scale).fingerprint() for size in (2, 3) for scale in (1, 0.5)
    }
    assert len(fingerprints) == 4


def test_onnx_files(tmp_path):
    """By what is in the file, wherever it is and whenever it was written."""
    pytest.importorskip("onnxruntime")
    skl2onnx = pytest.importorskip("skl2onnx")
    graphs = [
        skl2onnx.to_onnx(Ridge(alpha=alpha).fit(X, Y), X[:1].astype(np.float32)).SerializeToString()
        for alpha in (1.0, 1.0, 2.0)
    ]
    (tmp_path / "other").mkdir()
    paths = [tmp_path / "a.onnx", tmp_path / "other" / "b.onnx", tmp_path / "c.onnx"]
    for path, graph in zip(paths, [graphs[0], graphs[0], graphs[2]], strict=True):
        path.write_bytes(graph)
    one, copy, other = (OnnxModel(path, "output") for path in paths)
    assert one.fingerprint() == copy.fingerprint() == pickle.loads(pickle.dumps(one)).fingerprint()
    assert one.fingerprint() != other.fingerprint()
    assert OnnxModel(graphs[0], "output").fingerprint() == OnnxModel(graphs[0], "output").fingerprint()
    paths[0].write_bytes(graphs[2] + b"\0" * 0)
    with pytest.raises(lc.errors.ModelError, match="got one that has changed"):
        one.fingerprint()


def test_tokenizers_and_configs_are_read():
    """A model of transformers, with its fast tokenizer; another vocabulary is another model."""
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")

    def made(words):
        vocabulary = {word: n for n, word in enumerate(["[UNK]", "[PAD]", *words])}
        backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
        backend.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="[UNK]", pad_token="[PAD]")
        torch.manual_seed(0)
        sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
        config = transformers.BertConfig(vocab_size=8, pad_token_id=1, **sizes)
        model = transformers.BertForSequenceClassification(config)
        return lc.adapters.TransformersModel(model, tokenizer)

    one, same, other = made(["good", "bad"]), made(["good", "bad"]), made(["bad", "good"])
    first = one.fingerprint()
    one.predict(["good bad", "bad"])
    assert one.fingerprint() == same.fingerprint() == first
    assert other.fingerprint() != first


def test_adapters_of_the_user_depend_on_all_that_they_hold():
    class Mine(lc.adapters.Model):
        kind = "output"

        def __init__(self, weights):
            self._weights = weights

        def predict(self, rows):
            return np.asarray(rows) @ self._weights

    class Torch(TorchModel):
        def __init__(self, *parts, temperature):
            super().__init__(*parts)
            self.temperature = temperature

    assert Mine(np.ones(2)).fingerprint() == Mine(np.ones(2)).fingerprint() != Mine(np.zeros(2)).fingerprint()
    one, same, other = (Torch(net(), "logits", temperature=t).fingerprint() for t in (1.0, 1.0, 2.0))
    assert one == same != other


def test_objects_that_hold_themselves():
    class Node:
        def __init__(self, value):
            self.value, self.me = value, [self]

    one, same, other = (FingerprintReader().read(Node(value)) for value in (1, 1, 2))
    assert one == same != other


def test_what_cannot_be_taken_apart_needs_a_name():
    class Open:
        def __init__(self):
            self.lock = __import__("threading").Lock()

        def predict(self, rows):
            return rows

    with pytest.raises(lc.errors.OptionError, match="got an object of lock"):
        SklearnModel(Open(), "output").fingerprint()


def test_the_same_in_all_processes():
    code = """
import numpy as np, torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from lcshap.adapters import SklearnModel, TorchModel
class Net(torch.nn.Module):
    names = {"a", "b", "c"}
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.inner, self.relu = torch.nn.Linear(3, 2), torch.nn.functional.relu
    def forward(self, x):
        return self.relu(self.inner(x))
texts = make_pipeline(TfidfVectorizer(stop_words=["the"]), LogisticRegression()).fit(["a good film", "dull"], [0, 1])
print(SklearnModel(texts).fingerprint().hex(), TorchModel(Net(), "logits").fingerprint().hex())
"""
    command = [sys.executable, "-W", "ignore", "-c", code]
    outputs = [
        subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0].split()) == 2


def test_installed_and_not():
    assert is_installed("torch.nn.functional")
    assert is_installed("functools")
    assert is_installed("lcshap.adapters.torch")
    assert not is_installed(__name__)
