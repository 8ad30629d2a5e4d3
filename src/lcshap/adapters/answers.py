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
    """A text that a language model may say, and its parts.

    Attributes
    ----------
    text, ids : the answer and its tokens.
    spans : `(parts, 2)`, where each part starts and ends in the text.
    columns : `(tokens, parts)`, 1 where a token belongs to a part, else 0.
    """

    text: str
    ids: tuple[int, ...]
    spans: NDArray[np.int64]
    columns: NDArray[np.float64]

    @property
    def names(self) -> list[str]:
        """What each part is called, see `part_names`."""
        return part_names(self.text, self.spans)


def read_answer(tokenizer: Any, given: Any, parts: Parts = "whole", vocabulary: int | None = None) -> Answer:
    """The answer that a user gives, with its parts; `ModelError` where it is none.

    Parameters
    ----------
    tokenizer : of transformers.
    given : a text, which is tokenized on its own without special tokens; or token ids.
    parts : "whole": the answer as a whole. "token", "word" or "sentence": the answer as a whole and then each of its
        tokens, words or sentences. A list of `(start, end)`: the whole and then these spans of the text.
    vocabulary : how many tokens the model knows.
    """
    text, ids, spans = _tokens(tokenizer, given)
    if not ids or (isinstance(given, str) and not text.strip()):
        raise ModelError(f"Expected an answer with text in it, got {given!r:.60}. Give the text that is explained.")
    if vocabulary is not None and not all(0 <= token < vocabulary for token in ids):
        raise ModelError(
            f"Expected tokens from 0 to {vocabulary - 1}, which the model knows, got the answer {given!r:.60}."
        )
    whole = np.array([[0, len(text)]], np.int64)
    if isinstance(parts, str) and parts == "whole":
        return Answer(text, tuple(ids), whole, np.ones((len(ids), 1)))
    if isinstance(parts, str) and parts == "token":
        return Answer(text, tuple(ids), np.concatenate([whole, spans]), np.eye(len(ids) + 1)[1:] + _first(len(ids)))
    found = _find_parts(text, parts)
    start = np.array([s + _blanks(text[s:]) for s in spans[:, 0].tolist()])  # a blank goes with what follows
    inside = (start[:, None] >= found[:, 0]) & (start[:, None] < found[:, 1])
    if lost := np.flatnonzero(~inside.any(axis=0)).tolist():
        s, e = found[lost[0]].tolist()
        raise ModelError(
            f"Expected parts of the answer with at least one token, got {text[s:e]!r:.40} ({s}, {e}), which has none."
        )
    columns = np.concatenate([np.ones((len(ids), 1)), inside.astype(np.float64)], axis=1)
    return Answer(text, tuple(ids), np.concatenate([whole, found]), columns)


def part_spans(text: str, parts: Parts) -> NDArray[np.int64]:
    """Where an answer as a whole and its parts start and end, for models whose tokens are not known.

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
    """What the parts of an answer are called: by their text, but the answer as a whole beside its parts by a few words.

    >>> part_names("It is. It was.", part_spans("It is. It was.", "sentence"))
    ['the whole answer', 'It is.', 'It was.']
    >>> part_names("It is. It was.", part_spans("It is. It was.", "whole"))
    ['It is. It was.']
    """
    texts = [text[start:end] for start, end in spans.tolist()]
    return texts if len(texts) == 1 else ["the whole answer", *texts[1:]]


def _tokens(tokenizer: Any, given: Any) -> tuple[str, list[int], NDArray[np.int64]]:
    """The text, its tokens, and where each token stands in the text."""
    if not isinstance(given, str):
        try:
            ids = [operator.index(token) for token in given]
        except TypeError as error:
            raise ModelError(f"Expected an answer as a text or a list of token ids, got {given!r:.60}.") from error
        in_range = all(0 <= token < len(tokenizer) for token in ids)
        return (tokenizer.decode(ids), ids, _by_decoding(tokenizer, ids)) if in_range else ("", ids, _none(len(ids)))
    fast = bool(getattr(tokenizer, "is_fast", False))
    made = tokenizer(
        given, add_special_tokens=False, verbose=False, **({"return_offsets_mapping": True} if fast else {})
    )
    ids = list(made["input_ids"])
    back = tokenizer.decode(ids, clean_up_tokenization_spaces=False)
    if "".join(back.split()) != "".join(given.split()):
        raise ModelError(
            f"Expected an answer that the tokenizer encodes and decodes without change, got {given!r:.60}, "
            f"which becomes {back!r:.60}. Give the token ids instead, or another text."
        )
    spans = np.array(made["offset_mapping"], np.int64).reshape(-1, 2) if fast else _by_decoding(tokenizer, ids)
    return given, ids, spans


def _by_decoding(tokenizer: Any, ids: Sequence[int]) -> NDArray[np.int64]:
    """Where tokens end, by how long the text of the tokens up to each is."""
    ends = [len(tokenizer.decode(ids[: k + 1], clean_up_tokenization_spaces=False)) for k in range(len(ids))]
    return np.array(list(zip([0, *ends], ends, strict=False)), np.int64).reshape(-1, 2)


def _none(count: int) -> NDArray[np.int64]:
    return np.zeros((count, 2), np.int64)


def _first(count: int) -> NDArray[np.float64]:
    """A first column of ones: the answer as a whole."""
    return np.pad(np.ones((count, 1)), ((0, 0), (0, count)))


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip()) if text.strip() else 0


def _find_parts(text: str, parts: Any) -> NDArray[np.int64]:
    if isinstance(parts, str):
        if parts not in ("word", "sentence"):
            raise ModelError(f'Expected "whole", "token", "word", "sentence" or spans as parts, got {parts!r}.')
        return np.array(list(CUTTERS[parts](text)), np.int64).reshape(-1, 2)
    try:
        found = np.array([(operator.index(s), operator.index(e)) for s, e in parts], np.int64).reshape(-1, 2)
    except (TypeError, ValueError) as error:
        raise ModelError(f"Expected pairs (start, end) as parts, got {parts!r:.60}.") from error
    bad = np.flatnonzero((found[:, 0] < 0) | (found[:, 0] >= found[:, 1]) | (found[:, 1] > len(text)))
    if len(bad) or not len(found):
        shown = tuple(found[bad[0]].tolist()) if len(bad) else "none"
        raise ModelError(f"Expected spans within the answer of {len(text)} characters as parts, got {shown}.")
    return found
