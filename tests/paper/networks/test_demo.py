"""The weights that come with the package do what their README says, with onnxruntime alone."""

import re
import subprocess
import sys

import numpy as np
import pytest

import lcshap as lc
from lcshap.errors import MissingExtraError
from lcshap.paper.datasets import load
from lcshap.paper.networks.demo import WEIGHTS, demo_digits, demo_text


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("LCSHAP_DATA", raising=False)


def stated_accuracy(file):
    """The accuracy on the held-out part of the package's data, from the table in the README."""
    text = (WEIGHTS / "README.md").read_text(encoding="utf-8")
    return float(re.search(rf"`{file}`.*?([\d.]+) % of [\d,]+ held", text)[1]) / 100


def test_the_sentence_of_the_paper_is_negative():
    model, masker, text = demo_text()
    assert text == "It is not heartwarming or entertaining. It just sucks."
    logits = model.predict([text])
    assert model.classes == ("negative", "positive")
    assert logits.argmax() == 0
    e = lc.Explainer(model, masker, lc.Shapley())(text)
    assert e.names[-1] == "sucks"
    assert e.scores.argmax() == 8
    assert abs(e.residual) < 1e-10
    log_prob = logits[0, 0] - np.logaddexp(*logits[0].astype(float))
    np.testing.assert_allclose(e.full_value, log_prob, atol=1e-6)


def test_words_can_be_deleted_too():
    model, _, text = demo_text()
    e = lc.Explainer(model, lc.maskers.Text(), lc.FeatureAblation())(text)
    without = model.predict([text, text.replace(" sucks.", "")]).astype(float)
    log_prob = without[:, 0] - np.logaddexp(without[:, 0], without[:, 1])
    np.testing.assert_allclose(e.scores[-1], log_prob[0] - log_prob[1], atol=1e-6)


def test_reviews_that_were_held_out():
    data = load("imdb", split="test").shuffled().take(range(1000))
    model, _, _ = demo_text()
    answers = np.concatenate([model.predict(data.inputs[s : s + 50]) for s in range(0, 1000, 50)])
    assert abs((answers.argmax(axis=1) == data.labels).mean() - stated_accuracy("reviews.onnx")) < 0.025


def test_digits_that_were_held_out():
    data = load("mnist", split="test", classes=(3, 8))
    model, masker, image = demo_digits()
    assert model.classes == data.classes
    right = (model.predict(data.inputs).argmax(axis=1) == data.labels).mean()
    assert round(right, 4) == pytest.approx(stated_accuracy("digits.onnx"), abs=1e-9)
    which = [k for k, other in enumerate(data.inputs) if (other == image).all()]
    assert len(which) == 1
    assert image.dtype == np.uint8
    assert model.predict(image[None]).argmax() == data.labels[which[0]]
    e = lc.Explainer(model, masker, lc.FeatureAblation())(image)
    assert e.view.image.shape == (28, 28, 1)
    changed = image.copy()
    place = np.unravel_index(e.scores.argmax(), image.shape)
    changed[place] = np.rint(image.mean())
    both = model.predict(np.stack([image, changed])).astype(float)
    log_prob = (both - np.logaddexp(both[:, :1], both[:, 1:]))[:, data.labels[which[0]]]
    np.testing.assert_allclose(e.scores.max(), log_prob[0] - log_prob[1], atol=1e-6)


def test_the_files_are_small():
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) < 2_000_000


def test_onnxruntime_is_enough(monkeypatch):
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from lcshap.paper.networks.demo import demo_digits, demo_text\n"
        "print(*[model.predict([x]).argmax() for model, _, x in (demo_text(), demo_digits())])"
    )
    predictions = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert predictions[0] == "0"
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r'pip install "lcshap\[onnx\]"'):
        demo_text()
