"""Log-probabilities of answers, every row computed from its beginning, in padded batches."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extras import need
from .torch import evaluation, tensor_in
from .transformers import pad

Sequences = Sequence[tuple[Sequence[int], Sequence[int]]]


def padded_log_probs(model: Any, sequences: Sequences) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """The log-probability of each token of an answer after its prompt, for pairs of a prompt and an answer.

    Parameters
    ----------
    model : a causal language model of transformers.
    sequences : token ids of a prompt, which has at least one, and of an answer.

    Yields
    ------
    The number of a row and its log-probabilities, `(tokens,)`.
    """
    torch = need("torch", "torch")
    ids = [[*prompt, *answer[:-1]] for prompt, answer in sequences]
    where = next(model.parameters()).device
    inputs = {"input_ids": pad(ids, 0), "attention_mask": pad([[1] * len(row) for row in ids], 0)}
    places = [len(prompt) - 1 + np.arange(len(answer)) for prompt, answer in sequences]
    kept, places = _kept(model, places)
    with evaluation(model), torch.no_grad():
        tensors = {name: torch.from_numpy(array).to(where) for name, array in (inputs | kept).items()}
        logits = tensor_in(model(**tensors, **options(model, "use_cache", False)))
        for row, (place, (_, answer)) in enumerate(zip(places, sequences, strict=True)):
            yield row, log_probs(logits[row, torch.from_numpy(place).to(logits.device)], answer)


def log_probs(logits: Any, answer: Sequence[int]) -> NDArray[np.float64]:
    """The log-probability of each token, of logits `(tokens, vocabulary)`, in float64."""
    torch = need("torch", "torch")
    tokens = torch.tensor(list(answer), device=logits.device)[:, None]
    found: NDArray[np.float64] = torch.log_softmax(logits.double(), -1).gather(1, tokens)[:, 0].cpu().numpy()
    return found


def options(model: Any, name: str, value: Any) -> dict[str, Any]:
    """A named argument of the model, if it takes one of this name."""
    return {name: value} if name in inspect.signature(model.forward).parameters else {}


def _kept(model: Any, places: list[NDArray[np.intp]]) -> tuple[dict[str, Any], list[NDArray[np.intp]]]:
    """Ask for logits only where some row needs them, if the model can do that; and where to find them then."""
    needed, position = np.unique(np.concatenate(places), return_inverse=True)
    kept = options(model, "logits_to_keep", needed)
    if not kept:
        return kept, places
    return kept, np.split(position.ravel(), np.cumsum([len(place) for place in places])[:-1])
