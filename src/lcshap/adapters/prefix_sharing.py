"""Log-probabilities of answers, with what prompts have in common at their beginning computed once.

The prompts of a plan share beginnings: the template, and the sources before the first that differs. In alphabetical
order of their tokens, every prompt shares with the one before it the longest beginning that it shares with any before.
So one cache of keys and values is enough: it is cut back to the common beginning, and only the rest of the prompt and
the answer are computed. Together these are the nodes of the tree of all token sequences: none is computed twice.

This is exact where the keys and values of a token depend on the tokens before it alone, in a causal model with full
attention. Positions may be absolute or rotary, because a shared token stands at the same place in all rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import need
from .row_by_row import Sequences, log_probs, options
from .torch import evaluation, tensor_in
from .transformers import text_config

BATCH = 1024  # rows that are sorted together
_FULL = ("full_attention",)


def may_share(model: Any, wanted: bool | None) -> bool:
    """Whether beginnings are shared; `ModelError` with the reason where the user wants it and it would not be exact."""
    if wanted is False:
        return False
    why = why_not(model)
    if why and wanted:
        raise ModelError(
            f"Expected a model whose prefixes can be shared, got one {why}. Leave out share_prefixes=True."
        )
    return not why


def why_not(model: Any) -> str:
    """Why the keys and values of a prefix cannot be used again; empty where they can."""
    config = text_config(model)
    kinds = getattr(config, "layer_types", None)
    if kinds is not None and any(kind not in _FULL for kind in kinds):
        other = next(kind for kind in kinds if kind not in _FULL)
        return f"with layers of {str(other).replace('_', ' ')}, whose cache forgets the beginning"
    window = getattr(config, "sliding_window", None)
    if kinds is None and window and getattr(config, "use_sliding_window", True):
        return f"with a sliding window of {window} tokens, whose cache forgets the beginning"
    if getattr(config, "attention_chunk_size", None):
        return f"that attends in chunks of {config.attention_chunk_size} tokens"
    names = inspect.signature(model.forward).parameters
    if not {"past_key_values", "use_cache"} <= set(names):
        return "that takes no past_key_values"
    return ""


def shared_log_probs(model: Any, sequences: Sequences) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """What `padded_log_probs` yields, to rounding, with shared beginnings computed once.

    One row is computed at a time, with one cache as long as the longest row: memory does not grow with their number.

    Yields
    ------
    The number of a row and its log-probabilities, in the order of the tokens.
    """
    torch = need("torch", "torch")
    make = need("transformers", "transformers").DynamicCache
    where = next(model.parameters()).device
    with evaluation(model), torch.no_grad():
        for number, shared, rest in _steps(sequences):
            if shared == 0:
                cache = make(config=model.config)
            elif (extra := cache.get_seq_length() - shared) > 0:
                cache.crop(-extra)
            answer = sequences[number][1]
            made = model(
                input_ids=torch.tensor([rest], device=where),
                past_key_values=cache,
                use_cache=True,
                **options(model, "position_ids", torch.arange(shared, shared + len(rest), device=where)[None]),
                **options(model, "logits_to_keep", len(answer)),
            )
            yield number, log_probs(tensor_in(made)[0, -len(answer) :], answer)


def count_tokens(sequences: Sequences, shares: bool = True) -> tuple[int, int]:
    """How many tokens are computed, and how many the rows have.

    >>> count_tokens([([1, 2, 3], [9]), ([1, 2, 4], [9]), ([1, 2], [9])])
    (4, 8)
    """
    given = sum(len(prompt) + len(answer) - 1 for prompt, answer in sequences)
    return sum(len(rest) for _, _, rest in _steps(sequences)) if shares else given, given


def _steps(sequences: Sequences) -> Iterator[tuple[int, int, list[int]]]:
    """In which order rows are computed: the number of a row, how many tokens it shares with the one before, the rest.

    The last token of a prompt is always computed: its logits are those of the first token of the answer.
    """
    before: list[int] = []
    for number in sorted(range(len(sequences)), key=lambda n: list(sequences[n][0])):
        prompt, answer = sequences[number]
        ids = [*prompt, *answer[:-1]]
        shared = min(_common(before, ids), len(prompt) - 1)
        yield number, shared, ids[shared:]
        before = ids


def _common(one: Sequence[int], two: Sequence[int]) -> int:
    """How many tokens two sequences have in common at their beginning."""
    length = min(len(one), len(two))
    differ = np.flatnonzero(np.asarray(one[:length]) != np.asarray(two[:length]))
    return int(differ[0]) if len(differ) else length
