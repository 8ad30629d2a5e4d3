import numpy as np
import pytest
import torch
from tiny_lm import bpe, by_hand, gpt2
from torch import nn
from transformers import T5Config, T5ForConditionalGeneration

import lcshap as lc
import oracles
from lcshap.adapters import prefix_sharing
from lcshap.adapters.causal_lm import CausalLMModel
from lcshap.errors import ModelError
from lcshap.maskers.subwords import Subwords

PROMPT = "The capital of France is"


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Models this small only wait for a second one."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


TOKENIZER = bpe()


def ids(text):
    return TOKENIZER.backend_tokenizer.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("continuation", [" Paris", " Paris and Madrid.", "\u00fcber 👍🏽"])
def test_log_probabilities_are_those_of_each_prompt_alone(continuation):
    model = gpt2().train()
    prompts = [PROMPT, "", "The", "of France the capital is 中文 is", "The "]
    log_probs = CausalLMModel(model, TOKENIZER, continuation).predict(prompts)
    assert log_probs.dtype == np.float64
    assert all(module.training for module in model.modules())
    expected = [by_hand(model, ids(prompt) or [0], ids(continuation)) for prompt in prompts]
    np.testing.assert_allclose(log_probs, np.sum(expected, axis=1, keepdims=True), atol=1e-5)
    assert np.abs(np.diff(log_probs, axis=0)).min() > 1e-2
    per_token = CausalLMModel(model, TOKENIZER, continuation, per_token=True)
    np.testing.assert_allclose(per_token.predict(prompts), expected, atol=1e-5)
    alone = np.concatenate([per_token.predict([prompt]) for prompt in prompts])
    np.testing.assert_allclose(per_token.predict(prompts), alone, atol=1e-5)


def test_a_continuation_is_a_string_or_token_ids():
    model = gpt2()
    text, numbers = (
        CausalLMModel(model, TOKENIZER, " Paris and"),
        CausalLMModel(model, TOKENIZER, np.array(ids(" Paris and"))),
    )
    assert text.continuation == numbers.continuation == ids(" Paris and")
    assert len(text.continuation) == 2
    assert text.classes == numbers.classes == [" Paris and"]
    assert CausalLMModel(model, TOKENIZER, " Paris and", per_token=True).classes == [" Paris", " and"]
    glued = CausalLMModel(model, TOKENIZER, "Paris and")
    assert glued.continuation == ids("Paris and") != text.continuation  # the space matters


def test_the_words_of_a_prompt_against_brute_force():
    model, words = gpt2(), PROMPT.split()
    game = {
        kept: by_hand(model, ids(" ".join(words[i] for i in sorted(kept))) or [0], ids(" Paris and"))
        for kept in oracles.subsets(range(5))
    }
    expected = np.array(oracles.shapley(5, game))
    for masker in (lc.maskers.Text(), Subwords(TOKENIZER)):
        e = lc.Explainer(CausalLMModel(model, TOKENIZER, " Paris and"), masker, lc.Shapley())(PROMPT)
        np.testing.assert_allclose(e.scores, expected.sum(axis=1), atol=1e-5)
        assert e.provenance["targets"] == [" Paris and"]
    per_token = CausalLMModel(model, TOKENIZER, " Paris and", per_token=True)
    e = lc.Explainer(per_token, lc.maskers.Text(), lc.Shapley(), target="all")(PROMPT)
    np.testing.assert_allclose(e.scores, expected, atol=1e-5)
    assert e.provenance["targets"] == [" Paris", " and"]
    assert np.abs(expected).max() > 0.1


def test_an_empty_prompt_starts_from_the_token_for_that():
    model, continuation = gpt2(), ids(" Paris")
    for options, start in [({"bos_token": "<start>"}, 1), ({}, 0)]:
        log_probs = CausalLMModel(model, bpe(**options), " Paris").predict(["", PROMPT])
        expected = [by_hand(model, [start], continuation), by_hand(model, ids(PROMPT), continuation)]
        np.testing.assert_allclose(log_probs, expected, atol=1e-5)
    with pytest.raises(
        ModelError, match="Expected a tokenizer with a bos or an eos token for a row without tokens, got neither"
    ):
        CausalLMModel(model, bpe(eos_token=None), " Paris").predict([PROMPT, ""])


def test_tokens_around_a_prompt_open_it_but_do_not_close_it():
    tokenizer = bpe("<start> $A <end>", bos_token="<start>")
    model = gpt2()
    log_probs = CausalLMModel(model, tokenizer, " Paris").predict([PROMPT, ""])
    expected = [by_hand(model, [1, *ids(PROMPT)], ids(" Paris")), by_hand(model, [1], ids(" Paris"))]
    np.testing.assert_allclose(log_probs, expected, atol=1e-5)


class Wrapped(nn.Module):
    """A language model that gives all its logits, however few are needed."""

    def __init__(self, model):
        super().__init__()
        self.model, self.config = model, model.config

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids, attention_mask=attention_mask)


def test_only_the_logits_that_are_needed_are_made():
    model, shapes = gpt2(), []
    model.register_forward_hook(lambda module, args, output: shapes.append(tuple(output.logits.shape)))
    prompts = [PROMPT, PROMPT + " the"]
    needed_logits = CausalLMModel(model, TOKENIZER, " Paris and", share_prefixes=False).predict(prompts)
    all_logits = CausalLMModel(Wrapped(model), TOKENIZER, " Paris and").predict(prompts)
    np.testing.assert_allclose(needed_logits, all_logits, atol=1e-6)
    assert [shape[1] for shape in shapes] == [3, len(ids(PROMPT)) + 2]
    shared = CausalLMModel(model, TOKENIZER, " Paris and")
    shared.predict(["The"])
    shapes.clear()
    np.testing.assert_allclose(shared.predict(prompts), all_logits, atol=1e-6)
    assert [shape[1] for shape in shapes] == [4]  # two of each row


def test_a_prompt_that_is_too_long():
    model = CausalLMModel(gpt2(), TOKENIZER, " Paris and")
    assert model.predict([" the" * 28]).shape == (1, 1)
    with pytest.raises(ModelError, match="at most 30 tokens together, as the model takes, got 29 and 2") as caught:
        model.predict(["The", " the" * 29])
    assert caught.value.row == 1
    assert CausalLMModel(gpt2(), bpe(model_max_length=8), " Paris").max_length == 8


def test_what_is_no_continuation_or_prompt_or_model():
    for continuation, message in [
        ("", "Expected an answer with text in it, got ''"),
        ("  \n", "Expected an answer with text in it"),
        ([], "Expected an answer with text in it"),
        ([1.5], "a text or a list of token ids"),
        (5, "a text or a list of token ids"),
        ([320], "Expected tokens from 0 to 319"),
        ([-1], "Expected tokens from 0"),
    ]:
        with pytest.raises(ModelError, match=message):
            CausalLMModel(gpt2(), TOKENIZER, continuation)
    with pytest.raises(ModelError, match=r"Expected texts as prompts, got tuple\. Choose Text"):
        CausalLMModel(gpt2(), TOKENIZER, " Paris").predict([PROMPT, ("The", "capital")])
    with pytest.raises(ModelError, match="Expected a model of transformers, got str"):
        CausalLMModel("gpt2", TOKENIZER, " Paris")
    with pytest.raises(ModelError, match="Expected a tokenizer"):
        CausalLMModel(gpt2(), "gpt2", " Paris")
    two_parts = T5ForConditionalGeneration(
        T5Config(vocab_size=320, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2)
    )
    with pytest.raises(ModelError, match="has an encoder"):
        CausalLMModel(two_parts, TOKENIZER, " Paris")


ANSWER = " Paris is the capital. Madrid is not."


def test_an_answer_and_its_sentences_are_columns_of_the_same_calls():
    model, forward_calls = gpt2(), []
    model.register_forward_hook(lambda module, args, output: forward_calls.append(1))
    lm = CausalLMModel(model, TOKENIZER, ANSWER, parts="sentence")
    lm.predict(["The"])
    forward_calls.clear()
    log_probs, per_token = lm.predict([PROMPT, "The"]), CausalLMModel(model, TOKENIZER, ANSWER, per_token=True)
    assert len(forward_calls) == 1
    assert lm.classes == ["the whole answer", "Paris is the capital.", "Madrid is not."]
    tokens = per_token.predict([PROMPT, "The"])
    first = sum(lm.answers[0].columns[:, 1] == 1)
    np.testing.assert_allclose(log_probs[:, 0], tokens.sum(axis=1), atol=1e-6)
    np.testing.assert_allclose(log_probs[:, 1], tokens[:, : int(first)].sum(axis=1), atol=1e-6)
    np.testing.assert_allclose(log_probs[:, 1:].sum(axis=1), log_probs[:, 0], atol=1e-9)


def test_a_source_longer_than_the_window_is_one_line():
    explainer = lc.Explainer(CausalLMModel(gpt2(), TOKENIZER, " Paris"), lc.maskers.Prompt("{sources} is"))
    x = {"sources": ["The capital", "of France " * 40]}
    for ask in (explainer, explainer.preview, lambda x: lc.zoom(explainer, x)):
        with pytest.raises(
            lc.LcshapError, match=r"at most 30 tokens together.*Shorten the prompt, or leave out"
        ) as caught:
            ask(x)
        assert "\n" not in str(caught.value)


def test_all_parts_are_explained_unless_a_target_is_given():
    lm = CausalLMModel(gpt2(), TOKENIZER, ANSWER, parts="sentence")
    prompt = lc.maskers.Prompt("{sources} is")
    x = {"sources": ["The capital", "of Spain", "of France"]}
    e = lc.Explainer(lm, prompt, lc.Shapley())(x)
    assert e.scores.shape == (3, 3)
    np.testing.assert_allclose(e.scores[:, 1:].sum(axis=1), e.scores[:, 0], atol=1e-9)
    assert e.view.answer == ANSWER
    assert e.view.answer_parts == (ANSWER, "Paris is the capital.", "Madrid is not.")
    assert e.provenance["answer"] == [ANSWER]
    assert e.provenance["generated"] == "given"
    one = lc.Explainer(lm, prompt, lc.Shapley(), target=2)(x)
    np.testing.assert_allclose(one.scores, e.scores[:, 2], atol=1e-9)
    assert one.view.answer_parts == ("Madrid is not.",)


def test_why_one_answer_and_not_another():
    model = gpt2()
    lm = CausalLMModel(model, TOKENIZER, [" Paris", " Madrid and"])
    a, b = (CausalLMModel(model, TOKENIZER, text).predict([PROMPT, ""]) for text in (" Paris", " Madrid and"))
    np.testing.assert_allclose(lm.predict([PROMPT, ""]), np.concatenate([a, b], axis=1), atol=1e-6)
    e = lc.Explainer(lm, lc.maskers.Text(), lc.Shapley(), target=(0, 1))("The capital")
    np.testing.assert_allclose(e.base_value, (a - b)[1, 0], atol=1e-6)
    assert e.provenance["targets"] == [[" Paris", " Madrid and"]]
    with pytest.raises(ModelError, match="Explain one answer at a time"):
        CausalLMModel(model, TOKENIZER, [" Paris", " Madrid"], parts="token")


def test_an_answer_that_the_model_generates_is_recorded():
    model = gpt2()
    lm = CausalLMModel.generated(model, TOKENIZER, PROMPT, max_new_tokens=4)
    expected, prompt = [], ids(PROMPT)
    for _ in range(4):
        with torch.no_grad():
            expected.append(int(model.eval()(torch.tensor([prompt + expected])).logits[0, -1].argmax()))
    assert lm.continuation == expected
    assert lm.record["generated"] == "greedy"
    drawn = [
        CausalLMModel.generated(model, TOKENIZER, PROMPT, max_new_tokens=8, temperature=2.0, seed=seed)
        for seed in (1, 1, 2)
    ]
    assert drawn[0].continuation == drawn[1].continuation != drawn[2].continuation
    assert drawn[0].record["generated"] == "sampled at temperature 2 from seed 1"


def test_ctrl_c_keeps_what_was_found(monkeypatch):
    monkeypatch.setattr(prefix_sharing, "MAX_STEP_TOKENS", 0)  # a row in each step
    model, asked = gpt2(), []

    def stop(module, args):
        asked.append(1)
        if len(asked) == 3:
            raise KeyboardInterrupt

    lm = CausalLMModel(model, TOKENIZER, " Paris")
    lm.predict(["The"])
    model.register_forward_pre_hook(stop)
    with pytest.raises(lc.errors.Interrupted) as caught:
        lm.predict(["The", "is", "of", "France"])
    assert np.isfinite(caught.value.answers).sum() == 2


def test_a_chat_template_that_opens_itself_is_not_opened_twice():
    tokenizer = bpe("<start> $A", bos_token="<start>")
    model = gpt2()
    log_probs = CausalLMModel(model, tokenizer, " Paris").predict(["<start>" + PROMPT, PROMPT])
    np.testing.assert_allclose(log_probs[0], log_probs[1], atol=1e-6)


def test_the_preview_counts_tokens():
    lm = CausalLMModel(gpt2(), TOKENIZER, " Paris")
    preview = lc.Explainer(lm, lc.maskers.Text(), "feature-ablation").preview(PROMPT)
    assert "tokens computed" in preview
    plain = CausalLMModel(gpt2(), TOKENIZER, " Paris", share_prefixes=False)
    assert "  tokens  " in lc.Explainer(plain, lc.maskers.Text(), "feature-ablation").preview(PROMPT)
