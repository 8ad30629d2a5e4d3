"""Texts: words on the colours of their units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.printable import printable
from ...core.views import TextView
from ..coloured_html import colour_spans
from ..ink import Ink, text_runs
from ..pack import ContentPool, pack_labels, pack_spans, utf16_offsets
from ..styling import Styling
from ..terminal_text import wrap_spans
from .base import Drawing


def text_lines(e: Explanation, view: TextView, width: int, ink: Ink) -> list[str]:
    """A text, wrapped, on the colours of its units."""
    text, owner = printable(view.text, lines=True), view.owners
    lines = [text_runs(text[a:b].rstrip(), owner[a:b]) for a, b in wrap_spans(text, width)]
    return [row for line in lines for row in ink.lines(line)]


def text_html(e: Explanation, view: TextView, styling: Styling) -> str:
    """A text on the colours of its units."""
    text = printable(view.text, lines=True)[: styling.longest_text]
    return f'<p class="lcshap-text" dir="auto">{colour_spans(text_runs(text, view.owners), e, styling)}</p>'


def pack_text(view: TextView, pool: ContentPool, **more: Any) -> dict[str, Any]:
    """Where the parts are, in UTF-16 as JavaScript counts, and where sentences are if they are coarser than units."""
    spans, sentences, utf16 = view.spans, view.sentences, utf16_offsets(view.text)
    packed = {"kind": "text", "spans": pack_spans(utf16[spans]), **pack_labels(view, pool), **more}
    if len(sentences) and _has_units_within_sentences(spans, view.labels, sentences):
        packed["sentences"] = pack_spans(utf16[sentences])
    return packed


def _has_units_within_sentences(spans: NDArray[Any], labels: NDArray[Any], sentences: NDArray[np.int64]) -> bool:
    """Whether each unit lies within one sentence, and there are several sentences, but fewer than units."""
    spans, labels = spans[labels >= 0], labels[labels >= 0]
    owner = np.searchsorted(sentences[:, 0], spans[:, 0], side="right") - 1
    pairs = np.unique(np.stack([labels, owner], axis=1), axis=0)
    count = len(np.unique(labels))
    inside = (owner >= 0).all() and (spans[:, 1] <= sentences[owner, 1]).all()
    return bool(inside and len(pairs) == count and 1 < len(sentences) < count)


TEXT = Drawing(text_lines, text_html, pack_text, ("text",))
