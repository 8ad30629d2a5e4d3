"""Language models of Hugging Face transformers: how probable a given continuation is after a prompt."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import need
from ..maskers.base import Rows
from .base import Model
from .callable import check_answers
from .torch import evaluation, tensor_in
from .transformers import check_parts, longest, pad, start_token, text_config


class CausalLMModel(Model):
    r"""The log-probability of a continuation :math:`y_1 \dots y_m` after each prompt x.

    .. math:: \log P(y \mid x) = \sum_j \log P(y_j \mid x, y_1 \dots y_{j-1})

    Parameters
    ----------
    model : a causal language model, such as ``AutoModelForCausalLM.from_pretrained(...)``. It is never moved.
    tokenizer : its tokenizer, fast or slow.
    continuation : a string, or a list of token ids. A string is tokenized on its own, without special tokens, so a
        space at its start matters: after "The capital of France is" comes " Paris".
    per_token : a column for each token of the continuation instead of their sum: `target="all"` then scores each.

    Notes
    -----
    Prompts are strings, so choose `maskers.Text`, or `maskers.Subwords` with `absent="delete"`. An empty prompt is the
    token that marks a beginning, or an end where the tokenizer has no such token. Sums are in float64.

    Examples
    --------
    ::

        paris = CausalLMModel(model, tokenizer, " Paris")
        lc.Explainer(paris, lc.maskers.Text())("The capital of France is")
    """

    depends = ("model", "tokenizer", "continuation", "per_token")

    def __init__(self, model: Any, tokenizer: Any, continuation: str | Sequence[int], per_token: bool = False) -> None:
        check_parts(model, tokenizer)
        if getattr(model.config, "is_encoder_decoder", False):
            raise ModelError(f"{type(model).__name__} has an encoder: a causal language model is needed")
        self.model, self.tokenizer, self.per_token = model, tokenizer, per_token
        self.kind = "output"
        self.continuation = self._continuation(continuation)
        self.classes = [tokenizer.decode([t]) for t in self.continuation]
        if not per_token:
            self.classes = [continuation if isinstance(continuation, str) else tokenizer.decode(self.continuation)]
        self.max_length = longest(model, tokenizer)
        self._opening = self._find_opening()

    def predict(self, rows: Rows) -> NDArray[np.float64]:
        """Log-probabilities, `(n, 1)`, or `(n, tokens)` with `per_token`."""
        torch = need("torch", "torch")
        prompts = self._prompts(rows)
        ids = [prompt + self.continuation[:-1] for prompt in prompts]
        where = next(self.model.parameters()).device
        inputs = {"input_ids": pad(ids, 0), "attention_mask": pad([[1] * len(row) for row in ids], 0)}
        places = np.add.outer([len(prompt) - 1 for prompt in prompts], np.arange(len(self.continuation)))
        kept, places = self._kept(places)
        with evaluation(self.model), torch.no_grad():
            tensors = {name: torch.from_numpy(array).to(where) for name, array in (inputs | kept).items()}
            logits = tensor_in(self.model(**tensors, **self._options("use_cache", False)))
            every = torch.arange(len(prompts), device=logits.device)
            each = [
                torch.log_softmax(logits[every, torch.from_numpy(column).to(logits.device)].double(), -1)[:, token]
                for column, token in zip(places.T.copy(), self.continuation, strict=True)
            ]
        answers = torch.stack(each, dim=1).cpu().numpy()
        answers = answers if self.per_token else answers.sum(axis=1, keepdims=True)
        return check_answers(answers, len(prompts), type(self.model).__name__)

    def _continuation(self, given: str | Sequence[int]) -> list[int]:
        if isinstance(given, str):
            ids = self.tokenizer(given, add_special_tokens=False, verbose=False)["input_ids"]
        else:
            try:
                ids = [operator.index(token) for token in given]
            except TypeError as error:
                raise ModelError(f"a continuation is a string or a list of token ids, not {given!r}") from error
        if not ids:
            raise ModelError(f"the continuation {given!r} has no tokens: there is nothing to explain")
        size = getattr(text_config(self.model), "vocab_size", None)
        if size is not None and not all(0 <= token < size for token in ids):
            raise ModelError(f"the continuation {given!r} has a token outside the model's 0 to {size - 1}")
        return list(ids)

    def _find_opening(self) -> list[int]:
        """The token that the tokenizer itself puts before a text, if it does; what it puts after is left out."""
        bos = self.tokenizer.bos_token_id
        return [bos] if bos is not None and self.tokenizer("a", verbose=False)["input_ids"][:1] == [bos] else []

    def _prompts(self, rows: Rows) -> list[list[int]]:
        for row in rows:
            if not isinstance(row, str):
                raise ModelError(
                    f"a prompt must be a str, not {type(row).__name__}: choose Text() or Subwords(absent='delete')"
                )
        found = self.tokenizer(list(rows), add_special_tokens=False, verbose=False)["input_ids"]
        prompts = [self._opening + ids or [start_token(self.tokenizer)] for ids in found]
        lengths, more = [len(prompt) for prompt in prompts], len(self.continuation)
        if self.max_length is not None and max(lengths) + more > self.max_length:
            raise ModelError(
                f"a prompt of {max(lengths)} tokens and a continuation of {more} are more than the {self.max_length} "
                f"that the model takes: shorten the prompt",
                row=lengths.index(max(lengths)),
            )
        return prompts

    def _kept(self, places: NDArray[np.intp]) -> tuple[dict[str, Any], NDArray[np.intp]]:
        """Ask for logits only where some row needs them, if the model can do that; and where to find them then."""
        needed, position = np.unique(places, return_inverse=True)
        kept = self._options("logits_to_keep", needed)
        return kept, position.reshape(places.shape) if kept else places

    def _options(self, name: str, value: Any) -> dict[str, Any]:
        return {name: value} if name in inspect.signature(self.model.forward).parameters else {}
