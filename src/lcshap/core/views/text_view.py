"""Texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..json_reader import JsonNode
from .base import View
from .spans import as_spans, owners_of, read_spans


@dataclass(frozen=True, eq=False, kw_only=True)
class TextView(View):
    """A text. Its parts are `spans`.

    Attributes
    ----------
    text : all of it.
    spans : `(n, 2)`, where each part starts and ends, in characters.
    sentences : `(m, 2)`, where sentences start and end; empty where nobody looked for them.
    """

    kind: ClassVar[str] = "text"
    has_unit_values: ClassVar[bool] = True

    text: str
    spans: NDArray[np.int64]
    sentences: NDArray[np.int64] = ()  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_fields(spans=as_spans(self.spans), sentences=as_spans(self.sentences))
        self._check_labels_shape((len(self.spans),), "span")

    @property
    def parts(self) -> tuple[str, ...]:
        """The text of each span."""
        return tuple(self.text[start:end] for start, end in self.spans.tolist())

    @property
    def owners(self) -> NDArray[np.intp]:
        """The unit of each character, -1 for none.

        >>> TextView(text="so good", spans=[[0, 2], [3, 7]], labels=[0, 1]).owners.tolist()
        [0, 0, -1, 1, 1, 1, 1]
        """
        return owners_of(self.spans, self.labels, len(self.text))

    def unit_data(self, d: int) -> tuple[str, ...]:
        """The text of each unit; of a unit with several spans, joined.

        >>> TextView(text="so good", spans=[[0, 2], [3, 7]], labels=[0, 1]).unit_data(2)
        ('so', 'good')
        """
        texts = [""] * d
        for (start, end), unit in zip(self.spans.tolist(), self.labels.tolist(), strict=True):
            if unit >= 0:
                texts[unit] += self.text[start:end]
        return tuple(texts)

    @classmethod
    def read_fields(cls, place: JsonNode, last: int) -> dict[str, Any]:
        """The text, its parts and its sentences, which files of version 1 do not have."""
        text = place["text"].string()
        spans = read_spans(place["spans"], len(text))
        content = {"text": text, "spans": spans, "labels": place["labels"].integer_array(-1, last, len(spans))}
        sentences = place.get("sentences")
        return content if sentences.missing else content | {"sentences": read_spans(sentences, len(text))}
