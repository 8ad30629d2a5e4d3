"""Language models with random weights, and a tokenizer that knows the words of one sentence."""

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedTokenizerFast,
)

CORPUS = ["The capital of France is Paris and the capital of Spain is Madrid."]


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
    return GPT2LMHeadModel(GPT2Config(**{**size, **options}))


_SIZE = {
    "vocab_size": 320,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 200,
    "initializer_range": 0.3,
}


def llama(**options):
    torch.manual_seed(0)
    return LlamaForCausalLM(LlamaConfig(**{**_SIZE, **options}))


def mistral(**options):
    """A model with a sliding window, unless the options say otherwise."""
    torch.manual_seed(0)
    return MistralForCausalLM(MistralConfig(**{**_SIZE, "sliding_window": 8, **options}))


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
