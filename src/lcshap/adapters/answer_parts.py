"""Answers of a language model: their tokens, and the parts of them that are explained."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..maskers.cutting import CUTTERS, Span

Parts = Literal["whole", "token", "word", "sentence"] | Sequence[Span]


@dataclass(frozen=True, eq=False)
class Answer:
    """A text that a language model may answer with, and its parts.

    Attributes
    ----------
    text, ids : the answer and its tokens.
    spans : `(parts, 2)`, the start and end of each part in the text.
    columns : `(tokens, parts)`, 1 where a token belongs to a part, else 0.
    """

    text: str
    ids: tuple[int, ...]
    spans: NDArray[np.int64]
    columns: NDArray[np.float64]

    @property
    def names(self) -> list[str]:
        """The names of the parts, see `part_names`."""
        return part_names(self.text, self.spans)


def read_answer(tokenizer: Any, answer: Any, parts: Parts = "whole", vocabulary: int | None = None) -> Answer:
    """Return the answer of a user with its tokens and parts; `ModelError` if it is not valid.

    Parameters
    ----------
    tokenizer : a tokenizer of transformers.
    answer : a text, which is tokenized separately without special tokens; or token ids.
    parts : "whole": the answer as a whole. "token", "word" or "sentence": the answer as a whole and then each of its
        tokens, words or sentences. A list of `(start, end)`: the whole and then these spans of the text.
    vocabulary : the number of tokens of the model.
    """
    text, ids, spans = _tokenize_answer(tokenizer, answer)
    if not ids or (isinstance(answer, str) and not text.strip()):
        raise ModelError(f"Expected an answer with text in it, got {answer!r:.60}. Give the text that is explained.")
    if vocabulary is not None and not all(0 <= token < vocabulary for token in ids):
        raise ModelError(
            f"Expected tokens from 0 to {vocabulary - 1}, which the model has, got the answer {answer!r:.60}."
        )
    whole = np.array([[0, len(text)]], np.int64)
    if isinstance(parts, str) and parts == "whole":
        return Answer(text, tuple(ids), whole, np.ones((len(ids), 1)))
    if isinstance(parts, str) and parts == "token":
        return Answer(
            text, tuple(ids), np.concatenate([whole, spans]), np.eye(len(ids) + 1)[1:] + _whole_column(len(ids))
        )
    part_bounds = _find_parts(text, parts)
    starts = np.array(
        [s + _count_leading_blanks(text[s:]) for s in spans[:, 0].tolist()]
    )  # a leading blank belongs to the word after it
    inside = (starts[:, None] >= part_bounds[:, 0]) & (starts[:, None] < part_bounds[:, 1])
    if empty_parts := np.flatnonzero(~inside.any(axis=0)).tolist():
        s, e = part_bounds[empty_parts[0]].tolist()
        raise ModelError(
            f"Expected parts of the answer with at least one token, got {text[s:e]!r:.40} ({s}, {e}), which has none."
        )
    columns = np.concatenate([np.ones((len(ids), 1)), inside.astype(np.float64)], axis=1)
    return Answer(text, tuple(ids), np.concatenate([whole, part_bounds]), columns)


def part_spans(text: str, parts: Parts) -> NDArray[np.int64]:
    """Return where an answer as a whole and its parts start and end, for models whose tokens are not known.

    >>> part_spans("It is. It was.", "sentence").tolist()
    [[0, 14], [0, 6], [7, 14]]
    """
    whole = np.array([[0, len(text)]], np.int64)
    if isinstance(parts, str) and parts == "whole":
        return whole
    if isinstance(parts, str) and parts == "token":
        raise ModelError('Expected "whole", "word", "sentence" or spans as parts, got "token". Use "word" instead.')
    return np.concatenate([whole, _find_parts(text, parts)])


def part_names(text: str, spans: NDArray[np.int64]) -> list[str]:
    """Return the names of the parts of an answer: their texts, and "the whole answer" if there are several columns.

    >>> part_names("It is. It was.", part_spans("It is. It was.", "sentence"))
    ['the whole answer', 'It is.', 'It was.']
    >>> part_names("It is. It was.", part_spans("It is. It was.", "whole"))
    ['It is. It was.']
    """
    texts = [text[start:end] for start, end in spans.tolist()]
    return texts if len(texts) == 1 else ["the whole answer", *texts[1:]]


def _tokenize_answer(tokenizer: Any, answer: Any) -> tuple[str, list[int], NDArray[np.int64]]:
    """Return the text, its tokens, and the span of each token in the text."""
    if not isinstance(answer, str):
        try:
            ids = [operator.index(token) for token in answer]
        except TypeError as error:
            raise ModelError(f"Expected an answer as a text or a list of token ids, got {answer!r:.60}.") from error
        in_range = all(0 <= token < len(tokenizer) for token in ids)
        return (
            (tokenizer.decode(ids), ids, _spans_by_decoding(tokenizer, ids))
            if in_range
            else ("", ids, _empty_spans(len(ids)))
        )
    is_fast = bool(getattr(tokenizer, "is_fast", False))
    encoding = tokenizer(
        answer, add_special_tokens=False, verbose=False, **({"return_offsets_mapping": True} if is_fast else {})
    )
    ids = list(encoding["input_ids"])
    decoded = tokenizer.decode(ids, clean_up_tokenization_spaces=False)
    if "".join(decoded.split()) != "".join(answer.split()):
        raise ModelError(
            f"Expected an answer that the tokenizer encodes and decodes without change, got {answer!r:.60}, "
            f"which becomes {decoded!r:.60}. Give the token ids instead, or another text."
        )
    spans = (
        np.array(encoding["offset_mapping"], np.int64).reshape(-1, 2) if is_fast else _spans_by_decoding(tokenizer, ids)
    )
    return answer, ids, spans


def _spans_by_decoding(tokenizer: Any, ids: Sequence[int]) -> NDArray[np.int64]:
    """Return the spans of tokens from the lengths of the decoded prefixes."""
    ends = [len(tokenizer.decode(ids[: k + 1], clean_up_tokenization_spaces=False)) for k in range(len(ids))]
    return np.array(list(zip([0, *ends], ends, strict=False)), np.int64).reshape(-1, 2)


def _empty_spans(count: int) -> NDArray[np.int64]:
    return np.zeros((count, 2), np.int64)


def _whole_column(count: int) -> NDArray[np.float64]:
    """Return an array whose first column is ones: the answer as a whole."""
    return np.pad(np.ones((count, 1)), ((0, 0), (0, count)))


def _count_leading_blanks(text: str) -> int:
    return len(text) - len(text.lstrip()) if text.strip() else 0


def _find_parts(text: str, parts: Any) -> NDArray[np.int64]:
    if isinstance(parts, str):
        if parts not in ("word", "sentence"):
            raise ModelError(f'Expected "whole", "token", "word", "sentence" or spans as parts, got {parts!r}.')
        return np.array(list(CUTTERS[parts](text)), np.int64).reshape(-1, 2)
    try:
        bounds = np.array([(operator.index(s), operator.index(e)) for s, e in parts], np.int64).reshape(-1, 2)
    except (TypeError, ValueError) as error:
        raise ModelError(f"Expected pairs (start, end) as parts, got {parts!r:.60}.") from error
    outside = np.flatnonzero((bounds[:, 0] < 0) | (bounds[:, 0] >= bounds[:, 1]) | (bounds[:, 1] > len(text)))
    if len(outside) or not len(bounds):
        got = tuple(bounds[outside[0]].tolist()) if len(outside) else "none"
        raise ModelError(f"Expected spans within the answer of {len(text)} characters as parts, got {got}.")
    return bounds
