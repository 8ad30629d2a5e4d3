"""Log-probabilities of answers, with what prompts have in common at their beginning computed once.

The prompts of a plan share beginnings: the template, and the sources before the first that differs. In alphabetical
order of their tokens, every prompt shares with the one before it the longest beginning that it shares with any before.
So one cache of keys and values is enough: it is cut back to the common beginning, and only the rest of the prompt and
the answer are computed. Together these are the nodes of the tree of all token sequences: none is computed twice.

What is left of a row is often short, and a model that computes ten tokens is nearly as slow as one that computes a
hundred. So the rests of several rows are computed in one step, one after the other: a mask lets each token see those
before it in its own row, and its position is the one that it has there.

This is exact where the keys and values of a token depend on the tokens before it alone, in a causal model with full
attention. Positions may be absolute or rotary, because a shared token stands at the same place in all rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import need
from .row_by_row import Sequences, log_probs, options
from .torch import evaluation, tensor_in
from .transformers import text_config

BATCH = 1024  # rows that are sorted together
STEP = 256  # tokens that are computed together, where one row does not have more
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


def shared_log_probs(
    model: Any, sequences: Sequences, packed: bool = True
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """What `padded_log_probs` yields, to rounding, with shared beginnings computed once.

    Memory does not grow with the number of rows: there is one cache, as long as the longest row and one step.

    Parameters
    ----------
    packed : compute about `STEP` tokens of several rows in one step, see `can_pack`. Otherwise one row at a time.

    Yields
    ------
    The number of a row and its log-probabilities, in the order of the tokens.
    """
    torch = need("torch", "torch")
    make = need("transformers", "transformers").DynamicCache
    where, cache = next(model.parameters()).device, None
    with evaluation(model), torch.no_grad():
        for step in _steps(sequences, STEP if packed else 0):
            cache = _cut(cache, step.kept) if len(step.kept) else make(config=model.config)
            needed = np.concatenate([path[-len(sequences[row][1]) :] for row, path in step.rows]) - len(step.kept)
            kept = options(model, "logits_to_keep", torch.from_numpy(needed).to(where))
            made = model(
                input_ids=torch.tensor([step.ids], device=where),
                past_key_values=cache,
                use_cache=True,
                **options(model, "position_ids", torch.from_numpy(step.places[None]).to(where)),
                **({} if len(step.rows) == 1 else {"attention_mask": _additive(step.mask(), model)}),
                **kept,
            )
            logits = tensor_in(made)[0] if kept else tensor_in(made)[0, needed]
            for row, _ in step.rows:
                answer = sequences[row][1]
                yield row, log_probs(logits[: len(answer)], answer)
                logits = logits[len(answer) :]


def can_pack(model: Any) -> bool:
    """Whether the tokens of several rows can be computed in one step: a model has to take masks and positions for that.

    A model that takes them may still do something else with them, so two rows are computed in both ways. Models with
    local attention count how far apart tokens stand in the step, not in their rows.
    """
    names = inspect.signature(model.forward).parameters
    known = getattr(model.config, "_attn_implementation", None) in ("sdpa", "eager")
    local = "local" in (getattr(model.config, "attention_layers", None) or ())
    if not known or local or not {"position_ids", "attention_mask"} <= set(names):
        return False
    size = int(text_config(model).vocab_size)
    rows = [([token % size for token in (7, 1, 5, first, *range(3, 23))], [4 % size]) for first in (2, 6)]
    try:
        one, other = (dict(shared_log_probs(model, rows, packed)) for packed in (True, False))
    except (TypeError, ValueError, RuntimeError, IndexError):
        return False
    near = 1e-4 if next(model.parameters()).dtype.itemsize >= 4 else 0.05
    return all(np.allclose(one[row], other[row], atol=near) for row in other)


def count_tokens(sequences: Sequences, shares: bool = True) -> tuple[int, int]:
    """How many tokens are computed, and how many the rows have.

    >>> count_tokens([([1, 2, 3], [9]), ([1, 2, 4], [9]), ([1, 2], [9])])
    (4, 8)
    """
    given = sum(len(prompt) + len(answer) - 1 for prompt, answer in sequences)
    return sum(len(step.ids) for step in _steps(sequences, STEP)) if shares else given, given


@dataclass(eq=False)
class Step:
    """Tokens that are computed together: the branches by which some rows differ from what is in the cache.

    Attributes
    ----------
    kept : the tokens of the cache that are kept, the common beginning of the last row of the step before and the first
        row of this one.
    ids, depths : the tokens that are computed, and the place of each in its row.
    rows : each row by its number, with the places of its tokens among those that are kept and those that are computed.
    starts : how many tokens of each row were there before it was added; the others follow one another.
    """

    kept: NDArray[np.intp]
    ids: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    rows: list[tuple[int, NDArray[np.intp]]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def add(self, number: int, beginning: NDArray[np.intp], rest: list[int]) -> NDArray[np.intp]:
        """One more row: where its beginning is, and the tokens after that. Returns where all its tokens are."""
        start = len(self.kept) + len(self.ids)
        path: NDArray[np.intp] = np.concatenate([beginning, np.arange(start, start + len(rest))])
        self.ids += rest
        self.depths += range(len(beginning), len(path))
        self.rows.append((number, path))
        self.starts.append(len(beginning))
        return path

    @property
    def places(self) -> NDArray[np.int64]:
        """The position of each token."""
        return np.array(self.depths, np.int64)

    def mask(self) -> NDArray[np.bool_]:
        """Which tokens each token sees: those before it in its row, and itself."""
        first = len(self.kept)
        seen = np.zeros((len(self.ids), first + len(self.ids)), bool)
        for (_, path), start in zip(self.rows, self.starts, strict=True):
            own = slice(path[start] - first, path[-1] - first + 1)
            seen[own, path[:start]] = True
            seen[own, path[start] : path[-1] + 1] = np.tri(len(path) - start, dtype=bool)
        return seen


def _steps(sequences: Sequences, size: int) -> Iterator[Step]:
    """What is computed, in which order: steps of at most `size` tokens, or of one row.

    The last token of a prompt is always computed: its logits are those of the first token of the answer.
    """
    before: list[int] = []
    path, step = np.empty(0, np.intp), None
    for number in sorted(range(len(sequences)), key=lambda n: list(sequences[n][0])):
        prompt, answer = sequences[number]
        ids = [*prompt, *answer[:-1]]
        shared = min(_common(before, ids), len(prompt) - 1)
        if step is None or len(step.ids) + len(ids) - shared > size:
            if step is not None:
                yield step
            step = Step(path[:shared])
            path = np.arange(shared)
        path = step.add(number, path[:shared], ids[shared:])
        before = ids
    if step is not None:
        yield step


def _common(one: Sequence[int], two: Sequence[int]) -> int:
    """How many tokens two sequences have in common at their beginning."""
    length = min(len(one), len(two))
    differ = np.flatnonzero(np.asarray(one[:length]) != np.asarray(two[:length]))
    return int(differ[0]) if len(differ) else length


def _cut(cache: Any, kept: NDArray[np.intp]) -> Any:
    """A cache of keys and values with some of its tokens, in this order."""
    torch = need("torch", "torch")
    for layer in cache.layers:
        where = torch.from_numpy(kept).to(layer.keys.device)
        layer.keys, layer.values = layer.keys[..., where, :], layer.values[..., where, :]
    return cache


def _additive(seen: NDArray[np.bool_], model: Any) -> Any:
    """A mask as models of transformers take it, `(1, 1, tokens, tokens)`: 0 where a token is seen, else very low."""
    torch = need("torch", "torch")
    like = next(model.parameters())
    made = torch.zeros(seen.shape, dtype=like.dtype, device=like.device)
    return made.masked_fill_(torch.from_numpy(~seen).to(like.device), torch.finfo(like.dtype).min)[None, None]
