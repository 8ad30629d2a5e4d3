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
    mean = e.average_outputs()
    np.testing.assert_allclose(mean.scores, e.scores.mean(axis=1))
    np.testing.assert_allclose(mean.stderr, e.scores.std(axis=1, ddof=1) / 3)
    assert mean.dof == 8
    assert mean.full_value - mean.base_value == pytest.approx(mean.scores.sum())
    again = TextAnswerModel(answer, float, samples=9)
    np.testing.assert_array_equal(again.predict(["a b"]), model.predict(["a b"]))


def test_the_error_of_the_method_counts_too():
    model = TextAnswerModel(lambda prompts, seed: [str(len(p) + seed) for p in prompts], float, samples=2)
    e = lc.Explainer(model, lc.maskers.Text(), lc.SampleShapley(40))("one two three four five six seven")
    assert (e.average_outputs().stderr >= e.stderr.min(axis=1) - 1e-12).all()


@pytest.mark.parametrize(
    "answer",
    [
        lambda prompts: [f"{len(p)} {0}" for p in prompts],
        lambda prompts, tokens=5: [f"{len(p)} {tokens - 5}" for p in prompts],
        lambda prompts, seed=0: [f"{len(p)} {seed}" for p in prompts],
        lambda prompts, number: [f"{len(p)} {number}" for p in prompts],
    ],
)
def test_functions_of_prompts_alone_get_no_seed(answer):
    model = TextAnswerModel(answer, lambda text: sum(map(float, text.split())))
    np.testing.assert_array_equal(model.predict(["one", "seven"]), [[3.0], [5.0]])


def test_what_is_refused():
    with pytest.raises(ModelError, match="Expected a function of prompts and a seed with samples=3"):
        TextAnswerModel(lambda prompts: prompts, TokenF1("one"), samples=3)
    with pytest.raises(ModelError, match="Expected 2 texts"):
        TextAnswerModel(lambda prompts, seed: ["one"], TokenF1("one")).predict(["a", "b"])
    with pytest.raises(ModelError, match="as samples"):
        TextAnswerModel(lambda prompts, seed: prompts, TokenF1("one"), samples=0)
    with pytest.raises(ModelError, match="as scalariser, got 'fn'"):
        TextAnswerModel("fn", TokenF1("one"))
    with pytest.raises(lc.errors.OptionError, match="several outputs"):
        lc.Shapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 2), lc.Graph.chain(2)).average_outputs()
