import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

import lcshap as lc
import oracles
from lcshap.adapters.causal_lm import CausalLMModel
from lcshap.errors import ModelError
from lcshap.maskers.subwords import Subwords

PROMPT = "The capital of France is"
CORPUS = ["The capital of France is Paris and the capital of Spain is Madrid."]


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Models this small only wait for a second one."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def bpe(template=None, **options):
    """A byte-level tokenizer as that of GPT-2, which knows the words of one sentence."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<end>", "<start>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS * 3, trainer)
    if template:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=template, special_tokens=[("<end>", 0), ("<start>", 1)]
        )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **{"eos_token": "<end>", **options})


def gpt2(**options):
    torch.manual_seed(0)
    size = {"vocab_size": 320, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 30, "initializer_range": 0.3}
    return GPT2LMHeadModel(GPT2Config(**size, **options))


def by_hand(model, prompt, continuation):
    """log P of each token of the continuation, one forward pass a token, nothing padded."""
    model.eval()
    found = []
    for token in continuation:
        with torch.no_grad():
            logits = model(torch.tensor([prompt])).logits[0, -1].double().numpy()
        found.append(logits[token] - np.log(np.exp(logits - logits.max()).sum()) - logits.max())
        prompt = [*prompt, token]
    return found


TOKENIZER = bpe()


def ids(text):
    return TOKENIZER.backend_tokenizer.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("continuation", [" Paris", " Paris and Madrid.", "\u00fcber 👍🏽"])
def test_log_probabilities_are_those_of_each_prompt_alone(continuation):
    model = gpt2().train()
    prompts = [PROMPT, "", "The", "of France the capital is 中文 is", "The "]
    found = CausalLMModel(model, TOKENIZER, continuation).predict(prompts)
    assert found.dtype == np.float64
    assert all(part.training for part in model.modules())
    expected = [by_hand(model, ids(prompt) or [0], ids(continuation)) for prompt in prompts]
    np.testing.assert_allclose(found, np.sum(expected, axis=1, keepdims=True), atol=1e-5)
    assert np.abs(np.diff(found, axis=0)).min() > 1e-2
    each = CausalLMModel(model, TOKENIZER, continuation, per_token=True)
    np.testing.assert_allclose(each.predict(prompts), expected, atol=1e-5)
    alone = np.concatenate([each.predict([prompt]) for prompt in prompts])
    np.testing.assert_allclose(each.predict(prompts), alone, atol=1e-5)


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
    each = CausalLMModel(model, TOKENIZER, " Paris and", per_token=True)
    e = lc.Explainer(each, lc.maskers.Text(), lc.Shapley(), target="all")(PROMPT)
    np.testing.assert_allclose(e.scores, expected, atol=1e-5)
    assert e.provenance["targets"] == [" Paris", " and"]
    assert np.abs(expected).max() > 0.1


def test_an_empty_prompt_starts_from_the_token_for_that():
    model, continuation = gpt2(), ids(" Paris")
    for options, start in [({"bos_token": "<start>"}, 1), ({}, 0)]:
        found = CausalLMModel(model, bpe(**options), " Paris").predict(["", PROMPT])
        expected = [by_hand(model, [start], continuation), by_hand(model, ids(PROMPT), continuation)]
        np.testing.assert_allclose(found, expected, atol=1e-5)
    with pytest.raises(ModelError, match="neither a bos nor an eos token"):
        CausalLMModel(model, bpe(eos_token=None), " Paris").predict([PROMPT, ""])


def test_tokens_around_a_prompt_open_it_but_do_not_close_it():
    tokenizer = bpe("<start> $A <end>", bos_token="<start>")
    model = gpt2()
    found = CausalLMModel(model, tokenizer, " Paris").predict([PROMPT, ""])
    expected = [by_hand(model, [1, *ids(PROMPT)], ids(" Paris")), by_hand(model, [1], ids(" Paris"))]
    np.testing.assert_allclose(found, expected, atol=1e-5)


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
    few = CausalLMModel(model, TOKENIZER, " Paris and").predict(prompts)
    every = CausalLMModel(Wrapped(model), TOKENIZER, " Paris and").predict(prompts)
    np.testing.assert_allclose(few, every, atol=1e-6)
    assert [shape[1] for shape in shapes] == [3, len(ids(PROMPT)) + 2]


def test_a_prompt_that_is_too_long():
    model = CausalLMModel(gpt2(), TOKENIZER, " Paris and")
    assert model.predict([" the" * 28]).shape == (1, 1)
    with pytest.raises(ModelError, match="29 tokens and a continuation of 2 are more than the 30") as caught:
        model.predict(["The", " the" * 29])
    assert caught.value.row == 1
    assert CausalLMModel(gpt2(), bpe(model_max_length=8), " Paris").max_length == 8


def test_what_is_no_continuation_or_prompt_or_model():
    for continuation, message in [
        ("", "no tokens"),
        ([], "no tokens"),
        ([1.5], "a string or a list of token ids"),
        (5, "a string or a list of token ids"),
        ([320], "outside the model's 0 to 319"),
        ([-1], "outside"),
    ]:
        with pytest.raises(ModelError, match=message):
            CausalLMModel(gpt2(), TOKENIZER, continuation)
    with pytest.raises(ModelError, match=r"a prompt must be a str, not tuple: choose Text\(\)"):
        CausalLMModel(gpt2(), TOKENIZER, " Paris").predict([PROMPT, ("The", "capital")])
    with pytest.raises(ModelError, match="str is no model"):
        CausalLMModel("gpt2", TOKENIZER, " Paris")
    with pytest.raises(ModelError, match="no tokenizer"):
        CausalLMModel(gpt2(), "gpt2", " Paris")
    two_parts = T5ForConditionalGeneration(
        T5Config(vocab_size=320, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2)
    )
    with pytest.raises(ModelError, match="has an encoder"):
        CausalLMModel(two_parts, TOKENIZER, " Paris")
