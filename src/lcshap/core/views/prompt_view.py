"""Prompts for language models, with their answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..json_reader import JsonNode
from .spans import as_spans, read_spans
from .text_view import TextView


@dataclass(frozen=True, eq=False, kw_only=True)
class PromptView(TextView):
    """A prompt and the answer that a language model gave to it. The parts are spans of the prompt.

    Attributes
    ----------
    sources : `(n, 2)`, where the sources (documents) start and end in the prompt.
    answer : the text of the answer; empty where it is not known.
    answer_spans : `(outputs, 2)`, which part of the answer each output of the explanation is about.
    """

    kind: ClassVar[str] = "prompt"

    sources: NDArray[np.int64] = ()  # type: ignore[assignment]
    answer: str = ""
    answer_spans: NDArray[np.int64] = ()  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_fields(sources=as_spans(self.sources), answer_spans=as_spans(self.answer_spans))

    def of_output(self, output: int) -> Self:
        """The same prompt, with the part of the answer that this output is about."""
        return replace(self, answer_spans=self.answer_spans[output : output + 1])

    @property
    def answer_parts(self) -> tuple[str, ...]:
        """The part of the answer that each output is about."""
        return tuple(self.answer[start:end] for start, end in self.answer_spans.tolist())

    @classmethod
    def read_fields(cls, place: JsonNode, last: int) -> dict[str, Any]:
        """The answer and its parts, and what a text has."""
        answer = place["answer"].string()
        spans = read_spans(place["answer_spans"], len(answer))
        content = super().read_fields(place, last)
        sources = read_spans(place["sources"], len(content["text"]))
        return {**content, "sources": sources, "answer": answer, "answer_spans": spans}
