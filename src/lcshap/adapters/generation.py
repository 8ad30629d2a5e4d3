"""What a language model answers to a prompt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..errors import ModelError
from ..extras import need
from .torch import evaluation


def generate(
    model: Any, tokenizer: Any, prompt: Sequence[int], max_new_tokens: int = 64, temperature: float = 0.0, seed: int = 0
) -> list[int]:
    """The tokens that a model of transformers answers with, without the token that ends the answer.

    Parameters
    ----------
    prompt : its token ids.
    temperature : 0: always the most probable token. Above 0: sampled, from a generator of its own with `seed`, so that
        neither the global generator nor the generation config of the model plays a part.
    """
    torch = need("torch", "torch")
    if not isinstance(max_new_tokens, int) or max_new_tokens < 1:
        raise ModelError(f"Expected a whole number of at least 1 as max_new_tokens, got {max_new_tokens!r}.")
    if not (isinstance(temperature, int | float) and math.isfinite(temperature) and temperature >= 0):
        raise ModelError(f"Expected a temperature of at least 0, got {temperature!r}.")
    ends = _ends(model, tokenizer)
    where, cache, found = next(model.parameters()).device, None, list[int]()
    ids, chance = list(prompt), torch.Generator().manual_seed(seed)
    with evaluation(model), torch.no_grad():
        while len(found) < max_new_tokens:
            made = model(input_ids=torch.tensor([ids], device=where), past_key_values=cache, use_cache=True)
            logits, cache = made.logits[0, -1].double().cpu(), made.past_key_values
            if temperature == 0:
                token = int(logits.argmax())
            else:
                token = int(torch.multinomial(torch.softmax(logits / temperature, 0), 1, generator=chance))
            if token in ends:
                break
            found.append(token)
            ids = [token] if cache is not None else [*ids, token]
    if not found:
        raise ModelError("Expected an answer, got none: the model ended at once. Change the prompt or give an answer.")
    return found


def _ends(model: Any, tokenizer: Any) -> set[int]:
    """The tokens that end an answer."""
    told = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    listed = told if isinstance(told, list | tuple) else [told]
    return {token for token in (*listed, tokenizer.eos_token_id) if token is not None}
