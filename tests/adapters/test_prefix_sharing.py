import numpy as np
import pytest
import torch
from tiny_lm import bpe, by_hand, gpt2, llama, mistral
from transformers import GPTNeoConfig, GPTNeoForCausalLM

import lcshap as lc
from lcshap.adapters.causal_lm import CausalLMModel
from lcshap.adapters.padded_batches import padded_log_probs
from lcshap.adapters.prefix_sharing import MAX_STEP_TOKENS, can_pack, count_tokens, shared_log_probs
from lcshap.errors import ModelError

MODELS = {
    "absolute": lambda: gpt2(n_positions=200),
    "rotary": llama,
    "full mistral": lambda: mistral(sliding_window=None),
}


def random_rows(seed, count=40):
    """Rows that begin alike in many ways: a beginning, some of six pieces, an end."""
    rng = np.random.default_rng(seed)
    pieces = [rng.integers(0, 320, size=rng.integers(1, 9)).tolist() for _ in range(8)]
    rows = []
    for _ in range(count):
        kept = [piece for piece in pieces[1:7] if rng.random() < 0.6]
        prompt = [token for piece in (pieces[0], *kept, pieces[7]) for token in piece]
        rows.append((prompt, rng.integers(0, 320, size=rng.integers(1, 5)).tolist()))
    return rows


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_the_same_numbers_as_row_by_row(name, packed):
    model = MODELS[name]()
    rows = random_rows(1)
    assert can_pack(model)
    shared = dict(shared_log_probs(model, rows, packed))
    padded = dict(padded_log_probs(model, rows))
    assert sorted(shared) == sorted(padded) == list(range(len(rows)))
    for number, (prompt, answer) in enumerate(rows):
        np.testing.assert_allclose(shared[number], padded[number], atol=1e-5)
        if number < 8:
            np.testing.assert_allclose(shared[number], by_hand(model, prompt, answer), atol=1e-5)


def test_in_double_precision_nothing_but_rounding_differs():
    model = llama(attn_implementation="sdpa").double()
    rows = random_rows(4)
    shared, padded = dict(shared_log_probs(model, rows)), dict(padded_log_probs(model, rows))
    assert max(np.abs(shared[row] - padded[row]).max() for row in padded) < 1e-12


def test_attention_without_sdpa():
    model = llama(attn_implementation="eager")
    rows = random_rows(4)
    assert can_pack(model)
    shared, padded = dict(shared_log_probs(model, rows)), dict(padded_log_probs(model, rows))
    assert max(np.abs(shared[row] - padded[row]).max() for row in padded) < 1e-5


def test_a_row_longer_than_a_step_is_a_step_of_its_own():
    model = gpt2(n_positions=2 * MAX_STEP_TOKENS)
    rng = np.random.default_rng(5)
    long = rng.integers(0, 320, MAX_STEP_TOKENS + 40).tolist()
    rows = [(long, [1, 2]), (long[:-5], [3]), ([*long[:7], 8, 9], [4, 5, 6]), (long[:2], [7])]
    shared = dict(shared_log_probs(model, rows))
    for number, (prompt, answer) in enumerate(rows):
        np.testing.assert_allclose(shared[number], by_hand(model, prompt, answer), atol=1e-5)


def test_a_model_that_makes_something_else_of_the_mask_is_computed_row_by_row():
    class Deaf(type(llama())):
        def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=None):
            return super().forward(
                input_ids, position_ids=position_ids, past_key_values=past_key_values, use_cache=use_cache
            )

    deaf = Deaf(llama().config)
    deaf.load_state_dict(llama().state_dict())
    assert not can_pack(deaf)
    lm = CausalLMModel(deaf, bpe(), " Paris")
    assert lm.shares
    np.testing.assert_allclose(
        lm.predict(["The capital", "The"]),
        CausalLMModel(llama(), bpe(), " Paris").predict(["The capital", "The"]),
        atol=1e-5,
    )


def test_local_attention_is_computed_row_by_row():
    torch.manual_seed(0)
    size = {"vocab_size": 320, "hidden_size": 16, "num_layers": 2, "num_heads": 2, "initializer_range": 0.3}
    kinds = [[["global", "local"], 1]]
    model = GPTNeoForCausalLM(GPTNeoConfig(**size, window_size=4, attention_types=kinds))
    assert not can_pack(model)
    rows = random_rows(6, 10)
    shared = dict(shared_log_probs(model, rows, can_pack(model)))
    for number, (prompt, answer) in enumerate(rows):
        np.testing.assert_allclose(shared[number], by_hand(model, prompt, answer), atol=1e-5)


def test_the_tokens_computed_are_the_nodes_of_the_tree():
    rows = [(prompt, answer[:1]) for prompt, answer in random_rows(2)]
    nodes = {tuple(prompt[: k + 1]) for prompt, _ in rows for k in range(len(prompt) - 1)}
    computed, total = count_tokens(rows)
    assert computed == len(nodes) + len(rows)  # the last token of every prompt is computed for its logits
    assert total == sum(len(prompt) for prompt, _ in rows) > 1.5 * computed


def test_the_model_is_sent_no_other_tokens():
    model, sent = llama(), []
    model.register_forward_pre_hook(lambda _, args, kwargs: sent.append(kwargs["input_ids"].numel()), with_kwargs=True)
    rows = random_rows(3)
    list(shared_log_probs(model, rows))
    assert sum(sent) == count_tokens(rows)[0]
    assert len(sent) < len(rows) / 10
    assert max(sent) <= MAX_STEP_TOKENS
    sent.clear()
    list(shared_log_probs(model, rows, packed=False))
    assert sum(sent) == count_tokens(rows)[0]
    assert len(sent) == len(rows)


def test_scores_are_the_same_with_and_without():
    tokenizer, model = bpe(), llama()
    prompt = lc.maskers.Prompt("The {sources} is", level="word")
    x = {"sources": ["capital of France", "capital of Spain"]}
    both = [
        lc.Explainer(CausalLMModel(model, tokenizer, " Paris", share_prefixes=share), prompt, lc.Shapley())(x)
        for share in (True, False)
    ]
    np.testing.assert_allclose(both[0].scores, both[1].scores, atol=1e-5)
    assert np.abs(both[0].scores).max() > 0.1


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (mistral, "sliding window of 8 tokens"),
        (lambda: llama(layer_types=["full_attention", "sliding_attention"]), "layers of sliding attention"),
    ],
)
def test_sliding_windows_are_refused_with_a_reason(make, reason):
    model = make()
    with pytest.raises(ModelError, match=reason) as caught:
        CausalLMModel(model, bpe(), " Paris", share_prefixes=True)
    assert "\n" not in str(caught.value)
    assert not CausalLMModel(model, bpe(), " Paris").shares


def test_a_model_without_a_cache_is_refused():
    class Bare(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = gpt2()
            self.config = self.model.config

        def forward(self, input_ids, attention_mask):
            return self.model(input_ids, attention_mask=attention_mask)

    with pytest.raises(ModelError, match="takes no past_key_values"):
        CausalLMModel(Bare(), bpe(), " Paris", share_prefixes=True)
