"""A model of one's own: `predict` is enough."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters.base import Model


class Lengths(Model):
    kind = "output"

    def predict(self, rows):
        return np.array([[float(len(row))] for row in rows])


def test_predict_is_enough():
    e = lc.Explainer(Lengths(), lc.maskers.Text(), "shapley")("to be or")
    assert e.full_value == 8
    assert e.provenance["model"] == "Lengths"


def test_defaults_of_a_model():
    model = Lengths()
    assert not model.blends
    assert model.cost(5) is None
    assert model.classes is None
    for work in (lambda: model.gradient([], np.zeros((1, 1))), lambda: model.predict_blends([])):
        with pytest.raises(NotImplementedError):
            work()
    with pytest.raises(TypeError):
        Model()  # type: ignore[abstract]
