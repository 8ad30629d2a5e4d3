"""Answers that a language model generates for a prompt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..errors import ModelError
from ..extras import import_optional
from .torch import evaluation_mode


def generate(
    model: Any, tokenizer: Any, prompt: Sequence[int], max_new_tokens: int = 64, temperature: float = 0.0, seed: int = 0
) -> list[int]:
    """The tokens of the answer of a model of transformers, without the token that ends the answer.

    Parameters
    ----------
    prompt : its token ids.
    temperature : 0: always the most probable token. Above 0: sampled, from a separate generator with `seed`, so that
        the result depends neither on the global generator nor on the generation config of the model.
    """
    torch = import_optional("torch", "torch")
    if not isinstance(max_new_tokens, int) or max_new_tokens < 1:
        raise ModelError(f"Expected a whole number of at least 1 as max_new_tokens, got {max_new_tokens!r}.")
    if not (isinstance(temperature, int | float) and math.isfinite(temperature) and temperature >= 0):
        raise ModelError(f"Expected a temperature of at least 0, got {temperature!r}.")
    end_tokens = _find_end_tokens(model, tokenizer)
    device, cache, answer = next(model.parameters()).device, None, list[int]()
    ids, generator = list(prompt), torch.Generator().manual_seed(seed)
    with evaluation_mode(model), torch.no_grad():
        while len(answer) < max_new_tokens:
            output = model(input_ids=torch.tensor([ids], device=device), past_key_values=cache, use_cache=True)
            logits, cache = output.logits[0, -1].double().cpu(), output.past_key_values
            if temperature == 0:
                token = int(logits.argmax())
            else:
                token = int(torch.multinomial(torch.softmax(logits / temperature, 0), 1, generator=generator))
            if token in end_tokens:
                break
            answer.append(token)
            ids = [token] if cache is not None else [*ids, token]
    if not answer:
        raise ModelError("Expected an answer, got none: the model ended at once. Change the prompt or give an answer.")
    return answer


def _find_end_tokens(model: Any, tokenizer: Any) -> set[int]:
    """Return the tokens that end an answer."""
    eos_token_id = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    eos_tokens = eos_token_id if isinstance(eos_token_id, list | tuple) else [eos_token_id]
    return {token for token in (*eos_tokens, tokenizer.eos_token_id) if token is not None}
