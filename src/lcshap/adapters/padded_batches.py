"""Log-probabilities of answers in padded batches, in which every row is computed from its beginning."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extras import import_optional
from .torch import evaluation_mode, select_tensor
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
    torch = import_optional("torch", "torch")
    ids = [[*prompt, *answer[:-1]] for prompt, answer in sequences]
    device = next(model.parameters()).device
    inputs = {"input_ids": pad(ids, 0), "attention_mask": pad([[1] * len(row) for row in ids], 0)}
    positions = [len(prompt) - 1 + np.arange(len(answer)) for prompt, answer in sequences]
    logits_option, positions = _select_logits(model, positions)
    with evaluation_mode(model), torch.no_grad():
        tensors = {name: torch.from_numpy(array).to(device) for name, array in (inputs | logits_option).items()}
        logits = select_tensor(model(**tensors, **supported_option(model, "use_cache", False)))
        for row, (row_positions, (_, answer)) in enumerate(zip(positions, sequences, strict=True)):
            yield row, token_log_probs(logits[row, torch.from_numpy(row_positions).to(logits.device)], answer)


def token_log_probs(logits: Any, answer: Sequence[int]) -> NDArray[np.float64]:
    """The log-probability of each token from logits `(tokens, vocabulary)`, in float64."""
    torch = import_optional("torch", "torch")
    tokens = torch.tensor(list(answer), device=logits.device)[:, None]
    gathered: NDArray[np.float64] = torch.log_softmax(logits.double(), -1).gather(1, tokens)[:, 0].cpu().numpy()
    return gathered


def supported_option(model: Any, name: str, value: Any) -> dict[str, Any]:
    """A named argument of the model, if it takes one of this name."""
    return {name: value} if name in inspect.signature(model.forward).parameters else {}


def _select_logits(model: Any, positions: list[NDArray[np.intp]]) -> tuple[dict[str, Any], list[NDArray[np.intp]]]:
    """Return the option to compute only the logits that are needed, if the model has it, and their new positions."""
    needed, inverse = np.unique(np.concatenate(positions), return_inverse=True)
    logits_option = supported_option(model, "logits_to_keep", needed)
    if not logits_option:
        return logits_option, positions
    return logits_option, np.split(inverse.ravel(), np.cumsum([len(row_positions) for row_positions in positions])[:-1])
