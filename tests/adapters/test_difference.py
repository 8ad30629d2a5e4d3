import numpy as np
import pytest
from tiny_lm import bpe, gpt2, llama

import lcshap as lc
from lcshap.adapters.causal_lm import CausalLMModel
from lcshap.adapters.difference import DifferenceModel
from lcshap.errors import ModelError


def test_scores_of_the_difference_are_the_difference_of_scores():
    one, other = (
        CausalLMModel(model, bpe(), " Paris is. Madrid too.", parts="sentence") for model in (llama(), gpt2())
    )
    prompt, x = lc.maskers.Prompt("{sources} is"), {"sources": ["The capital", "of France"]}
    explanations = [lc.Explainer(model, prompt, lc.Shapley())(x) for model in (one, other)]
    difference = lc.Explainer(DifferenceModel(one, other), prompt, lc.Shapley())(x)
    np.testing.assert_allclose(difference.scores, explanations[0].scores - explanations[1].scores, atol=1e-9)
    assert difference.provenance["contrast"] == "two models"
    assert difference.view.answer_parts == explanations[0].view.answer_parts


def test_what_is_refused():
    output = CausalLMModel(llama(), bpe(), [" Paris", " Madrid"])
    single = CausalLMModel(llama(), bpe(), " Paris")
    for pair, message in [
        ((output, len), "Expected two adapters"),
        ((output, lc.adapters.CallableModel(len, "logits")), 'kind="output"'),
        ((output, single), "got 2 and 1"),
    ]:
        with pytest.raises(ModelError, match=message):
            DifferenceModel(*pair)
    unnamed = lc.adapters.CallableModel(lambda rows: [1.0 for _ in rows], "output")
    with pytest.raises(
        ModelError, match=r"Expected answers of the same shape from both models, got \(1, 2\) and \(1, 1\)"
    ):
        DifferenceModel(output, unnamed).predict(["a"])
