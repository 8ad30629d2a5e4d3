"""Log-probabilities of answers. Common prefixes of prompts are computed once.

The prompts of a plan have common prefixes: the template, and the sources before the first that differs. In
lexicographic order of their tokens, no earlier prompt has a longer common prefix with a prompt than the one directly
before it. So one cache of keys and values is enough: it is cut back to the common prefix, and only the remaining tokens
of the prompt and the answer are computed. Together these are the nodes of the prefix tree of all token sequences, so
that none is computed twice.

The suffix of a row is often short, and a model that computes ten tokens is nearly as slow as one that computes a
hundred. So the suffixes of several rows are computed in one step, one after the other: a mask lets each token see the
tokens before it in its own row, and its position is its position in that row.

This is exact if the keys and values of a token depend only on the tokens before it, as in a causal model with full
attention. Positions may be absolute or rotary, because a shared token has the same position in all rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import import_optional
from .padded_batches import Sequences, supported_option, token_log_probs
from .torch import evaluation_mode, select_tensor
from .transformers import text_config

MAX_SORTED_ROWS = 1024  # rows that are sorted together
MAX_STEP_TOKENS = 256  # tokens that are computed together, unless a single row has more
_FULL_ATTENTION = ("full_attention",)


def decide_sharing(model: Any, requested: bool | None) -> bool:
    """Whether prefixes are shared; `ModelError` if the user requests it and it would not be exact."""
    if requested is False:
        return False
    obstacle = find_sharing_obstacle(model)
    if obstacle and requested:
        raise ModelError(
            f"Expected a model whose prefixes can be shared, got one {obstacle}. Leave out share_prefixes=True."
        )
    return not obstacle


def find_sharing_obstacle(model: Any) -> str:
    """The reason why the keys and values of a prefix cannot be used again; empty if they can."""
    config = text_config(model)
    kinds = getattr(config, "layer_types", None)
    if kinds is not None and any(kind not in _FULL_ATTENTION for kind in kinds):
        other = next(kind for kind in kinds if kind not in _FULL_ATTENTION)
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


def shared_log_probs(
    model: Any, sequences: Sequences, packed: bool = True
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the same as `padded_log_probs`, up to rounding, but compute common prefixes once.

    Memory does not grow with the number of rows: there is one cache, as long as the longest row and one step.

    Parameters
    ----------
    packed : whether a step computes about `MAX_STEP_TOKENS` tokens of several rows, see `can_pack`, or one row.

    Yields
    ------
    The number of a row and its log-probabilities, in the order of the tokens.
    """
    torch = import_optional("torch", "torch")
    cache_class = import_optional("transformers", "transformers").DynamicCache
    device, cache = next(model.parameters()).device, None
    with evaluation_mode(model), torch.no_grad():
        for step in _plan_steps(sequences, MAX_STEP_TOKENS if packed else 0):
            cache = _select_cached_tokens(cache, step.kept) if len(step.kept) else cache_class(config=model.config)
            needed = np.concatenate([path[-len(sequences[row][1]) :] for row, path in step.rows]) - len(step.kept)
            logits_option = supported_option(model, "logits_to_keep", torch.from_numpy(needed).to(device))
            output = model(
                input_ids=torch.tensor([step.ids], device=device),
                past_key_values=cache,
                use_cache=True,
                **supported_option(model, "position_ids", torch.from_numpy(step.places[None]).to(device)),
                **({} if len(step.rows) == 1 else {"attention_mask": _additive_mask(step.mask(), model)}),
                **logits_option,
            )
            logits = select_tensor(output)[0] if logits_option else select_tensor(output)[0, needed]
            for row, _ in step.rows:
                answer = sequences[row][1]
                yield row, token_log_probs(logits[: len(answer)], answer)
                logits = logits[len(answer) :]


def can_pack(model: Any) -> bool:
    """Whether the tokens of several rows can be computed in one step: a model has to take masks and positions for that.

    A model may take them and still use them differently, so two rows are computed in both ways. Models with
    local attention use the distance of tokens in the step, not in their rows.
    """
    names = inspect.signature(model.forward).parameters
    masks_supported = getattr(model.config, "_attn_implementation", None) in ("sdpa", "eager")
    has_local_attention = "local" in (getattr(model.config, "attention_layers", None) or ())
    if not masks_supported or has_local_attention or not {"position_ids", "attention_mask"} <= set(names):
        return False
    vocabulary = int(text_config(model).vocab_size)
    rows = [([token % vocabulary for token in (7, 1, 5, first, *range(3, 23))], [4 % vocabulary]) for first in (2, 6)]
    try:
        packed_log_probs, single_log_probs = (dict(shared_log_probs(model, rows, packed)) for packed in (True, False))
    except (TypeError, ValueError, RuntimeError, IndexError):
        return False
    tolerance = 1e-4 if next(model.parameters()).dtype.itemsize >= 4 else 0.05
    return all(np.allclose(packed_log_probs[row], single_log_probs[row], atol=tolerance) for row in single_log_probs)


def count_tokens(sequences: Sequences, shares: bool = True) -> tuple[int, int]:
    """The number of tokens that are computed, and that of all tokens of the rows.

    >>> count_tokens([([1, 2, 3], [9]), ([1, 2, 4], [9]), ([1, 2], [9])])
    (4, 8)
    """
    total = sum(len(prompt) + len(answer) - 1 for prompt, answer in sequences)
    return sum(len(step.ids) for step in _plan_steps(sequences, MAX_STEP_TOKENS)) if shares else total, total


@dataclass(eq=False)
class Step:
    """Tokens that are computed together: those of some rows that are not in the cache.

    Attributes
    ----------
    kept : the tokens of the cache that are kept, the common beginning of the last row of the step before and the first
        row of this one.
    ids, depths : the tokens that are computed, and the position of each in its row.
    rows : each row by its number, with the positions of its tokens among those that are kept and computed.
    starts : the number of tokens of each row that existed before it was added; the others follow one another.
    """

    kept: NDArray[np.intp]
    ids: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    rows: list[tuple[int, NDArray[np.intp]]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def add(self, number: int, prefix: NDArray[np.intp], suffix: list[int]) -> NDArray[np.intp]:
        """Add a row by the places of its shared prefix and the tokens after it. Return the places of all its tokens."""
        start = len(self.kept) + len(self.ids)
        path: NDArray[np.intp] = np.concatenate([prefix, np.arange(start, start + len(suffix))])
        self.ids += suffix
        self.depths += range(len(prefix), len(path))
        self.rows.append((number, path))
        self.starts.append(len(prefix))
        return path

    @property
    def places(self) -> NDArray[np.int64]:
        """The position of each token."""
        return np.array(self.depths, np.int64)

    def mask(self) -> NDArray[np.bool_]:
        """Which tokens each token sees: those before it in its row, and itself."""
        kept_count = len(self.kept)
        seen = np.zeros((len(self.ids), kept_count + len(self.ids)), bool)
        for (_, path), start in zip(self.rows, self.starts, strict=True):
            row_slice = slice(path[start] - kept_count, path[-1] - kept_count + 1)
            seen[row_slice, path[:start]] = True
            seen[row_slice, path[start] : path[-1] + 1] = np.tri(len(path) - start, dtype=bool)
        return seen


def _plan_steps(sequences: Sequences, size: int) -> Iterator[Step]:
    """Yield the steps in their order. A step has at most `size` tokens, or one row.

    The last token of a prompt is always computed: its logits are those of the first token of the answer.
    """
    previous: list[int] = []
    path, step = np.empty(0, np.intp), None
    for number in sorted(range(len(sequences)), key=lambda n: list(sequences[n][0])):
        prompt, answer = sequences[number]
        ids = [*prompt, *answer[:-1]]
        shared = min(_common_prefix_length(previous, ids), len(prompt) - 1)
        if step is None or len(step.ids) + len(ids) - shared > size:
            if step is not None:
                yield step
            step = Step(path[:shared])
            path = np.arange(shared)
        path = step.add(number, path[:shared], ids[shared:])
        previous = ids
    if step is not None:
        yield step


def _common_prefix_length(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the length of the longest common prefix of two sequences."""
    length = min(len(first), len(second))
    differ = np.flatnonzero(np.asarray(first[:length]) != np.asarray(second[:length]))
    return int(differ[0]) if len(differ) else length


def _select_cached_tokens(cache: Any, kept: NDArray[np.intp]) -> Any:
    """Keep only some tokens of a cache of keys and values, in this order."""
    torch = import_optional("torch", "torch")
    for layer in cache.layers:
        positions = torch.from_numpy(kept).to(layer.keys.device)
        layer.keys, layer.values = layer.keys[..., positions, :], layer.values[..., positions, :]
    return cache


def _additive_mask(seen: NDArray[np.bool_], model: Any) -> Any:
    """Return an attention mask `(1, 1, tokens, tokens)` for transformers: 0 where a token is seen, else very low."""
    torch = import_optional("torch", "torch")
    parameter = next(model.parameters())
    mask = torch.zeros(seen.shape, dtype=parameter.dtype, device=parameter.device)
    return mask.masked_fill_(torch.from_numpy(~seen).to(parameter.device), torch.finfo(parameter.dtype).min)[None, None]
