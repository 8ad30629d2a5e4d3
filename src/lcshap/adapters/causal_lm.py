"""Language models of Hugging Face transformers: how probable an answer is after a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Interrupted, ModelError
from ..maskers.base import Rows
from .answer_parts import Answer, Parts, read_answer
from .base import Model
from .callable import check_answers
from .generation import generate
from .padded_batches import Sequences, padded_log_probs
from .prefix_sharing import MAX_SORTED_ROWS, can_pack, count_tokens, decide_sharing, shared_log_probs
from .transformers import check_model_and_tokenizer, find_max_length, start_token, text_config


class CausalLMModel(Model):
    r"""The log-probability of an answer :math:`y_1 \dots y_m` after each prompt x.

    .. math:: \log P(y \mid x) = \sum_j \log P(y_j \mid x, y_1 \dots y_{j-1})

    Parameters
    ----------
    model : a causal language model, such as ``AutoModelForCausalLM.from_pretrained(...)``. It is never moved.
    tokenizer : its tokenizer, fast or slow.
    continuation : the answer: a string, or a list of token ids. A string is tokenized separately, without special
        tokens, so that a space at its start matters: the continuation of "The capital of France is" is " Paris". A list
        of strings is several answers, one column for each: ``target=(0, 1)`` explains why the first is more probable
        than the second.
    per_token : a column for each token of the continuation instead of their sum.
    parts : "whole": one column, the sum over all tokens. "token", "word" or "sentence": a column for the whole answer
        and one for each of its tokens, words or sentences. A list of `(start, end)`: a column for the whole answer and
        one for each of these spans. All columns come from the same calls, and all are explained unless `target` is
        given.
    share_prefixes : whether common prefixes of rows are computed once, see `lcshap.adapters.prefix_sharing`. By default
        they are, if the model allows it. With True an error is raised if it does not.

    Attributes
    ----------
    answers : the answers that are explained, with their tokens and parts.
    record : how the answer was generated, for the record of explanations.

    Notes
    -----
    Prompts are strings, so choose `maskers.Prompt` or `maskers.Text`, or `maskers.Subwords` with `absent="delete"`. An
    empty prompt is replaced by the token for the beginning, or for the end if the tokenizer has no such token. Sums are
    in float64.

    Examples
    --------
    ::

        prompt = lc.maskers.Prompt("{sources}\n\nQuestion: {question}\nAnswer:")
        x = {"sources": documents, "question": "Who wrote it?"}
        answer = CausalLMModel.generated(model, tokenizer, prompt.full(x), parts="sentence")
        lc.Explainer(answer, prompt)(x)
    """

    fingerprint_attributes = ("model", "tokenizer", "token_ids", "per_token", "split")

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        continuation: str | Sequence[int] | Sequence[str],
        per_token: bool = False,
        *,
        parts: Parts = "whole",
        share_prefixes: bool | None = None,
    ) -> None:
        check_model_and_tokenizer(model, tokenizer)
        if getattr(model.config, "is_encoder_decoder", False):
            raise ModelError(f"Expected a causal language model, got {type(model).__name__}, which has an encoder.")
        self.model, self.tokenizer, self.per_token = model, tokenizer, per_token
        self.split = parts if isinstance(parts, str) else [tuple(span) for span in parts]
        self.kind = "output"
        self.answers = self._read_answers(continuation, "token" if per_token else parts)
        self.record = {"answer": [answer.text for answer in self.answers], "generated": "given"}
        names = [name for answer in self.answers for name in answer.names]
        self.classes = names[1:] if per_token else names
        text, spans = _join_answers(self.answers)
        self.answer_and_spans = text, spans[1:] if per_token else spans
        self.target = "all" if len(self.classes) > 1 else None
        self.max_length = find_max_length(model, tokenizer)
        self.shares = decide_sharing(model, share_prefixes)
        if self.shares:
            self.batch_size = MAX_SORTED_ROWS
        self._opening = self._find_opening()

    @classmethod
    def generated(
        cls,
        model: Any,
        tokenizer: Any,
        prompt: str,
        *,
        max_new_tokens: int = 64,
        temperature: float = 0.0,
        seed: int = 0,
        **options: Any,
    ) -> CausalLMModel:
        """The model with the answer that it generates itself.

        Parameters
        ----------
        model, tokenizer : as for `CausalLMModel`.
        prompt : the prompt for the answer, such as ``masker.full(x)``.
        max_new_tokens : the largest number of tokens that it generates.
        temperature : 0: always the most probable token. Above 0: sampled, from `seed`.
        options : parameters of `CausalLMModel`.

        Returns
        -------
        The adapter. Its `record`, which is in every explanation, describes how the answer was generated.
        """
        template = cls(model, tokenizer, [_placeholder_token(tokenizer)])
        (ids,) = template._tokenize_prompts([prompt], max_new_tokens)
        continuation = generate(model, tokenizer, ids, max_new_tokens, temperature, seed)
        adapter = cls(model, tokenizer, continuation, **options)
        decoding = "greedy" if temperature == 0 else f"sampled at temperature {temperature:g} from seed {seed}"
        adapter.record = {**adapter.record, "generated": decoding, "max_new_tokens": max_new_tokens}
        return adapter

    @property
    def continuation(self) -> list[int]:
        """The tokens of the first answer."""
        return list(self.answers[0].ids)

    @property
    def token_ids(self) -> list[list[int]]:
        """The tokens of all answers."""
        return [list(answer.ids) for answer in self.answers]

    def predict(self, rows: Rows) -> NDArray[np.float64]:
        """Log-probabilities, `(n, columns)`, in float64. The error of Ctrl-C has those that were computed."""
        answers = np.full((len(rows), len(self.classes or ())), np.nan)
        tables = [answer.columns[:, 1:] if self.per_token else answer.columns for answer in self.answers]
        offsets = np.cumsum([0, *(table.shape[1] for table in tables)])
        try:
            for number, log_probs in self._log_probs(self._sequences(rows)):
                row, k = divmod(number, len(tables))
                answers[row, offsets[k] : offsets[k + 1]] = log_probs @ tables[k]
        except KeyboardInterrupt as error:
            raise Interrupted("Interrupted while the language model was being asked.", answers=answers) from error
        return check_answers(answers, len(rows), type(self.model).__name__)

    def _log_probs(self, sequences: Sequences) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """The numbers of rows with the log-probabilities of their answers."""
        if not self.shares:
            return padded_log_probs(self.model, sequences)
        return shared_log_probs(self.model, sequences, self._packs)

    @cached_property
    def _packs(self) -> bool:
        """Whether the model computes the suffixes of several rows in one step."""
        return can_pack(self.model)

    @property
    def counts_tokens(self) -> bool:
        """True: the model counts the tokens that it reads."""
        return True

    def describe_tokens(self, rows: Rows) -> str:
        """The number of tokens that the model computes for these rows, and of those that are computed only once."""
        computed, total = count_tokens(self._sequences(rows), self.shares)
        if not self.shares:
            return f"{total:,} tokens"
        share = f" ({total / computed:.1f} times as many without sharing)" if computed else ""
        return f"{computed:,} tokens computed, {total - computed:,} shared with rows that begin alike{share}"

    def _sequences(self, rows: Rows) -> Sequences:
        """Return each prompt with each answer, ordered by prompt."""
        return [(prompt, answer.ids) for prompt in self._tokenize_prompts(rows) for answer in self.answers]

    def _read_answers(self, continuation: Any, parts: Parts) -> list[Answer]:
        vocabulary = getattr(text_config(self.model), "vocab_size", None)
        several = (
            isinstance(continuation, list | tuple)
            and len(continuation) > 0
            and all(isinstance(answer, str) for answer in continuation)
        )
        if several and not (isinstance(parts, str) and parts == "whole"):
            raise ModelError(
                'Expected parts="whole" with several answers, got another choice. Explain one answer at a time.'
            )
        return [
            read_answer(self.tokenizer, answer, parts, vocabulary)
            for answer in (continuation if several else [continuation])
        ]

    def _find_opening(self) -> list[int]:
        """Return the token that the tokenizer puts before a text, if there is one. Tokens after a text are ignored."""
        bos = self.tokenizer.bos_token_id
        return [bos] if bos is not None and self.tokenizer("a", verbose=False)["input_ids"][:1] == [bos] else []

    def _tokenize_prompts(self, rows: Rows, answer_length: int | None = None) -> list[list[int]]:
        for row in rows:
            if not isinstance(row, str):
                raise ModelError(
                    f"Expected texts as prompts, got {type(row).__name__}. Choose Text(), Subwords(absent='delete') or "
                    f"Prompt, with the tokenizer, whose chat template makes a text of messages."
                )
        token_ids = self.tokenizer(list(rows), add_special_tokens=False, verbose=False)["input_ids"]
        opening = self._opening
        prompts = [
            (ids if opening and ids[:1] == opening else opening + ids) or [start_token(self.tokenizer)]
            for ids in token_ids
        ]
        lengths = [len(prompt) for prompt in prompts]
        answer_length = max(len(answer.ids) for answer in self.answers) if answer_length is None else answer_length
        if self.max_length is not None and max(lengths) + answer_length > self.max_length:
            raise ModelError(
                f"Expected a prompt and an answer of at most {self.max_length} tokens together, as the model takes, "
                f"got {max(lengths)} and {answer_length}. Shorten the prompt, or leave out sources.",
                row=lengths.index(max(lengths)),
            )
        return prompts


def _placeholder_token(tokenizer: Any) -> int:
    """Return a token that replaces an answer which is not known yet."""
    return next((token for token in (tokenizer.eos_token_id, tokenizer.bos_token_id) if token is not None), 0)


def _join_answers(answers: Sequence[Answer]) -> tuple[str, NDArray[np.int64]]:
    """Return all answers as one text, each on its own line, and the spans of their parts in it."""
    starts = np.cumsum([0, *(len(answer.text) + 1 for answer in answers)])
    spans = [answer.spans + start for answer, start in zip(answers, starts, strict=False)]
    return "\n".join(answer.text for answer in answers), np.concatenate(spans)
