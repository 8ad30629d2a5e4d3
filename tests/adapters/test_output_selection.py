"""Answers in dictionaries, dataclasses and tuples."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

import lcshap as lc
from lcshap.adapters import JaxModel, KerasModel, TorchModel
from lcshap.adapters.output_selection import check_output, describe_model_output, select_output

X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


@dataclass
class Answer:
    hidden: object
    scores: object


class Module(nn.Module):
    def __init__(self, wrap):
        super().__init__()
        self.line, self.wrap = nn.Linear(3, 2), wrap

    def forward(self, x):
        return self.wrap(x, self.line(x))


@pytest.mark.parametrize(
    ("wrap", "output"),
    [
        (lambda x, y: {"hidden": x, "scores": y}, "scores"),
        (Answer, "scores"),
        (lambda x, y: (x, y), 1),
        (lambda x, y: {"deep": [x, {"scores": y}]}, lambda answer: answer["deep"][1]["scores"]),
        (lambda x, y: {"loss": x.sum(), "logits": y}, None),
    ],
)
def test_a_part_of_what_a_module_returns(wrap, output):
    module = Module(wrap)
    model = TorchModel(module, "logits", output=output)
    np.testing.assert_array_equal(model.predict(X), module.line(torch.from_numpy(X)).detach().numpy())
    plain = TorchModel(module.line, "logits")
    weights = np.array([[1.0, 0.0]] * 5)
    np.testing.assert_array_equal(model.gradient(X, weights), plain.gradient(X, weights))


def test_two_inputs_by_prepare_and_a_dictionary():
    class Scorer(nn.Module):
        def forward(self, ids, lengths):
            return {"scores": ids.sum(dim=1).double() / lengths, "hidden": ids}

    def prepare(texts):
        ids = [[len(word) for word in text.split()] or [0] for text in texts]
        lengths = torch.tensor([len(row) for row in ids])
        return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in ids], batch_first=True), lengths

    model = TorchModel(Scorer(), "output", prepare=prepare, output="scores")
    e = lc.Explainer(model, lc.maskers.Text(), lc.FeatureAblation())("a film of taste")
    np.testing.assert_allclose(e.scores, [3 - 11 / 3, 3 - 8 / 3, 3 - 10 / 3, 3 - 7 / 3])


def test_missing_outputs_are_reported():
    with pytest.raises(lc.errors.ModelError, match=r"got dict with hidden, scores\. .*output="):
        TorchModel(Module(lambda x, y: {"hidden": x, "scores": y}), "logits").predict(X)
    with pytest.raises(
        lc.errors.ModelError, match=r"Expected output='score' in the answer, got Answer with hidden, scores"
    ):
        TorchModel(Module(Answer), "logits", output="score").predict(X)
    with pytest.raises(lc.errors.ModelError, match=r"output=5 in the answer, got tuple of 2"):
        select_output((1, 2), 5)
    with pytest.raises(lc.errors.ModelError, match="Expected output to select a tensor, got str in dict with a"):
        TorchModel(Module(lambda x, y: {"a": "text"}), "logits", output="a").predict(X)
    with pytest.raises(
        lc.errors.ModelError,
        match="Expected a name, a number or a function of what it returns as output of TorchModel, got",
    ):
        check_output(1.5, "TorchModel")
    assert describe_model_output({}) == "dict with nothing"


def test_functions_of_jax():
    def both(x):
        return {"hidden": x, "scores": x @ np.ones((3, 2), np.float32)}

    np.testing.assert_allclose(JaxModel(both, "output", output="scores").predict(X)[:, 0], X.sum(axis=1), rtol=1e-5)


def test_models_of_keras():
    keras = pytest.importorskip("keras")
    x = keras.Input((3,))
    parts = {"label": keras.layers.Dense(2)(x), "box": keras.layers.Dense(4)(x)}
    model = KerasModel(keras.Model(x, parts), "logits", output="label")
    assert model.predict(X).shape == (5, 2)
    with pytest.raises(lc.errors.ModelError, match=r"got dict with .*label"):
        KerasModel(keras.Model(x, parts), "logits").predict(X)
