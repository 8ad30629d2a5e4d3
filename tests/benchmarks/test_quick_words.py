"""The quick word-CNN says what the network says."""

import numpy as np
import pytest
from benchmarks.harness.tasks.base import margin
from benchmarks.harness.tasks.quick_words import value_function

import lcshap as lc
from lcshap.paper.networks.demo import demo_text

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


@pytest.mark.parametrize("d", [1, 2, 23, 400])
def test_it_equals_the_network_on_the_rows_of_the_masker(d):
    model, masker, sentence = demo_text()
    words = (sentence.replace(".", "").split() * 60)[:d]
    masked = masker.mask(" ".join(words))
    kept = np.random.default_rng(0).random((40, d)) < np.linspace(0, 1, 40)[:, None]
    logits = model.predict(masked.rows(lc.Coalitions.from_dense(kept)))
    target = int(model.predict(masked.rows(lc.Coalitions.from_dense(np.ones((1, d), bool))))[0].argmax())
    found = value_function(" ".join(words), d)(kept)
    np.testing.assert_allclose(found, margin(logits, target), atol=1e-4)
    assert d < 23 or np.ptp(found) > 0.1
