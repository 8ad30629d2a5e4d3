import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters.scalarisers import TokenF1
from lcshap.adapters.text_answers import TextAnswerModel
from lcshap.errors import ModelError


def test_samples_are_outputs_and_their_mean_has_a_standard_error():
    noise = np.random.default_rng(0).normal(size=(9, 8))

    def answer(prompts, seed):
        return [str(len(p.split()) + noise[seed, len(p.split())]) for p in prompts]

    model = TextAnswerModel(answer, float, samples=9)
    e = lc.Explainer(model, lc.maskers.Text(), lc.Shapley())("one two three")
    assert e.scores.shape == (3, 9)
    mean = e.averaged()
    np.testing.assert_allclose(mean.scores, e.scores.mean(axis=1))
    np.testing.assert_allclose(mean.stderr, e.scores.std(axis=1, ddof=1) / 3)
    assert mean.freedom == 8
    assert mean.full_value - mean.base_value == pytest.approx(mean.scores.sum())
    again = TextAnswerModel(answer, float, samples=9)
    np.testing.assert_array_equal(again.predict(["a b"]), model.predict(["a b"]))


def test_the_error_of_the_method_counts_too():
    model = TextAnswerModel(lambda prompts, seed: [str(len(p) + seed) for p in prompts], float, samples=2)
    e = lc.Explainer(model, lc.maskers.Text(), lc.SampleShapley(40))("one two three four five six seven")
    assert (e.averaged().stderr >= e.stderr.min(axis=1) - 1e-12).all()


def test_what_is_refused():
    with pytest.raises(ModelError, match="Expected 2 texts"):
        TextAnswerModel(lambda prompts, seed: ["one"], TokenF1("one")).predict(["a", "b"])
    with pytest.raises(ModelError, match="as samples"):
        TextAnswerModel(lambda prompts, seed: prompts, TokenF1("one"), samples=0)
    with pytest.raises(ModelError, match="a scalariser"):
        TextAnswerModel("fn", TokenF1("one"))
    with pytest.raises(lc.OptionError, match="several outputs"):
        lc.Shapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 2), lc.Graph.chain(2)).averaged()
