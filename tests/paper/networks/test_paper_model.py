import json

import numpy as np
import pytest
import torch

import lcshap as lc
from lcshap.errors import ModelError
from lcshap.paper.networks import MODELS, load, make, read_onnx

RNG = np.random.default_rng(0)
TEXTS = ["A good film.", "It is not heartwarming or entertaining. It just sucks.", "the worst film ever made " * 9, ""]
IMAGES = {
    "mnist-cnn": RNG.integers(0, 256, (3, 28, 28), dtype=np.uint8),
    "cifar-cnn": RNG.integers(0, 256, (3, 32, 32, 3), dtype=np.uint8),
}


def make_model(name, seed=0):
    return make(name, IMAGES.get(name, TEXTS), ("no", "yes"), seed)


def logits(model, *rows):
    """The network called by hand, row by row, without its adapter."""
    with torch.no_grad():
        return np.concatenate([model.network.eval()(torch.from_numpy(model.encoder.encode([row]))) for row in rows])


@pytest.mark.parametrize("name", MODELS)
def test_raw_inputs_to_logits_saved_and_loaded(tmp_path, name):
    model, rows = make_model(name), IMAGES.get(name, TEXTS)
    predictions = model.adapter().predict(rows)
    np.testing.assert_allclose(predictions, logits(model, *rows), atol=1e-5)  # the same alone and in company
    model.save(tmp_path / "new")
    back = load(tmp_path / "new")
    np.testing.assert_array_equal(back.adapter().predict(rows), predictions)
    assert back.classes == ("no", "yes")
    assert back.encoder == model.encoder
    assert back.name == name


@pytest.mark.parametrize("name", MODELS)
def test_onnx_gives_the_same(tmp_path, name):
    model, rows = make_model(name), IMAGES.get(name, TEXTS)
    path = model.export(tmp_path / "model.onnx")
    assert b"networks.py" not in path.read_bytes()  # no traces of the machine that exported it
    exported, encoder = read_onnx(path)
    assert encoder == model.encoder
    assert exported.classes == ("no", "yes")
    expected = model.adapter().predict(rows)
    np.testing.assert_allclose(exported.predict(rows), expected, atol=1e-4)
    np.testing.assert_allclose(exported.predict(rows[:1]), expected[:1], atol=1e-4)


def test_seeds():
    first, same, other = make_model("mnist-cnn"), make_model("mnist-cnn"), make_model("mnist-cnn", 1)
    torch.manual_seed(5)
    before = torch.rand(1)
    torch.manual_seed(5)
    make_model("mnist-cnn")
    assert torch.rand(1) == before  # the user's generator goes on as if nothing had happened
    for a, b, c in zip(*(m.network.parameters() for m in (first, same, other)), strict=True):
        assert torch.equal(a, b)
        assert not torch.equal(a, c)


def test_words_deleted_and_words_zeroed():
    """Against the network called by hand on texts and ids written by hand."""
    model = make_model("word-cnn")
    text, words = "It just sucks.", model.encoder
    by_deletion = lc.Explainer(model.adapter(), lc.maskers.Text(), lc.FeatureAblation(), target="yes", value="log_prob")
    kept = logits(model, text, "just sucks.", "It sucks.", "It just")
    log_prob = kept[:, 1] - np.log(np.exp(kept).sum(axis=1))
    np.testing.assert_allclose(by_deletion(text).scores, log_prob[0] - log_prob[1:], atol=1e-6)
    zeroed = lc.Explainer(model.adapter(), model.masker(), lc.FeatureAblation(), target="yes", value="log_prob")(text)
    ids = words.encode([text]).repeat(4, axis=0)
    ids[[1, 2, 3], [0, 1, 2]] = 0
    with torch.no_grad():
        kept = model.network(torch.from_numpy(ids)).numpy().astype(float)
    log_prob = kept[:, 1] - np.log(np.exp(kept).sum(axis=1))
    np.testing.assert_allclose(zeroed.scores, log_prob[0] - log_prob[1:], atol=1e-6)
    assert zeroed.names == ("It", "just", "sucks")
    assert zeroed.provenance["targets"] == ["yes"]


def test_ids_themselves_can_be_explained():
    model = make_model("word-cnn")
    text = "It just sucks."
    ids = model.encoder.encode([text])[0]
    masker = lc.maskers.Tokens(padding=0, vocabulary=["", "?", *model.encoder.vocabulary])
    by_ids = lc.Explainer(model.network, masker, lc.Shapley(), kind="logits", target=0)(ids)
    by_text = lc.Explainer(model.adapter(), model.masker(), lc.Shapley(), target=0)(text)
    np.testing.assert_allclose(by_ids.scores, by_text.scores, atol=1e-6)
    assert by_ids.names == ("it", "just", "sucks")


def test_words_of_the_char_cnn():
    model = make_model("char-cnn")
    text = "It sucks."
    kept = {"delete": logits(model, text, "sucks.", "It"), "blank": logits(model, text, "   sucks.", "It       ")}
    for masker, values in ((lc.maskers.Text(), kept["delete"]), (model.masker(), kept["blank"])):
        e = lc.Explainer(model.adapter(), masker, lc.FeatureAblation(), target=1, value="log_prob")(text)
        log_prob = values[:, 1] - np.log(np.exp(values).sum(axis=1))
        np.testing.assert_allclose(e.scores, log_prob[0] - log_prob[1:], atol=1e-5)


def test_images_have_saliency():
    model = make_model("mnist-cnn")
    image = IMAGES["mnist-cnn"][0].astype(np.float32)
    e = lc.Explainer(model.adapter(), model.masker(), lc.Saliency(), target=1)(image)
    rows = torch.from_numpy(image)[None].requires_grad_(True)
    torch.log_softmax(model.network(rows).double(), dim=1)[0, 1].backward()
    np.testing.assert_allclose(e.scores, rows.grad[0].abs().numpy().ravel(), atol=1e-9)


def test_accuracy():
    model = make_model("mnist-cnn")
    images = RNG.integers(0, 256, (7, 28, 28), dtype=np.uint8)
    labels = np.array([0, 1, 0, 1, 0, 1, 1])
    right = (logits(model, *images).argmax(axis=1) == labels).mean()
    assert model.accuracy(images, labels, batch=3) == right


def test_bad_input(tmp_path):
    with pytest.raises(
        lc.errors.OptionError, match=r"Expected one of the models of the paper, word-cnn, char-cnn, lstm.*, got 'gpt'"
    ):
        make("gpt", TEXTS, ("a", "b"))
    with pytest.raises(
        ModelError, match=r"which does not exist. Train the model with python -m lcshap.paper.networks.train"
    ):
        load(tmp_path)
    with pytest.raises(ModelError, match="Expected a file with a model, got"):
        read_onnx(tmp_path / "model.onnx")
    make_model("mnist-cnn").save(tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    for wrong in ({**content, "encoder": {"kind": "pixels"}}, {"name": "mnist-cnn"}, []):
        (tmp_path / "model.json").write_text(json.dumps(wrong))
        with pytest.raises(ModelError, match="Expected the description of a model of lcshap, got"):
            load(tmp_path)
    (tmp_path / "model.json").write_text("{")
    with pytest.raises(ModelError, match="Expected the description of a model of lcshap, got"):
        load(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps({**content, "name": "gpt"}))
    with pytest.raises(ModelError, match=r"Expected one of the models of the paper, .*, got .*gpt"):
        load(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps({**content, "classes": ["a", "b", "c"]}))
    with pytest.raises(ModelError, match="Expected the weights of a mnist-cnn, got"):
        load(tmp_path)
